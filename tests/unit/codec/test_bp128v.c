/* test_bp128v.c: the bytes of bp128v. Rows are compared with each other in
 * tests/parity/test_codecs.c. */
#include "list_case.h"

/* Values of one width, read back bit by bit: value i is in lane i % 4, at bit i / 4 * w of it. */
static void lanes_are_interleaved(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("bp128v", 0);
    uint64_t rng = 4;
    for (uint32_t w = 0; w <= 32; w++) {
        uint32_t values[RP_BLOCK];
        uint8_t out[1 + 4 * RP_BLOCK];
        for (uint32_t i = 0; i < RP_BLOCK; i++)
            values[i] = w ? (uint32_t)random64(&rng) >> (32 - w) : 0;
        if (w)
            values[77] |= 1U << (w - 1);
        assert_int_equal(code->encode(NULL, values, RP_BLOCK, out), 1 + 16 * w);
        assert_int_equal(out[0], w);
        for (uint32_t i = 0; i < RP_BLOCK; i++)
            for (uint32_t k = 0; k < w; k++) {
                uint32_t bit = i / 4 * w + k, byte = bit / 32 * 16 + i % 4 * 4 + bit % 32 / 8;
                assert_int_equal(out[1 + byte] >> bit % 8 & 1, values[i] >> k & 1);
            }
    }
}

static void other_blocks_are_those_of_bp128(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("bp128v", 0);
    const rp__block_code *bp128 = rp__block_code_find("bp128", 0);
    uint32_t values[RP_BLOCK_MAX];
    uint8_t got[1 + 4 * RP_BLOCK_MAX], want[1 + 4 * RP_BLOCK_MAX];
    for (uint32_t i = 0; i < RP_BLOCK_MAX; i++)
        values[i] = i * 37 % 100;
    for (size_t n = 0; n <= RP_BLOCK_MAX; n++) {
        if (n == RP_BLOCK)
            continue;
        size_t used = code->encode(NULL, values, n, got);
        assert_int_equal(used, bp128->encode(NULL, values, n, want));
        assert_memory_equal(got, want, used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_interleaved),
        cmocka_unit_test(other_blocks_are_those_of_bp128),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
