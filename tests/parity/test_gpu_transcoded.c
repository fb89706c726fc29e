/* test_gpu_transcoded.c: what stays on the emulated device of lists in every codec, with frequencies in
 * codes by turns: a second batch transcodes nothing, and a damaged list is remembered as damaged.
 * Lists have up to 9 blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "parity/launch_log.h"

enum { DOCS = 1150, WORDS = 30, QUERIES = 20, TEXT = 128 };

static collection c;

static size_t count_codes(void)
{
    size_t n = 0;
    while (rp_freqs_name(n))
        n++;
    return n;
}

/* Every codec, each with another code; iiu has a way of its own. */
static void open_collection(size_t turn)
{
    const char *codec;
    c = (collection){.name = "codecs", .stem = "none", .stop = "none"};
    chance_seed(5);
    for (size_t i = 0; (codec = rp_codec_name(i)); i++) {
        c.freqs = strcmp(codec, "iiu") ? rp_freqs_name((i + turn) % count_codes()) : NULL;
        collection_add_codec(&c, codec);
    }
    collection_fill(&c, DOCS, WORDS, 20);
    collection_end(&c);
}

static void draw_queries(char texts[QUERIES][TEXT], rp_batch_query *queries)
{
    char word[32];
    for (size_t i = 0; i < QUERIES; i++) {
        texts[i][0] = 0;
        for (uint64_t n = 1 + chance_below(3); n > 0; n--) {
            collection_put_word(word, chance_below(WORDS));
            strcat(strcat(texts[i], word), " ");
        }
        queries[i] = (rp_batch_query){.query = texts[i], .query_bytes = strlen(texts[i])};
    }
}

/* Once a group's lists are on the card, an AND needs one launch and one copy, in every codec. */
static void second_batches_need_one_launch(void **state)
{
    (void)state;
    static char texts[QUERIES][TEXT];
    rp_batch_query queries[QUERIES];
    rp_batch_options how = {.threads = 1, .elements = 1 << 20};
    rp_batch_report report;
    open_collection(3);
    for (size_t i = 0; i < c.n_codecs; i++) {
        rp_search_options options = {.processor = "gpu", .gpu = "emulated", .mode = RP_MODE_AND};
        rp_error err = {.text = ""};
        rp_searcher *gpu;
        launch_counts before = {0, 0};
        launch_log_begin(2);
        assert_int_equal(rp_searcher_new(c.indexes[i], &options, &gpu, &err), RP_OK);
        draw_queries(texts, queries);
        for (int again = 0; again < 2; again++) {
            before = launch_log_counts();
            assert_int_equal(rp_searcher_batch(gpu, queries, QUERIES, &how, &report, &err), RP_OK);
            for (size_t q = 0; q < QUERIES; q++)
                rp_hits_free(&queries[q].hits);
        }
        launch_counts now = launch_log_counts();
        if (now.launches - before.launches != 1 || now.copies - before.copies != 1)
            fail_msg("%s: %d launches, %d copies", c.codecs[i],
                     (int)(now.launches - before.launches), (int)(now.copies - before.copies));
        rp_searcher_free(gpu);
        launch_log_end();
    }
    collection_close(&c);
}

/* ---- Damage ---------------------------------------------------------------------------------------- */

/* Changes a byte in each 200 of the lists of index i, which is open. */
static void damage_lists(size_t i)
{
    enum { EACH = 200, HEAD = 512 };
    char path[160];
    snprintf(path, sizeof path, "%s/%s/lists.00000001.rp", c.folder, c.codecs[i]);
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    for (long at = HEAD; at < size - HEAD; at += EACH) {
        assert_int_equal(fseek(f, at, SEEK_SET), 0);
        assert_int_equal(fputc((int)chance_below(256), f) == EOF, 0);
    }
    assert_int_equal(fclose(f), 0);
}

/* The CPU's status and message. Hits are not compared: bounds of scores that were changed are sound,
 * and decide which hits are found. */
static size_t expect_damage(const char *codec, const rp_batch_query *got, rp_searcher *cpu)
{
    rp_hits want;
    rp_error err = {.text = ""};
    rp_status status = rp_searcher_search(cpu, got->query, got->query_bytes, &want, &err);
    if (got->status != status || (status != RP_OK && strcmp(got->err.text, err.text) != 0))
        fail_msg("%s: '%s': status %d (%s), the cpu's %d (%s)", codec, got->query, (int)got->status,
                 got->err.text, (int)status, err.text);
    rp_hits_free(&want);
    return status != RP_OK;
}

/* Damaged lists are found, and not transcoded again: a second batch needs no launch but its own. */
static void damaged_lists_are_remembered(void **state)
{
    (void)state;
    static char texts[QUERIES][TEXT];
    rp_batch_query queries[QUERIES];
    rp_batch_options how = {.threads = 1, .elements = 1 << 20};
    rp_batch_report report;
    size_t n_damaged = 0;
    open_collection(7);
    for (size_t i = 0; i < c.n_codecs; i++) {
        rp_search_options options = {.processor = "cpu", .mode = RP_MODE_AND, .k = 10};
        rp_error err = {.text = ""};
        rp_searcher *gpu, *cpu;
        launch_counts before = {0, 0};
        damage_lists(i);
        assert_int_equal(rp_searcher_new(c.indexes[i], &options, &cpu, &err), RP_OK);
        launch_log_begin(2);
        options.processor = "gpu";
        options.gpu = "emulated";
        assert_int_equal(rp_searcher_new(c.indexes[i], &options, &gpu, &err), RP_OK);
        draw_queries(texts, queries);
        for (int again = 0; again < 2; again++) {
            before = launch_log_counts();
            assert_int_equal(rp_searcher_batch(gpu, queries, QUERIES, &how, &report, &err), RP_OK);
            for (size_t q = 0; q < QUERIES; q++) {
                n_damaged += expect_damage(c.codecs[i], &queries[q], cpu);
                rp_hits_free(&queries[q].hits);
            }
        }
        assert_true(launch_log_counts().launches - before.launches <= 1);
        rp_searcher_free(gpu);
        rp_searcher_free(cpu);
        launch_log_end();
    }
    print_message("%zu queries met damage\n", n_damaged);
    assert_true(n_damaged > c.n_codecs);
    collection_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(second_batches_need_one_launch),
                                       cmocka_unit_test(damaged_lists_are_remembered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
