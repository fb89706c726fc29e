/* test_in.c: files read through a window: any sizes of window, view and skip; short reads. */
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

enum { BYTES = 5000 };

static tempdir dir;
static rp__folder folder;
static uint8_t bytes[BYTES];

/* Reads the file from `from` on: looks at up to a window, passes over a part of it. */
static void walk(size_t window, size_t from)
{
    rp__in *in;
    size_t at = from;
    assert_int_equal(rp__in_open(&folder, "f", from, window, &in, NULL), RP_OK);
    for (size_t step = 0; at < BYTES; step++) {
        const uint8_t *view;
        size_t got, want = 1 + step * 7 % window, left = BYTES - at;
        assert_int_equal(rp__in_view(in, want, &view, &got, NULL), RP_OK);
        assert_int_equal(got, want < left ? want : left);
        assert_memory_equal(view, bytes + at, got);
        size_t pass = step % 3 == 0 ? got : got / 2 + 1;
        rp__in_skip(in, pass);
        at += pass;
    }
    const uint8_t *view;
    size_t got;
    assert_int_equal(rp__in_view(in, window, &view, &got, NULL), RP_OK);
    assert_int_equal(got, 0);
    rp__in_close(in);
}

static void test_windows(void **state)
{
    (void)state;
    static const size_t windows[] = {1, 2, 3, 64, 100, 999, 4096, BYTES - 1, BYTES, BYTES + 1};
    static const size_t from[] = {0, 1, 4095, BYTES - 1, BYTES};
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
        for (size_t f = 0; f < sizeof from / sizeof *from; f++)
            walk(windows[w], from[f]);
}

static void test_past_the_end(void **state)
{
    (void)state;
    rp__in *in;
    const uint8_t *view;
    size_t got = 1;
    assert_int_equal(rp__in_open(&folder, "f", BYTES + 100, 10, &in, NULL), RP_OK);
    assert_int_equal(rp__in_view(in, 10, &view, &got, NULL), RP_OK);
    assert_int_equal(got, 0);
    rp__in_close(in);
    rp__in_close(NULL);
}

static void test_cannot_open(void **state)
{
    (void)state;
    rp__in *in;
    rp_error err;
    assert_int_equal(rp__in_open(&folder, "none", 0, 10, &in, &err), RP_IO);
    assert_non_null(strstr(err.text, "/none: cannot open"));
    assert_int_equal(symlink("f", tempdir_path(&dir, "link")), 0);
    assert_int_equal(rp__in_open(&folder, "link", 0, 10, &in, &err), RP_IO);
}

static int turn;

static ssize_t short_pread(int fd, void *buf, size_t n, off_t at)
{
    if (++turn % 4 == 0) {
        errno = EINTR;
        return -1;
    }
    return rp__store_system.pread(fd, buf, n > 9 ? 9 : n, at);
}

static ssize_t bad_pread(int fd, void *buf, size_t n, off_t at)
{
    (void)fd, (void)buf, (void)n, (void)at;
    errno = EIO;
    return -1;
}

static void test_short_reads(void **state)
{
    (void)state;
    rp__store_ops ops = rp__store_system;
    ops.pread = short_pread;
    rp__store_set_ops(&ops);
    walk(100, 3);
    ops.pread = bad_pread;
    rp__in *in;
    const uint8_t *view;
    size_t got;
    rp_error err;
    assert_int_equal(rp__in_open(&folder, "f", 0, 10, &in, NULL), RP_OK);
    assert_int_equal(rp__in_view(in, 10, &view, &got, &err), RP_IO);
    assert_non_null(strstr(err.text, "/f: cannot read"));
    rp__in_close(in);
    rp__store_set_ops(NULL);
}

static int make(void **state)
{
    (void)state;
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i * 13 + (i >> 8));
    if (tempdir_make(&dir) != 0 || rp__folder_open(&folder, dir.path, NULL) != RP_OK)
        return -1;
    tempdir_write(&dir, "f", bytes, BYTES);
    return 0;
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
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_past_the_end),
        cmocka_unit_test(test_cannot_open),
        cmocka_unit_test(test_short_reads),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
