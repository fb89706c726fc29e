/* serve/head.h: is a request's head one that every program between client and server reads alike?
 *
 * The library under http.c takes heads that proxies may understand differently. What it makes of a
 * head, and where in its buffer the parts lie, is enough to refuse them. Pure functions. */
#ifndef RP_SERVE_HEAD_H
#define RP_SERVE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rp__field {
    const char *name, *value;
    size_t name_bytes, value_bytes;
} rp__field;

enum { RP_HEAD_FIELDS = 64 }; /* at most */

/* Texts end with a NUL. `fields` are in the order of arrival. */
typedef struct rp__head {
    const char *method, *target, *version;
    size_t bytes; /* of the whole head, its empty line included; 0: not known */
    /* the texts lie in the buffer that the head was read into, and line ends became NULs there */
    bool is_in_place;
    size_t target_bytes; /* as it arrived; `target` itself may be elsewhere */
    size_t n;
    rp__field fields[RP_HEAD_FIELDS];
    bool has_more; /* fields than these */
} rp__head;

/* NULL: it is fine. Otherwise a sentence that says what is wrong. */
const char *rp__head_check(const rp__head *head);

/* The value of a field, by its name in small letters; NULL: it has none, or several. */
const char *rp__head_find(const rp__head *head, const char *name);

/* Whether this Host is a number of an address, or localhost, or one of `names` (with commas
 * between; NULL: none); a port may follow. Otherwise a page of another site may be behind it. */
bool rp__head_host_is_ours(const char *host, const char *names);

/* The length of the body: 0 without a Content-Length. False: it is no number. */
bool rp__head_body_bytes(const rp__head *head, uint64_t *out);

#endif
