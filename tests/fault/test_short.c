/* test_short.c: calls that do less than they were asked, are interrupted or find nothing yet change
 * neither an index's bytes nor an answer: at random through a row of store's table, and for real by
 * an alarm a thousand times a second and by pipes. A soak takes new seeds for half of its minutes. */
#include "fault_world.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "fault_ops.h"

typedef struct moods {
    uint64_t random;
    uint64_t shortened, interrupted;
    bool is_lying; /* planted: what was not written is said to be */
} moods;

static fault_act be_moody(void *arg, fault_call call, int fd, const char *path, size_t bytes)
{
    (void)fd, (void)path;
    moods *m = arg;
    bool is_transfer = call == FAULT_READ || call == FAULT_PREAD || call == FAULT_WRITE;
    uint64_t dice = fault_below(&m->random, 16);
    if (dice == 0 && (is_transfer || call == FAULT_OPEN || call == FAULT_FSYNC)) {
        m->interrupted++;
        return (fault_act){.error = EINTR};
    }
    if (!is_transfer || bytes < 2 || dice > 12)
        return (fault_act){0};
    if (dice == 1) {
        m->interrupted++;
        return (fault_act){.error = EAGAIN};
    }
    m->shortened++;
    uint64_t most = dice < 4 ? 16 : bytes - 1; /* a few bytes, or any number */
    size_t n = 1 + fault_below(&m->random, most < bytes ? most : bytes - 1);
    return (fault_act){.at_most = n, .is_done = m->is_lying && call == FAULT_WRITE};
}

/* A build and all answers in that mood, then the same bytes as ever. */
static fault_found build_moodily(const fault_world *w, moods *m, bool with_old, char *why)
{
    rp_error err = {0};
    fault_world_reset(w, with_old);
    fault_ops_set(be_moody, m);
    rp_status status = fault_build_new(w, w->index, &err);
    fault_found found = status == RP_OK ? fault_look(w, w->index, why) : FAULT_BAD;
    fault_ops_set(NULL, NULL);
    if (status != RP_OK)
        snprintf(why, 256, "%.250s", err.text);
    return found == FAULT_NEW ? fault_look(w, w->index, why) : found;
}

static void run_moods(const char *name, const fault_recipe *recipe, uint64_t rounds, double share)
{
    fault_world w;
    char why[256];
    uint64_t seed = fault_seed(), round = 0, shortened = 0, interrupted = 0;
    fault_world_make(&w, recipe);
    for (; fault_goes_on(round, rounds, share); round++) {
        moods m = {.random = seed + round};
        fault_found found = build_moodily(&w, &m, round % 2, why);
        if (found != FAULT_NEW)
            fail_msg("seed %llu: %s %s", (unsigned long long)(seed + round),
                     fault_found_names[found], why);
        shortened += m.shortened;
        interrupted += m.interrupted;
    }
    fault_world_free(&w);
    print_message("%s: %llu builds, %llu calls shortened, %llu interrupted, 0 bad; seed %llu\n",
                  name, (unsigned long long)round, (unsigned long long)shortened,
                  (unsigned long long)interrupted, (unsigned long long)seed);
    assert_true(shortened > rounds && interrupted > rounds);
}

static void random_short_calls(void **state)
{
    (void)state;
    run_moods("small builds", &fault_tiny, 200 / FAULT_SLOW, 0.3);
    run_moods("wide builds", &fault_wide, 20 / FAULT_SLOW, 0.1);
    run_moods("builds with spills", &fault_spills, 1 + 9 / FAULT_SLOW, 0.1);
}

/* ---- Compressed input -------------------------------------------------------------------------- */

static void compressed_input_in_small_pieces(void **state)
{
    (void)state;
    fault_world w;
    char path[600], why[256];
    size_t n = 0;
    fault_world_make(&w, &fault_wide);
    uint8_t *bytes = fault_read(w.new_input, &n);
    snprintf(path, sizeof path, "%s/new.gz", w.dir.path);
    gzFile out = gzopen(path, "wb1");
    assert_non_null(out);
    assert_int_equal(gzwrite(out, bytes, (unsigned)n), n);
    assert_int_equal(gzclose(out), Z_OK);
    free(bytes);
    strcpy(w.new_input, path);
    for (uint64_t round = 0; round < 4; round++) {
        moods m = {.random = fault_seed() + round};
        assert_int_equal(build_moodily(&w, &m, true, why), FAULT_NEW);
    }
    fault_world_free(&w);
}

/* ---- Real signals ------------------------------------------------------------------------------ */

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    (void)number;
    alarms++;
}

static void set_alarms(long microseconds)
{
    struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
    struct itimerval each = {{0, microseconds}, {0, microseconds}};
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &each, NULL), 0);
}

static void alarms_at_1_khz(void **state)
{
    (void)state;
    fault_world w;
    fault_recipe recipe = {.docs = 8, .words = 2000, .word_bytes = 6};
    char why[256] = "";
    rp_error err = {0};
    fault_world_make(&w, &recipe);
    fault_world_reset(&w, true);
    alarms = 0;
    set_alarms(1000);
    uint64_t builds = 0;
    rp_status status = RP_OK;
    fault_found found = FAULT_NEW;
    for (; alarms < 300 && status == RP_OK && found == FAULT_NEW; builds++) {
        status = fault_build_new(&w, w.index, &err);
        if (status == RP_OK)
            found = fault_look(&w, w.index, why);
    }
    set_alarms(0);
    fault_world_free(&w);
    print_message("%d alarms in %llu builds\n", (int)alarms, (unsigned long long)builds);
    if (status != RP_OK || found != FAULT_NEW)
        fail_msg("%s %s %s", err.text, fault_found_names[found], why);
}

/* What a slow writer puts into the pipe. */
static int dribble(const char *fifo, const uint8_t *bytes, size_t n)
{
    uint64_t random = fault_seed();
    int fd = open(fifo, O_WRONLY);
    for (size_t at = 0; fd >= 0 && at < n;) {
        size_t piece = 1 + fault_below(&random, 64);
        if (piece > n - at)
            piece = n - at;
        if (write(fd, bytes + at, piece) != (ssize_t)piece)
            return 1;
        at += piece;
        usleep((useconds_t)fault_below(&random, 3000));
    }
    return fd < 0 || close(fd) != 0;
}

static void a_slow_pipe_under_alarms(void **state)
{
    (void)state;
    fault_world w;
    char fifo[600], why[256] = "";
    size_t n = 0;
    rp_error err = {0};
    int child_status = 0;
    fault_world_make(&w, &fault_tiny);
    uint8_t *bytes = fault_read(w.new_input, &n);
    snprintf(fifo, sizeof fifo, "%s/fifo", w.dir.path);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(dribble(fifo, bytes, n));
    const char *paths[] = {fifo};
    set_alarms(1000);
    rp_status status = rp_index_build(paths, 1, w.index, NULL, NULL, &err);
    set_alarms(0);
    assert_int_equal(waitpid(child, &child_status, 0), child);
    free(bytes);
    if (status != RP_OK)
        fail_msg("%s", err.text);
    assert_int_equal(child_status, 0);
    assert_int_equal(fault_look(&w, w.index, why), FAULT_NEW);
    fault_world_free(&w);
}

/* ---- The tests' own test ----------------------------------------------------------------------- */

static void planted_unfinished_write_is_caught(void **state)
{
    (void)state;
    fault_world w;
    char why[256];
    unsigned caught = 0;
    fault_world_make(&w, &fault_tiny);
    for (uint64_t round = 0; round < 20; round++) {
        moods m = {.random = fault_seed() + round, .is_lying = true};
        caught += build_moodily(&w, &m, true, why) != FAULT_NEW;
    }
    fault_world_free(&w);
    print_message("caught %u of 20: %s\n", caught, why);
    assert_true(caught > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_short_calls),
        cmocka_unit_test(compressed_input_in_small_pieces),
        cmocka_unit_test(alarms_at_1_khz),
        cmocka_unit_test(a_slow_pipe_under_alarms),
        cmocka_unit_test(planted_unfinished_write_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
