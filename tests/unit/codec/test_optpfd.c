/* test_optpfd.c: the bytes of optpfd's modes, that it takes the smallest, and what its decoders
 * refuse. Rows are compared with each other in tests/parity/test_codecs.c. */
#include "pfd_case.h"

/* 128 values of 2 bits; what exceptions they have is the caller's. */
static void fill(uint32_t *values)
{
    for (uint32_t i = 0; i < RP_BLOCK; i++)
        values[i] = i % 4;
}

/* Encodes, and returns the head of three bytes; the lows are 32 bytes of 0xE4 with two bits each. */
static size_t head_of(const uint32_t *values, uint8_t *out)
{
    const rp__block_code *code = rp__block_code_find("optpfd", 0);
    uint32_t got[RP_BLOCK_CAPACITY];
    size_t used = code->encode(NULL, values, RP_BLOCK, out);
    memset(out + used, 0, RP_PAD);
    for (size_t i = 0; (code = rows_here("optpfd", i)); i++) {
        assert_int_equal(code->decode(out, used, got, RP_BLOCK), RP_OK);
        assert_memory_equal(got, values, RP_BLOCK * sizeof *got);
    }
    return used;
}

static void no_exceptions_take_one_byte_of_head(void **unused)
{
    (void)unused;
    const uint32_t values[] = {1, 2, 7, 0, 5};
    const uint8_t want[] = {3, 0xD1, 0x51};
    check_bytes_of("optpfd", NULL, values, 5, want, sizeof want);
}

static void few_high_parts_are_listed(void **unused)
{
    (void)unused;
    uint32_t values[RP_BLOCK];
    uint8_t out[1024];
    fill(values);
    for (uint32_t i = 0; i < 9; i++)
        values[8 * i + 1] |= 5 << 2;
    assert_int_equal(head_of(values, out), 2 + 32 + 12); /* nine of 7 and 3 bits */
    assert_int_equal(out[0], 2 | 1 << 6);
    assert_int_equal(out[1], 2 | 8 << 4);
    assert_int_equal(out[2], 0xE4);
    assert_int_equal(out[34] & 127, 1);
    assert_int_equal((out[34] >> 7 | out[35] << 1) & 127, 9);
}

static void many_high_parts_have_a_bitmap(void **unused)
{
    (void)unused;
    uint32_t values[RP_BLOCK];
    uint8_t out[1024];
    fill(values);
    for (uint32_t i = 0; i < 30; i++)
        values[4 * i] |= 9 << 2;
    values[1] |= 9 << 2;
    assert_int_equal(head_of(values, out), 2 + 32 + 16 + 16); /* 31 of 4 bits */
    assert_int_equal(out[0], 2 | 2 << 6);
    assert_int_equal(out[1], 3);
    assert_int_equal(out[34], 0x13);
    assert_int_equal(out[35], 0x11);
}

static void huge_values_have_far_parts(void **unused)
{
    (void)unused;
    uint32_t values[RP_BLOCK];
    uint8_t out[1024];
    fill(values);
    values[77] |= 0x12345 << 2;
    assert_int_equal(head_of(values, out), 2 + 32 + 3); /* one of 7 and 17 bits */
    assert_int_equal(out[0], 2 | 3 << 6);
    assert_int_equal(out[1], 0 | 16 << 3);
    assert_int_equal(rp__load32(out + 34), 77 | 0x12345 << 7);
}

/* A bitmap says only which high parts are not zero: a far value may have none. */
static void both_tiers_work_together(void **unused)
{
    (void)unused;
    uint32_t values[RP_BLOCK];
    uint8_t out[1024];
    fill(values);
    for (uint32_t i = 0; i < 30; i++)
        values[4 * i] |= 9 << 2;
    values[2] |= 1 << 20;
    assert_int_equal(head_of(values, out), 3 + 32 + 16 + 15 + 3); /* the far one: 7 and 15 bits */
    assert_int_equal(out[0], 2 | 2 << 6);
    assert_int_equal(out[1], 3 | 8);
    assert_int_equal(out[2], 0 | 14 << 3);
    assert_int_equal(out[35], 0x11); /* bit 2 is not set */
}

/* Never more bytes than one width for all. */
static void is_never_larger_than_bp128(void **unused)
{
    (void)unused;
    const rp__block_code *opt = rp__block_code_find("optpfd", 0);
    const rp__block_code *bp = rp__block_code_find("bp128", 0);
    uint64_t rng = 4;
    uint8_t out[2048];
    for (int round = 0; round < 5000; round++) {
        uint32_t values[RP_BLOCK_MAX];
        size_t n = 1 + random_below(&rng, RP_BLOCK_MAX);
        pfd_values(&rng, (uint32_t)random_below(&rng, 30), 1 + (uint32_t)random_below(&rng, 40), n,
                   values);
        assert_true(opt->encode(NULL, values, n, out) <= bp->encode(NULL, values, n, out));
    }
}

static void damage_is_found(void **unused)
{
    (void)unused;
    const uint8_t too_wide[] = {33, 0, 0, 0, 0, 0};
    const uint8_t wide_parts[] = {28 | 1 << 6, 4, 0, 0, 0, 0, 0, 0};
    const uint8_t wide_far[] = {30 | 3 << 6, 2 << 3, 0, 0, 0, 0, 0, 0};
    const uint8_t outside[] = {0 | 1 << 6, 0, 7 | 1 << 3}; /* position 7 of 5 */
    const uint8_t falling[] = {0 | 1 << 6, 1 << 4, 3 | 3 << 3, 3};
    const uint8_t far_outside[] = {0 | 3 << 6, 0, 5 | 1 << 3};
    check_damage("optpfd", too_wide, sizeof too_wide, 1);
    check_damage("optpfd", wide_parts, sizeof wide_parts, 1);
    check_damage("optpfd", wide_far, sizeof wide_far, 1);
    check_damage("optpfd", outside, sizeof outside, 5);
    check_damage("optpfd", falling, sizeof falling, 5);
    check_damage("optpfd", far_outside, sizeof far_outside, 5);
}

static void every_share_comes_back(void **unused)
{
    (void)unused;
    check_shares("optpfd");
}

static void docids_end_at_the_largest_number(void **unused)
{
    (void)unused;
    check_last_docid("optpfd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_exceptions_take_one_byte_of_head),
        cmocka_unit_test(few_high_parts_are_listed),
        cmocka_unit_test(many_high_parts_have_a_bitmap),
        cmocka_unit_test(huge_values_have_far_parts),
        cmocka_unit_test(both_tiers_work_together),
        cmocka_unit_test(is_never_larger_than_bp128),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(every_share_comes_back),
        cmocka_unit_test(docids_end_at_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
