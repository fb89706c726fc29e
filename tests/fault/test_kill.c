/* test_kill.c: a build that is killed, at every call of store and at random moments, leaves the old
 * index or the new one; what it leaves behind is gone after the next build.
 *
 * RIPOSTE_KILLS sets the number of random kills; a soak goes on for half of its minutes. */
#include "fault_world.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fault_ops.h"

/* ---- At every call ----------------------------------------------------------------------------- */

typedef enum plant { PLANT_NONE, PLANT_EARLY_REMOVAL, PLANT_KEPT_DEBRIS } plant;

/* One place to be killed at: before the at-th call, or in the middle of the at-th write. */
typedef struct spot {
    const fault_world *world;
    uint64_t at, calls;
    bool in_write, is_last; /* is_last: the next call is not made */
    bool recodes;           /* from another index, instead of building */
    plant plant;
} spot;

/* The old index's files, removed where a careless build would: before the new manifest is there. */
static void remove_early(const fault_world *w)
{
    static const char *const kinds[] = {"terms", "lists", "positions", "docs", "text"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s.00000001.rp", w->index, kinds[i]);
        unlink(path);
    }
}

static fault_act kill_at(void *arg, fault_call call, int fd, const char *path, size_t bytes)
{
    (void)fd, (void)path;
    spot *s = arg;
    fault_act act = {0};
    if (s->plant == PLANT_EARLY_REMOVAL && call == FAULT_RENAME)
        remove_early(s->world);
    if (s->is_last)
        raise(SIGKILL);
    if (s->in_write && call != FAULT_WRITE)
        return act;
    if (++s->calls != s->at)
        return act;
    if (!s->in_write)
        raise(SIGKILL);
    s->is_last = true;
    act.at_most = bytes / 2;
    return act;
}

static int build_until_killed(void *arg)
{
    spot *s = arg;
    rp_error err = {0};
    fault_ops_set(kill_at, s);
    if ((s->recodes ? fault_recode_new : fault_build_new)(s->world, s->world->index, &err) == RP_OK)
        return 0;
    fprintf(stderr, "%s\n", err.text);
    return 1;
}

static fault_act keep_debris(void *arg, fault_call call, int fd, const char *path, size_t bytes)
{
    (void)arg, (void)fd, (void)path, (void)bytes;
    return (fault_act){.is_done = call == FAULT_UNLINK};
}

typedef struct tally {
    uint64_t kills, bad, none, old, new;
    char why[600];
} tally;

static void count(tally *t, const spot *s, fault_found found, bool is_fine, const char *why)
{
    t->none += found == FAULT_NONE;
    t->old += found == FAULT_OLD;
    t->new += found == FAULT_NEW;
    if (is_fine)
        return;
    if (t->bad++ == 0)
        snprintf(t->why, sizeof t->why, "killed %s %llu: %s; %s",
                 s->in_write ? "in write" : "before call", (unsigned long long)s->at,
                 fault_found_names[found], why);
}

/* False: the build came to its end before the spot. */
static bool kill_once(spot *s, bool with_old, tally *t)
{
    char why[256] = "";
    fault_world_reset(s->world, with_old);
    int status = fault_in_child(build_until_killed, s);
    if (!WIFSIGNALED(status)) {
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        return false;
    }
    assert_int_equal(WTERMSIG(status), SIGKILL);
    t->kills++;
    fault_found found = fault_look(s->world, s->world->index, why);
    bool is_fine = found == FAULT_NEW || found == (with_old ? FAULT_OLD : FAULT_NONE);
    if (s->plant == PLANT_KEPT_DEBRIS)
        fault_ops_set(keep_debris, NULL);
    if (is_fine && !fault_recovers(s->world, s->world->index, why))
        is_fine = false;
    fault_ops_set(NULL, NULL);
    count(t, s, found, is_fine, why);
    return true;
}

/* Every `stride`-th call, both before it and in the middle of it where it writes. */
static tally kill_everywhere(const fault_recipe *recipe, bool recodes, bool with_old,
                             uint64_t stride, plant planted)
{
    fault_world w;
    tally t = {0};
    fault_world_make(&w, recipe);
    assert_true(recipe != &fault_spills || w.runs >= 2);
    for (int in_write = 0; in_write <= 1; in_write++) {
        spot s = {.world = &w, .at = 1, .in_write = in_write, .recodes = recodes, .plant = planted};
        while (kill_once(&s, with_old, &t)) {
            s.at += stride;
            s.calls = 0;
        }
    }
    fault_world_free(&w);
    return t;
}

static void expect_no_bad(const char *name, const tally *t)
{
    print_message("%s: %llu kills, %llu bad; found none %llu, old %llu, new %llu\n", name,
                  (unsigned long long)t->kills, (unsigned long long)t->bad,
                  (unsigned long long)t->none, (unsigned long long)t->old,
                  (unsigned long long)t->new);
    if (t->bad)
        fail_msg("%s: %s", name, t->why);
}

static void every_call_of_a_build_over_an_old_index(void **state)
{
    (void)state;
    tally t = kill_everywhere(&fault_tiny, false, true, 1, PLANT_NONE);
    expect_no_bad("over an old index", &t);
    assert_int_equal(t.none, 0);
    assert_true(t.old > 20 && t.new > 0);
}

static void every_call_of_a_first_build(void **state)
{
    (void)state;
    tally t = kill_everywhere(&fault_tiny, false, false, 1, PLANT_NONE);
    expect_no_bad("a first build", &t);
    assert_int_equal(t.old, 0);
    assert_true(t.none > 20 && t.new > 0);
}

static void every_call_of_a_recode(void **state)
{
    (void)state;
    tally t = kill_everywhere(&fault_tiny, true, true, 1, PLANT_NONE);
    expect_no_bad("a recode over an old index", &t);
    assert_int_equal(t.none, 0);
    assert_true(t.old > 20 && t.new > 0);
}

static void calls_of_a_build_that_spills(void **state)
{
    (void)state;
    uint64_t stride = getenv("SOAK_MINUTES") ? 1 : FAULT_SLOW > 5 ? 12 : 3;
    tally t = kill_everywhere(&fault_spills, false, true, stride, PLANT_NONE);
    expect_no_bad("with spills", &t);
    assert_int_equal(t.none, 0);
    assert_true(t.old > 0);
}

/* ---- At random moments ------------------------------------------------------------------------- */

typedef struct chain {
    fault_world world;
    fault_found target;
    uint64_t random, build_ns[FAULT_BAD]; /* how long each target takes undisturbed */
} chain;

static int build_target(void *arg)
{
    const chain *c = arg;
    rp_error err = {0};
    rp_status status = c->target == FAULT_NEW ? fault_build_new(&c->world, c->world.index, &err)
                                              : fault_build_old(&c->world, c->world.index, &err);
    if (status != RP_OK)
        fprintf(stderr, "%s\n", err.text);
    return status == RP_OK ? 0 : 1;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* True: the build came to its end first. */
static bool kill_at_random(chain *c)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(build_target(c));
    uint64_t ns = fault_below(&c->random, c->build_ns[c->target] * 5 / 4);
    struct timespec pause = {(time_t)(ns / 1000000000U), (long)(ns % 1000000000U)};
    while (nanosleep(&pause, &pause) != 0)
        assert_int_equal(errno, EINTR);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFEXITED(status);
}

/* Each kill meets what the ones before left; after each eighth a build is let through. */
static void random_moments(void **state)
{
    (void)state;
    chain c = {.random = fault_seed()};
    fault_recipe recipe = {.docs = 8, .words = 2000, .word_bytes = 6, .threads = 2};
    fault_world_make(&c.world, &recipe);
    fault_world_reset(&c.world, true);
    uint64_t least = fault_count("RIPOSTE_KILLS", 200 / FAULT_SLOW), kills = 0, rounds = 0;
    for (c.target = FAULT_OLD; c.target <= FAULT_NEW; c.target++) {
        uint64_t begun = now_ns();
        assert_int_equal(fault_in_child(build_target, &c), 0);
        c.build_ns[c.target] = now_ns() - begun;
    }
    fault_found before = FAULT_NEW;
    for (char why[256]; fault_goes_on(kills, least, 0.5); rounds++) {
        c.target = rounds % 2 ? FAULT_NEW : FAULT_OLD;
        bool is_complete = kill_at_random(&c);
        fault_found found = fault_look(&c.world, c.world.index, why);
        kills += !is_complete;
        if (found != c.target && (is_complete || found != before))
            fail_msg("seed %llu, kill %llu: %s %s", (unsigned long long)fault_seed(),
                     (unsigned long long)kills, fault_found_names[found], why);
        before = found;
        if (rounds % 8 == 7 && !fault_recovers(&c.world, c.world.index, why))
            fail_msg("seed %llu, kill %llu: %s", (unsigned long long)fault_seed(),
                     (unsigned long long)kills, why);
        if (rounds % 8 == 7)
            before = FAULT_NEW;
        assert_true(rounds < 100 * least + 1000 || getenv("SOAK_MINUTES"));
    }
    print_message("at random: %llu kills in %llu builds, 0 bad; seed %llu\n",
                  (unsigned long long)kills, (unsigned long long)rounds,
                  (unsigned long long)fault_seed());
    fault_world_free(&c.world);
}

/* ---- Readers meanwhile -------------------------------------------------------------------------- */

/* Builds old and new in turn until it is killed. */
static int build_for_ever(void *arg)
{
    chain *c = arg;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
    for (c->target = FAULT_OLD; build_target(c) == 0;)
        c->target = c->target == FAULT_OLD ? FAULT_NEW : FAULT_OLD;
    return 1;
}

/* The three hits must all be of one index. */
static void read_once(const char *dir, uint64_t *old, uint64_t *new)
{
    rp_error err = {0};
    rp_index *index = NULL;
    rp_hits hits = {0};
    if (rp_index_open(dir, &(rp_index_options){.verify = true}, &index, &err) != RP_OK ||
        rp_search(index, "common", 10, &hits, &err) != RP_OK)
        fail_msg("%s", err.text);
    assert_int_equal(hits.n, 3);
    for (size_t i = 1; i < hits.n; i++)
        assert_int_equal(hits.at[i].name[0], hits.at[0].name[0]);
    *(hits.at[0].name[0] == 'o' ? old : new) += 1;
    rp_hits_free(&hits);
    rp_index_close(index);
}

static void readers_while_builds_replace(void **state)
{
    (void)state;
    chain c = {0};
    uint64_t old = 0, new = 0;
    fault_world_make(&c.world, &fault_tiny);
    fault_world_reset(&c.world, true);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(build_for_ever(&c));
    for (uint64_t begun = now_ns(); now_ns() - begun < 1000000000U;)
        read_once(c.world.index, &old, &new);
    kill(child, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    fault_world_free(&c.world);
    print_message("read the old index %llu times, the new one %llu times\n",
                  (unsigned long long)old, (unsigned long long)new);
    assert_true(old > 0 && new > 0);
}

/* ---- The tests' own test ----------------------------------------------------------------------- */

static void planted_early_removal_is_caught(void **state)
{
    (void)state;
    tally t = kill_everywhere(&fault_tiny, false, true, 1, PLANT_EARLY_REMOVAL);
    print_message("caught %llu: %s\n", (unsigned long long)t.bad, t.why);
    assert_true(t.bad > 0);
}

static void planted_debris_is_caught(void **state)
{
    (void)state;
    tally t = kill_everywhere(&fault_tiny, false, true, 4, PLANT_KEPT_DEBRIS);
    print_message("caught %llu: %s\n", (unsigned long long)t.bad, t.why);
    assert_true(t.bad > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_a_build_over_an_old_index),
        cmocka_unit_test(every_call_of_a_first_build),
        cmocka_unit_test(every_call_of_a_recode),
        cmocka_unit_test(calls_of_a_build_that_spills),
        cmocka_unit_test(random_moments),
        cmocka_unit_test(readers_while_builds_replace),
        cmocka_unit_test(planted_early_removal_is_caught),
        cmocka_unit_test(planted_debris_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
