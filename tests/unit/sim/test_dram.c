/* test_dram.c: the memory as a machine uses it: latencies when idle, every request answered once,
 * jumps that change nothing, refusals, bad configurations, energy. */
#include "sim/dram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static struct rp__dram_config config_of(const char *standard, const char *controller)
{
    struct rp__dram_config config;
    assert_true(rp__dram_standard_set(&config, standard, controller));
    assert_null(rp__dram_map_fault(&config));
    return config;
}

/* Calls `run` with every standard under every controller. */
static void each_memory(void (*run)(const struct rp__dram_config *config))
{
    const char *standard, *controller;
    for (size_t i = 0; (standard = rp__dram_standard_name(i)) != NULL; i++) {
        for (size_t k = 0; (controller = rp__dram_standard_controller_name(k)) != NULL; k++) {
            struct rp__dram_config config = config_of(standard, controller);
            run(&config);
        }
    }
}

/* ---- Idle latencies -------------------------------------------------------------------------- */

/* Steps from acceptance to delivery of one read in an idle memory. */
static uint64_t probe(struct rp__dram *dram, uint64_t address)
{
    struct rp__dram_done done;
    assert_true(rp__dram_send(dram, address, false, 7));
    while (!rp__dram_take_done(dram, &done)) {
        rp__dram_tick(dram);
    }
    assert_int_equal(done.tag, 7);
    rp__dram_jump(dram, rp__dram_now(dram) + 400);
    return done.done - done.accepted;
}

static void idle_latencies_are_those_of_the_formula(void **state)
{
    static const struct {
        const char *standard, *controller;
        uint32_t closed, hit, conflict; /* in steps */
    } rows[] = {
        {"ddr4-2400", "r21", 39, 22, 56},    {"ddr4-2400", "frfcfs", 39, 22, 56},
        {"ddr4-2400", "compat", 40, 23, 57}, /* one clock more to enter the bank's queue */
        {"ddr5-4800", "r21", 88, 49, 126},   {"ddr5-4800", "frfcfs", 88, 49, 126},
        {"hbm2", "r21", 32, 17, 45},         {"hbm2", "frfcfs", 32, 17, 45},
        {"hbm2-pc", "r21", 36, 21, 49},      {"hbm2-pc", "frfcfs", 36, 21, 49},
        {"hbm3", "r21", 117, 53, 167},       {"hbm3", "frfcfs", 117, 53, 167},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rp__dram_config config = config_of(rows[i].standard, rows[i].controller);
        struct rp__dram *dram = rp__dram_new(&config);
        assert_non_null(dram);
        assert_int_equal(probe(dram, 0), rows[i].closed);
        assert_int_equal(probe(dram, 0), rows[i].hit);
        assert_int_equal(probe(dram, 1ULL << 32), rows[i].conflict);
        rp__dram_free(dram);
    }
}

/* ---- Every request is answered once ---------------------------------------------------------- */

enum { REQUESTS = 1500 };

/* A run of random requests, few addresses among them, at a random pace. */
struct run {
    struct rp__dram *dram;
    uint64_t random, wait; /* clock before which nothing is offered */
    uint64_t address;
    bool is_write, has_next, jumps, is_sparse;
    uint32_t sent, n_done;
    struct rp__dram_done done[REQUESTS];
};

static void run_init(struct run *run, const struct rp__dram_config *config, bool jumps)
{
    *run = (struct run){.random = 4711, .jumps = jumps, .dram = rp__dram_new(config)};
    assert_non_null(run->dram);
}

static void run_next(struct run *run)
{
    uint64_t r = draw(&run->random), spread = (r >> 20) % 3;
    uint64_t mask = spread == 0 ? (1U << 9) - 1 : spread == 1 ? (1U << 21) - 1 : (1ULL << 33) - 1;
    run->address = draw(&run->random) & mask & ~63ULL;
    run->is_write = (r & 3U) == 0;
    run->has_next = true;
    if ((r >> 8 & 255U) == 0) {
        run->wait = rp__dram_now(run->dram) + (r >> 30) % 30000;
    } else if (run->is_sparse) { /* one or a few requests at a time */
        run->wait = rp__dram_now(run->dram) + (r >> 14 & 3U ? (r >> 30) % 100 : 0);
    }
}

static void run_offer(struct run *run)
{
    while (run->sent < REQUESTS) {
        if (!run->has_next) {
            run_next(run);
        }
        if (run->wait > rp__dram_now(run->dram) ||
            !rp__dram_send(run->dram, run->address, run->is_write, run->sent)) {
            return;
        }
        run->has_next = false;
        run->sent++;
    }
}

/* One clock, or up to the next at which anything can happen; where nothing is refused, up to the
 * next at which a request may be done. */
static void run_clock(struct run *run)
{
    uint64_t now = rp__dram_now(run->dram), next;
    run_offer(run);
    bool is_refused = run->sent < REQUESTS && run->wait <= now;
    next = is_refused ? rp__dram_next_event(run->dram) : rp__dram_next_done(run->dram);
    if (!is_refused && run->sent < REQUESTS && next > run->wait) {
        next = run->wait;
    }
    if (run->jumps && next > now) {
        rp__dram_jump(run->dram, next);
    } else {
        rp__dram_tick(run->dram);
    }
    while (run->n_done < REQUESTS && rp__dram_take_done(run->dram, &run->done[run->n_done])) {
        run->n_done++;
    }
}

static void run_all(struct run *run)
{
    while (run->n_done < REQUESTS) {
        run_clock(run);
        assert_true(rp__dram_now(run->dram) < 100000000);
    }
}

static void answer_once(const struct rp__dram_config *config)
{
    static struct run run;
    static bool seen[REQUESTS];
    struct rp__dram_counters n;
    run_init(&run, config, false);
    run_all(&run);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        assert_true(run.done[i].tag < REQUESTS && !seen[run.done[i].tag]);
        assert_true(run.done[i].done > run.done[i].accepted);
        seen[run.done[i].tag] = true;
    }
    rp__dram_counters(run.dram, &n);
    assert_int_equal(n.reads + n.writes, REQUESTS);
    assert_true(n.merged > 0 && n.forwarded > 0);
    assert_true(n.act >= n.pre / 2 && n.hits > 0 && n.conflicts > 0);
    rp__dram_free(run.dram);
}

static void every_request_is_answered_once(void **state)
{
    (void)state;
    each_memory(answer_once);
}

static void assert_same(const struct run *a, const struct run *b)
{
    for (uint32_t i = 0; i < REQUESTS; i++) {
        assert_int_equal(a->done[i].tag, b->done[i].tag);
        assert_int_equal(a->done[i].is_write, b->done[i].is_write);
        assert_int_equal(a->done[i].accepted, b->done[i].accepted);
        assert_int_equal(a->done[i].done, b->done[i].done);
    }
}

/* ---- Jumps ----------------------------------------------------------------------------------- */

/* Ticks one by one, of controllers that look at every step, against jumps of those that sleep. */
static void same_by_jumps_at(const struct rp__dram_config *config, bool is_sparse)
{
    static struct run ticks, jumps;
    struct rp__dram_counters a, b;
    struct rp__dram_config sleepless = *config;
    sleepless.never_sleeps = true;
    run_init(&ticks, &sleepless, false);
    run_init(&jumps, config, true);
    ticks.is_sparse = jumps.is_sparse = is_sparse;
    run_all(&ticks);
    run_all(&jumps);
    assert_same(&ticks, &jumps);
    rp__dram_jump(jumps.dram, rp__dram_now(jumps.dram) + 12000);
    while (rp__dram_now(ticks.dram) < rp__dram_now(jumps.dram)) {
        rp__dram_tick(ticks.dram);
    }
    rp__dram_counters(ticks.dram, &a);
    rp__dram_counters(jumps.dram, &b);
    assert_memory_equal(&a, &b, sizeof a);
    rp__dram_free(ticks.dram);
    rp__dram_free(jumps.dram);
}

static void same_by_jumps(const struct rp__dram_config *config)
{
    same_by_jumps_at(config, false);
    same_by_jumps_at(config, true);
}

static void jumps_change_nothing(void **state)
{
    (void)state;
    each_memory(same_by_jumps);
}

/* Any value that the fault check lets pass. */
static void draw_config(struct rp__dram_config *config, uint64_t *random)
{
    static const char *const powers[] = {"channels", "ranks", "groups", "banks", "columns"};
    static const char *const queues[] = {"read_queue", "write_queue", "bank_queue", "row_hits"};
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        (void)rp__dram_key_set(config, powers[i], 1U << draw(random) % 4);
    }
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        (void)rp__dram_key_set(config, queues[i], 1 + (uint32_t)(draw(random) % 40));
    }
    for (size_t i = 15; rp__dram_key_name(i); i++) { /* timing */
        (void)rp__dram_key_set(config, rp__dram_key_name(i), (uint32_t)(draw(random) % 60));
    }
    config->timing.refi = 400 + (uint32_t)(draw(random) % 9000);
}

static void any_memory_answers_and_jumps(void **state)
{
    uint64_t random = 2463534242;
    uint32_t n = 0, wanted = getenv("RIPOSTE_THOROUGH") ? 3000 : 60;
    (void)state;
    while (n < wanted) {
        static const char *const standards[] = {"ddr4-2400", "hbm2", "hbm2-pc", "hbm3"};
        static const char *const controllers[] = {"compat", "r21", "frfcfs"};
        struct rp__dram_config config =
            config_of(standards[draw(&random) % 4], controllers[draw(&random) % 3]);
        draw_config(&config, &random);
        if (!rp__dram_map_fault(&config)) {
            same_by_jumps(&config);
            n++;
        }
    }
}

/* Two memories that take turns are as two that run alone. */
static void memories_share_nothing(void **state)
{
    static struct run alone, first, second;
    struct rp__dram_config config = config_of("ddr4-2400", "frfcfs");
    struct rp__dram_config other = config_of("hbm2-pc", "r21");
    (void)state;
    run_init(&alone, &config, false);
    run_all(&alone);
    run_init(&first, &config, false);
    run_init(&second, &other, false);
    while (first.n_done < REQUESTS) {
        run_clock(&first);
        run_clock(&second);
    }
    assert_same(&alone, &first);
    rp__dram_free(alone.dram);
    rp__dram_free(first.dram);
    rp__dram_free(second.dram);
}

static void count_command(void *context, const struct rp__dram_command *command)
{
    uint64_t *n = context;
    (void)command;
    ++*n;
}

/* Nothing is issued before the clock that next_event names; an idle memory refreshes. */
static void next_event_is_the_next_clock_that_matters(void **state)
{
    struct rp__dram_config config = config_of("ddr4-2400", "r21");
    uint64_t commands = 0;
    (void)state;
    config.on_command = count_command;
    config.context = &commands;
    struct rp__dram *dram = rp__dram_new(&config);
    assert_non_null(dram);
    assert_int_equal(rp__dram_next_event(dram), 9360);
    rp__dram_jump(dram, 9359);
    assert_int_equal(commands, 0);
    rp__dram_tick(dram);
    assert_int_equal(commands, 4); /* REF of four channels */
    rp__dram_jump(dram, 93600);
    assert_int_equal(commands, 40);
    rp__dram_free(dram);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void a_full_queue_refuses(void **state)
{
    struct rp__dram_config config = config_of("ddr4-2400", "r21");
    struct rp__dram *dram = rp__dram_new(&config);
    uint32_t n = 0, tag;
    (void)state;
    assert_non_null(dram);
    while (rp__dram_send(dram, (uint64_t)n << 20, false, n)) {
        n++;
    }
    assert_int_equal(n, 32);
    assert_true(rp__dram_send(dram, 64, false, 32)); /* another channel's queue */
    assert_true(rp__dram_send(dram, 0, true, 33));   /* the write queue */
    for (uint32_t left = 34; left > 0; left -= rp__dram_take(dram, &tag)) {
        rp__dram_tick(dram);
    }
    assert_false(rp__dram_take(dram, &tag));
    rp__dram_free(dram);
}

/* Sends reads of four bank groups, each of the row `row` or a later one, until one is refused. */
static uint32_t send_rows(struct rp__dram *dram, uint32_t row)
{
    uint32_t n = 0;
    while (n < 32 && rp__dram_send(dram, ((uint64_t)row + n / 4) << 24 | n % 4 << 6, false, n)) {
        n++;
    }
    return n;
}

/* A read whose ACT was issued waits in its bank's latch, one a bank, and not in the queue. */
static void an_act_frees_a_place(void **state)
{
    static const char *const controllers[] = {"frfcfs", "r21"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rp__dram_config config = config_of("ddr4-2400", controllers[i]);
        struct rp__dram_counters n;
        config.channels = 1;
        config.read_queue = 4;
        struct rp__dram *dram = rp__dram_new(&config);
        assert_non_null(dram);
        assert_int_equal(send_rows(dram, 0), 4);
        rp__dram_jump(dram, 16); /* RCD is 17, RRD at most 6 */
        rp__dram_counters(dram, &n);
        assert_true(n.act > 1 && n.rd == 0);
        assert_int_equal(send_rows(dram, 1), n.act);
        rp__dram_free(dram);
    }
}

/* Of a request that finds one free place in the queue of a channel with pseudo-channels, half is
 * taken: others are refused until the other half is. */
static void half_a_request_comes_first(void **state)
{
    struct rp__dram_config config = config_of("hbm3", "r21");
    struct rp__dram_done done;
    uint32_t n = 0, tags = 0;
    (void)state;
    config.read_queue = 5;
    struct rp__dram *dram = rp__dram_new(&config);
    assert_non_null(dram);
    while (rp__dram_send(dram, (uint64_t)n << 22, false, n)) {
        n++;
    }
    assert_int_equal(n, 2);
    do {
        rp__dram_tick(dram);
        assert_false(rp__dram_send(dram, 5ULL << 22, false, 5));
    } while (!rp__dram_send(dram, 2ULL << 22, false, 2));
    while (tags != 7) { /* bits of 0, 1 and 2 */
        rp__dram_tick(dram);
        while (rp__dram_take_done(dram, &done)) {
            tags |= 1U << done.tag;
        }
    }
    rp__dram_free(dram);
}

/* Who never takes is refused in the end, and loses nothing. */
static void what_is_not_taken_is_kept(void **state)
{
    struct rp__dram_config config = config_of("ddr4-2400", "frfcfs");
    struct rp__dram *dram = rp__dram_new(&config);
    uint32_t sent = 0, taken = 0, tag;
    (void)state;
    assert_non_null(dram);
    for (uint32_t i = 0; i < 100000; i++) {
        sent += rp__dram_send(dram, (uint64_t)i * 64, i % 2, i) ? 1 : 0;
        rp__dram_tick(dram);
    }
    assert_true(sent < 100000);
    while (rp__dram_take(dram, &tag)) {
        taken++;
    }
    assert_int_equal(taken, sent);
    assert_true(rp__dram_send(dram, 0, false, 1));
    rp__dram_free(dram);
}

/* Writes to one address are merged and take no place in a queue; there is an end all the same. */
static void merge_without_end(const struct rp__dram_config *config)
{
    struct rp__dram *dram = rp__dram_new(config);
    uint32_t sent = 0, tag;
    assert_non_null(dram);
    while (rp__dram_send(dram, 0, sent % 3 != 1, sent)) {
        sent++;
        assert_true(sent < 1000000);
    }
    assert_true(sent > 100);
    for (uint32_t left = sent; left > 0;) {
        rp__dram_tick(dram);
        while (rp__dram_take(dram, &tag)) {
            left--;
        }
    }
    rp__dram_free(dram);
}

static void merged_writes_have_an_end(void **state)
{
    (void)state;
    each_memory(merge_without_end);
}

/* ---- Configurations -------------------------------------------------------------------------- */

static void bad_configurations_are_refused(void **state)
{
    static const struct {
        const char *key;
        uint32_t value;
    } rows[] = {
        {"channels", 0},    {"channels", 3},       {"channels", 64},  {"ranks", 0},
        {"ranks", 16},      {"groups", 0},         {"banks", 0},      {"banks", 32},
        {"rows", 0},        {"rows", 1000},        {"columns", 0},    {"read_queue", 0},
        {"write_queue", 0}, {"read_queue", 70000}, {"bank_queue", 0}, {"clock_mhz", 0},
        {"steps", 0},       {"steps", 3},          {"act_steps", 0},  {"act_steps", 9},
        {"pre_steps", 0},   {"column_steps", 0},   {"cl", 0},         {"bl", 0},
        {"rp", 0},          {"refi", 0},           {"refi", 476},     {"rfc", 4000000000U},
    };
    struct rp__dram_config config;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        config = config_of("ddr4-2400", "frfcfs");
        assert_true(rp__dram_key_set(&config, rows[i].key, rows[i].value));
        assert_non_null(rp__dram_map_fault(&config));
        assert_null(rp__dram_new(&config));
    }
    static const char *const maps[] = {"", "ch", "chbgcobarar", "chbgcobararoro", "chbgcobaraxx"};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        config = config_of("ddr4-2400", "frfcfs");
        strcpy(config.map, maps[i]);
        assert_non_null(rp__dram_map_fault(&config));
    }
    memset(config.map, 'c', sizeof config.map);
    assert_non_null(rp__dram_map_fault(&config));
    assert_false(rp__dram_key_set(&config, "volume", 1));
    assert_false(rp__dram_standard_set(&config, "ddr9", "r21"));
    assert_false(rp__dram_standard_set(&config, "hbm3", "fifo"));
    config = config_of("ddr4-2400", "frfcfs");
    strcpy(config.controller, "fifo");
    assert_null(rp__dram_new(&config));
}

static void every_setting_has_a_name(void **state)
{
    struct rp__dram_config config = config_of("ddr4-2400", "r21");
    const char *name;
    size_t n = 0;
    (void)state;
    for (; (name = rp__dram_key_name(n)) != NULL; n++) {
        uint32_t value = rp__dram_key_get(&config, n);
        assert_true(rp__dram_key_set(&config, name, value + 1));
        assert_int_equal(rp__dram_key_get(&config, n), value + 1);
    }
    assert_true(n * sizeof(uint32_t) >= sizeof config.timing);
    assert_int_equal(config.timing.cl, 18);
    assert_int_equal(config.timing.refi, 9361);
}

static void no_memory_is_said(void **state)
{
    struct rp__dram_config config = config_of("hbm3", "r21");
    struct rp__dram *dram = NULL;
    uint64_t before = rp__alloc_in_use();
    (void)state;
    for (uint64_t n = 1; !dram; n++) {
        rp__alloc_fail_at(n, true);
        dram = rp__dram_new(&config);
        rp__alloc_fail_at(0, false);
        assert_true(dram || rp__alloc_in_use() == before);
    }
    rp__dram_free(dram);
    rp__dram_free(NULL);
    assert_true(rp__alloc_in_use() == before);
}

/* ---- Energy ---------------------------------------------------------------------------------- */

/* By hand, for DDR4: mA times clocks of eight devices, times 1.2 V and 1/1.2 ns: pJ. */
static void energy_is_that_of_the_currents(void **state)
{
    struct rp__dram_config config = config_of("ddr4-2400", "r21");
    struct rp__dram_counters n;
    struct rp__dram *dram = rp__dram_new(&config);
    uint32_t tag;
    (void)state;
    assert_non_null(dram);
    rp__dram_jump(dram, 1000);
    rp__dram_counters(dram, &n);
    assert_int_equal(n.energy_pj, 4 * 8 * 34 * 1000); /* four idle channels */
    assert_true(rp__dram_send(dram, 0, false, 1));
    rp__dram_jump(dram, 2000);
    assert_true(rp__dram_take(dram, &tag));
    rp__dram_counters(dram, &n);
    /* ACT at 1001: 48 * 56 - 43 * 39 - 34 * 17; RD: (135 - 43) * 4; then the bank stays open */
    uint64_t act = 48 * 56 - 43 * 39 - 34 * 17, rd = (135 - 43) * 4;
    uint64_t standby = 34 * 1001 + 43 * 999, others = 3 * 34 * 2000;
    assert_int_equal(n.energy_pj, 8 * (act + rd + standby + others));
    rp__dram_free(dram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_latencies_are_those_of_the_formula),
        cmocka_unit_test(every_request_is_answered_once),
        cmocka_unit_test(jumps_change_nothing),
        cmocka_unit_test(any_memory_answers_and_jumps),
        cmocka_unit_test(memories_share_nothing),
        cmocka_unit_test(next_event_is_the_next_clock_that_matters),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(an_act_frees_a_place),
        cmocka_unit_test(half_a_request_comes_first),
        cmocka_unit_test(what_is_not_taken_is_kept),
        cmocka_unit_test(merged_writes_have_an_end),
        cmocka_unit_test(bad_configurations_are_refused),
        cmocka_unit_test(every_setting_has_a_name),
        cmocka_unit_test(no_memory_is_said),
        cmocka_unit_test(energy_is_that_of_the_currents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
