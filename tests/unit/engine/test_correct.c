/* test_correct.c: the terms that were perhaps meant by words that no document has. */
#include "riposte/riposte.h"

#include "unit/tiny_index.h"

static tempdir dir;
static rp_index *ix;

static int make(void **state)
{
    (void)state;
    static const char *const texts[] = {"boundary layer flow", "boundary layers", "flow of a wing",
                                        "wine and wing", "caf\xC3\xA9 no on"};
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

/* As "word>instead word>instead". */
static void expect(const char *query, bool plain, const char *want)
{
    rp_search_options options = {.plain = plain};
    rp_searcher *searcher;
    rp_corrections c;
    char got[1000] = "";
    assert_int_equal(rp_searcher_new(ix, &options, &searcher, NULL), RP_OK);
    assert_int_equal(rp_searcher_correct(searcher, query, strlen(query), &c, NULL), RP_OK);
    for (size_t i = 0; i < c.n; i++) {
        size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s%s>%s/%u", i ? " " : "", c.at[i].word, c.at[i].instead,
                 c.at[i].edits);
    }
    assert_string_equal(got, want);
    rp_corrections_free(&c);
    rp_searcher_free(searcher);
}

static void test_words(void **state)
{
    (void)state;
    expect("boundary layer", false, "");
    expect("boundry", false, "boundry>boundary/1");
    expect("Boundry layr flwo", false, "Boundry>boundary/1 layr>layer/1 flwo>flow/2");
    expect("win", false, "win>wing/1"); /* in more documents than wine */
    expect("wins", false, "wins>wing/1");
    expect("Caf\xC3\xA9"
           "e",
           false, "Cafée>cafe/1"); /* accents are folded */
    expect("xyzzyxyzzy", false, "");
    expect("z", false, "");
    expect("nn", false, "nn>no/1");
    expect("qzz", false, "");
    expect("boundry boundry (boundry)", false, "boundry>boundary/1");
    expect("\"boundry layer\"~2", false, "boundry>boundary/1");
}

static void test_what_is_not_looked_at(void **state)
{
    (void)state;
    expect("wing -boundry", false, "");
    expect("wing NOT (boundry OR (layr flwo)) laye", false, "laye>layer/1");
    expect("boundr* boundr?i boundri~1", false, "");
    expect("wing -(boundry) +layr", false, "layr>layer/1");
    expect("wing -boundry boundr*", true, "boundry>boundary/1 boundr>boundary/2");
}

static void test_many(void **state)
{
    (void)state;
    char query[400] = "";
    for (char c = 'a'; c <= 'z'; c++) {
        size_t n = strlen(query);
        snprintf(query + n, sizeof query - n, "boundary%cz ", c);
    }
    rp_searcher *searcher;
    rp_corrections c;
    rp_error err;
    assert_int_equal(rp_searcher_new(ix, NULL, &searcher, NULL), RP_OK);
    assert_int_equal(rp_searcher_correct(searcher, query, strlen(query), &c, NULL), RP_OK);
    assert_int_equal(c.n, 16);
    rp_corrections_free(&c);
    assert_int_equal(rp_searcher_correct(searcher, "a AND", 5, &c, &err), RP_USAGE);
    assert_string_equal(err.text, "column 6: expected a word, a phrase or '(' after AND");
    rp_corrections_free(NULL);
    rp_searcher_free(searcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_what_is_not_looked_at),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
