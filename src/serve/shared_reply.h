/* serve/shared_reply.h: one answer for all requests that ask the same: from the cache, from one
 * that is on its way, or asked for. */
#ifndef RP_SERVE_SHARED_REPLY_H
#define RP_SERVE_SHARED_REPLY_H

#include "serve/http.h"

/* Begins the key of a request's reply: API, index, generation and the query as the index reads it.
 * The caller adds what else shapes the reply. False: the request cannot share, or its query has a
 * mistake, which who answers it will name. */
bool rp__shared_reply_key(rp__request *request, char api, rp__generation *generation,
                          const char *query, size_t query_bytes, const rp_mode *mode, rp__buf *key);

/* True: the reply is there. False: the request is suspended and will be answered. Where nobody else
 * does it, `ask` is called, now or later; RP_OK: who answers calls end, and then resumes. */
bool rp__shared_reply_find(rp__request *request, const rp__buf *key, uint64_t timeout_ms,
                           rp_status (*ask)(rp__request *request, rp_error *err));

/* Asks for a request that is suspended. Of http.c: for one that waited for another in vain. */
void rp__shared_reply_ask(rp__request *request);

/* The request has its reply. is_whole: others may have the same, with their own text in its gap. */
void rp__shared_reply_end(rp__request *request, bool is_whole);

/* Nanoseconds that a request which found nothing still has. */
uint64_t rp__shared_reply_time_left(const rp__request *request);

#endif
