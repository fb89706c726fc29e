/* test_builder.c: building from memory by the public door, and the options that both ways of building
 * share. */
#include "engine/builder.h"

#include "base/alloc.h"
#include "riposte/riposte.h"
#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;

static rp_status add(rp_builder *b, const char *id, const char *title, const char *text,
                     rp_error *err)
{
    return rp_builder_add(b, id, strlen(id), title, strlen(title), text, strlen(text), err);
}

static rp_builder *begin(const rp_build_options *o)
{
    rp_builder *b = NULL;
    rp_error err;
    if (rp_builder_new(tempdir_path(&dir, "ix"), o, &b, &err) != RP_OK)
        fail_msg("%s", err.text);
    return b;
}

static void finish(rp_builder *b, rp_build_stats *stats)
{
    rp_error err;
    if (rp_builder_finish(b, stats, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_builder_free(b);
}

static rp_index *open_index(void)
{
    rp_index *index;
    rp_error err;
    rp_index_options o = {.verify = true};
    if (rp_index_open(tempdir_path(&dir, "ix"), &o, &index, &err) != RP_OK)
        fail_msg("%s", err.text);
    return index;
}

static int remove_index(void **state)
{
    (void)state;
    tempdir t = {0};
    snprintf(t.path, sizeof t.path, "%.200s/ix", dir.path);
    tempdir_remove(&t);
    return 0;
}

static void test_round_trip(void **state)
{
    (void)state;
    rp_builder *b = begin(NULL);
    rp_build_stats stats;
    rp_index_info info;
    rp_document doc;
    rp_hits hits;
    assert_int_equal(add(b, "a", "Wings", "the wing of an aeroplane", NULL), RP_OK);
    assert_int_equal(add(b, "b", "", "", NULL), RP_OK); /* an empty document is one */
    assert_int_equal(rp_builder_add(b, "cd", 1, NULL, 0, NULL, 0, NULL), RP_OK); /* id "c" */
    assert_int_equal(add(b, "d\xC3\xA9j\xC3\xA0", "",
                         "Stra\xC3\x9F"
                         "e wing",
                         NULL),
                     RP_OK);
    finish(b, &stats);
    assert_int_equal(stats.docs, 4);
    assert_int_equal(stats.tokens, 8);
    assert_int_equal(stats.skipped, 0);
    rp_index *index = open_index();
    rp_index_get_info(index, &info);
    assert_int_equal(info.docs, 4);
    assert_int_equal(info.terms, stats.terms);
    assert_true(info.has_positions && info.has_text);
    assert_string_equal(info.codec, rp_codec_name(0));
    assert_int_equal(rp_index_get_document(index, 0, &doc, NULL), RP_OK);
    assert_string_equal(doc.id, "a");
    assert_string_equal(doc.title, "Wings");
    assert_string_equal(doc.text, "the wing of an aeroplane");
    assert_int_equal(doc.length, 6);
    rp_document_free(&doc);
    assert_int_equal(rp_index_get_document(index, 2, &doc, NULL), RP_OK);
    assert_string_equal(doc.id, "c");
    assert_int_equal(doc.length, 0);
    rp_document_free(&doc);
    assert_int_equal(rp_search(index, "STRASSE", 10, &hits, NULL), RP_OK);
    assert_int_equal(hits.n, 1);
    assert_string_equal(hits.at[0].name, "d\xC3\xA9j\xC3\xA0");
    rp_hits_free(&hits);
    rp_index_close(index);
}

static void test_refused_documents(void **state)
{
    (void)state;
    rp_build_options o = {.max_line = 100};
    rp_builder *b = begin(&o);
    rp_build_stats stats;
    rp_error err;
    char text[102], *id = malloc((1 << 20) + 1);
    memset(text, 'x', sizeof text);
    memset(id, 'i', (1 << 20) + 1);
    assert_int_equal(add(b, "one", "", "a", NULL), RP_OK);
    assert_int_equal(add(b, "one", "", "b", &err), RP_INPUT);
    assert_non_null(strstr(err.text, "\"one\" was seen before, as document 1"));
    assert_int_equal(add(b, "", "", "b", &err), RP_INPUT);
    assert_string_equal(err.text, "the id is empty");
    static const char *const bad_ids[] = {"a\nb", "a\tb", "\x7F", "a\xFF", "\xC3", "\xED\xA0\x80"};
    for (size_t i = 0; i < sizeof bad_ids / sizeof *bad_ids; i++) {
        assert_int_equal(add(b, bad_ids[i], "", "b", &err), RP_INPUT);
        assert_string_equal(err.text,
                            i < 3 ? "the id has a control character" : "the id is not UTF-8");
    }
    assert_int_equal(rp_builder_add(b, "a\0b", 3, "", 0, "b", 1, &err), RP_INPUT);
    assert_int_equal(rp_builder_add(b, "two", 3, "", 0, text, 101, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "--max-line"));
    assert_int_equal(rp_builder_add(b, "two", 3, text, 101, "", 0, &err), RP_LIMIT);
    assert_int_equal(rp_builder_add(b, "two", 3, "", 0, text, 100, NULL), RP_OK);
    assert_int_equal(rp_builder_add(b, id, (1 << 20) + 1, "", 0, "c", 1, &err), RP_INPUT);
    assert_non_null(strstr(err.text, "1048576 bytes"));
    assert_int_equal(rp_builder_add(b, id, 1 << 20, "", 0, "c", 1, NULL), RP_OK);
    finish(b, &stats); /* a refused document spoils nothing */
    assert_int_equal(stats.docs, 3);
    rp_index *index = open_index();
    rp_document doc;
    rp_hits hits;
    assert_int_equal(rp_index_get_document(index, 2, &doc, NULL), RP_OK);
    assert_int_equal(strlen(doc.id), 1 << 20);
    assert_int_equal(rp_search(index, "c", 10, &hits, NULL), RP_OK);
    assert_string_equal(hits.at[0].name, doc.id);
    free(id);
    rp_document_free(&doc);
    rp_hits_free(&hits);
    rp_index_close(index);
}

static void test_given_up(void **state)
{
    (void)state;
    rp_builder *b = begin(NULL);
    assert_int_equal(add(b, "one", "", "a", NULL), RP_OK);
    rp_builder_free(b);
    rp_builder_free(NULL);
    assert_false(files_exist(tempdir_path(&dir, "ix")));
}

static void test_after_the_end(void **state)
{
    (void)state;
    rp_builder *b = begin(NULL);
    rp_error err;
    assert_int_equal(add(b, "one", "", "a", NULL), RP_OK);
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    assert_int_equal(add(b, "two", "", "b", &err), RP_USAGE);
    assert_non_null(strstr(err.text, "finished"));
    assert_int_equal(rp_builder_finish(b, NULL, &err), RP_USAGE);
    rp_builder_free(b);
    rp_index_close(open_index());
}

/* A document that went in by halves is never published: whatever allocation fails, finish fails too, or
 * the index has all its documents. */
static void test_failures_stick(void **state)
{
    (void)state;
    uint64_t before = rp__alloc_in_use();
    size_t failed = 0;
    for (uint64_t at = 1;; at++) {
        rp_builder *b = NULL;
        rp_error err = {0};
        bool has_failed = false;
        rp__alloc_fail_at(0, false);
        if (rp_builder_new(tempdir_path(&dir, "ix"), NULL, &b, &err) != RP_OK)
            fail_msg("%s", err.text);
        rp__alloc_fail_at(at, false);
        for (int i = 0; i < 30; i++) {
            char id[8], text[64];
            snprintf(id, sizeof id, "d%d", i);
            snprintf(text, sizeof text, "word%d common longer-word-than-twenty-two-bytes%d", i, i);
            rp_status status = add(b, id, "", text, &err);
            if (has_failed || status != RP_OK)
                assert_int_equal(status, RP_NO_MEMORY);
            has_failed = has_failed || status != RP_OK;
        }
        rp__alloc_fail_at(0, false);
        rp_status status = rp_builder_finish(b, NULL, &err);
        assert_int_equal(status, has_failed ? RP_NO_MEMORY : RP_OK);
        if (has_failed)
            assert_true(err.text[0] != 0);
        rp_builder_free(b);
        assert_int_equal(rp__alloc_in_use(), before);
        if (!has_failed)
            break;
        assert_false(files_exist(tempdir_path(&dir, "ix")));
        failed++;
        assert_true(at < 1000);
    }
    assert_true(failed > 3);
}

static rp_status set_up(const rp_build_options *o, rp_error *err)
{
    rp__build_setup setup;
    rp_status status = rp__builder_setup(o, &setup, err);
    if (status == RP_OK)
        rp__builder_setup_reset(&setup);
    return status;
}

static void test_defaults(void **state)
{
    (void)state;
    rp__build_setup s;
    assert_int_equal(rp__builder_setup(NULL, &s, NULL), RP_OK);
    assert_string_equal(s.o.codec, "auto");
    assert_string_equal(s.o.stem, "none");
    assert_string_equal(s.o.stop, "none");
    assert_int_equal(s.o.memory, 1 << 30);
    assert_int_equal(s.o.threads, 1);
    assert_int_equal(s.o.max_line, 256 << 20);
    assert_int_equal(s.o.max_expand, 1000);
    assert_int_equal(s.o.max_json_depth, 64);
    assert_true(s.segment.has_positions && s.segment.has_text);
    rp__builder_setup_reset(&s);
}

static void test_names(void **state)
{
    (void)state;
    rp_error err;
    assert_string_equal(rp_codec_name(0), "auto");
    size_t n = 0;
    for (; rp_codec_name(n); n++) {
        assert_int_equal(set_up(&(rp_build_options){.codec = rp_codec_name(n)}, NULL), RP_OK);
        for (size_t i = 0; i < n; i++)
            assert_string_not_equal(rp_codec_name(i), rp_codec_name(n));
    }
    assert_true(n >= 3);
    assert_null(rp_codec_name(n + 5));
    assert_int_equal(set_up(&(rp_build_options){.codec = "lzma"}, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "codec \"lzma\" is not known"));
    for (size_t i = 0; i < 3; i++) /* says which there are */
        assert_non_null(strstr(err.text, rp_codec_name(i)));
    assert_int_equal(set_up(&(rp_build_options){.stem = "klingon"}, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "\"klingon\""));
    assert_non_null(strstr(err.text, "porter"));
    assert_non_null(strstr(err.text, "english"));
    assert_int_equal(set_up(&(rp_build_options){.stem = "porter", .stop = "lucene"}, NULL), RP_OK);
}

/* Refused before anything is made. */
static void test_aux_names(void **state)
{
    (void)state;
    static const char *const wrong[] = {"zip", "lr,zip", "lr,", ",lr", "hs12", "lr hs16"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rp_builder *b = NULL;
        rp_error err = {0};
        rp_build_options o = {.aux = wrong[i]};
        const char *path = tempdir_path(&dir, "never");
        assert_int_equal(rp_builder_new(path, &o, &b, &err), RP_USAGE);
        assert_non_null(strstr(err.text, "is not known; there are: lr, hs8, hs16"));
        assert_false(files_exist(path));
    }
}

static void test_limits(void **state)
{
    (void)state;
    rp_error err;
    assert_int_equal(set_up(&(rp_build_options){.threads = 256, .memory = 1ULL << 33}, NULL),
                     RP_OK);
    assert_int_equal(set_up(&(rp_build_options){.threads = 257, .memory = 1ULL << 33}, &err),
                     RP_USAGE);
    assert_non_null(strstr(err.text, "256"));
    assert_int_equal(set_up(&(rp_build_options){.memory = 16 << 20}, NULL), RP_OK);
    assert_int_equal(set_up(&(rp_build_options){.memory = (16 << 20) - 1}, &err), RP_NO_MEMORY);
    assert_int_equal(set_up(&(rp_build_options){.memory = 32 << 20, .threads = 2}, NULL), RP_OK);
    assert_int_equal(set_up(&(rp_build_options){.memory = (32 << 20) - 1, .threads = 2}, &err),
                     RP_NO_MEMORY);
    assert_non_null(strstr(err.text, "32 MiB for 2 threads"));
    assert_int_equal(set_up(&(rp_build_options){.max_json_depth = 1024}, NULL), RP_OK);
    assert_int_equal(set_up(&(rp_build_options){.max_json_depth = 1025}, &err), RP_USAGE);
}

static void test_stop_files(void **state)
{
    (void)state;
    char path[2100];
    rp__build_setup s;
    rp_error err;
    snprintf(path, sizeof path, "%s", tempdir_write(&dir, "my-words.txt", "the\nof\n", 7));
    assert_int_equal(rp__builder_setup(&(rp_build_options){.stop = path}, &s, NULL), RP_OK);
    assert_string_equal(s.segment.stop, "my-words.txt");
    assert_int_equal(s.segment.stop_bytes, 7);
    assert_memory_equal(s.segment.stop_words, "the\nof\n", 7);
    rp__builder_setup_reset(&s);
    tempdir_write(&dir, "my-words.txt", "the\n\xFF\n", 6);
    assert_int_equal(set_up(&(rp_build_options){.stop = path}, &err), RP_INPUT);
    assert_non_null(strstr(err.text, "byte 4"));
    char *big = malloc((1 << 20) + 1);
    memset(big, '\n', (1 << 20) + 1);
    tempdir_write(&dir, "my-words.txt", big, 1 << 20);
    assert_int_equal(set_up(&(rp_build_options){.stop = path}, NULL), RP_OK);
    tempdir_write(&dir, "my-words.txt", big, (1 << 20) + 1);
    assert_int_equal(set_up(&(rp_build_options){.stop = path}, &err), RP_LIMIT);
    free(big);
    assert_int_equal(remove(path), 0);
    assert_int_equal(set_up(&(rp_build_options){.stop = path}, &err), RP_IO);
    assert_non_null(strstr(err.text, "my-words.txt"));
}

/* Without positions phrases are refused, without text there are no snippets; the rest is there. */
static void test_left_out(void **state)
{
    (void)state;
    rp_build_options o = {
        .no_positions = true, .no_store = true, .stop = "lucene", .stem = "porter"};
    rp_builder *b = begin(&o);
    rp_index_info info;
    rp_document doc;
    rp_hits hits;
    rp_error err;
    assert_int_equal(add(b, "one", "Title", "the running of the bulls", NULL), RP_OK);
    finish(b, NULL);
    rp_index *index = open_index();
    rp_index_get_info(index, &info);
    assert_false(info.has_positions || info.has_text);
    assert_string_equal(info.stem, "porter");
    assert_string_equal(info.stop, "lucene");
    assert_int_equal(info.tokens, 3); /* title, run, bull */
    assert_int_equal(info.bytes_positions + info.bytes_text, 0);
    assert_int_equal(rp_index_get_document(index, 0, &doc, NULL), RP_OK);
    assert_string_equal(doc.title, "");
    assert_string_equal(doc.text, "");
    assert_int_equal(doc.length, 3);
    rp_document_free(&doc);
    assert_int_equal(rp_search(index, "runs", 10, &hits, NULL), RP_OK);
    assert_int_equal(hits.n, 1);
    rp_hits_free(&hits);
    assert_int_not_equal(rp_search(index, "\"running bulls\"", 10, &hits, &err), RP_OK);
    rp_index_close(index);
    assert_int_equal(rp_index_check(tempdir_path(&dir, "ix"), NULL, NULL, NULL), RP_OK);
}

static int make(void **state)
{
    (void)state;
    return tempdir_make(&dir);
}

static int clean(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_round_trip, remove_index),
        cmocka_unit_test_teardown(test_refused_documents, remove_index),
        cmocka_unit_test_teardown(test_given_up, remove_index),
        cmocka_unit_test_teardown(test_after_the_end, remove_index),
        cmocka_unit_test_teardown(test_failures_stick, remove_index),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_aux_names),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_stop_files),
        cmocka_unit_test_teardown(test_left_out, remove_index),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
