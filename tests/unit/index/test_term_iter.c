/* test_term_iter.c: the terms that begin with a prefix, in order, and no others. */
#include "unit/index/segment_case.h"

static segment_case sc;
static plain_index *plain;

static void expect_range(const char *prefix, size_t bytes)
{
    rp__term_iter iter;
    assert_int_equal(rp__term_iter_start(&iter, sc.segment, prefix, bytes), RP_OK);
    for (size_t i = 0; i < plain->n; i++) {
        const plain_term *t = plain->terms[i];
        if (t->bytes < bytes || memcmp(t->term, prefix, bytes) != 0)
            continue;
        assert_int_equal(rp__term_iter_next(&iter), RP_OK);
        assert_int_equal(iter.term_bytes, t->bytes);
        assert_memory_equal(iter.term, t->term, t->bytes);
        assert_int_equal(iter.entry.df, t->n);
        assert_int_equal(iter.entry.cf, t->cf);
    }
    for (int again = 0; again < 3; again++) /* the end stays the end */
        assert_int_equal(rp__term_iter_next(&iter), RP_NOT_FOUND);
}

static void test_all(void **state)
{
    (void)state;
    expect_range("", 0);
}

static void test_prefixes_of_terms(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (size_t i = 0; i < plain->n; i += 3) {
        const plain_term *t = plain->terms[i];
        char prefix[300];
        size_t bytes = 1 + chance_below(&seed, t->bytes);
        memcpy(prefix, t->term, t->bytes);
        expect_range(prefix, bytes);
        expect_range(prefix, t->bytes);
        prefix[bytes - 1]++; /* most often no term's beginning */
        expect_range(prefix, bytes);
        prefix[bytes] = 'q';
        expect_range(prefix, bytes + 1);
    }
}

static void test_edges(void **state)
{
    (void)state;
    char longest[400];
    memset(longest, 'p', sizeof longest);
    longest[0] = 'a';
    expect_range(longest, 254);
    expect_range(longest, 255);
    expect_range(longest, 256);
    expect_range(longest, 400);
    expect_range("\0", 1);
    expect_range("\xFF", 1);
    expect_range("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 9);
    expect_range("12345678", 8);
    expect_range("1234567", 7);
    expect_range("123456789", 9);
    expect_range("an-uncommonly-long-beginning-", 29);
}

/* From every term on, past those that begin with some first bytes of it. */
static void test_skip(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 2, 3, 7, 8, 9, 255};
    for (size_t i = 0; i < plain->n; i += 2)
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
            const plain_term *t = plain->terms[i];
            size_t n = lengths[j] < t->bytes ? lengths[j] : t->bytes, k = i + 1;
            rp__term_iter iter;
            assert_int_equal(rp__term_iter_start(&iter, sc.segment, t->term, t->bytes), RP_OK);
            assert_int_equal(rp__term_iter_next(&iter), RP_OK);
            iter.prefix_bytes = 0; /* on to the end */
            while (k < plain->n && plain->terms[k]->bytes >= n &&
                   !memcmp(plain->terms[k]->term, t->term, n))
                k++;
            assert_int_equal(rp__term_iter_skip(&iter, n), RP_OK);
            for (; k < plain->n && k < i + 40; k++) {
                rp_status status = rp__term_iter_next(&iter);
                while (n > 8 && status == RP_OK && iter.term_bytes >= n &&
                       !memcmp(iter.term, t->term, n))
                    status =
                        rp__term_iter_next(&iter); /* of more than 8 bytes blocks are not passed */
                assert_int_equal(status, RP_OK);
                assert_int_equal(iter.term_bytes, plain->terms[k]->bytes);
                assert_memory_equal(iter.term, plain->terms[k]->term, iter.term_bytes);
                assert_int_equal(iter.entry.df, plain->terms[k]->n);
                assert_int_equal(iter.entry.cf, plain->terms[k]->cf);
            }
            if (k == plain->n)
                assert_int_equal(rp__term_iter_next(&iter), RP_NOT_FOUND);
        }
}

static void test_no_terms(void **state)
{
    (void)state;
    segment_case empty;
    rp__term_iter iter;
    plain_index *none = plain_new();
    segment_case_open(&empty, "bp128", true, none, 3);
    assert_int_equal(rp__term_iter_start(&iter, empty.segment, "", 0), RP_OK);
    assert_int_equal(rp__term_iter_next(&iter), RP_NOT_FOUND);
    assert_int_equal(rp__term_iter_start(&iter, empty.segment, "a", 1), RP_OK);
    assert_int_equal(rp__term_iter_next(&iter), RP_NOT_FOUND);
    segment_case_close(&empty);
    plain_free(none);
}

static int make(void **state)
{
    (void)state;
    plain = plain_new();
    plain_add_terms(plain, 1500, 11);
    segment_case_open(&sc, "bp128", true, plain, 12);
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
        cmocka_unit_test(test_all),      cmocka_unit_test(test_prefixes_of_terms),
        cmocka_unit_test(test_edges),    cmocka_unit_test(test_skip),
        cmocka_unit_test(test_no_terms),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
