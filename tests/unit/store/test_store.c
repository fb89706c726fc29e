/* test_store.c: the table of system calls: the real one works, another takes its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "store/store.h"
#include "tempdir.h"

static tempdir dir;

static void test_default(void **state)
{
    (void)state;
    assert_ptr_equal(rp__store_get_ops(), &rp__store_system);
    rp__store_ops mine = rp__store_system;
    rp__store_set_ops(&mine);
    assert_ptr_equal(rp__store_get_ops(), &mine);
    rp__store_set_ops(NULL);
    assert_ptr_equal(rp__store_get_ops(), &rp__store_system);
}

static int open_dir(void)
{
    int fd = rp__store_system.open(AT_FDCWD, dir.path, O_RDONLY | O_DIRECTORY, 0);
    assert_true(fd >= 0);
    return fd;
}

static void test_files(void **state)
{
    (void)state;
    const rp__store_ops *ops = &rp__store_system;
    int d = open_dir(), fd = ops->open(d, "a", O_RDWR | O_CREAT | O_EXCL, 0600);
    char got[8] = {0};
    assert_true(fd >= 0);
    assert_int_equal(ops->write(fd, "answers", 7), 7);
    assert_int_equal(ops->fsync(fd), 0);
    assert_int_equal(ops->size(fd), 7);
    assert_int_equal(ops->pread(fd, got, 3, 2), 3);
    assert_string_equal(got, "swe");
    const char *at = ops->map(fd, 7);
    assert_non_null(at);
    assert_memory_equal(at, "answers", 7);
    assert_int_equal(ops->unmap((void *)(uintptr_t)at, 7), 0);
    assert_int_equal(ops->close(fd), 0);
    assert_int_equal(ops->rename(d, "a", "b"), 0);
    assert_int_equal(ops->open(d, "a", O_RDONLY, 0), -1);
    assert_int_equal(errno, ENOENT);
    fd = ops->open(d, "b", O_RDONLY, 0);
    assert_int_equal(ops->read(fd, got, 8), 7);
    ops->close(fd);
    assert_int_equal(ops->unlink(d, "b", 0), 0);
    assert_int_equal(ops->unlink(d, "b", 0), -1);
    ops->close(d);
}

static void test_failures_tell(void **state)
{
    (void)state;
    const rp__store_ops *ops = &rp__store_system;
    errno = 0;
    assert_null(ops->map(-1, 10));
    assert_int_equal(errno, EBADF);
    assert_int_equal(ops->size(-1), -1);
    assert_int_equal(ops->fsync(-1), -1);
    assert_int_equal(ops->close(-1), -1);
}

static void test_folders_and_locks(void **state)
{
    (void)state;
    const rp__store_ops *ops = &rp__store_system;
    int d = open_dir(), again = open_dir();
    assert_int_equal(ops->mkdir(d, "sub", 0700), 0);
    assert_int_equal(ops->mkdir(d, "sub", 0700), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(ops->unlink(d, "sub", AT_REMOVEDIR), 0);
    assert_int_equal(ops->lock(d), 0);
    assert_int_equal(ops->lock(again), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    ops->close(d);
    assert_int_equal(ops->lock(again), 0);
    ops->close(again);
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
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_failures_tell),
        cmocka_unit_test(test_folders_and_locks),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
