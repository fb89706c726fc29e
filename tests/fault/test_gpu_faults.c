/* test_gpu_faults.c: a GPU that fails the process which uses it: every query is answered as by the cpu, the device is
 * not asked again, the fault is told once, and nothing is left behind.
 *
 * Kernels that fail are run by a process each, on the emulated device or on the card that RIPOSTE_GPU names; calls
 * and commands that are made to fail are the emulated device's. fault/gpu_world.h has more. RIPOSTE_THOROUGH has
 * every call fail with every code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/gpu/device/emulated_device.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "fault/gpu_world.h"
#include "fault/planted_gpu.h"

/* Those after which a process must not use its context; then others that devices are known to give up with; then
 * such as tell of one call alone. */
static const int fatal[] = {700, 702, 714, 715, 716, 717, 718, 719, 721, 810};
static const int others[] = {3, 4, 46, 100, 101, 201, 214, 220, 400, 709, 710, 999};
static const int passing[] = {RP_CU_INVALID, RP_CU_NO_MEMORY, RP_CU_NO_IMAGE, RP_CU_NOT_FOUND,
                              RP_CU_NO_RESOURCES};

enum { STUCK_MS = 30 }; /* after which a device is given up that does not come back */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Kernels that fail ----------------------------------------------------------------------------- */

static void ask_thrice(rp_searcher *searcher)
{
    for (int i = 0; i < 3; i++)
        assert_string_equal(gpu_world_search(searcher), "cpu");
    rp_gpu_state s = gpu_world_state(searcher);
    assert_true(s.is_lost);
    assert_int_equal(s.faults, 1);
    assert_int_equal(s.answered, 1);
    print_message("  %s\n", s.fault);
}

/* In a process of its own, which ends with 0 if all went as it should. */
static void meet(plant what)
{
    rp_search_options options = {.processor = "gpu", .gpu_timeout = 500};
    rp_searcher *searcher = gpu_world_searcher(options), *again = NULL;
    rp_error err = {.text = ""};
    uint64_t begin;
    assert_string_equal(gpu_world_search(searcher), "gpu");
    planted_gpu_break(what);
    begin = rp__clock_now();
    assert_string_equal(gpu_world_search(searcher), "cpu");
    print_message("  answered by the cpu after %.3f s\n", gpu_world_seconds(begin));
    ask_thrice(searcher);
    if (planted_gpu_is_real()) {
        assert_int_equal(gpu_world_try(options, &again, &err), RP_UNAVAILABLE);
        print_message("  the next searcher: %s\n", err.text);
    }
    begin = rp__clock_now();
    rp_searcher_free(searcher);
    print_message("  closed after %.3f s\n", gpu_world_seconds(begin));
}

static void meet_apart(plant what)
{
    int status = 0;
    uint64_t begin = rp__clock_now();
    pid_t process = fork();
    if (process == 0) {
        meet(what);
        fflush(stdout);
        exit(0);
    }
    waitpid(process, &status, 0);
    print_message("  and ended after %.3f s\n", gpu_world_seconds(begin));
    assert_int_equal(status, 0);
}

static void planted_illegal_address_is_met(void **state)
{
    (void)state;
    meet_apart(PLANT_ILLEGAL);
}

static void planted_misaligned_address_is_met(void **state)
{
    (void)state;
    meet_apart(PLANT_MISALIGNED);
}

static void planted_trap_is_met(void **state)
{
    (void)state;
    meet_apart(PLANT_TRAP);
}

static void planted_endless_kernel_is_met(void **state)
{
    (void)state;
    meet_apart(PLANT_ENDLESS);
}

/* ---- Calls and commands that fail ------------------------------------------------------------------ */

typedef struct tally {
    uint64_t runs, none, lost, by_cpu;
} tally;

/* Two searches, and all around them. What a device that does not come back holds is left to the end. */
static void search_twice(const rp__emulated_device_options *emulated, rp_mode mode, bool is_stuck,
                         tally *t)
{
    rp_search_options options = {.processor = "gpu",
                                 .gpu = "emulated",
                                 .mode = mode,
                                 .gpu_timeout = is_stuck ? STUCK_MS : 0};
    rp_searcher *searcher;
    rp_error err = {.text = ""};
    rp__emulated_device_configure(emulated);
    uint64_t memory = rp__alloc_in_use();
    rp_status status = gpu_world_try(options, &searcher, &err);
    t->runs++;
    if (status == RP_OK) {
        (void)gpu_world_search(searcher);
        const char *processor = gpu_world_search(searcher);
        rp_gpu_state s = gpu_world_state(searcher);
        assert_true(s.faults <= 1 && s.is_lost == (s.faults == 1) &&
                    s.is_lost == (s.fault[0] != 0));
        t->lost += s.is_lost;
        t->by_cpu += !strcmp(processor, "cpu");
        assert_true(!s.is_lost || !strcmp(processor, "cpu"));
        rp_searcher_free(searcher);
    } else {
        assert_true(status == RP_UNAVAILABLE || status == RP_NO_MEMORY);
        assert_true(err.text[0] != 0);
        t->none++;
    }
    if (is_stuck)
        rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(rp__emulated_device_in_use(), 0);
    assert_int_equal(rp__alloc_in_use(), memory);
}

static uint64_t count_calls(rp_mode mode)
{
    tally t = {0};
    search_twice(&(rp__emulated_device_options){0}, mode, false, &t);
    assert_int_equal(t.none + t.lost + t.by_cpu, 0);
    return rp__emulated_device_calls();
}

/* Each code fails one of five calls, each call by one of five codes or more; with RIPOSTE_THOROUGH all by all. */
static void fail_with(const int *codes, size_t n, rp_mode mode, tally *t)
{
    uint64_t calls = count_calls(mode), step = getenv("RIPOSTE_THOROUGH") ? 1 : 5;
    for (size_t c = 0; c < n; c++) {
        for (uint64_t at = 1 + c % step; at <= calls; at += step)
            search_twice(&(rp__emulated_device_options){.fail_at = at, .fail_code = codes[c]}, mode,
                         false, t);
        for (uint64_t every = 1 + c % step; every <= 16; every += step)
            search_twice(&(rp__emulated_device_options){.fail_at = every,
                                                        .fail_every = every,
                                                        .fail_code = codes[c]},
                         mode, false, t);
    }
}

static void check_codes(const int *codes, size_t n, bool loses)
{
    tally t = {0};
    size_t before = gpu_world_descriptors();
    fail_with(codes, n, RP_MODE_AND, &t);
    fail_with(codes, n, RP_MODE_OR, &t);
    print_message(
        "  %llu runs: %llu without a searcher, %llu lost the device, %llu ended on the cpu\n",
        (unsigned long long)t.runs, (unsigned long long)t.none, (unsigned long long)t.lost,
        (unsigned long long)t.by_cpu);
    assert_int_equal(t.lost > 0, loses);
    assert_true(t.by_cpu > 0 && t.none > 0);
    assert_int_equal(gpu_world_descriptors(), before);
}

static void every_call_fails_fatally(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fatal); i++)
        assert_true(rp__driver_is_fatal(fatal[i]) && !rp__driver_is_passing(fatal[i]));
    check_codes(fatal, COUNT(fatal), true);
}

static void every_call_fails_otherwise(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(others); i++)
        assert_true(!rp__driver_is_fatal(others[i]) && !rp__driver_is_passing(others[i]));
    check_codes(others, COUNT(others), true);
}

static void every_call_fails_in_passing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(passing); i++)
        assert_true(rp__driver_is_passing(passing[i]));
    check_codes(passing, COUNT(passing), false);
}

/* Copies and kernels that were begun well, and end badly or never; in the middle of loading, or of a query. */
static void every_command_stops(void **state)
{
    (void)state;
    static const int codes[] = {700, 719, 0};
    for (size_t c = 0; c < COUNT(codes); c++) {
        tally t = {0};
        for (uint64_t at = 1; at <= 24; at++)
            search_twice(&(rp__emulated_device_options){.stop_at = at, .stop_code = codes[c]},
                         at % 2 ? RP_MODE_AND : RP_MODE_OR, codes[c] == 0, &t);
        print_message("  code %d: 24 runs, %llu lost the device\n", codes[c],
                      (unsigned long long)t.lost);
        assert_true(t.lost > 5);
    }
}

/* The persistent kernel is there after a burst of ANDs. If it never leaves, closing gives the device up. */
static void a_persistent_kernel_that_does_not_leave_is_left(void **state)
{
    (void)state;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    uint64_t memory = rp__alloc_in_use();
    rp_searcher *searcher = gpu_world_searcher((rp_search_options){
        .processor = "gpu", .gpu = "emulated", .mode = RP_MODE_AND, .gpu_timeout = STUCK_MS});
    for (int i = 0; i < 4; i++)
        assert_string_equal(gpu_world_search(searcher), "gpu");
    rp__emulated_device_stop(0);
    rp_searcher_free(searcher);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(rp__alloc_in_use(), memory);
}

/* Many queries at once, of which the command of this number stops. Whether it came to that. */
static bool stop_batch(uint64_t at, int code)
{
    rp_search_options options = {
        .processor = "gpu", .gpu = "emulated", .gpu_timeout = code ? 0 : STUCK_MS};
    rp__emulated_device_configure(
        &(rp__emulated_device_options){.stop_at = at, .stop_code = code, .seed = at});
    uint64_t memory = rp__alloc_in_use();
    rp_searcher *searcher = gpu_world_searcher(options);
    size_t by_gpu = gpu_world_batch(searcher, 60, 1);
    rp_gpu_state s = gpu_world_state(searcher);
    assert_int_equal(s.answered, by_gpu);
    assert_true(s.faults <= 1 && s.is_lost == (s.faults == 1));
    assert_true(s.is_lost || by_gpu == 60);
    rp_searcher_free(searcher);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(rp__alloc_in_use(), memory);
    return s.is_lost;
}

static void every_command_of_batches_stops(void **state)
{
    (void)state;
    uint64_t n = 0;
    while (stop_batch(n + 1, 700))
        n++;
    for (uint64_t at = 1; at <= n; at++) {
        (void)stop_batch(at, 719);
        (void)stop_batch(at, 0);
    }
    print_message("  %llu commands\n", (unsigned long long)n);
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_illegal_address_is_met),
        cmocka_unit_test(planted_misaligned_address_is_met),
        cmocka_unit_test(planted_trap_is_met),
        cmocka_unit_test(planted_endless_kernel_is_met),
        cmocka_unit_test(every_call_fails_fatally),
        cmocka_unit_test(every_call_fails_otherwise),
        cmocka_unit_test(every_call_fails_in_passing),
        cmocka_unit_test(every_command_stops),
        cmocka_unit_test(a_persistent_kernel_that_does_not_leave_is_left),
        cmocka_unit_test(every_command_of_batches_stops),
    };
    return cmocka_run_group_tests(tests, gpu_world_open, gpu_world_close);
}
