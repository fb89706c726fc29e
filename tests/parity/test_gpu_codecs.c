/* test_gpu_codecs.c: every codec with every code of frequencies, on the emulated device against the cpu.
 *
 * One collection whose lists have 1 to 9 blocks is coded in every pair. A searcher answers ANDs, ORs and ANDs that
 * fall back to ORs, one query at a time, in a burst that a persistent kernel serves, and as a batch; each
 * answer equals the cpu's, document for document and score for score. Two orders of threads in `make test`,
 * twenty with RIPOSTE_THOROUGH=1, of which SHARD=i/n has a share. A pair that an index cannot have is named. */
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
#include "oracle/hits.h"
#include "parity/shard.h"
#include "riposte/riposte.h"
#include "tempdir.h"

enum { DOCS = 1200, QUERIES = 4, TEXT = 64, MODES = 3, DEVICE_BYTES = 64 << 20 };

static const char *const mode_names[MODES] = {
    [RP_MODE_OR] = "or", [RP_MODE_AND] = "and", [RP_MODE_ANDOR] = "andor"};

typedef struct pair {
    const char *codec, *freqs; /* freqs NULL: as the codec has them */
} pair;

static collection c;
static tempdir dir;
static char queries[QUERIES][TEXT];
static rp_hits wanted[MODES][QUERIES];
static size_t n_answers, n_on_gpu;

/* ---- What is asked ------------------------------------------------------------------------------- */

static void search(rp_searcher *searcher, const char *what, size_t q, rp_hits *hits)
{
    rp_error err = {.text = ""};
    if (rp_searcher_search(searcher, queries[q], strlen(queries[q]), hits, &err) != RP_OK)
        fail_msg("%s, '%s': %s", what, queries[q], err.text);
}

static rp_searcher *open_searcher(const rp_index *index, const char *processor, rp_mode mode)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    const rp_search_options options = {.processor = processor, .gpu = "emulated", .mode = mode};
    if (rp_searcher_new(index, &options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

/* One to four terms, common ones and rare. */
static void draw_queries(void)
{
    for (size_t q = 0; q < QUERIES; q++)
        collection_put_words(queries[q], 1 + chance_below(4), q % 3 ? 8 : 40);
}

static void answer_by_cpu(void)
{
    for (int mode = 0; mode < MODES; mode++) {
        rp_searcher *searcher = open_searcher(c.indexes[0], "cpu", (rp_mode)mode);
        for (size_t q = 0; q < QUERIES; q++)
            search(searcher, "cpu", q, &wanted[mode][q]);
        rp_searcher_free(searcher);
    }
}

/* ---- One pair ------------------------------------------------------------------------------------ */

static void compare(const char *what, rp_mode mode, size_t q, const rp_hits *got)
{
    const rp_hits *want = &wanted[mode][q];
    if (!hits_are_same(got, want))
        fail_msg("%s, %s, '%s': %zu hits, the cpu has %zu, or others", what, mode_names[mode],
                 queries[q], got->n, want->n);
    n_answers++;
    n_on_gpu += strcmp(got->processor, "gpu") == 0;
}

/* Twice: the second time lists are on the device, and queries follow each other as in a burst. */
static void ask_one_by_one(rp_searcher *searcher, const char *what, rp_mode mode)
{
    for (size_t i = 0; i < 2 * (size_t)QUERIES; i++) {
        rp_hits hits;
        search(searcher, what, i % QUERIES, &hits);
        compare(what, mode, i % QUERIES, &hits);
        rp_hits_free(&hits);
    }
}

static void ask_at_once(rp_searcher *searcher, const char *what, rp_mode mode)
{
    rp_batch_query batch[QUERIES] = {0};
    rp_error err = {.text = ""};
    for (size_t q = 0; q < QUERIES; q++)
        batch[q] = (rp_batch_query){.query = queries[q], .query_bytes = strlen(queries[q])};
    assert_int_equal(rp_searcher_batch(searcher, batch, QUERIES, NULL, NULL, &err), RP_OK);
    for (size_t q = 0; q < QUERIES; q++) {
        if (batch[q].status != RP_OK)
            fail_msg("%s, batch, '%s': %s", what, queries[q], batch[q].err.text);
        compare(what, mode, q, &batch[q].hits);
        rp_hits_free(&batch[q].hits);
    }
}

static const char *freqs_of(const pair *p)
{
    return p->freqs ? p->freqs : "its own frequencies";
}

/* False: an index cannot have this pair. */
static bool code_index(const pair *p, const char *to)
{
    rp_error err = {.text = ""};
    char from[128];
    const rp_recode_options options = {.codec = p->codec, .freqs = p->freqs};
    snprintf(from, sizeof from, "%s/%s", c.folder, c.codecs[0]);
    rp_status status = rp_index_recode(from, to, &options, NULL, &err);
    if (status != RP_OK && status != RP_USAGE)
        fail_msg("%s with %s: %s", p->codec, freqs_of(p), err.text);
    if (status == RP_USAGE)
        print_message("refused: %s with %s\n", p->codec, freqs_of(p));
    return status == RP_OK;
}

static void check_pair(const pair *p, shard_orders orders)
{
    char path[300], what[100];
    rp_index *index;
    rp_error err = {.text = ""};
    snprintf(path, sizeof path, "%s/pair", dir.path);
    snprintf(what, sizeof what, "%s with %s", p->codec, freqs_of(p));
    if (!code_index(p, path))
        return;
    assert_int_equal(rp_index_open(path, NULL, &index, &err), RP_OK);
    for (uint64_t seed = orders.from; seed < orders.to; seed++)
        for (int mode = 0; mode < MODES; mode++) {
            rp__emulated_device_configure(
                &(rp__emulated_device_options){.seed = seed, .memory = DEVICE_BYTES});
            rp_searcher *searcher = open_searcher(index, "gpu", (rp_mode)mode);
            ask_one_by_one(searcher, what, (rp_mode)mode);
            ask_at_once(searcher, what, (rp_mode)mode);
            rp_searcher_free(searcher);
            assert_int_equal(rp__emulated_device_in_use(), 0);
        }
    rp_index_close(index);
}

/* ---- All of them --------------------------------------------------------------------------------- */

static void every_pair_answers(void **state)
{
    (void)state;
    const shard_orders orders = shard_orders_here(2);
    const size_t before = n_answers, before_gpu = n_on_gpu;
    pair p;
    for (size_t i = 0; (p.codec = rp_codec_name(i)); i++) {
        for (size_t j = 0; (p.freqs = rp_freqs_name(j)); j++)
            check_pair(&p, orders);
        check_pair(&p, orders);
    }
    print_message("%zu answers, %zu of them by the gpu\n", n_answers, n_on_gpu);
    assert_int_equal(n_on_gpu - before_gpu, n_answers - before);
}

/* Options of encoders: other cuts, and exceptions. */
static void every_option_answers(void **state)
{
    (void)state;
    static const char *const specs[] = {"pfd:segment=64",
                                        "newpfd:segment=64",
                                        "parapfor:segment=64",
                                        "pfd:segment=128",
                                        "newpfd:exceptions=0.2",
                                        "parapfor:segment=64,exceptions=0.6",
                                        "iiu:max=1",
                                        "iiu:max=7",
                                        "iiu:max=256",
                                        "lrc:exceptions=0.1",
                                        "lrcseg:exceptions=0.6",
                                        "seglrc:exceptions=0.1",
                                        "hslrc256:exceptions=0.1",
                                        "hslrc128:exceptions=0.3"};
    const size_t before = n_answers, before_gpu = n_on_gpu;
    const shard_orders orders = shard_orders_here(2);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        check_pair(&(pair){specs[i], NULL}, orders);
    assert_true(n_answers > before);
    assert_int_equal(n_on_gpu - before_gpu, n_answers - before);
}

static int open_collection(void **state)
{
    (void)state;
    collection_draw(
        &c, &(collection_recipe){"pairs", 23, (const char *const[]){"bp128"}, 1, DOCS, 60, 14});
    draw_queries();
    answer_by_cpu();
    return tempdir_make(&dir);
}

static int close_collection(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODES; mode++)
        for (size_t q = 0; q < QUERIES; q++)
            rp_hits_free(&wanted[mode][q]);
    collection_close(&c);
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_option_answers),
                                       cmocka_unit_test(every_pair_answers)};
    return cmocka_run_group_tests(tests, open_collection, close_collection);
}
