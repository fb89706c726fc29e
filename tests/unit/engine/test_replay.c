/* test_replay.c: policies in virtual time: figures that can be computed by hand, every job accounted for under every policy and
 * every trouble, and the same figures wherever it runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
    assert_int_equal(rp__replay_run(o, latencies, report), RP_OK);
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
    assert_int_equal(sum, UINT64_C(0xe4b93b543d33c4c6));
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

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    rp__replay_report report;
    const rp__replay_cost cost = same(US, US, US, US);
    rp__replay_options o = options("auto", &cost, 1);
    o.gap_ps = 0;
    assert_int_equal(rp__replay_run(&o, NULL, &report), RP_USAGE);
    o = options("auto", &cost, 0);
    assert_int_equal(rp__replay_run(&o, NULL, &report), RP_USAGE);
    o = options("auto", &cost, 1);
    o.cores = 0;
    assert_int_equal(rp__replay_run(&o, NULL, &report), RP_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_system_takes_what_a_query_costs),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(batches_gather_under_load),
        cmocka_unit_test(every_policy_accounts_for_every_job),
        cmocka_unit_test(figures_are_the_same_everywhere),
        cmocka_unit_test(the_bound_is_what_both_can_do),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
