/* test_pool.c: every piece of work is done once on each thread, however many pieces follow each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>

#include "base/pool.h"

enum { MOST = 8, PIECES = 2000 };

typedef struct tally {
    _Atomic uint32_t calls[MOST];
    _Atomic uint32_t all;
} tally;

static void count(void *arg, uint32_t worker)
{
    tally *t = arg;
    atomic_fetch_add(&t->calls[worker], 1);
    atomic_fetch_add(&t->all, 1);
}

static void each_thread_does_each_piece_once(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= MOST; n++) {
        rp__pool *pool;
        tally t = {0};
        assert_int_equal(rp__pool_new(n, &pool), RP_OK);
        for (uint32_t i = 1; i <= PIECES; i++) {
            rp__pool_run(pool, count, &t);
            assert_int_equal(atomic_load(&t.all), n * i); /* it waits for all */
        }
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(atomic_load(&t.calls[i]), PIECES);
        rp__pool_free(pool);
    }
}

static void a_pool_without_work_ends(void **state)
{
    (void)state;
    rp__pool *pool;
    assert_int_equal(rp__pool_new(4, &pool), RP_OK);
    rp__pool_free(pool);
    rp__pool_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_does_each_piece_once),
        cmocka_unit_test(a_pool_without_work_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
