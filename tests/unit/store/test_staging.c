/* test_staging.c: temporary files and folders: of the dead they are removed, of the living they are not. */
#include "store/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;
static char path[300];

static void stage(rp__staging *s, bool is_folder)
{
    rp_error err = {0};
    if (rp__staging_create(s, path, is_folder, &err) != RP_OK)
        fail_msg("%s", err.text);
}

/* As after a kill: the lock is gone, the name is not. */
static void leave(rp__staging *s)
{
    close(s->fd);
}

static void the_next_removes_what_the_dead_left(void **state)
{
    (void)state;
    rp__staging s[6];
    for (int i = 0; i < 6; i++)
        stage(&s[i], i % 2); /* files and folders in turn, all at once */
    assert_int_equal(files_count(dir.path), 6);
    for (int i = 1; i < 6; i += 2)
        assert_true(close(openat(s[i].fd, "file", O_CREAT | O_WRONLY, 0666)) == 0);
    for (int i = 0; i < 6; i++)
        if (i != 2)
            leave(&s[i]);
    rp__staging next;
    stage(&next, false);
    assert_int_equal(files_count(dir.path), 2);
    assert_true(files_exist(s[2].temp) && files_exist(next.temp));
    rp__staging_abandon(&s[2]);
    rp__staging_abandon(&next);
    assert_int_equal(files_count(dir.path), 0);
}

static void what_is_not_ours_stays(void **state)
{
    (void)state;
    char name[400], other[400];
    snprintf(name, sizeof name, "%s.riposte.0.tmp", path);
    snprintf(other, sizeof other, "%s.riposte.x.tmp", path);
    assert_int_equal(symlink("/nowhere", name), 0);
    files_write(other, "x", 1);
    rp__staging s;
    stage(&s, true);
    assert_non_null(strstr(s.temp, ".1.tmp"));
    assert_int_equal(files_count(dir.path), 3);
    rp__staging_abandon(&s);
    assert_int_equal(remove(name) | remove(other), 0);
}

static void names_run_out(void **state)
{
    (void)state;
    rp__staging s[17];
    rp_error err = {0};
    for (int i = 0; i < 16; i++)
        stage(&s[i], false);
    assert_int_equal(rp__staging_create(&s[16], path, false, &err), RP_IO);
    assert_non_null(strstr(err.text, "16 programs are writing it"));
    rp__staging_abandon(&s[16]);
    for (int i = 0; i < 16; i++)
        rp__staging_abandon(&s[i]);
    assert_int_equal(files_count(dir.path), 0);
}

/* A name may have as many bytes as the system lets a file have. */
static void long_names(void **state)
{
    (void)state;
    rp__staging s;
    char whole[600];
    memcpy(whole, path, sizeof path);
    snprintf(path, sizeof path, "%.40s/", dir.path);
    size_t n = strlen(path);
    memset(path + n, 'x', sizeof path - n);
    path[n + 255 < sizeof path ? n + 255 : sizeof path - 1] = 0;
    stage(&s, false);
    assert_int_equal(rp__staging_publish(&s), 0);
    assert_true(files_exist(path));
    assert_int_equal(files_count(dir.path), 1);
    remove(path);
    memcpy(path, whole, sizeof path);
}

static void a_folder_replaces_a_folder(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        rp__staging s;
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        stage(&s, true);
        assert_true(close(openat(s.fd, name, O_CREAT | O_WRONLY, 0666)) == 0);
        assert_int_equal(rp__staging_publish(&s), 0);
        rp__staging_abandon(&s); /* nothing is left to remove */
        char file[400];
        snprintf(file, sizeof file, "%s/%s", path, name);
        assert_true(files_exist(file));
        assert_int_equal(files_count(path), 1);
        assert_int_equal(files_count(dir.path), 1);
        if (i == 2)
            assert_int_equal(remove(file) | remove(path), 0);
    }
}

/* ---- Without the system's help ------------------------------------------------------------------ */

static int no_locks(int fd)
{
    (void)fd;
    errno = ENOLCK;
    return -1;
}

static int no_exchange(int dirfd, const char *a, const char *b)
{
    (void)dirfd, (void)a, (void)b;
    errno = EINVAL;
    return -1;
}

/* Then nobody is taken for dead. */
static void a_file_system_without_locks(void **state)
{
    (void)state;
    rp__store_ops ops = rp__store_system;
    rp__staging s[2];
    ops.lock = no_locks;
    rp__store_set_ops(&ops);
    stage(&s[0], false);
    stage(&s[1], true);
    assert_int_equal(files_count(dir.path), 2);
    for (int i = 0; i < 2; i++)
        rp__staging_abandon(&s[i]);
    rp__store_set_ops(NULL);
    assert_int_equal(files_count(dir.path), 0);
}

static void a_file_system_that_cannot_exchange(void **state)
{
    (void)state;
    rp__store_ops ops = rp__store_system;
    char file[400];
    rp__staging s;
    ops.exchange = no_exchange;
    snprintf(file, sizeof file, "%s/old", path);
    assert_int_equal(mkdir(path, 0777), 0);
    files_write(file, "x", 1);
    rp__store_set_ops(&ops);
    stage(&s, true);
    assert_int_equal(rp__staging_publish(&s), EINVAL);
    rp__staging_abandon(&s);
    rp__store_set_ops(NULL);
    assert_true(files_exist(file));
    assert_int_equal(files_count(dir.path), 1);
    assert_int_equal(remove(file) | remove(path), 0);
}

/* Another process removes what was made before its maker has the lock. */
static int taken_at_once(int fd)
{
    static int calls;
    if (calls++ == 0) {
        char name[400];
        snprintf(name, sizeof name, "%s.riposte.0.tmp", path);
        remove(name);
    }
    return flock(fd, LOCK_EX | LOCK_NB);
}

static void swept_before_it_is_locked(void **state)
{
    (void)state;
    rp__store_ops ops = rp__store_system;
    rp__staging s;
    ops.lock = taken_at_once;
    rp__store_set_ops(&ops);
    stage(&s, false);
    rp__store_set_ops(NULL);
    assert_non_null(strstr(s.temp, ".1.tmp"));
    assert_int_equal(rp__staging_publish(&s), 0);
    assert_true(files_exist(path));
    assert_int_equal(files_count(dir.path), 1);
    remove(path);
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
        cmocka_unit_test(the_next_removes_what_the_dead_left),
        cmocka_unit_test(what_is_not_ours_stays),
        cmocka_unit_test(names_run_out),
        cmocka_unit_test(long_names),
        cmocka_unit_test(a_folder_replaces_a_folder),
        cmocka_unit_test(a_file_system_without_locks),
        cmocka_unit_test(a_file_system_that_cannot_exchange),
        cmocka_unit_test(swept_before_it_is_locked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
