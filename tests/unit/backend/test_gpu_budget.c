/* test_gpu_budget.c: bytes are taken once and come back once, however they are freed. */
#include "backend/gpu/gpu_budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void no_more_than_there_is(void **state)
{
    (void)state;
    rp__gpu_budget b;
    rp__gpu_budget_open(&b, 100);
    assert_true(rp__gpu_budget_take(&b, 60));
    assert_false(rp__gpu_budget_take(&b, 41));
    assert_false(rp__gpu_budget_take(&b, UINT64_MAX));
    assert_true(rp__gpu_budget_take(&b, 40));
    assert_false(rp__gpu_budget_take(&b, 1));
    rp__gpu_budget_put(&b, 0x1000, 60);
    rp__gpu_budget_undo(&b, 40);
    assert_true(rp__gpu_budget_take(&b, 40));
    rp__gpu_budget_put(&b, 0x2000, 40);
    rp__gpu_budget_give(&b, 0x1000);
    assert_int_equal(b.used, 40);
    rp__gpu_budget_give(&b, 0x1000); /* not there any more */
    rp__gpu_budget_give(&b, 0x3000); /* never was */
    assert_int_equal(b.used, 40);
    rp__gpu_budget_close(&b);
}

static void many_pieces(void **state)
{
    (void)state;
    enum { N = 1000 };
    rp__gpu_budget b;
    rp__gpu_budget_open(&b, N * (N + 1) / 2);
    for (uint64_t i = 1; i <= N; i++) {
        assert_true(rp__gpu_budget_take(&b, i));
        rp__gpu_budget_put(&b, i << 12, i);
    }
    assert_int_equal(b.used, b.most);
    for (uint64_t i = 1; i <= N; i++)
        rp__gpu_budget_give(&b, (i * 3 % (N + 1)) << 12);
    for (uint64_t i = 1; i <= N; i++)
        rp__gpu_budget_give(&b, i << 12);
    assert_int_equal(b.used, 0);
    rp__gpu_budget_close(&b);
    rp__gpu_budget_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_more_than_there_is),
                                       cmocka_unit_test(many_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
