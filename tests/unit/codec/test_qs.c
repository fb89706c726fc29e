/* test_qs.c: the bytes of qs, a docid at any rank, and the first of at least a target. Decoding and
 * cursors are in tests/parity/test_codecs.c. */
#include "list_case.h"

/* The i-th row of qs that runs here. */
static const rp__codec *qs_here(size_t i)
{
    const rp__codec *codec;
    for (size_t k = 0; (codec = codec_here(k)); k++)
        if (strcmp(codec->name, "qs") == 0 && i-- == 0)
            return codec;
    return NULL;
}

static void open_case(const list_case *lc, const rp__codec *codec, rp__list *list)
{
    assert_int_equal(rp__list_open(codec, lc->bytes, lc->n_bytes, lc->n, lc->universe, false, list),
                     RP_OK);
}

static void list_case_of(list_case *lc, const uint32_t *docids, uint32_t n, uint32_t universe)
{
    uint64_t rng = 1;
    list_case_make(lc, &rng, CONSECUTIVE, n, universe);
    memcpy(lc->docids, docids, n * sizeof *docids);
}

/* Li, Figure 2: six docids up to 32, so b = floor(log2(32 / 6)) = 2. Low parts 01 10 00 11 10 00; high
 * parts 1 1 2 3 4 8 as gaps 10 0 10 10 10 11110. */
static void the_papers_parameters(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {5, 6, 8, 15, 18, 32};
    const uint8_t want[] = {2, 0, 0, 0, 0xC9, 0x02, 0, 0, 0xA9, 0x1E, 0, 0};
    list_case lc;
    rp__list list;
    list_case_of(&lc, docids, 6, 33);
    assert_int_equal(list_case_encode(&lc, qs_here(0), false), RP_OK);
    open_case(&lc, qs_here(0), &list);
    assert_int_equal(list.docs_bytes, sizeof want);
    assert_memory_equal(list.docs, want, sizeof want);
    list_case_free(&lc);
}

/* Every docid from 0 to 299, then every eighth up to 8,000: 0 low bits would do for the first, the
 * list has floor(log2(7996 / 1263)) = 2. 75 high parts hold the first 300. */
static void hints_count_docids_before(void **unused)
{
    (void)unused;
    uint32_t docids[1263];
    list_case lc;
    rp__list list;
    for (uint32_t i = 0; i < 1263; i++)
        docids[i] = i < 300 ? i : 300 + 8 * (i - 300);
    list_case_of(&lc, docids, 1263, 8000);
    assert_int_equal(list_case_encode(&lc, qs_here(0), false), RP_OK);
    open_case(&lc, qs_here(0), &list);
    assert_int_equal(list.view.width, 2);
    assert_int_equal(list.view.n_hints, 1999 / 128 + 1);
    for (uint32_t k = 0; k < list.view.n_hints; k++) {
        uint32_t before = 0, more = 0;
        for (uint32_t i = 0; i < 1263; i++) {
            before += docids[i] >> 2 < 128 * k;
            more += docids[i] >> 2 >= 128 * k && docids[i] >> 2 < 128 * k + 64;
        }
        assert_int_equal(rp__load32(list.view.hints + 5 * k), before);
        assert_int_equal(list.view.hints[5 * k + 4], more < 255 ? more : 255);
        assert_true(k > 0 || more == 256); /* more than the byte holds */
    }
    list_case_free(&lc);
}

/* What `open` refuses, so that the others need not look: widths that are none, and parts that do not
 * lie inside. */
static void open_refuses_parts_outside(void **unused)
{
    (void)unused;
    uint64_t rng = 4;
    list_case lc;
    rp__list list;
    const rp__codec *codec;
    list_case_make(&lc, &rng, UNIFORM, 1000, 100000);
    for (size_t k = 0; (codec = qs_here(k)); k++) {
        assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
        open_case(&lc, codec, &list);
        uint8_t *docs = (uint8_t *)(uintptr_t)list.docs;
        uint32_t *last = (uint32_t *)(uintptr_t)&list.last[list.n_blocks - 1], was = *last;
        const struct {
            uint8_t width;
            uint32_t last;
        } cases[] = {{32, was}, {255, was}, {31, was}, {list.docs[0], UINT32_MAX}, {0, UINT32_MAX}};
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            docs[0] = cases[i].width;
            *last = cases[i].last;
            assert_int_equal(
                rp__list_open(codec, lc.bytes, lc.n_bytes, lc.n, lc.universe, false, &list),
                RP_DAMAGED);
        }
    }
    list_case_free(&lc);
}

static uint8_t width_with(const rp__codec *codec, const list_case *lc, double c)
{
    rp__codec_options options = {.c = c};
    uint8_t *out = malloc(codec->bound(codec, lc->n) + 1);
    uint32_t ends = lc->n, offset;
    rp__encoding e = {.options = &options,
                      .docids = lc->docids,
                      .tfs = lc->tfs,
                      .n = lc->n,
                      .ends = &ends,
                      .n_blocks = 1,
                      .offsets = &offset,
                      .out = out};
    out[codec->bound(codec, lc->n)] = 0xC3;
    assert_int_equal(codec->encode(codec, &e), RP_OK);
    assert_true(e.used <= codec->bound(codec, lc->n));
    assert_int_equal(out[codec->bound(codec, lc->n)], 0xC3);
    uint8_t l = out[0];
    free(out);
    return l;
}

/* b = max(0, floor(log2(c * u / n))); what is out of range counts as the nearest that is not. */
static void c_moves_bits_between_the_parts(void **unused)
{
    (void)unused;
    uint64_t rng = 6;
    list_case lc;
    list_case_make(&lc, &rng, UNIFORM, 100, 100000);
    lc.docids[99] = 99999; /* u / n = 999.99 */
    assert_int_equal(width_with(qs_here(0), &lc, 0), 9);
    assert_int_equal(width_with(qs_here(0), &lc, 1), 9);
    assert_int_equal(width_with(qs_here(0), &lc, 1.03), 10);
    assert_int_equal(width_with(qs_here(0), &lc, 4), 11);
    assert_int_equal(width_with(qs_here(0), &lc, 0.25), 7);
    assert_int_equal(width_with(qs_here(0), &lc, 0.001), 7);
    assert_int_equal(width_with(qs_here(0), &lc, 1e9), 13);
    list_case_free(&lc);
}

static void check_find(const rp__list *list, const list_case *lc, uint32_t target)
{
    uint32_t i = 0, docid, rank;
    for (uint32_t step = 1U << 31; step; step /= 2)
        if (i + step <= lc->n && i + step > i && lc->docids[i + step - 1] < target)
            i += step;
    assert_int_equal(list->codec->find(list, target, &rank, &docid), RP_OK);
    assert_int_equal(rank, i);
    assert_int_equal(docid, i < lc->n ? lc->docids[i] : RP_NO_DOC);
}

static void the_first_of_at_least_a_target(void **unused)
{
    (void)unused;
    uint64_t rng = 17;
    for (int round = 0; round < 500; round++) {
        list_case lc;
        rp__list list;
        const rp__codec *codec;
        uint32_t n = random_length(&rng, round % 20 ? 3000 : 60000);
        uint64_t top = n + random_below(&rng, 1ULL << random_below(&rng, 33));
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), n,
                       top < UINT32_MAX ? (uint32_t)top : UINT32_MAX);
        for (size_t k = 0; (codec = qs_here(k)); k++) {
            assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
            open_case(&lc, codec, &list);
            for (uint32_t j = 0; j < 200; j++) {
                uint32_t near = lc.docids[random_below(&rng, n)];
                check_find(&list, &lc, near + (uint32_t)random_below(&rng, 3) - 1);
                check_find(&list, &lc, (uint32_t)random_below(&rng, lc.universe));
            }
            check_find(&list, &lc, 0);
            check_find(&list, &lc, lc.docids[n - 1]);
            check_find(&list, &lc, UINT32_MAX);
        }
        list_case_free(&lc);
    }
}

/* Damage anywhere: rows read nothing outside (a sanitiser looks on), and say the same. */
static void damaged_bytes_break_nothing(void **unused)
{
    (void)unused;
    uint64_t rng = 18;
    for (int round = 0; round < 3000; round++) {
        list_case lc;
        rp__list list;
        const rp__codec *codec, *plain = rp__codec_find("qs", 0);
        uint32_t n = random_length(&rng, 2000), want[3], got[3];
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), n, 100000);
        assert_int_equal(list_case_encode(&lc, plain, false), RP_OK);
        for (int k = 0; k < 4; k++)
            lc.bytes[random_below(&rng, round % 2 ? lc.n_bytes : 64) % lc.n_bytes] =
                (uint8_t)random64(&rng);
        uint32_t i = (uint32_t)random_below(&rng, n), target = (uint32_t)random_below(&rng, 100000);
        for (size_t k = 0; (codec = qs_here(k)); k++) {
            if (rp__list_open(plain, lc.bytes, lc.n_bytes, n, 100000, false, &list))
                break;
            rp_status s = plain->at(&list, i, &want[0]), f;
            f = plain->find(&list, target, &want[1], &want[2]);
            list.codec = codec;
            assert_int_equal(codec->at(&list, i, &got[0]), s);
            assert_int_equal(codec->find(&list, target, &got[1], &got[2]), f);
            if (s == RP_OK)
                assert_int_equal(got[0], want[0]);
            if (f == RP_OK)
                assert_memory_equal(got + 1, want + 1, 2 * sizeof *got);
        }
        list_case_free(&lc);
    }
}

/* Gaps of the high parts that leave the bytes of a fast row: just below, at, and far above 256. */
static void wide_blocks_decode(void **unused)
{
    (void)unused;
    uint32_t docids[512], got[512 + RP_BLOCK_CAPACITY];
    for (uint32_t jump = 100; jump < 700; jump++)
        for (uint32_t at = 0; at < 256; at += 37) {
            list_case lc;
            rp__list list;
            const rp__codec *codec;
            for (uint32_t i = 0; i < 512; i++) /* width 1: halves of 2.something on average */
                docids[i] = (i ? docids[i - 1] + 1 + (i * 7 % 3 > 0) : 0) + (i == at ? jump : 0);
            list_case_of(&lc, docids, 512, 3000);
            for (size_t k = 0; (codec = qs_here(k)); k++) {
                assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
                open_case(&lc, codec, &list);
                assert_int_equal(rp__list_decode(&list, got, NULL), RP_OK);
                assert_memory_equal(got, docids, sizeof docids);
            }
            list_case_free(&lc);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_parameters),
        cmocka_unit_test(hints_count_docids_before),
        cmocka_unit_test(open_refuses_parts_outside),
        cmocka_unit_test(c_moves_bits_between_the_parts),
        cmocka_unit_test(the_first_of_at_least_a_target),
        cmocka_unit_test(damaged_bytes_break_nothing),
        cmocka_unit_test(wide_blocks_decode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
