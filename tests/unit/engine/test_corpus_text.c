/* test_corpus_text.c: a file is a document and its path its id. */
#include "collect.h"

static void expect_ids(const char *const *paths, size_t n, const rp_build_options *options,
                       const char *docs)
{
    rp__buf out;
    rp_error err = {0};
    rp__buf_init(&out);
    if (collect(paths, n, options, &out, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, docs);
    rp__buf_free(&out);
}

static void test_ids(void **state)
{
    tempdir *t = *state;
    char want[4096], slashed[300];
    assert_int_equal(mkdir(tempdir_path(t, "sub"), 0777), 0);
    tempdir_write(t, "sub/b.txt", "two\nlines\n", 10);
    tempdir_write(t, "a", "\xEF\xBB\xBFmarked", 9);
    tempdir_write(t, "empty", "", 0);
    const char *folder = t->path;
    expect_ids(&folder, 1, NULL, "a||marked\nsub/b.txt||two\nlines\n\n~1 an empty file\n");
    snprintf(slashed, sizeof slashed, "%s/", t->path);
    folder = slashed;
    expect_ids(&folder, 1, NULL, "a||marked\nsub/b.txt||two\nlines\n\n~1 an empty file\n");
    const char *file = tempdir_path(t, "sub/b.txt"); /* given by name: the path as given */
    snprintf(want, sizeof want, "%s||two\nlines\n\n", file);
    expect_ids(&file, 1, NULL, want);
}

static void test_faults(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.format = "text"};
    char want[4096];
    tempdir_write(t, "x.jsonl", "{\"id\":1}", 8);
    const char *file = t->file;
    snprintf(want, sizeof want, "%s||{\"id\":1}\n", file);
    expect_ids(&file, 1, &o, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ids, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_faults, collect_make, collect_clean),
    };
    return cmocka_run_group_tests_name("corpus_text", tests, NULL, NULL);
}
