/* test_operators_andor.c: mode andor by operators, as a program asks: the AND, and the OR where that has fewer than k
 * documents. Hits are the cpu's, chained and stepped, in several codecs and four orders of threads, and no other processor
 * answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "oracle/collection.h"

enum { DOCS = 1700, WORDS = 60, LENGTH = 80, ORDERS = 4, SUFFICES = 10, FALLS_BACK = 1500 };

static const char *const codecs[] = {"bp128", "lrc", "vbyte", "seglrc", "mixed"};
enum { CODECS = sizeof codecs / sizeof codecs[0] };

static collection c;

static int open_collection(void **state)
{
    (void)state;
    collection_draw(&c, &(collection_recipe){"andor", 29, codecs, CODECS, DOCS, WORDS, LENGTH});
    return 0;
}

static int close_collection(void **state)
{
    (void)state;
    collection_close(&c);
    return 0;
}

static rp_searcher *open_searcher(size_t codec, size_t k, const char *algorithm)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    const rp_search_options options = {.mode = RP_MODE_ANDOR,
                                       .k = k,
                                       .total = RP_TOTAL_EXACT,
                                       .processor = algorithm ? "gpu" : "cpu",
                                       .gpu = algorithm ? "emulated" : NULL,
                                       .algorithm = algorithm,
                                       .strict_processor = algorithm != NULL};
    if (rp_searcher_new(c.indexes[codec], &options, &searcher, &err) != RP_OK)
        fail_msg("%s, %s: %s", codecs[codec], algorithm, err.text);
    return searcher;
}

/* Of words whose AND has more than ten documents and fewer than 1,500. */
static rp_hits ask(rp_searcher *searcher, size_t n_words)
{
    rp_error err = {.text = ""};
    rp_hits hits;
    char text[256] = "", word[32];
    for (size_t i = 0; i < n_words; i++) {
        collection_put_word(word, 2 * i);
        strcat(strcat(text, word), " ");
    }
    if (rp_searcher_search(searcher, text, strlen(text), &hits, &err) != RP_OK)
        fail_msg("'%s': %s", text, err.text);
    return hits;
}

static void assert_same(const rp_hits *got, const rp_hits *want, bool falls_back)
{
    assert_string_equal(got->processor, "gpu");
    assert_int_equal(got->is_or_fallback, falls_back);
    assert_int_equal(want->is_or_fallback, falls_back);
    assert_int_equal(got->total, want->total);
    assert_int_equal(got->n, want->n);
    for (size_t i = 0; i < want->n; i++) {
        assert_int_equal(got->at[i].docid, want->at[i].docid);
        assert_int_equal(got->at[i].fixed, want->at[i].fixed);
    }
}

static void ask_both(size_t codec, size_t k, const char *algorithm)
{
    rp_searcher *cpu = open_searcher(codec, k, NULL), *gpu = open_searcher(codec, k, algorithm);
    for (size_t n_words = 2; n_words <= 4; n_words++) {
        rp_hits want = ask(cpu, n_words), got = ask(gpu, n_words);
        assert_same(&got, &want, k == FALLS_BACK);
        rp_hits_free(&want);
        rp_hits_free(&got);
    }
    rp_searcher_free(cpu);
    rp_searcher_free(gpu);
}

static void andor_is_as_on_the_cpu(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ORDERS; seed++)
        for (size_t codec = 0; codec < CODECS; codec++) {
            rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
            ask_both(codec, SUFFICES, "operators:mode=chained");
            ask_both(codec, SUFFICES, "operators:mode=stepped");
            ask_both(codec, FALLS_BACK, "operators:mode=chained");
            ask_both(codec, FALLS_BACK, "operators:mode=stepped");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(andor_is_as_on_the_cpu)};
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, open_collection, close_collection);
}
