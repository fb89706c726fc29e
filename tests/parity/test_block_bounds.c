/* test_block_bounds.c: in every list of real collections, under every ranking and any boost, the bound of a
 * block is at least what each of its postings contributes, and the floors of a list at most what its k-th
 * best posting does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_run.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

/* One list under one ranking. */
typedef struct claim {
    const collection *c;
    const char *term;
    rp__list list;
    uint32_t *docids, *tfs, *fixed; /* of its postings; fixed: what they contribute */
    rp__score score;
    uint64_t n_blocks, n_kths; /* looked at so far */
} claim;

static void check_blocks(claim *m)
{
    const rp__list *list = &m->list;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        uint32_t first = rp__list_block_first(list, b), n = rp__list_block_count(list, b);
        uint32_t bound = rp__score_bound(&m->score, list->bounds[b]);
        for (uint32_t i = first; i < first + n; i++)
            if (m->fixed[i] > bound)
                fail_msg("%s, %s, block %u: docid %u, tf %u contributes %u, over the bound %u",
                         m->c->name, m->term, b, m->docids[i], m->tfs[i], m->fixed[i], bound);
    }
    m->n_blocks += list->n_blocks;
}

static int falling(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

/* Sorts what postings contribute. */
static void check_kths(claim *m)
{
    const rp__list *list = &m->list;
    qsort(m->fixed, list->n, sizeof *m->fixed, falling);
    for (uint32_t i = 0, k = 10; i < RP_LIST_KTHS; i++, k *= 10) {
        uint32_t floor = rp__score_floor(&m->score, list->kths[i]);
        uint32_t kth = k <= list->n ? m->fixed[k - 1] : 0;
        if (floor > kth)
            fail_msg("%s, %s: the best posting number %u contributes %u, below the floor %u",
                     m->c->name, m->term, k, kth, floor);
    }
    m->n_kths++;
}

/* From nothing to what fills the 32 bits of a score. */
static double any_boost(void)
{
    static const double boosts[] = {0, 1e-30, 1e-6, 0.001, 0.37, 1, 1.1, 7, 4096, 1e6};
    return boosts[chance_below(sizeof boosts / sizeof boosts[0])];
}

static void check_list(claim *m, const rp_searcher *searcher, rp__arena *arena)
{
    const rp__segment *segment = searcher->index->segment;
    rp__term term;
    assert_int_equal(rp__segment_find(segment, m->term, strlen(m->term), &term), RP_OK);
    rp__arena_clear(arena);
    assert_int_equal(rp__segment_list(segment, &term, arena, &m->list), RP_OK);
    if (!m->list.bounds)
        return;
    rp__leaf leaf = {.weight =
                         rp__rank_weight(&searcher->rank, &term.df, &term.cf, 1, any_boost())};
    rp__query query = {.segment = segment, .rank = &searcher->rank, .norms = searcher->norms};
    rp__segment_get_lengths(segment, &query.lengths);
    query.has_bounds = rp__segment_bounds_hold(segment, &searcher->rank);
    query.fraction_bits = rp__rank_fraction_bits(
        searcher->rank.ranking->kind, leaf.weight.bound * (double)(1 + chance_below(1000)));
    rp__score_init(&m->score, &query, &leaf);
    assert_int_equal(rp__list_decode(&m->list, m->docids, m->tfs), RP_OK);
    for (uint32_t i = 0; i < m->list.n; i++)
        m->fixed[i] = rp__score_one(&m->score, m->docids[i], m->tfs[i]);
    check_blocks(m);
    if (m->list.kths)
        check_kths(m);
}

/* Every list under the ranking, and how many rankings the bounds hold for. */
static uint64_t check_ranking(claim *m, const rp_index *index, const rp_search_options *options,
                              rp__arena *arena)
{
    rp_searcher *searcher;
    assert_int_equal(rp_searcher_new(index, options, &searcher, NULL), RP_OK);
    for (size_t i = 0; i < oracle_terms(m->c->o); i++) {
        m->term = oracle_term(m->c->o, i);
        check_list(m, searcher, arena);
    }
    bool holds = rp__segment_bounds_hold(index->segment, &searcher->rank);
    rp_searcher_free(searcher);
    return holds;
}

/* Variants with their own parameters, for some of which no bounds hold, and with those of the bounds. */
static void check_collection(collection *c)
{
    claim m = {.c = c};
    rp__arena arena;
    uint64_t n_held = 0;
    size_t room = (c->n_docs + RP_BLOCK_CAPACITY) * sizeof(uint32_t);
    const rp__ranking *own = rp__ranking_at(0);
    collection_end(c);
    rp__arena_init(&arena, (size_t)64 << 20);
    m.docids = malloc(room);
    m.tfs = malloc(room);
    m.fixed = malloc(room);
    for (size_t i = 0; i < c->n_codecs; i++)
        for (size_t v = 0; rp_variant_name(v); v++) {
            rp_search_options o = {.variant = rp_variant_name(v)};
            n_held += check_ranking(&m, c->indexes[i], &o, &arena);
            o.has_k1 = o.has_b = true;
            o.k1 = own->k1;
            o.b = own->b;
            n_held += check_ranking(&m, c->indexes[i], &o, &arena);
        }
    print_message("%s: %llu blocks, %llu lists with floors\n", c->name,
                  (unsigned long long)m.n_blocks, (unsigned long long)m.n_kths);
    assert_true(n_held > c->n_codecs && m.n_blocks > 0);
    free(m.docids);
    free(m.tfs);
    free(m.fixed);
    rp__arena_reset(&arena);
    collection_close(c);
}

static void bounds_and_floors_of_cranfield(void **state)
{
    (void)state;
    collection c = {.name = "cranfield", .stem = "porter", .stop = "lucene"};
    chance_seed(21);
    collection_add_codec(&c, rp_codec_name(0));
    collection_add_codec(&c, "iiu");
    if (!collection_read(&c, "cranfield/docs.jsonl.gz", 1400))
        collection_fill(&c, 1400, 60, 400);
    check_collection(&c);
}

static void bounds_and_floors_of_debian_packages(void **state)
{
    (void)state;
    collection c = {.name = "debian-packages", .stem = "none", .stop = "none"};
    chance_seed(22);
    collection_add_codec(&c, rp_codec_name(0));
    uint64_t most = getenv("RIPOSTE_THOROUGH") ? UINT64_MAX : 20000;
    if (!collection_read(&c, "debian-packages/docs.jsonl.zst", most))
        collection_fill(&c, 20000, 3000, 20);
    check_collection(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_and_floors_of_cranfield),
        cmocka_unit_test(bounds_and_floors_of_debian_packages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
