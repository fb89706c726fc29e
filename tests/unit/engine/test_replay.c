/* test_replay.c: policies in virtual time: figures that can be computed by hand, every job accounted for under every policy and
 * every trouble, and the same figures wherever it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/random.h"
#include "engine/replay.h"

enum { N = 4000, US = 1000 };

static rp__replay_cost same(uint64_t cpu_ns, uint64_t gpu_ns, uint64_t batch_ns, uint64_t feed_ns)
{
    return (rp__replay_cost){.cpu_ns = cpu_ns,
                             .gpu_ns = gpu_ns,
                             .batch_ns = batch_ns,
                             .feed_ns = feed_ns,
                             .likely = {.cpu_ns = cpu_ns,
                                        .gpu_ns = gpu_ns,
                                        .batch_ns = batch_ns,
                                        .feed_ns = feed_ns,
                                        .shortest = 100,
                                        .second = 1000}};
}

static rp__replay_options options(const char *policy, const rp__replay_cost *costs, size_t n)
{
    return (rp__replay_options){.policy = rp__policy_find(policy),
                                .costs = costs,
                                .n_costs = n,
                                .cores = 1,
                                .has_card = true,
                                .jobs = N,
                                .gap_ps = 100 * 1000 * US,
                                .seed = 7,
                                .max_queued = 1024,
                                .elements = 1 << 20};
}

static void run(const rp__replay_options *o, uint64_t *latencies, rp__replay_report *report)
{
    assert_int_equal(rp__replay_run(o, latencies, NULL, report), RP_OK);
    assert_int_equal(report->answered + report->refused + report->late, o->jobs);
    assert_int_equal(report->on_cores + report->on_card, report->answered);
}

/* Mixed costs: half are short everywhere, a quarter long for a core, a quarter refused by the card. */
static void draw(rp__replay_cost *costs, size_t n)
{
    rp__random random;
    rp__random_init(&random, 3);
    for (size_t i = 0; i < n; i++) {
        const uint64_t scale = 1 + rp__random_below(&random, 20);
        costs[i] = i % 4 == 3   ? same(30 * scale * US, RP_POLICY_NEVER, 0, 0)
                   : i % 4 == 2 ? same(100 * scale * US, 40 * US, 5 * US, US)
                                : same(2 * scale * US, 20 * US, US, US);
    }
}

static void an_idle_system_takes_what_a_query_costs(void **state)
{
    (void)state;
    static uint64_t latencies[N];
    rp__replay_report report;
    const rp__replay_cost cost = same(30 * US, 20 * US, 2 * US, 3 * US);
    rp__replay_options o = options("cpu", &cost, 1);
    run(&o, latencies, &report);
    assert_int_equal(report.on_cores, N);
    assert_int_equal(report.core_ns, (uint64_t)N * 30 * US);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(latencies[i], 30 * US);
    o.policy = rp__policy_find("gpu");
    run(&o, latencies, &report);
    assert_int_equal(report.on_card, N);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(latencies[i], 23 * US); /* with the naming of its hits */
    o.policy = rp__policy_find("auto");
    run(&o, latencies, &report);
    assert_int_equal(latencies[N - 1], 23 * US);
}

/* Whoever has the queues' lock keeps all others from it: a core's job waits for its own arrival, and for its turn. A job of
 * the card has a part of the lock four times more: as it comes with a launch, as it ends there, and as its hits are named. */
static void a_lock_is_held_by_one_at_a_time(void **state)
{
    (void)state;
    static uint64_t latencies[N];
    rp__replay_report report;
    const rp__replay_cost cost = same(30 * US, 20 * US, 2 * US, 3 * US);
    rp__replay_options o = options("cpu", &cost, 1);
    o.held_ns = 4 * US;
    run(&o, latencies, &report);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(latencies[i], (4 + 4 + 30) * US);
    o.policy = rp__policy_find("gpu");
    run(&o, latencies, &report);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(latencies[i], (4 + 5 + 20 + 1 + 1 + 3) * US);
    /* sixteen cores, and arrivals twice as fast as one of them has the lock for */
    o.policy = rp__policy_find("cpu");
    o.cores = 16;
    o.gap_ps = 4 * 1000 * US;
    run(&o, latencies, &report);
    assert_true(report.refused > 0);
    o.held_ns = 0;
    run(&o, latencies, &report);
    assert_int_equal(report.refused, 0);
}

/* Jobs come ten times as fast as one core answers, and the queue has room for ten. */
static void a_full_queue_refuses(void **state)
{
    (void)state;
    rp__replay_report report;
    const rp__replay_cost cost = same(100 * US, 20 * US, 2 * US, 3 * US);
    rp__replay_options o = options("cpu", &cost, 1);
    o.gap_ps = 10 * 1000 * US;
    o.max_queued = 10;
    run(&o, NULL, &report);
    assert_in_range(report.answered, N / 10, N / 10 + 12);
}

/* Twice as many as one core answers: the card has to help, in batches. */
static void batches_gather_under_load(void **state)
{
    (void)state;
    static uint64_t latencies[N];
    rp__replay_report report;
    const rp__replay_cost cost = same(1000 * US, 20 * US, 2 * US, US);
    rp__replay_options o = options("batch", &cost, 1);
    o.gap_ps = 5 * 1000 * US;
    run(&o, latencies, &report);
    assert_int_equal(report.answered, N);
    assert_true(report.batched > N / 2 && report.launches < N / 2);
    o.policy = rp__policy_find("gpu");
    run(&o, latencies, &report);
    assert_int_equal(report.batched, 0);
    assert_true(report.refused > 0);
}

static void every_policy_accounts_for_every_job(void **state)
{
    (void)state;
    static rp__replay_cost costs[N];
    rp__replay_report report;
    draw(costs, N);
    for (size_t i = 0; rp__policy_at(i); i++) {
        rp__replay_options o = options(rp__policy_at(i)->name, costs, N);
        o.is_poisson = true;
        o.cores = 4;
        run(&o, NULL, &report);
        assert_int_equal(report.late, 0);
        o.deadline_ns = 500 * US;
        run(&o, NULL, &report);
        o.gap_ps /= 10; /* more than they can do: some are late */
        run(&o, NULL, &report);
        o.gap_ps *= 10;
        o.wrong = 3;
        o.burst = 10;
        o.burst_begin_ns = 1000 * US;
        o.burst_end_ns = 20000 * US;
        o.stall_begin_ns = 5000 * US;
        o.stall_end_ns = 60000 * US;
        o.lose_card_ns = 100000 * US;
        run(&o, NULL, &report);
        o.has_card = false;
        if (!o.policy->needs_card)
            run(&o, NULL, &report);
    }
}

/* Figures of all policies, as one number: no clock, no thread, no floating point. */
static void figures_are_the_same_everywhere(void **state)
{
    (void)state;
    static rp__replay_cost costs[N];
    static uint64_t latencies[N];
    rp__replay_report report;
    uint64_t sum = 0;
    draw(costs, N);
    for (size_t i = 0; rp__policy_at(i); i++) {
        rp__replay_options o = options(rp__policy_at(i)->name, costs, N);
        o.is_poisson = true;
        o.wrong = 2;
        o.cores = 3;
        run(&o, latencies, &report);
        for (size_t j = 0; j < N; j++)
            sum = sum * 31 + latencies[j];
        sum = sum * 31 + report.end_ns;
    }
    assert_int_equal(sum, UINT64_C(0x4953d865fb5e5784));
}

/* One core and one card, each with half of the work at the same time: twice the rate of either. */
static void the_bound_is_what_both_can_do(void **state)
{
    (void)state;
    const rp__replay_cost cost = same(100 * US, 120 * US, 100 * US, 0);
    rp__replay_options o = options("auto", &cost, 1);
    assert_in_range(rp__replay_bound(&o), 19990, 20010);
    o.has_card = false;
    assert_int_equal(rp__replay_bound(&o), 10000);
    o.cores = 4;
    assert_int_equal(rp__replay_bound(&o), 40000);
    static rp__replay_cost costs[N];
    rp__replay_report report;
    draw(costs, N);
    for (size_t i = 0; rp__policy_at(i); i++) {
        o = options(rp__policy_at(i)->name, costs, N);
        o.cores = 4;
        o.gap_ps = 1000; /* all at once */
        o.max_queued = N;
        run(&o, NULL, &report);
        assert_int_equal(report.answered, N);
        assert_true((double)N * 1e9 / (double)report.end_ns <=
                    (double)rp__replay_bound(&o) * 1.001);
    }
}

/* ---- Trouble ------------------------------------------------------------------------------------- */

enum { SECONDS = 3, RATE = 20000, JOBS = SECONDS * RATE, WINDOW_NS = 100000000 };

static uint64_t latencies[2 * JOBS], arrivals[2 * JOBS];
static rp__replay_cost costs[N];

/* 8 cores and a card, which keep up with twice this rate; 2 ms for each job. */
static rp__replay_options busy(const char *policy)
{
    rp__replay_options o = options(policy, costs, N);
    draw(costs, N);
    for (size_t i = 0; i < N; i++) /* no query takes a core longer than it may */
        costs[i].cpu_ns = costs[i].likely.cpu_ns = costs[i].cpu_ns % (1000 * US) + US;
    o.cores = 8;
    o.jobs = JOBS;
    o.gap_ps = UINT64_C(1000000000000) / RATE;
    o.is_poisson = true;
    o.deadline_ns = 2000 * US;
    return o;
}

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Of jobs that arrived in a window of time; a job that was not answered took for ever. */
static uint64_t p99(uint64_t begin, uint64_t end, uint64_t jobs)
{
    static uint64_t times[2 * JOBS];
    size_t n = 0;
    for (uint64_t i = 0; i < jobs; i++)
        if (arrivals[i] >= begin && arrivals[i] < end)
            times[n++] = latencies[i];
    qsort(times, n, sizeof *times, by_time);
    return n ? times[n * 99 / 100] : 0;
}

typedef struct trouble {
    const char *name;
    uint32_t wrong, burst;
    bool stalls, stalls_card, loses_card;
} trouble;

static const trouble troubles[] = {{.name = "wrong estimates", .wrong = 3},
                                   {.name = "burst", .burst = 10},
                                   {.name = "a core stalls", .stalls = true},
                                   {.name = "the card stalls", .stalls = true, .stalls_card = true},
                                   {.name = "the card is lost", .loses_card = true}};

/* From one second on; a stall takes a second, a burst a tenth of one. The time when it is over. */
static uint64_t set_trouble(const trouble *t, rp__replay_options *o)
{
    const uint64_t begin = 1000000000, end = t->stalls ? 2 * begin : begin + begin / 10;
    o->wrong = t->wrong;
    if (t->burst) {
        o->burst = t->burst;
        o->burst_begin_ns = begin;
        o->burst_end_ns = end;
    }
    if (t->stalls) {
        o->stall_begin_ns = begin;
        o->stall_end_ns = end;
        o->stalls_card = t->stalls_card;
    }
    o->lose_card_ns = t->loses_card ? begin : 0;
    return end;
}

/* No job is lost. Misses are at most 1.1 times those of a list schedule that knows all, and a thousandth of all jobs.
 * A window that ends a second after the trouble is as before. */
static void auto_gets_over_trouble(void **state)
{
    (void)state;
    rp__replay_report report;
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++) {
        const trouble *t = &troubles[i];
        uint64_t list;
        rp__replay_options o = busy("auto");
        if (t->loses_card) /* what cores alone keep up with */
            o.gap_ps *= 2;
        const uint64_t end = set_trouble(t, &o);
        assert_int_equal(rp__replay_run(&o, latencies, arrivals, &report), RP_OK);
        assert_int_equal(report.answered + report.refused + report.late, o.jobs);
        assert_int_equal(rp__replay_list(&o, arrivals, &list), RP_OK);
        const uint64_t misses = report.refused + report.late;
        const uint64_t normal = p99(500000000, 1000000000, o.jobs);
        const uint64_t after = p99(end + 800000000, end + 1000000000, o.jobs);
        print_message("%-16s %llu misses, of a list schedule %llu; p99 %llu us, then %llu us\n",
                      t->name, (unsigned long long)misses, (unsigned long long)list,
                      (unsigned long long)normal / US, (unsigned long long)after / US);
        assert_true(misses * 10 <= list * 11 + o.jobs / 100);
        assert_true(after <= (t->loses_card ? o.deadline_ns : normal * 5 / 4));
    }
}

/* Of the rates, the highest goodput; twice that rate keeps it. Most of the rest is refused when it arrives, at once; one
 * in twenty is taken and ends late, since the wait for cores is an average. */
static void auto_keeps_its_goodput(void **state)
{
    (void)state;
    rp__replay_report report;
    uint64_t best = 0, best_gap = 0;
    rp__replay_options o = busy("auto");
    for (uint64_t gap = o.gap_ps; gap > o.gap_ps / 64; gap = gap * 4 / 5) {
        rp__replay_options at = o;
        at.gap_ps = gap;
        run(&at, latencies, &report);
        const uint64_t goodput = report.answered * 1000000000 / report.end_ns;
        if (goodput > best * 102 / 100) {
            best = goodput;
            best_gap = gap;
        }
    }
    o.gap_ps = best_gap / 2;
    run(&o, latencies, &report);
    const uint64_t goodput = report.answered * 1000000000 / report.end_ns;
    print_message("at most %llu a second; at twice the rate %llu, %llu refused, %llu late\n",
                  (unsigned long long)best, (unsigned long long)goodput,
                  (unsigned long long)report.refused, (unsigned long long)report.late);
    assert_true(goodput * 100 >= best * 95);
    assert_true(report.refused > o.jobs / 10 && report.late * 10 <= report.refused);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    rp__replay_report report;
    const rp__replay_cost cost = same(US, US, US, US);
    rp__replay_options o = options("auto", &cost, 1);
    o.gap_ps = 0;
    assert_int_equal(rp__replay_run(&o, NULL, NULL, &report), RP_USAGE);
    o = options("auto", &cost, 0);
    assert_int_equal(rp__replay_run(&o, NULL, NULL, &report), RP_USAGE);
    o = options("auto", &cost, 1);
    o.cores = 0;
    assert_int_equal(rp__replay_run(&o, NULL, NULL, &report), RP_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_system_takes_what_a_query_costs),
        cmocka_unit_test(a_lock_is_held_by_one_at_a_time),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(batches_gather_under_load),
        cmocka_unit_test(every_policy_accounts_for_every_job),
        cmocka_unit_test(figures_are_the_same_everywhere),
        cmocka_unit_test(the_bound_is_what_both_can_do),
        cmocka_unit_test(auto_gets_over_trouble),
        cmocka_unit_test(auto_keeps_its_goodput),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
