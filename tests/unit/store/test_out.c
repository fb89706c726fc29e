/* test_out.c: files written through one buffer: any sizes, short writes, a failure that sticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "store/store.h"
#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;
static rp__folder folder;

static void expect_file(const char *name, const uint8_t *bytes, size_t n)
{
    size_t got;
    uint8_t *at = files_read(tempdir_path(&dir, name), &got);
    assert_int_equal(got, n);
    assert_memory_equal(at, bytes, n);
    free(at);
    assert_int_equal(remove(tempdir_path(&dir, name)), 0);
}

/* Pieces of all sizes through a buffer of `buffer` bytes. */
static void write_pieces(size_t buffer, bool sync)
{
    enum { MOST = 4096 };
    static uint8_t bytes[MOST];
    rp__out *out;
    size_t at = 0;
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (uint8_t)(i * 31 + (i >> 8));
    assert_int_equal(rp__out_create(&folder, "f", buffer, &out, NULL), RP_OK);
    for (size_t n = 0; at + n <= MOST; at += n++ % 97) {
        assert_int_equal(rp__out_offset(out), at);
        rp__out_write(out, bytes + at, n % 97);
    }
    assert_int_equal(rp__out_finish(out, sync, NULL), RP_OK);
    expect_file("f", bytes, at);
}

static void test_sizes(void **state)
{
    (void)state;
    static const size_t buffers[] = {1, 2, 7, 64, 96, 97, 1000, 4096, 100000};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        write_pieces(buffers[i], i % 2);
}

static void test_empty(void **state)
{
    (void)state;
    rp__out *out;
    assert_int_equal(rp__out_create(&folder, "f", 10, &out, NULL), RP_OK);
    rp__out_write(out, NULL, 0);
    assert_int_equal(rp__out_offset(out), 0);
    assert_int_equal(rp__out_finish(out, true, NULL), RP_OK);
    expect_file("f", (const uint8_t *)"", 0);
}

static void test_never_over_another_file(void **state)
{
    (void)state;
    rp__out *out;
    rp_error err;
    files_write(tempdir_path(&dir, "there"), "old", 3);
    assert_int_equal(symlink("nowhere", tempdir_path(&dir, "link")), 0);
    assert_int_equal(rp__out_create(&folder, "there", 10, &out, &err), RP_IO);
    assert_non_null(strstr(err.text, "there"));
    assert_int_equal(rp__out_create(&folder, "link", 10, &out, &err), RP_IO);
    assert_false(files_exist(tempdir_path(&dir, "nowhere")));
    expect_file("there", (const uint8_t *)"old", 3);
    assert_int_equal(remove(tempdir_path(&dir, "link")), 0);
}

static void test_abandon(void **state)
{
    (void)state;
    rp__out *out;
    rp__out_abandon(NULL);
    assert_int_equal(rp__out_create(&folder, "f", 10, &out, NULL), RP_OK);
    rp__out_write(out, "0123456789abcdef", 16);
    rp__out_abandon(out);
    assert_false(files_exist(tempdir_path(&dir, "f")));
}

static int turn;

static ssize_t short_write(int fd, const void *buf, size_t n)
{
    if (++turn % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return rp__store_system.write(fd, buf, n > 5 ? 5 : n);
}

static void test_short_writes(void **state)
{
    (void)state;
    rp__store_ops ops = rp__store_system;
    ops.write = short_write;
    rp__store_set_ops(&ops);
    write_pieces(64, true);
    rp__store_set_ops(NULL);
}

static ssize_t full_disk(int fd, const void *buf, size_t n)
{
    if (turn-- > 0)
        return rp__store_system.write(fd, buf, n);
    errno = ENOSPC;
    return -1;
}

static void test_failure_sticks(void **state)
{
    (void)state;
    rp__store_ops ops = rp__store_system;
    ops.write = full_disk;
    for (int good = 0; good < 3; good++) {
        rp__out *out;
        rp_error err;
        turn = good;
        rp__store_set_ops(&ops);
        assert_int_equal(rp__out_create(&folder, "f", 8, &out, NULL), RP_OK);
        for (int i = 0; i < 10; i++)
            rp__out_write(out, "0123456789", 10);
        assert_int_equal(rp__out_offset(out), 100);
        assert_int_equal(rp__out_finish(out, true, &err), RP_IO);
        rp__store_set_ops(NULL);
        assert_non_null(strstr(err.text, "/f: cannot write"));
        assert_non_null(strstr(err.text, "make room"));
        assert_false(files_exist(tempdir_path(&dir, "f")));
    }
}

static int make(void **state)
{
    (void)state;
    return tempdir_make(&dir) != 0 || rp__folder_open(&folder, dir.path, NULL) != RP_OK;
}

static int clean(void **state)
{
    (void)state;
    rp__store_set_ops(NULL);
    rp__folder_close(&folder);
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_never_over_another_file),
        cmocka_unit_test(test_abandon),
        cmocka_unit_test(test_short_writes),
        cmocka_unit_test(test_failure_sticks),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
