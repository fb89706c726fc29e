/* test_bp128d4.c: the bytes of bp128d4, and bytes that do not rise. Rows are compared with each other
 * in tests/parity/test_codecs.c. */
#include "list_case.h"

enum { N = 2 * RP_BLOCK + 5, ROOM = 8 * N };

/* Docids with gaps of 1 to 9. */
static void draw(uint32_t *docids)
{
    uint64_t rng = 7;
    for (uint32_t i = 0, at = 3; i < N; at += 1 + (uint32_t)random_below(&rng, 9))
        docids[i++] = at;
}

static rp__encoding encoded(const uint32_t *docids, uint32_t *ends, uint32_t *offsets, uint8_t *out)
{
    const rp__codec *row = rp__codec_find("bp128d4", 0);
    rp__encoding e = {.docids = docids, .n = N, .ends = ends, .offsets = offsets, .out = out};
    for (e.n_blocks = 0; e.n_blocks * RP_BLOCK < N; e.n_blocks++)
        ends[e.n_blocks] = e.n_blocks < 2 ? (uint32_t)(e.n_blocks + 1) * RP_BLOCK : N;
    assert_true(row->bound(row, N) <= ROOM);
    assert_int_equal(row->encode(row, &e), RP_OK);
    return e;
}

static void values_are_four_apart(void **unused)
{
    (void)unused;
    uint32_t docids[N], ends[3], offsets[3], values[RP_BLOCK];
    uint8_t out[ROOM + RP_PAD] = {0};
    draw(docids);
    encoded(docids, ends, offsets, out);
    const rp__block_code *bp128 = rp__block_code_find("bp128", 0);
    assert_int_equal(bp128->decode(out + offsets[1], offsets[2] - offsets[1], values, RP_BLOCK),
                     RP_OK);
    const uint32_t *d = docids + RP_BLOCK;
    for (uint32_t i = 0; i < RP_BLOCK; i++)
        assert_int_equal(values[i], i < 4 ? d[i] - (d[-1] - 3 + i) : d[i] - d[i - 4]);
    assert_int_equal(bp128->decode(out, offsets[1], values, RP_BLOCK), RP_OK);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(values[i], docids[i] + 4 - i);
}

static void the_last_block_is_one_of_bp128(void **unused)
{
    (void)unused;
    uint32_t docids[N], ends[3], offsets[3], got[RP_BLOCK_CAPACITY];
    uint8_t out[ROOM + RP_PAD] = {0};
    draw(docids);
    rp__encoding e = encoded(docids, ends, offsets, out);
    const uint32_t *d = docids + 2 * RP_BLOCK;
    assert_int_equal(
        rp__block_code_find("bp128", 0)
            ->decode_docids(out + offsets[2], e.used - offsets[2], d[-1], got, N - 2 * RP_BLOCK),
        RP_OK);
    assert_memory_equal(got, d, (N - 2 * RP_BLOCK) * sizeof *got);
}

/* The second docid above the third, or the same; the sums are those of before. */
static void what_does_not_rise_is_damage(void **unused)
{
    (void)unused;
    const rp__codec *row;
    for (uint32_t by = 0; by < 3; by++)
        for (size_t k = 0; (row = rp__codec_at(k)); k++) {
            uint32_t docids[RP_BLOCK], out[RP_BLOCK_CAPACITY], values[RP_BLOCK];
            uint8_t in[1 + 4 * RP_BLOCK + RP_PAD] = {0};
            if (strcmp(row->name, "bp128d4") != 0 || (row->needs & ~rp__cpu_features()))
                continue;
            for (uint32_t i = 0; i < RP_BLOCK; i++)
                docids[i] = 10 + 2 * i;
            for (uint32_t i = 0; i < RP_BLOCK; i++)
                values[i] = i < 4 ? docids[i] + 4 - i : 8;
            values[65] += 1 + by; /* docid 65 is 140 + by or so, docid 66 is 142 */
            values[69] -= 1 + by;
            size_t used = rp__block_code_find("bp128", 0)->encode(NULL, values, RP_BLOCK, in);
            rp__list list = {.codec = row, .n = RP_BLOCK, .n_blocks = 1, .universe = 1000};
            list.docs = in;
            list.docs_bytes = used;
            rp_status want = by == 0 ? RP_OK : RP_DAMAGED;
            assert_int_equal(row->block(&list, 0, out), want);
            assert_int_equal(row->decode(&list, out), want);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_four_apart),
        cmocka_unit_test(the_last_block_is_one_of_bp128),
        cmocka_unit_test(what_does_not_rise_is_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
