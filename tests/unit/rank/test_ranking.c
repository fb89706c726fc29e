/* test_ranking.c: the table of rankings: names, and each idf against numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "rank/rank.h"

static void finds_every_row_by_its_name(void **state)
{
    (void)state;
    static const char *const names[] = {"lucene", "pisa", "robertson", "atire", "dirichlet", "iiu"};
    for (size_t i = 0; i < 6; i++) {
        assert_non_null(rp__ranking_at(i));
        assert_string_equal(rp__ranking_at(i)->name, names[i]);
        assert_ptr_equal(rp__ranking_find(names[i]), rp__ranking_at(i));
    }
    assert_null(rp__ranking_at(6));
    assert_null(rp__ranking_find("bm25"));
    assert_null(rp__ranking_find(""));
}

static void check_idf(const char *name, uint64_t docs, uint64_t df, double want)
{
    double got = rp__ranking_find(name)->idf(docs, df);
    if (fabs(got - want) > 1e-12)
        fail_msg("%s idf(%d, %d): %.15g, not %.15g", name, (int)docs, (int)df, got, want);
}

static void idf_is_as_published(void **state)
{
    (void)state;
    check_idf("lucene", 1000, 10, 4.557379522151743); /* ln(1001/10.5) */
    check_idf("lucene", 1, 1, 0.28768207245178085);   /* ln(4/3) */
    check_idf("pisa", 1000, 10, 4.546834608975128);   /* ln(990.5/10.5) */
    check_idf("pisa", 1000, 900, 1e-6);
    check_idf("robertson", 1000, 10, 4.546834608975128);
    check_idf("robertson", 1000, 900, 0);
    check_idf("atire", 1000, 10, 4.605170185988092); /* ln 100 */
    check_idf("atire", 7, 7, 0);
}

static void idf_is_never_negative(void **state)
{
    (void)state;
    const rp__ranking *row;
    for (size_t i = 0; (row = rp__ranking_at(i)); i++)
        for (uint64_t df = 1; row->idf && df <= 100; df++)
            assert_true(row->idf(100, df) >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_every_row_by_its_name),
        cmocka_unit_test(idf_is_as_published),
        cmocka_unit_test(idf_is_never_negative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
