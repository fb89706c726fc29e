/* test_gpu_calls.c: how many launches and copies a query costs once its lists are on the card, in bp128.
 *
 * Every count is of a second pass over the same queries: an AND of a burst needs no launch and no copy, because the
 * persistent kernel takes it; an OR by tiles needs one launch; a group of a batch needs one copy and one launch. Where
 * memory is scarce, a launch of ORs needs another one, and no query needs two of them. */
#include "riposte/riposte.h"

#include "oracle/chance.h"
#include "oracle/collection.h"
#include "parity/launch_log.h"
#include "unit/files.h"

enum { QUERIES = 30, TEXT = 256, PROCESSORS = 2, MEMORY_MIN = 400 << 10 };

static collection documents;
static char texts[QUERIES][TEXT];

/* Two to five different words. */
static void put_words(char *text)
{
    uint64_t word = chance_below(20), n = 2 + chance_below(4);
    for (size_t at = 0; n > 0; n--, word += 1 + chance_below(20)) {
        collection_put_word(text + at, word);
        at += strlen(text + at);
        text[at++] = ' ';
        text[at] = 0;
    }
}

static int open_documents(void **state)
{
    (void)state;
    collection_draw(&documents, &(collection_recipe){"calls", 15, (const char *const[]){"bp128"}, 1,
                                                     5000, 200, 30});
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

/* ---- Counting ------------------------------------------------------------------------------------ */

static rp_searcher *open_searcher(rp_mode mode, uint64_t memory)
{
    const rp_search_options options = {
        .processor = "gpu", .gpu = "emulated", .mode = mode, .gpu_memory = memory};
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    launch_log_begin(PROCESSORS);
    if (rp_searcher_new(documents.indexes[0], &options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

static void close_searcher(rp_searcher *searcher)
{
    rp_searcher_free(searcher);
    launch_log_end();
}

static launch_counts since(launch_counts before)
{
    launch_counts now = launch_log_counts();
    return (launch_counts){now.launches - before.launches, now.copies - before.copies};
}

/* What it took. */
static launch_counts search(rp_searcher *searcher, const char *text)
{
    launch_counts before = launch_log_counts();
    rp_error err = {.text = ""};
    rp_hits hits;
    if (rp_searcher_search(searcher, text, strlen(text), &hits, &err) != RP_OK)
        fail_msg("'%s': %s", text, err.text);
    assert_string_equal(hits.processor, "gpu");
    rp_hits_free(&hits);
    return since(before);
}

/* All queries at once. *groups: how often the card was given some of them. */
static launch_counts search_batch(rp_searcher *searcher, uint64_t *groups)
{
    launch_counts before = launch_log_counts();
    rp_batch_query queries[QUERIES] = {{0}};
    rp_batch_report report;
    rp_error err = {.text = ""};
    for (size_t i = 0; i < QUERIES; i++)
        queries[i] = (rp_batch_query){.query = texts[i], .query_bytes = strlen(texts[i])};
    if (rp_searcher_batch(searcher, queries, QUERIES, &(rp_batch_options){.elements = 2000},
                          &report, &err) != RP_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < QUERIES; i++)
        rp_hits_free(&queries[i].hits);
    assert_int_equal(report.n_grouped, QUERIES);
    *groups = report.groups;
    return since(before);
}

/* ---- Tests --------------------------------------------------------------------------------------- */

static void all_once(rp_searcher *searcher)
{
    for (size_t i = 0; i < QUERIES; i++)
        (void)search(searcher, texts[i]);
}

/* The persistent kernel leaves after some milliseconds, so one of these ANDs may bring it along again. */
static void an_and_of_a_burst_needs_no_call(void **state)
{
    (void)state;
    uint64_t launches = 0;
    rp_searcher *searcher = open_searcher(RP_MODE_AND, 0);
    all_once(searcher);
    for (size_t i = 0; i < QUERIES; i++) {
        launch_counts took = search(searcher, texts[i]);
        assert_int_equal(took.copies, 0);
        launches += took.launches;
    }
    assert_in_range(launches, 0, 1);
    close_searcher(searcher);
}

static void an_or_needs_one_launch(void **state)
{
    (void)state;
    rp_searcher *searcher = open_searcher(RP_MODE_OR, 0);
    all_once(searcher);
    for (size_t i = 0; i < QUERIES; i++) {
        launch_counts took = search(searcher, texts[i]);
        assert_int_equal(took.launches, 1);
        assert_int_equal(took.copies, 0);
    }
    close_searcher(searcher);
}

/* Of several queries: one OR alone travels with its launch. */
static void a_group_needs_a_copy_and_a_launch(void **state)
{
    (void)state;
    static const rp_mode modes[] = {RP_MODE_AND, RP_MODE_OR, RP_MODE_ANDOR};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        uint64_t groups;
        rp_searcher *searcher = open_searcher(modes[i], 0);
        (void)search_batch(searcher, &groups);
        launch_counts took = search_batch(searcher, &groups);
        assert_true(groups > 1);
        assert_int_equal(took.launches, groups);
        assert_int_equal(took.copies, groups);
        close_searcher(searcher);
    }
}

/* Where memory is scarce, lists are laid out again for a launch; no launch is tried in vain, and no query goes to
 * another kernel. */
static void a_group_of_ors_needs_little_memory(void **state)
{
    (void)state;
    static const uint64_t memory[] = {MEMORY_MIN, MEMORY_MIN * 5 / 4, MEMORY_MIN * 3 / 2};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        char line[TEXT];
        size_t n = 0;
        uint64_t groups;
        FILE *log = tmpfile();
        assert_non_null(log);
        rp_searcher *searcher = open_searcher(RP_MODE_OR, memory[i]);
        launch_log_write(log, NULL, "");
        (void)search_batch(searcher, &groups);
        launch_counts took = search_batch(searcher, &groups);
        launch_log_write(NULL, NULL, "");
        assert_in_range(took.launches, 1, 2 * QUERIES);
        close_searcher(searcher);
        rewind(log);
        while (fgets(line, sizeof line, log)) {
            assert_null(strstr(line, "or_accumulate"));
            n += strstr(line, "build_tiled") != NULL;
        }
        assert_true(n > groups); /* it was scarce */
        assert_int_equal(fclose(log), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_and_of_a_burst_needs_no_call),
        cmocka_unit_test(an_or_needs_one_launch),
        cmocka_unit_test(a_group_needs_a_copy_and_a_launch),
        cmocka_unit_test(a_group_of_ors_needs_little_memory),
    };
    return cmocka_run_group_tests(tests, open_documents, close_documents);
}
