/* test_vbyte.c: the bytes of vbyte, and what its decoders refuse. Rows are compared with each other
 * in tests/parity/test_codecs.c. */
#include "list_case.h"

static const rp__block_code *vbyte_here(size_t i)
{
    const rp__block_code *code;
    for (size_t k = 0; (code = code_here(k)); k++)
        if (strcmp(code->name, "vbyte") == 0 && i-- == 0)
            return code;
    return NULL;
}

static void bytes_are_as_documented(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("vbyte", 0);
    const uint32_t values[] = {7, 0x1234, 0x56789A, 0xBCDEF012, 0};
    const uint8_t want[] = {0xE4, 0x00, 7, 0x34, 0x12, 0x9A, 0x78, 0x56, 0x12, 0xF0, 0xDE, 0xBC, 0};
    uint8_t out[64];
    assert_int_equal(code->encode(NULL, values, 5, out), sizeof want);
    assert_memory_equal(out, want, sizeof want);
}

static void cut_off_blocks_are_damage(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    uint64_t rng = 8;
    for (size_t i = 0; (code = vbyte_here(i)); i++)
        for (size_t n = 1; n < 40; n++) {
            uint32_t values[40], got[RP_BLOCK_CAPACITY];
            uint8_t out[200];
            for (size_t k = 0; k < n; k++)
                values[k] = (uint32_t)(random64(&rng) >> random_below(&rng, 64));
            size_t used = code->encode(NULL, values, n, out);
            for (size_t bytes = 0; bytes <= used; bytes++) {
                uint8_t *in = malloc(bytes + RP_PAD);
                memcpy(in, out, bytes);
                memset(in + bytes, 0xFF, RP_PAD);
                rp_status s = code->decode(in, bytes, got, n);
                assert_int_equal(s, bytes == used ? RP_OK : RP_DAMAGED);
                if (bytes < used)
                    assert_int_equal(code->decode_docids(in, bytes, 0, got, n), RP_DAMAGED);
                free(in);
            }
        }
}

static void docids_that_pass_the_largest_number_are_damage(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    const uint32_t values[] = {3, UINT32_MAX, 2, 0xFFFFFF, 5};
    uint8_t in[32 + RP_PAD] = {0};
    uint32_t out[RP_BLOCK_CAPACITY];
    for (size_t i = 0; (code = vbyte_here(i)); i++) {
        size_t used = code->encode(NULL, values, 5, in);
        assert_int_equal(code->decode(in, used, out, 5), RP_OK);
        assert_int_equal(code->decode_docids(in, used, UINT32_MAX, out, 5), RP_DAMAGED);
        used = code->encode(NULL, values + 2, 3, in);
        assert_int_equal(code->decode_docids(in, used, 10, out, 3), RP_OK);
        assert_int_equal(out[2], 10 + 3 + 0x1000000 + 6);
        assert_int_equal(code->decode_docids(in, used, UINT32_MAX - 50, out, 3), RP_DAMAGED);
    }
}

/* Full blocks, which rows may decode another way where no value has over two bytes: alike by all rows,
 * whole, cut off, and where docids pass the largest number. */
static void full_blocks_are_alike(void **unused)
{
    (void)unused;
    const rp__block_code *plain = rp__block_code_find("vbyte", 0), *code;
    uint64_t rng = 21;
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t values[RP_BLOCK], want[RP_BLOCK_CAPACITY], got[RP_BLOCK_CAPACITY];
        uint8_t in[RP_BLOCK * 5 + RP_PAD];
        memset(in, 0xFF, sizeof in);
        for (size_t k = 0; k < RP_BLOCK; k++)
            values[k] =
                (uint32_t)(random64(&rng) >> (round % 3 ? 48 + random_below(&rng, 16) : 48));
        if (round % 4 == 3) /* one that is not short */
            values[random_below(&rng, RP_BLOCK)] = 1U << (16 + random_below(&rng, 16));
        size_t used = plain->encode(NULL, values, RP_BLOCK, in);
        uint32_t base =
            round % 5 ? UINT32_MAX : UINT32_MAX - (uint32_t)random_below(&rng, 1U << 22);
        rp_status status = plain->decode_docids(in, used, base, want, RP_BLOCK);
        for (size_t i = 0; (code = vbyte_here(i)); i++) {
            assert_int_equal(code->decode_docids(in, used, base, got, RP_BLOCK), status);
            if (status == RP_OK)
                assert_memory_equal(got, want, sizeof values);
            for (size_t bytes = 0; bytes < used; bytes++)
                assert_int_equal(code->decode_docids(in, bytes, base, got, RP_BLOCK), RP_DAMAGED);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(cut_off_blocks_are_damage),
        cmocka_unit_test(docids_that_pass_the_largest_number_are_damage),
        cmocka_unit_test(full_blocks_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
