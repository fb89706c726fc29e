/* test_job_queue.c: jobs put and removed at random: the first of each order is the one that a look at all jobs finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "oracle/chance.h"
#include "plan/job_queue.h"

enum { ROOM = 40, TURNS = 20000 };

static rp__waiting jobs[ROOM];
static bool is_in[ROOM];

static bool is_before(const rp__waiting *a, const rp__waiting *b, int order)
{
    const uint64_t x = order == RP_JOB_BY_KEY ? a->seat.key : a->seat.urgent;
    const uint64_t y = order == RP_JOB_BY_KEY ? b->seat.key : b->seat.urgent;
    if (x == y && x == RP_POLICY_NEVER) /* neither becomes urgent */
        return is_before(a, b, RP_JOB_BY_KEY);
    return x != y ? x < y : a->number < b->number;
}

/* By a look at all; NULL: there is none. */
static rp__waiting *find_first(int order)
{
    rp__waiting *first = NULL;
    for (size_t i = 0; i < ROOM; i++)
        if (is_in[i] && (!first || is_before(&jobs[i], first, order)))
            first = &jobs[i];
    return first;
}

static size_t count_before(const rp__waiting *job)
{
    size_t n = 0;
    for (size_t i = 0; i < ROOM; i++)
        n += is_in[i] && is_before(&jobs[i], job, RP_JOB_BY_KEY);
    return n;
}

static void expect_view(const rp__job_queue *queue)
{
    rp__policy_queue view, sums = {0};
    rp__job_queue_look(queue, &view);
    for (size_t i = 0; i < ROOM; i++) {
        if (!is_in[i])
            continue;
        sums.n++;
        sums.cpu_ns += jobs[i].job.cpu_ns;
        if (jobs[i].job.gpu_ns == RP_POLICY_NEVER)
            continue;
        sums.gpu_ns += jobs[i].job.gpu_ns;
        sums.elements += jobs[i].job.shortest;
    }
    const rp__waiting *head = find_first(RP_JOB_BY_KEY), *urgent = find_first(RP_JOB_BY_URGENCY);
    assert_int_equal(view.n, sums.n);
    assert_int_equal(view.cpu_ns, sums.cpu_ns);
    assert_int_equal(view.gpu_ns, sums.gpu_ns);
    assert_int_equal(view.elements, sums.elements);
    assert_true(view.head_key == (head ? head->seat.key : RP_POLICY_NEVER));
    assert_true(view.first_urgent == (urgent ? urgent->seat.urgent : RP_POLICY_NEVER));
}

static void expect_order(const rp__job_queue *queue)
{
    size_t n = 0;
    assert_ptr_equal(rp__job_queue_first(queue, RP_JOB_BY_KEY), find_first(RP_JOB_BY_KEY));
    assert_ptr_equal(rp__job_queue_first(queue, RP_JOB_BY_URGENCY), find_first(RP_JOB_BY_URGENCY));
    for (rp__waiting *job; (job = rp__job_queue_soon(queue, n)); n++)
        assert_int_equal(count_before(job), n);
    expect_view(queue);
}

/* In the order of arrival, nearly so, or at random; some become urgent. */
static void put(rp__job_queue *queue, size_t i, uint64_t number, int how)
{
    const uint64_t key = how == 0 ? number : how == 1 ? number + chance_below(5) : chance_below(10);
    jobs[i] = (rp__waiting){
        .number = number,
        .job = {.cpu_ns = chance_below(100),
                .gpu_ns = chance_below(4) ? chance_below(50) : RP_POLICY_NEVER,
                .shortest = chance_below(1000)},
        .seat = {.key = key, .urgent = chance_below(3) ? RP_POLICY_NEVER : chance_below(1000)}};
    rp__job_queue_put(queue, &jobs[i]);
    is_in[i] = true;
}

static void remove_one(rp__job_queue *queue, size_t i)
{
    rp__waiting *first =
        rp__job_queue_first(queue, chance_below(4) ? RP_JOB_BY_KEY : RP_JOB_BY_URGENCY);
    rp__waiting *job = chance_below(4) && first ? first : &jobs[i];
    if (!is_in[job - jobs])
        return;
    rp__job_queue_remove(queue, job);
    is_in[job - jobs] = false;
}

static void orders_are_those_of_a_look_at_all(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        rp__job_queue queue;
        assert_int_equal(rp__job_queue_init(&queue, ROOM), RP_OK);
        for (uint64_t turn = 0; turn < TURNS; turn++) {
            const size_t i = chance_below(ROOM);
            const bool fills = turn / 500 % 2 == 0; /* it is full and empty by turns */
            if (!is_in[i] && chance_below(10) < (fills ? 8 : 3))
                put(&queue, i, turn, how);
            else if (is_in[i] && chance_below(10) < (fills ? 3 : 8))
                remove_one(&queue, i);
            if (turn % 7 == 0)
                expect_order(&queue);
        }
        for (size_t i = 0; i < ROOM; i++)
            if (is_in[i])
                rp__job_queue_remove(&queue, &jobs[i]), is_in[i] = false;
        expect_order(&queue);
        rp__job_queue_free(&queue);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_those_of_a_look_at_all),
    };
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests_name("job_queue", tests, NULL, NULL);
}
