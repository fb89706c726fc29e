/* test_lab_list.c: rows and lists by the laboratory's door: every row that can run here, what is
 * refused, sizes that add up, and running out of memory at every step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "lab/lab.h"

static void test_rows(void **state)
{
    (void)state;
    rp__lab_row row;
    size_t n = 0, found;
    for (; rp__lab_row_get(n, &row); n++) {
        assert_true(row.name[0] && row.id > 0);
        rp_status want = row.can_run ? RP_OK : RP_UNAVAILABLE;
        assert_int_equal(rp__lab_row_find(row.name, row.isa, &found, NULL), want);
        if (row.can_run)
            assert_int_equal(found, n);
        assert_int_equal(rp__lab_row_find(row.name, "scalar", &found, NULL), RP_OK);
    }
    assert_true(n > 2);
    assert_false(rp__lab_row_get(n, &row));
    assert_false(rp__lab_row_get(SIZE_MAX, &row));
}

static void test_best_row(void **state)
{
    (void)state;
    for (size_t i = 0; rp_codec_name(i); i++) {
        size_t by_null, by_name;
        rp__lab_row row, earlier;
        assert_int_equal(rp__lab_row_find(rp_codec_name(i), NULL, &by_null, NULL), RP_OK);
        assert_int_equal(rp__lab_row_find(rp_codec_name(i), "best", &by_name, NULL), RP_OK);
        assert_int_equal(by_null, by_name);
        assert_true(rp__lab_row_get(by_null, &row) && row.can_run);
        for (size_t j = 0; j < by_null && rp__lab_row_get(j, &earlier); j++)
            assert_true(strcmp(earlier.name, row.name) != 0 || !earlier.can_run);
    }
}

static void test_row_errors(void **state)
{
    (void)state;
    size_t row;
    rp_error err;
    assert_int_equal(rp__lab_row_find("nosuch", NULL, &row, &err), RP_NOT_FOUND);
    assert_non_null(strstr(err.text, "nosuch"));
    assert_int_equal(rp__lab_row_find("bp128", "mmx", &row, &err), RP_NOT_FOUND);
    assert_non_null(strstr(err.text, "mmx"));
}

static size_t bp128(void)
{
    size_t row = SIZE_MAX;
    assert_int_equal(rp__lab_row_find("bp128", NULL, &row, NULL), RP_OK);
    return row;
}

static void test_refused(void **state)
{
    (void)state;
    static const uint32_t falling[] = {3, 2}, equal[] = {2, 2}, last[] = {0, UINT32_MAX},
                          good[] = {0, UINT32_MAX - 1}, zero[] = {1, 0};
    rp__lab_list *list = NULL;
    rp_error err;
    assert_int_equal(rp__lab_list_new(bp128(), NULL, falling, NULL, 2, &list, &err), RP_USAGE);
    assert_int_equal(rp__lab_list_new(bp128(), NULL, equal, NULL, 2, &list, &err), RP_USAGE);
    assert_int_equal(rp__lab_list_new(bp128(), NULL, last, NULL, 2, &list, &err), RP_USAGE);
    assert_int_equal(rp__lab_list_new(bp128(), NULL, good, zero, 2, &list, &err), RP_USAGE);
    assert_int_equal(rp__lab_list_new(bp128(), NULL, good, NULL, 0, &list, &err), RP_USAGE);
    assert_int_equal(rp__lab_list_new(SIZE_MAX, NULL, good, NULL, 2, &list, &err), RP_USAGE);
    assert_null(list);
    assert_int_equal(rp__lab_list_new(bp128(), NULL, good, NULL, 2, &list, &err), RP_OK);
    rp__lab_list_free(list);
    rp__lab_list_free(NULL);
}

/* The 2^31 of a codec that has no room for more is told, not cut off. */
static void test_limit(void **state)
{
    (void)state;
    static const uint32_t high[] = {1, 1U << 31};
    rp__lab_list *list = NULL;
    rp_error err;
    size_t row;
    assert_int_equal(rp__lab_row_find("iiu", NULL, &row, NULL), RP_OK);
    assert_int_equal(rp__lab_list_new(row, NULL, high, NULL, 2, &list, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "iiu"));
}

static void fill(uint32_t *docids, uint32_t *tfs, uint32_t n)
{
    rp__random random;
    rp__random_init(&random, n);
    for (uint32_t i = 0, d = 0; i < n; i++) {
        d += 1 + rp__random_below(&random, 50);
        docids[i] = d;
        tfs[i] = 1 + rp__random_below(&random, 9);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    enum { MOST = 10000 };
    static const uint32_t counts[] = {1, 128, 129, MOST};
    uint32_t docids[MOST], tfs[MOST];
    rp__lab_row about;
    for (size_t row = 0; rp__lab_row_get(row, &about); row++) {
        for (size_t c = 0; about.can_run && c < sizeof counts / sizeof *counts; c++) {
            rp__lab_list *list;
            rp__lab_sizes sizes;
            fill(docids, tfs, counts[c]);
            assert_int_equal(rp__lab_list_new(row, NULL, docids, tfs, counts[c], &list, NULL),
                             RP_OK);
            rp__lab_list_get_sizes(list, &sizes);
            assert_int_equal(sizes.n, counts[c]);
            assert_in_range(sizes.blocks, 1, counts[c]);
            assert_in_range(sizes.docids, 1, 8 * (uint64_t)counts[c] + 64);
            assert_true(sizes.directory >= 4);
            assert_int_equal((sizes.docids + sizes.directory + sizes.freqs) % 16, 0);
            if (counts[c] > 128)
                assert_true(sizes.directory >= 4 * (uint64_t)sizes.blocks);
            rp__lab_list_free(list);
        }
    }
}

/* An option reaches the encoder: more exceptions, other bytes. */
static void test_options(void **state)
{
    (void)state;
    enum { N = 2000 };
    uint32_t docids[N], tfs[N];
    size_t row;
    rp__lab_list *plain, *forced;
    rp__lab_sizes a, b;
    rp__lab_options options = {.has_exceptions = true, .exceptions = 0.5};
    fill(docids, tfs, N);
    assert_int_equal(rp__lab_row_find("pfd", NULL, &row, NULL), RP_OK);
    assert_int_equal(rp__lab_list_new(row, NULL, docids, tfs, N, &plain, NULL), RP_OK);
    assert_int_equal(rp__lab_list_new(row, &options, docids, tfs, N, &forced, NULL), RP_OK);
    rp__lab_list_get_sizes(plain, &a);
    rp__lab_list_get_sizes(forced, &b);
    assert_true(b.docids > a.docids);
    rp__lab_list_free(plain);
    rp__lab_list_free(forced);
}

static void test_no_memory(void **state)
{
    (void)state;
    enum { N = 300 };
    uint32_t docids[N], tfs[N];
    rp_status status = RP_NO_MEMORY;
    uint64_t before = rp__alloc_in_use();
    fill(docids, tfs, N);
    for (uint64_t n = 1; status == RP_NO_MEMORY; n++) {
        rp__lab_list *list = NULL;
        rp__alloc_fail_at(n, false);
        status = rp__lab_list_new(bp128(), NULL, docids, NULL, N, &list, NULL);
        rp__alloc_fail_at(0, false);
        assert_true(status == RP_OK || status == RP_NO_MEMORY);
        rp__lab_list_free(list);
        assert_int_equal(rp__alloc_in_use(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_best_row),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_row_errors),
        cmocka_unit_test(test_limit),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_options), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
