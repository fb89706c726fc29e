/* base/json.h: reading JSON by pulling tokens, and writing it into a buffer.
 *
 * The reader allocates nothing for a value: strings without escapes are views of the input, others
 * are decoded into one scratch buffer that the next string reuses. Depth is counted, never
 * recursed. Accepts RFC 8259; strings must be valid UTF-8; \u surrogates must pair. One thread at a
 * time. */
#ifndef RP_BASE_JSON_H
#define RP_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "riposte/status.h"

typedef enum rp__json_type {
    RP_JSON_END, /* of the input, after one whole value */
    RP_JSON_OBJECT,
    RP_JSON_OBJECT_END,
    RP_JSON_ARRAY,
    RP_JSON_ARRAY_END,
    RP_JSON_KEY,
    RP_JSON_STRING,
    RP_JSON_NUMBER,
    RP_JSON_TRUE,
    RP_JSON_FALSE,
    RP_JSON_NULL,
} rp__json_type;

typedef struct rp__json {
    const char *at, *begin, *end;
    uint32_t depth, max_depth;
    uint8_t state;
    uint8_t kinds[128]; /* a bit a level: object or array; so max_depth is at most 1,024 */
    const char *string; /* of KEY, STRING and NUMBER: bytes, valid until the next string token */
    size_t string_bytes;
    rp__buf scratch;
    const char *fault;   /* after RP_INPUT or RP_LIMIT: what is wrong, a static sentence */
    size_t fault_offset; /* and at which byte */
} rp__json;

/* once; then start as often as wanted */
void rp__json_init(rp__json *json);
void rp__json_start(rp__json *json, const char *text, size_t bytes, uint32_t max_depth);
void rp__json_free(rp__json *json);
/* The next token. RP_INPUT: malformed; RP_LIMIT: too deep; RP_NO_MEMORY. */
rp_status rp__json_next(rp__json *json, rp__json_type *type);
/* After KEY, or before a value: passes over one whole value. */
rp_status rp__json_skip(rp__json *json);

/* Writing. The writer puts commas; the caller pairs begin and end (depth at most 64). Bytes that
 * are not valid UTF-8 are written as U+FFFD. */
typedef struct rp__json_writer {
    rp__buf *out;
    uint64_t has_item; /* a bit a level */
    uint32_t depth;
} rp__json_writer;

void rp__json_writer_init(rp__json_writer *w, rp__buf *out);
/* '{' or '['; key NULL inside arrays */
void rp__json_writer_begin(rp__json_writer *w, const char *key, char bracket);
void rp__json_writer_end(rp__json_writer *w, char bracket); /* '}' or ']' */
void rp__json_writer_string(rp__json_writer *w, const char *key, const char *s, size_t bytes);
/* NULL writes null */
void rp__json_writer_text(rp__json_writer *w, const char *key, const char *s);
void rp__json_writer_uint(rp__json_writer *w, const char *key, uint64_t v);
/* not finite: null */
void rp__json_writer_real(rp__json_writer *w, const char *key, double v, int decimals);
void rp__json_writer_bool(rp__json_writer *w, const char *key, bool v);

/* Of who writes much that is alike, past the writer, into room of the buffer: */

/* Whether all bytes are ASCII that a string has as it is. */
bool rp__json_writer_is_plain(const char *s, size_t bytes);
/* The same of bytes that it copies meanwhile. */
bool rp__json_writer_copy_plain(uint8_t *out, const char *s, size_t bytes);
/* An item was put into the innermost bracket: the next one needs a comma. */
void rp__json_writer_note_item(rp__json_writer *w);
/* A real into RP_JSON_DECIMALS bytes. Returns how many it has; 0: it is for the writer. */
enum { RP_JSON_DECIMALS = 32 };
size_t rp__json_writer_decimals(uint8_t *out, double v, int decimals);

#endif
