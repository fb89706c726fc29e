/* test_trec_run.c: runs to files and to functions; each docno is of one document. */
#include "riposte/riposte.h"

#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;
static char path[300];

/* An index of these ids, each with the word "fox". */
static rp_index *make_index(const char *const *ids, size_t n)
{
    char folder[300];
    rp_builder *b;
    rp_index *index;
    rp_error err = {0};
    snprintf(folder, sizeof folder, "%s/index", dir.path);
    if (rp_builder_new(folder, NULL, &b, &err) != RP_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < n; i++)
        if (rp_builder_add(b, ids[i], strlen(ids[i]), "", 0, "fox", 3, &err) != RP_OK)
            fail_msg("%s", err.text);
    if (rp_builder_finish(b, NULL, &err) != RP_OK ||
        rp_index_open(folder, NULL, &index, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_builder_free(b);
    return index;
}

static rp_status write_run(const rp_index *index, size_t k, rp_run_format format, rp_error *err)
{
    rp_run *run;
    rp_hits hits;
    rp_status status = rp_run_new(index, path, &(rp_run_options){.format = format}, &run, err);
    assert_int_equal(status, RP_OK);
    assert_int_equal(rp_search(index, "fox", k, &hits, err), RP_OK);
    status = rp_run_add(run, "7", &hits, err);
    if (status == RP_OK)
        status = rp_run_finish(run, err);
    rp_hits_free(&hits);
    rp_run_free(run);
    return status;
}

static void expect_run(const char *text)
{
    size_t n;
    uint8_t *bytes = files_read(path, &n);
    assert_string_equal(bytes, text);
    free(bytes);
    assert_int_equal(files_count(dir.path), 2); /* and the index */
}

static void test_forms(void **state)
{
    (void)state;
    static const char *const ids[] = {"one", "the second", "x_y"};
    rp_error err = {0};
    rp_index *index = make_index(ids, 3);
    assert_int_equal(write_run(index, 10, RP_RUN_TREC, &err), RP_OK);
    expect_run("7 Q0 one 1 0.0606956 riposte\n7 Q0 the_second 2 0.0606956 riposte\n"
               "7 Q0 x_y 3 0.0606956 riposte\n");
    assert_int_equal(write_run(index, 2, RP_RUN_MSMARCO, &err), RP_OK);
    expect_run("7\tone\t1\n7\tthe_second\t2\n");
    rp_index_close(index);
}

/* Wherever the two are, and whichever of them is a hit. */
static void test_one_docno(void **state)
{
    (void)state;
    static const char *const ids[][3] = {
        {"x y", "x_y", "z"}, {"x_y", "x y", "z"}, {"z", "x_y", "x y"}, {"z z", "x y", "x_y"}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        rp_error err = {0};
        rp_index *index = make_index(ids[i], 3);
        files_write(path, "old", 3);
        assert_int_equal(write_run(index, 3, RP_RUN_TREC, &err), RP_INPUT);
        assert_non_null(strstr(err.text, "\"x y\""));
        assert_non_null(strstr(err.text, "have one docno in a run"));
        expect_run("old");
        rp_index_close(index);
    }
}

typedef struct taken {
    char text[256];
} taken;

static void take(void *arg, const char *lines, size_t bytes)
{
    taken *t = arg;
    assert_true(lines && bytes > 0);
    strncat(t->text, lines, bytes);
}

static void test_misuse(void **state)
{
    (void)state;
    static const char *const ids[] = {"one"};
    rp_error err = {0};
    rp_run *run;
    rp_hits hits;
    taken t = {""};
    rp_index *index = make_index(ids, 1);
    assert_int_equal(rp_search(index, "fox", 1, &hits, &err), RP_OK);
    rp_run_options o = {.write = take, .write_arg = &t, .tag = "mine"};
    assert_int_equal(rp_run_new(index, NULL, &o, &run, &err), RP_OK);
    assert_int_equal(rp_run_add(run, "0", &(rp_hits){.n = 0}, &err), RP_OK); /* and no line */
    assert_int_equal(rp_run_add(run, "1", &hits, &err), RP_OK);
    assert_int_equal(rp_run_add(run, NULL, &hits, &err), RP_USAGE);
    assert_int_equal(rp_run_add(run, "1", NULL, &err), RP_USAGE);
    assert_int_equal(rp_run_finish(run, &err), RP_OK);
    rp_run_free(run);
    assert_int_equal(strncmp(t.text, "1 Q0 one 1 0.", 13), 0);
    assert_non_null(strstr(t.text, " mine\n"));
    assert_int_equal(rp_run_new(NULL, path, NULL, &run, &err), RP_USAGE);
    assert_int_equal(rp_run_new(index, NULL, NULL, &run, &err), RP_USAGE);
    assert_int_equal(rp_run_new(index, path, NULL, NULL, &err), RP_USAGE);
    assert_int_equal(rp_run_new(index, path, &(rp_run_options){.tag = "a b"}, &run, &err),
                     RP_USAGE);
    assert_null(run);
    assert_int_equal(rp_run_add(NULL, "1", &hits, &err), RP_USAGE);
    assert_int_equal(rp_run_finish(NULL, &err), RP_USAGE);
    rp_run_free(NULL);
    assert_int_equal(rp_run_new(index, path, NULL, &run, &err), RP_OK);
    assert_int_equal(rp_run_finish(run, &err), RP_OK);
    assert_int_equal(rp_run_add(run, "1", &hits, &err), RP_USAGE);
    rp_run_free(run);
    rp_hits_free(&hits);
    rp_index_close(index);
}

enum { MANY = 3000, MANY_DOCS = 40 };

/* The lines of n answers of one to MANY_DOCS hits each, made by so many threads; 0: added one by one. */
static char *run_of_many(const rp_index *index, const rp_hits *hits, size_t threads)
{
    static char qids[MANY][8];
    static rp_hits some[MANY];
    static rp_run_answer answers[MANY];
    rp_error err = {0};
    rp_run *run;
    assert_int_equal(rp_run_new(index, path, NULL, &run, &err), RP_OK);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(qids[i], sizeof qids[i], "%zu", i);
        some[i] = *hits;
        some[i].n = i * 7 % (MANY_DOCS + 1);
        answers[i] = (rp_run_answer){.qid = qids[i], .hits = &some[i]};
        if (threads == 0)
            assert_int_equal(rp_run_add(run, qids[i], &some[i], &err), RP_OK);
    }
    if (threads > 0)
        assert_int_equal(rp_run_add_many(run, answers, MANY, threads, &err), RP_OK);
    assert_int_equal(rp_run_finish(run, &err), RP_OK);
    rp_run_free(run);
    size_t n;
    return (char *)files_read(path, &n);
}

/* However many threads make the lines, the run has the same bytes. */
static void test_many(void **state)
{
    (void)state;
    static char ids[MANY_DOCS][16];
    static const char *names[MANY_DOCS];
    rp_error err = {0};
    rp_hits hits;
    for (size_t i = 0; i < MANY_DOCS; i++) {
        snprintf(ids[i], sizeof ids[i], "document %zu", i); /* a blank: docnos are checked */
        names[i] = ids[i];
    }
    rp_index *index = make_index(names, MANY_DOCS);
    assert_int_equal(rp_search(index, "fox", MANY_DOCS, &hits, &err), RP_OK);
    assert_int_equal(hits.n, MANY_DOCS);
    char *one_by_one = run_of_many(index, &hits, 0);
    assert_non_null(strstr(one_by_one, "\n2999 Q0 document_"));
    static const size_t threads[] = {1, 2, 5, 1000};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        char *many = run_of_many(index, &hits, threads[i]);
        assert_string_equal(many, one_by_one);
        free(many);
    }
    free(one_by_one);
    rp_run *run;
    assert_int_equal(rp_run_new(index, path, NULL, &run, &err), RP_OK);
    assert_int_equal(rp_run_add_many(run, &(rp_run_answer){.qid = "1"}, 1, 1, &err), RP_USAGE);
    assert_int_equal(rp_run_add_many(run, &(rp_run_answer){.hits = &hits}, 1, 1, &err), RP_USAGE);
    rp_run_free(run);
    rp_hits_free(&hits);
    rp_index_close(index);
}

static int set_up(void **state)
{
    (void)state;
    int result = tempdir_make(&dir);
    snprintf(path, sizeof path, "%s/run", dir.path);
    return result;
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
        cmocka_unit_test_setup_teardown(test_forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_docno, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_misuse, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
