/* lab_source.c: lists and queries of an index, for cases: chapter 7 of lab/lab.h.
 *
 * Lists of all terms of the queries, each once, in the order in which queries name them; without queries, all lists. Of a
 * query the shortest list goes with each of the others as a pair. */
#include "lab/lab_source.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/searcher.h"

enum { ARENA_BITS = 34, TABLE_MIN = 64, LISTS_MAX = 1 << 20 };

typedef struct query {
    uint32_t first, n; /* of its words */
    int32_t fraction_bits;
} query;

typedef struct word {
    uint32_t list;
    rp__weight weight;
} word;

struct rp__lab_source {
    rp__gpu_source at; /* the first: score gets it back */
    rp_searcher *searcher;
    const rp__lab_source_options *options;
    rp__lab_set set; /* of an index without queries */
    rp__arena arena;
    rp__gpu_source_list *lists;
    rp__gpu_source_pair *pairs;
    query *queries;
    word *words;
    size_t n_words, cap_lists, cap_pairs, cap_queries, cap_words;
    uint64_t *keys; /* a table of lists that are there: key and number */
    uint32_t *numbers;
    size_t n_table;
    uint8_t *codes; /* of lengths, a copy */
    rp__lengths lengths;
    rp_error err;
};

typedef rp__lab_source source;

/* ---- Lists --------------------------------------------------------------------------------------- */

static bool is_requested(const source *s, uint32_t n)
{
    const rp__lab_source_options *o = s->options;
    return n > 0 && n >= o->min_length && (o->max_length == 0 || n <= o->max_length);
}

static bool add_list(source *s, const uint32_t *docids, const uint32_t *tfs, uint32_t n)
{
    if (s->at.n_lists == LISTS_MAX ||
        !rp__alloc_grow(&s->lists, &s->cap_lists, s->at.n_lists + 1, sizeof *s->lists))
        return false;
    s->lists[s->at.n_lists++] = (rp__gpu_source_list){docids, tfs, n};
    s->at.lists = s->lists;
    s->at.n += n;
    return true;
}

static uint64_t key_of(const rp__term *term)
{
    return term->tiny ? (uint64_t)(uintptr_t)term->tiny : term->list_offset | UINT64_C(1) << 63;
}

static size_t place_of(const source *s, uint64_t key)
{
    size_t i = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (s->n_table - 1);
    while (s->keys[i] && s->keys[i] != key)
        i = (i + 1) & (s->n_table - 1);
    return i;
}

static rp_status decode(source *s, const rp__term *term)
{
    rp__list list;
    const size_t room = term->df + (size_t)RP_BLOCK_CAPACITY;
    rp_status status = rp__segment_list(s->searcher->index->segment, term, &s->arena, &list);
    uint32_t *docids = rp__arena_array(&s->arena, room, sizeof *docids);
    uint32_t *tfs = rp__arena_array(&s->arena, room, sizeof *tfs);
    if (status == RP_OK)
        status = docids && tfs ? rp__list_decode(&list, docids, tfs) : RP_NO_MEMORY;
    if (status == RP_OK && !add_list(s, docids, tfs, list.n))
        status = RP_NO_MEMORY;
    return status;
}

/* The number of the term's list, which is brought if it is new. */
static rp_status find_list(source *s, const rp__term *term, uint32_t *out)
{
    const uint64_t key = key_of(term);
    const size_t i = place_of(s, key);
    rp_status status = RP_OK;
    *out = s->numbers[i];
    if (s->keys[i])
        return RP_OK;
    *out = (uint32_t)s->at.n_lists;
    status = decode(s, term);
    s->keys[i] = status == RP_OK ? key : 0;
    s->numbers[i] = *out;
    return status;
}

/* ---- Queries ------------------------------------------------------------------------------------- */

static rp_status add_words(source *s, const rp__query *bound, query *q)
{
    rp_status status = RP_OK;
    for (size_t i = 1; i + 1 < bound->n_ops && status == RP_OK; i++) {
        if (bound->ops[i].kind != RP_OP_TERM)
            continue;
        const rp__leaf *leaf = &bound->leaves[bound->ops[i].leaf];
        const rp__term *term = &bound->words[leaf->word].term;
        word w = {.weight = leaf->weight};
        if (!is_requested(s, term->df))
            continue;
        if (!rp__alloc_grow(&s->words, &s->cap_words, s->n_words + 1, sizeof w))
            return RP_NO_MEMORY;
        status = find_list(s, term, &w.list);
        s->words[s->n_words++] = w;
        q->n++;
    }
    return status;
}

static rp_status add_pairs(source *s, const query *q)
{
    uint32_t shortest = 0;
    const word *words = s->words + q->first;
    for (uint32_t i = 1; i < q->n; i++)
        shortest = s->lists[words[i].list].n < s->lists[words[shortest].list].n ? i : shortest;
    for (uint32_t i = 0; i < q->n; i++) {
        if (words[i].list == words[shortest].list)
            continue;
        if (!rp__alloc_grow(&s->pairs, &s->cap_pairs, s->at.n_pairs + 1, sizeof *s->pairs))
            return RP_NO_MEMORY;
        s->pairs[s->at.n_pairs++] = (rp__gpu_source_pair){words[shortest].list, words[i].list};
        s->at.pairs = s->pairs;
    }
    return RP_OK;
}

static rp_status add_query(source *s, const rp_topic *topic)
{
    rp__query bound;
    query q = {.first = (uint32_t)s->n_words};
    rp_status status = rp__searcher_bind(s->searcher, topic->query, topic->query_bytes, RP_MODE_OR,
                                         &bound, &s->err);
    q.fraction_bits = status == RP_OK ? bound.fraction_bits : 0;
    if (status == RP_OK)
        status = add_words(s, &bound, &q);
    if (status != RP_OK || q.n == 0)
        return status;
    if (!rp__alloc_grow(&s->queries, &s->cap_queries, s->at.n_queries + 1, sizeof q))
        return RP_NO_MEMORY;
    s->queries[s->at.n_queries++] = q;
    return add_pairs(s, &q);
}

static void score(const rp__gpu_source *at, size_t number, uint32_t *scores)
{
    const source *s = (const source *)(const void *)at;
    const query *q = &s->queries[number];
    for (uint32_t i = 0; i < q->n; i++) {
        const word *w = &s->words[q->first + i];
        const rp__gpu_source_list *list = &s->lists[w->list];
        for (uint32_t k = 0; k < list->n; k++) {
            const float norm = s->searcher->norms[rp__lengths_code(&s->lengths, list->docids[k])];
            scores[list->docids[k]] += rp__rank_contribution(
                s->searcher->rank.ranking->kind, &w->weight, norm, list->tfs[k], q->fraction_bits);
        }
    }
}

/* ---- Opening ------------------------------------------------------------------------------------- */

static rp_status copy_lengths(source *s)
{
    rp__segment_get_lengths(s->searcher->index->segment, &s->lengths);
    const size_t bytes = (size_t)s->lengths.n_docs * s->lengths.code_bytes;
    s->codes = rp__alloc(bytes + 1);
    if (!s->codes)
        return RP_NO_MEMORY;
    memcpy(s->codes, s->lengths.codes, bytes);
    s->lengths.codes = s->codes;
    return RP_OK;
}

static rp_status read_queries(void *arg)
{
    source *s = arg;
    const rp__bench_query_set *set = s->options->queries;
    rp_status status = copy_lengths(s);
    for (size_t i = 0; i < set->n && s->at.n < s->options->postings && status == RP_OK; i++)
        status = add_query(s, &set->at[i].topic);
    return status;
}

static rp_status open_table(source *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->options->queries->n; i++)
        n += s->options->queries->at[i].topic.query_bytes;
    s->n_table = TABLE_MIN;
    while (s->n_table < 2 * n && s->n_table < 2 * (size_t)LISTS_MAX)
        s->n_table *= 2;
    s->keys = rp__alloc_zero(s->n_table, sizeof *s->keys);
    s->numbers = rp__alloc_zero(s->n_table, sizeof *s->numbers);
    return s->keys && s->numbers ? RP_OK : RP_NO_MEMORY;
}

static rp_status read_lists(source *s, const rp_index *index, rp_error *err)
{
    rp_status status = rp__lab_set_load(index, s->options->min_length, &s->set, err);
    for (size_t i = 0; i < s->set.n_lists && s->at.n < s->options->postings && status == RP_OK;
         i++) {
        const rp__lab_postings *p = &s->set.lists[i];
        if (is_requested(s, p->n) && !add_list(s, p->docids, p->tfs, p->n))
            status = rp__error_no_memory(err);
    }
    return status;
}

rp_status rp__lab_source_open(const rp_index *index, const rp__lab_source_options *options,
                              rp__lab_source **out, rp_error *err)
{
    const rp_search_options search = {.processor = "cpu", .max_work = UINT64_MAX};
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = NULL;
    if (RP_MISSING(err, index, options))
        return RP_USAGE;
    source *s = rp__alloc_zero(1, sizeof *s);
    *out = s;
    if (!s)
        return rp__error_no_memory(err);
    s->options = options;
    s->at.score = score;
    rp__arena_init(&s->arena, (size_t)1 << ARENA_BITS);
    rp_status status = rp_searcher_new(index, &search, &s->searcher, err);
    if (status != RP_OK)
        return status;
    s->at.universe = (uint32_t)rp__segment_get_info(s->searcher->index->segment)->docs;
    if (!options->queries)
        status = read_lists(s, index, err);
    else if (open_table(s) != RP_OK)
        status = rp__error_no_memory(err);
    else
        status = rp__searcher_guard(s->searcher, read_queries, s, &s->err, err);
    if (status == RP_OK && s->at.n_lists == 0)
        status = rp__error_set(err, RP_NOT_FOUND, "no list has a length that is wanted");
    return status;
}

void rp__lab_source_free(rp__lab_source *s)
{
    if (!s)
        return;
    rp_searcher_free(s->searcher);
    rp__lab_set_free(&s->set);
    rp__arena_reset(&s->arena);
    rp__free(s->lists);
    rp__free(s->pairs);
    rp__free(s->queries);
    rp__free(s->words);
    rp__free(s->keys);
    rp__free(s->numbers);
    rp__free(s->codes);
    rp__free(s);
}

const rp__gpu_source *rp__lab_source_at(const rp__lab_source *s)
{
    return s ? &s->at : NULL;
}
