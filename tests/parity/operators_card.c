/* operators_card.c: queries by operators on an emulated device, for tests of them. */
#include "parity/operators_card.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/operators/operator_table.h"
#include "oracle/collection.h"
#include "tempdir.h"

enum { DEVICE_BYTES = 8 << 20 };

char operators_queries[OPERATORS_QUERIES][OPERATORS_TEXT];
char operators_damaged[OPERATORS_SPEC];
static collection c;
static tempdir dir;

/* ---- A card -------------------------------------------------------------------------------------- */

void operators_configure(uint64_t seed)
{
    rp__emulated_device_configure(
        &(rp__emulated_device_options){.seed = seed, .memory = DEVICE_BYTES});
}

void operators_path(char *out, size_t room, const char *codec)
{
    snprintf(out, room, "%s/%s", dir.path, codec);
}

bool operators_open_index(operators_card *d, const char *codec, uint64_t memory)
{
    rp_error err = {.text = ""};
    char path[300];
    const rp_search_options plain = {.processor = "cpu"};
    memset(d, 0, sizeof *d);
    operators_path(path, sizeof path, codec);
    if (rp_index_open(path, NULL, &d->index, &err) != RP_OK)
        return false;
    assert_int_equal(rp_searcher_new(d->index, &plain, &d->searcher, &err), RP_OK);
    rp__arena_init(&d->arena, (size_t)64 << 20);
    assert_int_equal(rp__device_open(&d->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&d->there, &d->device, d->searcher->index->segment, memory),
                     RP_OK);
    rp__exec_open(&d->exec, &d->device, &d->there);
    return true;
}

void operators_recode(const char *codec, const char *aux)
{
    rp_error err = {.text = ""};
    char from[128], to[300];
    const rp_recode_options options = {.codec = codec, .aux = aux};
    snprintf(from, sizeof from, "%s/%s", c.folder, c.codecs[0]);
    operators_path(to, sizeof to, codec);
    assert_int_equal(rp_index_recode(from, to, &options, NULL, &err), RP_OK);
}

void operators_open_card(operators_card *d, const char *codec, uint64_t memory)
{
    operators_recode(codec, "lr,hs16,hs32,hs64,hs128,hs256");
    assert_true(operators_open_index(d, codec, memory));
}

void operators_close_card(operators_card *d)
{
    rp__exec_close(&d->exec);
    rp__gpu_index_close(&d->there);
    rp__device_close(&d->device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    rp__arena_reset(&d->arena);
    rp_searcher_free(d->searcher);
    rp_index_close(d->index);
}

void operators_bind(operators_card *d, const char *text, rp_mode mode, size_t k, rp__query *query)
{
    rp_error err = {.text = ""};
    rp__arena_clear(&d->arena);
    assert_int_equal(rp__searcher_bind(d->searcher, text, strlen(text), mode, query, &err), RP_OK);
    query->k = k;
    query->exact_total = true;
}

/* ---- A query ------------------------------------------------------------------------------------- */

const char *operators_codec_of(const rp__query *query)
{
    return rp__segment_get_info(query->segment)->codec;
}

void operators_compare(operators_card *d, const char *spec, const rp__query *query, size_t k,
                       const char *text, const rp__answer *got)
{
    rp_error err = {.text = ""};
    rp__answer want = {0};
    rp_status status = rp__backend_find("cpu")->run(NULL, query, &d->arena, &want, &err);
    want.n = want.n < k ? want.n : k;
    bool is_same = status == RP_OK && got->n == want.n && got->total == want.total;
    for (size_t i = 0; is_same && i < want.n; i++)
        is_same = got->at[i].docid == want.at[i].docid && got->at[i].fixed == want.at[i].fixed;
    if (!is_same)
        fail_msg("%s%s, %s, '%s', k %zu: %zu of %llu hits, the cpu has %zu of %llu, or others %s",
                 operators_damaged, operators_codec_of(query), spec, text, k, got->n,
                 (unsigned long long)got->total, want.n, (unsigned long long)want.total, err.text);
}

bool operators_can(const operators_card *d, const char *spec, size_t k)
{
    rp_error err;
    const rp__algorithm_use use = {.segment = d->searcher->index->segment, .k = k, .is_and = true};
    rp_status status = rp__operator_table_check(spec, &use, &err);
    assert_true(status == RP_OK || (status == RP_USAGE && err.text[0]));
    return status == RP_OK;
}

/* ---- The collection ------------------------------------------------------------------------------ */

static void assert_length(const char *word)
{
    rp__term term = {0};
    assert_int_equal(rp__segment_find(c.indexes[0]->segment, word, strlen(word), &term), RP_OK);
    assert_in_range((term.df + RP_BLOCK - 1) / RP_BLOCK, 3, 9);
}

int operators_open_collection(void **state)
{
    (void)state;
    static const uint8_t words[OPERATORS_QUERIES][4] = {{2, 1}, {7, 5, 3, 0}};
    collection_draw(&c, &(collection_recipe){"operators", 29, (const char *const[]){"bp128"}, 1,
                                             OPERATORS_DOCS, OPERATORS_WORDS, 80});
    for (size_t q = 0; q < OPERATORS_QUERIES; q++) {
        char word[32];
        operators_queries[q][0] = 0;
        for (size_t n = 0; n < 2 + 2 * q; n++) {
            collection_put_word(word, words[q][n]);
            assert_length(word);
            strcat(strcat(operators_queries[q], word), " ");
        }
    }
    return tempdir_make(&dir);
}

int operators_close_collection(void **state)
{
    (void)state;
    collection_close(&c);
    tempdir_remove(&dir);
    return 0;
}
