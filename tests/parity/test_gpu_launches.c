/* test_gpu_launches.c: what 300 queries in bp128 ask of a card of 132 multiprocessors: every launch, with its grid, its
 * shared memory and its arguments, as tests/golden/gpu-launches.txt has them.
 *
 * A hash of machine code (make kernel-check) does not see what the host decides; this test does. Queries come alone,
 * each to a searcher of its own; ANDs and ORs in turn to one searcher, so that each AND launches the persistent kernel;
 * and in batches. Some more go to a card of 4 multiprocessors, which even these few documents fill.
 * UPDATE=1 writes the golden file. RIPOSTE_LAUNCHES=FILE writes all lines to FILE, each with the arguments that are not
 * 0, so that two versions can be compared word by word. */
#include <stdlib.h>

#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "parity/launch_log.h"
#include "unit/files.h"

enum {
    DOCS = 20000,
    WORDS = 1000,
    ALONE = 100,
    BURST = 100,
    BATCH = 25,
    BATCHES = 4,
    TEXT = 256,
    PROCESSORS = 132,
    SMALL = 30, /* queries to the small card */
    SMALL_PROCESSORS = 4,
};

static const char golden[] = "tests/golden/gpu-launches.txt";
static collection documents;

/* Lists of all lengths: no two words are as common as each other. */
static void add_document(void)
{
    char text[TEXT];
    size_t at = 0;
    for (uint64_t n = 1 + chance_below(6); n > 0; n--) {
        collection_put_word(text + at, chance_below(1 + chance_below(1 + chance_below(WORDS))));
        at += strlen(text + at);
        text[at++] = ' ';
    }
    collection_add(&documents, text, 0, text, at);
}

static int open_documents(void **state)
{
    (void)state;
    documents = (collection){.name = "launches", .stem = "none", .stop = "none"};
    chance_seed(14);
    collection_add_codec(&documents, "bp128");
    for (size_t i = 0; i < DOCS; i++)
        add_document();
    collection_end(&documents);
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    collection_close(&documents);
    return 0;
}

/* ---- Queries ------------------------------------------------------------------------------------- */

/* So many different words, each more common than the one before, with `between` between them. */
static void put_words(char *text, uint64_t n, const char *between)
{
    uint64_t word = n + (chance_below(6) ? chance_below(WORDS / 2) : chance_below(9));
    size_t at = 0;
    while (n-- > 0) {
        collection_put_word(text + at, word);
        at += strlen(text + at);
        at += (size_t)snprintf(text + at, TEXT - at, "%s", n ? between : "");
        uint64_t next = word * (4 + chance_below(12)) / 16;
        word = next > n ? next : n;
    }
}

static rp_searcher *open_searcher(rp_search_options options)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    options.processor = "gpu";
    options.gpu = "emulated";
    if (rp_searcher_new(documents.indexes[0], &options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

static void check_processor(const char *text, const rp_hits *hits)
{
    if (strcmp(hits->processor, "gpu") != 0)
        fail_msg("'%s' was answered by %s", text, hits->processor);
}

static void search(rp_searcher *searcher, const char *text)
{
    rp_error err = {.text = ""};
    rp_hits hits;
    if (rp_searcher_search(searcher, text, strlen(text), &hits, &err) != RP_OK)
        fail_msg("'%s': %s", text, err.text);
    check_processor(text, &hits);
    rp_hits_free(&hits);
}

/* ---- 300 of them --------------------------------------------------------------------------------- */

static FILE *out, *words;

/* Each opens the card anew, so the persistent kernel never comes. */
static void ask_alone(const char *what, size_t n)
{
    static const char *const modes[] = {"or", "and", "andor"};
    static const size_t ks[] = {10, 1, 100, 10, 1000, 2000};
    static const rp_total totals[] = {RP_TOTAL_AT_LEAST, RP_TOTAL_AT_LEAST, RP_TOTAL_EXACT,
                                      RP_TOTAL_ONLY};
    for (size_t i = 0; i < n; i++) {
        char text[TEXT], name[64];
        rp_search_options options = {
            .mode = (rp_mode)(i % 3), .k = ks[i / 3 % 6], .total = totals[i % 4]};
        put_words(text, 1 + chance_below(i % 10 ? 5 : 12), " ");
        snprintf(name, sizeof name, "%s %zu %s:", what, i, modes[i % 3]);
        launch_log_write(out, words, name);
        rp_searcher *searcher = open_searcher(options);
        search(searcher, text);
        rp_searcher_free(searcher);
    }
}

/* An OR is launched, so the kernel leaves before it and comes again with the next AND. */
static void ask_in_turn(void)
{
    rp_searcher *searcher = open_searcher((rp_search_options){.k = 10});
    for (size_t i = 0; i < BURST; i++) {
        char text[TEXT], name[64];
        put_words(text, i % 2 ? 2 + chance_below(6) : 1 + chance_below(8), i % 2 ? " " : " AND ");
        snprintf(name, sizeof name, "burst %zu %s:", i, i % 2 ? "or" : "and");
        launch_log_write(out, words, name);
        search(searcher, text);
    }
    rp_searcher_free(searcher);
}

/* Each launch is of many queries. */
static void ask_batch(const char *name, rp_search_options options)
{
    static char texts[BATCH][TEXT];
    rp_batch_query queries[BATCH] = {{0}};
    const rp_batch_options how = {.threads = 1, .elements = 10000};
    rp_error err = {.text = ""};
    for (size_t i = 0; i < BATCH; i++) {
        put_words(texts[i], 1 + chance_below(5), " ");
        queries[i] = (rp_batch_query){.query = texts[i], .query_bytes = strlen(texts[i])};
    }
    rp_searcher *searcher = open_searcher(options);
    launch_log_write(out, words, name);
    if (rp_searcher_batch(searcher, queries, BATCH, &how, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < BATCH; i++) {
        assert_int_equal(queries[i].status, RP_OK);
        check_processor(texts[i], &queries[i].hits);
        rp_hits_free(&queries[i].hits);
    }
    rp_searcher_free(searcher);
}

static void ask_all(void)
{
    chance_seed(300);
    launch_log_begin(PROCESSORS);
    ask_alone("alone", ALONE);
    ask_in_turn();
    ask_batch("batch and:", (rp_search_options){.mode = RP_MODE_AND, .k = 10});
    ask_batch("batch or:", (rp_search_options){.mode = RP_MODE_OR, .k = 10});
    ask_batch("batch andor:", (rp_search_options){.mode = RP_MODE_ANDOR, .k = 10});
    ask_batch("batch and, k 100:", (rp_search_options){.mode = RP_MODE_AND, .k = 100});
    launch_log_end();
    launch_log_begin(SMALL_PROCESSORS);
    ask_alone("small card", SMALL);
    ask_batch("small card, batch or, exact:",
              (rp_search_options){.mode = RP_MODE_OR, .k = 10, .total = RP_TOTAL_EXACT});
    launch_log_end();
    _Static_assert(ALONE + BURST + BATCHES * BATCH == 300, "as the golden file says");
}

/* ---- Tests --------------------------------------------------------------------------------------- */

/* The first few lines that differ. */
static size_t print_differences(const char *want, const char *got)
{
    enum { SHOWN = 5 };
    size_t n = 0;
    for (size_t line = 1; *want || *got; line++) {
        size_t a = strcspn(want, "\n"), b = strcspn(got, "\n");
        bool is_same = a == b && !memcmp(want, got, a);
        if (!is_same && n++ < SHOWN)
            print_error("%s:%zu\n  golden  %.*s\n  now     %.*s\n", golden, line, (int)a, want,
                        (int)b, got);
        want += a + (want[a] == '\n');
        got += b + (got[b] == '\n');
    }
    return n;
}

static void launches_are_as_ever(void **state)
{
    (void)state;
    char *got = NULL;
    size_t bytes, n;
    const char *path = getenv("RIPOSTE_LAUNCHES"), *update = getenv("UPDATE");
    out = open_memstream(&got, &bytes);
    words = path ? fopen(path, "w") : NULL;
    assert_true(out && (words || !path));
    ask_all();
    fclose(out);
    if (words)
        fclose(words);
    if (update && *update)
        files_write(golden, got, bytes);
    char *want = (char *)files_read(golden, &n);
    n = print_differences(want, got);
    free(want);
    free(got);
    if (n > 0)
        fail_msg("%zu launches differ. If they should, measure them on a card and run: "
                 "UPDATE=1 build/tests/parity/test_gpu_launches",
                 n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launches_are_as_ever)};
    return cmocka_run_group_tests(tests, open_documents, close_documents);
}
