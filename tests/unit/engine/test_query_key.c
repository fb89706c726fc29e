/* test_query_key.c: queries that mean the same to an index have one key, others have their own. */
#include "riposte/riposte.h"

#include "unit/tiny_index.h"

static tempdir dir;
static rp_index *ix;

static int make(void **state)
{
    (void)state;
    static const char *const texts[] = {"boundary layer flow", "boundary layers", "flow of a wing",
                                        "wine and wing", "wi fi"};
    rp_builder *b;
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp_builder_new(dir.path, NULL, &b, NULL), RP_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char id[8];
        int bytes = snprintf(id, sizeof id, "d%zu", i);
        assert_int_equal(
            rp_builder_add(b, id, (size_t)bytes, "", 0, texts[i], strlen(texts[i]), NULL), RP_OK);
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

static bool is_same(rp_searcher *searcher, const char *a, rp_mode mode_a, const char *b,
                    rp_mode mode_b)
{
    rp_key x, y;
    assert_int_equal(rp_query_key(searcher, a, strlen(a), &mode_a, &x, NULL), RP_OK);
    assert_int_equal(rp_query_key(searcher, b, strlen(b), &mode_b, &y, NULL), RP_OK);
    bool is_equal = x.n == y.n && memcmp(x.at, y.at, x.n) == 0;
    rp_key_free(&x);
    rp_key_free(&y);
    return is_equal;
}

static void spelling_does_not_matter(void **state)
{
    (void)state;
    rp_searcher *s;
    assert_int_equal(rp_searcher_new(ix, NULL, &s, NULL), RP_OK);
    static const char *const same[][2] = {
        {"wing flow", "  WING   flow"},
        {"wing flow", "(wing) OR flow"},
        {"+wing +flow", "wing AND flow"},
        {"\"wing flow\"~2", "\"Wing, flow\"~2"},
        {"wi-fi", "(wi fi)"},
        {"wing^1", "wing"},
        {"xq wing", "xq wing"},
    };
    static const char *const apart[][2] = {
        {"wing flow", "flow wing"},  {"wing", "wing^2"},
        {"wing flow", "+wing flow"}, {"\"wing flow\"~2", "\"wing flow\"~3"},
        {"wing -flow", "wing flow"}, {"xq wing", "xq* wing"},
        {"+xq +wing", "+xr +wing"},  {"win*", "wing"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(is_same(s, same[i][0], RP_MODE_OR, same[i][1], RP_MODE_OR));
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        assert_false(is_same(s, apart[i][0], RP_MODE_OR, apart[i][1], RP_MODE_OR));
    rp_searcher_free(s);
}

static void modes_matter(void **state)
{
    (void)state;
    rp_searcher *s;
    rp_key key;
    rp_error err;
    const rp_search_options options = {.mode = RP_MODE_AND};
    assert_int_equal(rp_searcher_new(ix, &options, &s, NULL), RP_OK);
    for (int a = RP_MODE_OR; a <= RP_MODE_ANDOR; a++)
        for (int b = RP_MODE_OR; b <= RP_MODE_ANDOR; b++)
            assert_int_equal(a == b, is_same(s, "wing flow", (rp_mode)a, "wing  flow", (rp_mode)b));
    rp_key own;
    const rp_mode mode = RP_MODE_AND;
    assert_int_equal(rp_query_key(s, "wing flow", 9, &mode, &key, NULL), RP_OK);
    assert_int_equal(rp_query_key(s, "wing flow", 9, NULL, &own, NULL), RP_OK);
    assert_int_equal(key.n, own.n);
    assert_memory_equal(key.at, own.at, key.n);
    rp_key_free(&key);
    rp_key_free(&own);
    rp_searcher_free(s);
    assert_int_equal(rp_searcher_new(ix, NULL, &s, NULL), RP_OK);
    assert_int_equal(rp_query_key(s, "(wing", 5, NULL, &key, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "column"));
    assert_null(key.at);
    assert_int_equal(rp_query_key(s, "wing", 4, &(rp_mode){(rp_mode)7}, &key, &err), RP_USAGE);
    rp_searcher_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spelling_does_not_matter),
        cmocka_unit_test(modes_matter),
    };
    return cmocka_run_group_tests_name("query_key", tests, make, clean);
}
