/* test_lab_probe.c: every probe that can run here, on arrays and on every row of codecs, against a plain search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "lab/lab.h"

enum { MOST = 4000 };

static uint32_t docids[MOST], sought[MOST], want[MOST], out[MOST];
static size_t n_sought, n_want;

/* A list of which every third docid is sought, and as many that it does not hold. */
static void fill(void)
{
    rp__random random;
    rp__random_init(&random, 7);
    n_sought = n_want = 0;
    for (uint32_t i = 0, d = 0; i < MOST; i++) {
        d += 2 + rp__random_below(&random, 30);
        docids[i] = d;
        if (i % 3)
            continue;
        sought[n_sought++] = d;
        want[n_want++] = d;
        if (n_sought < MOST)
            sought[n_sought++] = d + 1;
    }
}

static void assert_all_find(const rp__lab_target *target)
{
    rp__lab_probe about;
    size_t applied = 0, found;
    for (size_t p = 0; rp__lab_probe_get(p, &about); p++) {
        if (!rp__lab_probe_applies(p, target))
            continue;
        applied++;
        memset(out, 0, sizeof out);
        assert_int_equal(rp__lab_probe_find(p, target, sought, n_sought, p % 2, out, &found),
                         RP_OK);
        assert_int_equal(found, n_want);
        assert_memory_equal(out, want, n_want * sizeof *want);
        assert_int_equal(rp__lab_probe_find(p, target, sought, n_sought, true, NULL, &found),
                         RP_OK);
        assert_int_equal(found, n_want);
    }
    assert_true(applied >= 4);
    assert_true(rp__lab_probe_applies(rp__lab_probe_choose(target, n_sought), target));
}

static void test_arrays(void **state)
{
    rp__lab_target *target;
    (void)state;
    fill();
    for (uint32_t bucket = 0; bucket <= 1024; bucket = bucket ? 2 * bucket : 8) {
        assert_int_equal(rp__lab_target_new(NULL, docids, MOST, bucket, &target, NULL), RP_OK);
        assert_all_find(target);
        rp__lab_target_free(target);
    }
}

static void test_codecs(void **state)
{
    rp__lab_row row;
    rp__lab_target *target;
    rp__lab_list *list;
    (void)state;
    fill();
    for (size_t i = 0; rp__lab_row_get(i, &row); i++) {
        if (!row.can_run)
            continue;
        assert_int_equal(rp__lab_list_new(i, NULL, docids, NULL, MOST, &list, NULL), RP_OK);
        assert_int_equal(rp__lab_target_new(list, docids, MOST, 0, &target, NULL), RP_OK);
        assert_all_find(target);
        rp__lab_target_free(target);
        rp__lab_list_free(list);
    }
}

static void test_refusals(void **state)
{
    rp__lab_target *target;
    rp__lab_probe about;
    (void)state;
    fill();
    assert_int_equal(rp__lab_target_new(NULL, docids, 0, 0, &target, NULL), RP_USAGE);
    assert_int_equal(rp__lab_target_new(NULL, docids, MOST, 9, &target, NULL), RP_NOT_FOUND);
    assert_true(rp__lab_probe_get(0, &about));
    assert_string_equal(about.name, "merge");
    assert_string_equal(about.isa, "scalar");
    rp__lab_target_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_codecs),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
