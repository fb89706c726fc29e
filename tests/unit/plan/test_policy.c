/* test_policy.c: where rows of the table seat a job, and what they say between two lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "plan/policy.h"

static const rp__policy_job long_and = {.deadline = RP_POLICY_NEVER,
                                        .cpu_ns = 500000,
                                        .gpu_ns = 30000,
                                        .batch_ns = 10000,
                                        .shortest = 1000,
                                        .second = 100000};

static rp__policy_way ask(const rp__policy_view *view, uint64_t candidates, uint64_t next,
                          uint32_t left, bool on_card)
{
    const rp__policy_step at = {
        .candidates = candidates, .next = next, .left = left, .on_card = on_card};
    return rp__policy_griffin_row.step(view, &long_and, &at);
}

static void griffin_goes_by_the_ratio(void **state)
{
    (void)state;
    rp__policy_view view = {.cores = 1, .has_card = true, .elements = 1 << 20, .max_queued = 1024};
    rp__policy_job job = long_and;
    assert_int_equal(rp__policy_griffin_row.seat(&view, &job).queue, RP_QUEUE_GPU);
    job.second = 128 * job.shortest;
    assert_int_equal(rp__policy_griffin_row.seat(&view, &job).queue, RP_QUEUE_CPU);
    view.ratio = 129;
    assert_int_equal(rp__policy_griffin_row.seat(&view, &job).queue, RP_QUEUE_GPU);
    view.has_card = false;
    assert_int_equal(rp__policy_griffin_row.seat(&view, &job).queue, RP_QUEUE_CPU);
}

static void griffin_decides_after_each_list(void **state)
{
    (void)state;
    rp__policy_view view = {.cores = 1, .has_card = true, .elements = 1 << 20, .max_queued = 1024};
    assert_int_equal(ask(&view, 100, 12799, 2, true), RP_WAY_NEXT);
    assert_int_equal(ask(&view, 100, 12799, 1, true), RP_WAY_REST);
    assert_int_equal(ask(&view, 100, 12800, 2, true), RP_WAY_MOVE);
    assert_int_equal(ask(&view, 100, 12800, 1, true), RP_WAY_MOVE);
    assert_int_equal(ask(&view, 100, 0, 0, true), RP_WAY_REST);
    view.ratio = 8;
    assert_int_equal(ask(&view, 100, 799, 2, true), RP_WAY_NEXT);
    assert_int_equal(ask(&view, 100, 800, 2, true), RP_WAY_MOVE);
}

static void griffin_returns_where_it_may(void **state)
{
    (void)state;
    rp__policy_view view = {.cores = 1, .has_card = true, .elements = 1 << 20, .max_queued = 1024};
    assert_int_equal(ask(&view, 100, 200, 2, false), RP_WAY_REST);
    assert_int_equal(ask(&view, 100, 99999, 2, false), RP_WAY_REST);
    view.goes_back = true;
    assert_int_equal(ask(&view, 100, 200, 2, false), RP_WAY_MOVE);
    assert_int_equal(ask(&view, 100, 99999, 2, false), RP_WAY_NEXT);
    assert_int_equal(ask(&view, 100, 99999, 1, false), RP_WAY_REST);
    assert_int_equal(ask(&view, 100, 0, 0, false), RP_WAY_REST);
}

static void split_has_the_card_intersect(void **state)
{
    (void)state;
    rp__policy_view view = {.cores = 1, .has_card = true, .elements = 1 << 20, .max_queued = 1024};
    rp__policy_job tree = long_and;
    tree.gpu_ns = RP_POLICY_NEVER;
    rp__policy_seat at = rp__policy_split_row.seat(&view, &tree);
    assert_int_equal(at.queue, RP_QUEUE_CPU);
    assert_false(at.splits);
    tree.meet_ns = 40000;
    at = rp__policy_split_row.seat(&view, &tree);
    assert_int_equal(at.queue, RP_QUEUE_GPU);
    assert_true(at.splits);
    view.has_card = false;
    at = rp__policy_split_row.seat(&view, &tree);
    assert_int_equal(at.queue, RP_QUEUE_CPU);
    assert_false(at.splits);
}

/* Cores and the card end together, by what they are likely to take. */
static void share_cuts_by_cost(void **state)
{
    (void)state;
    rp__policy_view view = {
        .cores = 4, .busy_cores = 2, .has_card = true, .elements = 1 << 20, .max_queued = 1024};
    rp__policy_job job = long_and;
    job.cpu_ns = 60000;
    job.gpu_ns = 10000;
    rp__policy_seat at = rp__policy_share_row.seat(&view, &job);
    assert_int_equal(at.cores, 2);
    assert_int_equal(at.card_share, RP_SHARE_UNIT * 3 / 4);
    view.busy_cores = 4;
    at = rp__policy_share_row.seat(&view, &job);
    assert_int_equal(at.cores, 1);
    assert_int_equal(at.card_share, RP_SHARE_UNIT * 6 / 7);
    job.prunes_whole =
        true; /* the card's kernel for ORs: whole queries, or ranges of cores alone */
    at = rp__policy_share_row.seat(&view, &job);
    assert_int_equal(at.queue, RP_QUEUE_GPU);
    assert_int_equal(at.cores, 0);
    view.busy_cores = 0;
    at = rp__policy_share_row.seat(&view, &job);
    assert_int_equal(at.queue, RP_QUEUE_GPU); /* 60000 / 4 is not sooner than 10000 */
    job.gpu_ns = 20000;
    at = rp__policy_share_row.seat(&view, &job);
    assert_int_equal(at.queue, RP_QUEUE_CPU);
    assert_int_equal(at.cores, 4);
    assert_int_equal(at.card_share, 0);
    job.gpu_ns = RP_POLICY_NEVER;
    at = rp__policy_share_row.seat(&view, &job);
    assert_int_equal(at.queue, RP_QUEUE_CPU);
    assert_int_equal(at.cores, 0);
}

/* A core takes what waits for a busy card: with deadlines only what it is likely to end before half of the time has
 * passed; the card alike. */
static void ding_steals_in_time(void **state)
{
    (void)state;
    const rp__policy *row = &rp__policy_ding_deadline_row;
    rp__policy_job job = long_and;
    rp__policy_view view = {.now = 1000,
                            .cores = 1,
                            .has_card = true,
                            .is_busy_card = true,
                            .elements = 1 << 20,
                            .max_queued = 1024};
    job.arrived = 1000;
    job.deadline = 1000 + 2 * job.cpu_ns;
    const rp__policy_seat seat = row->seat(&view, &job);
    assert_int_equal(seat.queue, RP_QUEUE_GPU);
    assert_int_equal(seat.urgent, 1000 + job.cpu_ns);
    view.queues[RP_QUEUE_GPU] = (rp__policy_queue){.n = 1,
                                                   .head_cpu_ns = job.cpu_ns,
                                                   .head_gpu_ns = job.gpu_ns,
                                                   .head_urgent = seat.urgent,
                                                   .first_urgent = seat.urgent};
    assert_int_equal(row->take(&view, false).queue, RP_QUEUE_GPU);
    view.now++;
    assert_int_equal(row->take(&view, false).queue, RP_QUEUE_NONE);
    assert_int_equal(rp__policy_ding_steal_row.take(&view, false).queue, RP_QUEUE_GPU);
    view.queues[RP_QUEUE_GPU].head_urgent = RP_POLICY_NEVER; /* it has no deadline */
    assert_int_equal(row->take(&view, false).queue, RP_QUEUE_GPU);
    view.queues[RP_QUEUE_GPU].head_urgent = seat.urgent;
    view.has_card = view.is_busy_card = false; /* nobody else will */
    assert_int_equal(row->take(&view, false).queue, RP_QUEUE_GPU);
}

/* Two cores that are busy, a card, and 64 of 128 jobs that may wait: each queue has 32. */
static rp__policy_view loaded(void)
{
    rp__policy_view view = {.now = 1000000,
                            .cores = 2,
                            .busy_cores = 2,
                            .has_card = true,
                            .is_busy_card = true,
                            .elements = 1000000,
                            .max_queued = 128};
    const rp__policy_queue queue = {.n = 32,
                                    .cpu_ns = 640000,
                                    .gpu_ns = 320000,
                                    .batch_ns = 32000,
                                    .head_key = 999000,
                                    .head_cpu_ns = 20000,
                                    .head_gpu_ns = 10000,
                                    .head_urgent = RP_POLICY_NEVER,
                                    .head_deadline = 11000000,
                                    .first_urgent = RP_POLICY_NEVER};
    view.queues[RP_QUEUE_CPU] = view.queues[RP_QUEUE_GPU] = queue;
    return view;
}

static const rp__policy_job cheap = {.arrived = 1000000,
                                     .deadline = 11000000,
                                     .cpu_ns = 20000,
                                     .gpu_ns = 10000,
                                     .batch_ns = 1000,
                                     .shortest = 10};

/* The fuller the queues are, the less a job may cost; with room, and without a deadline, none is refused for that. */
static void auto_refuses_first_what_costs_most(void **state)
{
    (void)state;
    const rp__policy *row = &rp__policy_auto_row;
    rp__policy_view view = loaded();
    rp__policy_job dear = cheap;
    dear.cpu_ns = 5000000;
    dear.gpu_ns = 2000000;
    dear.batch_ns = 1000000;
    assert_int_not_equal(row->seat(&view, &cheap).queue, RP_QUEUE_NONE);
    assert_int_equal(row->seat(&view, &dear).queue, RP_QUEUE_NONE);
    dear.deadline = RP_POLICY_NEVER;
    assert_int_not_equal(row->seat(&view, &dear).queue, RP_QUEUE_NONE);
    dear.deadline = cheap.deadline;
    view.max_queued = 12800;
    dear.batch_ns = 1000;
    assert_int_not_equal(row->seat(&view, &dear).queue, RP_QUEUE_NONE);
    view.max_queued = 64; /* no room at all */
    assert_int_equal(row->seat(&view, &cheap).queue, RP_QUEUE_NONE);
}

/* A job with many postings fills batches, and so costs the card more of them. */
static void auto_counts_the_starts_of_batches(void **state)
{
    (void)state;
    rp__policy_view view = loaded();
    rp__policy_job job = cheap;
    job.gpu_ns = 500000;
    job.cpu_ns = 10000000;
    view.max_queued = 100;
    assert_int_equal(rp__policy_auto_row.seat(&view, &job).queue, RP_QUEUE_GPU);
    job.shortest = 1000000;
    assert_int_equal(rp__policy_auto_row.seat(&view, &job).queue, RP_QUEUE_NONE);
}

/* A card that is late for long is not waited for: cores have new jobs, and take those that wait for it. */
static void auto_leaves_a_card_that_is_late(void **state)
{
    (void)state;
    const rp__policy *row = &rp__policy_auto_row;
    rp__policy_view view = loaded();
    view.queues[RP_QUEUE_CPU] = (rp__policy_queue){.head_key = RP_POLICY_NEVER};
    view.busy_cores = 1;
    view.card_late_ns = 10;
    view.queues[RP_QUEUE_GPU].batch_ns = 3200;
    assert_int_equal(row->seat(&view, &cheap).queue, RP_QUEUE_GPU);
    assert_int_equal(row->take(&view, false).queue, RP_QUEUE_NONE);
    view.card_late_ns = 5000000;
    assert_int_equal(row->seat(&view, &cheap).queue, RP_QUEUE_CPU);
    assert_int_equal(row->take(&view, false).queue, RP_QUEUE_GPU);
    view.card_late_ns = 0;
    view.is_busy_card = false; /* it would have taken the first, which waits for 5 ms */
    view.queues[RP_QUEUE_GPU].head_key = 0;
    view.now = 5000000;
    assert_int_equal(row->seat(&view, &cheap).queue, RP_QUEUE_CPU);
}

/* An idle core tries what is likely to take a little too long, and not what is likely to take far too long. */
/* Long jobs wait for the card, not for the only core, which names what the card has answered. */
static void auto_keeps_a_core_for_names(void **state)
{
    (void)state;
    const rp__policy *row = &rp__policy_auto_row;
    rp__policy_view view = {.now = 1000000,
                            .cores = 1,
                            .has_card = true,
                            .is_busy_card = true,
                            .card_ns = 400000,
                            .elements = 1 << 20,
                            .max_queued = 1024};
    view.queues[RP_QUEUE_GPU] = (rp__policy_queue){
        .n = 1, .gpu_ns = 90000, .batch_ns = 60000, .head_key = 1000000, .head_deadline = 5700000};
    rp__policy_job job = {.arrived = 1000000,
                          .deadline = 6000000,
                          .cpu_ns = 7000000,
                          .gpu_ns = 400000,
                          .batch_ns = 300000,
                          .shortest = 80000};
    assert_int_equal(row->seat(&view, &job).queue, RP_QUEUE_GPU);
    view.card_ns = 4500000; /* it would end too late there */
    assert_int_equal(row->seat(&view, &job).queue, RP_QUEUE_NONE);
    view.cores = 2;
    assert_int_equal(row->seat(&view, &job).queue, RP_QUEUE_CPU);
}

static void auto_tries_on_an_idle_core(void **state)
{
    (void)state;
    const rp__policy *row = &rp__policy_auto_row;
    rp__policy_view view = {.now = 1000000, .cores = 1, .elements = 1 << 20, .max_queued = 1024};
    rp__policy_job job = cheap;
    job.cpu_ns = 12000000;
    assert_int_equal(row->seat(&view, &job).queue, RP_QUEUE_CPU);
    job.cpu_ns = 30000000;
    assert_int_equal(row->seat(&view, &job).queue, RP_QUEUE_NONE);
    job.cpu_ns = 12000000;
    view.busy_cores = 1;
    view.cores_ns = 1000;
    assert_int_equal(row->seat(&view, &job).queue, RP_QUEUE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(griffin_goes_by_the_ratio),
        cmocka_unit_test(griffin_decides_after_each_list),
        cmocka_unit_test(griffin_returns_where_it_may),
        cmocka_unit_test(split_has_the_card_intersect),
        cmocka_unit_test(share_cuts_by_cost),
        cmocka_unit_test(ding_steals_in_time),
        cmocka_unit_test(auto_refuses_first_what_costs_most),
        cmocka_unit_test(auto_counts_the_starts_of_batches),
        cmocka_unit_test(auto_leaves_a_card_that_is_late),
        cmocka_unit_test(auto_keeps_a_core_for_names),
        cmocka_unit_test(auto_tries_on_an_idle_core),
    };
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
