/* test_lab_work.c: every kind of work on every row that can run here, against plain arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "lab/lab.h"

enum { MOST = 5000 };

static uint32_t docids[MOST], tfs[MOST];
static uint32_t out[MOST + RP_LAB_ROOM], out_tfs[MOST + RP_LAB_ROOM];
static const uint32_t counts[] = {1, 2, 127, 128, 129, 256, 257, 1000, MOST};

static void fill(uint32_t n)
{
    rp__random random;
    rp__random_init(&random, n);
    for (uint32_t i = 0, d = 0; i < n; i++) {
        d += 1 + rp__random_below(&random, i % 100 ? 20 : 5000);
        docids[i] = d;
        tfs[i] = 1 + rp__random_below(&random, 4);
    }
}

/* Calls fn with every count on every row. */
static void each_list(void (*fn)(const rp__lab_row *row, const rp__lab_list *list, uint32_t n))
{
    rp__lab_row about;
    for (size_t row = 0; rp__lab_row_get(row, &about); row++) {
        for (size_t c = 0; about.can_run && c < sizeof counts / sizeof *counts; c++) {
            rp__lab_list *list;
            fill(counts[c]);
            assert_int_equal(rp__lab_list_new(row, NULL, docids, tfs, counts[c], &list, NULL),
                             RP_OK);
            fn(&about, list, counts[c]);
            rp__lab_list_free(list);
        }
    }
}

static uint64_t three(const uint32_t *v, uint32_t n)
{
    return (uint64_t)v[0] + v[n / 2] + v[n - 1];
}

static void check_decode(const rp__lab_row *row, const rp__lab_list *list, uint32_t n)
{
    (void)row;
    uint64_t sum = 0;
    memset(out, 0, sizeof out);
    assert_int_equal(rp__lab_decode(list, out, NULL, &sum), RP_OK);
    assert_memory_equal(out, docids, n * sizeof *out);
    assert_int_equal(sum, three(docids, n));
    memset(out, 0, sizeof out);
    assert_int_equal(rp__lab_decode(list, out, out_tfs, &sum), RP_OK);
    assert_memory_equal(out, docids, n * sizeof *out);
    assert_memory_equal(out_tfs, tfs, n * sizeof *out);
    assert_int_equal(sum, three(docids, n) + three(tfs, n));
}

static void test_decode(void **state)
{
    (void)state;
    each_list(check_decode);
}

/* Without order: a docid of each block, so the sum lies between those of the firsts and the lasts. */
static void check_blocks(const rp__lab_row *row, const rp__lab_list *list, uint32_t n)
{
    uint64_t sum = 0, firsts = 0, lasts = 0;
    for (uint32_t i = 0; i < n; i += 128) {
        firsts += docids[i];
        lasts += docids[i + 128 < n ? i + 127 : n - 1];
    }
    rp__lab_sizes sizes;
    rp__lab_list_get_sizes(list, &sizes);
    assert_int_equal(rp__lab_blocks(list, &sum), RP_OK);
    assert_in_range(sum, docids[n - 1], (uint64_t)sizes.blocks * docids[n - 1]);
    if (strcmp(row->name, "bp128") == 0) /* cut every 128 */
        assert_int_equal(sum, lasts);
    if (!row->has_unordered) {
        assert_int_equal(rp__lab_unordered(list, &sum), RP_USAGE);
        return;
    }
    assert_int_equal(rp__lab_unordered(list, &sum), RP_OK);
    assert_in_range(sum, firsts, lasts);
}

static void test_blocks(void **state)
{
    (void)state;
    each_list(check_blocks);
}

/* Of auto it is the codec of the list that has `at` or not. */
static void check_at(const rp__lab_row *row, const rp__lab_list *list, uint32_t n)
{
    uint64_t sum = 0;
    const bool is_by_list = strcmp(row->name, "auto") == 0;
    for (uint32_t i = 0; i < n; i++) {
        rp_status status = rp__lab_at(list, &i, 1, &sum);
        if (!is_by_list || status != RP_USAGE)
            assert_int_equal(status, row->has_at || is_by_list ? RP_OK : RP_USAGE);
        if (status != RP_OK)
            return;
        assert_int_equal(sum, docids[i]);
    }
    const uint32_t ranks[] = {n - 1, 0, n / 2};
    assert_int_equal(rp__lab_at(list, ranks, 3, &sum), RP_OK);
    assert_int_equal(sum, three(docids, n));
}

static void test_at(void **state)
{
    (void)state;
    each_list(check_at);
}

/* Every docid, the number after it, and both ends of all numbers. */
static uint32_t fill_targets(uint32_t n, uint32_t *targets, uint64_t *sum)
{
    uint32_t k = 0;
    *sum = 0;
    targets[k++] = 0;
    *sum += docids[0];
    for (uint32_t i = 0; i < n && k + 3 < 2 * MOST; i++) {
        targets[k++] = docids[i];
        *sum += docids[i];
        targets[k++] = docids[i] + 1;
        *sum += i + 1 < n ? docids[i + 1] : UINT32_MAX;
    }
    return k;
}

static uint32_t targets[2 * MOST + 2];

static void check_find(const rp__lab_row *row, const rp__lab_list *list, uint32_t n)
{
    (void)row;
    uint64_t sum = 0, want;
    uint32_t k = fill_targets(n, targets, &want);
    assert_int_equal(rp__lab_walk(list, targets, k, &sum), RP_OK);
    assert_int_equal(sum, want);
    for (uint32_t i = 0; i < k / 2; i++) { /* falling */
        uint32_t other = targets[i];
        targets[i] = targets[k - 1 - i];
        targets[k - 1 - i] = other;
    }
    assert_int_equal(rp__lab_find(list, targets, k, &sum), RP_OK);
    assert_int_equal(sum, want);
    assert_int_equal(rp__lab_find(list, (uint32_t[]){UINT32_MAX}, 1, &sum), RP_OK);
    assert_int_equal(sum, UINT32_MAX);
    assert_int_equal(rp__lab_find(list, targets, 0, &sum), RP_OK);
    assert_int_equal(sum, 0);
}

static void test_find(void **state)
{
    (void)state;
    each_list(check_find);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_at),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
