/* test_bitmap.c: the bytes of bitmap, single docids, and what its rows refuse. */
#include "list_case.h"

static void open_case(list_case *lc, const rp__codec *codec, rp__list *list)
{
    assert_int_equal(list_case_encode(lc, codec, false), RP_OK);
    assert_int_equal(rp__list_open(codec, lc->bytes, lc->n_bytes, lc->n, lc->universe, false, list),
                     RP_OK);
}

static void bytes_are_as_documented(void **unused)
{
    (void)unused;
    uint32_t docids[] = {70, 71, 127, 128, 200}, tfs[] = {1, 1, 1, 1, 1};
    list_case lc = {.n = 5, .universe = 300, .docids = docids, .tfs = tfs};
    rp__list list;
    open_case(&lc, rp__codec_find("bitmap", 0), &list); /* 3 words and a hint: over 5 words of 4 */
    assert_int_equal(list.docs_bytes, 8 + 20);
    assert_int_equal(rp__load32(list.docs), 1);
    assert_memory_equal(list.docs + 8, docids, sizeof docids);
    docids[4] = 129;
    open_case(&lc, rp__codec_find("bitmap", 0), &list);
    assert_int_equal(list.docs_bytes, 8 + 2 * 8 + 4);
    assert_int_equal(rp__load32(list.docs), 64);
    assert_int_equal(rp__load32(list.docs + 4), 2);
    assert_true(rp__load64(list.docs + 8) == (1ULL << 6 | 1ULL << 7 | 1ULL << 63));
    assert_true(rp__load64(list.docs + 16) == 3);
    assert_int_equal(rp__load32(list.docs + 24), 0);
    free(lc.bytes);
    free(lc.bounds);
}

/* Densities from all to one in 50, which is sparse. */
static void any_docid_alone(void **unused)
{
    (void)unused;
    const rp__codec *codec = rp__codec_find("bitmap", 0);
    uint64_t rng = 14;
    for (uint32_t spread = 1; spread <= 50; spread++) {
        list_case lc;
        rp__list list;
        uint32_t n = 4000, one;
        list_case_make(&lc, &rng, spread % 2 ? UNIFORM : RUNS, n, n * spread);
        open_case(&lc, codec, &list);
        assert_int_equal(rp__load32(list.docs) == 1, list.docs_bytes == 8 + 4 * n);
        if (spread < 30)
            assert_true(list.docs_bytes < 8 + 4 * n);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(codec->at(&list, i, &one), RP_OK);
            assert_int_equal(one, lc.docids[i]);
        }
        assert_int_equal(codec->at(&list, n, &one), RP_DAMAGED);
        list_case_free(&lc);
    }
}

static void heads_that_cannot_be(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    uint64_t rng = 15;
    uint32_t out[1000 + RP_BLOCK_CAPACITY];
    /* not a multiple of 64; sparse with words; past 2^32; more words than there are */
    const uint32_t bases[] = {65, 1, 0xFFFFFFC0U, 0}, more[] = {0, 0, 0, 9};
    for (size_t j = 0; (codec = codec_here(j)); j++) {
        if (strcmp(codec->name, "bitmap") != 0)
            continue;
        list_case lc;
        rp__list list;
        list_case_make(&lc, &rng, UNIFORM, 1000, 4000);
        open_case(&lc, codec, &list);
        uint8_t *head = lc.bytes + (list.docs - lc.bytes);
        uint32_t n_words = rp__load32(head + 4);
        for (size_t k = 0; k < 4; k++) {
            rp__store32(head, bases[k]);
            rp__store32(head + 4, n_words + more[k]);
            assert_int_equal(codec->block(&list, 3, out), RP_DAMAGED);
            assert_int_equal(codec->decode(&list, out), RP_DAMAGED);
            assert_int_equal(codec->at(&list, 500, out), RP_DAMAGED);
        }
        rp__store32(head, 0);
        rp__store32(head + 4, n_words);
        assert_int_equal(codec->decode(&list, out), RP_OK);
        memset(head + 8 + 8 * (n_words - 1), 0, 8); /* too few bits for the last block */
        assert_int_equal(codec->decode(&list, out), RP_DAMAGED);
        assert_int_equal(codec->block(&list, list.n_blocks - 1, out), RP_DAMAGED);
        list_case_free(&lc);
    }
}

static void rows_agree_on_damage(void **unused)
{
    (void)unused;
    const rp__codec *plain = rp__codec_find("bitmap", 0), *codec;
    uint64_t rng = 16;
    static uint32_t want[RP_BLOCK_CAPACITY], got[RP_BLOCK_CAPACITY];
    for (int round = 0; round < 1000; round++) {
        list_case lc;
        rp__list list;
        uint32_t n = 1 + (uint32_t)random_below(&rng, 2000);
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), n, n << round % 6);
        open_case(&lc, plain, &list);
        for (int k = 0; k < 10; k++) {
            lc.bytes[4 + random_below(&rng, lc.n_bytes - 4)] ^= (uint8_t)(1U << k % 8);
            if (rp__list_open(plain, lc.bytes, lc.n_bytes, n, lc.universe, false, &list))
                break;
            for (size_t j = 0; (codec = codec_here(j)); j++)
                for (uint32_t b = 0; codec->id == plain->id && b < list.n_blocks; b++) {
                    uint32_t count = rp__list_block_count(&list, b);
                    rp_status s = plain->block(&list, b, want);
                    assert_int_equal(codec->block(&list, b, got), s);
                    if (s == RP_OK)
                        assert_memory_equal(got, want, count * sizeof *got);
                    codec->at(&list, (uint32_t)random_below(&rng, n), got);
                }
        }
        list_case_free(&lc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(any_docid_alone),
        cmocka_unit_test(heads_that_cannot_be),
        cmocka_unit_test(rows_agree_on_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
