/* test_lr.c: ranges by regression: safe for every docid, as narrow as the list is straight, and found out
 * where they are too narrow. */
#include "aux_case.h"
#include "codec/regression.h"

static const rp__aux_kind *lr(void)
{
    return rp__aux_kind_find("lr", 2);
}

static void every_range_is_safe(void **unused)
{
    (void)unused;
    assert_ranges_of_all_shapes(lr(), 1);
}

static void any_bytes_are_safe(void **unused)
{
    (void)unused;
    assert_safe_on_any_bytes(lr(), 2);
}

/* Docids 10 20 30 40: a rank is a tenth, 214748364 / 2^31; the mean, 25, has rank 1.5. */
static void bytes_by_hand(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {10, 20, 30, 40};
    const int64_t t = ((int64_t)6 << 31) / 4 - 25 * (int64_t)214748364 + (1 << 30);
    aux_case ac;
    aux_case_fit(&ac, lr(), docids, 4, 50);
    assert_int_equal(ac.n_bytes, 48);
    assert_int_equal((int64_t)rp__load64(ac.bytes), t);
    assert_int_equal(rp__load32(ac.bytes + 8), 214748364);
    assert_int_equal(rp__load64(ac.bytes + 12), 0); /* left, right */
    assert_int_equal(rp__load32(ac.bytes + 20), 0);
    assert_int_equal((int64_t)rp__load64(ac.bytes + 24), t);
    assert_int_equal(rp__load32(ac.bytes + 32), 214748364);
    assert_int_equal(rp__load32(ac.bytes + 36), 10);
    assert_int_equal(rp__load64(ac.bytes + 40), 0);
    aux_case_free(&ac);
}

/* Lists whose numbers are as large as they get. */
static void extreme_lists(void **unused)
{
    (void)unused;
    enum { N = 1000 };
    uint64_t rng = 3;
    uint32_t docids[N];
    for (uint32_t kind = 0; kind < 6; kind++) {
        for (uint32_t i = 0; i < N; i++) {
            uint32_t ends = i < N / 2 ? i : UINT32_MAX - 1 - (N - 1 - i);
            uint32_t last = i + 1 < N ? i : UINT32_MAX - 1;
            uint32_t first = i ? UINT32_MAX - 1 - (N - 1 - i) : 0;
            const uint32_t shapes[] = {i,     UINT32_MAX - 1 - (N - 1 - i),
                                       ends,  last,
                                       first, (uint32_t)((uint64_t)i * (UINT32_MAX - 1) / (N - 1))};
            docids[i] = shapes[kind];
        }
        for (uint32_t n = 1; n <= N; n = n < 4 ? n + 1 : n * 2 - 1) {
            aux_case ac;
            aux_case_fit(&ac, lr(), docids + (N - n), n, UINT32_MAX);
            assert_all_ranges(&ac, &rng);
            aux_case_free(&ac);
        }
    }
}

/* A straight list leaves one rank to look at, and the docid after it. */
static void straight_lists_leave_nothing(void **unused)
{
    (void)unused;
    enum { N = 10000 };
    uint32_t *docids = malloc(N * sizeof *docids), lo, hi;
    for (uint32_t gap = 1; gap <= 100000; gap *= 10) {
        aux_case ac;
        for (uint32_t i = 0; i < N; i++)
            docids[i] = 12345 + i * gap;
        aux_case_fit(&ac, lr(), docids, N, UINT32_MAX);
        assert_true(ac.aux.line.left + ac.aux.line.right <= 2);
        ac.aux.kind->range(&ac.aux, docids[N / 3], &lo, &hi);
        assert_true(hi - lo <= 3);
        aux_case_free(&ac);
    }
    free(docids);
}

/* What is stored is the deviation that real numbers give, within a rank of rounding, for lists that
 * the line does not leave. */
static void deviations_are_those_of_the_regression(void **unused)
{
    (void)unused;
    enum { N = 50000 };
    uint64_t rng = 4;
    uint32_t *docids = malloc(N * sizeof *docids);
    for (uint32_t round = 0; round < 10; round++) {
        aux_case ac;
        make_docids(&rng, UNIFORM, N, UINT32_MAX >> round, docids);
        aux_case_fit(&ac, lr(), docids, N, UINT32_MAX >> round);
        rp__deviation d = rp__regression_deviation(docids, N);
        assert_true(ac.aux.line.left <= d.left + 2 && ac.aux.line.right <= d.right + 2);
        assert_true(ac.aux.line.left + ac.aux.line.right + 4 >= 0.8 * (d.left + d.right));
        aux_case_free(&ac);
    }
    free(docids);
}

/* Deviations are the least that are safe: one less is found out, and so is all that is not so. */
static void planted_faults_are_found(void **unused)
{
    (void)unused;
    enum {
        N = 700,
        T = 24,
        S = T + 3 * 8,
        HEADS = S + 3 * 4,
        LEFT = HEADS + 3 * 4,
        RIGHT = LEFT + 3
    };
    uint64_t rng = 5;
    uint32_t docids[N];
    aux_case ac;
    make_docids(&rng, UNIFORM, N, 1 << 30, docids);
    aux_case_fit(&ac, lr(), docids, N, 1 << 30);
    assert_true(aux_case_is_sound(&ac));
    const size_t bytes[] = {12, 16, LEFT, LEFT + 1, LEFT + 2, RIGHT, RIGHT + 1, RIGHT + 2};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        assert_true(ac.bytes[bytes[i]] > 0);
        ac.bytes[bytes[i]]--;
        assert_false(aux_case_is_sound(&ac));
        ac.bytes[bytes[i]]++;
    }
    const size_t others[] = {7, T + 7, T + 15, 11, S + 3, S + 7, HEADS, HEADS + 4, HEADS + 8};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ac.bytes[others[i]] ^= 0x41;
        assert_false(aux_case_is_sound(&ac));
        ac.bytes[others[i]] ^= 0x41;
    }
    assert_true(aux_case_is_sound(&ac));
    aux_case_free(&ac);
}

/* A line that passes 64 bits falls somewhere, though it is right at every docid. */
static void lines_that_wrap_are_found(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {0, 1, 2, 3};
    aux_case ac;
    aux_case_fit(&ac, lr(), docids, 4, UINT32_MAX);
    assert_true(aux_case_is_sound(&ac));
    rp__store32(ac.bytes + 8, 0);
    rp__store64(ac.bytes, INT64_MAX);
    rp__store32(ac.bytes + 12, 4);
    rp__store32(ac.bytes + 16, 4);
    assert_true(aux_case_is_sound(&ac)); /* level: the whole list is the range */
    rp__store32(ac.bytes + 8, 1);
    assert_false(aux_case_is_sound(&ac));
    rp__store64(ac.bytes, 0);
    rp__store32(ac.bytes + 8, (1U << 31) + 1);
    assert_false(aux_case_is_sound(&ac));
    aux_case_free(&ac);
}

static void other_shapes_are_refused(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {1, 2, 3};
    aux_case ac;
    aux_case_fit(&ac, lr(), docids, 3, 10);
    assert_refused(&ac, ac.n_bytes - 16, 3, 10);
    assert_refused(&ac, ac.n_bytes, 257, 1000);
    assert_refused(&ac, 0, 0, 10);
    assert_refused(&ac, ac.n_bytes, 0, 10);
    aux_case_free(&ac);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_range_is_safe),
        cmocka_unit_test(any_bytes_are_safe),
        cmocka_unit_test(bytes_by_hand),
        cmocka_unit_test(extreme_lists),
        cmocka_unit_test(straight_lists_leave_nothing),
        cmocka_unit_test(deviations_are_those_of_the_regression),
        cmocka_unit_test(planted_faults_are_found),
        cmocka_unit_test(lines_that_wrap_are_found),
        cmocka_unit_test(other_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
