/* query_key.c: a bound query as bytes, by which answers can be kept and found again. */
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "engine/searcher.h"

enum { KEY_BYTES = 250 }; /* that most keys fit into */

typedef struct job {
    rp_searcher *searcher;
    const char *query;
    size_t query_bytes;
    rp_mode mode;
    rp__buf out;
    rp_error err;
} job;

static void put_float(rp__buf *out, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    rp__buf_put_u32(out, bits);
}

/* Everything in it that decides an answer. Counts come first, so that no two queries have the same bytes. */
static void put_query(rp__buf *out, const rp__query *q)
{
    rp__buf_put_varint(out, q->n_ops);
    rp__buf_put_varint(out, q->n_leaves);
    rp__buf_put_varint(out, q->n_words);
    for (size_t i = 0; i < q->n_ops; i++) {
        rp__buf_put_byte(out, q->ops[i].kind);
        rp__buf_put_byte(out, q->ops[i].role);
        rp__buf_put_varint(out, q->ops[i].leaf);
    }
    for (size_t i = 0; i < q->n_leaves; i++) {
        const rp__leaf *leaf = &q->leaves[i];
        put_float(out, leaf->weight.weight);
        put_float(out, leaf->weight.boost);
        rp__buf_put_varint(out, leaf->word);
        rp__buf_put_varint(out, leaf->n_words);
        rp__buf_put_varint(out, leaf->slop);
    }
    for (size_t i = 0; i < q->n_words; i++) {
        rp__buf_put_varint(out, q->words[i].offset);
        rp__buf_put_varint(out, q->words[i].text_bytes);
        rp__buf_put(out, q->words[i].text, q->words[i].text_bytes);
    }
}

/* What is said of words that no document has depends on how they were written. */
static bool has_unknown(const rp__query *q)
{
    for (size_t i = 0; i < q->n_words; i++)
        if (q->words[i].term.df == 0)
            return true;
    return q->n_ops == 0;
}

static rp_status put_in_mode(job *j, rp_mode mode, bool *is_unknown)
{
    rp__query bound;
    rp_status status =
        rp__searcher_bind(j->searcher, j->query, j->query_bytes, mode, &bound, &j->err);
    if (status != RP_OK)
        return status;
    put_query(&j->out, &bound);
    *is_unknown |= has_unknown(&bound);
    return RP_OK;
}

static rp_status run_job(void *arg)
{
    job *j = arg;
    const bool is_both = j->mode == RP_MODE_ANDOR;
    bool is_unknown = false;
    rp__buf_reserve(&j->out, KEY_BYTES);
    rp__buf_put_byte(&j->out, (uint8_t)j->mode);
    rp_status status = put_in_mode(j, is_both ? RP_MODE_AND : j->mode, &is_unknown);
    if (status == RP_OK && is_both)
        status = put_in_mode(j, RP_MODE_OR, &is_unknown);
    if (status == RP_OK && is_unknown)
        rp__buf_put(&j->out, j->query, j->query_bytes);
    return status == RP_OK && j->out.failed ? RP_NO_MEMORY : status;
}

rp_status rp_query_key(rp_searcher *searcher, const char *query, size_t query_bytes,
                       const rp_mode *mode, rp_key *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_key){0};
    if (RP_MISSING(err, searcher) || RP_MISSING_ARRAY(err, query, query_bytes))
        return RP_USAGE;
    if (mode && ((int)*mode < RP_MODE_OR || *mode > RP_MODE_ANDOR))
        return rp__error_set(err, RP_USAGE, "mode %d is none of rp_mode", (int)*mode);
    if (query_bytes > searcher->options.max_query)
        return rp__error_set(err, RP_LIMIT,
                             "the query has %zu bytes, more than %zu; raise --max-query",
                             query_bytes, searcher->options.max_query);
    const rp_mode own = searcher->options.mode;
    job j = {.searcher = searcher,
             .query = query,
             .query_bytes = query_bytes,
             .mode = mode ? *mode : own};
    rp__buf_init(&j.out);
    searcher->options.mode = j.mode;
    rp_status status = rp__searcher_guard(searcher, run_job, &j, &j.err, err);
    searcher->options.mode = own;
    if (status != RP_OK) {
        rp__buf_free(&j.out);
        return status;
    }
    *out = (rp_key){.at = j.out.at, .n = j.out.n};
    return RP_OK;
}

void rp_key_free(rp_key *key)
{
    if (!key)
        return;
    rp__free(key->at);
    *key = (rp_key){0};
}
