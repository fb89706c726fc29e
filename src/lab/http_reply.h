/* lab/http_reply.h: where a reply of an HTTP/1.1 service begins and ends. */
#ifndef RP_LAB_HTTP_REPLY_H
#define RP_LAB_HTTP_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_HTTP_REPLY_HEAD = 64 << 10 }; /* bytes that a head may have */

typedef struct rp__http_reply {
    unsigned status; /* 100 to 599 */
    size_t head_bytes;
    uint64_t body_bytes;
    bool closes; /* the connection ends after it */
} rp__http_reply;

typedef enum rp__http_reply_state {
    RP_HTTP_REPLY_PART,   /* the head has not come whole */
    RP_HTTP_REPLY_HEADED, /* it has; the body follows */
    RP_HTTP_REPLY_BAD,    /* it is no reply, or one whose end is not known before it comes */
} rp__http_reply_state;

/* Reads the head of a reply from what has come so far. */
rp__http_reply_state rp__http_reply_read(const char *bytes, size_t n, rp__http_reply *out);

#endif
