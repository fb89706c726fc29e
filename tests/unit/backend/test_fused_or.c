/* test_fused_or.c: ORs in batches on the emulated device: lists are kept and go, answers are the cpu's, faults end
 * nothing but the batch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/exec/fused_or.h"
#include "lab/gpu/gpu_tiled.h"
#include "rank/rank.h"

enum { DOCS = 20000, LISTS = 4, CODES = 16, QUERIES = 6, ROOM = 1 << 22, TIMES = 64 };

static const float weights[LISTS] = {5e6F, 3e6F, 1e6F, 0};

/* Lists of every 2nd, 7th, 60th and 1,000th document, as they lie in device memory. */
typedef struct fixture {
    rp__device device;
    uint32_t docids[LISTS][DOCS], tfs[LISTS][DOCS], n[LISTS];
    uint8_t codes[DOCS];
    float norms[CODES];
    rp__cu_ptr memory[2 * LISTS + 2];
    size_t n_memory;
    rp__gpu_tiled_want want[LISTS];
    karg_norms on_device;
    rp__gpu_tiled tiled;
    rp__fused_or door;
    uint32_t times; /* that a query has each of its lists, with weights that fall */
} fixture;

static rp_status bring(fixture *f, const void *from, size_t bytes, uint64_t *at)
{
    rp__cu_ptr *to = &f->memory[f->n_memory];
    rp_status status = rp__device_alloc(&f->device, bytes + 16, to);
    if (status != RP_OK)
        return status;
    f->n_memory++;
    *at = *to;
    return rp__device_copy_in(&f->device, *to, from, bytes);
}

static void draw(fixture *f)
{
    static const uint32_t steps[LISTS] = {2, 7, 60, 1000};
    for (uint32_t i = 0; i < CODES; i++)
        f->norms[i] = 0.3F + 0.2F * (float)i;
    for (uint32_t i = 0; i < DOCS; i++)
        f->codes[i] = (uint8_t)(i * 7919 % CODES);
    for (uint32_t l = 0; l < LISTS; l++)
        for (uint32_t d = l; d < DOCS; d += steps[l]) {
            f->docids[l][f->n[l]] = d;
            f->tfs[l][f->n[l]++] = 1 + d * 31 % 11;
        }
}

static rp_status bring_all(fixture *f)
{
    rp_status status = bring(f, f->codes, sizeof f->codes, &f->on_device.codes);
    if (status == RP_OK)
        status = bring(f, f->norms, sizeof f->norms, &f->on_device.table);
    f->on_device.code_bytes = 1;
    f->on_device.n_table = CODES;
    for (uint32_t l = 0; l < LISTS && status == RP_OK; l++) {
        karg_list *list = &f->want[l].word.list;
        f->want[l].key = l + 1;
        *list = (karg_list){.n = f->n[l],
                            .n_blocks = (f->n[l] + KARG_BLOCK - 1) / KARG_BLOCK,
                            .docs_bytes = 4 * f->n[l],
                            .universe = DOCS,
                            .codec = KARG_CODEC_RAW,
                            .freq_code = KARG_CODEC_RAW};
        status = bring(f, f->docids[l], 4 * f->n[l], &list->docs);
        if (status == RP_OK)
            status = bring(f, f->tfs[l], 4 * f->n[l], &list->freqs);
    }
    return status;
}

static float weight_of(uint32_t list, uint32_t time)
{
    return weights[list] / (float)(1 + 2 * time);
}

static rp_status open_all(fixture *f, size_t most)
{
    rp_error err;
    memset(f, 0, sizeof *f);
    f->times = 1;
    draw(f);
    rp_status status = rp__device_open(&f->device, rp__emulated_device_driver(), 0, &err);
    if (status == RP_OK)
        status = bring_all(f);
    if (status == RP_OK) {
        rp__gpu_tiled_open(&f->tiled, &f->device, f->on_device, DOCS, most);
        rp__fused_or_open(&f->door, &f->device);
    }
    return status;
}

static void close_all(fixture *f)
{
    rp__fused_or_close(&f->door, NULL);
    rp__gpu_tiled_close(&f->tiled);
    for (size_t i = 0; i < f->n_memory; i++)
        rp__device_free(&f->device, f->memory[i]);
    rp__device_close(&f->device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* Query q has the lists of the bits of q + 1. */
static bool has(uint32_t query, uint32_t list)
{
    return (query + 1) >> list & 1;
}

/* Its number of documents. */
static uint32_t answer(const fixture *f, uint32_t query, rp__topk *topk)
{
    uint32_t n = 0;
    static uint32_t scores[DOCS];
    static bool matches[DOCS];
    memset(scores, 0, sizeof scores);
    memset(matches, 0, sizeof matches);
    for (uint32_t l = 0; l < LISTS; l++)
        for (uint32_t i = 0; has(query, l) && i < f->n[l]; i++) {
            uint32_t d = f->docids[l][i];
            for (uint32_t time = 0; time < f->times; time++)
                scores[d] += rp__rank_fix(
                    rp__rank_bm25(weight_of(l, time), f->norms[f->codes[d]], f->tfs[l][i]), 1);
            matches[d] = true;
        }
    for (uint32_t d = 0; d < DOCS; d++) {
        if (matches[d] && topk->k > 0)
            rp__topk_push(topk, scores[d], d);
        n += matches[d];
    }
    rp__topk_finish(topk);
    return n;
}

typedef enum kind { PRUNED, ALL_SCORED, COUNTED } kind;

static rp_status run(fixture *f, uint32_t k, kind kind_of, const karg_pair **pairs,
                     const uint32_t **counts)
{
    static rp__fused_or_term terms[QUERIES][LISTS * TIMES];
    rp__fused_or_query queries[QUERIES];
    karg_tiled lists[LISTS];
    rp_status status = rp__gpu_tiled_get(&f->tiled, f->want, LISTS, lists);
    for (uint32_t q = 0; q < QUERIES; q++) {
        queries[q] = (rp__fused_or_query){.terms = terms[q]};
        for (uint32_t l = 0; l < LISTS * f->times; l++)
            if (has(q, l % LISTS))
                terms[q][queries[q].n_terms++] =
                    (rp__fused_or_term){lists[l % LISTS], weight_of(l % LISTS, l / LISTS)};
    }
    rp__fused_or_batch batch = {.queries = queries,
                                .n_queries = QUERIES,
                                .k = k,
                                .n_docs = DOCS,
                                .scores_all = kind_of == ALL_SCORED,
                                .counts_all = kind_of == COUNTED};
    if (status == RP_OK)
        status = rp__fused_or_run(&f->door, &batch);
    return status == RP_OK ? rp__fused_or_fetch(&f->door, pairs, counts) : status;
}

static void check(fixture *f, uint32_t k, kind kind_of)
{
    const karg_pair *pairs;
    const uint32_t *counts;
    rp__scored *room = malloc(rp__topk_room(k) * sizeof *room);
    assert_int_equal(run(f, k, kind_of, &pairs, &counts), RP_OK);
    for (uint32_t q = 0; q < QUERIES; q++) {
        rp__topk topk;
        rp__topk_init(&topk, room, k);
        const uint32_t total = answer(f, q, &topk);
        assert_int_equal(counts[q], topk.n);
        assert_true(kind_of != COUNTED || counts[QUERIES + q] == total);
        assert_memory_equal(pairs + (size_t)q * k, topk.at, topk.n * sizeof *topk.at);
    }
    free(room);
}

static void batches_have_the_answers_of_the_cpu(void **state)
{
    (void)state;
    static fixture f;
    for (uint64_t seed = 0; seed < 5; seed++) {
        rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
        assert_int_equal(open_all(&f, ROOM), RP_OK);
        check(&f, 10, PRUNED);
        check(&f, 10, COUNTED);
        check(&f, 1, ALL_SCORED);
        check(&f, 1, COUNTED);
        check(&f, 8000, PRUNED);
        check(&f, 8000, COUNTED);
        check(&f, 300, ALL_SCORED);
        check(&f, 0, COUNTED);
        check(&f, 33, COUNTED);
        check(&f, 10, PRUNED);
        close_all(&f);
    }
}

/* Of 11 to 22, of 22 to 44, and of 64 to 128 terms. */
static void long_batches_have_the_answers_of_the_cpu(void **state)
{
    (void)state;
    static const uint32_t times[] = {11, 22, TIMES};
    static fixture f;
    for (uint64_t seed = 0; seed < 3; seed++) {
        rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
        assert_int_equal(open_all(&f, ROOM), RP_OK);
        f.times = times[seed];
        check(&f, 10, PRUNED);
        check(&f, 10, COUNTED);
        check(&f, 1, ALL_SCORED);
        check(&f, 1000, PRUNED);
        check(&f, 10000, COUNTED);
        check(&f, 0, COUNTED);
        f.times = 1;
        check(&f, 33, PRUNED);
        close_all(&f);
    }
}

static void lists_are_laid_out_once(void **state)
{
    (void)state;
    static fixture f;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(open_all(&f, ROOM), RP_OK);
    check(&f, 10, PRUNED);
    assert_int_equal(f.tiled.n_lists, LISTS);
    size_t used = f.tiled.used;
    check(&f, 10, PRUNED);
    assert_int_equal(f.tiled.used, used);
    close_all(&f);
}

/* Room for all four lists, but not for a fifth as long as the longest. */
static void lists_go_where_there_is_no_room(void **state)
{
    (void)state;
    static fixture f;
    karg_tiled out[2];
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(open_all(&f, 96 << 10), RP_OK);
    check(&f, 10, PRUNED);
    rp__gpu_tiled_want more[2] = {f.want[0], f.want[0]};
    more[0].key = more[1].key = LISTS + 1;
    assert_int_equal(rp__gpu_tiled_get(&f.tiled, more, 2, out), RP_OK);
    assert_int_equal(f.tiled.n_lists, 1);
    assert_memory_equal(&out[0], &out[1], sizeof out[0]);
    check(&f, 10, PRUNED);
    more[1].key++;
    assert_int_equal(rp__gpu_tiled_get(&f.tiled, more, 2, out), RP_NO_MEMORY);
    check(&f, 10, PRUNED);
    close_all(&f);
}

static void damaged_lists_are_told(void **state)
{
    (void)state;
    static fixture f;
    const karg_pair *pairs;
    const uint32_t *counts;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    for (uint32_t how = 0; how < 3; how++) {
        static const uint32_t wrong[3] = {0, DOCS, UINT32_MAX};
        assert_int_equal(open_all(&f, ROOM), RP_OK);
        f.docids[1][150] = wrong[how];
        assert_int_equal(
            rp__device_copy_in(&f.device, f.want[1].word.list.docs, f.docids[1], 4 * f.n[1]),
            RP_OK);
        assert_int_equal(run(&f, 10, PRUNED, &pairs, &counts), RP_OK);
        for (uint32_t q = 0; q < QUERIES; q++)
            assert_true((counts[q] == UINT32_MAX) == has(q, 1));
        close_all(&f);
    }
}

/* Every call of the driver fails in turn; what is asked of a device that is not lost after that is answered. */
static void failing_calls_end_the_batch_alone(void **state)
{
    (void)state;
    static fixture f;
    const karg_pair *pairs;
    const uint32_t *counts;
    uint64_t n = 0;
    for (uint64_t at = 1; n == 0 || at <= n; at++) {
        rp__emulated_device_configure(
            &(rp__emulated_device_options){.fail_at = at, .fail_code = RP_CU_NO_MEMORY});
        rp_status status = open_all(&f, ROOM);
        if (status == RP_OK && run(&f, 10, PRUNED, &pairs, &counts) == RP_OK)
            n = at - 1;
        if (status == RP_OK && !f.device.is_lost)
            check(&f, 10, PRUNED);
        close_all(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_have_the_answers_of_the_cpu),
        cmocka_unit_test(long_batches_have_the_answers_of_the_cpu),
        cmocka_unit_test(lists_are_laid_out_once),
        cmocka_unit_test(lists_go_where_there_is_no_room),
        cmocka_unit_test(damaged_lists_are_told),
        cmocka_unit_test(failing_calls_end_the_batch_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
