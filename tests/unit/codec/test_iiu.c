/* test_iiu.c: the image of iiu on the paper's examples, its limits, and what its rows refuse. Its cut
 * is tested in test_iiu_partition.c; round trips in tests/parity/test_codecs.c. */
#include "list_case.h"

typedef struct meta {
    uint32_t gap, tf, count, skip;
    uint64_t offset;
} meta;

static meta meta_of(const rp__list *list, uint32_t b)
{
    uint64_t word = rp__load64(list->docs + 8 * b);
    return (meta){word & 31, word >> 5 & 31, word >> 10 & 2047,
                  rp__load32(list->docs + 8 * list->n_blocks + 4 * b), word >> 21};
}

/* Bits of the postings, one by one. */
static uint32_t bits_at(const rp__list *list, uint64_t bit, uint32_t w)
{
    const uint8_t *payload = list->docs + 12 * list->n_blocks;
    uint32_t v = 0;
    for (uint32_t i = 0; i < w; i++, bit++)
        v |= (uint32_t)(payload[bit / 8] >> bit % 8 & 1) << i;
    return v;
}

static void open_case(list_case *lc, const rp__codec *codec, rp__list *list)
{
    assert_int_equal(list_case_encode(lc, codec, false), RP_OK);
    assert_int_equal(rp__list_open(codec, lc->bytes, lc->n_bytes, lc->n, lc->universe, false, list),
                     RP_OK);
}

/* Figure 4: the list of "Lausanne" and its gaps. One block is cheapest: 7 bits for the gaps (the first
 * is free, the largest 123), 4 for the frequencies. */
static void figure_4(void **unused)
{
    (void)unused;
    uint32_t docids[] = {7, 10, 15, 54, 72, 134, 170, 221, 294, 417, 500, 542};
    uint32_t tfs[] = {11, 2, 1, 1, 5, 3, 1, 2, 4, 1, 3, 7};
    const uint32_t gaps[] = {0, 3, 5, 39, 18, 62, 36, 51, 73, 123, 83, 42};
    const rp__codec *codec;
    for (size_t j = 0; (codec = codec_here(j)); j++) {
        if (strcmp(codec->name, "iiu") != 0)
            continue;
        list_case lc = {.n = 12, .universe = 1000, .docids = docids, .tfs = tfs};
        rp__list list;
        open_case(&lc, codec, &list);
        meta m = meta_of(&list, 0);
        assert_int_equal(list.n_blocks, 1);
        assert_true(m.gap == 7 && m.tf == 4 && m.count == 12 && m.skip == 7 && m.offset == 0);
        assert_int_equal(list.docs_bytes, 12 + (12 * 11 + 7) / 8);
        for (uint32_t i = 0; i < 12; i++) {
            assert_int_equal(bits_at(&list, 11 * i, 7), gaps[i]);
            assert_int_equal(bits_at(&list, 11 * i + 7, 4), tfs[i]);
        }
        uint32_t out[RP_BLOCK_CAPACITY], out_tfs[RP_BLOCK_CAPACITY];
        assert_int_equal(rp__list_decode(&list, out, out_tfs), RP_OK);
        assert_memory_equal(out, docids, sizeof docids);
        assert_memory_equal(out_tfs, tfs, sizeof tfs);
        free(lc.bytes);
        free(lc.bounds);
    }
}

/* Figure 5 shows the first three blocks of a list, without its numbers. Ours: 100 postings 3 apart with
 * frequency 1, 60 postings 700 apart with frequency 6, 80 postings 20 apart with frequency 100; each
 * stretch is a block of its own, and the far step into it is free. */
static void figure_5(void **unused)
{
    (void)unused;
    const uint32_t counts[] = {100, 60, 80}, steps[] = {3, 700, 20}, values[] = {1, 6, 100};
    const uint32_t want_gap[] = {2, 10, 5}, want_tf[] = {1, 3, 7};
    uint32_t docids[240], tfs[240], firsts[3], n = 0, next = 5;
    for (uint32_t b = 0; b < 3; b++, next += 100000) {
        firsts[b] = next;
        for (uint32_t i = 0; i < counts[b]; i++, next += steps[b]) {
            docids[n] = next;
            tfs[n++] = values[b];
        }
    }
    list_case lc = {.n = n, .universe = 1000000, .docids = docids, .tfs = tfs};
    rp__list list;
    open_case(&lc, rp__codec_find("iiu", 0), &list);
    assert_int_equal(list.n_blocks, 3);
    uint64_t offset = 0;
    for (uint32_t b = 0; b < 3; b++) {
        meta m = meta_of(&list, b);
        assert_int_equal(m.gap, want_gap[b]);
        assert_int_equal(m.tf, want_tf[b]);
        assert_int_equal(m.count, counts[b]);
        assert_int_equal(m.skip, firsts[b]);
        assert_int_equal(m.offset, offset);
        offset += counts[b] * (want_gap[b] + want_tf[b]); /* no padding between blocks */
    }
    assert_int_equal(list.docs_bytes, 3 * 12 + (offset + 7) / 8);
    free(lc.bytes);
    free(lc.bounds);
}

static void widths_and_counts(void **unused)
{
    (void)unused;
    const uint32_t lengths[] = {1, 2, 3, 16, 17, 32, 33, 128, 129, 255, 256, 257, 2047, 2048};
    const rp__codec *codec;
    uint64_t rng = 6;
    static uint32_t docids[2048], tfs[2048], out[2048 + RP_BLOCK_CAPACITY],
        out_tfs[2048 + RP_BLOCK_CAPACITY];
    for (size_t j = 0; (codec = codec_here(j)); j++)
        for (uint32_t w = 0; strcmp(codec->name, "iiu") == 0 && w < 31 * 32; w++)
            for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
                uint32_t n = lengths[k], gap_width = w % 31, tf_width = w / 31;
                uint64_t next = 0;
                if (((uint64_t)n << gap_width) >= INT32_MAX)
                    continue;
                for (uint32_t i = 0; i < n; i++) {
                    docids[i] = (uint32_t)next;
                    next += 1 + random_below(&rng, 1ULL << gap_width);
                    tfs[i] = 1 + (uint32_t)random_below(&rng, (1ULL << tf_width) - 1);
                }
                list_case lc = {.n = n, .universe = INT32_MAX, .docids = docids, .tfs = tfs};
                rp__list list;
                open_case(&lc, codec, &list);
                assert_int_equal(rp__list_decode(&list, out, out_tfs), RP_OK);
                assert_memory_equal(out, docids, n * sizeof *out);
                assert_memory_equal(out_tfs, tfs, n * sizeof *out);
                free(lc.bytes);
                free(lc.bounds);
            }
}

static void docids_and_frequencies_have_31_bits(void **unused)
{
    (void)unused;
    const rp__codec *codec = rp__codec_find("iiu", 0);
    uint32_t docids[2] = {0, INT32_MAX}, tfs[2] = {INT32_MAX, 1};
    list_case lc = {.n = 2, .universe = UINT32_MAX, .docids = docids, .tfs = tfs};
    rp__list list;
    uint32_t out[RP_BLOCK_CAPACITY], out_tfs[RP_BLOCK_CAPACITY];
    open_case(&lc, codec, &list);
    assert_int_equal(rp__list_decode(&list, out, out_tfs), RP_OK);
    assert_true(out[1] == INT32_MAX && out_tfs[0] == INT32_MAX);
    docids[1]++;
    assert_int_equal(list_case_encode(&lc, codec, false), RP_LIMIT);
    docids[1]--;
    tfs[0]++;
    assert_int_equal(list_case_encode(&lc, codec, false), RP_LIMIT);
    free(lc.bytes);
    free(lc.bounds);
}

/* Repeated docids, frequencies of 0, and what the metadata may not say. */
static void lies_are_damage(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    uint32_t docids[100], tfs[100], out[RP_BLOCK_CAPACITY];
    for (uint32_t i = 0; i < 100; i++) {
        docids[i] = 5 + 3 * i;
        tfs[i] = 1;
    }
    for (size_t j = 0; (codec = codec_here(j)); j++) {
        if (strcmp(codec->name, "iiu") != 0)
            continue;
        list_case lc = {.n = 100, .universe = 1000, .docids = docids, .tfs = tfs};
        rp__list list;
        open_case(&lc, codec, &list);
        uint8_t *head = lc.bytes + (list.docs - lc.bytes), *bits = head + 12;
        uint64_t was = rp__load64(head);
        for (uint32_t i = 0; i < 100; i++) { /* 2 bits of gap, 1 of frequency; the first gap is 0 */
            uint64_t word = rp__load64(bits + 3 * i / 8);
            rp__store64(bits + 3 * i / 8, word & ~(3ULL << 3 * i % 8));
            assert_int_equal(codec->block(&list, 0, out), i ? RP_DAMAGED : RP_OK);
            assert_int_equal(codec->decode(&list, out), i ? RP_DAMAGED : RP_OK);
            rp__store64(bits + 3 * i / 8, word & ~(4ULL << 3 * i % 8));
            assert_int_equal(codec->tfs(&list, 0, out), RP_DAMAGED);
            rp__store64(bits + 3 * i / 8, word);
        }
        const uint64_t lies[] = {1, 1 << 5, 1 << 10, 1ULL << 21, 1ULL << 63};
        for (size_t k = 0; k < 5; k++) { /* one bit, posting or place more: past the end */
            rp__store64(head, was + lies[k] * (k == 3 ? 5 : 1));
            assert_int_equal(codec->block(&list, 0, out), RP_DAMAGED);
            assert_int_equal(codec->tfs(&list, 0, out), RP_DAMAGED);
        }
        rp__store64(head, was);
        rp__store32(head + 8, UINT32_MAX - 100); /* the sum passes 2^32 */
        assert_int_equal(codec->block(&list, 0, out), RP_DAMAGED);
        free(lc.bytes);
        free(lc.bounds);
    }
}

/* Any bytes: every row says what the plain one says, and gives what it gives. */
static void rows_agree_on_damage(void **unused)
{
    (void)unused;
    const rp__codec *plain = rp__codec_find("iiu", 0), *codec;
    uint64_t rng = 9;
    static uint32_t want[RP_BLOCK_CAPACITY], got[RP_BLOCK_CAPACITY];
    for (int round = 0; round < 300; round++) {
        list_case lc;
        rp__list list;
        uint32_t n = 130 + (uint32_t)random_below(&rng, 1000);
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), n, n << random_below(&rng, 20));
        list_case_trim(&lc, plain);
        open_case(&lc, plain, &list);
        for (int k = 0; k < 20; k++) {
            lc.bytes[16 + random_below(&rng, lc.n_bytes - 16)] ^= (uint8_t)(1U << k % 8);
            if (rp__list_open(plain, lc.bytes, lc.n_bytes, n, lc.universe, false, &list))
                break;
            for (size_t j = 0; (codec = codec_here(j)); j++) {
                if (codec->id != plain->id || codec == plain)
                    continue;
                for (uint32_t b = 0; b < list.n_blocks; b++) {
                    uint32_t count = rp__list_block_count(&list, b);
                    rp_status s = plain->block(&list, b, want);
                    assert_int_equal(codec->block(&list, b, got), s);
                    if (s == RP_OK)
                        assert_memory_equal(got, want, count * sizeof *got);
                }
                for (uint32_t f = 0; f * RP_BLOCK < n; f++) {
                    uint32_t count = n - f * RP_BLOCK < RP_BLOCK ? n - f * RP_BLOCK : RP_BLOCK;
                    rp_status s = plain->tfs(&list, f, want);
                    assert_int_equal(codec->tfs(&list, f, got), s);
                    if (s == RP_OK)
                        assert_memory_equal(got, want, count * sizeof *got);
                }
            }
        }
        list_case_free(&lc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_4),          cmocka_unit_test(figure_5),
        cmocka_unit_test(widths_and_counts), cmocka_unit_test(docids_and_frequencies_have_31_bits),
        cmocka_unit_test(lies_are_damage),   cmocka_unit_test(rows_agree_on_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
