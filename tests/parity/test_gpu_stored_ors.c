/* test_gpu_stored_ors.c: ORs of dense lists that a kernel reads as they are stored, where memory is scarce: hit for hit as
 * on the cpu, for each codec that the kernel reads, one query at a time and many at once, at several k and orders of
 * threads. In the end that kernel was launched for every codec, and lists that it read were not transcoded.
 * RIPOSTE_THOROUGH=1: 20 orders, and more queries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/device/kernel_table.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "parity/shard.h"

enum { GROUP = 16, TEXT = 400, DOCS = 6500, WORDS = 60, MEMORY = 1 << 19, ROUNDS = 3 };

static const char *const codecs[] = {"bp128", "optpfd", "raw", "bitmap", "auto"};
enum { CODECS = sizeof codecs / sizeof codecs[0] };
static const size_t ks[] = {1, 10, 100};
static collection documents;
static size_t n_stored, n_cells; /* launches */

static void see_launch(size_t kernel, const rp__fiber_launch *launch)
{
    (void)launch;
    n_stored += kernel == RP_KERNEL_stored_or_maxscore_kernel;
    n_cells += kernel == RP_KERNEL_build_cells_kernel;
}

static const rp__emulated_device_watcher watcher = {.queue_launch = see_launch};

static int open_documents(void **state)
{
    (void)state;
    collection_draw(&documents,
                    &(collection_recipe){"stored", 14, codecs, CODECS, DOCS, WORDS, 40});
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    collection_close(&documents);
    return 0;
}

static rp_searcher *open_searcher(const rp_index *index, const char *processor, size_t k)
{
    const rp_search_options options = {.processor = processor,
                                       .gpu = "emulated",
                                       .gpu_memory = MEMORY,
                                       .mode = RP_MODE_OR,
                                       .k = k};
    rp_error err = {.text = ""};
    rp_searcher *searcher = NULL;
    if (rp_searcher_new(index, &options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

/* Common words and a few rare ones. */
static void put_words(char *text)
{
    char word[32];
    text[0] = 0;
    for (uint64_t n = 1 + chance_below(5); n > 0; n--) {
        collection_put_word(word, chance_below(5) ? chance_zipf(WORDS) : chance_below(WORDS));
        strcat(strcat(text, word), " ");
    }
}

static void compare(rp_searcher *cpu, const char *text, const rp_hits *got, const char *codec)
{
    rp_error err = {.text = ""};
    rp_hits want;
    assert_int_equal(rp_searcher_search(cpu, text, strlen(text), &want, &err), RP_OK);
    bool is_same = got->n == want.n;
    for (size_t i = 0; is_same && i < want.n; i++)
        is_same = got->at[i].docid == want.at[i].docid && got->at[i].fixed == want.at[i].fixed;
    if (!is_same || strcmp(got->processor, "gpu") != 0)
        fail_msg("%s: '%s': %zu hits by the %s, the cpu has %zu, or others", codec, text, got->n,
                 got->processor, want.n);
    rp_hits_free(&want);
}

static void ask_batch(rp_searcher *gpu, rp_searcher *cpu, const char *codec)
{
    const rp_batch_options options = {.threads = 2, .elements = 20000};
    rp_error err = {.text = ""};
    char texts[GROUP][TEXT];
    rp_batch_query queries[GROUP];
    for (size_t i = 0; i < GROUP; i++) {
        put_words(texts[i]);
        queries[i] = (rp_batch_query){.query = texts[i], .query_bytes = strlen(texts[i])};
    }
    assert_int_equal(rp_searcher_batch(gpu, queries, GROUP, &options, NULL, &err), RP_OK);
    for (size_t i = 0; i < GROUP; i++) {
        assert_int_equal(queries[i].status, RP_OK);
        compare(cpu, texts[i], &queries[i].hits, codec);
        rp_hits_free(&queries[i].hits);
    }
}

static void ask_alone(rp_searcher *gpu, rp_searcher *cpu, const char *codec)
{
    rp_error err = {.text = ""};
    char text[TEXT];
    rp_hits got;
    put_words(text);
    if (rp_searcher_search(gpu, text, strlen(text), &got, &err) != RP_OK)
        fail_msg("'%s': %s", text, err.text);
    compare(cpu, text, &got, codec);
    rp_hits_free(&got);
}

static void ask_all(size_t codec, size_t k, uint64_t seed)
{
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    rp__emulated_device_watch(&watcher);
    rp_searcher *gpu = open_searcher(documents.indexes[codec], "gpu", k);
    rp_searcher *cpu = open_searcher(documents.indexes[codec], "cpu", k);
    for (size_t i = 0; i < ROUNDS; i++) {
        ask_batch(gpu, cpu, codecs[codec]);
        for (size_t n = 0; n < 4; n++)
            ask_alone(gpu, cpu, codecs[codec]);
    }
    rp_searcher_free(gpu);
    rp_searcher_free(cpu);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    rp__emulated_device_watch(NULL);
}

static void answers_equal_the_cpus(void **state)
{
    (void)state;
    const shard_orders orders = shard_orders_here(1);
    for (size_t c = 0; c < CODECS; c++) {
        n_stored = n_cells = 0;
        for (size_t k = 0; k < sizeof ks / sizeof ks[0]; k++)
            for (uint64_t seed = orders.from; seed < orders.to; seed++)
                ask_all(c, ks[k], 1 + seed);
        print_message("%s: %zu launches read stored lists\n", codecs[c], n_stored);
        assert_true(n_stored > 0 && n_cells == n_stored);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_equal_the_cpus)};
    return cmocka_run_group_tests(tests, open_documents, close_documents);
}
