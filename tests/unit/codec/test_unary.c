/* test_unary.c: numbers in unary, and where they end, against bits looked at one by one. */
#include "list_case.h"

#include "codec/unary.h"

enum { BYTES = 200 };

static bool is_end(const uint8_t *bits, uint64_t flip, uint64_t at)
{
    return (bits[at / 8] >> at % 8 & 1) != (flip & 1);
}

static void both_conventions_are_as_documented(void **unused)
{
    (void)unused;
    const uint32_t numbers[] = {0, 2, 1, 0, 3};
    uint8_t ones[2] = {0}, zeros[2] = {0};
    assert_int_equal(rp__unary_put(ones, RP_UNARY_ENDS_ARE_ONES, 0, numbers, 5), 11);
    assert_int_equal(rp__unary_put(zeros, RP_UNARY_ENDS_ARE_ZEROS, 0, numbers, 5), 11);
    assert_memory_equal(ones, ((const uint8_t[]){0x69, 0x04}), 2);  /* 1 001 01 1 0001 */
    assert_memory_equal(zeros, ((const uint8_t[]){0x96, 0x03}), 2); /* 0 110 10 0 1110 */
}

static void ends_and_sums_of_any_bits(void **unused)
{
    (void)unused;
    uint64_t rng = 2;
    for (int round = 0; round < 20000; round++) {
        uint8_t bits[BYTES + RP_PAD];
        uint64_t flip = random64(&rng) & 1 ? RP_UNARY_ENDS_ARE_ZEROS : RP_UNARY_ENDS_ARE_ONES;
        uint64_t from = random_below(&rng, 8 * BYTES), to = random_below(&rng, 8 * BYTES + 1);
        uint64_t ends[8 * BYTES], n = 0, ask = random_below(&rng, 300);
        uint32_t sums[8 * BYTES], sparse = (uint32_t)random_below(&rng, 6);
        for (size_t i = 0; i < sizeof bits; i++)
            bits[i] = (uint8_t)(random64(&rng) & random64(&rng) >> 8 * sparse);
        for (uint64_t at = from; at < to; at++)
            if (is_end(bits, flip, at))
                ends[n++] = at;
        assert_int_equal(rp__unary_end(bits, flip, from, to, ask), ask < n ? ends[ask] : to);
        rp_status want = ask <= n ? RP_OK : RP_DAMAGED;
        assert_int_equal(rp__unary_sums(bits, flip, from, to, ask, sums), want);
        for (uint64_t i = 0; want == RP_OK && i < ask; i++)
            assert_int_equal(sums[i], ends[i] - from - i);
    }
}

static void limits_are_of_bytes_and_of_numbers(void **unused)
{
    (void)unused;
    assert_int_equal(rp__unary_limit(100, 128), 383);
    assert_int_equal(rp__unary_limit(48, 128), 383);
    assert_int_equal(rp__unary_limit(47, 128), 376);
    assert_int_equal(rp__unary_limit(0, 128), 0);
    assert_int_equal(rp__unary_limit(5, 1), 2);
    assert_int_equal(rp__unary_limit(5, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_conventions_are_as_documented),
        cmocka_unit_test(ends_and_sums_of_any_bits),
        cmocka_unit_test(limits_are_of_bytes_and_of_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
