/* test_gpu_budgets.c: how much of a card's memory queries need: with more of it a GPU never answers fewer of them, whatever
 * the number of threads, one query at a time or many at once; answers are the cpu's always.
 * 1x is the stored lists, the norms and the scratch of the largest query. RIPOSTE_THOROUGH=1 tries 40 budgets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "base/thread.h"
#include "engine/searcher.h"
#include "index/index.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

enum { QUERIES = 32, TEXT = 128, THREADS_MAX = 16, BUDGETS_MAX = 40, K = 10 };

static collection c;
static char texts[QUERIES][TEXT];
static rp_hits want[2][QUERIES]; /* by mode: AND, OR */
static uint64_t once;            /* bytes of 1x */

static const rp_mode modes[] = {RP_MODE_AND, RP_MODE_OR};

/* Two to four words, most of them common. */
static void put_text(char *text)
{
    char word[32];
    text[0] = 0;
    for (uint64_t n = 2 + chance_below(3); n > 0; n--) {
        collection_put_word(word, chance_below(4) ? chance_zipf(300) : chance_below(3000));
        strcat(strcat(text, word), " ");
    }
}

static rp_searcher *open_searcher(const char *processor, rp_mode mode, uint64_t memory)
{
    const rp_search_options options = {
        .processor = processor, .gpu = "emulated", .gpu_memory = memory, .mode = mode, .k = K};
    rp_error err = {.text = ""};
    rp_searcher *searcher = NULL;
    if (rp_searcher_new(c.indexes[0], &options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

/* Lists, norms, and 13 bytes a document, which an OR by scores of all documents has at most. */
static uint64_t measure(void)
{
    rp_searcher *searcher = open_searcher("cpu", RP_MODE_AND, 0);
    const rp__segment *segment = searcher->index->segment;
    const uint8_t *at;
    size_t bytes;
    uint64_t sum = 0;
    rp__lengths lengths;
    for (size_t i = 0; rp__segment_section(segment, i, &at, &bytes); i++)
        sum += bytes;
    rp__segment_get_lengths(segment, &lengths);
    rp_searcher_free(searcher);
    return sum + lengths.n_table * sizeof(float) + 13 * (uint64_t)lengths.n_docs;
}

static int open_all(void **state)
{
    (void)state;
    rp_error err = {.text = ""};
    chance_seed(14);
    c = (collection){.name = "budgets", .stem = "none", .stop = "none"};
    collection_add_codec(&c, "bp128");
    collection_fill(&c, 2500, 3000, 400);
    collection_end(&c);
    for (size_t i = 0; i < QUERIES; i++)
        put_text(texts[i]);
    for (size_t m = 0; m < 2; m++) {
        rp_searcher *cpu = open_searcher("cpu", modes[m], 0);
        for (size_t i = 0; i < QUERIES; i++)
            assert_int_equal(rp_searcher_search(cpu, texts[i], strlen(texts[i]), &want[m][i], &err),
                             RP_OK);
        rp_searcher_free(cpu);
    }
    once = measure();
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * QUERIES; i++)
        rp_hits_free(&want[i / QUERIES][i % QUERIES]);
    collection_close(&c);
    return 0;
}

static bool is_same(const rp_hits *got, const rp_hits *as)
{
    bool is_so = got->n == as->n;
    for (size_t i = 0; is_so && i < as->n; i++)
        is_so = got->at[i].docid == as->at[i].docid && got->at[i].fixed == as->at[i].fixed;
    return is_so;
}

/* ---- One at a time ------------------------------------------------------------------------------- */

/* Searchers, one a thread; what each answered on the GPU, and whether all of it was right. */
typedef struct singles {
    rp_searcher *searchers[THREADS_MAX];
    size_t mode, threads;
    size_t n_on_gpu[THREADS_MAX];
    char wrong[THREADS_MAX]
              [TEXT + 600]; /* the last query that was not answered or not as the cpu does */
} singles;

static void ask_some(void *arg, uint32_t worker)
{
    singles *s = arg;
    rp_error err;
    for (size_t i = worker; i < QUERIES; i += s->threads) {
        rp_hits got;
        rp_status status =
            rp_searcher_search(s->searchers[worker], texts[i], strlen(texts[i]), &got, &err);
        if (status != RP_OK) {
            snprintf(s->wrong[worker], sizeof s->wrong[worker], "'%s': %s", texts[i], err.text);
            continue;
        }
        s->n_on_gpu[worker] += !strcmp(got.processor, "gpu");
        if (!is_same(&got, &want[s->mode][i]))
            snprintf(s->wrong[worker], sizeof s->wrong[worker], "'%s': other hits on the %s",
                     texts[i], got.processor);
        rp_hits_free(&got);
    }
}

static size_t ask_singles(size_t mode, size_t threads, uint64_t memory)
{
    singles s = {.mode = mode, .threads = threads};
    size_t n = 0;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = threads});
    for (size_t t = 0; t < threads; t++)
        s.searchers[t] = open_searcher("gpu", modes[mode], memory);
    assert_int_equal(rp__thread_run((uint32_t)threads, ask_some, &s), RP_OK);
    for (size_t t = 0; t < threads; t++) {
        n += s.n_on_gpu[t];
        assert_string_equal(s.wrong[t], "");
        rp_searcher_free(s.searchers[t]);
    }
    assert_int_equal(rp__emulated_device_in_use(), 0);
    return n;
}

/* ---- Many at once -------------------------------------------------------------------------------- */

static size_t ask_batch(size_t mode, size_t threads, uint64_t memory)
{
    rp_batch_query queries[QUERIES];
    const rp_batch_options options = {.threads = threads, .elements = threads > 1 ? 4000 : 0};
    rp_error err = {.text = ""};
    size_t n = 0;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = threads});
    rp_searcher *searcher = open_searcher("gpu", modes[mode], memory);
    for (size_t i = 0; i < QUERIES; i++)
        queries[i] = (rp_batch_query){.query = texts[i], .query_bytes = strlen(texts[i])};
    assert_int_equal(rp_searcher_batch(searcher, queries, QUERIES, &options, NULL, &err), RP_OK);
    for (size_t i = 0; i < QUERIES; i++) {
        assert_int_equal(queries[i].status, RP_OK);
        n += !strcmp(queries[i].hits.processor, "gpu");
        if (!is_same(&queries[i].hits, &want[mode][i]))
            fail_msg("batch, mode %zu, %llu bytes: '%s'", mode, (unsigned long long)memory,
                     texts[i]);
        rp_hits_free(&queries[i].hits);
    }
    rp_searcher_free(searcher);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    return n;
}

/* ---- Budgets ------------------------------------------------------------------------------------- */

/* Parts of 1x, rising from 0.2 to 40. How many. */
static size_t list_budgets(double *out)
{
    static const double few[] = {0.2, 0.4, 0.6, 1, 1.5, 5, 40};
    const char *thorough = getenv("RIPOSTE_THOROUGH");
    size_t n = sizeof few / sizeof few[0];
    memcpy(out, few, sizeof few);
    if (!thorough)
        return n;
    double part = 0.2, step = 1.1456; /* 0.2 to 40 in 39 steps */
    for (n = 0; n < BUDGETS_MAX; n++, part *= step)
        out[n] = part;
    return n;
}

static void check(size_t (*ask)(size_t mode, size_t threads, uint64_t memory), const char *what)
{
    double budgets[BUDGETS_MAX];
    size_t n = list_budgets(budgets);
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t threads = 1; threads <= THREADS_MAX; threads *= threads == 1 ? 2 : 8) {
            size_t before = 0;
            for (size_t i = 0; i < n; i++) {
                size_t got = ask(mode, threads, (uint64_t)(budgets[i] * (double)once));
                if (getenv("RIPOSTE_VERBOSE"))
                    print_message("%s, %s, %zu threads, %.2fx: %zu of %d\n", what,
                                  mode ? "OR" : "AND", threads, budgets[i], got, QUERIES);
                size_t least = budgets[i] >= 1.5   ? QUERIES
                               : budgets[i] >= 0.6 ? QUERIES * 95 / 100
                                                   : before;
                if (got < least || got < before)
                    fail_msg("%s, mode %zu, %zu threads, %.2fx: %zu of %d, before %zu", what, mode,
                             threads, budgets[i], got, QUERIES, before);
                before = got;
            }
        }
}

static void single_queries(void **state)
{
    (void)state;
    check(ask_singles, "single");
}

static void batches(void **state)
{
    (void)state;
    check(ask_batch, "batch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_queries),
        cmocka_unit_test(batches),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
