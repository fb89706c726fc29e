/* test_lowbits.c: low parts of values, written and read one by one. */
#include "list_case.h"

#include "codec/lowbits.h"

static void bits_are_as_documented(void **unused)
{
    (void)unused;
    const uint32_t values[] = {1, 2, 7, 8, 13}; /* the low 3 bits: 1 2 7 0 5 */
    uint8_t out[8] = {0xFF, 0xFF, 0xFF};
    assert_ptr_equal(rp__lowbits_put(values, 5, 3, out), out + 2);
    assert_memory_equal(out, ((const uint8_t[]){0xD1, 0x51, 0xFF}), 3);
}

static void every_width_comes_back(void **unused)
{
    (void)unused;
    uint64_t rng = 9;
    for (uint32_t w = 0; w <= 32; w++)
        for (size_t n = 0; n <= 70; n++) {
            uint32_t values[70];
            uint8_t out[4 * 70 + RP_PAD] = {0};
            for (size_t i = 0; i < n; i++)
                values[i] = (uint32_t)random64(&rng);
            size_t used = (size_t)(rp__lowbits_put(values, n, w, out) - out);
            assert_int_equal(used, rp__lowbits_bytes(n, w));
            assert_int_equal(used, (n * w + 7) / 8);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(rp__lowbits_at(out, w, i), values[i] & ((1ULL << w) - 1));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_as_documented),
        cmocka_unit_test(every_width_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
