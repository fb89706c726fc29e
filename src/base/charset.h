/* base/charset.h: text in UTF-8, Windows-1252 or UTF-16 to UTF-8, piece by piece.
 *
 * Bytes that are not UTF-8 are read as Windows-1252, each on its own, so that a text in either
 * encoding comes out right and so does one that mixes them. The result does not depend on where the
 * pieces end. One thread at a time. */
#ifndef RP_BASE_CHARSET_H
#define RP_BASE_CHARSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

typedef enum rp__charset_kind {
    RP_CHARSET_BYTES, /* UTF-8, or Windows-1252 where it is not */
    RP_CHARSET_UTF16LE,
    RP_CHARSET_UTF16BE,
    RP_CHARSET_UTF32, /* known by its mark, never converted */
} rp__charset_kind;

typedef struct rp__charset {
    rp__charset_kind kind;
    uint8_t held[4]; /* the front of a character whose end has not come yet */
    size_t n_held;
    uint64_t foreign; /* characters that were not UTF-8, those of UTF-16 not among them */
} rp__charset;

/* What a byte order mark says, and its length; 0: there is none. */
rp__charset_kind rp__charset_mark(const uint8_t *head, size_t n, size_t *mark_bytes);
/* Puts n more bytes into `out` as valid UTF-8; at the end, `is_end`, nothing is held back. All
 * kinds but UTF-32. */
void rp__charset_put(rp__charset *charset, const uint8_t *in, size_t n, bool is_end, rp__buf *out);
/* Bytes at the end of [in, in + n) that may be the front of a UTF-8 sequence: 0 to 3. */
size_t rp__charset_open_tail(const uint8_t *in, size_t n);

#endif
