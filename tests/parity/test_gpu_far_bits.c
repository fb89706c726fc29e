/* test_gpu_far_bits.c: ANDs whose shortest list is read as bits, and lies in a few places far apart: answers are the cpu's.
 *
 * Such a list has blocks of 128 postings with many thousand documents between their ends, which and_batch_topk.cu reads by
 * ranges (candidates.cuh). Alone and in groups, for lists that are transcoded to bits and for lists stored as bits, at
 * several orders of threads. RIPOSTE_THOROUGH=1: 20 of them. */
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
#include "backend/gpu/exec/launch_policy.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "parity/shard.h"

enum { DOCS = 70000, GROUP = 8, TEXT = 64 };

static const char *const codecs[] = {"bp128", "bitmap", "lrc"};
enum { CODECS = sizeof codecs / sizeof codecs[0] };
static collection documents;
static size_t n_launches;

static void see_launch(size_t kernel, const rp__fiber_launch *launch)
{
    (void)launch;
    n_launches += kernel == RP_KERNEL_and_batch_topk_kernel;
}

static const rp__emulated_device_watcher watcher = {.queue_launch = see_launch};

/* Which of the words a document has, a bit each: word 0 in two places, 60,000 documents apart, and once between them;
 * word 1 in islands of a few documents, so that a block has many of them; words 2 and 3 almost everywhere. */
static uint32_t words_of(uint32_t d)
{
    uint32_t set = 4U * (d % 11 != 3) | 8U * (d % 7 != 2);
    set |= (d > 100 && d < 2400) || (d > 61000 && d < 63500) || d == 30000;
    set |= 2U * (d % 6000 < 480 && d % 13 != 5);
    return set;
}

static int open_documents(void **state)
{
    (void)state;
    documents = (collection){.name = "far", .stem = "none", .stop = "none"};
    for (size_t i = 0; i < CODECS; i++)
        collection_add_codec(&documents, codecs[i]);
    chance_seed(3);
    for (uint32_t d = 0; d < DOCS; d++) {
        char text[TEXT] = "";
        for (uint32_t w = 0; w < 4; w++)
            for (uint64_t n = words_of(d) >> w & 1 ? 1 + chance_below(3) : 0; n > 0; n--)
                strcat(text, (const char *[]){"a ", "b ", "c ", "d "}[w]);
        collection_add(&documents, text, 0, text, strlen(text));
    }
    collection_end(&documents);
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    collection_close(&documents);
    return 0;
}

static rp_searcher *open_searcher(size_t codec, const char *processor, size_t k)
{
    const rp_search_options options = {.processor = processor,
                                       .gpu = "emulated",
                                       .mode = RP_MODE_AND,
                                       .total = RP_TOTAL_EXACT,
                                       .k = k};
    rp_error err = {.text = ""};
    rp_searcher *searcher = NULL;
    if (rp_searcher_new(documents.indexes[codec], &options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

static const char *const queries[GROUP] = {"a c",   "b c", "a c d", "b c d",
                                           "a b c", "a d", "b d",   "a b d c"};

static void compare(rp_searcher *cpu, size_t codec, const char *text, const rp_hits *got)
{
    rp_error err = {.text = ""};
    rp_hits want;
    assert_int_equal(rp_searcher_search(cpu, text, strlen(text), &want, &err), RP_OK);
    bool is_same = got->n == want.n && got->total == want.total && want.n > 0;
    for (size_t i = 0; is_same && i < want.n; i++)
        is_same = got->at[i].docid == want.at[i].docid && got->at[i].fixed == want.at[i].fixed;
    if (!is_same || strcmp(got->processor, "gpu") != 0)
        fail_msg("%s: '%s': %zu hits of %llu by the %s, the cpu has %zu of %llu, or others",
                 codecs[codec], text, got->n, (unsigned long long)got->total, got->processor,
                 want.n, (unsigned long long)want.total);
    rp_hits_free(&want);
}

static void ask_all(size_t codec, size_t k, uint64_t seed)
{
    rp_error err = {.text = ""};
    rp_batch_query batch[GROUP] = {{0}};
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    rp__emulated_device_watch(&watcher);
    rp_searcher *gpu = open_searcher(codec, "gpu", k), *cpu = open_searcher(codec, "cpu", k);
    for (size_t i = 0; i < GROUP; i++) {
        rp_hits got;
        batch[i] = (rp_batch_query){.query = queries[i], .query_bytes = strlen(queries[i])};
        assert_int_equal(rp_searcher_search(gpu, queries[i], strlen(queries[i]), &got, &err),
                         RP_OK);
        compare(cpu, codec, queries[i], &got);
        rp_hits_free(&got);
    }
    assert_int_equal(n_launches, GROUP);
    assert_int_equal(rp_searcher_batch(gpu, batch, GROUP, NULL, NULL, &err), RP_OK);
    for (size_t i = 0; i < GROUP; i++) {
        assert_int_equal(batch[i].status, RP_OK);
        compare(cpu, codec, queries[i], &batch[i].hits);
        rp_hits_free(&batch[i].hits);
    }
    rp_searcher_free(gpu);
    rp_searcher_free(cpu);
    rp__emulated_device_watch(NULL);
}

static void answers_equal_the_cpus(void **state)
{
    (void)state;
    const shard_orders orders = shard_orders_here(2);
    rp__launch_policy_tuning.and_batch_from = 1;
    for (size_t codec = 0; codec < CODECS; codec++)
        for (uint64_t seed = orders.from; seed < orders.to; seed++) {
            n_launches = 0;
            ask_all(codec, seed % 2 ? 10 : 32, seed);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_equal_the_cpus)};
    return cmocka_run_group_tests(tests, open_documents, close_documents);
}
