/* test_store.c: the table of system calls: the real one works, another takes its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "fault/fault_ops.h"
#include "store/store.h"
#include "tempdir.h"
#include "unit/files.h"

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

/* ---- Every call fails in turn ------------------------------------------------------------------- */

typedef rp_status operation(rp_error *err);

static char path_of_index[300], path_of_output[300], path_of_packed[300];

static void count_entry(void *arg, const char *name)
{
    (void)name;
    ++*(size_t *)arg;
}

static rp_status write_section(rp__folder *folder, rp_error *err)
{
    rp__section_writer *w;
    uint64_t bytes, checksum;
    rp_status s = rp__section_writer_new(folder, "sections", 7, &w, err);
    if (s != RP_OK)
        return s;
    rp__section_writer_begin(w, 1);
    rp__section_writer_put(w, "twelve bytes", 12);
    rp__section_writer_end(w);
    return rp__section_writer_finish(w, &bytes, &checksum, err);
}

static rp_status write_file(rp__folder *folder, rp_error *err)
{
    rp__out *out;
    rp_status s = rp__out_create(folder, "new", 5, &out, err);
    if (s != RP_OK)
        return s;
    rp__out_write(out, "twelve bytes", 12);
    return rp__out_finish(out, true, err);
}

static rp_status publish(rp_error *err)
{
    rp__folder folder;
    size_t n = 0;
    remove(tempdir_path(&dir, "ix/sections"));
    remove(tempdir_path(&dir, "ix/new"));
    rp_status s = rp__folder_create(&folder, path_of_index, err);
    if (s != RP_OK)
        return s;
    s = write_section(&folder, err);
    if (s == RP_OK)
        s = write_file(&folder, err);
    if (s == RP_OK)
        s = rp__folder_publish(&folder, "new", "file", err);
    if (s == RP_OK)
        s = rp__folder_list(&folder, count_entry, &n, err);
    assert_true(s != RP_OK || n == 2);
    rp__folder_remove(&folder, "new");
    rp__folder_close(&folder);
    return s;
}

static rp_status read_in(rp__folder *folder, rp_error *err)
{
    rp__in *in;
    const uint8_t *at;
    size_t got;
    rp_status s = rp__in_open(folder, "file", 0, 12, &in, err);
    if (s != RP_OK)
        return s;
    s = rp__in_view(in, 12, &at, &got, err);
    if (s == RP_OK)
        assert_true(got == 12 && memcmp(at, "twelve bytes", 12) == 0);
    rp__in_close(in);
    return s;
}

static rp_status read_back(rp_error *err)
{
    rp__folder folder;
    rp__section_file *file;
    rp_status s = rp__folder_open(&folder, path_of_index, err);
    if (s != RP_OK)
        return s;
    s = read_in(&folder, err);
    if (s == RP_OK &&
        (s = rp__section_file_open(&folder, "sections", 7, 0, 0, &file, err)) == RP_OK) {
        s = rp__section_file_verify(file, 1, err);
        rp__section_file_close(file);
    }
    rp__folder_close(&folder);
    return s;
}

static rp_status put_out(const char *path, rp_error *err)
{
    rp__output *out;
    rp_status s = rp__output_create(path, &out, err);
    if (s != RP_OK)
        return s;
    rp__output_write(out, "twelve bytes", 12);
    return rp__output_finish(out, err);
}

static rp_status put_plain(rp_error *err)
{
    return put_out(path_of_output, err);
}

static rp_status put_packed(rp_error *err)
{
    return put_out(path_of_packed, err);
}

static rp_status read_all(const char *path, rp_error *err)
{
    rp__buf text;
    rp__buf_init(&text);
    rp_status s = rp__input_read_all(path, NULL, 64, &text, err);
    if (s == RP_OK)
        assert_true(text.n == 12 && memcmp(text.at, "twelve bytes", 12) == 0);
    rp__buf_free(&text);
    return s;
}

static rp_status read_plain(rp_error *err)
{
    return read_all(path_of_output, err);
}

static rp_status read_packed(rp_error *err)
{
    return read_all(path_of_packed, err);
}

static bool count_file(void *arg, const char *path, uint64_t bytes)
{
    (void)path, (void)bytes;
    ++*(size_t *)arg;
    return true;
}

static bool pass_over(void *arg, const char *path, const char *reason)
{
    (void)arg, (void)path, (void)reason;
    return true;
}

static rp_status walk(rp_error *err)
{
    static const rp__walk_calls calls = {.file = count_file, .skip = pass_over};
    size_t n = 0;
    rp_status s = rp__walk(path_of_index, &calls, &n, err);
    assert_true(s != RP_OK || n == 2);
    return s;
}

typedef struct plan {
    fault_call call;
    int error;
    unsigned at, seen; /* the call that fails, counted from 1 */
} plan;

static fault_act ask(void *arg, fault_call call, int fd, const char *path, size_t bytes)
{
    plan *p = arg;
    (void)fd, (void)path, (void)bytes;
    if (call != p->call || ++p->seen != p->at)
        return (fault_act){0};
    return (fault_act){.error = p->error, .is_done = call == FAULT_CLOSE || call == FAULT_UNMAP};
}

/* Whether the operation made that call. It must survive an interruption, report every other failure, and leak nothing. */
static bool fail_one(const char *name, operation *run, plan p)
{
    rp_error err = {0};
    uint64_t memory = rp__alloc_in_use();
    int descriptors = files_count("/proc/self/fd");
    fault_ops_set(ask, &p);
    rp_status s = run(&err);
    fault_ops_set(NULL, NULL);
    if (s != RP_OK && (!err.text[0] || err.code != s))
        fail_msg("%s: %s %u fails with %d: no message", name, fault_call_names[p.call], p.at,
                 p.error);
    if (s != RP_OK && p.error == EINTR && p.call <= FAULT_FSYNC)
        fail_msg("%s: %s %u was interrupted: %s", name, fault_call_names[p.call], p.at, err.text);
    assert_int_equal(rp__alloc_in_use(), memory);
    assert_int_equal(files_count("/proc/self/fd"), descriptors);
    return p.seen >= p.at;
}

static void every_call_fails_in_turn(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        operation *run;
    } rows[] = {
        {"publish", publish}, {"read back", read_back},
        {"put", put_plain},   {"put packed", put_packed},
        {"read", read_plain}, {"read packed", read_packed},
        {"walk", walk},
    };
    static const int errors[] = {EIO, EINTR, EACCES, ENOMEM, ENOENT, ENOSPC};
    snprintf(path_of_index, sizeof path_of_index, "%s/ix", dir.path);
    snprintf(path_of_output, sizeof path_of_output, "%s/plain", dir.path);
    snprintf(path_of_packed, sizeof path_of_packed, "%s/packed.gz", dir.path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rp_error err = {0};
        if (rows[i].run(&err) != RP_OK)
            fail_msg("%s: %s", rows[i].name, err.text);
        for (unsigned call = 0; call < FAULT_CALLS; call++)
            for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
                for (unsigned at = 1; fail_one(rows[i].name, rows[i].run,
                                               (plan){(fault_call)call, errors[e], at, 0});
                     at++)
                    ;
        if (rows[i].run(&err) != RP_OK) /* what the failures left is no hindrance */
            fail_msg("%s: %s", rows[i].name, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_failures_tell),
        cmocka_unit_test(test_folders_and_locks),
        cmocka_unit_test(every_call_fails_in_turn),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
