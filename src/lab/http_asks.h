/* lab/http_asks.h: queries as requests of HTTP, made before the clock runs. Read only once made. */
#ifndef RP_LAB_HTTP_ASKS_H
#define RP_LAB_HTTP_ASKS_H

#include "base/buf.h"
#include "lab/url.h"
#include "riposte/topics.h"

typedef struct rp__http_ask_options {
    const rp__url *url;
    const char *token; /* NULL: none */
    uint64_t k;        /* 0: the service's */
    const char *mode;  /* NULL: the service's */
    uint32_t together; /* queries of a request, to msearch; 0: one, to search */
} rp__http_ask_options;

typedef struct rp__http_asks {
    rp__buf bytes;
    size_t *ends; /* where each request ends in bytes */
    size_t n, cap;
} rp__http_asks;

/* All topics of a file. RP_NOT_FOUND: it has none. */
rp_status rp__http_asks_read(rp__http_asks *asks, const char *path, const char *format,
                             const rp__http_ask_options *options, rp_error *err);
/* The i-th request, and again from the first. */
const char *rp__http_asks_at(const rp__http_asks *asks, size_t i, size_t *bytes);
void rp__http_asks_free(rp__http_asks *asks); /* all zero is fine */

#endif
