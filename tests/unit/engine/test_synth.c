/* test_synth.c: drawn collections: the same for any number of threads, sound, and what queries ask for is
 * there; what is left where it fails. */
#include "riposte/synth.h"

#include "riposte/riposte.h"
#include "tempdir.h"
#include "unit/files.h"

enum { DOCS = 4000, QUERIES = 150 };

static tempdir dir;
static char one[300], two[300], log_one[320], log_two[320];

static void forget(const char *path)
{
    tempdir t = {0};
    snprintf(t.path, sizeof t.path, "%.250s", path);
    tempdir_remove(&t);
}

static rp_synth_stats draw(const char *name, const char *to, const rp_synth_options *o)
{
    rp_synth_stats stats;
    rp_error err = {0};
    forget(to);
    if (rp_synth(name, to, o, &stats, &err) != RP_OK)
        fail_msg("%s", err.text);
    return stats;
}

static void expect_equal_files(const char *a, const char *b)
{
    size_t n_a, n_b;
    uint8_t *x = files_read(a, &n_a), *y = files_read(b, &n_b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(x, y, n_a);
    free(x);
    free(y);
}

static void test_same_for_any_threads(void **state)
{
    (void)state;
    static const rp_synth_order orders[] = {RP_SYNTH_CRAWL, RP_SYNTH_RANDOM, RP_SYNTH_RANK};
    for (size_t i = 0; i < 3; i++) {
        rp_synth_options o = {.docs = 800000, .queries = 40, .order = orders[i]};
        draw("gov", one, &o);
        o.threads = 5;
        o.memory = 80 << 20; /* two of the longest lists do not fit */
        draw("gov", two, &o);
        files_expect_equal_folders(one, two);
        expect_equal_files(log_one, log_two);
    }
}

static void test_seeds_differ(void **state)
{
    (void)state;
    size_t n_one, n_two;
    draw("gov", one, &(rp_synth_options){.docs = DOCS, .queries = QUERIES, .seed = 1});
    draw("gov", two, &(rp_synth_options){.docs = DOCS, .queries = QUERIES, .seed = 2});
    uint8_t *a = files_read(log_one, &n_one), *b = files_read(log_two, &n_two);
    assert_true(n_one != n_two || memcmp(a, b, n_one) != 0);
    free(a);
    free(b);
}

static void expect_sound(const char *path)
{
    rp_error err = {0};
    if (rp_index_check(path, NULL, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void test_every_name_and_order(void **state)
{
    (void)state;
    size_t names = 0;
    for (; rp_synth_name(names); names++)
        for (int order = RP_SYNTH_CRAWL; order <= RP_SYNTH_RANK; order++) {
            rp_synth_options o = {
                .docs = 3000, .queries = 60, .order = (rp_synth_order)order, .aux = "lr,hs16"};
            rp_synth_stats stats = draw(rp_synth_name(names), one, &o);
            assert_true(stats.build.docs == 3000 && stats.queries == 60);
            assert_true(stats.query_terms >= 60 && stats.query_terms <= 60 * 45);
            expect_sound(one);
        }
    assert_int_equal(names, 6);
}

static void test_smallest(void **state)
{
    (void)state;
    rp_synth_stats stats =
        draw("gov", one, &(rp_synth_options){.docs = 100, .queries = 1, .codec = "vbyte"});
    assert_true(stats.build.docs == 100 && stats.build.terms >= 1);
    expect_sound(one);
}

/* Every word of every query has a list, and the lists' lengths add up to what the figures say. */
static void test_log(void **state)
{
    (void)state;
    rp_synth_stats stats = draw("gov", one, &(rp_synth_options){.docs = DOCS, .queries = QUERIES});
    char line[512];
    uint64_t queries = 0, terms = 0, postings = 0;
    rp_index *index;
    FILE *f = fopen(log_one, "r");
    assert_non_null(f);
    assert_int_equal(rp_index_open(one, NULL, &index, NULL), RP_OK);
    while (fgets(line, sizeof line, f)) {
        char *end;
        assert_int_equal(strtoul(line, &end, 10), ++queries);
        assert_int_equal(*end, '\t');
        for (char *word = strtok(end, "\t \n"); word; word = strtok(NULL, " \n"), terms++) {
            rp_term_info info;
            assert_int_equal(rp_index_get_term(index, word, &info, NULL), RP_OK);
            assert_true(info.df >= 1 && info.df <= DOCS && info.cf >= info.df);
            postings += info.df;
        }
    }
    assert_true(queries == stats.queries && terms == stats.query_terms);
    assert_true(postings == stats.query_postings);
    fclose(f);
    rp_index_close(index);
}

/* Of a learned expansion all lists are drawn, and queries have weights, which the query language reads. */
static void test_expanded(void **state)
{
    (void)state;
    enum { TERMS = 45 };
    rp_synth_stats stats = draw("expanded", one, &(rp_synth_options){.docs = DOCS, .queries = 20});
    char line[1024];
    rp_index *index;
    FILE *f = fopen(log_one, "r");
    assert_non_null(f);
    assert_int_equal(stats.query_terms, 20 * TERMS);
    assert_int_equal(stats.build.terms, 30522);
    assert_in_range(stats.build.postings, 118 * DOCS, 130 * DOCS);
    assert_int_equal(rp_index_open(one, NULL, &index, NULL), RP_OK);
    while (fgets(line, sizeof line, f)) {
        rp_hits hits = {0};
        const char *query = strchr(line, '\t') + 1;
        line[strcspn(line, "\n")] = 0;
        uint32_t marks = 0;
        for (const char *c = query; *c; c++)
            marks += *c == '^';
        assert_int_equal(marks, TERMS);
        assert_int_equal(rp_search(index, query, 100, &hits, NULL), RP_OK);
        assert_int_equal(hits.n, 100);
        rp_hits_free(&hits);
    }
    fclose(f);
    rp_index_close(index);
}

static void test_documents(void **state)
{
    (void)state;
    rp_index *index;
    rp_index_info info;
    rp_document document;
    draw("gov2", one, &(rp_synth_options){.docs = DOCS, .queries = 5});
    assert_int_equal(rp_index_open(one, NULL, &index, NULL), RP_OK);
    rp_index_get_info(index, &info);
    assert_true(info.docs == DOCS && info.tokens > 50 * DOCS);
    assert_int_equal(rp_index_get_document(index, 0, &document, NULL), RP_OK);
    assert_string_equal(document.id, "GX-00000-00000000");
    rp_document_free(&document);
    rp_index_close(index);
}

static void test_queries_out(void **state)
{
    (void)state;
    char path[400], trailing[310];
    snprintf(path, sizeof path, "%s/asked.tsv.gz", dir.path);
    remove(log_one);
    draw("bd", one, &(rp_synth_options){.docs = DOCS, .queries = 5, .queries_out = path});
    assert_true(files_exist(path) && !files_exist(log_one));
    snprintf(trailing, sizeof trailing, "%s//", one);
    draw("bd", trailing, &(rp_synth_options){.docs = DOCS, .queries = 5});
    assert_true(files_exist(log_one));
}

static void expect_refused(const char *name, const rp_synth_options *o, rp_status wanted)
{
    rp_error err = {0};
    forget(one);
    remove(log_one);
    assert_int_equal(rp_synth(name, one, o, NULL, &err), wanted);
    assert_true(err.text[0] != 0);
    assert_false(files_exist(one));
    assert_false(files_exist(log_one));
}

static bool refuse(void *arg, const rp_progress *progress)
{
    (void)arg;
    assert_string_equal(progress->phase, "drawing");
    return false;
}

static void test_errors(void **state)
{
    (void)state;
    expect_refused("gov3", NULL, RP_USAGE);
    expect_refused("gov", &(rp_synth_options){.docs = 99}, RP_USAGE);
    expect_refused("gov", &(rp_synth_options){.docs = UINT32_MAX}, RP_USAGE);
    expect_refused("gov", &(rp_synth_options){.docs = DOCS, .queries = 2000000}, RP_USAGE);
    expect_refused("gov", &(rp_synth_options){.docs = DOCS, .order = (rp_synth_order)3}, RP_USAGE);
    expect_refused("gov", &(rp_synth_options){.docs = DOCS, .codec = "zip"}, RP_USAGE);
    expect_refused("gov", &(rp_synth_options){.docs = DOCS, .aux = "xy"}, RP_USAGE);
    expect_refused("gov", &(rp_synth_options){.docs = DOCS, .threads = 2, .memory = 1 << 20},
                   RP_NO_MEMORY);
    expect_refused("gov", &(rp_synth_options){.queries = 100, .memory = 24 << 20}, RP_NO_MEMORY);
    expect_refused("gov", &(rp_synth_options){.docs = DOCS, .queries = 5, .on_progress = refuse},
                   RP_INTERRUPTED);
    expect_refused("gov", &(rp_synth_options){.docs = DOCS, .queries_out = "/nowhere/queries.tsv"},
                   RP_IO);
}

static int set_up(void **state)
{
    (void)state;
    if (tempdir_make(&dir) != 0)
        return -1;
    snprintf(one, sizeof one, "%s/one", dir.path);
    snprintf(two, sizeof two, "%s/two", dir.path);
    snprintf(log_one, sizeof log_one, "%s.queries.tsv", one);
    snprintf(log_two, sizeof log_two, "%s.queries.tsv", two);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_for_any_threads),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_every_name_and_order),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_expanded),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_queries_out),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
