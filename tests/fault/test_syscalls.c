/* test_syscalls.c: every call of store fails in turn, once or from then on, in builds, opening,
 * searching and checking: the work is done all the same, or a clear error comes out and the index is
 * the old one (the new one where it was published already), with no debris and no descriptor lost.
 *
 * The program itself is held to the same under strace, where there is one. */
#include "fault_world.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_ops.h"
#include "index/manifest.h"

/* ---- One fault --------------------------------------------------------------------------------- */

/* How a call fails: an errno; for how many calls from the n-th of its kind on; whether it has taken
 * effect nevertheless. */
typedef struct way {
    fault_call call;
    int error;
    uint64_t times;
    bool is_done;
} way;

enum { ONCE = 1 };
#define STICKY UINT64_MAX
#define BOTH(call, error)                                                                          \
    {call, error, ONCE, false},                                                                    \
    {                                                                                              \
        call, error, STICKY, false                                                                 \
    }

/* EINTR comes to an end sometime, so it comes a hundred times where it is not alone. */
static const way ways[] = {
    BOTH(FAULT_OPEN, EMFILE),
    BOTH(FAULT_OPEN, EIO),
    BOTH(FAULT_OPEN, ENOSPC),
    {FAULT_OPEN, EINTR, ONCE, false},
    {FAULT_OPEN, EINTR, 100, false},
    BOTH(FAULT_CLOSE, EIO),
    {FAULT_CLOSE, EINTR, ONCE, false},
    {FAULT_CLOSE, EINTR, STICKY, false},
    BOTH(FAULT_READ, EIO),
    {FAULT_READ, EINTR, ONCE, false},
    {FAULT_READ, EINTR, 100, false},
    BOTH(FAULT_PREAD, EIO),
    {FAULT_PREAD, EINTR, ONCE, false},
    {FAULT_PREAD, EINTR, 100, false},
    BOTH(FAULT_WRITE, EIO),
    BOTH(FAULT_WRITE, ENOSPC),
    BOTH(FAULT_WRITE, EDQUOT),
    {FAULT_WRITE, EINTR, ONCE, false},
    {FAULT_WRITE, EINTR, 100, false},
    BOTH(FAULT_FSYNC, EIO),
    BOTH(FAULT_FSYNC, ENOSPC),
    {FAULT_FSYNC, EIO, ONCE, true},
    {FAULT_FSYNC, EINTR, ONCE, false},
    {FAULT_FSYNC, EINTR, 100, false},
    BOTH(FAULT_RENAME, EIO),
    BOTH(FAULT_RENAME, ENOSPC),
    {FAULT_RENAME, EIO, ONCE, true},
    BOTH(FAULT_UNLINK, EIO),
    {FAULT_UNLINK, EIO, ONCE, true},
    BOTH(FAULT_MKDIR, ENOSPC),
    BOTH(FAULT_MKDIR, EIO),
    BOTH(FAULT_LOCK, EIO),
    BOTH(FAULT_LOCK, ENOLCK),
    {FAULT_LOCK, EINTR, ONCE, false},
    BOTH(FAULT_SIZE, EIO),
    BOTH(FAULT_MAP, ENOMEM),
    BOTH(FAULT_MAP, EIO),
    BOTH(FAULT_UNMAP, EIO),
};

typedef struct fault {
    const way *way;
    uint64_t n, seen, fired;
    bool keeps_debris, is_silent; /* planted: removals do nothing; failures are not told */
} fault;

static fault_act fail_nth(void *arg, fault_call call, int fd, const char *path, size_t bytes)
{
    (void)fd, (void)path, (void)bytes;
    fault *f = arg;
    if (f->keeps_debris && call == FAULT_UNLINK)
        return (fault_act){.is_done = 1};
    if (call != f->way->call)
        return (fault_act){0};
    f->seen++;
    if (f->seen < f->n || f->seen - f->n >= f->way->times)
        return (fault_act){0};
    f->fired++;
    if (f->is_silent)
        return (fault_act){.is_done = 1};
    return (fault_act){.error = f->way->error, .is_done = f->way->is_done};
}

/* ---- The work that meets it -------------------------------------------------------------------- */

typedef rp_status work_fn(const fault_world *w, rp_error *err);

static rp_status work_build(const fault_world *w, rp_error *err)
{
    return fault_build_new(w, w->index, err);
}

static rp_status work_recode(const fault_world *w, rp_error *err)
{
    return fault_recode_new(w, w->index, err);
}

/* Their ids are in order, so it is the same index, but everything is moved. */
static rp_status work_reorder(const fault_world *w, rp_error *err)
{
    rp_reorder_options o = {.by = "url", .codec = rp_codec_name(0)};
    return rp_index_reorder(w->source, w->index, &o, NULL, err);
}

static rp_status work_open(const fault_world *w, rp_error *err)
{
    rp_index *index = NULL;
    rp_status status = rp_index_open(w->index, NULL, &index, err);
    rp_index_close(index);
    return status;
}

/* All answers, with all checksums: where it succeeds they must be right. */
static rp_status work_search(const fault_world *w, rp_error *err)
{
    rp_index *index = NULL;
    rp_hits hits = {0};
    rp_status status = rp_index_open(w->index, &(rp_index_options){.verify = true}, &index, err);
    if (status == RP_OK)
        status = rp_search(index, "\"lazy dog\" common", 10, &hits, err);
    if (status == RP_OK && hits.n != 3)
        snprintf(err->text, sizeof err->text, "%zu hits", hits.n), status = RP_NEGATIVE;
    rp_hits_free(&hits);
    rp_index_close(index);
    return status;
}

static rp_status work_check(const fault_world *w, rp_error *err)
{
    return rp_index_check(w->index, NULL, NULL, err);
}

typedef struct work {
    const char *name;
    const fault_recipe *recipe;
    work_fn *fn;
    bool with_old, is_build;
} work;

static const work works[] = {
    {"build over an old index", &fault_tiny, work_build, true, true},
    {"first build", &fault_tiny, work_build, false, true},
    {"build with spills", &fault_spills, work_build, true, true},
    {"recode over an old index", &fault_tiny, work_recode, true, true},
    {"recode into a new folder", &fault_tiny, work_recode, false, true},
    {"reorder over an old index", &fault_tiny, work_reorder, true, true},
    {"reorder into a new folder", &fault_tiny, work_reorder, false, true},
    {"open", &fault_tiny, work_open, true, false},
    {"search", &fault_tiny, work_search, true, false},
    {"check", &fault_tiny, work_check, true, false},
};

/* ---- Verdicts ---------------------------------------------------------------------------------- */

static bool is_clear(rp_status status, const rp_error *err)
{
    if (status == RP_OK)
        return true;
    return (status == RP_IO || status == RP_NO_MEMORY || status == RP_DAMAGED) && err->text[0];
}

/* A call that was only interrupted is repeated, so nothing is to be seen of it. */
static bool must_succeed(const way *how)
{
    return how->error == EINTR && how->call != FAULT_LOCK;
}

/* A build that could not write, sync or publish never says that it is done. */
static bool must_fail(const work *k, const way *how)
{
    bool is_vital = how->call == FAULT_WRITE || how->call == FAULT_FSYNC ||
                    how->call == FAULT_RENAME || how->call == FAULT_LOCK;
    return k->is_build && is_vital && how->error != EINTR;
}

/* What may lie there beside the index: nothing, unless removing is what failed, or the build failed
 * after its manifest was renamed, when the old files must wait for the next build. */
static bool may_leave(const fault *f, rp_status status, fault_found found)
{
    return f->way->call == FAULT_UNLINK || (status != RP_OK && found == FAULT_NEW);
}

static bool is_index_right(const work *k, rp_status status, fault_found found)
{
    if (k->is_build && status == RP_OK)
        return found == FAULT_NEW;
    fault_found before = k->with_old ? FAULT_OLD : FAULT_NONE;
    return found == before || (k->is_build && found == FAULT_NEW);
}

/* NULL: all is well. */
static const char *judge(const work *k, const fault_world *w, const fault *f, rp_status status,
                         const rp_error *err, size_t lost_files)
{
    static char why[600];
    char text[256] = "";
    if (!is_clear(status, err) || (must_succeed(f->way) && status != RP_OK))
        snprintf(why, sizeof why, "%s: \"%s\"", rp_status_name(status), err->text);
    else if (must_fail(k, f->way) && status == RP_OK)
        snprintf(why, sizeof why, "no word about it");
    else if (lost_files)
        snprintf(why, sizeof why, "%zu descriptors lost", lost_files);
    else {
        fault_found found = fault_look(w, w->index, text);
        if (!is_index_right(k, status, found))
            snprintf(why, sizeof why, "%s, then %s %s", rp_status_name(status),
                     fault_found_names[found], text);
        else if (!may_leave(f, status, found) && fault_leftovers(w->index, text))
            snprintf(why, sizeof why, "%s leaves%s", rp_status_name(status), text);
        else if (found == FAULT_NONE && !may_leave(f, status, found) && access(w->index, F_OK) == 0)
            snprintf(why, sizeof why, "%s leaves an empty folder", rp_status_name(status));
        else if (k->is_build && !fault_recovers(w, w->index, text))
            snprintf(why, sizeof why, "%s", text);
        else
            return NULL;
    }
    return why;
}

typedef struct tally {
    uint64_t runs, errors, bad;
    char why[800];
} tally;

/* False: the fault did not come to pass, so there are no more places for it. */
static bool try_fault(const work *k, const fault_world *w, fault *f, tally *t)
{
    rp_error err = {0};
    if (k->is_build)
        fault_world_reset(w, k->with_old);
    size_t files = fault_open_files();
    fault_ops_set(fail_nth, f);
    rp_status status = k->fn(w, &err);
    fault_ops_set(NULL, NULL);
    if (f->fired == 0)
        return false;
    const char *why = judge(k, w, f, status, &err, fault_open_files() - files);
    t->runs++;
    t->errors += status != RP_OK;
    if (why && t->bad++ == 0)
        snprintf(t->why, sizeof t->why, "%s: %s %llu fails with %s, %s%s: %s", k->name,
                 fault_call_names[f->way->call], (unsigned long long)f->n,
                 strerrorname_np(f->way->error), f->way->times == STICKY ? "from then on" : "once",
                 f->way->is_done ? ", though done" : "", why);
    return true;
}

static void try_way(const work *k, const fault_world *w, const way *how, uint64_t stride, tally *t)
{
    if (stride > 100 && how->times != ONCE)
        return;
    for (uint64_t n = 1;; n += stride) {
        fault f = {.way = how, .n = n};
        if (!try_fault(k, w, &f, t))
            return;
    }
}

/* Spilling builds are long: every call of them in a soak, else every fifteenth. */
static uint64_t stride_of(const work *k)
{
    return k->recipe == &fault_spills && !getenv("SOAK_MINUTES") ? 15 * FAULT_SLOW : 1;
}

static void every_call_fails(void **state)
{
    (void)state;
    uint64_t runs = 0, errors = 0;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        fault_world w;
        tally t = {0};
        fault_world_make(&w, works[i].recipe);
        fault_world_reset(&w, works[i].with_old);
        for (size_t j = 0; j < sizeof ways / sizeof *ways; j++)
            try_way(&works[i], &w, &ways[j], stride_of(&works[i]), &t);
        fault_world_free(&w);
        print_message("%s: %llu faults, %llu reported, %llu bad\n", works[i].name,
                      (unsigned long long)t.runs, (unsigned long long)t.errors,
                      (unsigned long long)t.bad);
        if (t.bad)
            fail_msg("%s", t.why);
        runs += t.runs;
        errors += t.errors;
    }
    print_message("%llu faults, %llu reported, 0 bad\n", (unsigned long long)runs,
                  (unsigned long long)errors);
    assert_true(runs > 500 && errors > 200);
}

/* ---- The program under strace ------------------------------------------------------------------- */

static const struct {
    const char *call, *error;
} injections[] = {
    {"fsync", "EIO"},    {"fsync", "ENOSPC"},  {"write", "ENOSPC"},   {"write", "EIO"},
    {"renameat", "EIO"}, {"unlinkat", "EIO"},  {"mkdirat", "EDQUOT"}, {"flock", "ENOLCK"},
    {"pread64", "EIO"},  {"openat", "EMFILE"}, {"read", "EIO"},       {"close", "EIO"},
    {"mmap", "ENOMEM"},
};

static const char *program(void)
{
    const char *path = getenv("RIPOSTE");
    return path ? path : "build/riposte";
}

static int run_strace(const fault_world *w, const char *trace)
{
    char command[2000];
    snprintf(command, sizeof command,
             "timeout 60 strace -f -qq -o %s/strace.log %s %s index %s -o %s >%s/out 2>&1",
             w->dir.path, trace, program(), w->new_input, w->index, w->dir.path);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static FILE *open_log(const fault_world *w)
{
    char path[600];
    snprintf(path, sizeof path, "%s/strace.log", w->dir.path);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    return f;
}

/* Calls of this name before the program opens its input: those are the loader's. */
static unsigned first_of_ours(const fault_world *w, const char *call)
{
    char trace[64], line[4096], head[64];
    unsigned n = 0;
    snprintf(trace, sizeof trace, "-e trace=openat,%s", call);
    snprintf(head, sizeof head, " %s(", call);
    fault_world_reset(w, true);
    assert_int_equal(run_strace(w, trace), 0);
    FILE *f = open_log(w);
    while (fgets(line, sizeof line, f)) {
        if (strstr(line, " openat(") && strstr(line, w->new_input))
            break;
        n += strstr(line, head) != NULL;
    }
    fclose(f);
    return n + 1;
}

static bool was_injected(const fault_world *w)
{
    char line[4096];
    bool is_found = false;
    FILE *f = open_log(w);
    while (!is_found && fgets(line, sizeof line, f))
        is_found = strstr(line, "(INJECTED)") != NULL;
    fclose(f);
    return is_found;
}

static bool is_exit_fine(int code)
{
    return code == 0 || code == 4 || code == 5 || code == 7;
}

/* False: no such call is left to fail. */
static bool inject_once(const fault_world *w, size_t i, unsigned n, bool with_old)
{
    char trace[200], why[256] = "", left[256] = "";
    const char *call = injections[i].call;
    fault_world_reset(w, with_old);
    snprintf(trace, sizeof trace, "-e trace=%s -e inject=%s:error=%s:when=%u", call, call,
             injections[i].error, n);
    int code = run_strace(w, trace);
    if (!was_injected(w))
        return false;
    fault_found found = fault_look(w, w->index, why);
    bool is_fine = is_exit_fine(code) && found != FAULT_BAD && (code != 0 || found == FAULT_NEW) &&
                   (found == FAULT_NEW || found == (with_old ? FAULT_OLD : FAULT_NONE));
    bool may_be_left = strcmp(call, "unlinkat") == 0 || (code != 0 && found == FAULT_NEW);
    if (is_fine && !may_be_left && fault_leftovers(w->index, left) > 0)
        is_fine = false;
    if (!is_fine)
        fail_msg("%s %u fails with %s: exit code %d, %s %s%s", call, n, injections[i].error, code,
                 fault_found_names[found], why, left);
    return true;
}

static void program_under_strace(void **state)
{
    (void)state;
    fault_world w;
    if (FAULT_SLOW > 1) {
        print_message("a sanitizer does not run under strace, and gcov makes calls of its own\n");
        skip();
    }
    if (access(program(), X_OK) != 0 || system("strace -o /dev/null true 2>/dev/null") != 0) {
        print_message("no strace, or it may not trace\n");
        skip();
    }
    uint64_t runs = 0;
    fault_world_make(&w, &fault_tiny);
    for (size_t i = 0; i < sizeof injections / sizeof *injections; i++) {
        bool with_old = strcmp(injections[i].call, "mkdirat") != 0;
        for (unsigned n = first_of_ours(&w, injections[i].call); inject_once(&w, i, n, with_old);
             n++)
            runs++;
    }
    fault_world_free(&w);
    print_message("strace: %llu faults, 0 bad\n", (unsigned long long)runs);
    assert_true(runs > 30);
}

/* ---- The tests' own test ----------------------------------------------------------------------- */

static void expect_caught(const way *how, bool keeps_debris, bool is_silent)
{
    fault_world w;
    tally t = {0};
    fault_world_make(&w, &fault_tiny);
    for (uint64_t n = 1;; n++) {
        fault f = {.way = how, .n = n, .keeps_debris = keeps_debris, .is_silent = is_silent};
        if (!try_fault(&works[0], &w, &f, &t))
            break;
    }
    fault_world_free(&w);
    print_message("caught %llu of %llu: %s\n", (unsigned long long)t.bad,
                  (unsigned long long)t.runs, t.why);
    assert_true(t.bad > 0);
}

static void planted_debris_is_caught(void **state)
{
    (void)state;
    expect_caught(&(way){FAULT_WRITE, ENOSPC, ONCE, false}, true, false);
}

static void planted_lost_write_is_caught(void **state)
{
    (void)state;
    expect_caught(&(way){FAULT_WRITE, EIO, ONCE, false}, false, true);
}

static void planted_untold_sync_failure_is_caught(void **state)
{
    (void)state;
    expect_caught(&(way){FAULT_FSYNC, EIO, ONCE, false}, false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails),
        cmocka_unit_test(program_under_strace),
        cmocka_unit_test(planted_debris_is_caught),
        cmocka_unit_test(planted_lost_write_is_caught),
        cmocka_unit_test(planted_untold_sync_failure_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
