/* test_list.c: the bytes of a list, what opening refuses, and what validating finds. */
#include "cut_codec.h"

/* A long list, open. */
typedef struct fixture {
    list_case lc;
    rp__list list;
    uint32_t scratch[2 * RP_BLOCK_CAPACITY];
} fixture;

static void fixture_open(fixture *f, const rp__codec *codec, uint32_t n, bool positions)
{
    uint64_t rng = 21;
    list_case_make(&f->lc, &rng, UNIFORM, n, 10 * n + 7);
    list_case_trim(&f->lc, codec);
    assert_int_equal(list_case_encode(&f->lc, codec, positions), RP_OK);
    assert_int_equal(
        rp__list_open(codec, f->lc.bytes, f->lc.n_bytes, n, f->lc.universe, positions, &f->list),
        RP_OK);
    assert_int_equal(rp__list_validate(&f->list, f->scratch), RP_OK);
}

static void short_lists_are_as_documented(void **unused)
{
    (void)unused;
    const rp__codec *codec = rp__codec_find("bp128", 0);
    const uint32_t docids[] = {2, 3, 7}, tfs[] = {1, 4, 1}, ends[] = {3};
    const uint8_t bound = 99;
    /* gaps less one 2 0 3 in 2 bits; frequencies less one 0 3 0 in 2 bits */
    const uint8_t want[16] = {2, 0, 99, 0, 2, 0x32, 2, 0x0C};
    _Alignas(16) uint8_t out[256];
    uint32_t scratch[RP_BLOCK];
    size_t used;
    const uint8_t kths[RP_LIST_KTHS] = {3, 2, 1}; /* not for short lists */
    rp__list_parts parts = {ends, 1, &bound, kths, NULL, NULL, false};
    memset(out, 0xEE, sizeof out);
    assert_int_equal(rp__list_encode(codec, docids, tfs, 3, &parts, scratch, out, &used), RP_OK);
    assert_int_equal(used, 16);
    assert_memory_equal(out, want, 16);
}

static void long_lists_are_as_documented(void **unused)
{
    (void)unused;
    const rp__codec *codec = rp__codec_find("bp128", 0);
    uint32_t docids[130], tfs[130], scratch[RP_BLOCK], ends[] = {128, 130}, pos[] = {0, 77};
    const uint8_t bounds[] = {5, 6}, kths[RP_LIST_KTHS] = {4, 3, 0};
    _Alignas(16) uint8_t out[4096];
    size_t used;
    for (uint32_t i = 0; i < 130; i++) {
        docids[i] = i;
        tfs[i] = 1;
    }
    rp__list_parts parts = {ends, 2, bounds, kths, pos, NULL, false};
    assert_int_equal(rp__list_encode(codec, docids, tfs, 130, &parts, scratch, out, &used), RP_OK);
    const uint32_t want[] = {0x80000016, 2,   2, 2,  /* flags, blocks, bytes of docs and freqs */
                             127,        129, 0, 0,  /* last */
                             129,        0,   0, 0,  /* last_far */
                             0,          1,   0, 0,  /* offsets */
                             0,          1,   0, 0,  /* freq_offsets */
                             0,          77,  0, 0,  /* pos_offsets */
                             0x03040605, 0,   0, 0,  /* bounds, kths */
                             0,          0,   0, 0,  /* docs: two widths of 0 */
                             0,          0,   0, 0}; /* freqs */
    assert_int_equal(used, sizeof want);
    assert_memory_equal(out, want, sizeof want);
    parts.is_close = true;
    assert_int_equal(rp__list_encode(codec, docids, tfs, 130, &parts, scratch, out, &used), RP_OK);
    const uint32_t close[] = {0x80000036, 2,   2, /* flags, bytes of docs and freqs */
                              127,        129,    /* last */
                              0,          77,     /* pos_offsets */
                              0x00010000,         /* offsets */
                              0x00010000,         /* freq_offsets */
                              0x03040605, 0,      /* bounds, kths */
                              0,          0};     /* docs and freqs: two widths of 0 each */
    assert_int_equal(used, sizeof close);
    assert_memory_equal(out, close, sizeof close);
}

/* Narrow offsets of two groups and more: the same as wide ones; and the far entries of one group are its last docid. */
static void close_lists_say_the_same(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    for (size_t j = 0; (codec = codec_here(j)); j++)
        for (uint32_t n = 100; n < 40000 && !codec->cut; n = 3 * n + 1) {
            fixture wide, close;
            fixture_open(&wide, codec, n, true);
            fixture_open(&close, codec, n, true);
            close.lc.is_close = true;
            assert_int_equal(list_case_encode(&close.lc, codec, true), RP_OK);
            assert_int_equal(rp__list_open(codec, close.lc.bytes, close.lc.n_bytes, n,
                                           close.lc.universe, true, &close.list),
                             RP_OK);
            const rp__list *a = &wide.list, *b = &close.list;
            assert_true(close.lc.n_bytes <= wide.lc.n_bytes);
            assert_int_equal(a->n_blocks, b->n_blocks);
            assert_int_equal(a->docs_bytes, b->docs_bytes);
            assert_memory_equal(a->docs, b->docs, a->docs_bytes);
            assert_memory_equal(a->bounds, b->bounds, a->n_blocks);
            assert_null(b->offsets);
            assert_null(b->freq_offsets);
            for (uint32_t k = 0; a->last && k < a->n_blocks; k++) {
                assert_int_equal(a->last[k], b->last[k]);
                assert_int_equal(a->last_far[k / RP_LIST_FAR], b->last_far[k / RP_LIST_FAR]);
                if (a->offsets)
                    assert_int_equal(a->offsets[k], rp__list_offset(b, k));
                assert_int_equal(a->freq_offsets[k], rp__list_near(b->near_freqs, k));
            }
            assert_int_equal(rp__list_validate(b, close.scratch), RP_OK);
            list_case_free(&wide.lc);
            list_case_free(&close.lc);
        }
}

/* Lists of before have no kths, and what a list has is told by its flags. */
static void kths_may_be_missing(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    for (size_t j = 0; (codec = codec_here(j)); j++)
        for (uint32_t n = 1; n <= 1792; n = n < 1000 ? 7 * n + 1 : n + 1392) {
            fixture f;
            fixture_open(&f, codec, n, true);
            assert_int_equal(f.list.kths != NULL, f.list.n_blocks > 1 || n > RP_BLOCK);
            if (f.list.kths) {
                assert_ptr_equal(f.list.kths, f.list.bounds + f.list.n_blocks);
                assert_memory_equal(f.list.kths, f.lc.kths, RP_LIST_KTHS);
                f.lc.bytes[0] ^= 16; /* then the parts behind them lie elsewhere, or do not fit */
                rp_status s =
                    rp__list_open(codec, f.lc.bytes, f.lc.n_bytes, n, f.lc.universe, true, &f.list);
                assert_true(s == RP_OK || s == RP_DAMAGED);
                assert_null(f.list.kths);
            }
            list_case_free(&f.lc);
        }
}

static void the_largest_bound_of_a_range(void **unused)
{
    (void)unused;
    fixture f;
    rp__list plain;
    fixture_open(&f, rp__codec_find("bp128", 0), 40000, false);
    for (uint32_t from = 0; from <= f.list.n_blocks; from += 1 + from / 3)
        for (uint32_t to = from; to <= f.list.n_blocks; to++) {
            uint8_t want = 0;
            for (uint32_t b = from; b < to; b++)
                want = f.lc.bounds[b] > want ? f.lc.bounds[b] : want;
            assert_int_equal(rp__list_bound_max(&f.list, from, to), want);
        }
    rp__list_from_arrays(f.lc.docids, f.lc.tfs, f.lc.n, f.lc.universe, &plain);
    assert_int_equal(rp__list_bound_max(&plain, 0, 1), 255);
    list_case_free(&f.lc);
}

static void every_missing_byte_is_seen(void **unused)
{
    (void)unused;
    const uint32_t lengths[] = {5, 128, 129, 1000};
    const rp__codec *codec;
    for (size_t j = 0; (codec = codec_here(j)); j++)
        for (size_t k = 0; k < 4; k++) {
            fixture f;
            fixture_open(&f, codec, lengths[k], true);
            for (size_t bytes = 0; bytes + 16 <= f.lc.n_bytes; bytes++) {
                uint8_t *in = malloc(bytes + RP_PAD); /* so that a sanitiser sees reads past it */
                memcpy(in, f.lc.bytes, bytes);
                memset(in + bytes, 0, RP_PAD);
                rp__list list;
                rp_status s = rp__list_open(codec, in, bytes, f.lc.n, f.lc.universe, true, &list);
                if (s == RP_OK)
                    s = rp__list_validate(&list, f.scratch);
                assert_int_equal(s, RP_DAMAGED);
                free(in);
            }
            list_case_free(&f.lc);
        }
}

static void opening_refuses_what_cannot_be(void **unused)
{
    (void)unused;
    fixture f;
    rp__list list;
    const rp__codec *codec = rp__codec_find("bp128", 0), *raw = rp__codec_find("raw", 0);
    fixture_open(&f, codec, 1000, true);
    uint8_t *in = f.lc.bytes;
    size_t n_bytes = f.lc.n_bytes;
    uint32_t universe = f.lc.universe;
    assert_int_equal(rp__list_open(codec, in, n_bytes, 0, universe, true, &list), RP_DAMAGED);
    assert_int_equal(rp__list_open(codec, in, n_bytes, 1000, 999, true, &list), RP_DAMAGED);
    assert_int_equal(rp__list_open(codec, in, n_bytes, 1025, universe, true, &list), RP_DAMAGED);
    assert_int_equal(rp__list_open(codec, in, n_bytes, 896, universe, true, &list), RP_DAMAGED);
    assert_int_equal(rp__list_open(codec, in, n_bytes, 1000, universe, false, &list), RP_DAMAGED);
    assert_int_equal(rp__list_open(raw, in, n_bytes, 1000, universe, true, &list), RP_DAMAGED);
    size_t end = (size_t)(f.list.freqs + f.list.freqs_bytes - in); /* the padding may be missing */
    assert_int_equal(rp__list_open(codec, in, end, 1000, universe, true, &list), RP_OK);
    assert_int_equal(rp__list_open(codec, in, end - 1, 1000, universe, true, &list), RP_DAMAGED);
    in[0] |= 8; /* a flag that is none */
    assert_int_equal(rp__list_open(codec, in, n_bytes, 1000, universe, true, &list), RP_DAMAGED);
    in[0] &= (uint8_t)~8U;
    in[3] = 0; /* a short list, but too many postings */
    assert_int_equal(rp__list_open(codec, in, n_bytes, 1000, universe, true, &list), RP_DAMAGED);
    in[3] = 0x80;
    uint8_t *shifted = malloc(n_bytes + 16 + RP_PAD);
    memcpy(shifted + 2, in, n_bytes);
    assert_int_equal(rp__list_open(codec, shifted + 2, n_bytes, 1000, universe, true, &list),
                     RP_DAMAGED);
    free(shifted);
    list_case_free(&f.lc);
}

/* Each entry of each array of the directory, made one more. */
static void validating_finds_every_lie(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    for (size_t j = 0; (codec = codec_here(j)); j++) {
        fixture f;
        fixture_open(&f, codec, 9000, false);
        const uint32_t *arrays[] = {f.list.last, f.list.last_far, f.list.offsets,
                                    f.list.freq_offsets};
        const size_t counts[] = {f.list.n_blocks, (f.list.n_blocks + RP_LIST_FAR - 1) / RP_LIST_FAR,
                                 f.list.n_blocks, (9000 + RP_BLOCK - 1) / RP_BLOCK};
        for (size_t a = 0; a < 4; a++)
            for (size_t i = 0; arrays[a] && i < counts[a]; i++) {
                uint32_t *entry = (uint32_t *)(uintptr_t)&arrays[a][i], was = *entry;
                for (int k = 0; k < 2; k++) {
                    *entry = k ? was - 1 : UINT32_MAX;
                    if (a < 2 || k == 0 || i == 0)
                        assert_int_equal(rp__list_validate(&f.list, f.scratch), RP_DAMAGED);
                    else
                        rp__list_validate(&f.list, f.scratch); /* a byte earlier may decode */
                }
                *entry = was;
            }
        f.list.universe = f.lc.docids[8999];
        assert_int_equal(rp__list_validate(&f.list, f.scratch), RP_DAMAGED);
        list_case_free(&f.lc);
    }
}

/* The frequency that would be 2^32 comes out as damage, not as 0. */
static void frequencies_are_at_least_one(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    for (size_t j = 0; (codec = codec_here(j)); j++)
        for (uint32_t n = 3; n <= 128; n += 125) {
            uint64_t rng = 2;
            fixture f;
            list_case_make(&f.lc, &rng, UNIFORM, n, 1000);
            list_case_trim(&f.lc, codec);
            f.lc.tfs[n - 1] = 0; /* encodes as 2^32 - 1, or as it is */
            assert_int_equal(list_case_encode(&f.lc, codec, false), RP_OK);
            assert_int_equal(
                rp__list_open(codec, f.lc.bytes, f.lc.n_bytes, n, 1000, false, &f.list), RP_OK);
            assert_int_equal(rp__list_freqs(&f.list, 0, f.scratch), RP_DAMAGED);
            assert_int_equal(rp__list_validate(&f.list, f.scratch), RP_DAMAGED);
            list_case_free(&f.lc);
        }
}

static void arrays_are_lists(void **unused)
{
    (void)unused;
    uint32_t docids[300], tfs[300], out[300 + RP_BLOCK_CAPACITY], out_tfs[300 + RP_BLOCK_CAPACITY];
    rp__list list;
    for (uint32_t i = 0; i < 300; i++) {
        docids[i] = 3 * i;
        tfs[i] = i + 1;
    }
    rp__list_from_arrays(docids, tfs, 300, 1000, &list);
    assert_int_equal(list.n_blocks, 3);
    assert_int_equal(rp__list_block_count(&list, 2), 44);
    assert_int_equal(rp__list_block_first(&list, 2), 256);
    assert_int_equal(rp__list_block_first(&list, 3), 300);
    assert_int_equal(rp__list_decode(&list, out, out_tfs), RP_OK);
    assert_memory_equal(out, docids, sizeof docids);
    assert_memory_equal(out_tfs, tfs, sizeof tfs);
    assert_int_equal(rp__list_validate(&list, out), RP_OK);
    tfs[299] = 0;
    assert_int_equal(rp__list_validate(&list, out), RP_DAMAGED);
    tfs[299] = 1;
    list.universe = 897;
    assert_int_equal(rp__list_validate(&list, out), RP_DAMAGED);
    list.universe = 898;
    docids[10] = docids[9];
    assert_int_equal(rp__list_validate(&list, out), RP_DAMAGED);
}

/* A codec that cuts by itself: blocks of 1 to 256, frames of 128 all the same. */
static void codecs_that_cut(void **unused)
{
    (void)unused;
    uint64_t rng = 31;
    rp__codec codecs[2] = {cut_codec(0), cut_codec(rp__cpu_features())};
    for (int round = 0; round < 200; round++) {
        const rp__codec *codec = &codecs[round % 2];
        uint32_t n = random_length(&rng, 20000), scratch[2 * RP_BLOCK_CAPACITY];
        list_case lc;
        rp__list list;
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), n, n + 1 + (uint32_t)round * 100000);
        assert_int_equal(list_case_encode(&lc, codec, round % 3 == 0), RP_OK);
        assert_int_equal(
            rp__list_open(codec, lc.bytes, lc.n_bytes, n, lc.universe, round % 3 == 0, &list),
            RP_OK);
        uint32_t *docids = malloc((n + RP_BLOCK_CAPACITY) * sizeof *docids);
        uint32_t *tfs = malloc((n + RP_BLOCK_CAPACITY) * sizeof *tfs);
        assert_int_equal(rp__list_decode(&list, docids, tfs), RP_OK);
        assert_memory_equal(docids, lc.docids, n * sizeof *docids);
        assert_memory_equal(tfs, lc.tfs, n * sizeof *tfs);
        assert_int_equal(rp__list_validate(&list, scratch), RP_OK);
        assert_int_equal(walk_cursor(&list, &rng), RP_OK);
        for (int k = 0; k < 50; k++) {
            size_t at = random_below(&rng, lc.n_bytes < 4000 ? lc.n_bytes : 4000);
            uint8_t was = lc.bytes[at];
            lc.bytes[at] = (uint8_t)random64(&rng);
            if (rp__list_open(codec, lc.bytes, lc.n_bytes, n, lc.universe, round % 3 == 0, &list) ==
                RP_OK) {
                rp__list_validate(&list, scratch);
                rp__list_decode(&list, docids, tfs);
                walk_cursor(&list, &rng);
            }
            lc.bytes[at] = was;
        }
        free(docids);
        free(tfs);
        list_case_free(&lc);
    }
}

enum { WRAP_BLOCKS = 10, WRAP = WRAP_BLOCKS * RP_BLOCK, WRAP_UNIVERSE = 2000000 };

/* Blocks of such a list: docids up to UINT32_MAX, and then from 0 on, as a damaged directory may say. */
static rp_status decode_wrapped(const rp__codec *codec, uint32_t *out)
{
    static uint32_t docids[WRAP], ends[WRAP_BLOCKS], offsets[WRAP_BLOCKS], last[WRAP_BLOCKS];
    static uint8_t bytes[1 << 20];
    for (uint32_t i = 0; i < WRAP; i++)
        docids[i] = i < RP_BLOCK ? 3000000000U + 10 * i : 7 * (i - RP_BLOCK);
    docids[RP_BLOCK - 1] = UINT32_MAX;
    for (uint32_t b = 0; b < WRAP_BLOCKS; b++) {
        ends[b] = (b + 1) * RP_BLOCK;
        last[b] = docids[ends[b] - 1];
    }
    memset(bytes, 0, sizeof bytes);
    rp__encoding e = {.docids = docids,
                      .n = WRAP,
                      .ends = ends,
                      .n_blocks = WRAP_BLOCKS,
                      .offsets = offsets,
                      .out = bytes};
    if (codec->encode(codec, &e) != RP_OK)
        return RP_DAMAGED;
    const rp__list list = {.codec = codec,
                           .n = WRAP,
                           .n_blocks = WRAP_BLOCKS,
                           .universe = WRAP_UNIVERSE,
                           .last = last,
                           .last_far = &last[WRAP_BLOCKS - 1],
                           .offsets = offsets,
                           .docs = bytes,
                           .docs_bytes = e.used};
    return rp__list_decode(&list, out, NULL);
}

static void no_docid_is_outside_the_universe(void **unused)
{
    (void)unused;
    static uint32_t out[WRAP + RP_BLOCK_CAPACITY];
    const rp__codec *codec;
    int tried = 0;
    for (size_t i = 0; (codec = rp__codec_at(i)); i++) {
        if (!codec->encode || codec->scratch || !codec->has_offsets ||
            codec->max_blocks_per_128 != 1 || codec->cut || codec->needs & ~rp__cpu_features())
            continue;
        if (decode_wrapped(codec, out) != RP_DAMAGED)
            fail_msg("%s, row of features %u: docids outside the universe", codec->name,
                     codec->needs);
        tried++;
    }
    assert_true(tried > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_lists_are_as_documented),
        cmocka_unit_test(long_lists_are_as_documented),
        cmocka_unit_test(close_lists_say_the_same),
        cmocka_unit_test(kths_may_be_missing),
        cmocka_unit_test(the_largest_bound_of_a_range),
        cmocka_unit_test(every_missing_byte_is_seen),
        cmocka_unit_test(opening_refuses_what_cannot_be),
        cmocka_unit_test(validating_finds_every_lie),
        cmocka_unit_test(frequencies_are_at_least_one),
        cmocka_unit_test(arrays_are_lists),
        cmocka_unit_test(codecs_that_cut),
        cmocka_unit_test(no_docid_is_outside_the_universe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
