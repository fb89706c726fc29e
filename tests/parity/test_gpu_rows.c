/* test_gpu_rows.c: every row of the launch table gives the cpu's answers, on an emulated device: with thresholds that send
 * all single queries to and-batch and or-maxscore, in groups, and with lists that are damaged on the device. What a query
 * has that nobody finishes is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/exec/exec.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

enum { QUERIES = 25, TEXT = 1200, GROUP = 6 };

static const char *const codecs[] = {"bp128", "lrc", "auto"};
enum { BP128, LRC, CODECS = 3 };
static const size_t ks[] = {0, 1, 10, 32, 33, 1000};
static const size_t large[] = {1025, 4000, 10000};
static const rp__launch_tuning low = {.and_batch_from = 1, .or_maxscore_from = 1};
static rp__launch_tuning tuned;
static collection documents;

static int open_documents(void **state)
{
    (void)state;
    tuned = rp__launch_policy_tuning;
    collection_draw(
        &documents,
        &(collection_recipe){"rows", 21, codecs, sizeof codecs / sizeof codecs[0], 4000, 300, 60});
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    collection_close(&documents);
    return 0;
}

static int reset(void **state)
{
    (void)state;
    rp__launch_policy_tuning = tuned;
    return 0;
}

/* ---- A card, and queries ------------------------------------------------------------------------- */

typedef struct card {
    rp_searcher *searcher; /* on the cpu, to bind and to compare with */
    rp__arena arena;
    rp__device device;
    rp__gpu_index index;
    rp__exec exec;
} card;

static void open_card(card *c, size_t codec, uint64_t seed)
{
    rp_error err = {.text = ""};
    const rp_search_options options = {.processor = "cpu"};
    memset(c, 0, sizeof *c);
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    rp__arena_init(&c->arena, (size_t)64 << 20);
    assert_int_equal(rp_searcher_new(documents.indexes[codec], &options, &c->searcher, &err),
                     RP_OK);
    assert_int_equal(rp__device_open(&c->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&c->index, &c->device, c->searcher->index->segment, 0),
                     RP_OK);
    rp__exec_open(&c->exec, &c->device, &c->index);
}

static void close_card(card *c)
{
    (void)rp__device_enter(&c->device);
    rp__exec_close(&c->exec);
    rp__gpu_index_close(&c->index);
    rp__device_close(&c->device);
    rp_searcher_free(c->searcher);
    rp__arena_reset(&c->arena);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* n different terms, of which some are rare unless they are near each other. */
static const char *draw_near(size_t n, uint64_t distance)
{
    static char text[TEXT];
    uint64_t word = chance_below(20);
    char *end = text;
    for (; n > 0; n--, word += 1 + chance_below(distance), *end++ = ' ') {
        collection_put_word(end, word);
        end += strlen(end);
    }
    *end = 0;
    return text;
}

static const char *draw(size_t n)
{
    return draw_near(n, 30);
}

static void *copy(card *c, const void *from, size_t bytes)
{
    void *to = rp__arena_array(&c->arena, bytes + 1, 1);
    assert_non_null(to);
    memcpy(to, from, bytes);
    return to;
}

/* Its arrays are the card's: the searcher's are good until the next one. */
static rp__query bind(card *c, rp_mode mode, const char *text, size_t k, bool exact)
{
    rp_error err = {.text = ""};
    rp__query query;
    assert_int_equal(rp__searcher_bind(c->searcher, text, strlen(text), mode, &query, &err), RP_OK);
    query.k = k;
    query.exact_total = exact;
    query.ops = copy(c, query.ops, query.n_ops * sizeof *query.ops);
    query.leaves = copy(c, query.leaves, query.n_leaves * sizeof *query.leaves);
    query.words = copy(c, query.words, query.n_words * sizeof *query.words);
    return query;
}

static void assert_as_cpu(card *c, const rp__query *query, const rp__answer *got)
{
    rp_error err = {.text = ""};
    rp__answer want;
    rp__query counted = *query;
    counted.exact_total = true;
    assert_int_equal(rp__backend_find("cpu")->run(NULL, &counted, &c->arena, &want, &err), RP_OK);
    assert_int_equal(got->n, want.n);
    assert_true(got->total_is_exact ? got->total == want.total : got->total <= want.total);
    assert_true(got->total_is_exact || !query->exact_total);
    for (size_t i = 0; i < want.n; i++) {
        assert_int_equal(got->at[i].docid, want.at[i].docid);
        assert_int_equal(got->at[i].fixed, want.at[i].fixed);
    }
}

static void ask_words(card *c, rp_mode mode, const char *text, size_t k, bool exact)
{
    rp_error err = {.text = ""};
    rp__answer got;
    rp__arena_clear(&c->arena);
    rp__query query = bind(c, mode, text, k, exact);
    if (rp__exec_run(&c->exec, &query, &c->arena, &got, &err) != RP_OK)
        fail_msg("'%s', k %zu: %s", text, k, err.text);
    assert_as_cpu(c, &query, &got);
}

static void ask(card *c, rp_mode mode, size_t n, size_t k, bool exact)
{
    ask_words(c, mode, draw(n), k, exact);
}

/* ---- Single queries ------------------------------------------------------------------------------ */

static void long_ands_are_batches(void **state)
{
    (void)state;
    rp__launch_policy_tuning = low;
    for (size_t codec = 0; codec < CODECS; codec++) {
        card c;
        open_card(&c, codec, codec);
        for (size_t i = 0; i < QUERIES; i++)
            ask(&c, RP_MODE_AND, 2 + chance_below(9), ks[i % 6], i % 2);
        assert_non_null(c.exec.ands.device);
        close_card(&c);
    }
}

/* Their launches would wait for the persistent kernel. */
static void the_persistent_kernel_leaves_before_long_ands(void **state)
{
    (void)state;
    card c;
    open_card(&c, BP128, 8);
    for (size_t i = 0; i < QUERIES; i++) {
        rp__launch_policy_tuning = i % 4 == 3 ? low : tuned;
        ask(&c, RP_MODE_AND, 1 + chance_below(4), 10, false);
        assert_true(i % 4 != 3 || !c.exec.single.stage.kernel.is_there);
    }
    close_card(&c);
}

/* Also where few documents match, or most; what is not counted is accumulated. */
static void ors_are_counted(void **state)
{
    (void)state;
    for (size_t codec = 0; codec < CODECS; codec++) {
        card c;
        open_card(&c, codec, codec);
        for (size_t i = 0; i < 2 * QUERIES; i++)
            ask(&c, RP_MODE_OR, 1 + chance_below(9), ks[i % 6], true);
        const uint32_t n_batches = c.exec.ors.n_batches;
        assert_true(n_batches > QUERIES);
        rp__launch_policy_tuning.or_counts = false;
        for (size_t i = 0; i < QUERIES; i++)
            ask(&c, RP_MODE_OR, 2, ks[i % 6], true);
        assert_int_equal(c.exec.ors.n_batches, n_batches);
        rp__launch_policy_tuning = tuned;
        close_card(&c);
    }
}

/* Of more terms than a warp has lanes, as many as a launch takes; with totals and without; also where they are few. */
static void ors_of_many_terms(void **state)
{
    static const size_t terms[] = {33, 64, 65, 96, 97, 255, 256};
    (void)state;
    for (size_t codec = 0; codec < CODECS; codec++) {
        card c;
        open_card(&c, codec, codec);
        for (size_t i = 0; i < QUERIES; i++)
            ask_words(&c, RP_MODE_OR, draw_near(terms[i % 7], 1), ks[i % 6], i % 4 == 0);
        for (size_t i = 0; i < 3; i++)
            ask_words(&c, RP_MODE_OR, draw_near(i ? 3 : 70, 1), large[i], false);
        assert_int_equal(c.exec.ors.n_batches, QUERIES + 3);
        close_card(&c);
    }
}

/* Their totals are the lengths of their lists. */
static void long_terms_go_by_tiles(void **state)
{
    (void)state;
    rp__launch_policy_tuning = low;
    for (size_t codec = 0; codec < CODECS; codec++) {
        card c;
        open_card(&c, codec, codec);
        for (size_t i = 0; i < QUERIES; i++)
            ask(&c, i % 2 ? RP_MODE_AND : RP_MODE_OR, 1, ks[i % 6], i % 3 == 0);
        assert_true(c.exec.ors.n_batches > 0);
        close_card(&c);
    }
}

/* Lists that kernels do not read are there as docids: the persistent kernel takes them from the second pass on. */
static void transcoded_lists_need_no_launch(void **state)
{
    (void)state;
    card c;
    uint64_t launches = 0;
    open_card(&c, LRC, 3);
    for (int pass = 0; pass < 2; pass++) {
        chance_seed(5);
        launches = c.device.counters.launches;
        for (size_t i = 0; i < QUERIES; i++)
            ask(&c, RP_MODE_AND, 2 + i % 4, 10, false);
    }
    assert_in_range(c.device.counters.launches - launches, 0, 1);
    close_card(&c);
}

/* Memory that others take between two queries makes it come anew; answers stay. */
static void the_persistent_kernel_leaves_when_memory_is_taken(void **state)
{
    (void)state;
    card c;
    open_card(&c, LRC, 4);
    for (size_t i = 0; i < 3; i++) {
        chance_seed(6);
        ask(&c, RP_MODE_AND, 2, 10, false);
    }
    for (size_t i = 0; i < QUERIES; i++) {
        const rp__persistent_kernel *kernel = &c.exec.single.stage.kernel;
        uint32_t launched = kernel->launch;
        assert_true(kernel->is_there);
        rp__piece *piece = rp__residency_take_spare(c.index.residency, 1000);
        rp__residency_give(c.index.residency, piece);
        chance_seed(6);
        ask(&c, RP_MODE_AND, 2, 10, false);
        assert_true(kernel->launch > launched);
    }
    close_card(&c);
}

/* ---- Groups -------------------------------------------------------------------------------------- */

static void run_group(card *c, rp__batch_item *items, size_t n)
{
    rp__exec_begin(&c->exec, n, true, &c->arena);
    for (size_t i = 0; i < n; i++)
        rp__exec_add(&c->exec, &items[i]);
    rp__exec_launch(&c->exec);
    while (!rp__exec_is_done(&c->exec) && c->exec.queues[RP_LAUNCH_OR_MAXSCORE].n == 0)
        (void)c->device.driver->stream_query(c->exec.lanes[RP_LANE_AND].lease.stream);
    rp__exec_collect(&c->exec);
    assert_true(rp__exec_is_done(&c->exec));
}

/* Long and short ones have launches of their own. */
static void groups_of_large_queries_are_answered(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        card c;
        open_card(&c, i % CODECS, i);
        rp__batch_item items[GROUP] = {{.status = RP_OK}};
        for (size_t q = 0; q < GROUP; q++)
            items[q].query =
                bind(&c, i % 2 ? RP_MODE_AND : RP_MODE_OR,
                     draw_near(i % 2 ? 1 + q % 3 : 20 + 10 * q, 1), large[i / 2], false);
        run_group(&c, items, GROUP);
        for (size_t q = 0; q < GROUP; q++) {
            assert_int_equal(items[q].status, RP_OK);
            assert_as_cpu(&c, &items[q].query, &items[q].answer);
        }
        assert_int_equal(c.exec.ors.n_batches, i % 2 ? 0 : 2);
        close_card(&c);
    }
}

static void groups_are_answered(void **state)
{
    (void)state;
    for (size_t codec = 0; codec < CODECS; codec++) {
        card c;
        open_card(&c, codec, codec);
        for (size_t i = 0; i < QUERIES / 2; i++) {
            rp__batch_item items[GROUP] = {{.status = RP_OK}};
            rp__arena_clear(&c.arena);
            for (size_t q = 0; q < GROUP; q++)
                items[q].query = bind(&c, i % 3 ? RP_MODE_AND : RP_MODE_OR, draw(1 + q % 5),
                                      i % 2 ? 10 : 100, i % 4 > 1);
            run_group(&c, items, GROUP);
            for (size_t q = 0; q < GROUP; q++) {
                assert_int_equal(items[q].status, RP_OK);
                assert_as_cpu(&c, &items[q].query, &items[q].answer);
            }
        }
        close_card(&c);
    }
}

/* ---- Damage -------------------------------------------------------------------------------------- */

/* The device's copy of a term's list is overwritten. */
static void spoil(card *c, const rp__term *term)
{
    static uint8_t bytes[64];
    rp__list list;
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(rp__segment_list(c->searcher->index->segment, term, &c->arena, &list), RP_OK);
    size_t n = list.docs_bytes < sizeof bytes ? list.docs_bytes : sizeof bytes;
    assert_int_equal(
        rp__device_copy_in(&c->device, rp__gpu_index_at(&c->index, list.docs), bytes, n), RP_OK);
    assert_int_equal(rp__device_wait(&c->device), RP_OK);
}

static void text_of(char *text, uint64_t a, uint64_t b)
{
    collection_put_word(text, a);
    strcat(text, " ");
    collection_put_word(text + strlen(text), b);
}

/* One query of a group has a damaged list: it is refused, alone, time and again. */
static void damage_refuses_one_query(void **state)
{
    (void)state;
    for (size_t codec = 0; codec < 2; codec++)
        for (int is_or = 0; is_or < 2; is_or++) {
            card c;
            open_card(&c, codec, 7);
            for (size_t round = 0; round < 3; round++) {
                rp__batch_item items[GROUP] = {{.status = RP_OK}};
                rp__arena_clear(&c.arena);
                for (size_t q = 0; q < GROUP; q++) {
                    char text[TEXT];
                    text_of(text, 2 * q, 2 * q + 1);
                    /* Some of the ORs are counted: then all of the launch are. */
                    items[q].query =
                        bind(&c, is_or ? RP_MODE_OR : RP_MODE_AND, text, 10, is_or && q % 3 == 1);
                }
                if (round == 0)
                    spoil(&c, &items[2].query.words[0].term);
                run_group(&c, items, GROUP);
                for (size_t q = 0; q < GROUP; q++) {
                    assert_int_equal(items[q].status, q == 2 ? RP_UNAVAILABLE : RP_OK);
                    if (q != 2)
                        assert_as_cpu(&c, &items[q].query, &items[q].answer);
                }
            }
            close_card(&c);
        }
}

/* No other row takes so many terms: the query is refused, and says why, time and again. */
static void damage_refuses_a_long_or(void **state)
{
    (void)state;
    card c;
    open_card(&c, BP128, 7);
    for (size_t round = 0; round < 3; round++) {
        rp_error err = {.text = ""};
        rp__answer got;
        chance_seed(9);
        rp__arena_clear(&c.arena);
        rp__query query = bind(&c, RP_MODE_OR, draw_near(70, 1), 100, false);
        if (round == 0)
            spoil(&c, &query.words[40].term);
        assert_int_equal(rp__exec_run(&c.exec, &query, &c.arena, &got, &err), RP_UNAVAILABLE);
        assert_int_equal(got.fallback, RP_FALLBACK_DAMAGED);
        assert_true(err.text[0] != 0);
    }
    chance_seed(9);
    ask_words(&c, RP_MODE_OR, draw_near(40, 1), 100, false); /* without that list */
    close_card(&c);
}

/* ---- Queries that are left ----------------------------------------------------------------------- */

static bool has_lease(const card *c)
{
    for (size_t i = 0; i < RP_LANES; i++)
        if (c->exec.lanes[i].lease.epoch > 0)
            return true;
    return false;
}

static void what_is_left_is_given_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        card c;
        rp_error err;
        if (i % 2)
            rp__launch_policy_tuning = low;
        open_card(&c, LRC, i);
        ask(&c, RP_MODE_AND, 3, 10, false);
        rp__arena_clear(&c.arena);
        rp__query query = bind(&c, i % 3 ? RP_MODE_AND : RP_MODE_OR, draw(3), 10, i > 3);
        assert_int_equal(rp__exec_start(&c.exec, &query, &c.arena, &err), RP_OK);
        assert_true(has_lease(&c));
        rp__exec_abandon(&c.exec);
        assert_false(has_lease(&c));
        ask(&c, RP_MODE_AND, 2, 10, false);
        ask(&c, RP_MODE_OR, 2, 10, false);
        close_card(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(long_ands_are_batches, reset),
        cmocka_unit_test_setup(the_persistent_kernel_leaves_before_long_ands, reset),
        cmocka_unit_test_setup(ors_are_counted, reset),
        cmocka_unit_test_setup(ors_of_many_terms, reset),
        cmocka_unit_test_setup(long_terms_go_by_tiles, reset),
        cmocka_unit_test_setup(transcoded_lists_need_no_launch, reset),
        cmocka_unit_test_setup(the_persistent_kernel_leaves_when_memory_is_taken, reset),
        cmocka_unit_test_setup(groups_are_answered, reset),
        cmocka_unit_test_setup(groups_of_large_queries_are_answered, reset),
        cmocka_unit_test_setup(damage_refuses_one_query, reset),
        cmocka_unit_test_setup(damage_refuses_a_long_or, reset),
        cmocka_unit_test_setup(what_is_left_is_given_back, reset),
    };
    return cmocka_run_group_tests(tests, open_documents, close_documents);
}
