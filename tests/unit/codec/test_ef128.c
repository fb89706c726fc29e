/* test_ef128.c: the bytes of ef128, and what its decoders refuse. Rows are compared with each other
 * in tests/parity/test_codecs.c. */
#include "code_rows.h"

/* Griffin, Figure 4: (5, 6, 8, 15, 18, 33) with b = 2. Low bits 01 10 00 11 10 01; high parts 1 1 2 3
 * 4 8 as gaps 01 1 01 01 01 00001. */
static void the_papers_example(void **unused)
{
    (void)unused;
    const uint32_t gaps[] = {5, 1, 2, 7, 3, 15};
    const uint8_t want[] = {2, 0xC9, 0x06, 0x56, 0x21};
    uint8_t low = 0;
    check_bytes_of("ef128", gaps, 6, want, sizeof want);
    for (size_t i = 0; i < 4; i++) /* the same bits from the figure's own numbers */
        low = (uint8_t)(low | ((const uint8_t[]){1, 2, 0, 3})[i] << 2 * i);
    assert_int_equal(low, want[1]);
}

/* Griffin, Figure 3: the docids whose gaps PForDelta codes there, as a block of ours. */
static void the_papers_docids(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {100, 121, 163, 172, 185, 214, 282, 300, 347};
    enum { N = 9 };
    uint32_t values[N], got[RP_BLOCK_CAPACITY];
    uint8_t out[64 + RP_PAD];
    const rp__block_code *code = rp__block_code_find("ef128", 0);
    for (size_t i = 0; i < N; i++)
        values[i] = docids[i] - (i ? docids[i - 1] + 1 : 0);
    size_t used = code->encode(NULL, values, N, out);
    assert_int_equal(out[0], 5); /* 339 >> 5 is 10, below 18; 339 >> 4 is not */
    assert_int_equal(used, 1 + (9 * 5 + 7) / 8 + (9 + 10 + 7) / 8);
    for (size_t i = 0; (code = row_of("ef128", i)); i++) {
        assert_int_equal(code->decode_docids(out, used, UINT32_MAX, got, N), RP_OK);
        assert_memory_equal(got, docids, sizeof docids);
    }
}

static void runs_take_one_byte(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("ef128", 0);
    uint32_t values[RP_BLOCK_MAX] = {0}, got[RP_BLOCK_CAPACITY];
    uint8_t out[8 + RP_PAD];
    assert_int_equal(code->encode(NULL, values, RP_BLOCK, out), 1);
    assert_int_equal(out[0], 32);
    for (size_t i = 0; (code = row_of("ef128", i)); i++) {
        assert_int_equal(code->decode_docids(out, 1, 41, got, RP_BLOCK), RP_OK);
        for (uint32_t k = 0; k < RP_BLOCK; k++)
            assert_int_equal(got[k], 42 + k);
        assert_int_equal(code->decode_docids(out, 1, UINT32_MAX - 127, got, 128), RP_DAMAGED);
        assert_int_equal(code->decode_docids(out, 1, UINT32_MAX - 128, got, 128), RP_OK);
    }
}

/* A dense block is a bitmap of its docids. */
static void dense_blocks_are_bitmaps(void **unused)
{
    (void)unused;
    const uint32_t values[] = {1, 0, 0, 2, 0, 1, 0, 3}; /* docids 1 2 3 6 7 9 10 14 from 0 on */
    const uint8_t want[] = {0, 0xCE, 0x46};
    check_bytes_of("ef128", values, 8, want, sizeof want);
}

/* Sums that pass 2^32, of which docids know nothing. */
static void large_values_are_packed(void **unused)
{
    (void)unused;
    const uint32_t values[] = {UINT32_MAX, 1};
    const uint8_t want[] = {33, 32, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0};
    check_bytes_of("ef128", values, 2, want, sizeof want);
    check_status("ef128", want, sizeof want, 2, UINT32_MAX, RP_OK, RP_DAMAGED);
    check_status("ef128", want, 1, 2, UINT32_MAX, RP_DAMAGED, RP_DAMAGED);
}

static void other_forms_are_damage(void **unused)
{
    (void)unused;
    uint8_t in[700];
    memset(in, 0xFF, sizeof in);
    for (uint32_t form = 34; form < 256; form++) {
        in[0] = (uint8_t)form;
        check_status("ef128", in, sizeof in, 128, 5, RP_DAMAGED, RP_DAMAGED);
    }
}

/* Low bits that fall while the high ones stay. */
static void sums_that_fall_are_damage(void **unused)
{
    (void)unused;
    for (uint32_t l = 1; l <= 12; l += 11) /* 16-bit lanes, and 32-bit ones */
        for (size_t at = 1; at < RP_BLOCK; at++) {
            uint8_t in[256] = {(uint8_t)l};
            size_t bit = (at - 1) * l;
            memset(in + 1 + 16 * l, 0xFF, 16); /* no gaps */
            check_status("ef128", in, 1 + 16 * l + 16, RP_BLOCK, 5, RP_OK, RP_OK);
            in[1 + bit / 8] = (uint8_t)(1U << bit % 8); /* 1, then 0 */
            check_status("ef128", in, 1 + 16 * l + 16, RP_BLOCK, 5, RP_DAMAGED, RP_DAMAGED);
        }
}

/* 3n - 1 bits may hold the high parts; what ends later is damage. */
static void high_parts_of_2n_are_damage(void **unused)
{
    (void)unused;
    for (size_t n = 1; n <= RP_BLOCK; n++) {
        uint8_t in[1 + 64] = {0};
        for (size_t bit = 2 * n - 1; bit < 3 * n; bit++)
            in[1 + bit / 8] = (uint8_t)(in[1 + bit / 8] | 1U << bit % 8);
        check_status("ef128", in, sizeof in, n, 5, RP_OK, RP_OK);
        size_t first = 2 * n - 1;
        in[1 + first / 8] = (uint8_t)(in[1 + first / 8] & ~(1U << first % 8));
        check_status("ef128", in, sizeof in, n, 5, RP_DAMAGED, RP_DAMAGED);
    }
}

static void numbers_end_at_the_largest(void **unused)
{
    (void)unused;
    const uint8_t top[] = {31, 0xFF, 0xFF, 0xFF, 0x7F, 0x02}; /* high part 1 */
    check_status("ef128", top, sizeof top, 1, UINT32_MAX, RP_OK, RP_OK);
    check_status("ef128", top, sizeof top, 1, 0, RP_OK, RP_DAMAGED);
    const uint8_t over[] = {31, 0, 0, 0, 0, 0, 0, 0, 0, 0x0A}; /* high parts 1 and 2 */
    check_status("ef128", over, sizeof over, 2, UINT32_MAX, RP_DAMAGED, RP_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_example),         cmocka_unit_test(the_papers_docids),
        cmocka_unit_test(runs_take_one_byte),         cmocka_unit_test(dense_blocks_are_bitmaps),
        cmocka_unit_test(large_values_are_packed),    cmocka_unit_test(other_forms_are_damage),
        cmocka_unit_test(sums_that_fall_are_damage),  cmocka_unit_test(high_parts_of_2n_are_damage),
        cmocka_unit_test(numbers_end_at_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
