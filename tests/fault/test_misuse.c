/* test_misuse.c: every public function, and every function of lab/lab.h, with wrong arguments: a status,
 * 0 or NULL, never a signal.
 *
 * A row of misuse_calls.c is a function of include/riposte, one of misuse_lab_calls.c a function of
 * lab/lab.h. Its call is made once with good arguments, which must work, and then with each required
 * pointer NULL in turn, which must be refused by name. Arrays and strings with a length are required where the length is not 0. The test
 * compares the rows with the headers, so a new function without a row fails. Lengths and numbers past
 * their limits follow. */
#include "fault/misuse.h"

#include <ctype.h>
#include <glob.h>

#include "unit/files.h"

misuse_world misuse;
int misuse_missing = -1;

/* ---- Is the table whole? --------------------------------------------------------------------- */

static bool has_row(const misuse_row *rows, const char *name, size_t bytes)
{
    while (rows->name && (strlen(rows->name) != bytes || memcmp(rows->name, name, bytes) != 0))
        rows++;
    return rows->name;
}

/* Blanks out comments, so that no word of them is taken for a declaration. */
static void drop_comments(char *text)
{
    for (char *p = strstr(text, "/*"); p; p = strstr(p, "/*")) {
        char *end = strstr(p, "*/");
        memset(p, ' ', (size_t)(end ? end + 2 - p : (ptrdiff_t)strlen(p)));
    }
}

/* The declared functions of a header that have no row: how many, and the first one's name. Types of
 * functions end in _fn. */
static size_t find_forgotten(char *header, char first[100])
{
    size_t n = 0;
    drop_comments(header);
    for (char *p = header; (p = strstr(p, "rp_")) != NULL;) {
        size_t bytes = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_");
        bool is_whole = p == header || (!isalnum((unsigned char)p[-1]) && p[-1] != '_');
        bool is_type = bytes > 3 && !memcmp(p + bytes - 3, "_fn", 3);
        if (is_whole && !is_type && p[bytes] == '(' && !has_row(misuse_rows, p, bytes) &&
            !has_row(misuse_lab_rows, p, bytes) && n++ == 0)
            snprintf(first, 100, "%.*s", (int)bytes, p);
        p += bytes;
    }
    return n;
}

static void test_no_function_is_forgotten(void **state)
{
    (void)state;
    glob_t headers;
    assert_int_equal(glob("include/riposte/*.h", 0, NULL, &headers), 0); /* tests run in the root */
    assert_true(headers.gl_pathc >= 7);
    assert_int_equal(glob("src/lab/lab.h", GLOB_APPEND, NULL, &headers), 0);
    for (size_t i = 0; i < headers.gl_pathc; i++) {
        size_t bytes;
        char first[100], *text = (char *)files_read(headers.gl_pathv[i], &bytes);
        if (find_forgotten(text, first))
            fail_msg("%s: %s has no row in test_misuse.c", headers.gl_pathv[i], first);
        free(text);
    }
    globfree(&headers);
}

static void test_planted_function_is_found(void **state)
{
    (void)state;
    char first[100], header[] = "/* rp_old(1) */ typedef void rp_new_fn(int);\n"
                                "rp_status rp_search(const char *q);\n"
                                "rp_status rp_search2(const char *q);";
    assert_int_equal(find_forgotten(header, first), 1);
    assert_string_equal(first, "rp_search2");
}

/* ---- Missing pointers ------------------------------------------------------------------------ */

/* The i-th name of a list with commas; false past the last. */
static bool name_at(const char *names, int i, char out[60])
{
    for (; i > 0 && names; i--)
        names = strchr(names, ',') ? strchr(names, ',') + 2 : NULL;
    if (!names || !*names)
        return false;
    snprintf(out, 60, "'%.*s'", (int)strcspn(names, ","), names);
    return true;
}

static void expect_refused(const misuse_row *r, const char *name)
{
    rp_error err = {0};
    rp_status status = r->call(&err);
    if (status != RP_USAGE)
        fail_msg("%s without %s: %s", r->name, name, rp_status_name(status));
    if (r->kind == STATUS_AND_ERROR &&
        (err.code != RP_USAGE || !strstr(err.text, name) || !strstr(err.text, r->name)))
        fail_msg("%s without %s says \"%s\"", r->name, name, err.text);
    assert_int_equal(r->call(NULL), RP_USAGE); /* and without an rp_error */
}

/* With good arguments first, so that a refusal is the missing pointer's. */
static void call_all(const misuse_row *rows)
{
    for (const misuse_row *r = rows; r->name; r++) {
        char name[60];
        rp_error err = {0};
        print_message("%s\n", r->name);
        misuse_missing = -1;
        if (r->call(&err) != RP_OK)
            fail_msg("%s: %s", r->name, err.text);
        for (misuse_missing = 0; name_at(r->required, misuse_missing, name); misuse_missing++)
            expect_refused(r, name);
    }
    misuse_missing = -1;
}

static void test_every_pointer(void **state)
{
    (void)state;
    call_all(misuse_rows);
}

static void test_every_pointer_of_the_laboratory(void **state)
{
    (void)state;
    call_all(misuse_lab_rows);
}

/* ---- Lengths and numbers --------------------------------------------------------------------- */

static void test_lengths_of_documents(void **state)
{
    (void)state;
    enum { ID_MOST = 1 << 20, LINE_MOST = 1000 };
    rp_builder *b = misuse_new_builder(&(rp_build_options){.max_line = LINE_MOST});
    char *x = malloc(ID_MOST + 1);
    memset(x, 'x', ID_MOST + 1);
    assert_int_equal(rp_builder_add(b, NULL, 0, "t", 1, "t", 1, NULL), RP_INPUT);
    assert_int_equal(rp_builder_add(b, x, ID_MOST + 1, "t", 1, "t", 1, NULL), RP_INPUT);
    assert_int_equal(rp_builder_add(b, x, SIZE_MAX, "t", 1, "t", 1, NULL), RP_INPUT);
    assert_int_equal(rp_builder_add(b, x, ID_MOST, NULL, 0, NULL, 0, NULL), RP_OK);
    assert_int_equal(rp_builder_add(b, "a", 1, x, LINE_MOST, x, LINE_MOST, NULL), RP_OK);
    assert_int_equal(rp_builder_add(b, "b", 1, x, LINE_MOST + 1, "t", 1, NULL), RP_LIMIT);
    assert_int_equal(rp_builder_add(b, "c", 1, "t", 1, x, LINE_MOST + 1, NULL), RP_LIMIT);
    assert_int_equal(rp_builder_add(b, "d", 1, "t", 1, x, SIZE_MAX, NULL), RP_LIMIT);
    free(x);
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    /* no paths, and an index that has documents: it stays */
    assert_int_equal(rp_index_build(NULL, 0, misuse.other_dir, NULL, NULL, NULL), RP_INPUT);
}

/* Every function of a query, with one of so many bytes. */
static void expect_queries(const char *query, size_t bytes, rp_status want)
{
    rp_hits hits;
    rp_explanation explanation;
    rp_snippet snippet;
    rp__lab_answer answer;
    rp__lab_question question;
    rp_batch_query one = {.query = query, .query_bytes = bytes};
    assert_int_equal(rp_searcher_search(misuse.searcher, query, bytes, &hits, NULL), want);
    rp_hits_free(&hits);
    assert_int_equal(rp_searcher_explain(misuse.searcher, query, bytes, 0, &explanation, NULL),
                     want);
    rp_explanation_free(&explanation);
    assert_int_equal(rp_searcher_snippet(misuse.searcher, query, bytes, &misuse.document, SIZE_MAX,
                                         &snippet, NULL),
                     want);
    rp_snippet_free(&snippet);
    assert_int_equal(rp__lab_search(misuse.searcher, query, bytes, &answer, NULL), want);
    assert_int_equal(rp__lab_query_look(misuse.searcher, query, bytes, &question, NULL), want);
    assert_int_equal(rp_searcher_batch(misuse.searcher, &one, 1, NULL, NULL, NULL), RP_OK);
    assert_int_equal(one.status, want);
    rp_hits_free(&one.hits);
}

static void test_lengths_of_queries(void **state)
{
    (void)state;
    enum { QUERY_MOST = 64 << 10, K_MOST = 10000, THREADS_MOST = 1024 };
    char *x = malloc(QUERY_MOST + 1);
    memset(x, ' ', QUERY_MOST + 1);
    expect_queries(NULL, 0, RP_USAGE); /* the query is empty */
    expect_queries("wing", 0, RP_USAGE);
    expect_queries(x, QUERY_MOST, RP_USAGE);
    expect_queries(x, QUERY_MOST + 1, RP_LIMIT);
    expect_queries(x, SIZE_MAX, RP_LIMIT);
    free(x);
    rp_batch_options many = {.threads = THREADS_MOST + 1};
    assert_int_equal(rp_searcher_batch(misuse.searcher, NULL, 0, NULL, NULL, NULL), RP_OK);
    assert_int_equal(rp_searcher_batch(misuse.searcher, NULL, 0, &many, NULL, NULL), RP_LIMIT);
    rp_hits hits;
    assert_int_equal(rp_search(misuse.index, "wing", 0, &hits, NULL), RP_OK);
    assert_true(hits.n == 0 && hits.total == 3 && hits.total_is_exact);
    rp_hits_free(&hits);
    assert_int_equal(rp_search(misuse.index, "wing", K_MOST, &hits, NULL), RP_OK);
    rp_hits_free(&hits);
    assert_int_equal(rp_search(misuse.index, "wing", K_MOST + 1, &hits, NULL), RP_LIMIT);
    assert_int_equal(rp_search(misuse.index, "wing", SIZE_MAX, &hits, NULL), RP_LIMIT);
}

static void test_numbers_past_the_last(void **state)
{
    (void)state;
    rp_document document;
    rp_index_costs costs;
    rp_aux_info aux;
    rp_gpu gpu;
    assert_int_equal(rp_index_get_document(misuse.index, 3, &document, NULL), RP_NOT_FOUND);
    assert_int_equal(rp_index_get_document(misuse.index, UINT32_MAX, &document, NULL),
                     RP_NOT_FOUND);
    assert_int_equal(rp_index_get_costs(misuse.index, 0, &costs, NULL), RP_OK);
    rp_index_costs_free(&costs);
    assert_int_equal(rp_index_get_costs(misuse.index, SIZE_MAX, &costs, NULL), RP_OK);
    rp_index_costs_free(&costs);
    assert_false(rp_index_get_aux(misuse.index, 1, &aux) ||
                 rp_index_get_aux(misuse.index, SIZE_MAX, &aux));
    assert_int_equal(rp_gpu_get("emulated", SIZE_MAX, &gpu, NULL), RP_NOT_FOUND);
    size_t topics = rp_eval_n_topics(misuse.eval), measures = rp_eval_n_measures(misuse.eval);
    for (size_t past = 0; past < 2; past++) {
        size_t t = past ? SIZE_MAX : topics, m = past ? SIZE_MAX : measures;
        assert_null(rp_eval_topic(misuse.eval, t));
        assert_null(rp_eval_measure(misuse.eval, m));
        assert_false(rp_eval_is_count(misuse.eval, m) || rp_eval_is_overall(misuse.eval, m));
        assert_true(rp_eval_value(misuse.eval, t, 0) == 0 && rp_eval_value(misuse.eval, 0, m) == 0);
        assert_true(rp_eval_total(misuse.eval, m) == 0);
    }
}

static void test_numbers_of_the_laboratory(void **state)
{
    (void)state;
    rp__lab_list *list = NULL;
    rp__lab_target *target = NULL;
    rp__lab_case_figures figures;
    rp__lab_set set;
    uint64_t sum = 1;
    size_t found = 1;
    const uint32_t last = UINT32_MAX;
    assert_int_equal(rp__lab_list_new(0, NULL, NULL, NULL, 0, &list, NULL), RP_USAGE);
    assert_int_equal(rp__lab_list_new(0, NULL, misuse.docids, NULL, UINT32_MAX, &list, NULL),
                     RP_USAGE);
    assert_int_equal(rp__lab_list_new(0, NULL, &last, NULL, 1, &list, NULL), RP_USAGE);
    assert_int_equal(rp__lab_list_new(SIZE_MAX, NULL, misuse.docids, NULL, 5, &list, NULL),
                     RP_USAGE);
    assert_int_equal(rp__lab_target_new(NULL, misuse.docids, 0, 0, &target, NULL), RP_USAGE);
    assert_int_equal(rp__lab_target_new(NULL, misuse.docids, UINT32_MAX, 0, &target, NULL),
                     RP_USAGE);
    assert_int_equal(rp__lab_target_new(NULL, &last, 1, 0, &target, NULL), RP_USAGE);
    assert_int_equal(rp__lab_target_new(misuse.list, misuse.docids, 5, 0, &target, NULL), RP_USAGE);
    assert_int_equal(rp__lab_target_new(NULL, misuse.docids, 5, 7, &target, NULL), RP_NOT_FOUND);
    assert_null(list);
    assert_null(target);
    assert_int_equal(rp__lab_find(misuse.list, NULL, 0, &sum), RP_OK);
    assert_int_equal(rp__lab_walk(misuse.list, NULL, 0, &sum), RP_OK);
    list = misuse_list_with_at();
    assert_int_equal(rp__lab_at(list, NULL, 0, &sum), RP_OK);
    assert_int_equal(rp__lab_at(list, (uint32_t[]){0, MISUSE_DOCIDS}, 2, &sum), RP_USAGE);
    rp__lab_list_free(list);
    assert_false(rp__lab_probe_applies(SIZE_MAX, misuse.target));
    assert_int_equal(
        rp__lab_probe_find(SIZE_MAX, misuse.target, misuse.docids, 5, false, NULL, &found),
        RP_USAGE);
    assert_int_equal(rp__lab_probe_find(0, misuse.target, NULL, 0, true, NULL, &found), RP_OK);
    assert_int_equal(found, 0);
    assert_int_equal(rp__lab_gpu_run(misuse.gpu, SIZE_MAX, 1, 1, &figures, NULL), RP_NOT_FOUND);
    assert_int_equal(rp__lab_gpu_run(misuse.gpu, 0, 0, 1, &figures, NULL), RP_USAGE);
    assert_int_equal(rp__lab_gpu_run(misuse.gpu, 0, 1ULL << 32, 1, &figures, NULL), RP_USAGE);
    assert_int_equal(rp__lab_gpu_run(misuse.gpu, 0, 1, 0, &figures, NULL), RP_OK);
    static const char *const names[] = {"",     "U0",        "U",
                                        "U127", "U12000001", "C99999999999999999999"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(rp__lab_set_make(names[i], 1, &set, NULL), RP_NOT_FOUND);
}

/* ---- The world ------------------------------------------------------------------------------- */

static void must(rp_status status, const rp_error *err)
{
    if (status != RP_OK)
        fail_msg("%s", err->text);
}

static void put_file(char path[300], const char *name, const char *text)
{
    snprintf(path, 300, "%.299s", tempdir_write(&misuse.dir, name, text, strlen(text)));
}

static int make_world(void **state)
{
    (void)state;
    static const rp_build_options options = {.aux = "lr"};
    rp_error err;
    assert_int_equal(tempdir_make(&misuse.dir), 0);
    put_file(misuse.collection, "docs.jsonl",
             "{\"id\":\"a\",\"title\":\"One\",\"text\":\"the wing of a jet\"}\n"
             "{\"id\":\"b\",\"title\":\"Two\",\"text\":\"a wing and a layer\"}\n"
             "{\"id\":\"c\",\"title\":\"Three\",\"text\":\"the boundary layer of a wing\"}\n");
    put_file(misuse.topics_file, "topics", "1\twing\n2\tlayer\n");
    put_file(misuse.qrels, "qrels", "1 0 a 1\n1 0 b 0\n");
    put_file(misuse.run, "run", "1 Q0 a 1 2.5 tag\n1 Q0 b 2 1.5 tag\n");
    snprintf(misuse.index_dir, sizeof misuse.index_dir, "%s/ix", misuse.dir.path);
    snprintf(misuse.other_dir, sizeof misuse.other_dir, "%s/other", misuse.dir.path);
    snprintf(misuse.exported, sizeof misuse.exported, "%s/out.ciff", misuse.dir.path);
    const char *path = misuse.collection;
    must(rp_index_build(&path, 1, misuse.index_dir, &options, NULL, &err), &err);
    must(rp_index_open(misuse.index_dir, NULL, &misuse.index, &err), &err);
    must(rp_searcher_new(misuse.index, NULL, &misuse.searcher, &err), &err);
    must(rp_index_get_document(misuse.index, 1, &misuse.document, &err), &err);
    for (uint32_t i = 0; i < MISUSE_DOCIDS; i++)
        misuse.docids[i] = 3 * i;
    must(rp__lab_list_new(0, NULL, misuse.docids, NULL, MISUSE_DOCIDS, &misuse.list, &err), &err);
    must(rp__lab_target_new(misuse.list, misuse.docids, MISUSE_DOCIDS, 0, &misuse.target, &err),
         &err);
    must(rp__lab_set_load(misuse.index, 1, &misuse.set, &err), &err);
    must(rp__lab_gpu_open("emulated", &misuse.gpu, &err), &err);
    const rp_eval_options measures = {.measures = "num_rel,map,gm_map"};
    must(rp_eval_files(misuse.qrels, misuse.run, &measures, &misuse.eval, &err), &err);
    must(rp_topics_open(misuse.topics_file, NULL, &misuse.topics, &err), &err);
    return 0;
}

static int end_world(void **state)
{
    (void)state;
    rp_topics_close(misuse.topics);
    rp_eval_free(misuse.eval);
    rp__lab_gpu_close(misuse.gpu);
    rp__lab_set_free(&misuse.set);
    rp__lab_target_free(misuse.target);
    rp__lab_list_free(misuse.list);
    rp_document_free(&misuse.document);
    rp_searcher_free(misuse.searcher);
    rp_index_close(misuse.index);
    tempdir_remove(&misuse.dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_function_is_forgotten),
        cmocka_unit_test(test_planted_function_is_found),
        cmocka_unit_test(test_every_pointer),
        cmocka_unit_test(test_every_pointer_of_the_laboratory),
        cmocka_unit_test(test_lengths_of_documents),
        cmocka_unit_test(test_lengths_of_queries),
        cmocka_unit_test(test_numbers_past_the_last),
        cmocka_unit_test(test_numbers_of_the_laboratory),
    };
    return cmocka_run_group_tests_name("misuse", tests, make_world, end_world);
}
