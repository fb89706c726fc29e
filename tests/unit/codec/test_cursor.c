/* test_cursor.c: the corners of walking a list; tests/parity/test_codecs.c walks many at random. */
#include "cut_codec.h"

static rp__cursor cursor; /* too large for a stack frame of every test */

/* 40,000 postings (313 blocks) of every fifth docid, open with this row. */
static void open_fifths_by(const rp__codec *codec, list_case *lc, rp__list *list)
{
    uint64_t rng = 6;
    list_case_make(lc, &rng, UNIFORM, 40000, 200000);
    for (uint32_t i = 0; i < 40000; i++)
        lc->docids[i] = 5 * i;
    assert_int_equal(list_case_encode(lc, codec, false), RP_OK);
    assert_int_equal(rp__list_open(codec, lc->bytes, lc->n_bytes, lc->n, lc->universe, false, list),
                     RP_OK);
}

/* The same with the best row of bp128. */
static void open_fifths(list_case *lc, rp__list *list)
{
    open_fifths_by(rp__codec_find("bp128", rp__cpu_features()), lc, list);
}

/* The i-th row here that can seek in a block. */
static const rp__codec *seeking_row(size_t i)
{
    const rp__codec *codec;
    for (size_t k = 0; (codec = codec_here(k)); k++)
        if (codec->seek && i-- == 0)
            return codec;
    return NULL;
}

/* A jump over blocks decodes nothing; what is asked of the block then does, and finds what is there. */
static void a_jump_leaves_the_block_undecoded(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    for (size_t row = 0; (codec = seeking_row(row)); row++) {
        list_case lc;
        rp__list list;
        const uint32_t *rest;
        open_fifths_by(codec, &lc, &list);
        for (uint32_t i = 257; i < 39999; i += 997) {
            rp__cursor_open(&cursor, &list);
            assert_int_equal(rp__cursor_next_geq(&cursor, 5 * i - 4), 5 * i);
            assert_int_equal(cursor.decoded, 128);
            assert_int_equal(rp__cursor_rank(&cursor), i);
            assert_int_equal(rp__cursor_tf(&cursor), lc.tfs[i]);
            assert_int_equal(rp__cursor_next_geq(&cursor, 7), 5 * i); /* never back */
            if (i % 2)
                assert_int_equal(rp__cursor_block(&cursor, &rest),
                                 rp__list_block_count(&list, i / 128) - i % 128);
            assert_int_equal(i % 3 ? rp__cursor_next(&cursor)
                                   : rp__cursor_next_geq(&cursor, 5 * i + 1),
                             5 * i + 5);
            assert_int_equal(rp__cursor_rank(&cursor), i + 1);
        }
        rp__cursor_open(&cursor, &list);
        assert_int_equal(rp__cursor_next_geq(&cursor, 5 * 1000), 5 * 1000);
        assert_int_equal(rp__cursor_next_block(&cursor), 5 * 1024);
        assert_int_equal(cursor.decoded, 2 * 128);
        list_case_free(&lc);
    }
}

/* The posting of rank i is what a seek for this target in its block gives; or the block has to be decoded. */
static bool assert_seeks(const rp__list *list, const uint32_t *docids, uint32_t i, uint32_t target)
{
    uint32_t slot, docid;
    if (list->codec->seek(list, i / RP_BLOCK, target, &slot, &docid))
        return false;
    assert_int_equal(slot, i % RP_BLOCK);
    assert_int_equal(docid, docids[i]);
    return true;
}

/* In lists of every density: for each posting, and for the first docid past the one before. */
static void a_seek_finds_every_posting(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    const uint32_t n = 3000;
    for (size_t row = 0; (codec = seeking_row(row)); row++)
        for (uint32_t spread = 1; spread < 20; spread++) {
            list_case lc;
            rp__list list;
            uint64_t rng = spread;
            uint32_t sought = 0;
            list_case_make(&lc, &rng, spread % 4 ? UNIFORM : CLUSTERED, n, (n << spread) - n / 2);
            assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
            assert_int_equal(
                rp__list_open(codec, lc.bytes, lc.n_bytes, n, lc.universe, false, &list), RP_OK);
            for (uint32_t i = 0; i < n; i++) {
                sought += assert_seeks(&list, lc.docids, i, lc.docids[i]);
                sought += assert_seeks(&list, lc.docids, i, i ? lc.docids[i - 1] + 1 : 0);
            }
            assert_true(sought > n);
            list_case_free(&lc);
        }
}

/* The posting was given before its block was found to be damaged: it stands, and the walk ends. */
static void damage_in_an_undecoded_block(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    for (size_t row = 0; (codec = seeking_row(row)); row++)
        for (int way = 0; way < 3; way++) {
            list_case lc;
            rp__list list;
            const uint32_t *rest;
            open_fifths_by(codec, &lc, &list);
            ((uint32_t *)(uintptr_t)list.last)[100] += 40;
            rp__cursor_open(&cursor, &list);
            assert_int_equal(rp__cursor_next_geq(&cursor, 5 * 12810), 5 * 12810);
            assert_int_equal(cursor.status, RP_OK);
            if (way == 0) {
                assert_int_equal(rp__cursor_block(&cursor, &rest), 1);
                assert_int_equal(rest[0], 5 * 12810);
                assert_int_equal(rp__cursor_rank(&cursor), 12810);
                rp__cursor_next_block(&cursor);
            } else if (way == 1) {
                rp__cursor_next(&cursor);
            } else {
                rp__cursor_next_geq(&cursor, 5 * 12811);
            }
            assert_int_equal(cursor.docid, RP_NO_DOC);
            assert_int_equal(cursor.status, RP_DAMAGED);
            assert_int_equal(rp__cursor_next_geq(&cursor, 5 * 39000), RP_NO_DOC);
            list_case_free(&lc);
        }
}

static void jumps_decode_one_block(void **unused)
{
    (void)unused;
    list_case lc;
    rp__list list;
    open_fifths(&lc, &list);
    const uint32_t targets[] = {5 * 128,          5 * 128 * 8 + 1, 5 * 128 * 64 - 5,
                                5 * 128 * 64 - 4, 5 * 128 * 200,   5 * 39999};
    for (size_t i = 0; i < 6; i++) {
        rp__cursor_open(&cursor, &list);
        uint32_t want = (targets[i] + 4) / 5 * 5;
        assert_int_equal(rp__cursor_next_geq(&cursor, targets[i]), want);
        assert_int_equal(rp__cursor_rank(&cursor), want / 5);
        assert_int_equal(rp__cursor_tf(&cursor), lc.tfs[want / 5]);
        assert_int_equal(cursor.decoded, 128 + rp__list_block_count(&list, want / 5 / 128));
        assert_int_equal(rp__cursor_next_geq(&cursor, 3), want); /* never back */
    }
    list_case_free(&lc);
}

static void the_end_is_found_without_decoding(void **unused)
{
    (void)unused;
    list_case lc;
    rp__list list;
    const uint32_t *rest;
    open_fifths(&lc, &list);
    rp__cursor_open(&cursor, &list);
    assert_int_equal(rp__cursor_next_geq(&cursor, 5 * 39999 + 1), RP_NO_DOC);
    assert_int_equal(cursor.decoded, 128);
    assert_int_equal(cursor.status, RP_OK);
    assert_int_equal(rp__cursor_block(&cursor, &rest), 0);
    assert_int_equal(rp__cursor_next(&cursor), RP_NO_DOC);
    assert_int_equal(rp__cursor_tf(&cursor), 1);
    assert_int_equal(rp__cursor_rank(&cursor), lc.n);
    list_case_free(&lc);
}

static void every_target_in_a_block(void **unused)
{
    (void)unused;
    rp__list list;
    uint32_t docids[RP_BLOCK], tfs[RP_BLOCK];
    for (uint32_t n = 1; n <= RP_BLOCK; n++) {
        for (uint32_t i = 0; i < n; i++) {
            docids[i] = 3 * i + 1;
            tfs[i] = i + 1;
        }
        rp__list_from_arrays(docids, tfs, n, 1000, &list);
        for (uint32_t target = 0; target <= 3 * n; target++) {
            uint32_t want = target < 2 ? 0 : (target + 1) / 3;
            rp__cursor_open(&cursor, &list);
            assert_int_equal(rp__cursor_next_geq(&cursor, target),
                             want < n ? docids[want] : RP_NO_DOC);
            if (want < n)
                assert_int_equal(rp__cursor_tf(&cursor), want + 1);
        }
    }
}

static void blocks_of_256(void **unused)
{
    (void)unused;
    uint64_t rng = 9;
    rp__codec codec = cut_codec(rp__cpu_features());
    list_case lc;
    rp__list list;
    list_case_make(&lc, &rng, UNIFORM, 3000, 9000);
    assert_int_equal(list_case_encode(&lc, &codec, false), RP_OK);
    assert_int_equal(rp__list_open(&codec, lc.bytes, lc.n_bytes, 3000, 9000, false, &list), RP_OK);
    for (uint32_t from = 0; from < 3000; from += 97)
        for (uint32_t i = from; i < 3000 && i < from + 600; i++) {
            rp__cursor_open(&cursor, &list);
            rp__cursor_next_geq(&cursor, lc.docids[from]);
            assert_int_equal(rp__cursor_next_geq(&cursor, lc.docids[i]), lc.docids[i]);
            assert_int_equal(rp__cursor_rank(&cursor), i);
        }
    list_case_free(&lc);
}

static void an_empty_array_is_at_its_end(void **unused)
{
    (void)unused;
    rp__list list;
    rp__list_from_arrays(NULL, NULL, 0, 10, &list);
    rp__cursor_open(&cursor, &list);
    assert_int_equal(cursor.docid, RP_NO_DOC);
    assert_int_equal(rp__cursor_next(&cursor), RP_NO_DOC);
    assert_int_equal(rp__cursor_next_block(&cursor), RP_NO_DOC);
    assert_int_equal(cursor.status, RP_OK);
}

/* The far level says that a group of blocks reaches the target; none of them does. */
static void a_far_level_that_lies_is_damage(void **unused)
{
    (void)unused;
    list_case lc;
    rp__list list;
    open_fifths(&lc, &list);
    uint32_t *far = (uint32_t *)(uintptr_t)list.last_far;
    far[1] += 1000;
    rp__cursor_open(&cursor, &list);
    assert_int_equal(rp__cursor_next_geq(&cursor, far[1] - 500), far[1] - 500);
    far[1] = 5 * 39999;
    far[2] = 0;
    rp__cursor_open(&cursor, &list);
    rp__cursor_next_geq(&cursor, 5 * 128 * 190);
    assert_true(cursor.docid == RP_NO_DOC || cursor.docid >= 5 * 128 * 190);
    list_case_free(&lc);
}

static void damage_ends_the_walk(void **unused)
{
    (void)unused;
    list_case lc;
    rp__list list;
    open_fifths(&lc, &list);
    uint32_t *last = (uint32_t *)(uintptr_t)list.last;
    last[1]++; /* block 1 does not end there, and block 2 does not go on from there */
    rp__cursor_open(&cursor, &list);
    for (uint32_t i = 0; i < 128; i++, rp__cursor_next(&cursor))
        assert_int_equal(cursor.docid, 5 * i);
    assert_int_equal(cursor.docid, RP_NO_DOC);
    assert_int_equal(cursor.status, RP_DAMAGED);
    assert_int_equal(rp__cursor_next(&cursor), RP_NO_DOC);
    assert_int_equal(cursor.status, RP_DAMAGED);
    last[1]--;
    uint32_t *offsets = (uint32_t *)(uintptr_t)list.freq_offsets;
    offsets[1] = UINT32_MAX;
    rp__cursor_open(&cursor, &list);
    assert_int_equal(rp__cursor_tf(&cursor), 1); /* the frame cannot be read */
    assert_int_equal(cursor.docid, RP_NO_DOC);
    assert_int_equal(cursor.status, RP_DAMAGED);
    list_case_free(&lc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_leaves_the_block_undecoded),
        cmocka_unit_test(a_seek_finds_every_posting),
        cmocka_unit_test(damage_in_an_undecoded_block),
        cmocka_unit_test(jumps_decode_one_block),
        cmocka_unit_test(the_end_is_found_without_decoding),
        cmocka_unit_test(every_target_in_a_block),
        cmocka_unit_test(blocks_of_256),
        cmocka_unit_test(an_empty_array_is_at_its_end),
        cmocka_unit_test(a_far_level_that_lies_is_damage),
        cmocka_unit_test(damage_ends_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
