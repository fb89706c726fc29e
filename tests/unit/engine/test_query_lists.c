/* test_query_lists.c: the lists of a query's terms: once each, with what they cost. */
#include "riposte/riposte.h"

#include "unit/tiny_index.h"

static tempdir dir;
static rp_index *ix;

static int make(void **state)
{
    (void)state;
    static const char *const texts[] = {"boundary layer flow", "boundary layers", "flow of a wing"};
    rp_builder *b;
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp_builder_new(dir.path, NULL, &b, NULL), RP_OK);
    for (size_t i = 0; i < 300; i++) {
        char id[8];
        const char *text = texts[i % 3];
        int bytes = snprintf(id, sizeof id, "d%zu", i);
        assert_int_equal(rp_builder_add(b, id, (size_t)bytes, "", 0, text, strlen(text), NULL),
                         RP_OK);
    }
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    return rp_index_open(dir.path, NULL, &ix, NULL) != RP_OK;
}

static int clean(void **state)
{
    (void)state;
    rp_index_close(ix);
    tempdir_remove(&dir);
    return 0;
}

/* As "term/postings term/postings"; each as `stats --lists` has it. */
static void expect(const char *query, const char *want)
{
    rp_searcher *searcher;
    rp_query_lists lists;
    char got[1000] = "";
    assert_int_equal(rp_searcher_new(ix, NULL, &searcher, NULL), RP_OK);
    assert_int_equal(rp_searcher_lists(searcher, query, strlen(query), &lists, NULL), RP_OK);
    for (size_t i = 0; i < lists.n; i++) {
        const rp_list_cost *cost = &lists.at[i];
        rp_list_info info;
        size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s%s/%u", i ? " " : "", cost->term,
                 (unsigned)cost->postings);
        assert_int_equal(rp_index_get_list(ix, cost->term, &info, NULL), RP_OK);
        assert_string_equal(cost->codec, info.cost.codec);
        assert_int_equal(cost->bytes, info.cost.bytes);
        assert_int_equal(cost->blocks, info.cost.blocks);
    }
    assert_string_equal(got, want);
    rp_query_lists_free(&lists);
    rp_searcher_free(searcher);
}

static void test_terms(void **state)
{
    (void)state;
    expect("flow boundary", "flow/200 boundary/200");
    expect("Flow flow nowhere", "flow/200");
    expect("\"boundary layer\" -wing", "boundary/200 layer/100 wing/100");
    expect("layer*", "layer/100 layers/100");
    expect("nowhere", "");
}

static void test_mistakes(void **state)
{
    (void)state;
    rp_searcher *searcher;
    rp_query_lists lists = {.n = 1};
    rp_error err;
    assert_int_equal(rp_searcher_new(ix, NULL, &searcher, NULL), RP_OK);
    assert_int_equal(rp_searcher_lists(searcher, "(flow", 5, &lists, &err), RP_USAGE);
    assert_int_equal(lists.n, 0);
    assert_non_null(strstr(err.text, "column 1"));
    rp_query_lists_free(&lists);
    rp_query_lists_free(NULL);
    rp_searcher_free(searcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terms),
                                       cmocka_unit_test(test_mistakes)};
    return cmocka_run_group_tests_name("query_lists", tests, make, clean);
}
