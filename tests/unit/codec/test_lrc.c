/* test_lrc.c: the regression family: its bytes by hand, exceptions of every share, single docids, the
 * first of at least a target, lines that leave the lanes of fast rows, and damage. Rows are compared with
 * each other in tests/parity/test_codecs.c, sizes with the paper in tests/parity/test_regression.c. */
#include "regression_case.h"

#include "codec/lrc.h"

/* Ao et al. 2011, 2.1. */
static const uint32_t cup[] = {13, 16, 17, 40, 50},
                      world[] = {4, 8, 11, 13, 14, 16, 17, 39, 40, 42, 50},
                      year[] = {1, 2, 3, 5, 9, 10, 13, 16, 18, 20, 40, 50};

static void expect_bytes(const char *name, const uint32_t *docids, uint32_t n, const uint8_t *want,
                         size_t n_bytes)
{
    coded c;
    code_list(rp__codec_find(name, 0), NULL, docids, n, &c);
    assert_int_equal(c.list.docs_bytes, n_bytes);
    assert_memory_equal(c.list.docs, want, n_bytes);
    check_docids(&c.list, docids);
    coded_free(&c);
}

/* The line of cup rises by 9.8 and has 7 at 0: 7 16 26 36 46. Deviations 6 0 -9 4 4, so M is 9, and the
 * residuals are 15 9 0 13 13. In 32nds the slope is 314: it rises by 9 19 29 39 too, from 7 - 9 on. */
static void bytes_are_as_documented(void **unused)
{
    (void)unused;
    expect_bytes("lrc", cup, 5,
                 (const uint8_t[]){4, 0x9F, 0xD0, 0x0D, 0xCC, 0xCC, 0xCC, 0x09, 0, 0, 0, 0, 0xFE,
                                   0xFF, 0xFF, 0xFF},
                 16);
    expect_bytes("lrcseg", cup, 5,
                 (const uint8_t[]){0xF7, 0xFF, 0xFF, 0xFF, 4, 0x9F, 0xD0, 0x0D, 0xCC, 0xCC,
                                   0xCC, 0x09, 0,    0,    0, 0,    7,    0,    0,    0},
                 20);
    expect_bytes("seglrc", cup, 5,
                 (const uint8_t[]){0xFE, 0xFF, 0xFF, 0xFF, 0x3A, 0x01, 4, 0x9F, 0xD0, 0x0D}, 10);
    const uint8_t hashed[] = {0xFE, 0xFF, 0xFF, 0xFF,       0x3A, 0x01, 4,
                              0x9F, 0xD0, 0x0D, 6 | 1 << 6, 0,    0,    0}; /* 6 bits, 1 bucket */
    expect_bytes("hslrc256", cup, 5, hashed, sizeof hashed);
    expect_bytes("hslrc128", cup, 5, hashed, sizeof hashed);
}

/* 2.2: gaps 8 18 4 10 78. The line rises by 23.4 and has -3 at 0: -3 20 43 67 90. Deviations 11 6 -13 -27
 * 28: M is 27, residuals 38 33 14 0 55. With a fifth of exceptions there are 5 bits: 6 1 14 0 23, and 1
 * each for ranks 0, 1 and 4; half of three may be. */
static void exceptions_by_hand(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {8, 26, 30, 40, 118};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(docids[i] - (i ? docids[i - 1] : 0),
                         ((const uint32_t[]){8, 18, 4, 10, 78})[i]);
    const rp__codec_options most = {.has_exceptions = true, .exceptions = 0.6};
    const uint8_t want[] = {4 | 128, 2,    2,    /* 3 exceptions of 2 more bits */
                            0x16,    0x0E, 0x07, /* 6 1 14 0 7 */
                            0,       1,    4,    2 | 2 << 2 | 3 << 4, /* ranks, and 38 33 55 >> 4 */
                            0x66,    0x66, 0x66, 0x17,
                            0,       0,    0,    0,
                            0xE2,    0xFF, 0xFF, 0xFF};
    coded c;
    code_list(rp__codec_find("lrc", 0), &most, docids, 5, &c);
    assert_int_equal(c.list.docs_bytes, sizeof want);
    assert_memory_equal(c.list.docs, want, sizeof want);
    check_docids(&c.list, docids);
    coded_free(&c);
}

/* The paper's query: the shortest list's docids are looked for in the others. */
static void the_papers_intersection(void **unused)
{
    (void)unused;
    const rp__codec *codec;
    for (size_t k = 0; (codec = family_here(k)); k++) {
        coded c[2];
        uint32_t found[5], n = 0, rank, docids[2];
        code_list(codec, NULL, world, 11, &c[0]);
        code_list(codec, NULL, year, 12, &c[1]);
        check_docids(&c[0].list, world);
        check_docids(&c[1].list, year);
        for (uint32_t i = 0; i < 5; i++) {
            for (uint32_t j = 0; j < 2; j++)
                assert_int_equal(codec->find(&c[j].list, cup[i], &rank, &docids[j]), RP_OK);
            if (docids[0] == cup[i] && docids[1] == cup[i])
                found[n++] = cup[i];
        }
        assert_int_equal(n, 4);
        assert_memory_equal(found, ((const uint32_t[]){13, 16, 40, 50}), sizeof found - 4);
        coded_free(&c[0]);
        coded_free(&c[1]);
    }
}

static void slopes_are_near_and_rise(void **unused)
{
    (void)unused;
    uint64_t before = 0;
    assert_int_equal(rp__lrc_slope(32), 1 << RP_LINE_SHIFT);
    for (uint32_t code = 1; code < 28 << RP_LRC_SLOPE_BITS; code++) {
        uint64_t a = rp__lrc_slope(code);
        assert_true(a > before && a - before <= 1 + (a >> 9) + (1 << RP_LRC_SLOPE_UNIT));
        assert_int_equal(a * 32 % (1 << RP_LINE_SHIFT), 0); /* 32 slots rise by a whole number */
        before = a;
    }
    assert_int_equal(before >> RP_LINE_SHIFT, 0xFFE00000U);
}

static void every_share_comes_back_and_is_found(void **unused)
{
    (void)unused;
    uint64_t rng = 3;
    for (int round = 0; round < 300; round++) {
        uint32_t n = random_length(&rng, round % 20 ? 3000 : 40000);
        uint64_t top = n + random_below(&rng, 1ULL << random_below(&rng, 33));
        uint32_t *docids = malloc(n * sizeof *docids);
        rp__codec_options options = {.has_exceptions = round % 3 != 0,
                                     .exceptions = round % 8 * 0.1};
        const rp__codec *codec;
        make_docids(&rng, (shape)(round % N_SHAPES), n,
                    top < UINT32_MAX ? (uint32_t)top : UINT32_MAX, docids);
        for (size_t k = 0; (codec = family_here(k)); k++) {
            coded c;
            code_list(codec, &options, docids, n, &c);
            check_docids(&c.list, docids);
            for (uint32_t j = 0; j < 60; j++) {
                uint32_t near = docids[random_below(&rng, n)];
                check_find(&c.list, docids, near + (uint32_t)random_below(&rng, 3) - 1);
                check_find(&c.list, docids, (uint32_t)random_below(&rng, top));
            }
            check_find(&c.list, docids, 0);
            check_find(&c.list, docids, docids[n - 1]);
            check_find(&c.list, docids, UINT32_MAX);
            coded_free(&c);
        }
        free(docids);
    }
}

/* Slopes and residuals around the places where fast rows change kernels. */
static void lines_of_every_slope_and_width(void **unused)
{
    (void)unused;
    enum { N = 700 };
    uint64_t rng = 12;
    static uint32_t docids[N];
    for (uint32_t slope = 1; slope < 5000000; slope += 1 + slope / 3)
        for (uint32_t spread = 0; spread < 22; spread++) {
            const rp__codec *codec;
            for (uint32_t i = 0; i < N; i++) {
                uint64_t at = (uint64_t)slope * i + random_below(&rng, 1ULL << spread);
                docids[i] = i && docids[i - 1] >= at ? docids[i - 1] + 1 : (uint32_t)at;
            }
            for (size_t k = 0; (codec = family_here(k)); k++) {
                coded c;
                code_list(codec, NULL, docids, N, &c);
                check_docids(&c.list, docids);
                coded_free(&c);
            }
        }
}

/* Docids up to the largest: sums pass 2^32 where the line starts below 0. */
static void the_largest_docids(void **unused)
{
    (void)unused;
    enum { N = 600 };
    static uint32_t docids[N];
    for (uint32_t step = 0; step < 20; step++) {
        const rp__codec *codec;
        for (uint32_t i = 0; i < N; i++)
            docids[i] = i < N / 2 ? i << step : UINT32_MAX - 1 - ((N - 1 - i) << step);
        for (size_t k = 0; (codec = family_here(k)); k++) {
            coded c;
            code_list(codec, NULL, docids, N, &c);
            check_docids(&c.list, docids);
            check_find(&c.list, docids, docids[N / 2]);
            check_find(&c.list, docids, docids[N / 2 - 1] + 1);
            check_find(&c.list, docids, UINT32_MAX - 1);
            coded_free(&c);
        }
    }
}

/* A few small docids, then all up to the largest; or the other way round: the line passes some by more
 * than 2^31. */
static void far_from_the_line(void **unused)
{
    (void)unused;
    enum { N = 1500 };
    static uint32_t docids[N];
    for (uint32_t small = 1; small < N; small += small < 10 || small > N - 10 ? 1 : 149) {
        const rp__codec *codec;
        for (uint32_t i = 0; i < N; i++)
            docids[i] = i < small ? i : UINT32_MAX - N + i;
        for (size_t k = 0; (codec = family_here(k)); k++) {
            coded c;
            code_list(codec, NULL, docids, N, &c);
            check_docids(&c.list, docids);
            for (uint32_t i = 0; i < N; i++)
                check_find(&c.list, docids, docids[i]);
            coded_free(&c);
        }
    }
}

/* Bytes changed anywhere: rows read nothing outside (a sanitiser looks on), and say the same. */
static void damaged_bytes_break_nothing(void **unused)
{
    (void)unused;
    uint64_t rng = 18;
    uint32_t got[2][2000 + RP_BLOCK_CAPACITY], one[2][3];
    for (int round = 0; round < 4000; round++) {
        const rp__codec *plain, *codec;
        uint32_t n = random_length(&rng, 2000), docids[2000];
        rp__codec_options options = {.has_exceptions = round % 3 == 0, .exceptions = 0.1};
        make_docids(&rng, (shape)(round % N_SHAPES), n, 1U << (13 + round % 18), docids);
        plain = rp__codec_by_id((uint8_t)(19 + round % 5), 0);
        coded c;
        code_list(plain, &options, docids, n, &c);
        size_t from = round % 2 ? (size_t)(c.list.docs - c.bytes) : 0;
        for (int k = 0; k < 2; k++) {
            size_t at = from + random_below(&rng, c.n_bytes - from);
            c.bytes[at] = (uint8_t)(c.bytes[at] ^ 1U << random_below(&rng, 8));
        }
        uint32_t i = (uint32_t)random_below(&rng, n), target = docids[random_below(&rng, n)];
        for (size_t k = 0; (codec = family_here(k)); k++) {
            rp__list list;
            if (codec->id != plain->id ||
                rp__list_open(codec, c.bytes, c.n_bytes, n, UINT32_MAX, false, &list))
                continue;
            rp_status s = rp__list_decode(&list, got[0], NULL);
            list.codec = plain;
            assert_int_equal(rp__list_decode(&list, got[1], NULL), s);
            if (s == RP_OK)
                assert_memory_equal(got[0], got[1], n * sizeof **got);
            for (uint32_t b = 0; b < list.n_blocks && rp__list_block_count(&list, b); b++) {
                s = codec->block(&list, b, got[0]);
                assert_int_equal(plain->block(&list, b, got[1]), s);
                if (s == RP_OK)
                    assert_memory_equal(got[0], got[1],
                                        rp__list_block_count(&list, b) * sizeof **got);
            }
            (void)plain->at(&list, i, &one[0][0]);
            (void)plain->find(&list, target, &one[0][1], &one[0][2]);
        }
        coded_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(exceptions_by_hand),
        cmocka_unit_test(the_papers_intersection),
        cmocka_unit_test(slopes_are_near_and_rise),
        cmocka_unit_test(every_share_comes_back_and_is_found),
        cmocka_unit_test(lines_of_every_slope_and_width),
        cmocka_unit_test(the_largest_docids),
        cmocka_unit_test(far_from_the_line),
        cmocka_unit_test(damaged_bytes_break_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
