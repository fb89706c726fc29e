/* test_strict_planted.c: does strict mode find what it is for? Faults are planted in the kernels, one at a time, and each must
 * be found, by its rule and in the kernel that has it; and launches that a card refuses are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/kernels/args.h"
#include "lab/gpu/lab_kernels.h"
#include "strict/strict.h"
#include "strict/strict_case.h"

enum { SEEDS = 5 };

static const char unfenced[] = "it reads what another warp wrote";
static const char cached[] = "prim_load reads what was written since the launch began";
static const char coming[] = "before the wait for the copy that fills it";
static const char halves[] = "two halves that are not of one store";
static const char misplaced[] = "not aligned to its size";

/* A fault, the rows of gpu_case.h that run it ("area name" begins with this) and their size, and how it is to be found. */
typedef struct row {
    const char *name;
    strict_plant plant;
    const char *cases;
    uint64_t n;
    const char *kernel, *rule;
} row;

/* Of a fence before an atomic (a release) the writer lacks it, of one after it (an acquire) the reader. result_end has two
 * of each, either of which is enough for most: there the release is left out with all others, and the acquire is the
 * one before the counts are taken. */
#define FENCE(function, number)                                                                    \
    {                                                                                              \
        STRICT_NO_FENCE, function, number                                                          \
    }
static const row rows[] = {
    {"and_topk_is_last, release", FENCE("and_topk_is_last", 1), "batch and gov ef128", 4097,
     "and_batch_topk_kernel", unfenced},
    {"and_topk_is_last, acquire", FENCE("and_topk_is_last", 2), "batch and gov ef128", 4097,
     "and_batch_topk_kernel", unfenced},
    {"result_end, all", FENCE("result_end", 0), "flat and raw", 4097, "and_single_kernel",
     unfenced},
    {"result_end, acquire", FENCE("result_end", 3), "flat and raw", 4097, "and_single_kernel",
     unfenced},
    {"persistent_result.cuh, release", FENCE("persistent_end", 1),
     "flat and bitmap, a persistent kernel", 50000, "and_single_persistent_kernel", unfenced},
    {"persistent_result.cuh, acquire", FENCE("persistent_end", 2),
     "flat and bitmap, a persistent kernel", 50000, "and_single_persistent_kernel", unfenced},
    {"radix_select.cuh, release", FENCE("radix_select_is_last_of", 1), "select sample", 50000,
     "select_sample_kernel", unfenced},
    {"radix_select.cuh, acquire", FENCE("radix_select_is_last_of", 2), "select sample", 50000,
     "select_sample_kernel", unfenced},
    {"or_maxscore's last block, release", FENCE("do_group", 1), "or tile, skips", 50000,
     "or_maxscore_kernel", unfenced},
    {"or_maxscore's last block, acquire", FENCE("end_group", 1), "or tile, skips", 50000,
     "or_maxscore_kernel", unfenced},
    {"staged_blocks.cuh's wait",
     {STRICT_NO_WAIT, "block_copy", 0},
     "decode bp128",
     4097,
     "decode_bp128_kernel",
     coming},
    {"prim_load_now made prim_load",
     {STRICT_CACHED, "and_topk_answer", 0},
     "batch and gov raw",
     4097,
     "and_batch_topk_kernel",
     cached},
    {"ordered_compaction.cuh's word in two halves",
     {STRICT_TWO_HALVES, "compact_tell", 0},
     "intersect tile",
     4097,
     "intersect_tile_kernel",
     halves},
    {"16 bytes at an 8-byte address",
     {STRICT_MISPLACED, "sample_best", 0},
     "select sample",
     4097,
     "select_sample_kernel",
     misplaced},
};

/* Runs rows until a fault is found. "": none is. */
static const char *look_for(const row *r)
{
    const rp__gpu_case *c;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (size_t i = 0; (c = rp__gpu_case_at(i)); i++) {
            char name[80];
            rp_error err = {.text = ""};
            snprintf(name, sizeof name, "%s %s", c->area, c->name);
            if (strncmp(name, r->cases, strlen(r->cases)) != 0)
                continue;
            (void)strict_case_run(c, r->n, seed, &err);
            if (strict_fault()[0])
                return strict_fault();
        }
    return "";
}

/* A fault is one of the kernels' only if they have none without it: test_strict_kernels.c. */
static void planted_faults_are_found(void **state)
{
    (void)state;
    size_t missed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        strict_plant_fault(r->plant);
        const char *text = look_for(r);
        if (strict_planted() == 0 || !strstr(text, r->kernel) || !strstr(text, r->rule) ||
            !strstr(text, "block ") || !strstr(text, "address 0x")) {
            print_error("%s: run %d times, '%s'\n", r->name, (int)strict_planted(), text);
            missed++;
        }
    }
    strict_plant_fault((strict_plant){0});
    assert_int_equal(missed, 0);
}

/* ---- Launches ------------------------------------------------------------------------------------ */

static rp__cu_result launch(const rp__driver *d, rp__cu_function f, unsigned threads,
                            unsigned shared)
{
    karg_copy args = {0};
    void *record = &args;
    return d->launch(f, 1, 1, 1, threads, 1, 1, shared, NULL, &record, NULL);
}

static void launches_that_a_card_refuses_fail(void **state)
{
    (void)state;
    const rp__driver *d = rp__emulated_device_driver();
    rp__cu_context context;
    rp__cu_module module;
    rp__cu_function f;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(d->context_retain(&context, 0), RP_CU_OK);
    assert_int_equal(d->context_set(context), RP_CU_OK);
    assert_int_equal(d->module_load(&module, "copy"), RP_CU_OK);
    assert_int_equal(d->module_function(&f, module, "copy_kernel"), RP_CU_OK);
    assert_int_equal(launch(d, f, 1024, 48 << 10), RP_CU_OK);
    assert_int_equal(launch(d, f, 1025, 0), RP_CU_INVALID);
    assert_int_equal(launch(d, f, 32, (48 << 10) + 1), RP_CU_INVALID);
    assert_int_equal(d->function_set(f, RP_CU_FUNC_SHARED, (227 << 10) + 1), RP_CU_INVALID);
    assert_int_equal(d->function_set(f, RP_CU_FUNC_SHARED, 227 << 10), RP_CU_OK);
    assert_int_equal(launch(d, f, 32, 227 << 10), RP_CU_OK);
    assert_int_equal(launch(d, f, 32, (227 << 10) + 1), RP_CU_INVALID);
    assert_int_equal(d->module_unload(module), RP_CU_OK);
    assert_int_equal(d->context_set(NULL), RP_CU_OK);
}

int main(void)
{
    rp__lab_kernels_add();
    const struct CMUnitTest tests[] = {cmocka_unit_test(planted_faults_are_found),
                                       cmocka_unit_test(launches_that_a_card_refuses_fail)};
    strict_begin();
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
