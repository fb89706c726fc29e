/* test_output_folder.c: files that belong together: all of them are old or all are new. */
#include "store/store.h"

#include <errno.h>

#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;
static char path[300];
static const char *const names[] = {"a", "b.gz", "c"};

static rp_status write_folder(const char *text, rp_error *err)
{
    rp__output_folder *f;
    rp_status status = rp__output_folder_create(path, names, 3, &f, err);
    if (status != RP_OK)
        return status;
    for (size_t i = 0; i < 3; i++)
        rp__output_write(rp__output_folder_file(f, i), text, strlen(text));
    assert_false(rp__output_folder_has_failed(f));
    return rp__output_folder_finish(f, err);
}

static void expect_folder(const char *text)
{
    assert_int_equal(files_count(path), 3);
    assert_int_equal(files_count(dir.path), 1);
    for (size_t i = 0; i < 3; i++) {
        char file[400], got[32];
        size_t n;
        rp__input *in;
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        assert_int_equal(rp__input_open(file, NULL, &in, NULL), RP_OK);
        assert_int_equal(rp__input_read(in, got, sizeof got, &n, NULL), RP_OK);
        rp__input_close(in);
        assert_int_equal(n, strlen(text));
        assert_memory_equal(got, text, n);
    }
}

static void old_or_new(void **state)
{
    (void)state;
    rp_error err = {0};
    assert_int_equal(write_folder("one", &err), RP_OK);
    expect_folder("one");
    assert_int_equal(write_folder("two", &err), RP_OK);
    expect_folder("two");
    rp__output_folder *f;
    assert_int_equal(rp__output_folder_create(path, names, 3, &f, &err), RP_OK);
    rp__output_write(rp__output_folder_file(f, 0), "three", 5);
    rp__output_folder_abandon(f);
    expect_folder("two");
    rp__output_folder_abandon(NULL);
}

/* The disk is full after so many writes and syncs. */
static unsigned left;

static bool is_full(void)
{
    errno = ENOSPC;
    return left == 0 || --left == 0;
}

static ssize_t full_write(int fd, const void *bytes, size_t n)
{
    return is_full() ? -1 : rp__store_system.write(fd, bytes, n);
}

static int full_fsync(int fd)
{
    return is_full() ? -1 : rp__store_system.fsync(fd);
}

static void a_full_disk_leaves_the_old_folder(void **state)
{
    (void)state;
    rp_error err = {0};
    rp__store_ops ops = rp__store_system;
    ops.write = full_write;
    ops.fsync = full_fsync;
    assert_int_equal(write_folder("old", &err), RP_OK);
    for (unsigned i = 1; i <= 7; i++) { /* three writes, three syncs, the folder's sync */
        left = i;
        rp__store_set_ops(&ops);
        assert_int_equal(write_folder("new", &err), RP_IO);
        rp__store_set_ops(NULL);
        expect_folder("old");
    }
}

static void only_a_folder_of_ours_is_replaced(void **state)
{
    (void)state;
    rp_error err = {0};
    char file[400];
    assert_int_equal(write_folder("old", &err), RP_OK);
    snprintf(file, sizeof file, "%s/notes", path);
    files_write(file, "x", 1);
    assert_int_equal(write_folder("new", &err), RP_USAGE);
    assert_non_null(strstr(err.text, "holds other files"));
    assert_int_equal(files_count(path), 4);
    remove(file);
    rp__output_folder *f; /* a file that comes meanwhile counts too */
    assert_int_equal(rp__output_folder_create(path, names, 3, &f, &err), RP_OK);
    files_write(file, "x", 1);
    assert_int_equal(rp__output_folder_finish(f, &err), RP_USAGE);
    remove(file);
    expect_folder("old");
    snprintf(file, sizeof file, "%s", path);
    snprintf(path, sizeof path, "%s/file", dir.path);
    files_write(path, "x", 1);
    assert_int_equal(write_folder("new", &err), RP_USAGE);
    remove(path);
    assert_int_equal(symlink(file, path), 0); /* what a link leads to is not ours to remove */
    assert_int_equal(write_folder("new", &err), RP_USAGE);
    remove(path);
    snprintf(path, sizeof path, "%s/out", dir.path);
    expect_folder("old");
}

static int set_up(void **state)
{
    (void)state;
    int result = tempdir_make(&dir);
    snprintf(path, sizeof path, "%s/out", dir.path);
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
        cmocka_unit_test_setup_teardown(old_or_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_the_old_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_a_folder_of_ours_is_replaced, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
