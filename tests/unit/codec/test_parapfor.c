/* test_parapfor.c: the bytes of parapfor, and what its decoders refuse. Rows are compared with each
 * other in tests/parity/test_codecs.c. */
#include "pfd_case.h"

static const rp__codec_options third = {.has_exceptions = true, .exceptions = 0.34};

static void head_has_b_ib_hb_and_en(void **unused)
{
    (void)unused;
    const uint32_t values[] = {5, 100, 2, 7, 300, 1};
    const uint8_t want[] = {3,    3,    6,    2, /* 4 needs 3 bits, 300 needs 9: 6 above b */
                            0xA5, 0xCE, 0x00,    /* lows */
                            0x21,                /* 1 and 4 */
                            0x4C, 0x09 /* 12 and 37 */};
    check_bytes_of("parapfor", &third, values, 6, want, sizeof want);
}

/* The exceptions of the paper's Figure 10: values 0, 1 and s - 2 of a segment. */
static void exceptions_of_the_papers_figure(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    uint32_t values[RP_BLOCK], got[RP_BLOCK_CAPACITY];
    uint8_t in[1024 + RP_PAD];
    for (uint32_t i = 0; i < RP_BLOCK; i++)
        values[i] = i % 16;
    values[0] = values[1] = values[RP_BLOCK - 2] = 1000;
    for (size_t i = 0; (code = rows_here("parapfor", i)); i++) {
        size_t used = code->encode(NULL, values, RP_BLOCK, in);
        memset(in + used, 0, RP_PAD);
        const uint8_t head[] = {4, 7, 6, 3};
        assert_memory_equal(in, head, sizeof head);
        assert_int_equal(used, 4 + 64 + 3 + 3);
        assert_int_equal(code->decode(in, used, got, RP_BLOCK), RP_OK);
        assert_memory_equal(got, values, sizeof values);
    }
}

static void damage_is_found(void **unused)
{
    (void)unused;
    const uint8_t too_wide[] = {30, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint8_t wide_index[] = {0, 9, 1, 1, 0, 0, 0};
    const uint8_t no_high[] = {0, 3, 0, 1, 0, 0};
    const uint8_t outside[] = {0, 3, 1, 1, 4, 1};
    const uint8_t falling[] = {0, 2, 1, 2, 3 | 3 << 2, 3};
    check_damage("parapfor", too_wide, sizeof too_wide, 1);
    check_damage("parapfor", wide_index, sizeof wide_index, 4);
    check_damage("parapfor", no_high, sizeof no_high, 4);
    check_damage("parapfor", outside, sizeof outside, 4);
    check_damage("parapfor", falling, sizeof falling, 4);
}

static void every_share_comes_back(void **unused)
{
    (void)unused;
    check_shares("parapfor");
}

static void docids_end_at_the_largest_number(void **unused)
{
    (void)unused;
    check_last_docid("parapfor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_has_b_ib_hb_and_en),
        cmocka_unit_test(exceptions_of_the_papers_figure),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(every_share_comes_back),
        cmocka_unit_test(docids_end_at_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
