/* test_clock.c: neither clock goes back; sleep is not CPU time, work is. */
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

static void never_goes_back(void **state)
{
    (void)state;
    uint64_t now = rp__clock_now(), cpu = rp__clock_thread();
    for (int i = 0; i < 10000; i++) {
        uint64_t later = rp__clock_now(), more = rp__clock_thread();
        assert_true(later >= now && more >= cpu);
        now = later;
        cpu = more;
    }
}

static void sleep_takes_time_but_no_cpu(void **state)
{
    (void)state;
    uint64_t now = rp__clock_now(), cpu = rp__clock_thread();
    rp__clock_sleep(20 * 1000 * 1000);
    assert_true(rp__clock_now() - now >= 19 * 1000 * 1000);
    assert_true(rp__clock_thread() - cpu < rp__clock_now() - now);
}

static void work_takes_cpu(void **state)
{
    (void)state;
    uint64_t cpu = rp__clock_thread(), begin = rp__clock_now();
    alarm(60);
    while (rp__clock_thread() - cpu < 2 * 1000 * 1000)
        ;
    alarm(0);
    assert_true(rp__clock_now() - begin >= 1000 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_goes_back),
        cmocka_unit_test(sleep_takes_time_but_no_cpu),
        cmocka_unit_test(work_takes_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
