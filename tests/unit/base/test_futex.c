/* test_futex.c: who waits for a word sees it change, sleeps no longer than it may, and is woken across processes. */
#include "base/futex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define MILLISECOND UINT64_C(1000000)

static void time_ends_a_wait(void **state)
{
    (void)state;
    _Atomic uint32_t word = 7;
    uint64_t begin = rp__clock_now();
    rp__futex_wait(&word, 7, 20 * MILLISECOND);
    assert_true(rp__clock_now() - begin >= 15 * MILLISECOND);
    begin = rp__clock_now();
    assert_false(rp__futex_spin(&word, 7, 5 * MILLISECOND));
    assert_true(rp__clock_now() - begin >= 5 * MILLISECOND);
    assert_false(rp__futex_spin(&word, 7, 0));
}

static void another_value_is_no_wait(void **state)
{
    (void)state;
    _Atomic uint32_t word = 7;
    alarm(60); /* a wait would take an hour */
    rp__futex_wait(&word, 8, 3600000 * MILLISECOND);
    assert_true(rp__futex_spin(&word, 8, 3600000 * MILLISECOND));
    alarm(0);
}

/* The other process sleeps until this one has changed the word. */
static void a_wake_crosses_processes(void **state)
{
    (void)state;
    _Atomic uint32_t *word =
        mmap(NULL, sizeof *word, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    pid_t other = fork();
    if (other == 0) {
        alarm(60); /* without the wake it would take an hour */
        while (atomic_load(word) == 0)
            rp__futex_wait(word, 0, 3600000 * MILLISECOND);
        _exit(0);
    }
    rp__clock_sleep(20 * MILLISECOND);
    atomic_store(word, 1);
    rp__futex_wake(word);
    waitpid(other, &status, 0);
    assert_int_equal(status, 0);
    munmap((void *)word, sizeof *word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_ends_a_wait),
        cmocka_unit_test(another_value_is_no_wait),
        cmocka_unit_test(a_wake_crosses_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
