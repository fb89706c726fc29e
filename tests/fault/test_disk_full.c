/* test_disk_full.c: a build for which there is no room says so, leaves the old index and nothing else,
 * and succeeds once there is room: with a budget of bytes in 4 KiB steps, on small tmpfs mounts with
 * too few bytes or inodes, and under a limit on the size of a file. Mounts need root; a soak takes
 * steps of 512 bytes. */
#include "fault_world.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_ops.h"

enum { SKIPPED = 77 };

/* ---- A budget of bytes ------------------------------------------------------------------------- */

typedef struct budget {
    uint64_t left;
    bool is_silent, keeps_debris; /* planted */
} budget;

static fault_act spend(void *arg, fault_call call, int fd, const char *path, size_t bytes)
{
    (void)fd, (void)path;
    budget *b = arg;
    if (call == FAULT_UNLINK && b->keeps_debris)
        return (fault_act){.is_done = 1};
    if (call != FAULT_WRITE || b->left >= bytes) {
        b->left -= call == FAULT_WRITE ? bytes : 0;
        return (fault_act){0};
    }
    size_t rest = (size_t)b->left;
    b->left = 0;
    if (b->is_silent)
        return (fault_act){.at_most = rest, .is_done = 1};
    return rest ? (fault_act){.at_most = rest} : (fault_act){.error = ENOSPC};
}

/* Empty: a clear refusal with the old index in place, or a success with the new one. */
static void judge(const fault_world *w, const char *dir, rp_status status, const rp_error *err,
                  char *why)
{
    char text[256] = "";
    fault_found found = fault_look(w, dir, text);
    why[0] = 0;
    if (status != RP_OK && (status != RP_IO || !err->text[0]))
        snprintf(why, 256, "%s: \"%.200s\"", rp_status_name(status), err->text);
    else if (found != (status == RP_OK ? FAULT_NEW : FAULT_OLD))
        snprintf(why, 256, "%s, then %s %.150s", rp_status_name(status), fault_found_names[found],
                 text);
    else if (fault_leftovers(dir, text))
        snprintf(why, 256, "%s leaves%.200s", rp_status_name(status), text);
}

typedef struct tally {
    uint64_t steps, bad, bytes;
    char why[300];
} tally;

/* Budgets from nothing until the build succeeds. No folder is made anew between them: what a failed
 * build left would be seen. */
static tally grow_budget(const fault_recipe *recipe, uint64_t step, budget planted)
{
    fault_world w;
    tally t = {0};
    char why[256];
    fault_world_make(&w, recipe);
    fault_world_reset(&w, true);
    size_t files = fault_open_files();
    for (rp_status status = RP_IO; status != RP_OK && t.bad == 0; t.steps++, t.bytes += step) {
        rp_error err = {0};
        budget b = planted;
        b.left = t.bytes;
        fault_ops_set(spend, &b);
        status = fault_build_new(&w, w.index, &err);
        fault_ops_set(NULL, NULL);
        judge(&w, w.index, status, &err, why);
        if (!why[0] && status != RP_OK && !strstr(err.text, "No space left"))
            snprintf(why, sizeof why, "it says only \"%.200s\"", err.text);
        if (why[0] && t.bad++ == 0)
            snprintf(t.why, sizeof t.why, "%llu bytes: %s", (unsigned long long)t.bytes, why);
    }
    assert_int_equal(fault_open_files(), files);
    fault_world_free(&w);
    return t;
}

static void expect_no_bad(const char *name, const tally *t)
{
    if (t->bad)
        fail_msg("%s: %s", name, t->why);
    print_message("%s: %llu steps up to %llu bytes, 0 bad\n", name, (unsigned long long)t->steps,
                  (unsigned long long)t->bytes);
}

static uint64_t step_bytes(void)
{
    return getenv("SOAK_MINUTES") ? 512 : FAULT_SLOW > 1 ? 32768 : 4096;
}

static void every_step_of_a_2_mib_build(void **state)
{
    (void)state;
    tally t = grow_budget(&fault_wide, step_bytes(), (budget){0});
    expect_no_bad("2 MiB build", &t);
    assert_true(t.bytes >= 2 << 20);
}

static void steps_of_a_build_that_spills(void **state)
{
    (void)state;
    tally t = grow_budget(&fault_spills, 16 * step_bytes(), (budget){0});
    expect_no_bad("with spills", &t);
    assert_true(t.steps > 3);
}

/* ---- Small mounts ------------------------------------------------------------------------------ */

/* In a mount namespace of its own, so that nothing stays mounted whatever happens. */
static bool may_mount(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* A build on a mount with these options, over an old index; then with room made. 0: it failed and was
 * fine, 1: it succeeded, -1: bad. */
static int build_on_mount(const fault_world *w, const char *options, const char *more)
{
    char at[300], dir[320], why[256] = "";
    rp_error err = {0};
    snprintf(at, sizeof at, "%s/mount", w->dir.path);
    snprintf(dir, sizeof dir, "%s/index", at);
    mkdir(at, 0777);
    if (mount("tmpfs", at, "tmpfs", 0, options) != 0)
        return -1;
    fault_copy(w->pristine, dir);
    rp_status status = fault_build_new(w, dir, &err);
    judge(w, dir, status, &err, why);
    bool is_fine = !why[0];
    if (is_fine && status != RP_OK)
        is_fine = mount("tmpfs", at, "tmpfs", MS_REMOUNT, more) == 0 && fault_recovers(w, dir, why);
    umount(at);
    if (!is_fine)
        fprintf(stderr, "tmpfs %s: %s\n", options, why);
    return !is_fine ? -1 : status == RP_OK;
}

typedef struct mount_plan {
    fault_world *world;
    const char *format, *more; /* the first takes a number */
    uint64_t from, step;
} mount_plan;

static int try_mounts(void *arg)
{
    const mount_plan *p = arg;
    char options[64];
    uint64_t steps = 0;
    int outcome = 0;
    if (!may_mount())
        return SKIPPED;
    for (uint64_t n = p->from; outcome == 0; n += p->step, steps++) {
        snprintf(options, sizeof options, p->format, (unsigned long long)n);
        outcome = build_on_mount(p->world, options, p->more);
    }
    printf("tmpfs %s: enough after %llu steps\n", options, (unsigned long long)steps);
    fflush(stdout);
    return outcome == 1 && steps > 3 ? 0 : 1;
}

static void run_mounts(const fault_recipe *recipe, mount_plan plan)
{
    fault_world w;
    fault_world_make(&w, recipe);
    plan.world = &w;
    int status = fault_in_child(try_mounts, &plan);
    fault_world_free(&w);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
        print_message("no right to mount\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static void small_mounts(void **state)
{
    (void)state;
    run_mounts(&fault_wide,
               (mount_plan){NULL, "size=%lluk", "size=64m", 24, FAULT_SLOW > 1 ? 512 : 128});
}

static void few_inodes(void **state)
{
    (void)state;
    run_mounts(&fault_tiny, (mount_plan){NULL, "nr_inodes=%llu", "nr_inodes=100", 8, 1});
}

static void small_mounts_and_spills(void **state)
{
    (void)state;
    run_mounts(&fault_spills, (mount_plan){NULL, "size=%lluk", "size=64m", 24, 512});
}

/* ---- A limit on the size of a file ------------------------------------------------------------- */

static int build_under_limits(void *arg)
{
    const fault_world *w = arg;
    rp_status status = RP_IO;
    char why[256] = "";
    uint64_t steps = 0;
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t most = 0; status != RP_OK && !why[0]; most += 64 * 1024, steps++) {
        rp_error err = {0};
        struct rlimit limit = {most, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &limit);
        status = fault_build_new(w, w->index, &err);
        judge(w, w->index, status, &err, why);
    }
    if (why[0])
        fprintf(stderr, "after %llu steps: %s\n", (unsigned long long)steps, why);
    return why[0] || steps < 5;
}

static void files_of_limited_size(void **state)
{
    (void)state;
    fault_world w;
    fault_world_make(&w, &fault_wide);
    fault_world_reset(&w, true);
    assert_int_equal(fault_in_child(build_under_limits, &w), 0);
    fault_world_free(&w);
}

/* The program, with the signal as it finds it. */
static int exec_under_limit(void *arg)
{
    const fault_world *w = arg;
    const char *program = getenv("RIPOSTE");
    struct rlimit limit = {64 * 1024, 64 * 1024};
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &limit);
    program = program ? program : "build/riposte";
    execl(program, program, "index", "-q", w->new_input, "-o", w->index, (char *)NULL);
    return SKIPPED;
}

static void program_with_files_of_limited_size(void **state)
{
    (void)state;
    fault_world w;
    char why[256] = "";
    fault_world_make(&w, &fault_wide);
    fault_world_reset(&w, true);
    int status = fault_in_child(exec_under_limit, &w);
    fault_found found = fault_look(&w, w.index, why);
    size_t left = fault_leftovers(w.index, why);
    fault_world_free(&w);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
        print_message("no program\n");
        skip();
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 4);
    assert_int_equal(found, FAULT_OLD);
    assert_int_equal(left, 0);
}

/* ---- The tests' own test ----------------------------------------------------------------------- */

static void expect_caught(budget planted)
{
    tally t = grow_budget(&fault_tiny, 512, planted);
    print_message("caught: %s\n", t.why);
    assert_true(t.bad > 0);
}

static void planted_untold_full_disk_is_caught(void **state)
{
    (void)state;
    expect_caught((budget){.is_silent = true});
}

static void planted_debris_is_caught(void **state)
{
    (void)state;
    expect_caught((budget){.keeps_debris = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_of_a_2_mib_build),
        cmocka_unit_test(steps_of_a_build_that_spills),
        cmocka_unit_test(small_mounts),
        cmocka_unit_test(few_inodes),
        cmocka_unit_test(small_mounts_and_spills),
        cmocka_unit_test(files_of_limited_size),
        cmocka_unit_test(program_with_files_of_limited_size),
        cmocka_unit_test(planted_untold_full_disk_is_caught),
        cmocka_unit_test(planted_debris_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
