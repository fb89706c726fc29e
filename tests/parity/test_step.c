/* test_step.c: queries step by step on the emulated device, against the cpu's answer: every way to intersect two buffers,
 * searches in lists in their codec, scores added word by word, every way to select; results moved to the host and back
 * between steps. And damaged lists, which are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/emulated.h"
#include "backend/gpu/step.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

enum { QUERIES = 6, WORDS = 4, TEXT = 128, K = 10 };

static const char *const codecs[] = {"auto",    "raw",    "vbyte",    "bp128",    "bitmap",
                                     "rice",    "pfd",    "newpfd",   "optpfd",   "parapfor",
                                     "pfd_rec", "qs",     "ef128",    "iiu",      "lrc",
                                     "lrcseg",  "seglrc", "hslrc256", "hslrc128", "bp256",
                                     "bp128t",  "bp128v", "simple16", "mixed",    "interpolative"};

/* One index on a device, and a query of it. */
typedef struct bench {
    rp_searcher *searcher;
    rp__device device;
    rp__gpu_index index;
    rp__step step;
    rp__cu_ptr table;
    karg_norms norms;
    rp__arena arena;
    rp__query query;
    rp__list lists[WORDS + 1]; /* of its words, the shortest first */
    float weights[WORDS + 1];
    uint32_t n;
} bench;

static collection c;

static void open_bench(bench *b, const rp_index *index)
{
    rp_error err = {.text = ""};
    rp__lengths lengths;
    *b = (bench){0};
    rp__arena_init(&b->arena, (size_t)64 << 20);
    rp__emulated_configure(&(rp__emulated_options){.seed = 3});
    assert_int_equal(
        rp_searcher_new(index, &(rp_search_options){.processor = "cpu"}, &b->searcher, &err),
        RP_OK);
    const rp__segment *segment = b->searcher->index->segment;
    assert_int_equal(rp__device_open(&b->device, rp__emulated_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&b->index, &b->device, segment, 0), RP_OK);
    assert_int_equal(rp__step_open(&b->step, &b->device, &b->index), RP_OK);
    rp__segment_get_lengths(segment, &lengths);
    size_t bytes = lengths.n_table * sizeof(float);
    assert_int_equal(rp__device_alloc(&b->device, bytes, &b->table), RP_OK);
    assert_int_equal(rp__device_copy_in(&b->device, b->table, b->searcher->norms, bytes), RP_OK);
    assert_int_equal(rp__device_wait(&b->device), RP_OK);
    b->norms = (karg_norms){.codes = rp__gpu_index_at(&b->index, lengths.codes),
                            .table = b->table,
                            .code_bytes = lengths.code_bytes,
                            .n_table = lengths.n_table};
}

static void close_bench(bench *b)
{
    rp__step_close(&b->step);
    rp__device_free(&b->device, b->table);
    rp__gpu_index_close(&b->index);
    rp__device_close(&b->device);
    assert_int_equal(rp__emulated_in_use(), 0);
    rp_searcher_free(b->searcher);
    rp__arena_reset(&b->arena);
}

/* Words that many documents have. */
static void ask(bench *b, rp_mode mode)
{
    char text[TEXT] = "", word[32];
    rp_error err;
    rp__arena_clear(&b->arena);
    for (uint64_t n = 2 + chance_below(WORDS - 1); n > 0; n--) {
        collection_put_word(word, chance_zipf(20));
        strcat(strcat(text, word), " ");
    }
    assert_int_equal(rp__searcher_bind(b->searcher, text, strlen(text), mode, &b->query, &err),
                     RP_OK);
    b->query.k = K;
    b->query.exact_total = true;
    b->n = 0;
    for (size_t i = 0; i < b->query.n_leaves; i++) {
        const rp__leaf *leaf = &b->query.leaves[i];
        rp__list list;
        assert_int_equal(
            rp__segment_list(b->query.segment, &b->query.words[leaf->word].term, &b->arena, &list),
            RP_OK);
        uint32_t j = b->n++;
        for (; j > 0 && b->lists[j - 1].n > list.n; j--) {
            b->lists[j] = b->lists[j - 1];
            b->weights[j] = b->weights[j - 1];
        }
        b->lists[j] = list;
        b->weights[j] = leaf->weight.weight * rp__rank_scale(b->query.fraction_bits);
    }
}

static void answer_by_cpu(bench *b, rp__answer *want)
{
    rp_error err;
    assert_int_equal(rp__backend_find("cpu")->run(NULL, &b->query, &b->arena, want, &err), RP_OK);
}

/* ---- Steps ------------------------------------------------------------------------------------- */

/* Adds all words' contributions, if kernels of queries read their lists. */
static bool score(bench *b, const rp__step_buffer *docids, rp__step_buffer *scores)
{
    uint32_t n_docs = b->query.lengths.n_docs;
    assert_int_equal(rp__step_clear(&b->step, docids ? docids->n : n_docs, scores), RP_OK);
    for (uint32_t i = 0; i < b->n; i++) {
        rp__step_word word = {&b->lists[i], b->weights[i], b->norms, n_docs};
        rp_status status = rp__step_score(&b->step, &word, docids, scores);
        if (status == RP_UNAVAILABLE)
            return false;
        assert_int_equal(status, RP_OK);
    }
    return true;
}

static void check_best(bench *b, const rp__step_buffer *docids, const rp__step_buffer *scores,
                       const rp__answer *want)
{
    for (int id = 0; id < RP_SELECTS; id++) {
        rp__step_buffer pairs = {0};
        rp__scored got[K];
        assert_int_equal(rp__step_select(&b->step, (rp__select_id)id, docids, scores, K, &pairs),
                         RP_OK);
        assert_int_equal(pairs.n, want->n);
        assert_int_equal(rp__step_take_pairs(&b->step, &pairs, got), RP_OK);
        assert_memory_equal(got, want->at, want->n * sizeof *got);
        rp__step_free(&b->step, &pairs);
    }
}

/* Docids of a buffer, by the host. */
static uint32_t *take(bench *b, const rp__step_buffer *from)
{
    uint32_t *docids = rp__arena_array(&b->arena, from->n + (size_t)1, sizeof *docids);
    assert_non_null(docids);
    assert_int_equal(rp__step_take(&b->step, from, docids), RP_OK);
    return docids;
}

static void assert_same(bench *b, const rp__step_buffer *x, const rp__step_buffer *y)
{
    assert_int_equal(x->n, y->n);
    assert_memory_equal(take(b, x), take(b, y), x->n * sizeof(uint32_t));
}

/* The next list, decoded, and by every row; then where it lies. */
static void intersect_all(bench *b, const rp__list *list, rp__step_buffer *docs)
{
    rp__step_buffer longer = {0}, first = {0}, other = {0};
    uint32_t ways = 0;
    assert_int_equal(rp__step_decode(&b->step, list, &longer), RP_OK);
    for (int id = 0; id < RP_INTERSECTS; id++) {
        rp__step_buffer *out = ways ? &other : &first;
        rp_status status =
            rp__step_intersect(&b->step, (rp__intersect_id)id, docs, &longer, list->universe, out);
        if (status == RP_UNAVAILABLE)
            status = rp__step_search(&b->step, (rp__intersect_id)id, docs, list, out);
        assert_true(status == RP_OK || status == RP_UNAVAILABLE);
        if (status == RP_OK && ways++ > 0)
            assert_same(b, &first, &other);
    }
    assert_true(ways >= 5);
    assert_int_equal(rp__step_put(&b->step, take(b, &first), first.n, docs), RP_OK);
    rp__step_free(&b->step, &longer);
    rp__step_free(&b->step, &first);
    rp__step_free(&b->step, &other);
}

static bool are_tiny(const bench *b)
{
    bool is_tiny = false;
    for (uint32_t i = 0; i < b->n; i++)
        is_tiny |= !b->lists[i].codec;
    return is_tiny;
}

static uint32_t and_by_steps(bench *b)
{
    rp__step_buffer docs = {0}, scores = {0};
    rp__answer want;
    ask(b, RP_MODE_AND);
    if (are_tiny(b))
        return 0;
    answer_by_cpu(b, &want);
    assert_int_equal(rp__step_decode(&b->step, &b->lists[0], &docs), RP_OK);
    for (uint32_t i = 1; i < b->n; i++)
        intersect_all(b, &b->lists[i], &docs);
    assert_int_equal(docs.n, want.total);
    bool is_scored = score(b, &docs, &scores);
    if (is_scored)
        check_best(b, &docs, &scores, &want);
    rp__step_free(&b->step, &docs);
    rp__step_free(&b->step, &scores);
    return is_scored && want.n > 0;
}

static uint32_t or_by_steps(bench *b)
{
    rp__step_buffer scores = {0};
    rp__answer want;
    ask(b, RP_MODE_OR);
    answer_by_cpu(b, &want);
    bool is_scored = !are_tiny(b) && score(b, NULL, &scores);
    if (is_scored)
        check_best(b, NULL, &scores, &want);
    rp__step_free(&b->step, &scores);
    return is_scored;
}

static void steps_give_what_the_cpu_gives(void **state)
{
    (void)state;
    uint32_t n = 0;
    for (size_t i = 0; i < c.n_codecs; i++) {
        bench b;
        open_bench(&b, c.indexes[i]);
        for (int q = 0; q < QUERIES; q++)
            n += and_by_steps(&b) + or_by_steps(&b);
        close_bench(&b);
    }
    print_message("%u queries by steps\n", n);
    assert_true(n > 5 * QUERIES);
}

/* Intersections of nothing, and selections of more than there is. */
static void edges_hold(void **state)
{
    (void)state;
    bench b;
    const uint32_t some[] = {1, 5, 9};
    rp__step_buffer none = {0}, three = {0}, out = {0}, pairs = {0};
    open_bench(&b, c.indexes[0]);
    assert_int_equal(rp__step_put(&b.step, some, 0, &none), RP_OK);
    assert_int_equal(rp__step_put(&b.step, some, 3, &three), RP_OK);
    assert_int_equal(rp__step_intersect(&b.step, RP_INTERSECT_TILE, &none, &three, 10, &out),
                     RP_OK);
    assert_int_equal(out.n, 0);
    assert_int_equal(rp__step_intersect(&b.step, RP_INTERSECT_TILE, &three, &none, 10, &out),
                     RP_OK);
    assert_int_equal(out.n, 0);
    assert_int_equal(rp__step_select(&b.step, RP_SELECT_RADIX, &three, &three, 100, &pairs), RP_OK);
    assert_int_equal(pairs.n, 3);
    assert_int_equal(rp__step_select(&b.step, RP_SELECT_RADIX, &none, &none, 100, &pairs), RP_OK);
    assert_int_equal(pairs.n, 0);
    assert_int_equal(rp__step_select(&b.step, RP_SELECT_BITONIC, &three, &three, 1 << 20, &pairs),
                     RP_UNAVAILABLE);
    assert_int_equal(rp__step_intersect(&b.step, RP_INTERSECT_BITS_AND, &three, &three, 10, &out),
                     RP_UNAVAILABLE);
    rp__step_free(&b.step, &none);
    rp__step_free(&b.step, &three);
    rp__step_free(&b.step, &out);
    rp__step_free(&b.step, &pairs);
    close_bench(&b);
}

/* Bytes of the device's copy of lists are changed. */
static void damage_is_found(void **state)
{
    (void)state;
    uint32_t n_damaged = 0;
    for (size_t i = 0; i < c.n_codecs; i++) {
        bench b;
        open_bench(&b, c.indexes[i]);
        for (int round = 0; round < 40; round++) {
            rp__step_buffer docs = {0};
            uint8_t byte = (uint8_t)chance_below(256);
            do
                ask(&b, RP_MODE_AND);
            while (are_tiny(&b));
            const rp__list *list = &b.lists[b.n - 1];
            uint64_t at = rp__gpu_index_at(&b.index, list->docs) + chance_below(list->docs_bytes);
            assert_int_equal(rp__device_copy_in(&b.device, at, &byte, 1), RP_OK);
            rp_status status = rp__step_decode(&b.step, list, &docs);
            assert_true(status == RP_OK || status == RP_DAMAGED);
            assert_false(b.device.is_lost);
            n_damaged += status == RP_DAMAGED;
            rp__step_free(&b.step, &docs);
        }
        close_bench(&b);
    }
    assert_true(n_damaged > c.n_codecs);
}

static int open_collection(void **state)
{
    (void)state;
    c = (collection){.name = "steps", .stem = "none", .stop = "none"};
    chance_seed(11);
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        collection_add_codec(&c, codecs[i]);
    collection_fill(&c, 3000, 60, 12);
    collection_end(&c);
    return 0;
}

static int close_collection(void **state)
{
    (void)state;
    collection_close(&c);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_give_what_the_cpu_gives),
        cmocka_unit_test(edges_hold),
        cmocka_unit_test(damage_is_found),
    };
    return cmocka_run_group_tests(tests, open_collection, close_collection);
}
