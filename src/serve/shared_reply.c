/* shared_reply.c: what a request does with the cache. A reply may have a gap, into which each request puts its own query
 * as it was written; all else is the same for all. */
#include "serve/shared_reply.h"

#include <string.h>

#include "base/clock.h"

enum {
    MIN_NS = 1000000, /* that a query which waited for another has at least */
    KEY_BYTES = 64,   /* of a key besides the query, mostly */
};

bool rp__shared_reply_key(rp__request *request, char api, rp__generation *generation,
                          const char *query, size_t query_bytes, const rp_mode *mode, rp__buf *key)
{
    rp_searcher *searcher = NULL;
    rp_key own = {0};
    if (!request->http->cache)
        return false;
    rp_status status = rp__service_lease(generation, &searcher, NULL);
    if (status == RP_OK)
        status = rp_query_key(searcher, query, query_bytes, mode, &own, NULL);
    rp__service_give_back(generation, searcher);
    if (status != RP_OK)
        return false;
    rp__buf_reserve(key, own.n + KEY_BYTES);
    rp__buf_put_byte(key, (uint8_t)api);
    rp__buf_put_varint(key, request->index);
    rp__buf_put_varint(key, generation->info.generation);
    rp__buf_put_varint(key, own.n);
    rp__buf_put(key, own.at, own.n);
    rp_key_free(&own);
    return !key->failed;
}

static void take(rp__request *r, const rp__cached *reply)
{
    rp__buf_reserve(&r->reply, reply->n + r->gap.n);
    rp__buf_put(&r->reply, reply->bytes, reply->gap_at);
    if (reply->gap_at < reply->n) {
        rp__buf_put(&r->reply, r->gap.at, r->gap.n);
        rp__buf_put(&r->reply, reply->bytes + reply->gap_at, reply->n - reply->gap_at);
    }
    r->status = 200;
    r->type = "application/json";
    r->hits = reply->hits;
    r->result = RP_RESULT_OK;
}

/* The request that this one waited for has ended. Without a reply, the thread that resumes this one asks again. */
static void on_landed(void *arg, const rp__cached *reply)
{
    rp__request *r = arg;
    if (reply)
        take(r, reply);
    rp__http_resume(r);
}

void rp__shared_reply_ask(rp__request *request)
{
    rp_error err = {.text = ""};
    if (request->ask(request, &err) == RP_OK)
        return;
    rp__http_fail_by(request, &err);
    rp__shared_reply_end(request, false);
    rp__http_resume(request);
}

bool rp__shared_reply_find(rp__request *request, const rp__buf *key, uint64_t timeout_ms,
                           rp_status (*ask)(rp__request *request, rp_error *err))
{
    rp__cache *cache = request->http->cache;
    rp__cached *reply = rp__cache_find(cache, key);
    if (reply) {
        take(request, reply);
        rp__cache_release(reply);
        return true;
    }
    request->ask = ask;
    request->waiter = (rp__cache_waiter){.done = on_landed, .arg = request};
    switch (rp__cache_board(cache, key, timeout_ms * 1000000, &request->waiter, &reply,
                            &request->flight)) {
    case RP_BOARDING_HIT:
        take(request, reply);
        rp__cache_release(reply);
        rp__http_resume(request);
        break;
    case RP_BOARDING_JOINS:
        break;
    case RP_BOARDING_LEADS:
    case RP_BOARDING_ALONE:
        rp__shared_reply_ask(request);
        break;
    }
    return false;
}

uint64_t rp__shared_reply_time_left(const rp__request *request)
{
    const uint64_t now = rp__clock_now();
    const uint64_t deadline = request->waiter.deadline_ns;
    return deadline > now + MIN_NS ? deadline - now : MIN_NS;
}

/* Without the request's own text. */
static rp__cached *copy_reply(const rp__request *r)
{
    const size_t gap = r->gap.n, end = r->gap_at + gap;
    if (r->reply.failed)
        return NULL;
    rp__cached *reply = rp__cache_reply(r->reply.n - gap);
    if (!reply)
        return NULL;
    if (gap > 0) {
        memcpy(reply->bytes, r->reply.at, r->gap_at);
        memcpy(reply->bytes + r->gap_at, r->reply.at + end, r->reply.n - end);
        reply->gap_at = r->gap_at;
    } else {
        memcpy(reply->bytes, r->reply.at, r->reply.n);
    }
    reply->hits = r->hits;
    return reply;
}

void rp__shared_reply_end(rp__request *request, bool is_whole)
{
    if (!request->flight)
        return;
    rp__cache_land(request->http->cache, request->flight, is_whole ? copy_reply(request) : NULL);
    request->flight = NULL;
}
