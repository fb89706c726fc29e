/* test_bounds.c: what blocks reach at most, and what the k best postings of a list reach at least. */
#include "index/bounds.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* One length, whose K is 1: frequencies 1, 2, 3, ... make 1/2, 2/3, 3/4, ... */
static const uint8_t codes[4000];
static const uint32_t table[] = {7};
static const rp__lengths lengths = {
    .codes = codes, .code_bytes = 1, .n_docs = 4000, .n_table = 1, .table = table};
static const float norms[] = {1};
static uint32_t docids[4000], tfs[4000];

static uint8_t down(double ratio)
{
    return (uint8_t)(ratio * 255);
}

static void blocks_are_rounded_up(void **state)
{
    (void)state;
    rp__bounds b;
    rp__bounds_init(&b, &lengths, norms);
    for (uint32_t i = 0; i < 200; i++) {
        docids[i] = i;
        tfs[i] = 1 + i % 2;
    }
    assert_int_equal(rp__bounds_block(&b, docids, tfs, 1), 128); /* 127.5 */
    assert_int_equal(rp__bounds_block(&b, docids, tfs, 2),
                     171); /* 2/3 in float is more than 170/255 */
    tfs[150] = 3;
    assert_int_equal(rp__bounds_block(&b, docids, tfs, 200), 192); /* 191.25 */
}

/* Frequencies from n down to 1, in any number of blocks: the k-th best is n + 1 - k. */
static void the_kth_best_of_all_blocks(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 4000; n = n * 3 + n % 2)
        for (uint32_t step = 1; step <= n; step = step * 7 + 1) {
            rp__bounds b;
            uint8_t kths[RP_LIST_KTHS];
            rp__bounds_init(&b, &lengths, norms);
            for (uint32_t i = 0; i < n; i++) {
                docids[i] = i;
                tfs[i] = 1 + (i * 7919) % n; /* a prime, so that each comes once */
            }
            for (uint32_t i = 0; i < n; i += step)
                rp__bounds_block(&b, docids + i, tfs + i, n - i < step ? n - i : step);
            rp__bounds_kths(&b, kths);
            for (uint32_t i = 0, k = 10; i < RP_LIST_KTHS; i++, k *= 10) {
                float tf = k <= n ? (float)(n + 1 - k) : 0;
                assert_int_equal(kths[i], down((double)(tf / (tf + 1))));
            }
        }
}

static void ties_count_each(void **state)
{
    (void)state;
    rp__bounds b;
    uint8_t kths[RP_LIST_KTHS];
    rp__bounds_init(&b, &lengths, norms);
    for (uint32_t i = 0; i < 1000; i++) {
        docids[i] = i;
        tfs[i] = i < 10 ? 9 : i < 99 ? 4 : 1;
    }
    rp__bounds_block(&b, docids, tfs, 1000);
    rp__bounds_kths(&b, kths);
    assert_int_equal(kths[0], down(0.9));
    assert_int_equal(kths[1], down(0.5));
    assert_int_equal(kths[2], down(0.5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_rounded_up),
        cmocka_unit_test(the_kth_best_of_all_blocks),
        cmocka_unit_test(ties_count_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
