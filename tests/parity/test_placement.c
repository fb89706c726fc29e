/* test_placement.c: the processor auto on the emulated device, which is used only because it is named: both processors answer
 * some of the queries, and all hits are those of the cpu; and when a card is opened. How often the driver is called says
 * whether it was. Thresholds are of the test. */
#include "riposte/riposte.h"

#include "backend/gpu/device/emulated_device.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/hits.h"
#include "unit/files.h"

enum {
    QUERIES = 40,
    TEXT = 256,
    LONG = 100,
    BLOCKS = 500
}; /* postings from which a card answers */

static collection documents;
static char texts[QUERIES][TEXT];

/* Cards pay at once, and pauses mean nothing. */
static rp__auto_tuning eager(void)
{
    rp__auto_tuning t = rp__auto_processor_tuning;
    for (int shape = 0; shape < RP_AUTO_PHRASE; shape++)
        t.min_postings[RP_AUTO_BURST][shape] = t.min_postings[RP_AUTO_LONE][shape] = LONG;
    for (int pace = 0; pace < RP_AUTO_PACES; pace++)
        t.min_postings[pace][RP_AUTO_AND] = BLOCKS;
    t.deep_k = UINT64_MAX;
    t.attach_us = 0;
    return t;
}

/* One to four words; low numbers are frequent. */
static void put_words(char *text)
{
    size_t at = 0;
    for (uint64_t n = 1 + chance_below(4); n > 0; n--) {
        collection_put_word(text + at, chance_zipf(60));
        at += strlen(text + at);
        text[at++] = ' ';
    }
    text[at] = 0;
}

static int open_documents(void **state)
{
    (void)state;
    collection_draw(&documents, &(collection_recipe){"auto", 21, (const char *const[]){"auto"}, 1,
                                                     3000, 60, 12});
    for (size_t i = 0; i < QUERIES; i++)
        put_words(texts[i]);
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    collection_close(&documents);
    return 0;
}

static rp_searcher *open_searcher(rp_search_options options)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    if (rp_searcher_new(documents.indexes[0], &options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

static void forget_devices(void)
{
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(rp__emulated_device_calls(), 0);
}

static rp_hits search(rp_searcher *searcher, const char *text)
{
    rp_error err = {.text = ""};
    rp_hits hits;
    if (rp_searcher_search(searcher, text, strlen(text), &hits, &err) != RP_OK)
        fail_msg("'%s': %s", text, err.text);
    return hits;
}

static void expect_same(const rp_hits *got, const rp_hits *want, const char *text)
{
    if (!hits_are_same(got, want) || got->is_or_fallback != want->is_or_fallback)
        fail_msg("'%s': the %s has other hits than the cpu", text, got->processor);
}

static const rp_mode modes[] = {RP_MODE_OR, RP_MODE_AND, RP_MODE_ANDOR};
enum { MODES = sizeof modes / sizeof *modes };

/* ---- One query at a time ------------------------------------------------------------------------- */

static void both_processors_give_the_same_hits(void **state)
{
    (void)state;
    const rp__auto_tuning tuning = eager();
    for (size_t m = 0; m < MODES; m++) {
        size_t on_gpu = 0;
        forget_devices();
        rp_searcher *any = open_searcher((rp_search_options){.mode = modes[m], .gpu = "emulated"});
        rp_searcher *cpu = open_searcher((rp_search_options){.mode = modes[m], .processor = "cpu"});
        any->placement.tuning = &tuning;
        for (size_t i = 0; i < QUERIES; i++) {
            rp_hits got = search(any, texts[i]), want = search(cpu, texts[i]);
            expect_same(&got, &want, texts[i]);
            assert_int_equal(got.fallback, RP_FALLBACK_NONE);
            on_gpu += strcmp(got.processor, "gpu") == 0;
            rp_hits_free(&got);
            rp_hits_free(&want);
        }
        assert_in_range(on_gpu, 1, QUERIES - 1);
        rp_searcher_free(any);
        rp_searcher_free(cpu);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
}

/* The default thresholds: one query opens no card, however long its lists are; nor does making a searcher. */
static void one_query_opens_no_card(void **state)
{
    (void)state;
    rp__auto_tuning tuning = eager();
    tuning.attach_us = 1;
    forget_devices();
    rp_searcher *searcher = open_searcher((rp_search_options){.gpu = "emulated"});
    searcher->placement.tuning = &tuning;
    rp_hits hits = search(searcher, "a b c");
    assert_string_equal(hits.processor, "cpu");
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
    assert_int_equal(rp__emulated_device_calls(), 0);
    assert_int_equal(rp_search(documents.indexes[0], "a b c", 10, &hits, NULL), RP_OK);
    assert_string_equal(hits.processor, "cpu");
    rp_hits_free(&hits);
    assert_int_equal(rp__emulated_device_calls(), 0);
}

/* After the work that a card costs to open, the next query opens one. */
static void work_opens_a_card(void **state)
{
    (void)state;
    rp__auto_tuning tuning = eager();
    rp_gpu_state gpu;
    tuning.attach_us = 3;
    forget_devices();
    rp_searcher *searcher =
        open_searcher((rp_search_options){.mode = RP_MODE_OR, .gpu = "emulated"});
    searcher->placement.tuning = &tuning;
    size_t asked = 0;
    for (; searcher->placement.missed_ns < 3000; asked++) {
        rp_hits hits = search(searcher, "a b");
        assert_string_equal(hits.processor, "cpu");
        rp_hits_free(&hits);
        assert_int_equal(rp__emulated_device_calls(), 0);
    }
    assert_in_range(asked, 2, 1000);
    rp_searcher_get_gpu_state(searcher, &gpu);
    assert_false(gpu.is_asked);
    rp_hits hits = search(searcher, "a b");
    assert_string_equal(hits.processor, "gpu");
    rp_hits_free(&hits);
    rp_searcher_get_gpu_state(searcher, &gpu);
    assert_true(gpu.is_asked);
    assert_int_equal(gpu.answered, 1);
    rp_searcher_free(searcher);
}

/* The emulated device is none that auto finds by itself, and what is not there is not asked for again. */
static void only_named_devices_are_opened(void **state)
{
    (void)state;
    const rp__auto_tuning tuning = eager();
    const char *set = getenv("RIPOSTE_GPU");
    if (set && *set)
        skip();
    forget_devices();
    rp_searcher *searcher = open_searcher((rp_search_options){.gpu = "1023"});
    searcher->placement.tuning = &tuning;
    for (size_t i = 0; i < QUERIES; i++) {
        rp_hits hits = search(searcher, texts[i]);
        assert_string_equal(hits.processor, "cpu");
        rp_hits_free(&hits);
        assert_int_equal(searcher->placement.stage, RP_PLACEMENT_FIXED);
    }
    rp_searcher_free(searcher);
    assert_int_equal(rp__emulated_device_calls(), 0);
}

/* A query that is long enough for a card in a burst alone: the first one is not, those that follow are. */
static void queries_in_a_row_are_a_burst(void **state)
{
    (void)state;
    rp__auto_tuning tuning = eager();
    for (int shape = 0; shape < RP_AUTO_PHRASE; shape++)
        tuning.min_postings[RP_AUTO_LONE][shape] = RP_AUTO_NEVER;
    tuning.lone_us = UINT64_MAX;
    forget_devices();
    rp_searcher *searcher = open_searcher(
        (rp_search_options){.mode = RP_MODE_OR, .gpu = "emulated", .eager_gpu = true});
    searcher->placement.tuning = &tuning;
    static const char *const processors[] = {"cpu", "gpu", "gpu"};
    for (size_t i = 0; i < 3; i++) {
        rp_hits hits = search(searcher, "a b");
        assert_string_equal(hits.processor, processors[i]);
        rp_hits_free(&hits);
    }
    rp_searcher_free(searcher);
}

/* While no card is open, what a burst would give to it counts. */
static void bursts_open_a_card(void **state)
{
    (void)state;
    rp__auto_tuning tuning = eager();
    for (int shape = 0; shape < RP_AUTO_PHRASE; shape++)
        tuning.min_postings[RP_AUTO_LONE][shape] = RP_AUTO_NEVER;
    tuning.attach_us = 1;
    forget_devices();
    rp_searcher *searcher =
        open_searcher((rp_search_options){.mode = RP_MODE_OR, .gpu = "emulated"});
    searcher->placement.tuning = &tuning;
    for (size_t i = 0; i < 1000 && searcher->placement.stage == RP_PLACEMENT_CLOSED; i++) {
        rp_hits hits = search(searcher, "a b");
        rp_hits_free(&hits);
    }
    assert_int_equal(searcher->placement.stage, RP_PLACEMENT_OPEN);
    rp_searcher_free(searcher);
}

static void a_lost_card_is_left(void **state)
{
    (void)state;
    const rp__auto_tuning tuning = eager();
    forget_devices();
    rp_searcher *searcher = open_searcher(
        (rp_search_options){.mode = RP_MODE_AND, .gpu = "emulated", .eager_gpu = true});
    searcher->placement.tuning = &tuning;
    assert_int_equal(searcher->placement.stage, RP_PLACEMENT_OPEN);
    rp__emulated_device_stop(700);
    rp_hits hits = search(searcher, "a b");
    assert_string_equal(hits.processor, "cpu");
    assert_int_equal(hits.fallback, RP_FALLBACK_FAULT);
    rp_hits_free(&hits);
    hits = search(searcher, "a b");
    assert_string_equal(hits.processor, "cpu");
    assert_int_equal(hits.fallback, RP_FALLBACK_NONE);
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
    forget_devices();
}

/* ---- Many at once -------------------------------------------------------------------------------- */

static void fill(rp_batch_query queries[QUERIES])
{
    for (size_t i = 0; i < QUERIES; i++)
        queries[i] = (rp_batch_query){.query = texts[i], .query_bytes = strlen(texts[i])};
}

/* How many the gpu answered. */
static size_t compare_and_free(rp_batch_query queries[QUERIES], rp_searcher *cpu)
{
    size_t on_gpu = 0;
    for (size_t i = 0; i < QUERIES; i++) {
        rp_hits want = search(cpu, texts[i]);
        assert_int_equal(queries[i].status, RP_OK);
        expect_same(&queries[i].hits, &want, texts[i]);
        assert_int_equal(queries[i].hits.fallback, RP_FALLBACK_NONE);
        on_gpu += strcmp(queries[i].hits.processor, "gpu") == 0;
        rp_hits_free(&queries[i].hits);
        rp_hits_free(&want);
    }
    return on_gpu;
}

/* The first call has too little work for a card; the second has enough, with what the first had. */
static void batches_open_a_card_when_it_pays(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODES; m++) {
        rp__auto_tuning tuning = eager();
        rp_batch_query queries[QUERIES];
        forget_devices();
        rp_searcher *any = open_searcher((rp_search_options){.mode = modes[m], .gpu = "emulated"});
        rp_searcher *cpu = open_searcher((rp_search_options){.mode = modes[m], .processor = "cpu"});
        any->placement.tuning = &tuning;
        tuning.attach_us = UINT64_MAX / 1000;
        for (size_t threads = 1; threads < 3; threads++) {
            const rp_batch_options options = {.threads = threads};
            fill(queries);
            assert_int_equal(rp_searcher_batch(any, queries, QUERIES, &options, NULL, NULL), RP_OK);
            assert_int_equal(compare_and_free(queries, cpu), 0);
            assert_int_equal(rp__emulated_device_calls(), 0);
        }
        assert_true(any->placement.missed_ns > 0);
        tuning.attach_us = any->placement.missed_ns / 1000 + 1;
        for (size_t threads = 1; threads < 3; threads++) {
            const rp_batch_options options = {.threads = threads};
            rp_batch_report report;
            fill(queries);
            assert_int_equal(rp_searcher_batch(any, queries, QUERIES, &options, &report, NULL),
                             RP_OK);
            size_t on_gpu = compare_and_free(queries, cpu);
            assert_int_equal(on_gpu, report.n_grouped);
            assert_in_range(on_gpu, 1, modes[m] == RP_MODE_OR ? QUERIES : QUERIES - 1);
        }
        rp_searcher_free(any);
        rp_searcher_free(cpu);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_processors_give_the_same_hits),
        cmocka_unit_test(one_query_opens_no_card),
        cmocka_unit_test(work_opens_a_card),
        cmocka_unit_test(only_named_devices_are_opened),
        cmocka_unit_test(queries_in_a_row_are_a_burst),
        cmocka_unit_test(bursts_open_a_card),
        cmocka_unit_test(a_lost_card_is_left),
        cmocka_unit_test(batches_open_a_card_when_it_pays),
    };
    return cmocka_run_group_tests_name("placement", tests, open_documents, close_documents);
}
