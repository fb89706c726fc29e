/* test_mapping.c: a mapped file that is cut short costs a status inside the guard; outside of it the
 * signal goes where it went before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/thread.h"
#include "store/store.h"
#include "tempdir.h"

enum { PAGES = 4, PAGE = 4096 };

static tempdir dir;

/* A mapping of PAGES pages whose file is one page long. */
static const volatile uint8_t *map_cut(const char *name)
{
    int fd = open(tempdir_path(&dir, name), O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, PAGES * PAGE), 0);
    void *at = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(at != MAP_FAILED);
    assert_int_equal(ftruncate(fd, PAGE), 0);
    close(fd);
    return at;
}

typedef struct job {
    const volatile uint8_t *at;
    size_t offset;
    int begun, ended;
    rp_status status;
} job;

static rp_status touch(void *arg)
{
    job *j = arg;
    j->begun++;
    (void)j->at[j->offset];
    j->ended++;
    return j->status;
}

static void check_status(void)
{
    job j = {.at = map_cut("a")};
    assert_int_equal(rp__mapping_guard(touch, &j), RP_OK);
    j.status = RP_LIMIT;
    assert_int_equal(rp__mapping_guard(touch, &j), RP_LIMIT);
    assert_int_equal(j.ended, 2);
}

static void check_cut_file(void)
{
    job j = {.at = map_cut("b")};
    for (int i = 1; i <= 3; i++) { /* again and again: the guard is whole after each */
        j.offset = PAGE;
        assert_int_equal(rp__mapping_guard(touch, &j), RP_DAMAGED);
        assert_int_equal(j.ended, i - 1);
        j.offset = PAGE - 1;
        assert_int_equal(rp__mapping_guard(touch, &j), RP_OK);
    }
    assert_int_equal(j.begun, 6);
}

enum { THREADS = 4 };

static void run_thread(void *arg, uint32_t worker)
{
    job *j = (job *)arg + worker;
    j->offset = worker % 2 ? 2 * PAGE : 7;
    for (int i = 0; i < 200; i++)
        j->status = rp__mapping_guard(touch, &(job){.at = j->at, .offset = j->offset});
}

static void check_threads(void)
{
    job jobs[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        jobs[i] = (job){.at = map_cut("c"), .status = RP_USAGE};
    assert_int_equal(rp__thread_run(THREADS, run_thread, jobs), RP_OK);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(jobs[i].status, i % 2 ? RP_DAMAGED : RP_OK);
}

static void end_42(int number)
{
    (void)number;
    _exit(42);
}

static void end_43(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    _exit(43);
}

/* In a process of its own, in which nothing has installed the guard's handler yet. */
static int touch_outside(const struct sigaction *before)
{
    job j = {.at = map_cut("d")};
    pid_t child = fork();
    if (child == 0) {
        if (before)
            sigaction(SIGBUS, before, NULL);
        rp__mapping_guard(touch, &j);
        j.offset = PAGE;
        touch(&j);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_signals_of_others(void **state)
{
    (void)state;
    struct sigaction plain = {.sa_handler = end_42}, full = {.sa_flags = SA_SIGINFO},
                     none = {.sa_handler = SIG_DFL};
    full.sa_sigaction = end_43;
    assert_int_equal(WEXITSTATUS(touch_outside(&plain)), 42);
    assert_int_equal(WEXITSTATUS(touch_outside(&full)), 43);
    int status = touch_outside(&none);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGBUS);
}

/* In one test, because cmocka sets its own handler before each: the guard's is set once. */
static void test_guard(void **state)
{
    (void)state;
    check_status();
    check_cut_file();
    check_threads();
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
        cmocka_unit_test(test_signals_of_others), /* first: before the handler is there */
        cmocka_unit_test(test_guard),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
