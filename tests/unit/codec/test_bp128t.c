/* test_bp128t.c: the order of bp128t's slots, and blocks without order. Rows of the block code are
 * compared with each other in tests/parity/test_codecs.c. */
#include "list_case.h"

static void a_full_block_is_transposed(void **unused)
{
    (void)unused;
    const rp__block_code *code = rp__block_code_find("bp128t", 0);
    const rp__block_code *bp128 = rp__block_code_find("bp128", 0);
    uint32_t values[RP_BLOCK], rows[RP_BLOCK];
    uint8_t got[600], want[600];
    for (uint32_t i = 0; i < RP_BLOCK; i++)
        values[i] = i;
    for (uint32_t r = 0; r < 8; r++)
        for (uint32_t l = 0; l < 16; l++)
            rows[16 * r + l] = 8 * l + r;
    size_t used = code->encode(NULL, values, RP_BLOCK, got);
    assert_int_equal(used, bp128->encode(NULL, rows, RP_BLOCK, want));
    assert_memory_equal(got, want, used);
    used = code->encode(NULL, values, RP_BLOCK - 1, got); /* others are as they are */
    assert_int_equal(used, bp128->encode(NULL, values, RP_BLOCK - 1, want));
    assert_memory_equal(got, want, used);
}

static void ranks_are_a_permutation(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    for (size_t j = 0; (codec = codec_here(j)); j++) {
        assert_true((codec->unordered == NULL) == (codec->ranks == NULL));
        if (!codec->ranks)
            continue;
        bool seen[RP_BLOCK] = {false};
        for (uint32_t s = 0; s < RP_BLOCK; s++) {
            assert_true(codec->ranks[s] < RP_BLOCK && !seen[codec->ranks[s]]);
            seen[codec->ranks[s]] = true;
        }
    }
}

/* Block b in order, by the ranks of what came without it. */
static void check_block(const rp__list *list, uint32_t b, const uint32_t *unordered)
{
    uint32_t want[RP_BLOCK_CAPACITY], count = rp__list_block_count(list, b);
    assert_int_equal(list->codec->block(list, b, want), RP_OK);
    for (uint32_t s = 0; s < count; s++) {
        uint32_t slot = count == RP_BLOCK ? list->codec->ranks[s] : s;
        assert_int_equal(unordered[s], want[slot]);
    }
}

static void blocks_without_order_hold_the_same(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    uint64_t rng = 41;
    for (int round = 0; round < 600; round++) {
        list_case lc;
        uint32_t n = random_length(&rng, 5000);
        uint64_t universe = (uint64_t)n << random_below(&rng, 24);
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), n,
                       universe < UINT32_MAX ? (uint32_t)universe : UINT32_MAX);
        for (size_t j = 0; (codec = codec_here(j)); j++) {
            rp__list list;
            if (!codec->unordered)
                continue;
            assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
            assert_int_equal(
                rp__list_open(codec, lc.bytes, lc.n_bytes, n, lc.universe, false, &list), RP_OK);
            uint32_t from = (uint32_t)random_below(&rng, list.n_blocks);
            uint32_t count = 1 + (uint32_t)random_below(&rng, list.n_blocks - from);
            uint32_t *out = malloc((count * RP_BLOCK + RP_BLOCK_CAPACITY) * sizeof *out);
            assert_int_equal(codec->unordered(&list, from, count, out), RP_OK);
            for (uint32_t k = 0; k < count; k++)
                check_block(&list, from + k, out + k * RP_BLOCK);
            free(out);
        }
        list_case_free(&lc);
    }
}

static void damage_is_seen_without_order_too(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    uint64_t rng = 42;
    static uint32_t out[8 * RP_BLOCK + RP_BLOCK_CAPACITY], one[RP_BLOCK_CAPACITY];
    size_t damaged = 0;
    for (int round = 0; round < 2000; round++) {
        list_case lc;
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), 1000, 4000000000U >> round % 20);
        for (size_t j = 0; (codec = codec_here(j)); j++) {
            rp__list list;
            if (!codec->unordered)
                continue;
            assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
            lc.bytes[16 + random_below(&rng, lc.n_bytes - 16)] ^= (uint8_t)(1U << round % 8);
            if (rp__list_open(codec, lc.bytes, lc.n_bytes, 1000, lc.universe, false, &list))
                continue;
            rp_status want = RP_OK;
            for (uint32_t b = 0; b < list.n_blocks; b++)
                want = codec->block(&list, b, one) ? RP_DAMAGED : want;
            assert_int_equal(codec->unordered(&list, 0, list.n_blocks, out), want);
            damaged += want != RP_OK;
        }
        list_case_free(&lc);
    }
    assert_true(damaged > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_block_is_transposed),
        cmocka_unit_test(ranks_are_a_permutation),
        cmocka_unit_test(blocks_without_order_hold_the_same),
        cmocka_unit_test(damage_is_seen_without_order_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
