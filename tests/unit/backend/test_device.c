/* test_device.c: a device through the emulated driver: memory, order of work, kernels, faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/device.h"
#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/kernels/args.h"
#include "lab/gpu/lab_kernels.h"

static void open_device(rp__device *device, const rp__emulated_device_options *options)
{
    rp_error err = {.text = ""};
    rp__emulated_device_configure(options);
    if (rp__device_open(device, rp__emulated_device_driver(), 0, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void a_kernel_copies(void **state)
{
    (void)state;
    enum { WORDS = 1000, BYTES = 16 * WORDS }; /* of 4 blocks of 64 threads, 4 words each */
    for (uint64_t seed = 0; seed < 20; seed++) {
        rp__device d;
        rp__cu_ptr from, to;
        unsigned char in[BYTES], out[BYTES];
        for (size_t i = 0; i < BYTES; i++)
            in[i] = (unsigned char)rand();
        open_device(&d, &(rp__emulated_device_options){.seed = seed});
        assert_int_equal(rp__device_alloc(&d, BYTES, &from), RP_OK);
        assert_int_equal(rp__device_alloc(&d, BYTES, &to), RP_OK);
        assert_int_equal(rp__device_copy_in(&d, from, in, BYTES), RP_OK);
        karg_copy args = {.from = from, .to = to, .n = WORDS};
        assert_int_equal(rp__device_launch(&d, (rp__kernel_id)RP_KERNEL_copy_kernel,
                                           (rp__launch){4, 64, 0}, &args),
                         RP_OK);
        assert_int_equal(rp__device_copy_out(&d, out, to, BYTES), RP_OK);
        assert_int_equal(rp__device_wait(&d), RP_OK);
        assert_memory_equal(in, out, BYTES);
        rp_gpu_counters all = rp__device_count_since(&d, &(rp_gpu_counters){.launches = 0});
        assert_true(all.launches == 1 && all.uploaded_bytes == BYTES);
        all = rp__device_count_since(&d, &all);
        assert_true(all.launches == 0 && all.uploaded_bytes == 0);
        rp__device_free(&d, from);
        rp__device_free(&d, to);
        rp__device_close(&d);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
}

static void memory_ends(void **state)
{
    (void)state;
    rp__device d;
    rp__cu_ptr a, b;
    open_device(&d, &(rp__emulated_device_options){.memory = 1 << 20});
    assert_int_equal(rp__device_alloc(&d, 900 << 10, &a), RP_OK);
    assert_int_equal(rp__device_alloc(&d, 200 << 10, &b), RP_NO_MEMORY);
    assert_false(d.is_lost);
    assert_int_equal(rp__device_fallback(&d, RP_NO_MEMORY), RP_FALLBACK_MEMORY);
    rp__device_free(&d, a);
    assert_int_equal(rp__device_alloc(&d, 200 << 10, &b), RP_OK);
    rp__device_free(&d, b);
    rp__device_close(&d);
}

/* Whatever call fails, nothing is left behind, and a fatal fault is remembered. */
static void every_call_may_fail(void **state)
{
    (void)state;
    static const int codes[] = {RP_CU_INVALID, RP_CU_NO_MEMORY, RP_CU_LAUNCH_FAILED,
                                RP_CU_ILLEGAL_ADDRESS, 999};
    for (size_t c = 0; c < sizeof codes / sizeof codes[0]; c++)
        for (uint64_t at = 1; at < 40; at++) {
            rp__device d;
            rp__cu_ptr from = 0, to = 0;
            unsigned char in[64] = {1}, out[64];
            rp_error err = {.text = ""};
            karg_copy args = {.n = 4};
            rp__emulated_device_configure(
                &(rp__emulated_device_options){.fail_at = at, .fail_code = codes[c]});
            rp_status status = rp__device_open(&d, rp__emulated_device_driver(), 0, &err);
            if (status != RP_OK) {
                assert_true(err.text[0] != 0);
                assert_int_equal(rp__emulated_device_in_use(), 0);
                continue;
            }
            status = rp__device_alloc(&d, 64, &from);
            if (status == RP_OK)
                status = rp__device_alloc(&d, 64, &to);
            args.from = from;
            args.to = to;
            if (status == RP_OK)
                status = rp__device_copy_in(&d, from, in, 64);
            if (status == RP_OK)
                status = rp__device_launch(&d, (rp__kernel_id)RP_KERNEL_copy_kernel,
                                           (rp__launch){1, 32, 0}, &args);
            if (status == RP_OK)
                status = rp__device_copy_out(&d, out, to, 64);
            if (status == RP_OK)
                status = rp__device_wait(&d);
            if (status == RP_OK)
                assert_memory_equal(in, out, 64);
            if (status == RP_UNAVAILABLE) {
                assert_true(d.fault.text[0] != 0);
                assert_int_equal(d.is_lost, !rp__driver_is_passing(codes[c]));
            }
            rp__device_free(&d, from);
            rp__device_free(&d, to);
            rp__device_close(&d);
            assert_int_equal(rp__emulated_device_in_use(), 0);
        }
}

static void no_such_device(void **state)
{
    (void)state;
    rp__device d;
    rp_error err = {.text = ""};
    rp__emulated_device_configure(&(rp__emulated_device_options){.devices = 2});
    assert_int_equal(rp__device_open(&d, rp__emulated_device_driver(), 2, &err), RP_UNAVAILABLE);
    assert_non_null(strstr(err.text, "no GPU 2"));
    assert_int_equal(rp__device_open(&d, rp__emulated_device_driver(), 1, &err), RP_OK);
    rp__device_close(&d);
}

/* ---- Waits --------------------------------------------------------------------------------------- */

/* A copy to the device, and from it; the command of this number stops it. */
static rp_status copy_there_and_back(rp__device *d, uint64_t stop_at, int stop_code)
{
    rp__cu_ptr at;
    unsigned char bytes[64] = {1};
    open_device(d, &(rp__emulated_device_options){.stop_at = stop_at, .stop_code = stop_code});
    d->patience = 20000000;
    assert_int_equal(rp__device_alloc(d, sizeof bytes, &at), RP_OK);
    assert_int_equal(rp__device_copy_in(d, at, bytes, sizeof bytes), RP_OK);
    assert_int_equal(rp__device_copy_out(d, bytes, at, sizeof bytes), RP_OK);
    rp_status status = rp__device_wait(d);
    rp__device_free(d, at);
    return status;
}

static void what_never_ends_is_left(void **state)
{
    (void)state;
    rp__device d;
    rp__cu_event event;
    rp__cu_ptr at;
    assert_int_equal(copy_there_and_back(&d, 3, 0), RP_OK);
    rp__device_close(&d);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    for (uint64_t at_command = 1; at_command <= 2; at_command++) {
        assert_int_equal(copy_there_and_back(&d, at_command, 0), RP_UNAVAILABLE);
        assert_true(d.is_lost);
        assert_non_null(strstr(d.fault.text, "does not come back"));
        assert_int_equal(rp__device_alloc(&d, 64, &at), RP_UNAVAILABLE);
        assert_int_equal(rp__device_wait_stream(&d, d.stream), RP_UNAVAILABLE);
        assert_int_equal(rp__device_enter(&d), RP_UNAVAILABLE);
        rp__device_close(&d);
        assert_int_equal(rp__emulated_device_in_use(), 64); /* left, until somebody begins anew */
    }
    open_device(&d, &(rp__emulated_device_options){.stop_at = 1});
    d.patience = 20000000;
    assert_int_equal(d.driver->event_create(&event, RP_CU_EVENT_UNTIMED), RP_CU_OK);
    assert_int_equal(d.driver->event_record(event, d.stream), RP_CU_OK);
    assert_int_equal(rp__device_wait_event(&d, event), RP_UNAVAILABLE);
    rp__device_close(&d);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* An event may be recorded anew before it has come by: whoever was told to wait for it before
 * waits for what it was then, on whatever stream. */
static void an_event_is_recorded_anew(void **state)
{
    (void)state;
    enum { ORDERS = 20, FILLS = 8, WORDS = FILLS + 1 };
    for (uint64_t seed = 1; seed <= ORDERS; seed++) {
        rp__device d;
        rp__cu_stream first, last;
        rp__cu_event event;
        rp__cu_ptr at;
        uint32_t words[WORDS] = {0};
        open_device(&d, &(rp__emulated_device_options){.seed = seed});
        const rp__driver *driver = d.driver;
        assert_int_equal(rp__device_alloc(&d, sizeof words, &at), RP_OK);
        assert_int_equal(driver->stream_create(&first, RP_CU_STREAM_OWN), RP_CU_OK);
        assert_int_equal(driver->stream_create(&last, RP_CU_STREAM_OWN), RP_CU_OK);
        assert_int_equal(driver->event_create(&event, RP_CU_EVENT_UNTIMED), RP_CU_OK);
        assert_int_equal(driver->stream_after(d.stream, event, 0), RP_CU_OK); /* nothing yet */
        for (uint32_t i = 0; i < FILLS; i++)
            assert_int_equal(driver->fill32(at + 4 * i, 1, 1, first), RP_CU_OK);
        assert_int_equal(driver->event_record(event, first), RP_CU_OK);
        assert_int_equal(driver->stream_after(d.stream, event, 0), RP_CU_OK);
        assert_int_equal(driver->fill32(at + 4 * FILLS, 2, 1, last), RP_CU_OK);
        assert_int_equal(driver->event_record(event, last), RP_CU_OK);
        assert_int_equal(rp__device_copy_out(&d, words, at, FILLS * sizeof words[0]), RP_OK);
        assert_int_equal(rp__device_wait(&d), RP_OK);
        for (uint32_t i = 0; i < FILLS; i++)
            assert_int_equal(words[i], 1);
        assert_int_equal(rp__device_wait_event(&d, event), RP_OK); /* as it is now */
        assert_int_equal(rp__device_copy_out(&d, words, at, sizeof words), RP_OK);
        assert_int_equal(rp__device_wait(&d), RP_OK);
        assert_int_equal(words[FILLS], 2);
        driver->event_destroy(event);
        driver->stream_destroy(first);
        driver->stream_destroy(last);
        rp__device_free(&d, at);
        rp__device_close(&d);
    }
}

/* Launched well, and failed later: whoever waits is told. */
static void work_may_fail_later(void **state)
{
    (void)state;
    rp__device d;
    assert_int_equal(copy_there_and_back(&d, 2, RP_CU_ILLEGAL_ADDRESS), RP_UNAVAILABLE);
    assert_true(d.is_lost);
    assert_non_null(strstr(d.fault.text, "ILLEGAL_ADDRESS"));
    rp__device_close(&d);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* Several devices of a card, each for a thread: what one learns, all know. */
static void a_fault_is_all_devices(void **state)
{
    (void)state;
    for (int is_stuck = 0; is_stuck < 2; is_stuck++) {
        rp__device d, twin, other;
        rp_error err = {.text = ""};
        rp__cu_ptr at;
        open_device(&d, &(rp__emulated_device_options){.devices = 2});
        d.patience = 20000000;
        assert_int_equal(rp__device_twin(&twin, &d, &err), RP_OK);
        assert_int_equal(twin.patience, d.patience);
        assert_int_equal(rp__device_open(&other, rp__emulated_device_driver(), 1, &err), RP_OK);
        assert_int_equal(rp__device_alloc(&twin, 64, &at), RP_OK);
        if (is_stuck)
            assert_int_equal(rp__device_give_up(&d), RP_UNAVAILABLE);
        else
            assert_int_equal(rp__device_check(&d, RP_CU_ILLEGAL_ADDRESS), RP_UNAVAILABLE);
        assert_true(rp__device_is_lost(&twin));
        assert_string_equal(twin.fault.text, d.fault.text);
        assert_int_equal(twin.driver == &rp__driver_dead, is_stuck);
        assert_int_equal(rp__device_fallback(&twin, RP_UNAVAILABLE),
                         is_stuck ? RP_FALLBACK_DEADLINE : RP_FALLBACK_FAULT);
        assert_int_equal(rp__device_fill(&twin, at, 0, 16), RP_UNAVAILABLE);
        assert_false(rp__device_is_lost(&other));
        rp__device more;
        assert_int_equal(rp__device_open(&more, rp__emulated_device_driver(), 0, &err),
                         RP_UNAVAILABLE);
        assert_non_null(strstr(err.text, "lost to this process"));
        rp__device_free(&twin, at);
        rp__device_close(&twin);
        rp__device_close(&d);
        rp__device_close(&other);
        assert_int_equal(rp__emulated_device_in_use(), is_stuck ? 64 : 0);
    }
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
}

/* A real card is not asked again by a process that gave it up. */
static void who_gave_up_does_not_ask_again(void **state)
{
    (void)state;
    rp__driver real = *rp__emulated_device_driver();
    rp__device d;
    rp_error err = {.text = ""};
    rp__emulated_device_configure(&(rp__emulated_device_options){.devices = 8});
    real.is_emulated = false;
    if (!rp__kernel_table_image("and_single"))
        skip();
    assert_int_equal(rp__device_open(&d, &real, 6, &err), RP_OK);
    assert_int_equal(rp__device_give_up(&d), RP_UNAVAILABLE);
    assert_ptr_equal(d.driver, &rp__driver_dead);
    rp__device_close(&d);
    assert_int_equal(rp__device_open(&d, &real, 6, &err), RP_UNAVAILABLE);
    assert_non_null(strstr(err.text, "lost to this process: emulated: does not come back"));
    assert_int_equal(rp__device_open(&d, &real, 7, &err), RP_OK);
    rp__device_close(&d);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
}

/* ---- The queue ------------------------------------------------------------------------------------ */

enum { THREADS = 4, JOBS = 2000 };

/* A job that is run once counts once, and no two run at the same time. */
typedef struct counted_job {
    rp__device_job job;
    uint32_t n;
} counted_job;

static uint32_t all_jobs; /* by whoever has the queue */

static void count_job(rp__device_job *job)
{
    ((counted_job *)(void *)job)->n++;
    all_jobs++;
}

static void *submit_jobs(void *arg)
{
    rp__device *device = arg;
    counted_job jobs[2] = {{.job.run = count_job}, {.job.run = count_job}};
    for (uint32_t i = 0; i < JOBS; i++) {
        counted_job *j = &jobs[i % 2];
        rp__device_await(device, &j->job);
        if (j->n != i / 2)
            return NULL;
        rp__device_submit(device, &j->job);
    }
    for (size_t i = 0; i < 2; i++)
        rp__device_await(device, &jobs[i].job);
    return jobs[0].n + jobs[1].n == JOBS ? device : NULL;
}

static void jobs_run_once(void **state)
{
    (void)state;
    rp__device devices[THREADS];
    pthread_t threads[THREADS];
    rp_error err;
    all_jobs = 0;
    open_device(&devices[0], &(rp__emulated_device_options){0});
    for (size_t i = 1; i < THREADS; i++)
        assert_int_equal(rp__device_twin(&devices[i], &devices[0], &err), RP_OK);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, submit_jobs, &devices[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *done;
        assert_int_equal(pthread_join(threads[i], &done), 0);
        assert_ptr_equal(done, &devices[i]);
    }
    assert_int_equal(all_jobs, THREADS * JOBS);
    for (size_t i = 0; i < THREADS; i++)
        rp__device_close(&devices[i]);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* Twins have what the card has: no context and no module is opened again. */
static void twins_share_context_and_modules(void **state)
{
    (void)state;
    rp__device device, twin;
    rp_error err;
    open_device(&device, &(rp__emulated_device_options){0});
    uint64_t before = rp__emulated_device_calls();
    assert_int_equal(rp__device_twin(&twin, &device, &err), RP_OK);
    assert_int_equal(rp__emulated_device_calls() - before, 2); /* context_set, stream_create */
    assert_ptr_equal(twin.context, device.context);
    rp__device_close(&device);
    rp__cu_ptr at;
    assert_int_equal(rp__device_enter(&twin), RP_OK);
    assert_int_equal(rp__device_alloc(&twin, 1000, &at), RP_OK);
    rp__device_free(&twin, at);
    rp__device_close(&twin);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* Nothing is asked of the driver, not even the kernel's module. */
static void launches_of_nothing_ask_nothing(void **state)
{
    (void)state;
    rp__device device;
    open_device(&device, &(rp__emulated_device_options){0});
    const karg_check args = {0};
    uint64_t before = rp__emulated_device_calls();
    assert_int_equal(rp__device_launch(&device, RP_KERNEL_check_stored_kernel,
                                       (rp__launch){.grid = 0, .block = 32}, &args),
                     RP_OK);
    assert_int_equal(rp__emulated_device_calls() - before, 0);
    assert_int_equal(device.counters.launches, 0);
    rp__device_close(&device);
}

int main(void)
{
    rp__lab_kernels_add();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_run_once),
        cmocka_unit_test(twins_share_context_and_modules),
        cmocka_unit_test(launches_of_nothing_ask_nothing),
        cmocka_unit_test(a_kernel_copies),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(no_such_device),
        cmocka_unit_test(what_never_ends_is_left),
        cmocka_unit_test(an_event_is_recorded_anew),
        cmocka_unit_test(work_may_fail_later),
        cmocka_unit_test(a_fault_is_all_devices),
        cmocka_unit_test(who_gave_up_does_not_ask_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
