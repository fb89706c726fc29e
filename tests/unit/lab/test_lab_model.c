/* test_lab_model.c: lines, random lists, look-up costs and buckets through lab.h: by hand, by
 * the paper's table, and by counting. */
#include "unit/tiny_index.h"

#include <math.h>

#include "lab/lab.h"

static void a_straight_list_has_its_line(void **state)
{
    (void)state;
    uint32_t docids[1000];
    rp__lab_line line;
    for (uint32_t i = 0; i < 1000; i++)
        docids[i] = 7 + 3 * i;
    assert_int_equal(rp__lab_line_fit(docids, 1000, &line), RP_OK);
    assert_true(fabs(line.slope - 3) < 1e-9 && fabs(line.intercept - 4) < 1e-6);
    assert_true(line.determination > 0.999999 && line.contraction < 1e-6);
    assert_true(line.width <= 1); /* rounding alone */
    docids[999] += 1000;
    assert_int_equal(rp__lab_line_fit(docids, 1000, &line), RP_OK);
    assert_true(line.width >= 9 && line.determination < 0.9999 &&
                line.local_most >= line.local_mean);
    assert_int_equal(rp__lab_line_fit(docids, 1, &line), RP_OK);
    assert_int_equal(line.width, 0);
    assert_int_equal(rp__lab_line_fit(docids, 0, &line), RP_USAGE);
}

/* Table 5 of Ao et al. 2011. */
static void random_lists_have_the_widths_of_table_5(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {100000, 200000, 400000, 800000, 1000000, 2000000};
    static const uint32_t widths[] = {18, 18, 17, 17, 17, 16};
    rp__lab_random_list model;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        assert_int_equal(rp__lab_random_list_model(1 << 24, lengths[i], 22, 1e-5, &model), RP_OK);
        assert_int_equal(model.width, widths[i]);
        assert_true(fabs(model.mean - (1 << 23)) < 200 && model.variance > 0);
        assert_true(model.distance > sqrt(model.variance));
    }
    assert_int_equal(rp__lab_random_list_model(10, 0, 22, 1e-5, &model), RP_USAGE);
    assert_int_equal(rp__lab_random_list_model(10, 11, 22, 1e-5, &model), RP_USAGE);
    assert_int_equal(rp__lab_random_list_model(1ULL << 32, 11, 22, 1e-5, &model), RP_USAGE);
    assert_int_equal(rp__lab_random_list_model(10, 5, 1, 1e-5, &model), RP_USAGE);
    assert_int_equal(rp__lab_random_list_model(10, 5, 22, 0, &model), RP_USAGE);
    assert_int_equal(rp__lab_random_list_model(10, 5, 22, 1, &model), RP_USAGE);
}

/* 2^16 docids in a safe range of a quarter: 6 steps among heads of 256, 8 in a segment; 14 without heads. */
static void a_look_up_costs_its_steps(void **state)
{
    (void)state;
    const rp__lab_lookup_list lists[] = {{1 << 16, 0.25, 0.125}, {1 << 16, 0.25, 0.125}};
    rp__lab_lookup cost;
    assert_int_equal(rp__lab_lookup_model(lists, 1, 256, 100, 1, &cost), RP_OK);
    assert_true(cost.headed == 101 * 6 + 201 * 8);
    assert_true(cost.headless == 201 * 14);
    assert_true(cost.local == 101 * 6 + 201 * 5);
    assert_int_equal(rp__lab_lookup_model(lists, 2, 256, 100, 1, &cost), RP_OK);
    assert_true(cost.headless == 2 * 201 * 14);
    assert_int_equal(rp__lab_lookup_model(NULL, 0, 256, 100, 1, &cost), RP_OK);
    assert_true(cost.headed == 0 && cost.local == 0);
    assert_int_equal(rp__lab_lookup_model(lists, 1, 0, 100, 1, &cost), RP_USAGE);
}

enum { DOCS = 1000 };

/* "all" is in every document, "some" in every third, "end" in the last. */
static void open_index(tiny_index *tiny)
{
    static char text[DOCS][16];
    static const char *texts[DOCS];
    for (uint32_t i = 0; i < DOCS; i++) {
        snprintf(text[i], sizeof text[i], "all%s%s", i % 3 ? "" : " some",
                 i + 1 == DOCS ? " end" : "");
        texts[i] = text[i];
    }
    tiny_open(tiny, texts, DOCS, (tiny_options){0});
}

/* 1,000 documents are numbers of 10 bits: 128 buckets of 8 docids, of which 125 are there. */
static void buckets_are_counted(void **state)
{
    (void)state;
    static rp__lab_buckets buckets[RP_LAB_BUCKET_KINDS];
    tiny_index tiny;
    open_index(&tiny);
    assert_int_equal(rp__lab_buckets_count(&tiny.index, "all", 0, buckets, NULL), RP_OK);
    assert_int_equal(buckets[0].bucket, 8);
    assert_int_equal(buckets[0].buckets, 125);
    assert_int_equal(buckets[0].sizes[8], 125);
    assert_true(buckets[0].mean == 8 && buckets[0].largest == 8 && buckets[0].empty == 0);
    assert_true(buckets[0].variance < 1e-9 && buckets[0].binomial > 7);
    assert_int_equal(buckets[7].bucket, 1024);
    assert_int_equal(buckets[7].buckets, 1);
    assert_int_equal(buckets[7].sizes[1000], 1);
    uint64_t all = buckets[3].buckets;
    assert_int_equal(rp__lab_buckets_count(&tiny.index, "some", 0, buckets, NULL), RP_OK);
    all += buckets[3].buckets;
    assert_int_equal(rp__lab_buckets_count(&tiny.index, NULL, 129, buckets, NULL), RP_OK);
    assert_int_equal(buckets[3].buckets, all); /* of both lists */
    uint64_t postings = 0;
    for (uint64_t size = 0; size < RP_LAB_BUCKET_SIZES; size++)
        postings += size * buckets[3].sizes[size];
    assert_int_equal(postings, DOCS + (DOCS + 2) / 3);
    assert_int_equal(rp__lab_buckets_count(&tiny.index, "none", 0, buckets, NULL), RP_NOT_FOUND);
    assert_int_equal(rp__lab_buckets_count(&tiny.index, " ", 0, buckets, NULL), RP_NOT_FOUND);
    assert_int_equal(rp__lab_buckets_count(&tiny.index, NULL, 1001, buckets, NULL), RP_NOT_FOUND);
    tiny_close(&tiny);
}

static void a_term_is_loaded_alone(void **state)
{
    (void)state;
    tiny_index tiny;
    rp__lab_set set;
    rp_error err = {.text = ""};
    open_index(&tiny);
    assert_int_equal(rp__lab_set_load_term(&tiny.index, "Some", &set, &err), RP_OK);
    assert_int_equal(set.n_lists, 1);
    assert_int_equal(set.universe, DOCS);
    assert_int_equal(set.lists[0].n, (DOCS + 2) / 3);
    for (uint32_t i = 0; i < set.lists[0].n; i++)
        assert_true(set.lists[0].docids[i] == 3 * i && set.lists[0].tfs[i] == 1);
    rp__lab_set_free(&set);
    assert_int_equal(rp__lab_set_load_term(&tiny.index, "end", &set, &err), RP_OK);
    assert_int_equal(set.lists[0].docids[0], DOCS - 1);
    rp__lab_set_free(&set);
    assert_int_equal(rp__lab_set_load_term(&tiny.index, "none", &set, &err), RP_NOT_FOUND);
    assert_non_null(strstr(err.text, "not in this index"));
    tiny_close(&tiny);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_list_has_its_line),
        cmocka_unit_test(random_lists_have_the_widths_of_table_5),
        cmocka_unit_test(a_look_up_costs_its_steps),
        cmocka_unit_test(buckets_are_counted),
        cmocka_unit_test(a_term_is_loaded_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
