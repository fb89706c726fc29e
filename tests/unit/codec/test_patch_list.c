/* test_patch_list.c: whole lists, which rows decode by many blocks at a time: blocks with any number
 * of exceptions in any order, and damage anywhere, give what the plain row of the codec gives. */
#include "list_case.h"

enum { N = 45 * RP_BLOCK + 77, UNIVERSE = 2000000000 };

static const char *const names[] = {"pfd", "newpfd", "optpfd", "parapfor", "bp128t", "iiu"};
enum { N_NAMES = sizeof names / sizeof names[0] };

/* Gaps of b bits, but of `exceptions` in each block, which have up to `more` bits more. */
static void fill_block(uint64_t *rng, uint32_t *gaps, uint32_t n, uint32_t b, uint32_t exceptions,
                       uint32_t more)
{
    for (uint32_t i = 0; i < n; i++)
        gaps[i] = 1 + (uint32_t)random_below(rng, 1ULL << b);
    for (uint32_t k = 0; k < exceptions; k++)
        gaps[random_below(rng, n)] = 1 + (uint32_t)random_below(rng, 1ULL << (b + more));
}

/* Most blocks alike, as lists are; others have many exceptions, or are wide. */
static void make_list(list_case *lc, uint64_t *rng, uint32_t b, uint32_t most, uint32_t more)
{
    list_case_make(lc, rng, CONSECUTIVE, N, UNIVERSE);
    uint32_t gaps[RP_BLOCK], docid = 0;
    for (uint32_t at = 0; at < N; at += RP_BLOCK) {
        uint32_t n = N - at < RP_BLOCK ? N - at : RP_BLOCK, kind = (uint32_t)random_below(rng, 10);
        fill_block(rng, gaps, n, kind == 0 ? 14 : b, (uint32_t)random_below(rng, most + 1),
                   kind == 1   ? 7
                   : kind == 2 ? 12
                               : more);
        for (uint32_t i = 0; i < n; i++)
            lc->docids[at + i] = docid += gaps[i];
    }
    for (uint32_t i = 0; i < N; i++)
        lc->tfs[i] = 1 + (uint32_t)random_below(rng, i % 1000 < 500 ? 3 : 40);
    assert_true(docid < UNIVERSE);
}

/* Opens the bytes with this row and decodes them. */
static rp_status decode_by(const rp__codec *codec, const list_case *lc, uint32_t *out)
{
    rp__list list;
    if (rp__list_open(codec, lc->bytes, lc->n_bytes, lc->n, lc->universe, false, &list))
        return RP_DAMAGED;
    return rp__list_decode(&list, out, NULL);
}

static void check_rows(const char *name, const list_case *lc, uint32_t *want, uint32_t *got)
{
    const rp__codec *codec;
    rp_status s = decode_by(rp__codec_find(name, 0), lc, want);
    for (size_t i = 0; (codec = rp__codec_at(i)); i++) {
        if (strcmp(codec->name, name) != 0 || (codec->needs & ~rp__cpu_features()) != 0)
            continue;
        assert_int_equal(decode_by(codec, lc, got), s);
        if (s == RP_OK)
            assert_memory_equal(got, want, lc->n * sizeof *got);
    }
}

static void check_damage(uint64_t *rng, const char *name, list_case *lc, uint32_t *want,
                         uint32_t *got)
{
    for (int k = 0; k < 60; k++) {
        uint64_t at = random_below(rng, lc->n_bytes);
        uint8_t was = lc->bytes[at];
        lc->bytes[at] =
            (uint8_t)(k % 3 ? was ^ 1U << random_below(rng, 8) : random_below(rng, 256));
        check_rows(name, lc, want, got);
        lc->bytes[at] = was;
    }
}

static void blocks_of_any_kind_and_damage(void **unused)
{
    (void)unused;
    uint64_t rng = 77;
    uint32_t *want = malloc((N + RP_BLOCK_CAPACITY) * sizeof *want);
    uint32_t *got = malloc((N + RP_BLOCK_CAPACITY) * sizeof *got);
    for (uint32_t round = 0; round < 60; round++) {
        list_case lc;
        make_list(&lc, &rng, round % 12, round % 7 * 3, 1 + round % 5);
        for (size_t i = 0; i < N_NAMES; i++) {
            assert_int_equal(list_case_encode(&lc, rp__codec_find(names[i], 0), false), RP_OK);
            check_rows(names[i], &lc, want, got);
            assert_memory_equal(got, lc.docids, N * sizeof *got);
            check_damage(&rng, names[i], &lc, want, got);
        }
        list_case_free(&lc);
    }
    free(want);
    free(got);
}

/* Each head byte of each block takes every value: counts, widths, modes and positions that cannot
 * be, in lists whose other blocks are sound. */
static void heads_of_any_value(void **unused)
{
    (void)unused;
    uint64_t rng = 78;
    uint32_t *want = malloc((N + RP_BLOCK_CAPACITY) * sizeof *want);
    uint32_t *got = malloc((N + RP_BLOCK_CAPACITY) * sizeof *got);
    for (size_t i = 0; i < N_NAMES; i++) {
        list_case lc;
        rp__list list;
        const rp__codec *codec = rp__codec_find(names[i], 0);
        make_list(&lc, &rng, 7, 6, 3);
        assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
        assert_int_equal(
            rp__list_open(codec, lc.bytes, lc.n_bytes, lc.n, lc.universe, false, &list), RP_OK);
        size_t docs = (size_t)(list.docs - lc.bytes);
        for (uint32_t b = 0; list.offsets && b < list.n_blocks; b += 5)
            for (uint32_t v = 0; v < 256 * 4; v++) {
                uint8_t *byte = lc.bytes + docs + list.offsets[b] + v % 4, was = *byte;
                *byte = (uint8_t)(v / 4);
                check_rows(names[i], &lc, want, got);
                *byte = was;
            }
        list_case_free(&lc);
    }
    free(want);
    free(got);
}

/* The last docids are the largest there are, so that sums wrap where a gap is changed. */
static void sums_that_wrap(void **unused)
{
    (void)unused;
    uint64_t rng = 79;
    uint32_t *want = malloc((N + RP_BLOCK_CAPACITY) * sizeof *want);
    uint32_t *got = malloc((N + RP_BLOCK_CAPACITY) * sizeof *got);
    for (uint32_t round = 0; round < 8; round++) {
        list_case lc;
        make_list(&lc, &rng, 6, 4, 3);
        uint32_t shift = UINT32_MAX - 1 - lc.docids[N - 1];
        for (uint32_t i = 0; i < N; i++)
            lc.docids[i] += shift;
        lc.universe = UINT32_MAX;
        for (size_t i = 0; i + 1 < N_NAMES; i++) { /* iiu has a limit */
            assert_int_equal(list_case_encode(&lc, rp__codec_find(names[i], 0), false), RP_OK);
            check_rows(names[i], &lc, want, got);
            assert_memory_equal(got, lc.docids, N * sizeof *got);
            check_damage(&rng, names[i], &lc, want, got);
        }
        list_case_free(&lc);
    }
    free(want);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_any_kind_and_damage),
        cmocka_unit_test(heads_of_any_value),
        cmocka_unit_test(sums_that_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
