/* test_rice.c: the bytes of rice, and what its decoders refuse. Rows are compared with each other in
 * tests/parity/test_codecs.c. */
#include "code_rows.h"

static void bytes_are_as_documented(void **unused)
{
    (void)unused;
    /* Width 2: remainders 1 2 3 0 1 as 01 10 11 00 01, then quotients 0 1 0 2 1 as 0 10 0 110 10,
     * lowest bit first. */
    const uint32_t values[] = {1, 6, 3, 8, 5};
    const uint8_t want[] = {2, 0x39, 0x01, 0xB2, 0x00};
    check_bytes_of("rice", values, 5, want, sizeof want);
}

/* Ding et al., section 5: the sum of unary codes up to the j-th zero, times 2^b, and the sum of the
 * binary codes give the j-th docid. */
static void docids_are_the_sums_of_both_parts(void **unused)
{
    (void)unused;
    const uint8_t in[5 + RP_PAD] = {2, 0x39, 0x01, 0xB2, 0x00};
    const uint32_t want[] = {102, 109, 113, 122, 128};
    const rp__block_code *code;
    uint32_t got[RP_BLOCK_CAPACITY];
    for (size_t i = 0; (code = row_of("rice", i)); i++) {
        assert_int_equal(code->decode_docids(in, 5, 100, got, 5), RP_OK);
        assert_memory_equal(got, want, sizeof want);
    }
}

static size_t cost(const uint32_t *values, size_t n, uint32_t b)
{
    size_t bits = n * (b + 1);
    for (size_t i = 0; i < n; i++)
        bits += values[i] >> b;
    return bits;
}

/* The width is the cheapest of all, and the quotients sum to less than 2n. */
static void the_cheapest_width_is_chosen(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("rice", 0);
    uint64_t rng = 4;
    uint8_t out[2048];
    for (int round = 0; round < 20000; round++) {
        uint32_t values[RP_BLOCK_MAX];
        size_t n = 1 + random_below(&rng, RP_BLOCK_MAX);
        for (size_t i = 0; i < n; i++)
            values[i] = (uint32_t)random64(&rng) >> random_below(&rng, round % 2 ? 32 : 4);
        if (round % 3 == 0)
            for (size_t i = 0; i < n; i++)
                values[i] %= 1 + (uint32_t)(round % 700);
        code->encode(NULL, values, n, out);
        assert_true(out[0] <= 31);
        for (uint32_t b = 0; b < 32; b++)
            assert_true(cost(values, n, out[0]) <= cost(values, n, b));
        assert_true(cost(values, n, out[0]) - n * (out[0] + 1) < 2 * n);
    }
}

static void widths_over_31_are_damage(void **unused)
{
    (void)unused;
    uint8_t in[600] = {0};
    for (uint32_t w = 0; w < 256; w++) {
        in[0] = (uint8_t)w;
        rp_status want = w <= 31 ? RP_OK : RP_DAMAGED;
        check_status("rice", in, sizeof in, 128, 5, want, want);
    }
}

/* 3n - 1 bits may hold the quotients; what ends later is damage. */
static void quotients_of_2n_are_damage(void **unused)
{
    (void)unused;
    for (size_t n = 1; n <= RP_BLOCK; n++) {
        uint8_t in[1 + 64] = {0};
        for (size_t bit = 0; bit < 2 * n; bit++) /* all of it in the first number */
            in[1 + bit / 8] = (uint8_t)(in[1 + bit / 8] | 1U << bit % 8);
        check_status("rice", in, sizeof in, n, 5, RP_DAMAGED, RP_DAMAGED);
        size_t last = 2 * n - 1;
        in[1 + last / 8] = (uint8_t)(in[1 + last / 8] & ~(1U << last % 8));
        check_status("rice", in, sizeof in, n, 5, RP_OK, RP_OK);
    }
}

/* Values and docids of 2^32 and more are damage. */
static void numbers_end_at_the_largest(void **unused)
{
    (void)unused;
    /* One value of width 31: remainder 2^31 - 1, then its quotient, 1. */
    const uint8_t top[] = {31, 0xFF, 0xFF, 0xFF, 0x7F, 0x01};
    check_status("rice", top, sizeof top, 1, UINT32_MAX, RP_OK, RP_OK);
    check_status("rice", top, sizeof top, 1, 0, RP_OK, RP_DAMAGED);
    /* Two of width 31: quotients 0 and 2. */
    const uint8_t over[] = {31, 0, 0, 0, 0, 0, 0, 0, 0, 0x06};
    check_status("rice", over, sizeof over, 2, UINT32_MAX, RP_DAMAGED, RP_DAMAGED);
    /* Quotients 1 and 1: each value fits, their sum does not. */
    const uint8_t sum[] = {31, 0, 0, 0, 0, 0, 0, 0, 0, 0x05};
    check_status("rice", sum, sizeof sum, 2, UINT32_MAX, RP_OK, RP_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(docids_are_the_sums_of_both_parts),
        cmocka_unit_test(the_cheapest_width_is_chosen),
        cmocka_unit_test(widths_over_31_are_damage),
        cmocka_unit_test(quotients_of_2n_are_damage),
        cmocka_unit_test(numbers_end_at_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
