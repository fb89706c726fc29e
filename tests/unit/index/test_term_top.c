/* test_term_top.c: the terms with the most documents, as sorting all of them gives. */
#include "unit/index/segment_case.h"

static segment_case sc;
static plain_index *plain;

static int most_first(const void *a, const void *b)
{
    const plain_term *x = *(const plain_term *const *)a, *y = *(const plain_term *const *)b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    int order = memcmp(x->term, y->term, x->bytes < y->bytes ? x->bytes : y->bytes);
    return order ? order : x->bytes < y->bytes ? -1 : 1;
}

static void expect_top(const char *prefix, size_t bytes, size_t most)
{
    static const plain_term *want[2000];
    static rp__term_top got[2000];
    size_t n = 0, n_got = most;
    for (size_t i = 0; i < plain->n; i++)
        if (plain->terms[i]->bytes >= bytes && !memcmp(plain->terms[i]->term, prefix, bytes))
            want[n++] = plain->terms[i];
    qsort(want, n, sizeof *want, most_first);
    n = n < most ? n : most;
    assert_int_equal(rp__term_top_find(sc.segment, prefix, bytes, 1 << 20, got, &n_got), RP_OK);
    assert_int_equal(n_got, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(got[i].df, want[i]->n);
        assert_int_equal(got[i].term_bytes, want[i]->bytes);
        assert_memory_equal(got[i].term, want[i]->term, want[i]->bytes);
    }
}

static void expect_tops(void)
{
    static const size_t mosts[] = {1, 2, 10, 100, 2000};
    for (size_t j = 0; j < sizeof mosts / sizeof *mosts; j++) {
        expect_top("", 0, mosts[j]);
        for (size_t i = 0; i < plain->n; i += 11)
            for (size_t n = 1; n <= plain->terms[i]->bytes && n < 12; n += 1 + n / 3)
                expect_top(plain->terms[i]->term, n, mosts[j]);
        expect_top("\xFF\xFF", 2, mosts[j]);
    }
    expect_top("", 0, 0);
}

static void test_tops(void **state)
{
    (void)state;
    assert_non_null(sc.segment->dictionary.mosts);
    expect_tops();
}

/* An index of an older program does not say what a block's terms have. */
static void test_without_the_section(void **state)
{
    (void)state;
    const uint32_t *mosts = sc.segment->dictionary.mosts;
    sc.segment->dictionary.mosts = NULL;
    expect_tops();
    sc.segment->dictionary.mosts = mosts;
}

static void test_limit(void **state)
{
    (void)state;
    static rp__term_top got[2000];
    size_t n = 2000;
    assert_int_equal(rp__term_top_find(sc.segment, "", 0, plain->n, got, &n), RP_OK);
    assert_int_equal(n, plain->n);
    n = 2000;
    assert_int_equal(rp__term_top_find(sc.segment, "", 0, plain->n - 1, got, &n), RP_LIMIT);
}

static int make(void **state)
{
    (void)state;
    plain = plain_new();
    plain_add_terms(plain, 1500, 21);
    segment_case_open(&sc, "bp128", true, plain, 300);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    segment_case_close(&sc);
    plain_free(plain);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tops),
        cmocka_unit_test(test_without_the_section),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
