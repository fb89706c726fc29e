/* test_import.c: CIFF files to indexes: fixtures and files made by hand; what is warned of, what is refused,
 * and what is left then: nothing. */
#include "riposte/riposte.h"

#include "tempdir.h"
#include "unit/engine/ciff_file.h"
#include "unit/files.h"

static tempdir dir;
static rp__buf file;
static char in[300], to[300];
static char warned[2000]; /* all warnings, a line each */

static void warn(void *arg, const char *what)
{
    (void)arg;
    size_t n = strlen(warned);
    snprintf(warned + n, sizeof warned - n, "%s\n", what);
}

static const rp_import_options quiet = {.on_warning = warn, .memory = 32 << 20};

static void forget(const char *path)
{
    tempdir t = {0};
    snprintf(t.path, sizeof t.path, "%.250s", path);
    tempdir_remove(&t);
}

static rp_status import(rp_error *err)
{
    warned[0] = 0;
    files_write(in, file.at, file.n);
    file.n = 0;
    forget(to);
    return rp_index_import("ciff", in, to, &quiet, NULL, err);
}

/* The index is sound, and as large as it should be. */
static rp_index *open_sound(uint64_t docs, uint64_t terms, uint64_t postings, uint64_t tokens)
{
    rp_index *index = NULL;
    rp_index_info info;
    rp_error err = {0};
    if (rp_index_check(to, NULL, NULL, &err) != RP_OK ||
        rp_index_open(to, NULL, &index, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_index_get_info(index, &info);
    assert_int_equal(info.docs, docs);
    assert_int_equal(info.terms, terms);
    assert_int_equal(info.postings, postings);
    assert_int_equal(info.tokens, tokens);
    assert_false(info.has_positions || info.has_text);
    return index;
}

static void must_import(void)
{
    rp_error err = {0};
    if (import(&err) != RP_OK)
        fail_msg("%s", err.text);
}

static void expect_warning(const char *what)
{
    if (what ? !strstr(warned, what) : warned[0])
        fail_msg("\"%s\" instead of \"%s\"", warned, what ? what : "");
}

static void expect_refusal(rp_status status, const char *what)
{
    rp_error err = {0};
    rp_status s = import(&err);
    if (s != status || !strstr(err.text, what))
        fail_msg("%d, \"%s\" instead of %d, \"%s\"", s, err.text, status, what);
    assert_int_equal(files_count(to), -1);
}

static void test_small(void **state)
{
    (void)state;
    rp_hits hits = {0};
    rp_error err = {0};
    rp_term_info term;
    ciff_small(&file);
    must_import();
    expect_warning(NULL);
    rp_index *index = open_sound(3, 2, 3, 10);
    assert_int_equal(rp_index_get_term(index, "Ant", &term, NULL), RP_OK);
    assert_true(term.df == 2 && term.cf == 3);
    assert_int_equal(rp_search(index, "bee", 5, &hits, NULL), RP_OK);
    assert_true(hits.n == 1 && hits.at[0].docid == 1);
    assert_string_equal(hits.at[0].name, "y");
    rp_hits_free(&hits);
    assert_int_equal(rp_search(index, "\"ant bee\"", 5, &hits, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "phrases need positions"));
    rp_hits_free(&hits);
    rp_index_close(index);
}

/* Lists in another order of terms give the same index. */
static void test_unsorted(void **state)
{
    (void)state;
    char other[310];
    ciff_small(&file);
    must_import();
    snprintf(other, sizeof other, "%s.1", to);
    forget(other);
    assert_int_equal(rename(to, other), 0);
    ciff_header(&file, 2, 3, 2, 3, 10, 10.0 / 3);
    ciff_list(&file, "bee", "1:7");
    ciff_list(&file, "ant", "0:2 2:1");
    ciff_doc(&file, 0, "x", 2);
    ciff_doc(&file, 1, "y", 7);
    ciff_doc(&file, 2, "z", 1);
    must_import();
    files_expect_equal_folders(to, other);
    forget(other);
}

static void put_docs(unsigned n)
{
    for (unsigned d = 0; d < n; d++) {
        char id[16];
        snprintf(id, sizeof id, "d%u", d);
        ciff_doc(&file, d, id, 4);
    }
}

static void test_warnings(void **state)
{
    (void)state;
    char longest[257] = {0};
    ciff_header(&file, 1, 2, 1, 2, 9, 4);
    ciff_list(&file, "a", "0:1");
    put_docs(2);
    must_import();
    expect_warning("the header tells of 9 tokens, the documents have 8, which are taken");
    rp_index_close(open_sound(2, 1, 1, 8));
    ciff_header(&file, 0, 2, 0, 2, 8, 5);
    put_docs(2);
    must_import();
    expect_warning("an average length of 5, the documents have 4");
    ciff_header(&file, 0, 2, 0, 1, 8, 4);
    put_docs(2);
    must_import();
    expect_warning("tells of 1 documents in all, fewer than the 2");
    memset(longest, 'x', 256);
    ciff_header(&file, 3, 2, 3, 2, 8, 4);
    ciff_list(&file, longest, "0:1 1:1");
    ciff_list(&file, longest + 1, "0:1 1:1");
    ciff_list(&file, "empty", "");
    put_docs(2);
    must_import();
    expect_warning("1 term over 255 bytes left out with its list\n");
    expect_warning("1 term without a posting left out\n");
    rp_index_close(open_sound(2, 1, 2, 8));
    rp__buf m = {0};
    ciff_header(&file, 1, 2, 1, 2, 8, 4);
    ciff_bytes(&m, 1, "a", 1);
    ciff_number(&m, 2, 5);
    ciff_posting(&m, 1, 1);
    ciff_end(&file, &m);
    put_docs(2);
    must_import();
    expect_warning("1 list tells another df or cf than its postings");
    rp__buf_free(&m);
}

/* Some documents of a collection: ranking counts with the whole. */
static void test_part(void **state)
{
    (void)state;
    static const struct {
        uint64_t tokens;
        double average;
        uint64_t taken;
        const char *warning;
    } cases[] = {
        {5000, 5, 5000, NULL},
        {5000, 77, 5000, NULL},
        {0, 7, 7000, "7000 are taken by the average length of its documents"},
        {0, 0, 4000, "4000 are taken by the average length of those that are here"},
    };
    for (size_t i = 0; i < 4; i++) {
        rp_index_info info;
        ciff_header(&file, 2, 3, 90, 1000, cases[i].tokens, cases[i].average);
        ciff_list(&file, "a", "0:1 1:1000");
        ciff_list(&file, "b", "2:1");
        put_docs(3);
        must_import();
        expect_warning(cases[i].warning);
        rp_index *index = open_sound(3, 2, 3, 12);
        rp_index_get_info(index, &info);
        assert_int_equal(info.total_docs, 1000);
        assert_int_equal(info.total_tokens, cases[i].taken);
        for (size_t v = 0; rp_variant_name(v); v++) {
            rp_search_options o = {.variant = rp_variant_name(v), .k = 5};
            rp_searcher *s;
            rp_hits hits;
            assert_int_equal(rp_searcher_new(index, &o, &s, NULL), RP_OK);
            assert_int_equal(rp_searcher_search(s, "a b", 3, &hits, NULL), RP_OK);
            assert_int_equal(hits.n, 3);
            rp_hits_free(&hits);
            rp_searcher_free(s);
        }
        rp_index_close(index);
        /* Another codec keeps it all. */
        char recoded[310];
        snprintf(recoded, sizeof recoded, "%s.2", to);
        forget(recoded);
        rp_recode_options o = {.codec = "vbyte"};
        assert_int_equal(rp_index_recode(to, recoded, &o, NULL, NULL), RP_OK);
        assert_int_equal(rp_index_check(recoded, NULL, NULL, NULL), RP_OK);
        assert_int_equal(rp_index_open(recoded, NULL, &index, NULL), RP_OK);
        rp_index_get_info(index, &info);
        assert_int_equal(info.total_tokens, cases[i].taken);
        rp_index_close(index);
        forget(recoded);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    ciff_header(&file, 2, 1, 2, 1, 4, 4);
    ciff_list(&file, "a", "0:1");
    ciff_list(&file, "a", "0:1");
    put_docs(1);
    expect_refusal(RP_INPUT, "in.ciff: term \"a\" has two lists");
    ciff_header(&file, 0, 2, 0, 2, 4, 4);
    ciff_doc(&file, 0, "same", 1);
    size_t at = file.n;
    ciff_doc(&file, 1, "same", 1);
    char text[100];
    snprintf(text, sizeof text, "in.ciff: byte %zu: id \"same\" was seen before", at);
    expect_refusal(RP_INPUT, text);
    ciff_header(&file, 0, 1, 0, 1, 4, 4);
    ciff_doc(&file, 0, "", 1);
    expect_refusal(RP_INPUT, ": the id is empty");
    ciff_small(&file);
    file.n--;
    expect_refusal(RP_INPUT, "byte ");
    ciff_small(&file);
    assert_int_equal(rp_index_import("sqlite", in, to, NULL, NULL, NULL), RP_USAGE);
    rp_error err = {0};
    assert_int_equal(rp_index_import("ciff", "/nowhere/at/all", to, NULL, NULL, &err), RP_IO);
    assert_int_equal(files_count(to), -1);
    file.n = 0;
}

/* What was there stays when the new one is refused. */
static void test_old_index_stays(void **state)
{
    (void)state;
    rp_error err = {0};
    ciff_small(&file);
    must_import();
    files_write(in, "\x02\x08\x02", 3);
    assert_int_equal(rp_index_import("ciff", in, to, NULL, NULL, &err), RP_INPUT);
    rp_index_close(open_sound(3, 2, 3, 10));
    assert_int_equal(files_count(to), 4);
}

static bool stop_at_once(void *arg, const rp_progress *p)
{
    (void)arg;
    assert_true(p->memory > 0);
    return false;
}

static void test_interrupted(void **state)
{
    (void)state;
    rp_import_options o = {.on_progress = stop_at_once};
    rp_error err = {0};
    ciff_small(&file);
    files_write(in, file.at, file.n);
    file.n = 0;
    forget(to);
    assert_int_equal(rp_index_import("ciff", in, to, &o, NULL, &err), RP_INTERRUPTED);
    assert_int_equal(files_count(to), -1);
}

/* ---- Fixtures ---------------------------------------------------------------------------------- */

static void test_fixtures(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t docs, terms, postings, tokens;
    } cases[] = {
        {"toy-complete-20200309.ciff", 3, 9, 14, 16},
        {"cranfield.ciff.gz", 1400, 7471, 122884, 226560},
    };
    const char *data = getenv("RIPOSTE_DATA");
    for (size_t i = 0; i < 2; i++) {
        rp_error err = {0};
        rp_build_stats stats;
        char path[4200];
        snprintf(path, sizeof path, "%s/formats/ciff/%s", data ? data : "../shared/data",
                 cases[i].name);
        if (!files_exist(path)) {
            print_message("no %s; set RIPOSTE_DATA\n", path);
            skip();
        }
        warned[0] = 0;
        forget(to);
        if (rp_index_import("ciff", path, to, &quiet, &stats, &err) != RP_OK)
            fail_msg("%s", err.text);
        expect_warning(NULL);
        assert_true(stats.docs == cases[i].docs && stats.tokens == cases[i].tokens);
        rp_index *index =
            open_sound(cases[i].docs, cases[i].terms, cases[i].postings, cases[i].tokens);
        rp_term_info term;
        if (i == 0) {
            assert_int_equal(rp_index_get_term(index, "text", &term, NULL), RP_OK);
            assert_true(term.df == 3 && term.cf == 5);
        }
        rp_index_close(index);
        /* Out and in again it is the same index. */
        char back[310];
        snprintf(back, sizeof back, "%s.3", to);
        forget(back);
        if (rp_index_export("ciff", to, in, NULL, &err) != RP_OK ||
            rp_index_import("ciff", in, back, NULL, NULL, &err) != RP_OK)
            fail_msg("%s", err.text);
        files_expect_equal_folders(to, back);
        forget(back);
    }
}

static int set_up(void **state)
{
    (void)state;
    rp__buf_init(&file);
    if (tempdir_make(&dir) != 0)
        return -1;
    snprintf(in, sizeof in, "%s/in.ciff", dir.path);
    snprintf(to, sizeof to, "%s/index", dir.path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rp__buf_free(&file);
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),       cmocka_unit_test(test_unsorted),
        cmocka_unit_test(test_warnings),    cmocka_unit_test(test_part),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_old_index_stays),
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_fixtures),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
