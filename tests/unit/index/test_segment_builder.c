/* test_segment_builder.c: documents in, a published segment out; the folder before and after, whatever
 * became of the build. */
#include "unit/index/segment_case.h"

static rp__segment_options options_of(bool has_positions, uint64_t memory, uint32_t workers)
{
    return (rp__segment_options){.coding.codec = rp__codec_find("bp128", rp__cpu_features()),
                                 .stem = "none",
                                 .stop = "none",
                                 .stop_words = "the\nof",
                                 .stop_bytes = 6,
                                 .has_positions = has_positions,
                                 .memory = memory,
                                 .workers = workers};
}

typedef struct feed {
    rp__segment_builder *b;
    plain_index *plain;
    uint32_t worker, length;
} feed;

static void feed_token(void *arg, uint32_t docid, const char *term, uint32_t bytes,
                       uint32_t position)
{
    feed *f = arg;
    rp_error err;
    rp_status status = rp__segment_builder_token(f->b, f->worker, docid, term, bytes, position);
    if (status == RP_LIMIT) {
        if (rp__segment_builder_make_room(f->b, f->worker, &err) != RP_OK)
            fail_msg("%s", err.text);
        status = rp__segment_builder_token(f->b, f->worker, docid, term, bytes, position);
    }
    assert_int_equal(status, RP_OK);
    if (f->plain)
        plain_add(f->plain, docid, term, bytes, position);
    f->length++;
}

/* n documents with ids <prefix>0..., dealt to workers in turn. */
static void feed_docs(feed *f, const rp__segment_options *o, uint32_t n, uint32_t tokens,
                      uint32_t vocabulary)
{
    uint64_t seed = 7;
    for (uint32_t i = 0; i < n; i++) {
        char id[24];
        uint32_t docid;
        rp_error err;
        int bytes = snprintf(id, sizeof id, "doc%u", i);
        f->worker = i % o->workers;
        f->length = 0;
        assert_int_equal(rp__segment_builder_doc(f->b, id, (size_t)bytes, &docid, NULL), RP_OK);
        assert_int_equal(docid, i);
        plain_document(&seed, docid, tokens, vocabulary, feed_token, f);
        if (rp__segment_builder_doc_end(f->b, docid, f->length, &err) != RP_OK)
            fail_msg("%s", err.text);
    }
}

static void build(const char *dir, const rp__segment_options *o, uint32_t n, uint32_t tokens,
                  uint32_t vocabulary, plain_index *plain, rp_build_stats *stats)
{
    feed f = {.plain = plain};
    rp_error err;
    if (rp__segment_builder_new(dir, o, &f.b, &err) != RP_OK)
        fail_msg("%s", err.text);
    feed_docs(&f, o, n, tokens, vocabulary);
    if (rp__segment_builder_finish(f.b, stats, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp__segment_builder_free(f.b);
}

/* What was built is what the documents have, whether runs were spilled or not. */
static void test_contents(void **state)
{
    (void)state;
    static const struct {
        uint64_t memory;
        uint32_t workers, docs, tokens;
        bool has_positions, must_spill;
    } cases[] = {
        {64 << 20, 1, 300, 60, true, false},  {64 << 20, 3, 300, 60, false, false},
        {16 << 20, 1, 700, 400, true, true},  {26 << 20, 2, 1200, 400, true, true},
        {16 << 20, 1, 700, 400, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tempdir dir;
        plain_index *plain = plain_new();
        rp__segment_options o = options_of(cases[i].has_positions,
                                           cases[i].memory + rp__alloc_in_use(), cases[i].workers);
        rp_build_stats stats;
        rp__segment *s;
        assert_int_equal(tempdir_make(&dir), 0);
        build(dir.path, &o, cases[i].docs, cases[i].tokens, 60000, plain, &stats);
        assert_int_equal(stats.docs, cases[i].docs);
        assert_int_equal(stats.tokens, plain->tokens);
        assert_int_equal(stats.terms, plain->n);
        assert_int_equal(stats.postings, plain->postings);
        assert_int_equal(stats.runs > 0, cases[i].must_spill);
        assert_int_equal(files_count(dir.path), cases[i].has_positions ? 5 : 4);
        assert_int_equal(rp__segment_open(dir.path, true, &s, NULL), RP_OK);
        assert_string_equal(rp__segment_get_info(s)->stop_words, "the\nof");
        expect_segment(s, plain, cases[i].has_positions);
        rp__segment_close(s);
        plain_free(plain);
        tempdir_remove(&dir);
    }
}

static void test_duplicate_ids(void **state)
{
    (void)state;
    tempdir dir;
    rp__segment_options o = options_of(true, 64 << 20, 1);
    rp__segment_builder *b;
    uint32_t docid;
    rp_error err;
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp__segment_builder_new(dir.path, &o, &b, NULL), RP_OK);
    assert_int_equal(rp__segment_builder_doc(b, "x", 1, &docid, NULL), RP_OK);
    assert_int_equal(rp__segment_builder_doc(b, "y", 1, &docid, NULL), RP_OK);
    assert_int_equal(rp__segment_builder_doc(b, "y", 1, &docid, &err), RP_INPUT);
    assert_non_null(strstr(err.text, "\"y\" was seen before, as document 2"));
    assert_int_equal(rp__segment_builder_doc(b, "z", 1, &docid, NULL), RP_OK);
    assert_int_equal(docid, 2); /* what was refused takes no docid */
    rp__segment_builder_free(b);
    tempdir_remove(&dir);
}

static void test_too_little_memory(void **state)
{
    (void)state;
    tempdir dir;
    rp__segment_options o = options_of(true, 4 << 20, 1);
    rp__segment_builder *b;
    uint32_t docid;
    rp_error err;
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp__segment_builder_new(dir.path, &o, &b, NULL), RP_OK);
    assert_int_equal(rp__segment_builder_doc(b, "x", 1, &docid, NULL), RP_OK);
    assert_int_equal(rp__segment_builder_token(b, 0, 0, "t", 1, 0), RP_OK);
    assert_int_equal(rp__segment_builder_doc_end(b, 0, 1, &err), RP_OK);
    assert_int_equal(rp__segment_builder_make_room(b, 0, &err), RP_NO_MEMORY);
    assert_non_null(strstr(err.text, "--memory 4 MiB is too little"));
    assert_int_equal(rp__segment_builder_reserve(b, 1, 0, &err), RP_NO_MEMORY);
    rp__segment_builder_free(b);
    assert_int_equal(files_count(dir.path), 0);
    tempdir_remove(&dir);
}

static void test_generations(void **state)
{
    (void)state;
    tempdir dir;
    rp__segment_options o = options_of(true, 64 << 20, 1);
    rp__segment *old, *now;
    rp__term t;
    assert_int_equal(tempdir_make(&dir), 0);
    build(dir.path, &o, 10, 5, 50, NULL, NULL);
    assert_int_equal(rp__segment_open(dir.path, true, &old, NULL), RP_OK);
    for (uint64_t generation = 2; generation < 5; generation++) {
        build(dir.path, &o, 10 + (uint32_t)generation, 5, 50, NULL, NULL);
        assert_int_equal(rp__segment_open(dir.path, true, &now, NULL), RP_OK);
        assert_int_equal(rp__segment_get_info(now)->generation, generation);
        assert_int_equal(rp__segment_get_info(now)->stats.docs, 10 + generation);
        assert_int_equal(files_count(dir.path), 5); /* the old files are gone */
        rp__segment_close(now);
    }
    /* The one that was open stays what it was. */
    assert_int_equal(rp__segment_get_info(old)->stats.docs, 10);
    assert_int_equal(rp__segment_check(old, print_fault, NULL, NULL), RP_OK);
    assert_int_equal(rp__segment_find(old, "none such", 9, &t), RP_NOT_FOUND);
    rp__segment_close(old);
    tempdir_remove(&dir);
}

static void test_second_writer(void **state)
{
    (void)state;
    tempdir dir;
    rp__segment_options o = options_of(true, 64 << 20, 1);
    rp__segment_builder *first, *second;
    rp_error err;
    assert_int_equal(tempdir_make(&dir), 0);
    build(dir.path, &o, 3, 5, 50, NULL, NULL);
    o.has_text = true; /* so that the first has a file there already */
    assert_int_equal(rp__segment_builder_new(dir.path, &o, &first, NULL), RP_OK);
    int files = files_count(dir.path);
    assert_int_equal(rp__segment_builder_new(dir.path, &o, &second, &err), RP_IO);
    assert_non_null(strstr(err.text, "another build"));
    assert_int_equal(files_count(dir.path), files); /* the second has touched nothing */
    rp__segment_builder_free(first);
    assert_int_equal(rp__segment_builder_new(dir.path, &o, &second, NULL), RP_OK);
    rp__segment_builder_free(second);
    assert_int_equal(files_count(dir.path), 5);
    tempdir_remove(&dir);
}

/* A folder that holds other things and no index is refused, and nothing in it is touched. */
static void test_foreign_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"notes.txt", "run.1.tmp", "manifest.tmp",
                                        "terms.00000004.rp"};
    tempdir dir;
    rp__segment_options o = options_of(true, 64 << 20, 1);
    rp__segment_builder *b;
    rp_error err;
    assert_int_equal(tempdir_make(&dir), 0);
    for (size_t i = 0; i < 4; i++)
        files_write(tempdir_path(&dir, names[i]), "mine", 4);
    assert_int_equal(rp__segment_builder_new(dir.path, &o, &b, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "not empty and holds no index"));
    for (size_t i = 0; i < 4; i++)
        assert_true(files_exist(tempdir_path(&dir, names[i])));
    tempdir_remove(&dir);
}

/* What a killed build left is cleared away; what others put beside an index stays. */
static void test_leftovers(void **state)
{
    (void)state;
    static const char *const left[] = {"run.0.tmp", "run.17.tmp", "manifest.tmp",
                                       "terms.00000009.rp", "text.00000001.rp"};
    tempdir dir;
    rp__segment_options o = options_of(true, 64 << 20, 1);
    rp__segment *s;
    assert_int_equal(tempdir_make(&dir), 0);
    for (int has_index = 0; has_index < 2; has_index++) {
        for (size_t i = 0; i < 5; i++)
            files_write(tempdir_path(&dir, left[i]), "left", 4);
        if (has_index)
            files_write(tempdir_path(&dir, "notes.txt"), "mine", 4);
        build(dir.path, &o, 3, 5, 50, NULL, NULL);
        assert_int_equal(files_count(dir.path), 5 + has_index);
        assert_int_equal(rp__segment_open(dir.path, true, &s, NULL), RP_OK);
        assert_true(rp__segment_get_info(s)->generation > 9); /* above all that was there */
        rp__segment_close(s);
    }
    assert_true(files_exist(tempdir_path(&dir, "notes.txt")));
    tempdir_remove(&dir);
}

/* A manifest that cannot be read does not keep a new index out, and nor do temporary files beside it;
 * its files go only when the new one is in place. */
static void test_over_a_damaged_index(void **state)
{
    (void)state;
    tempdir dir;
    rp__segment_options o = options_of(true, 64 << 20, 1);
    rp__segment_builder *b;
    rp__segment *s;
    assert_int_equal(tempdir_make(&dir), 0);
    build(dir.path, &o, 3, 5, 50, NULL, NULL);
    files_write(tempdir_path(&dir, "manifest.rp"), "no manifest", 11);
    files_write(tempdir_path(&dir, "manifest.tmp"), "left", 4);
    files_write(tempdir_path(&dir, "run.0.tmp"), "left", 4);
    assert_int_equal(rp__segment_builder_new(dir.path, &o, &b, NULL), RP_OK);
    rp__segment_builder_free(b); /* a build that comes to nothing leaves the old files alone */
    assert_true(files_exist(tempdir_path(&dir, "terms.00000001.rp")));
    assert_true(files_exist(tempdir_path(&dir, "manifest.rp")));
    files_write(tempdir_path(&dir, "manifest.tmp"), "left", 4);
    build(dir.path, &o, 4, 5, 50, NULL, NULL);
    assert_int_equal(files_count(dir.path), 5);
    assert_int_equal(rp__segment_open(dir.path, true, &s, NULL), RP_OK);
    assert_int_equal(rp__segment_get_info(s)->stats.docs, 4);
    rp__segment_close(s);
    tempdir_remove(&dir);
}

static void test_given_up(void **state)
{
    (void)state;
    tempdir dir;
    char path[2100];
    rp__segment_options o = options_of(true, 16 << 20, 1);
    feed f = {0};
    assert_int_equal(tempdir_make(&dir), 0);
    snprintf(path, sizeof path, "%s", tempdir_path(&dir, "new"));
    o.has_text = true;
    assert_int_equal(rp__segment_builder_new(path, &o, &f.b, NULL), RP_OK);
    feed_docs(&f, &o, 700, 400, 60000); /* enough to spill */
    assert_true(files_count(path) == 2);
    rp__segment_builder_free(f.b);
    assert_int_equal(files_count(path), -1); /* a folder made for nothing is gone too */
    rp__segment_builder_free(NULL);
    tempdir_remove(&dir);
}

static bool stop_at_once(void *arg, uint64_t done, uint64_t of)
{
    (void)done, (void)of;
    ++*(int *)arg;
    return false;
}

static void test_interrupted(void **state)
{
    (void)state;
    tempdir dir;
    rp__segment_options o = options_of(true, 64 << 20, 1);
    rp__segment *s;
    feed f = {0};
    rp_error err;
    int calls = 0;
    assert_int_equal(tempdir_make(&dir), 0);
    build(dir.path, &o, 3, 5, 50, NULL, NULL);
    o.on_progress = stop_at_once;
    o.progress_arg = &calls;
    assert_int_equal(rp__segment_builder_new(dir.path, &o, &f.b, NULL), RP_OK);
    feed_docs(&f, &o, 100, 20, 500);
    assert_int_equal(rp__segment_builder_finish(f.b, NULL, &err), RP_INTERRUPTED);
    rp__segment_builder_free(f.b);
    assert_int_equal(calls, 1);
    assert_int_equal(files_count(dir.path), 5);
    assert_int_equal(rp__segment_open(dir.path, true, &s, NULL), RP_OK);
    assert_int_equal(rp__segment_get_info(s)->stats.docs, 3);
    rp__segment_close(s);
    tempdir_remove(&dir);
}

static void test_no_documents(void **state)
{
    (void)state;
    for (int has_text = 0; has_text < 2; has_text++) {
        tempdir dir;
        rp__segment_options o = options_of(true, 64 << 20, 4);
        plain_index *plain = plain_new();
        rp_build_stats stats;
        rp__segment *s;
        o.has_text = has_text;
        assert_int_equal(tempdir_make(&dir), 0);
        build(dir.path, &o, 0, 0, 1, NULL, &stats);
        assert_int_equal(stats.docs + stats.terms + stats.tokens + stats.runs, 0);
        assert_int_equal(rp__segment_open(dir.path, true, &s, NULL), RP_OK);
        assert_int_equal(rp__segment_get_info(s)->stats.docs, 0);
        expect_segment(s, plain, true);
        rp__segment_close(s);
        plain_free(plain);
        tempdir_remove(&dir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents),          cmocka_unit_test(test_duplicate_ids),
        cmocka_unit_test(test_too_little_memory), cmocka_unit_test(test_generations),
        cmocka_unit_test(test_second_writer),     cmocka_unit_test(test_foreign_folder),
        cmocka_unit_test(test_leftovers),         cmocka_unit_test(test_over_a_damaged_index),
        cmocka_unit_test(test_given_up),          cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_no_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
