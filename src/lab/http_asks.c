/* http_asks.c: a search is a GET, or a POST where its address would be long; several are an msearch. */
#include "lab/http_asks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"

enum { ADDRESS_MOST = 8000 }; /* bytes of an address that services take */

static void put_escaped(rp__buf *out, const char *text, size_t bytes)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < bytes; i++) {
        const uint8_t c = (uint8_t)text[i];
        if (c && strchr(plain, c))
            rp__buf_put_byte(out, c);
        else
            rp__buf_put(out, (char[]){'%', hex[c >> 4], hex[c & 15]}, 3);
    }
}

static void put_fields(rp__buf *out, const rp__http_ask_options *o)
{
    rp__buf_printf(out, " HTTP/1.1\r\nHost: %s\r\n", o->url->authority);
    if (o->token)
        rp__buf_printf(out, "Authorization: Bearer %s\r\n", o->token);
}

static void put_post(rp__buf *out, const rp__http_ask_options *o, const char *verb,
                     const rp__buf *body)
{
    rp__buf_printf(out, "POST %s/%s", o->url->path, verb);
    put_fields(out, o);
    rp__buf_printf(out, "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n", body->n);
    rp__buf_put(out, body->at, body->n);
}

static void write_search(rp__json_writer *w, const rp__http_ask_options *o, const rp_topic *topic)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_string(w, "q", topic->query, topic->query_bytes);
    if (o->k > 0)
        rp__json_writer_uint(w, "k", o->k);
    if (o->mode)
        rp__json_writer_text(w, "mode", o->mode);
    rp__json_writer_end(w, '}');
}

static void put_search(rp__buf *out, const rp__http_ask_options *o, const rp_topic *topic)
{
    const size_t begin = out->n;
    rp__buf_printf(out, "GET %s/search?q=", o->url->path);
    put_escaped(out, topic->query, topic->query_bytes);
    if (out->n - begin > ADDRESS_MOST) {
        rp__buf body;
        rp__json_writer w;
        rp__buf_init(&body);
        rp__json_writer_init(&w, &body);
        write_search(&w, o, topic);
        out->n = begin;
        out->failed |= body.failed;
        put_post(out, o, "search", &body);
        rp__buf_free(&body);
        return;
    }
    if (o->k > 0)
        rp__buf_printf(out, "&k=%llu", (unsigned long long)o->k);
    if (o->mode)
        rp__buf_printf(out, "&mode=%s", o->mode);
    put_fields(out, o);
    rp__buf_put_string(out, "\r\n");
}

/* Notes that a request ends here. */
static rp_status end_ask(rp__http_asks *asks, rp_error *err)
{
    if (!rp__alloc_grow(&asks->ends, &asks->cap, asks->n + 1, sizeof *asks->ends))
        return rp__error_no_memory(err);
    asks->ends[asks->n++] = asks->bytes.n;
    return asks->bytes.failed ? rp__error_no_memory(err) : RP_OK;
}

/* Searches that are collected for one msearch. */
typedef struct group {
    rp__buf body;
    rp__json_writer w;
    uint32_t n;
} group;

static rp_status add_topic(rp__http_asks *asks, group *g, const rp__http_ask_options *o,
                           const rp_topic *topic, rp_error *err)
{
    if (o->together == 0) {
        put_search(&asks->bytes, o, topic);
        return end_ask(asks, err);
    }
    if (g->n == 0) {
        rp__buf_clear(&g->body, SIZE_MAX);
        rp__json_writer_init(&g->w, &g->body);
        rp__json_writer_begin(&g->w, NULL, '{');
        rp__json_writer_begin(&g->w, "searches", '[');
    }
    write_search(&g->w, o, topic);
    if (++g->n < o->together)
        return RP_OK;
    rp__json_writer_end(&g->w, ']');
    rp__json_writer_end(&g->w, '}');
    asks->bytes.failed |= g->body.failed;
    put_post(&asks->bytes, o, "msearch", &g->body);
    g->n = 0;
    return end_ask(asks, err);
}

/* Every topic once; the last group is filled up with the first topic. */
static rp_status add_all(rp__http_asks *asks, rp_topics *topics, const rp__http_ask_options *o,
                         group *g, uint64_t *seen, rp_error *err)
{
    rp_topic topic, first = {0};
    bool has = true;
    rp_status status = RP_OK;
    while (status == RP_OK && (status = rp_topics_next(topics, &topic, &has, err)) == RP_OK &&
           has) {
        if ((*seen)++ == 0)
            first = topic;
        status = add_topic(asks, g, o, &topic, err);
    }
    while (status == RP_OK && g->n > 0)
        status = add_topic(asks, g, o, &first, err);
    return status;
}

rp_status rp__http_asks_read(rp__http_asks *asks, const char *path, const char *format,
                             const rp__http_ask_options *options, rp_error *err)
{
    rp_topics *topics;
    group g = {0};
    uint64_t seen = 0;
    *asks = (rp__http_asks){0};
    rp__buf_init(&asks->bytes);
    rp_status status = rp_topics_open(path, format, &topics, err);
    if (status != RP_OK)
        return status;
    rp__buf_init(&g.body);
    status = add_all(asks, topics, options, &g, &seen, err);
    if (status == RP_OK && seen == 0)
        status = rp__error_set(err, RP_NOT_FOUND, "%.120s: there is no query", path);
    rp__buf_free(&g.body);
    rp_topics_close(topics);
    if (status != RP_OK)
        rp__http_asks_free(asks);
    return status;
}

const char *rp__http_asks_at(const rp__http_asks *asks, size_t i, size_t *bytes)
{
    i %= asks->n;
    const size_t begin = i > 0 ? asks->ends[i - 1] : 0;
    *bytes = asks->ends[i] - begin;
    return (const char *)asks->bytes.at + begin;
}

void rp__http_asks_free(rp__http_asks *asks)
{
    rp__buf_free(&asks->bytes);
    rp__free(asks->ends);
    *asks = (rp__http_asks){0};
}
