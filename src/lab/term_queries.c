/* term_queries.c: a few terms of each length of list, by chance, and queries of them in every ratio of
 * lengths. */
#include "lab/term_queries.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/random.h"
#include "engine/engine.h"

enum {
    LENGTHS = 32, /* of lists, by powers of two */
    KEPT = 64,    /* terms of each */
    TERM = 40,    /* bytes; longer terms are left out */
    RATIOS = 14,  /* 1 to 8,192 */
    MIN_TERMS = 2,
    MAX_TERMS = 4,
    TRIES = 64, /* for each query */
    GROUPS = 7, /* of pairs, by ratio: the first below FIRST_RATIO, the others by powers of two */
    FIRST_RATIO = 16,
};

typedef struct bucket {
    uint64_t seen;
    uint32_t n;
    uint32_t dfs[KEPT];
    char terms[KEPT][TERM + 1];
} bucket;

typedef struct draw {
    const rp_index *index;
    bucket *buckets; /* by length */
    rp__random random;
} draw;

/* ---- Terms ----------------------------------------------------------------------------------- */

/* Nothing in it means anything to the query language. */
static bool is_plain(const char *term, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)term[i];
        const bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
        if (!is_word)
            return false;
    }
    return n > 0 && n <= TERM;
}

/* Each of a bucket's terms is as likely to be kept as any other. */
static void keep(draw *d, const rp__term_iter *iter)
{
    bucket *b = &d->buckets[rp__bits_width(iter->entry.df) - 1];
    uint64_t at = b->seen++;
    if (at >= KEPT)
        at = rp__random_next(&d->random) % b->seen;
    if (at >= KEPT)
        return;
    b->n += at == b->n;
    b->dfs[at] = iter->entry.df;
    memcpy(b->terms[at], iter->term, iter->term_bytes);
    b->terms[at][iter->term_bytes] = 0;
}

static rp_status run_walk(void *arg)
{
    draw *d = arg;
    rp__term_iter iter;
    rp_status status = rp__term_iter_start(&iter, d->index->segment, "", 0);
    while (status == RP_OK && (status = rp__term_iter_next(&iter)) == RP_OK)
        if (iter.entry.df > 0 && is_plain(iter.term, iter.term_bytes))
            keep(d, &iter);
    return status == RP_NOT_FOUND ? RP_OK : status;
}

/* Leaves out terms that the analyzer, asked for them, makes others of. */
static void sift(draw *d)
{
    for (int i = 0; i < LENGTHS; i++) {
        bucket *b = &d->buckets[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < b->n; k++) {
            rp_term_info info;
            if (rp_index_get_term(d->index, b->terms[k], &info, NULL) != RP_OK ||
                info.df != b->dfs[k])
                continue;
            b->dfs[kept] = b->dfs[k];
            memmove(b->terms[kept++], b->terms[k], sizeof b->terms[k]);
        }
        b->n = kept;
    }
}

/* ---- Queries --------------------------------------------------------------------------------- */

/* A bucket from `least` on, of those that have a term, and one `apart` buckets further that has one too; -1: there is
 * none. */
static int choose(draw *d, int least, int apart)
{
    int fit[LENGTHS], n = 0;
    for (int i = least; i + apart < LENGTHS; i++)
        if (d->buckets[i].n > 0 && d->buckets[i + apart].n > (apart == 0))
            fit[n++] = i;
    return n > 0 ? fit[rp__random_below(&d->random, (uint32_t)n)] : -1;
}

static const char *draw_term(draw *d, int length)
{
    const bucket *b = &d->buckets[length];
    return b->terms[rp__random_below(&d->random, b->n)];
}

/* Between quotes, for `phrase`; false: another try. */
static bool draw_query(draw *d, char *out, size_t bytes)
{
    const int ratio = (int)rp__random_below(&d->random, RATIOS);
    const size_t n = MIN_TERMS + rp__random_below(&d->random, MAX_TERMS - MIN_TERMS + 1);
    const int shortest = choose(d, 0, ratio);
    const char *terms[MAX_TERMS];
    size_t at = 0;
    for (size_t i = 0; i < n && shortest >= 0; i++) {
        const int length = i == 0   ? shortest
                           : i == 1 ? shortest + ratio
                                    : choose(d, shortest + ratio, 0);
        if (length < 0)
            return false;
        terms[i] = draw_term(d, length);
        for (size_t k = 0; k < i; k++)
            if (terms[k] == terms[i])
                return false;
        at += (size_t)snprintf(out + at, bytes - at, "%s%s", i ? " " : "\"", terms[i]);
    }
    snprintf(out + at, bytes - at, "\"");
    return shortest >= 0;
}

static rp_status add(rp__bench_query_set *set, const char *phrase, rp_error *err)
{
    const size_t n = strlen(phrase);
    char *own = rp__alloc(n + 1);
    if (!own || !rp__alloc_grow(&set->at, &set->cap, set->n + 1, sizeof *set->at)) {
        rp__free(own);
        return rp__error_no_memory(err);
    }
    memcpy(own, phrase, n + 1);
    set->at[set->n++] =
        (rp__bench_query){{.qid = "", .query = own + 1, .query_bytes = n - 2}, own, n};
    return RP_OK;
}

/* Terms of the index by length. */
static rp_status open_draw(draw *d, const rp_index *index, uint64_t seed, rp_error *err)
{
    *d = (draw){.index = index, .buckets = rp__alloc_zero(LENGTHS, sizeof *d->buckets)};
    if (!d->buckets)
        return rp__error_no_memory(err);
    rp__random_init(&d->random, seed);
    rp_status status = rp__index_handle_guard(index, run_walk, d);
    if (status != RP_OK)
        return rp__error_set(err, status,
                             "the terms are damaged; run 'riposte check' on the index");
    sift(d);
    return RP_OK;
}

rp_status rp__term_queries_make(rp__bench_query_set *set, const rp_index *index, uint64_t n,
                                uint64_t seed, rp_error *err)
{
    char phrase[MAX_TERMS * (TERM + 1) + 3];
    draw d;
    *set = (rp__bench_query_set){0};
    rp_status status = open_draw(&d, index, seed, err);
    for (uint64_t i = 0; i < TRIES * n && set->n < n && status == RP_OK; i++)
        if (draw_query(&d, phrase, sizeof phrase))
            status = add(set, phrase, err);
    rp__free(d.buckets);
    set->read = set->n;
    if (status == RP_OK && set->n == 0)
        status = rp__error_set(err, RP_NOT_FOUND,
                               "the index has too few terms to draw queries from; name a file of "
                               "queries");
    return status;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* Of lists so long; NULL: it was none, another try. */
static const char *draw_long(draw *d, uint64_t longer, uint64_t *df)
{
    const int first = (int)rp__bits_width64(longer) - 1;
    const int length = first + (int)rp__random_below(&d->random, 2);
    const bucket *b = length < LENGTHS && d->buckets[length].n > 0 ? &d->buckets[length] : NULL;
    const uint32_t at = b ? rp__random_below(&d->random, b->n) : 0;
    *df = b ? b->dfs[at] : 0;
    return *df >= longer && *df < 2 * longer ? b->terms[at] : NULL;
}

/* As draw_query, and its group; false: another try. */
static bool draw_pair(draw *d, uint64_t longer, size_t *group, char *out, size_t bytes)
{
    uint64_t df;
    const char *term = draw_long(d, longer, &df);
    const int length = choose(d, 0, 0);
    if (!term || length < 0)
        return false;
    const bucket *b = &d->buckets[length];
    const uint32_t at = rp__random_below(&d->random, b->n);
    if (b->dfs[at] > df || b->terms[at] == term)
        return false;
    *group = 0;
    for (uint64_t end = FIRST_RATIO; df / b->dfs[at] >= end; end *= 2)
        ++*group;
    snprintf(out, bytes, "\"%s %s\"", b->terms[at], term);
    return *group < GROUPS;
}

rp_status rp__term_queries_make_pairs(rp__bench_query_set *set, const rp_index *index, uint64_t n,
                                      uint64_t longer, uint64_t seed, rp_error *err)
{
    char phrase[MAX_TERMS * (TERM + 1) + 3];
    uint64_t drawn[GROUPS] = {0};
    draw d;
    *set = (rp__bench_query_set){0};
    rp_status status = open_draw(&d, index, seed, err);
    for (uint64_t i = 0; i < TRIES * GROUPS * n && set->n < GROUPS * n && status == RP_OK; i++) {
        size_t group;
        if (draw_pair(&d, longer, &group, phrase, sizeof phrase) && drawn[group]++ < n)
            status = add(set, phrase, err);
    }
    rp__free(d.buckets);
    set->read = set->n;
    if (status == RP_OK && set->n == 0)
        status = rp__error_set(err, RP_NOT_FOUND,
                               "the index has no list of %llu postings to twice as many, or none "
                               "beside it",
                               (unsigned long long)longer);
    return status;
}
