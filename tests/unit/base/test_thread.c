/* test_thread.c: each worker runs once, the caller runs the last, failures leave nothing behind. */
#include "base/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

#include <cmocka.h>

#include "base/alloc.h"

enum { MOST = 33 };

typedef struct record {
    _Atomic uint32_t runs[MOST];
    pthread_t threads[MOST];
} record;

static void note(void *arg, uint32_t worker)
{
    record *r = arg;
    atomic_fetch_add(&r->runs[worker], 1);
    r->threads[worker] = pthread_self();
}

static void each_worker_runs_once(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= MOST; n += 4) {
        record r = {0};
        assert_int_equal(rp__thread_run(n, note, &r), RP_OK);
        for (uint32_t i = 0; i < MOST; i++)
            assert_int_equal(atomic_load(&r.runs[i]), i < n);
        assert_true(pthread_equal(r.threads[n - 1], pthread_self()));
    }
}

static void one_and_none_start_no_thread(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= 1; n++) {
        record r = {0};
        uint64_t calls = rp__alloc_count();
        assert_int_equal(rp__thread_run(n, note, &r), RP_OK);
        assert_int_equal(atomic_load(&r.runs[0]), 1);
        assert_int_equal(rp__alloc_count(), calls);
    }
}

static void writes_are_seen_after_the_join(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        record r = {0};
        assert_int_equal(rp__thread_run(4, note, &r), RP_OK);
        for (uint32_t i = 0; i < 3; i++)
            assert_false(pthread_equal(r.threads[i], pthread_self()));
    }
}

static void no_memory_runs_nothing(void **state)
{
    (void)state;
    record r = {0};
    uint64_t before = rp__alloc_in_use();
    rp__alloc_fail_at(1, false);
    assert_int_equal(rp__thread_run(4, note, &r), RP_NO_MEMORY);
    rp__alloc_fail_at(0, false);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(atomic_load(&r.runs[i]), 0);
    assert_int_equal(rp__alloc_in_use(), before);
}

/* Each core in turn, and all of them again. */
static void a_thread_keeps_to_its_cores(void **state)
{
    (void)state;
    rp__thread_cores all, own;
    rp__thread_get_cores(&all);
    assert_true(all.n > 0);
    for (uint32_t i = 0; i < all.n; i++) {
        assert_true(rp__thread_keep_to(&all, i, 1));
        rp__thread_get_cores(&own);
        assert_int_equal(own.n, 1);
    }
    assert_false(rp__thread_keep_to(&all, all.n, 1));
    assert_true(rp__thread_keep_to(&all, 0, all.n));
    rp__thread_get_cores(&own);
    assert_memory_equal(&own, &all, sizeof all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_worker_runs_once),
        cmocka_unit_test(one_and_none_start_no_thread),
        cmocka_unit_test(writes_are_seen_after_the_join),
        cmocka_unit_test(no_memory_runs_nothing),
        cmocka_unit_test(a_thread_keeps_to_its_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
