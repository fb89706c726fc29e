/* test_walk.c: every file once, in the byte order of its path, and nothing else. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "store/store.h"
#include "tempdir.h"

typedef struct seen {
    char names[64][1024];
    uint64_t bytes[64];
    size_t n, stop_at;
    char skipped[64][1024], reasons[64][128];
    size_t n_skipped;
} seen;

static bool note(void *arg, const char *path, uint64_t bytes)
{
    seen *s = arg;
    assert_true(s->n < 64);
    snprintf(s->names[s->n], sizeof s->names[0], "%s", path);
    s->bytes[s->n++] = bytes;
    return s->n != s->stop_at;
}

static bool note_skip(void *arg, const char *path, const char *reason)
{
    seen *s = arg;
    assert_true(s->n_skipped < 64);
    snprintf(s->skipped[s->n_skipped], sizeof s->skipped[0], "%s", path);
    snprintf(s->reasons[s->n_skipped++], sizeof s->reasons[0], "%s", reason);
    return true;
}

static const rp__walk_calls calls = {.file = note, .skip = note_skip};

static int make(void **state)
{
    static tempdir t;
    *state = &t;
    return tempdir_make(&t);
}

static int clean(void **state)
{
    tempdir_remove(*state);
    return 0;
}

static void fill_tree(tempdir *t)
{
    static const char *const folders[] = {"a", "a/b", "a-b", "empty", ".hidden", "z"};
    static const char *const files[] = {
        "a.txt", "a/1", "a/b/2",      "a0",         "b",           "a-b/x", "a/.dot",
        "z/10",  "z/9", "z/\xC3\xA9", ".hidden/in", "a/b/with sp", "a/b.c", "z/Upper.T"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(tempdir_path(t, folders[i]), 0777), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        tempdir_write(t, files[i], "12345678901234567890", i);
    assert_int_equal(symlink("b", tempdir_path(t, "link")), 0);
    assert_int_equal(symlink(".", tempdir_path(t, "loop")), 0);
    assert_int_equal(symlink("gone", tempdir_path(t, "broken")), 0);
    assert_int_equal(mkfifo(tempdir_path(t, "pipe"), 0666), 0);
}

static void test_order(void **state)
{
    tempdir *t = *state;
    seen s = {0};
    rp_error err;
    fill_tree(t);
    assert_int_equal(rp__walk(t->path, &calls, &s, &err), RP_OK);
    assert_int_equal(s.n, 12);
    for (size_t i = 1; i < s.n; i++)
        assert_true(strcmp(s.names[i - 1], s.names[i]) < 0);
    assert_string_equal(s.names[0], tempdir_path(t, "a-b/x"));
    assert_int_equal(s.bytes[0], 5);
    assert_string_equal(s.names[1], tempdir_path(t, "a.txt"));
    assert_string_equal(s.names[2], tempdir_path(t, "a/1"));

    seen again = {0};
    char slashed[300];
    snprintf(slashed, sizeof slashed, "%s/", t->path);
    assert_int_equal(rp__walk(slashed, &calls, &again, &err), RP_OK);
    assert_int_equal(again.n, s.n);
    for (size_t i = 0; i < s.n; i++)
        assert_string_equal(again.names[i], s.names[i]);

    seen few = {.stop_at = 3};
    assert_int_equal(rp__walk(t->path, &calls, &few, &err), RP_OK);
    assert_int_equal(few.n, 3);
}

static void test_single(void **state)
{
    tempdir *t = *state;
    seen s = {0};
    rp_error err;
    tempdir_write(t, ".dotted", "abc", 3);
    char link[2100];
    snprintf(link, sizeof link, "%s/byname", t->path);
    assert_int_equal(symlink(".dotted", link), 0);
    assert_int_equal(rp__walk(tempdir_path(t, ".dotted"), &calls, &s, &err),
                     RP_OK); /* asked for by name */
    assert_int_equal(rp__walk(link, &calls, &s, &err), RP_OK);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.bytes[0], 3);
    assert_int_equal(s.bytes[1], 3);
    assert_int_equal(mkdir(tempdir_path(t, "empty"), 0777), 0);
    assert_int_equal(rp__walk(tempdir_path(t, "empty"), &calls, &s, &err), RP_OK);
    assert_int_equal(s.n, 2);
}

static void test_missing(void **state)
{
    tempdir *t = *state;
    seen s = {0};
    rp_error err;
    assert_int_equal(rp__walk(tempdir_path(t, "nowhere"), &calls, &s, &err), RP_IO);
    assert_non_null(strstr(err.text, "nowhere: cannot open: No such file or directory"));
    assert_int_equal(rp__walk("", &calls, &s, &err), RP_IO);
    assert_int_equal(s.n, 0);
}

/* Deep nesting: no recursion, no descriptor a level. */
static void test_deep(void **state)
{
    tempdir *t = *state;
    char path[2048];
    rp_error err;
    seen s = {0};
    size_t n = (size_t)snprintf(path, sizeof path, "%s", t->path);
    for (int i = 0; i < 400; i++, n += 2) {
        memcpy(path + n, "/d", 3);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    memcpy(path + n, "/f", 3);
    fclose(fopen(path, "w"));
    assert_int_equal(rp__walk(t->path, &calls, &s, &err), RP_OK);
    assert_int_equal(s.n, 1);
}

static int open_denied(int dirfd, const char *path, int flags, unsigned mode)
{
    size_t n = strlen(path);
    if (n > 3 && strcmp(path + n - 3, "/z/") == 0) {
        errno = EACCES;
        return -1;
    }
    return rp__store_system.open(dirfd, path, flags, mode);
}

static void expect_skip(tempdir *t, const seen *s, const char *name, const char *reason)
{
    size_t i = 0;
    while (i < s->n_skipped && strcmp(s->skipped[i], tempdir_path(t, name)) != 0)
        i++;
    assert_true(i < s->n_skipped);
    assert_string_equal(s->reasons[i], reason);
}

static void test_denied(void **state)
{
    tempdir *t = *state;
    rp__store_ops ops = rp__store_system;
    seen s = {0};
    rp_error err;
    fill_tree(t);
    ops.open = open_denied;
    rp__store_set_ops(&ops);
    assert_int_equal(rp__walk(t->path, &calls, &s, &err), RP_OK);
    rp__store_set_ops(NULL);
    assert_int_equal(s.n, 8);
    expect_skip(t, &s, "z/", "a folder that cannot be listed: Permission denied");
}

/* What is no file has its reason; order is that of paths. */
static void test_skipped(void **state)
{
    tempdir *t = *state;
    seen s = {0};
    rp_error err;
    fill_tree(t);
    assert_int_equal(rp__walk(t->path, &calls, &s, &err), RP_OK);
    assert_int_equal(s.n_skipped, 6);
    expect_skip(t, &s, ".hidden", "hidden: the name begins with a dot");
    expect_skip(t, &s, "a/.dot", "hidden: the name begins with a dot");
    expect_skip(t, &s, "broken", "a broken symbolic link");
    expect_skip(t, &s, "link", "a symbolic link, which is not followed");
    expect_skip(t, &s, "loop", "a symbolic link, which is not followed");
    expect_skip(t, &s, "pipe", "a FIFO");
    for (size_t i = 1; i < s.n_skipped; i++)
        assert_true(strcmp(s.skipped[i - 1], s.skipped[i]) < 0);
}

/* A folder and a file of the caller's own, however their paths are written. */
static void test_own(void **state)
{
    tempdir *t = *state;
    seen s = {0};
    rp_error err;
    fill_tree(t);
    char folder[300], file[300];
    snprintf(folder, sizeof folder, "%s/a/../z/", t->path);
    snprintf(file, sizeof file, "%s//b", t->path);
    rp__walk_calls own = {note, note_skip, {folder, file}};
    assert_int_equal(rp__walk(t->path, &own, &s, &err), RP_OK);
    assert_int_equal(s.n, 7);
    expect_skip(t, &s, "z", "the index itself");
    expect_skip(t, &s, "b", "the index itself");
}

static void test_no_memory(void **state)
{
    tempdir *t = *state;
    rp_error err;
    fill_tree(t);
    uint64_t before = rp__alloc_in_use();
    for (uint64_t n = 1;; n++) {
        seen s = {0};
        rp__alloc_fail_at(n, n % 2);
        rp_status status = rp__walk(t->path, &calls, &s, &err);
        rp__alloc_fail_at(0, false);
        assert_int_equal(rp__alloc_in_use(), before);
        if (status == RP_OK)
            break;
        assert_int_equal(status, RP_NO_MEMORY);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, make, clean),
        cmocka_unit_test_setup_teardown(test_single, make, clean),
        cmocka_unit_test_setup_teardown(test_missing, make, clean),
        cmocka_unit_test_setup_teardown(test_deep, make, clean),
        cmocka_unit_test_setup_teardown(test_denied, make, clean),
        cmocka_unit_test_setup_teardown(test_skipped, make, clean),
        cmocka_unit_test_setup_teardown(test_own, make, clean),
        cmocka_unit_test_setup_teardown(test_no_memory, make, clean),
    };
    return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
