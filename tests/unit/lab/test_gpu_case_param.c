/* test_gpu_case_param.c: what cases may be given: parameters in their ranges, and two lists of a source by their ratio. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lab/gpu/gpu_case_param.h"

/* Both ends of the range of every parameter of every row are taken, and what is beyond them is not. */
static void ranges_are_kept(void **state)
{
    (void)state;
    const rp__gpu_case *row;
    size_t n[RP_GPU_PARAMS] = {0};
    for (size_t i = 0; (row = rp__gpu_case_at(i)); i++)
        for (int p = 0; p < RP_GPU_PARAMS; p++) {
            double min, max;
            rp_error err = {.text = ""};
            rp__gpu_case out;
            rp__gpu_case_given given;
            rp__gpu_params params = {0};
            params.has[p] = true;
            if (!rp__gpu_case_param_range(row, (rp__gpu_param)p, &min, &max))
                continue;
            n[p]++;
            const double tries[] = {min, max, min - 0.01, max + 0.01, 0.0 / 0.0};
            for (size_t t = 0; t < 5; t++) {
                params.value[p] = tries[t];
                rp_status status = rp__gpu_case_param_apply(row, &params, NULL, &given, &out, &err);
                assert_int_equal(status, t < 2 ? RP_OK : RP_USAGE);
                assert_true(t < 2 || strstr(err.text, rp__gpu_case_param_name((rp__gpu_param)p)));
            }
        }
    for (int p = 0; p < RP_GPU_PARAMS; p++)
        assert_true(n[p] > 0);
}

/* A row without the parameter stays as it is. */
static void others_stay_as_they_are(void **state)
{
    (void)state;
    rp_error err = {.text = ""};
    rp__gpu_case out;
    rp__gpu_case_given given;
    rp__gpu_params params = {.has = {[RP_GPU_PARAM_BUCKET] = true},
                             .value = {[RP_GPU_PARAM_BUCKET] = 1e6}};
    const rp__gpu_case *copy = rp__gpu_case_at(0);
    assert_int_equal(rp__gpu_case_param_apply(copy, &params, NULL, &given, &out, &err), RP_OK);
    assert_int_equal(out.codec, copy->codec);
    assert_ptr_equal(out.given, &given);
    assert_null(given.source);
}

static const rp__gpu_case *find_row(const char *name)
{
    const rp__gpu_case *row;
    for (size_t i = 0; (row = rp__gpu_case_at(i)); i++)
        if (strcmp(row->name, name) == 0)
            return row;
    fail_msg("no row %s", name);
    return NULL;
}

/* A name says what was measured, not what the row has otherwise. */
static void names_have_what_is_given(void **state)
{
    (void)state;
    static const struct {
        const char *row, *name;
        rp__gpu_param param;
        double value;
    } names[] = {{"hs4 1:100", "hs32 1:100", RP_GPU_PARAM_BUCKET, 32},
                 {"hs4 1:100 marks", "hs4 1:7 marks", RP_GPU_PARAM_RATIO, 7},
                 {"bits and marks 1:1", "bits and marks 1:12", RP_GPU_PARAM_RATIO, 12},
                 {"pmf 1 1:1", "pmf 4 1:1", RP_GPU_PARAM_LEVELS, 4},
                 {"pmf heads 2 1:100", "pmf heads 3 1:100", RP_GPU_PARAM_LEVELS, 3},
                 {"pfd_rec, three levels", "pfd_rec, levels 2", RP_GPU_PARAM_LEVELS, 2},
                 {"parapfor of 64, a tenth patched", "parapfor of 64, exceptions 0.2",
                  RP_GPU_PARAM_EXCEPTIONS, 0.2},
                 {"qs, naive", "qs, naive, c 0.25", RP_GPU_PARAM_C, 0.25},
                 {"tile 1:1", "tile 1:1, threads 256", RP_GPU_PARAM_THREADS, 256},
                 {"tile 1:1", "tile 1:1", RP_GPU_PARAM_BUCKET, 32}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[RP_GPU_CASE_NAME];
        rp__gpu_params params = {0};
        params.has[names[i].param] = true;
        params.value[names[i].param] = names[i].value;
        rp__gpu_case_param_put_name(find_row(names[i].row), &params, name);
        assert_string_equal(name, names[i].name);
    }
}

/* With all parameters at once a name of any row ends where it should. */
static void names_fit(void **state)
{
    (void)state;
    const rp__gpu_case *row;
    rp__gpu_params params;
    for (size_t p = 0; p < RP_GPU_PARAMS; p++) {
        params.has[p] = true;
        params.value[p] = 1000;
    }
    for (size_t i = 0; (row = rp__gpu_case_at(i)); i++) {
        char name[RP_GPU_CASE_NAME];
        rp__gpu_case_param_put_name(row, &params, name);
        assert_true(strlen(name) + 1 < sizeof name);
    }
}

static void pairs_have_the_ratio(void **state)
{
    (void)state;
    static const rp__gpu_source_list lists[] = {{.n = 10}, {.n = 100}, {.n = 1000}, {.n = 1300}};
    static const rp__gpu_source_pair pairs[] = {{0, 1}, {1, 2}, {0, 3}, {1, 3}};
    rp__gpu_source source = {.lists = lists, .n_lists = 4, .pairs = pairs, .n_pairs = 4};
    rp__gpu_source_pair got = rp__gpu_source_choose(&source, 10);
    assert_true(got.a == 1 && got.b == 3); /* 13 is near enough, and its lists are the longest */
    got = rp__gpu_source_choose(&source, 1000);
    assert_true(got.a == 0 && got.b == 3);
    source.n_pairs = 0;
    got = rp__gpu_source_choose(&source, 1);
    assert_true(got.a == 2 && got.b == 3);
    got = rp__gpu_source_choose(&source, 13);
    assert_true(got.a == 1 && got.b == 3);
    source.n_lists = 1;
    got = rp__gpu_source_choose(&source, 5);
    assert_true(got.a == 0 && got.b == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_kept), cmocka_unit_test(others_stay_as_they_are),
        cmocka_unit_test(names_have_what_is_given), cmocka_unit_test(names_fit),
        cmocka_unit_test(pairs_have_the_ratio)};
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
