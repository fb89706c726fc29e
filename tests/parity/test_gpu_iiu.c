/* test_gpu_iiu.c: the ranking iiu on the emulated device: hit for hit and integer for integer as on the cpu, by kernels of
 * its own.
 *
 * Single terms, ANDs and ORs, alone and in batches; by every row of the launch table, by operators and by para. In the end
 * each kernel with IIU's scores was launched, and none of those that score by BM25. RIPOSTE_THOROUGH=1: more queries. */
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
#include "backend/gpu/operators/operator_table.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "tempdir.h"

enum { GROUP = 12, TEXT = 400, DOCS = 6000, WORDS = 40 };

static const char *const codecs[] = {"bp128", "iiu", "lrcseg", "optpfd"};
static const size_t ks[] = {1, 10, 40, 600};
static collection documents;
static tempdir dir;
static bool is_launched[RP_KERNELS_MAX];
static size_t n_hits;

static size_t rounds(size_t n)
{
    return getenv("RIPOSTE_THOROUGH") ? 20 * n : n;
}

static void see_launch(size_t kernel, const rp__fiber_launch *launch)
{
    (void)launch;
    is_launched[kernel] = true;
}

static const rp__emulated_device_watcher watcher = {.queue_launch = see_launch};

static int open_documents(void **state)
{
    (void)state;
    assert_int_equal(tempdir_make(&dir), 0);
    collection_draw(&documents, &(collection_recipe){"iiu", 31, codecs, 4, DOCS, WORDS, 30});
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = 3});
    rp__emulated_device_watch(&watcher);
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    rp__emulated_device_watch(NULL);
    collection_close(&documents);
    tempdir_remove(&dir);
    return 0;
}

/* ---- Two searchers, and queries ------------------------------------------------------------------ */

typedef struct pair {
    rp_searcher *gpu, *cpu;
    size_t n_fallbacks;
} pair;

static pair open_pair(const rp_index *index, rp_search_options options)
{
    rp_error err = {.text = ""};
    pair p = {0};
    options.variant = "iiu";
    options.processor = "gpu";
    options.gpu = "emulated";
    if (rp_searcher_new(index, &options, &p.gpu, &err) != RP_OK)
        fail_msg("%s: %s", options.algorithm ? options.algorithm : "auto", err.text);
    options.processor = "cpu";
    options.algorithm = NULL;
    assert_int_equal(rp_searcher_new(index, &options, &p.cpu, &err), RP_OK);
    return p;
}

static void close_pair(pair *p)
{
    rp_searcher_free(p->gpu);
    rp_searcher_free(p->cpu);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

static void put_words(char *text, size_t n)
{
    char word[32];
    text[0] = 0;
    for (; n > 0; n--) {
        collection_put_word(word, chance_zipf(WORDS));
        strcat(strcat(text, word), " ");
    }
}

/* Totals are equal where both are exact. */
static void compare(pair *p, const char *text, const rp_hits *got)
{
    rp_error err = {.text = ""};
    rp_hits want;
    assert_int_equal(rp_searcher_search(p->cpu, text, strlen(text), &want, &err), RP_OK);
    bool is_same = got->n == want.n && got->fraction_bits == want.fraction_bits;
    is_same &= !got->total_is_exact || !want.total_is_exact || got->total == want.total;
    for (size_t i = 0; is_same && i < want.n; i++)
        is_same = got->at[i].docid == want.at[i].docid && got->at[i].fixed == want.at[i].fixed;
    if (!is_same)
        fail_msg("'%s': %zu of %llu hits, the cpu has %zu of %llu, or others", text, got->n,
                 (unsigned long long)got->total, want.n, (unsigned long long)want.total);
    n_hits += got->n;
    p->n_fallbacks += got->fallback != RP_FALLBACK_NONE;
    rp_hits_free(&want);
}

static void ask_words(pair *p, const char *text)
{
    rp_error err = {.text = ""};
    rp_hits got;
    if (rp_searcher_search(p->gpu, text, strlen(text), &got, &err) != RP_OK)
        fail_msg("'%s': %s", text, err.text);
    compare(p, text, &got);
    rp_hits_free(&got);
}

static void ask(pair *p, size_t n_words)
{
    char text[TEXT];
    put_words(text, n_words);
    ask_words(p, text);
}

/* More terms than a warp has lanes. */
static void ask_all_words(pair *p)
{
    char text[TEXT] = "", word[32];
    for (size_t w = 0; w < WORDS; w++) {
        collection_put_word(word, w);
        strcat(strcat(text, word), " ");
    }
    ask_words(p, text);
}

static void ask_batch(pair *p)
{
    rp_error err = {.text = ""};
    char texts[GROUP][TEXT];
    rp_batch_query queries[GROUP] = {{.query = NULL}};
    for (size_t i = 0; i < GROUP; i++) {
        put_words(texts[i], 1 + i % 4);
        queries[i] = (rp_batch_query){.query = texts[i], .query_bytes = strlen(texts[i])};
    }
    assert_int_equal(rp_searcher_batch(p->gpu, queries, GROUP, NULL, NULL, &err), RP_OK);
    for (size_t i = 0; i < GROUP; i++) {
        assert_int_equal(queries[i].status, RP_OK);
        compare(p, texts[i], &queries[i].hits);
        rp_hits_free(&queries[i].hits);
    }
}

/* ---- Tests ----------------------------------------------------------------------------------------- */

/* Bursts of queries: the persistent kernel and launches in turn. Nothing falls back to the cpu. */
static void flat_queries(void **state)
{
    (void)state;
    const rp__launch_tuning as_it_was = rp__launch_policy_tuning;
    chance_seed(32);
    for (size_t i = 0; i < 4 * documents.n_codecs; i++) {
        const rp_search_options options = {.k = ks[i % 4],
                                           .mode = i / 4 % 2 ? RP_MODE_AND : RP_MODE_OR,
                                           .total = i % 3 ? RP_TOTAL_AT_LEAST : RP_TOTAL_EXACT};
        pair p = open_pair(documents.indexes[i % documents.n_codecs], options);
        rp__launch_policy_tuning.or_counts = i % 2;
        for (size_t n = rounds(6); n > 0; n--)
            ask(&p, n % 6 ? n % 4 + 1 : 9);
        ask_all_words(&p);
        assert_int_equal(p.n_fallbacks, 0);
        for (size_t n = rounds(1); n > 0; n--)
            ask_batch(&p);
        assert_true(p.n_fallbacks == 0 ||
                    (options.total == RP_TOTAL_EXACT && !rp__launch_policy_tuning.or_counts));
        close_pair(&p);
    }
    rp__launch_policy_tuning = as_it_was;
}

/* Rows that short lists of a small card would not be given. */
static void long_rows(void **state)
{
    (void)state;
    const rp__launch_tuning as_it_was = rp__launch_policy_tuning;
    chance_seed(33);
    rp__launch_policy_tuning =
        (rp__launch_tuning){.and_batch_from = 1, .or_maxscore_from = 1, .or_counts = true};
    for (size_t i = 0; i < documents.n_codecs; i++) {
        const rp_search_options options = {.k = ks[i % 2], .mode = RP_MODE_AND};
        pair p = open_pair(documents.indexes[i], options);
        for (size_t n = rounds(6); n > 0; n--)
            ask(&p, 1 + n % 3);
        assert_int_equal(p.n_fallbacks, 0);
        close_pair(&p);
    }
    rp__launch_policy_tuning = as_it_was;
}

/* The same norms under two rankings: lists that are made for one do not serve the other. */
static void norms_of_two_rankings(void **state)
{
    (void)state;
    rp_search_options options = {.has_k1 = true, .k1 = 1, .has_b = true, .b = 0};
    rp_error err = {.text = ""};
    rp_searcher *other;
    chance_seed(34);
    options.processor = "gpu";
    options.gpu = "emulated";
    assert_int_equal(rp_searcher_new(documents.indexes[0], &options, &other, &err), RP_OK);
    memset(is_launched, 0, sizeof is_launched);
    pair p = open_pair(documents.indexes[0], options);
    for (size_t n = rounds(6); n > 0; n--) {
        char text[TEXT];
        rp_hits hits;
        put_words(text, 3);
        assert_int_equal(rp_searcher_search(other, text, strlen(text), &hits, &err), RP_OK);
        assert_int_equal(hits.fallback, RP_FALLBACK_NONE);
        rp_hits_free(&hits);
        if (rp_searcher_search(p.gpu, text, strlen(text), &hits, &err) != RP_OK)
            fail_msg("%s", err.text);
        compare(&p, text, &hits);
        rp_hits_free(&hits);
    }
    rp_searcher_free(other);
    close_pair(&p);
    assert_true(is_launched[RP_KERNEL_or_maxscore_kernel]);
    assert_true(is_launched[RP_KERNEL_iiu_or_maxscore_kernel]);
    for (size_t i = 0; i < RP_KERNELS; i++) /* BM25's own, which others must not launch */
        is_launched[i] = is_launched[i] && rp__kernel_table_scoring(i, true) == i;
}

static rp_index *open_with_aux(size_t codec)
{
    rp_error err = {.text = ""};
    rp_index *index;
    char from[128], to[300];
    const rp_recode_options options = {.codec = codecs[codec], .aux = "lr,hs64"};
    snprintf(from, sizeof from, "%s/%s", documents.folder, codecs[codec]);
    snprintf(to, sizeof to, "%s/%s", dir.path, codecs[codec]);
    assert_int_equal(rp_index_recode(from, to, &options, NULL, &err), RP_OK);
    assert_int_equal(rp_index_open(to, NULL, &index, &err), RP_OK);
    return index;
}

static void ask_by(const rp_index *index, const char *algorithm, rp_mode mode)
{
    const rp_search_options options = {.algorithm = algorithm, .mode = mode};
    pair p = open_pair(index, options);
    for (size_t n = rounds(2); n > 0; n--)
        ask(&p, 2 + n % 2);
    if (mode == RP_MODE_AND)
        ask_batch(&p);
    assert_int_equal(p.n_fallbacks, 0);
    close_pair(&p);
}

static void operators_and_para(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "operators",
        "operators:mode=stepped",
        "operators:intersect=ding",
        "operators:intersect=hs64,score=accumulate",
        "operators:score=accumulate,mode=stepped",
        "para:method=bs",
        "para:method=lr",
        "para:method=hs64",
    };
    chance_seed(35);
    for (size_t c = 0; c < 3; c++) {
        rp_index *index = open_with_aux(c);
        for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
            ask_by(index, specs[i], RP_MODE_AND);
        ask_by(index, "operators:score=accumulate", RP_MODE_OR);
        rp_index_close(index);
    }
}

static void every_kernel_was_launched(void **state)
{
    (void)state;
    size_t n = 0;
    for (size_t i = 0; i < RP_KERNELS; i++) {
        const rp__kernel_id iiu = rp__kernel_table_scoring(i, true);
        assert_int_equal(rp__kernel_table_scoring(i, false), i);
        if (iiu == i)
            continue;
        n++;
        if (!is_launched[iiu] || is_launched[i])
            fail_msg("%s: %s", rp__kernel_table_at(i)->name,
                     is_launched[i] ? "launched with the scores of BM25" : "not launched for iiu");
    }
    print_message("%zu kernels with two rankings, %zu hits\n", n, n_hits);
    assert_int_equal(n, 15);
    assert_true(n_hits > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_of_two_rankings),
        cmocka_unit_test(flat_queries),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(operators_and_para),
        cmocka_unit_test(every_kernel_was_launched),
    };
    return cmocka_run_group_tests(tests, open_documents, close_documents);
}
