/* test_folder.c: the folder of an index: made, locked, listed, published, and gone again if nothing
 * came of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"
#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;

static void put_file(const char *folder, const char *name)
{
    char path[4500];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    files_write(path, "x", 1);
}

static void test_open(void **state)
{
    (void)state;
    rp__folder f;
    rp_error err;
    assert_int_equal(rp__folder_open(&f, dir.path, &err), RP_OK);
    assert_string_equal(f.path, dir.path);
    assert_false(f.is_new);
    rp__folder_close(&f);
    assert_int_equal(f.fd, -1);
    assert_true(files_exist(dir.path));
    assert_int_equal(rp__folder_open(&f, tempdir_path(&dir, "none"), &err), RP_IO);
    assert_non_null(strstr(err.text, "none"));
    put_file(dir.path, "file");
    assert_int_equal(rp__folder_open(&f, tempdir_path(&dir, "file"), &err), RP_IO);
    assert_int_equal(rp__folder_create(&f, tempdir_path(&dir, "file"), &err), RP_IO);
    assert_int_equal(rp__folder_create(&f, tempdir_path(&dir, "none/below"), &err), RP_IO);
    assert_int_equal(remove(tempdir_path(&dir, "file")), 0);
}

static void test_bad_paths(void **state)
{
    (void)state;
    char path[5000];
    rp__folder f;
    rp_error err;
    assert_int_equal(rp__folder_open(&f, "", &err), RP_USAGE);
    assert_int_equal(rp__folder_create(&f, "", &err), RP_USAGE);
    memset(path, 'a', sizeof path);
    path[4096] = 0;
    assert_int_equal(rp__folder_open(&f, path, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "too long"));
    path[4095] = 0; /* fits here; the system refuses it */
    assert_int_equal(rp__folder_open(&f, path, &err), RP_IO);
    rp__folder_close(&f);
}

static void test_new_folder(void **state)
{
    (void)state;
    char path[2100];
    rp__folder f;
    snprintf(path, sizeof path, "%s", tempdir_path(&dir, "new"));
    assert_int_equal(rp__folder_create(&f, path, NULL), RP_OK);
    assert_true(f.is_new);
    rp__folder_close(&f);
    assert_false(files_exist(path)); /* empty, so it goes */
    assert_int_equal(rp__folder_create(&f, path, NULL), RP_OK);
    put_file(path, "kept");
    rp__folder_close(&f);
    assert_int_equal(files_count(path), 1); /* not empty: it stays */
    assert_int_equal(rp__folder_create(&f, path, NULL), RP_OK);
    assert_false(f.is_new);
    rp__folder_remove(&f, "kept");
    rp__folder_remove(&f, "kept"); /* that it is gone already is of no consequence */
    rp__folder_close(&f);
    assert_int_equal(files_count(path), 0); /* was there before: it stays, empty or not */
    assert_int_equal(rmdir(path), 0);
}

static void test_one_writer(void **state)
{
    (void)state;
    rp__folder first, second, reader;
    rp_error err;
    assert_int_equal(rp__folder_create(&first, dir.path, NULL), RP_OK);
    assert_int_equal(rp__folder_create(&second, dir.path, &err), RP_IO);
    assert_non_null(strstr(err.text, "another build"));
    assert_int_equal(second.fd, -1);
    assert_int_equal(rp__folder_open(&reader, dir.path, NULL), RP_OK); /* readers do not wait */
    rp__folder_close(&reader);
    rp__folder_close(&first);
    assert_int_equal(rp__folder_create(&second, dir.path, NULL), RP_OK);
    rp__folder_close(&second);
}

static void test_publish(void **state)
{
    (void)state;
    char path[2100], file[2200];
    rp__folder f;
    rp_error err;
    snprintf(path, sizeof path, "%s", tempdir_path(&dir, "published/"));
    assert_int_equal(rp__folder_create(&f, path, &err), RP_OK);
    assert_int_equal(rp__folder_publish(&f, "a", "b", &err), RP_IO); /* no such file */
    assert_true(f.is_new);
    put_file(path, "a");
    assert_int_equal(rp__folder_publish(&f, "a", "b", &err), RP_OK);
    assert_false(f.is_new);
    snprintf(file, sizeof file, "%s/b", path);
    assert_true(files_exist(file));
    assert_int_equal(files_count(path), 1);
    put_file(path, "a");
    assert_int_equal(rp__folder_publish(&f, "a", "b", &err), RP_OK); /* replaces */
    assert_int_equal(files_count(path), 1);
    rp__folder_remove(&f, "b");
    rp__folder_close(&f);
    assert_int_equal(files_count(path), 0); /* published once, so no longer ours to remove */
    assert_int_equal(rmdir(path), 0);
}

/* The order of what publishing asks of the system. */
static char calls[64];

static int log_fsync(int fd)
{
    strcat(calls, "s");
    return rp__store_system.fsync(fd);
}

static int log_rename(int dirfd, const char *from, const char *to)
{
    strcat(calls, "r");
    return rp__store_system.rename(dirfd, from, to);
}

static void test_publish_is_durable(void **state)
{
    (void)state;
    rp__store_ops ops = rp__store_system;
    char path[2100];
    rp__folder f;
    ops.fsync = log_fsync;
    ops.rename = log_rename;
    snprintf(path, sizeof path, "%s", tempdir_path(&dir, "order"));
    assert_int_equal(rp__folder_create(&f, path, NULL), RP_OK);
    put_file(path, "a");
    rp__store_set_ops(&ops);
    assert_int_equal(rp__folder_publish(&f, "a", "b", NULL), RP_OK);
    assert_string_equal(calls, "ssrs"); /* folder and its parent, then the name, then the folder */
    calls[0] = 0;
    put_file(path, "a");
    assert_int_equal(rp__folder_publish(&f, "a", "b", NULL), RP_OK);
    assert_string_equal(calls, "ssrs"); /* a killed build may have made the folder */
    rp__store_set_ops(NULL);
    rp__folder_close(&f);
}

static void count_name(void *arg, const char *name)
{
    size_t *seen = arg;
    assert_true(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
    *seen += (size_t)name[0] - 'a' + 1;
}

static void test_list(void **state)
{
    (void)state;
    char path[2100];
    size_t seen = 0;
    rp__folder f;
    snprintf(path, sizeof path, "%s", tempdir_path(&dir, "listed"));
    assert_int_equal(rp__folder_create(&f, path, NULL), RP_OK);
    assert_int_equal(rp__folder_list(&f, count_name, &seen, NULL), RP_OK);
    assert_int_equal(seen, 0);
    put_file(path, "a");
    put_file(path, "b");
    put_file(path, "d");
    for (int again = 0; again < 2; again++) { /* the folder's own place in the list does not move */
        seen = 0;
        assert_int_equal(rp__folder_list(&f, count_name, &seen, NULL), RP_OK);
        assert_int_equal(seen, 1 + 2 + 4);
    }
    rp__folder_close(&f);
}

/* Whatever is no regular file is refused by its kind, at once: a FIFO has no writer here. */
static void test_open_file(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {{"fifo", "is a FIFO"},
                                           {"socket", "is a socket"},
                                           {"folder", "is a folder"},
                                           {"link", "is a symbolic link"}};
    rp__folder f;
    rp_error err;
    int fd = -1;
    assert_int_equal(rp__folder_open(&f, dir.path, NULL), RP_OK);
    assert_int_equal(mkfifo(tempdir_path(&dir, "fifo"), 0600), 0);
    assert_int_equal(mknod(tempdir_path(&dir, "socket"), S_IFSOCK | 0600, 0), 0);
    assert_int_equal(mkdir(tempdir_path(&dir, "folder"), 0700), 0);
    assert_int_equal(symlink("plain", tempdir_path(&dir, "link")), 0);
    put_file(dir.path, "plain");
    alarm(60);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_int_equal(rp__folder_open_file(&f, kinds[i][0], RP_NOT_FOUND, &fd, &err), RP_IO);
        assert_int_equal(fd, -1);
        assert_non_null(strstr(err.text, kinds[i][1]));
    }
    assert_int_equal(rp__folder_open_file(&f, "/dev/null", RP_NOT_FOUND, &fd, &err), RP_IO);
    assert_non_null(strstr(err.text, "is a device"));
    assert_int_equal(rp__folder_open_file(&f, "none", RP_NOT_FOUND, &fd, &err), RP_NOT_FOUND);
    assert_int_equal(rp__folder_open_file(&f, "none", RP_IO, &fd, &err), RP_IO);
    assert_int_equal(rp__folder_open_file(&f, "plain", RP_NOT_FOUND, &fd, &err), RP_OK);
    assert_true(fd >= 0);
    close(fd);
    alarm(0);
    rp__folder_close(&f);
}

static int make(void **state)
{
    (void)state;
    return tempdir_make(&dir);
}

static int clean(void **state)
{
    (void)state;
    rp__store_set_ops(NULL);
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),       cmocka_unit_test(test_bad_paths),
        cmocka_unit_test(test_new_folder), cmocka_unit_test(test_one_writer),
        cmocka_unit_test(test_publish),    cmocka_unit_test(test_publish_is_durable),
        cmocka_unit_test(test_list),       cmocka_unit_test(test_open_file),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
