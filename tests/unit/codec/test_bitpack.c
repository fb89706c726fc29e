/* test_bitpack.c: the bytes of bp128, and what its decoders refuse. Rows are compared with each
 * other in tests/parity/test_codecs.c. */
#include "list_case.h"

/* Every row of bp128 that runs here. */
static const rp__block_code *bitpack_here(size_t i)
{
    const rp__block_code *code;
    for (size_t k = 0; (code = code_here(k)); k++)
        if (strcmp(code->name, "bp128") == 0 && i-- == 0)
            return code;
    return NULL;
}

static void bytes_are_as_documented(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("bp128", 0);
    const uint32_t values[] = {1, 2, 7, 0, 5};
    const uint8_t want[] = {3, 0xD1, 0x51}; /* 101 000 111 010 001, lowest bit first */
    uint8_t out[32];
    assert_int_equal(code->encode(NULL, values, 5, out), sizeof want);
    assert_memory_equal(out, want, sizeof want);
}

static void zeros_and_nothing_take_one_byte(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("bp128", 0);
    uint32_t zeros[RP_BLOCK_MAX] = {0};
    uint8_t out[8];
    assert_int_equal(code->encode(NULL, zeros, RP_BLOCK_MAX, out), 1);
    assert_int_equal(out[0], 0);
    assert_int_equal(code->encode(NULL, zeros, 0, out), 1);
}

static void widths_over_32_are_damage(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    uint8_t in[1 + 4 * 256 + RP_PAD] = {0};
    uint32_t out[RP_BLOCK_CAPACITY];
    for (size_t i = 0; (code = bitpack_here(i)); i++)
        for (uint32_t w = 0; w < 256; w++) {
            in[0] = (uint8_t)w;
            rp_status want = w <= 32 ? RP_OK : RP_DAMAGED;
            assert_int_equal(code->decode(in, 1 + 4 * 128, out, 128), want);
            assert_int_equal(code->decode_docids(in, 1 + 4 * 128, 5, out, 128), want);
            assert_int_equal(code->at(in, 1 + 4 * 128, 128, 127, out), want);
            assert_int_equal(code->slice(in, 1 + 4 * 128, 120, 8, 5, out), want);
        }
}

static void cut_off_blocks_are_damage(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    uint32_t out[RP_BLOCK_CAPACITY];
    for (size_t i = 0; (code = bitpack_here(i)); i++)
        for (uint32_t w = 1; w <= 32; w++) {
            size_t full = 1 + (100 * w + 7) / 8;
            uint8_t *in = calloc(full + RP_PAD, 1);
            in[0] = (uint8_t)w;
            assert_int_equal(code->decode(in, full, out, 100), RP_OK);
            assert_int_equal(code->decode(in, full - 1, out, 100), RP_DAMAGED);
            assert_int_equal(code->decode_docids(in, full - 1, 0, out, 100), RP_DAMAGED);
            assert_int_equal(code->at(in, full - 1, 100, 0, out), RP_DAMAGED);
            assert_int_equal(code->at(in, full, 100, 100, out), RP_DAMAGED);
            assert_int_equal(code->decode(in, 0, out, 0), RP_DAMAGED);
            free(in);
        }
}

/* The largest docid of all is reached, one more is not. */
static void docids_end_at_the_largest_number(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    uint8_t in[64 + RP_PAD] = {0};
    uint32_t out[RP_BLOCK_CAPACITY];
    for (size_t i = 0; (code = bitpack_here(i)); i++)
        for (uint32_t w = 0; w <= 8; w++) {
            in[0] = (uint8_t)w; /* all gaps are 1 */
            assert_int_equal(code->decode_docids(in, 64, UINT32_MAX - 20, out, 20), RP_OK);
            assert_int_equal(out[19], UINT32_MAX);
            assert_int_equal(code->decode_docids(in, 64, UINT32_MAX - 20, out, 21), RP_DAMAGED);
            assert_int_equal(code->decode_docids(in, 64, UINT32_MAX, out, 20), RP_OK);
            assert_int_equal(out[0], 0);
        }
}

/* Any run of values of any width, wherever in a byte it begins, whatever lies behind it. */
static void slices_are_what_lies_there(void **unused)
{
    (void)unused;
    const rp__block_code *plain = rp__block_code_find("bp128", 0), *code;
    uint64_t seed = 4, refused = 0;
    for (uint32_t round = 0; round < 33 * 300; round++) {
        uint32_t w = round % 33, values[128], want[128], got[128 + 15];
        uint32_t n = 1 + (uint32_t)random_below(&seed, 128);
        uint32_t from = (uint32_t)random_below(&seed, n);
        uint32_t count = 1 + (uint32_t)random_below(&seed, n - from);
        uint32_t base = (uint32_t)random64(&seed) >> random_below(&seed, 32);
        for (uint32_t i = 0; i < n; i++)
            values[i] = (uint32_t)(random64(&seed) & ((1ULL << w) - 1));
        values[random_below(&seed, n)] = (uint32_t)((1ULL << w) - 1); /* it has this width */
        uint8_t *in = malloc(plain->bound(n) + RP_PAD);
        size_t bytes = plain->encode(NULL, values, n, in);
        memset(in + bytes, 0xEE, RP_PAD);
        uint64_t next = (uint32_t)(base + 1);
        for (uint32_t i = 0; i < count; i++)
            want[i] = (uint32_t)(next += values[from + i]), next++;
        rp_status status = next > 1ULL << 32 ? RP_DAMAGED : RP_OK;
        size_t end = 1 + ((size_t)(from + count) * w + 7) / 8;
        refused += status != RP_OK;
        for (size_t i = 0; (code = bitpack_here(i)); i++) {
            assert_int_equal(code->slice(in, bytes, from, count, base, got), status);
            if (status == RP_OK)
                assert_memory_equal(got, want, count * sizeof *got);
            assert_int_equal(code->slice(in, end, from, count, base, got), status);
            assert_int_equal(code->slice(in, end - 1, from, count, base, got), RP_DAMAGED);
        }
        free(in);
    }
    assert_true(refused > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(zeros_and_nothing_take_one_byte),
        cmocka_unit_test(widths_over_32_are_damage),
        cmocka_unit_test(cut_off_blocks_are_damage),
        cmocka_unit_test(docids_end_at_the_largest_number),
        cmocka_unit_test(slices_are_what_lies_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
