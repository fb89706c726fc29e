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

#include "backend/gpu/emulated.h"
#include "backend/gpu/kernels/args.h"
#include "strict/strict.h"
#include "strict/strict_case.h"

enum { SEEDS = 5 };

static const char unfenced[] = "it reads what another warp wrote";
static const char cached[] = "prim_load reads what was written since the launch began";
static const char coming[] = "before the wait for the copy that fills it";
static const char halves[] = "two halves that are not of one store";
static const char misplaced[] = "not aligned to its size";

/* A fault, the rows of gpu_case.h that run it ("area name" begins with this), and how it is to be found. */
typedef struct row {
    const char *name;
    strict_plant plant;
    const char *cases, *kernel, *rule;
} row;

/* Of a fence before an atomic (a release) the writer is at fault, of one after it (an acquire) the reader. found_end has two
 * fences before its atomic, either of which is enough: both are left out, and so are all four. */
static const row rows[] = {
    {"and_top_is_last, release",
     {STRICT_NO_FENCE, "and_top_is_last", 1},
     "batch",
     "and_top_kernel",
     unfenced},
    {"and_top_is_last, acquire",
     {STRICT_NO_FENCE, "and_top_is_last", 2},
     "batch",
     "and_top_kernel",
     unfenced},
    {"found_end", {STRICT_NO_FENCE, "found_end", 0}, "flat", "score", unfenced},
    {"found_end, acquire", {STRICT_NO_FENCE, "found_end", 4}, "flat", "score", unfenced},
    {"told.cuh, release",
     {STRICT_NO_FENCE, "told_end", 1},
     "flat",
     "and_score_stay_kernel",
     unfenced},
    {"told.cuh, acquire",
     {STRICT_NO_FENCE, "told_end", 2},
     "flat",
     "and_score_stay_kernel",
     unfenced},
    {"narrow.cuh, release",
     {STRICT_NO_FENCE, "narrow_is_last_of", 1},
     "select",
     "select_",
     unfenced},
    {"narrow.cuh, acquire",
     {STRICT_NO_FENCE, "narrow_is_last_of", 2},
     "select",
     "select_",
     unfenced},
    {"or_tile's last block, release",
     {STRICT_NO_FENCE, "do_group", 1},
     "or",
     "or_tile_kernel",
     unfenced},
    {"or_tile's last block, acquire",
     {STRICT_NO_FENCE, "end_group", 1},
     "or",
     "or_tile_kernel",
     unfenced},
    {"block_stage.cuh's wait", {STRICT_NO_WAIT, "block_copy", 0}, "decode", "decode_", coming},
    {"prim_load_now made prim_load",
     {STRICT_CACHED, "narrow_pass", 0},
     "select",
     "select_",
     cached},
    {"compact.cuh's word in two halves",
     {STRICT_TWO_HALVES, "compact_tell", 0},
     "intersect",
     "intersect_",
     halves},
    {"16 bytes at an 8-byte address",
     {STRICT_MISPLACED, "sample_best", 0},
     "select",
     "select_sample_kernel",
     misplaced},
};

/* Runs rows until the fault is found; "": it is not. */
static const char *look_for(const row *r)
{
    static const uint64_t sizes[] = {4097, 50000};
    const rp__gpu_case *c;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (size_t i = 0; (c = rp__gpu_case_at(i)); i++) {
                rp_error err = {.text = ""};
                if (strncmp(c->area, r->cases, strlen(r->cases)) != 0)
                    continue;
                (void)strict_case_run(c, sizes[s], seed, &err);
                if (strict_fault()[0]) {
                    print_message("%s: found by %s %s of %d, seed %d: %s\n", r->name, c->area,
                                  c->name, (int)sizes[s], (int)seed, strict_fault());
                    return strict_fault();
                }
            }
    return "";
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planted_faults_are_found)};
    strict_begin();
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
