/* test_hs.c: ranges by hash segmentation: safe for every docid, as many buckets as the paper has, and
 * found out where a start is wrong. */
#include <stdio.h>

#include "aux_case.h"

static const rp__aux_kind *hs(uint32_t bucket)
{
    char name[16];
    int n = snprintf(name, sizeof name, "hs%u", bucket);
    const rp__aux_kind *kind = rp__aux_kind_find(name, (size_t)n);
    assert_non_null(kind);
    assert_int_equal(kind->bucket, bucket);
    return kind;
}

static void every_range_is_safe(void **unused)
{
    (void)unused;
    for (uint32_t bucket = 8; bucket <= 1024; bucket *= 2)
        assert_ranges_of_all_shapes(hs(bucket), bucket);
}

static void any_bytes_are_safe(void **unused)
{
    (void)unused;
    assert_safe_on_any_bytes(hs(8), 2);
    assert_safe_on_any_bytes(hs(256), 3);
}

/* 17 docids below 100: k = 7, and m = 2, for 17 / 8 <= 4; so the first two bits of seven. The last docid
 * is in bucket 2. */
static void bytes_by_hand(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {0, 1, 2, 3, 4, 5, 31, 32, 63, 64, 70, 71, 72, 73, 74, 75, 95};
    const uint32_t want[] = {5, 3, 0, 7, 9, 17, 0, 0};
    aux_case ac;
    aux_case_fit(&ac, hs(8), docids, 17, 100);
    assert_int_equal(ac.n_bytes, sizeof want);
    assert_memory_equal(ac.bytes, want, sizeof want);
    aux_case_free(&ac);
}

static void extreme_lists(void **unused)
{
    (void)unused;
    const uint32_t lists[][2] = {{0, 1}, {0, UINT32_MAX - 1}, {UINT32_MAX - 2, UINT32_MAX - 1}};
    const uint32_t universes[] = {2, UINT32_MAX, UINT32_MAX};
    uint64_t rng = 4;
    for (size_t i = 0; i < 3; i++)
        for (uint32_t n = 1; n <= 2; n++) {
            aux_case ac;
            aux_case_fit(&ac, hs(8), lists[i], n, universes[i]);
            assert_all_ranges(&ac, &rng);
            aux_case_free(&ac);
        }
    const uint32_t zero = 0;
    aux_case ac;
    aux_case_fit(&ac, hs(1024), &zero, 1, 1);
    assert_all_ranges(&ac, &rng);
    aux_case_free(&ac);
}

/* A dense list has no bucket above the size asked for, and one of n docids has less than 2 n / size. */
static void buckets_are_as_many_as_promised(void **unused)
{
    (void)unused;
    enum { N = 5000 };
    uint32_t docids[N];
    for (uint32_t i = 0; i < N; i++)
        docids[i] = i;
    for (uint32_t bucket = 8; bucket <= 1024; bucket *= 2)
        for (uint32_t n = 1; n <= N; n += 7) {
            aux_case ac;
            uint32_t lo, hi;
            aux_case_fit(&ac, hs(bucket), docids, n, n);
            for (uint32_t x = 0; x < n; x += 100) {
                ac.aux.kind->range(&ac.aux, x, &lo, &hi);
                assert_true(hi - lo <= bucket);
            }
            assert_true(ac.aux.n_buckets < (2 * n + bucket) / bucket + 1);
            aux_case_free(&ac);
        }
}

static void planted_faults_are_found(void **unused)
{
    (void)unused;
    enum { N = 700 };
    uint64_t rng = 5;
    uint32_t docids[N];
    aux_case ac;
    make_docids(&rng, UNIFORM, N, 1 << 30, docids);
    aux_case_fit(&ac, hs(16), docids, N, 1 << 30);
    assert_true(aux_case_is_sound(&ac));
    for (uint32_t h = 0; h <= ac.aux.n_buckets; h++)
        for (uint32_t by = 1; by + 1 > 0; by -= 2) {
            uint8_t *at = ac.bytes + 8 + 4 * h;
            rp__store32(at, rp__load32(at) + by);
            assert_false(aux_case_is_sound(&ac));
            rp__store32(at, rp__load32(at) - by);
        }
    assert_true(aux_case_is_sound(&ac));
    for (size_t at = 0; at < 8; at++) { /* shift and number of buckets */
        ac.bytes[at] ^= 1;
        assert_false(aux_case_is_sound(&ac));
        ac.bytes[at] ^= 1;
    }
    aux_case_free(&ac);
}

/* Buckets that end before the last docid does are no damage to the shape, but unsound. */
static void missing_buckets_are_found(void **unused)
{
    (void)unused;
    uint32_t docids[100];
    aux_case ac;
    for (uint32_t i = 0; i < 100; i++)
        docids[i] = i;
    aux_case_fit(&ac, hs(8), docids, 100, 128);
    assert_int_equal(ac.aux.n_buckets, 13);
    rp__store32(ac.bytes + 4, 10);
    ac.n_bytes = 64;
    assert_false(aux_case_is_sound(&ac));
    aux_case_free(&ac);
}

static void other_shapes_are_refused(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {1, 2, 3};
    aux_case ac;
    aux_case_fit(&ac, hs(8), docids, 3, 10);
    assert_refused(&ac, 0, 3, 10);
    assert_refused(&ac, ac.n_bytes - 16, 3, 10);
    assert_refused(&ac, ac.n_bytes, 3, 1000);
    assert_refused(&ac, ac.n_bytes, 0, 10);
    assert_refused(&ac, ac.n_bytes, 11, 10);
    rp__store32(ac.bytes + 4, UINT32_MAX);
    assert_refused(&ac, ac.n_bytes, 3, 10);
    rp__store32(ac.bytes + 4, 0);
    assert_refused(&ac, ac.n_bytes, 3, 10);
    aux_case_free(&ac);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_range_is_safe),
        cmocka_unit_test(any_bytes_are_safe),
        cmocka_unit_test(bytes_by_hand),
        cmocka_unit_test(extreme_lists),
        cmocka_unit_test(buckets_are_as_many_as_promised),
        cmocka_unit_test(planted_faults_are_found),
        cmocka_unit_test(missing_buckets_are_found),
        cmocka_unit_test(other_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
