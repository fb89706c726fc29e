/* test_gpu_totals.c: exact totals of ORs from the kernel that counts: hit for hit and total for total as on the cpu, for
 * lists of every codec, BM25 and IIU's scores, several k and none at all, one query at a time and many at once, also where
 * memory is scarce. Two orders of threads. RIPOSTE_THOROUGH=1: 20, of which SHARD=i/n has a share. */
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
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "parity/shard.h"
#include "riposte/riposte.h"
#include "tempdir.h"

/* More documents than a tile has, in the last of which there are a few. */
enum { DOCS = 4500, WORDS = 60, GROUP = 8, TEXT = 400, ALONE = 3, SCARCE = 192 << 10 };

static const size_t ks[] = {10, 0, 100, 1};
enum { KS = sizeof ks / sizeof ks[0] };
static collection documents;
static tempdir dir;
static size_t n_counted, n_long, n_accumulated; /* launches */

static void see_launch(size_t kernel, const rp__fiber_launch *launch)
{
    (void)launch;
    n_counted += kernel == RP_KERNEL_count_or_maxscore_kernel ||
                 kernel == RP_KERNEL_iiu_count_or_maxscore_kernel;
    n_long += kernel == RP_KERNEL_long_count_or_maxscore_kernel ||
              kernel == RP_KERNEL_iiu_long_count_or_maxscore_kernel;
    n_accumulated += kernel == RP_KERNEL_or_accumulate_kernel;
}

static const rp__emulated_device_watcher watcher = {.queue_launch = see_launch};

static int open_documents(void **state)
{
    static const char *const codecs[] = {"bp128"};
    (void)state;
    collection_draw(&documents, &(collection_recipe){"totals", 31, codecs, 1, DOCS, WORDS, 40});
    return tempdir_make(&dir);
}

static int close_documents(void **state)
{
    (void)state;
    collection_close(&documents);
    tempdir_remove(&dir);
    return 0;
}

/* ---- What is asked ------------------------------------------------------------------------------- */

typedef struct pair {
    const char *what;
    rp_searcher *gpu, *cpu;
} pair;

static rp_searcher *open_searcher(const rp_index *index, rp_search_options options)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher = NULL;
    options.gpu = "emulated";
    options.mode = RP_MODE_OR;
    if (rp_searcher_new(index, &options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

/* Of the vocabulary, all but some at its beginning: more words than a warp has lanes. */
static void put_many_words(char *text)
{
    char word[32];
    for (uint64_t w = chance_below(20); w < WORDS; w++) {
        collection_put_word(word, w);
        strcat(strcat(text, word), " ");
    }
}

/* Common words, which are in almost every document, and rare ones. */
static void put_words(char *text)
{
    char word[32];
    text[0] = 0;
    if (chance_below(4) == 0) {
        put_many_words(text);
        return;
    }
    for (uint64_t n = 1 + chance_below(6); n > 0; n--) {
        collection_put_word(word, chance_below(4) ? chance_zipf(WORDS) : chance_below(WORDS));
        strcat(strcat(text, word), " ");
    }
}

static void compare(const pair *p, const char *text, const rp_hits *got)
{
    rp_error err = {.text = ""};
    rp_hits want;
    assert_int_equal(rp_searcher_search(p->cpu, text, strlen(text), &want, &err), RP_OK);
    bool is_same = got->n == want.n && got->total == want.total && got->total_is_exact;
    for (size_t i = 0; is_same && i < want.n; i++)
        is_same = got->at[i].docid == want.at[i].docid && got->at[i].fixed == want.at[i].fixed;
    if (!is_same || strcmp(got->processor, "gpu") != 0)
        fail_msg("%s: '%s': %zu hits of %llu by the %s, the cpu has %zu of %llu, or others",
                 p->what, text, got->n, (unsigned long long)got->total, got->processor, want.n,
                 (unsigned long long)want.total);
    rp_hits_free(&want);
}

static void ask_alone(const pair *p)
{
    rp_error err = {.text = ""};
    char text[TEXT];
    rp_hits got;
    put_words(text);
    if (rp_searcher_search(p->gpu, text, strlen(text), &got, &err) != RP_OK)
        fail_msg("%s: '%s': %s", p->what, text, err.text);
    compare(p, text, &got);
    rp_hits_free(&got);
}

static void ask_at_once(const pair *p)
{
    rp_error err = {.text = ""};
    char texts[GROUP][TEXT];
    rp_batch_query queries[GROUP] = {{0}};
    for (size_t i = 0; i < GROUP; i++) {
        put_words(texts[i]);
        queries[i] = (rp_batch_query){.query = texts[i], .query_bytes = strlen(texts[i])};
    }
    assert_int_equal(rp_searcher_batch(p->gpu, queries, GROUP, NULL, NULL, &err), RP_OK);
    for (size_t i = 0; i < GROUP; i++) {
        if (queries[i].status != RP_OK)
            fail_msg("%s: '%s': %s", p->what, texts[i], queries[i].err.text);
        compare(p, texts[i], &queries[i].hits);
        rp_hits_free(&queries[i].hits);
    }
}

/* A k of 0: the total alone. */
static void check(const char *what, const rp_index *index, rp_search_options options, uint64_t seed)
{
    const size_t counted = n_counted + n_long;
    options.total = options.k > 0 ? RP_TOTAL_EXACT : RP_TOTAL_ONLY;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    rp__emulated_device_watch(&watcher);
    options.processor = "gpu";
    pair p = {.what = what, .gpu = open_searcher(index, options)};
    options.processor = "cpu";
    p.cpu = open_searcher(index, options);
    ask_at_once(&p);
    for (size_t i = 0; i < ALONE; i++)
        ask_alone(&p);
    assert_true(n_counted + n_long > counted);
    rp_searcher_free(p.gpu);
    rp_searcher_free(p.cpu);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    rp__emulated_device_watch(NULL);
}

/* ---- Tests --------------------------------------------------------------------------------------- */

static rp_index *recode(const char *codec)
{
    char from[300], to[300];
    rp_error err = {.text = ""};
    rp_index *index = NULL;
    const rp_recode_options options = {.codec = codec};
    snprintf(from, sizeof from, "%s/%s", documents.folder, documents.codecs[0]);
    snprintf(to, sizeof to, "%s/%s", dir.path, codec);
    if (rp_index_recode(from, to, &options, NULL, &err) != RP_OK ||
        rp_index_open(to, NULL, &index, &err) != RP_OK)
        fail_msg("%s: %s", codec, err.text);
    return index;
}

static void every_codec_is_counted(void **state)
{
    (void)state;
    const shard_orders orders = shard_orders_here(2);
    const char *codec;
    for (size_t i = 0; (codec = rp_codec_name(i)); i++) {
        rp_index *index = recode(codec);
        for (uint64_t seed = orders.from; seed < orders.to; seed++)
            check(codec, index, (rp_search_options){.k = ks[(i + seed) % KS]}, seed);
        rp_index_close(index);
    }
    assert_int_equal(n_accumulated, 0);
    assert_true(n_long > 0);
}

static void every_k_and_ranking_is_counted(void **state)
{
    (void)state;
    const shard_orders orders = shard_orders_here(2);
    for (uint64_t seed = orders.from; seed < orders.to; seed++)
        for (size_t k = 0; k < KS; k++) {
            rp_search_options options = {.k = ks[k]};
            check("bm25", documents.indexes[0], options, seed);
            options.gpu_memory = SCARCE;
            check("scarce", documents.indexes[0], options, seed);
            options = (rp_search_options){.k = ks[k], .variant = "iiu"};
            check("iiu", documents.indexes[0], options, seed);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_codec_is_counted),
                                       cmocka_unit_test(every_k_and_ranking_is_counted)};
    return cmocka_run_group_tests(tests, open_documents, close_documents);
}
