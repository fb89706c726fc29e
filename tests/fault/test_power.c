/* test_power.c: power may fail at any moment of a build, with unsynced bytes and names lost, torn or
 * early in any combination: what is on the disk then is the old index or the new one.
 *
 * RIPOSTE_POWER_STATES sets the number of states (10,000); a state is told by the seed, the scenario
 * and its number. A soak takes new seeds until its minutes are over. */
#include "fault_log.h"
#include "fault_world.h"

#include <unistd.h>

typedef struct scenario {
    const char *name;
    const fault_recipe *recipe;
    bool with_old, is_orphan, has_debris;
    unsigned share; /* of 100 states */
    uint64_t recover_each;
} scenario;

static const scenario over_old = {"over an old index", &fault_tiny, true, false, false, 44, 8};
static const scenario first = {"a first build", &fault_tiny, false, false, false, 34, 8};
static const scenario orphan = {
    "a folder that a killed build made", &fault_tiny, false, true, false, 10, 8};
static const scenario debris = {
    "over a killed build's files", &fault_tiny, true, false, true, 10, 8};
static const scenario spills = {"with spills", &fault_spills, true, false, false, 2, 16};
static const scenario *const scenarios[] = {&over_old, &first, &orphan, &debris, &spills};

typedef struct tally {
    uint64_t states, bad, found[FAULT_BAD + 1];
    size_t ops;
    char why[700];
} tally;

static void prepare(const scenario *s, const fault_world *w)
{
    static const char *const left[] = {"terms.00000002.rp", "lists.00000002.rp", "run.0.tmp",
                                       "aux.0.tmp", "manifest.tmp"};
    fault_world_reset(w, s->with_old);
    if (s->is_orphan)
        assert_int_equal(mkdir(w->index, 0777), 0);
    for (size_t i = 0; s->has_debris && i < sizeof left / sizeof *left; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", w->index, left[i]);
        fault_write(path, "half a file", 11);
    }
}

static bool is_right(const scenario *s, bool must_be_new, fault_found found)
{
    if (found == FAULT_NEW)
        return true;
    return !must_be_new && found == (s->with_old ? FAULT_OLD : FAULT_NONE);
}

/* Every prefix in turn; each second time only those from the manifest's creation on. */
static size_t pick_prefix(const fault_log *log, uint64_t number)
{
    size_t from = 0;
    for (size_t i = 0; i < log->n; i++)
        if (log->ops[i].kind == FAULT_LOG_CREATE)
            from = i;
    return number % 2 ? number / 2 % (log->n + 1) : from + number / 2 % (log->n - from + 1);
}

static void try_state(const scenario *s, const fault_world *w, const fault_log *log, uint64_t seed,
                      tally *t)
{
    char path[300], why[256] = "";
    uint64_t number = t->states++;
    size_t prefix = pick_prefix(log, number);
    snprintf(path, sizeof path, "%s/crashed", w->dir.path);
    fault_log_crash(log, prefix, seed * 0x9E3779B97F4A7C15U + number, path);
    fault_found found = fault_look(w, path, why);
    bool must_be_new = prefix >= fault_log_published(log);
    bool is_fine = is_right(s, must_be_new, found);
    if (is_fine && number % s->recover_each == 0)
        is_fine = fault_recovers(w, path, why);
    t->found[found]++;
    if (!is_fine && t->bad++ == 0)
        snprintf(t->why, sizeof t->why,
                 "%s, seed %llu, state %llu, power lost after %zu of %zu: "
                 "%s%s; %s",
                 s->name, (unsigned long long)seed, (unsigned long long)number, prefix, log->n,
                 fault_found_names[found], must_be_new ? " after success" : "", why);
    fault_remove(path);
}

static bool saw_both(const scenario *s, const tally *t)
{
    return t->found[FAULT_NEW] > 0 && t->found[s->with_old ? FAULT_OLD : FAULT_NONE] > 0;
}

/* A slow build tries few states, but never stops before it has seen both outcomes. The bound is
 * every prefix once: the empty one gives the old index and the whole log gives the new one. */
static tally run_scenario(const scenario *s, uint64_t states, uint64_t seed, fault_plant plant)
{
    fault_world w;
    fault_log log;
    tally t = {0};
    rp_error err = {0};
    fault_world_make(&w, s->recipe);
    prepare(s, &w);
    fault_log_begin(&log, w.index, s->is_orphan, plant);
    rp_status status = fault_build_new(&w, w.index, &err);
    fault_log_end(&log);
    if (status != RP_OK)
        fail_msg("%s: %s", s->name, err.text);
    t.ops = log.n;
    uint64_t bound = 2 * (log.n + 1);
    while (t.states < states || (t.states < bound && !saw_both(s, &t)))
        try_state(s, &w, &log, seed, &t);
    fault_log_free(&log);
    fault_world_free(&w);
    return t;
}

static void report(const scenario *s, const tally *t)
{
    print_message("%s: %llu states of %zu operations, %llu bad; none %llu, old %llu, new %llu\n",
                  s->name, (unsigned long long)t->states, t->ops, (unsigned long long)t->bad,
                  (unsigned long long)t->found[FAULT_NONE], (unsigned long long)t->found[FAULT_OLD],
                  (unsigned long long)t->found[FAULT_NEW]);
    if (t->bad)
        fail_msg("%s", t->why);
    assert_true(saw_both(s, t));
}

static void old_or_new_in_every_state(void **state)
{
    (void)state;
    uint64_t least = fault_count("RIPOSTE_POWER_STATES", 10000 / FAULT_SLOW), done = 0;
    uint64_t seed = fault_seed();
    for (uint64_t round = 0; fault_goes_on(round, 1, 1.0); round++)
        for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
            const scenario *s = scenarios[i];
            tally t = run_scenario(s, least * s->share / 100, seed + round, FAULT_PLANT_NONE);
            report(s, &t);
            done += t.states;
        }
    print_message("%llu states, 0 bad; seed %llu\n", (unsigned long long)done,
                  (unsigned long long)seed);
}

/* ---- The tests' own test ----------------------------------------------------------------------- */

static void expect_caught(const scenario *s, fault_plant plant)
{
    tally t = run_scenario(s, 600, fault_seed(), plant);
    print_message("caught %llu of %llu: %s\n", (unsigned long long)t.bad,
                  (unsigned long long)t.states, t.why);
    assert_true(t.bad > 0);
}

static void planted_missing_file_sync_is_caught(void **state)
{
    (void)state;
    expect_caught(&over_old, FAULT_PLANT_NO_FILE_SYNC);
}

static void planted_missing_folder_sync_is_caught(void **state)
{
    (void)state;
    expect_caught(&over_old, FAULT_PLANT_NO_FOLDER_SYNC);
}

static void planted_missing_sync_of_the_folder_above_is_caught(void **state)
{
    (void)state;
    expect_caught(&first, FAULT_PLANT_NO_PARENT_SYNC);
}

static void planted_early_rename_is_caught(void **state)
{
    (void)state;
    expect_caught(&over_old, FAULT_PLANT_EARLY_RENAME);
}

static void planted_early_removal_is_caught(void **state)
{
    (void)state;
    expect_caught(&over_old, FAULT_PLANT_EARLY_REMOVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_or_new_in_every_state),
        cmocka_unit_test(planted_missing_file_sync_is_caught),
        cmocka_unit_test(planted_missing_folder_sync_is_caught),
        cmocka_unit_test(planted_missing_sync_of_the_folder_above_is_caught),
        cmocka_unit_test(planted_early_rename_is_caught),
        cmocka_unit_test(planted_early_removal_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
