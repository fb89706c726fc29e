/* test_sim_timeline.c: a timeline of units loses no cycle, however often its buckets become wider. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lab/sim_timeline.h"

enum { UNITS = 3, CYCLES = 50000 };

static uint8_t classes[UNITS][CYCLES]; /* of each cycle */

/* Spans of random lengths, of each unit in the order of time. */
static void fill(rp__sim_timeline *t, uint32_t longest)
{
    uint32_t at[UNITS] = {0}, seed = 7;
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint32_t u = 0; u < UNITS; u++) {
            seed = seed * 1664525 + 1013904223;
            const uint32_t n = 1 + (seed >> 8) % longest, spent = (seed >> 4) % RP_SIM_CLASSES;
            const uint32_t end = at[u] + n < CYCLES ? at[u] + n : CYCLES;
            if (at[u] == end)
                continue;
            rp__sim_timeline_add(t, u, spent, at[u] - t->offset, end - at[u]);
            memset(&classes[u][at[u]], (int)spent, end - at[u]);
            at[u] = end;
            goes_on = true;
        }
    }
}

static void check(const rp__sim_timeline *t)
{
    const uint32_t n = rp__sim_timeline_count(t);
    assert_int_equal(t->end, CYCLES);
    assert_true(n <= RP_SIM_TIMELINE_BUCKETS && n > RP_SIM_TIMELINE_BUCKETS / 2);
    for (uint32_t u = 0; u < UNITS; u++)
        for (uint32_t b = 0; b < n; b++) {
            uint64_t want[RP_SIM_CLASSES] = {0};
            for (uint64_t i = b * t->width; i < (b + 1) * t->width && i < CYCLES; i++)
                want[classes[u][i]]++;
            assert_memory_equal(want, rp__sim_timeline_get(t, u, b), sizeof want);
        }
}

static void buckets_have_every_cycle(void **state)
{
    (void)state;
    static const uint32_t longest[] = {1, 7, 3000, CYCLES};
    for (size_t i = 0; i < sizeof longest / sizeof *longest; i++) {
        rp__sim_timeline t;
        assert_int_equal(rp__sim_timeline_init(&t), RP_OK);
        fill(&t, longest[i]);
        check(&t);
        rp__sim_timeline_free(&t);
    }
}

static void a_short_run_is_exact(void **state)
{
    (void)state;
    rp__sim_timeline t;
    assert_int_equal(rp__sim_timeline_init(&t), RP_OK);
    rp__sim_timeline_add(&t, 0, RP_SIM_BUSY, 0, 1);
    t.offset = 1; /* of the next machine */
    rp__sim_timeline_add(&t, 0, RP_SIM_IDLE, 0, 2);
    assert_int_equal(t.width, 1);
    assert_int_equal(rp__sim_timeline_count(&t), 3);
    assert_int_equal(rp__sim_timeline_get(&t, 0, 0)[RP_SIM_BUSY], 1);
    assert_int_equal(rp__sim_timeline_get(&t, 0, 1)[RP_SIM_IDLE], 1);
    assert_int_equal(rp__sim_timeline_get(&t, 0, 2)[RP_SIM_IDLE], 1);
    rp__sim_timeline_free(&t);
    rp__sim_timeline_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_have_every_cycle),
        cmocka_unit_test(a_short_run_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
