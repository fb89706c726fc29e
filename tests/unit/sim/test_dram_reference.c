/* test_dram_reference.c: the memory model against two other simulators, row by row.
 *
 * compat must end in DRAMsim3's clock, r21 in Ramulator's, with its latencies and row counts;
 * frfcfs must be near Ramulator's figures, or r21's where there are none; all must be inside every
 * bound.
 * RIPOSTE_THOROUGH: all rows; otherwise those marked as quick. */
#include "lab/dram_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef void check(const struct rp__dram_reference *row, const struct rp__dram_config *config,
                   const struct rp__dram_measured *measured);

static void name(const struct rp__dram_reference *row, const char *controller)
{
    const struct rp__dram_traffic *t = &row->traffic;
    print_message("  %s %s: pattern %d, window %u, load %u, %llu requests, %u %% writes\n",
                  controller, row->standard, (int)t->pattern, t->window, t->load,
                  (unsigned long long)t->n, t->write_percent);
}

static void fail_row(const struct rp__dram_reference *row, const char *controller, const char *what,
                     double is, double should_be)
{
    name(row, controller);
    fail_msg("%s is %.3f, not %.3f", what, is, should_be);
}

/* Conservation: what went in came out, and the bus was busy as long as data took. */
static void check_laws(const struct rp__dram_reference *row, const struct rp__dram_config *config,
                       const struct rp__dram_measured *measured)
{
    const struct rp__dram_counters *n = &measured->counters;
    uint64_t halves = config->has_pseudo ? 2 : 1;
    assert_true(measured->reads + measured->writes == row->traffic.n);
    assert_true(n->reads == measured->reads && n->writes == measured->writes);
    assert_true(n->bus_busy == (n->rd + n->wr) * config->timing.bl);
    if (strcmp(config->controller, "compat") != 0) { /* which merges reads, and keeps writes */
        assert_true(n->rd + n->forwarded == n->reads * halves);
        assert_true(n->wr + n->merged == n->writes * halves);
        assert_true(n->hits + n->closed + n->conflicts == n->rd + n->wr);
    }
    uint64_t half_clocks = rp__dram_reference_end(config, measured);
    uint64_t mbps = row->traffic.n * 64 * config->clock_mhz * 2 / half_clocks;
    bool is_random = row->traffic.pattern == RP__DRAM_RAND && config->ranks == 1;
    uint64_t bound = rp__dram_reference_bound(config, is_random, half_clocks / 2);
    if (mbps > bound) {
        fail_row(row, config->controller, "bandwidth above the bound", (double)mbps, (double)bound);
    }
}

typedef const struct rp__dram_reference *get(size_t i);

static void run_rows(get *get_row, const char *controller, check *check_row)
{
    bool is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    const struct rp__dram_reference *row;
    for (size_t i = 0; (row = get_row(i)) != NULL; i++) {
        struct rp__dram_config config;
        struct rp__dram_measured measured;
        if (is_thorough || row->is_quick) {
            assert_true(rp__dram_reference_run(row, controller, &config, &measured));
            check_laws(row, &config, &measured);
            check_row(row, &config, &measured);
        }
    }
}

static double off(double is, double should_be)
{
    return fabs(is - should_be) / should_be;
}

static void check_latency(const struct rp__dram_reference *row, const char *controller,
                          const char *what, double is, double should_be)
{
    if (should_be != 0 && fabs(is - should_be) > 0.051) {
        fail_row(row, controller, what, is, should_be);
    }
}

static void is_dramsim3(const struct rp__dram_reference *row, const struct rp__dram_config *config,
                        const struct rp__dram_measured *measured)
{
    uint64_t end = rp__dram_reference_end(config, measured);
    if (end != row->half_clocks) {
        fail_row(row, "compat", "half clocks", (double)end, (double)row->half_clocks);
    }
    check_latency(row, "compat", "mean latency",
                  (double)measured->latency_sum / (double)measured->reads, row->latency);
}

static void is_ramulator(const struct rp__dram_reference *row, const struct rp__dram_config *config,
                         const struct rp__dram_measured *measured)
{
    uint64_t end = rp__dram_reference_end(config, measured);
    double reads = (double)measured->reads * config->steps;
    if (end != row->half_clocks) {
        fail_row(row, "r21", "half clocks", (double)end, (double)row->half_clocks);
    }
    check_latency(row, "r21", "mean latency", (double)measured->latency_sum / reads, row->latency);
    check_latency(row, "r21", "p99", (double)measured->latency_p99 / config->steps, row->p99);
    check_latency(row, "r21", "mean from generation", (double)measured->generated_sum / reads,
                  row->generated);
    check_latency(row, "r21", "p99 from generation",
                  (double)measured->generated_p99 / config->steps, row->generated_p99);
    if (row->rows[0]) {
        assert_int_equal(measured->counters.hits, row->rows[0]);
        assert_int_equal(measured->counters.closed, row->rows[1]);
        assert_int_equal(measured->counters.conflicts, row->rows[2]);
    }
}

/* Read latency in clocks. */
static double mean_latency(const struct rp__dram_config *config,
                           const struct rp__dram_measured *measured)
{
    return (double)measured->latency_sum / (double)measured->reads / config->steps;
}

/* r21's figures of this row: where Ramulator's latency is not recorded, r21's stands for it. */
static struct rp__dram_reference with_r21(const struct rp__dram_reference *row)
{
    struct rp__dram_config config;
    struct rp__dram_measured measured;
    struct rp__dram_reference full = *row;
    assert_true(rp__dram_reference_run(row, "r21", &config, &measured));
    full.half_clocks = rp__dram_reference_end(&config, &measured);
    full.latency = mean_latency(&config, &measured);
    return full;
}

/* Clocks that r21 takes when twice as much is offered: a window, or a load, twice as large. */
static double clocks_of_twice(const struct rp__dram_reference *row)
{
    struct rp__dram_reference twice = *row;
    twice.traffic.window *= 2;
    twice.traffic.load *= 2;
    return (double)with_r21(&twice).half_clocks;
}

/* Latency counts from acceptance, so it says little where requests wait in front of full queues. A
 * row is saturated where twice the offer gives less than 2 % more bandwidth, by r21, which is
 * Ramulator's clock. */
static bool is_saturated(const struct rp__dram_reference *row)
{
    return (double)row->half_clocks < 1.02 * clocks_of_twice(row);
}

static void is_near(const struct rp__dram_reference *row, const struct rp__dram_config *config,
                    const struct rp__dram_measured *measured)
{
    double end = (double)rp__dram_reference_end(config, measured);
    double latency = mean_latency(config, measured);
    double limit = row->traffic.write_percent ? 0.10 : 0.05;
    if (off(end, (double)row->half_clocks) > limit) {
        fail_row(row, "frfcfs", "half clocks", end, (double)row->half_clocks);
    }
    if (off(latency, row->latency) > 0.08 && !is_saturated(row)) {
        fail_row(row, "frfcfs", "mean latency", latency, row->latency);
    }
}

static void is_near_ramulator(const struct rp__dram_reference *row,
                              const struct rp__dram_config *config,
                              const struct rp__dram_measured *measured)
{
    struct rp__dram_reference full = row->latency != 0 ? *row : with_r21(row);
    is_near(&full, config, measured);
}

static void compat_ends_in_dramsim3s_clock(void **state)
{
    (void)state;
    run_rows(rp__dram_reference_compat_get, "compat", is_dramsim3);
}

/* Of open loops DRAMsim3's bandwidth and mean latency are recorded, not the clock of the end. */
static void compat_follows_dramsim3s_open_loops(void **state)
{
    static const struct {
        uint32_t load;
        double gb_a_second, latency;
    } loops[] = {{25, 19.20, 85.0}, {50, 38.38, 159.9}}; /* one request each 4 and 2 clocks */
    (void)state;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const struct rp__dram_reference row = {
            .standard = "ddr4-2400",
            .traffic = {.pattern = RP__DRAM_RAND, .n = 100000, .load = loops[i].load}};
        struct rp__dram_config config;
        struct rp__dram_measured measured;
        assert_true(rp__dram_reference_run(&row, "compat", &config, &measured));
        check_laws(&row, &config, &measured);
        double clocks = (double)rp__dram_reference_end(&config, &measured) / 2;
        double gb = 6.4e3 * config.clock_mhz / clocks;
        assert_true(off(gb, loops[i].gb_a_second) < 0.001);
        assert_true(off(mean_latency(&config, &measured) - 1, loops[i].latency) < 0.005);
    }
}

static void r21_ends_in_ramulators_clock(void **state)
{
    (void)state;
    run_rows(rp__dram_reference_r21_get, "r21", is_ramulator);
}

static void frfcfs_is_near_ramulator(void **state)
{
    (void)state;
    run_rows(rp__dram_reference_r21_get, "frfcfs", is_near_ramulator);
}

static void is_near_r21(const char *standard, const struct rp__dram_traffic *traffic)
{
    struct rp__dram_config config;
    struct rp__dram_measured measured;
    const struct rp__dram_reference row = {.standard = standard, .traffic = *traffic};
    assert_true(rp__dram_reference_run(&row, "frfcfs", &config, &measured));
    check_laws(&row, &config, &measured);
    is_near_ramulator(&row, &config, &measured);
}

/* Closed loops with many writes, of which Ramulator was not asked. Before requests with an ACT left
 * their queue, these differed most. */
static const struct mix {
    const char *standard;
    struct rp__dram_traffic traffic;
} mixes[] = {
    {"ddr5-4800", {RP__DRAM_RAND, 20000, .window = 40, .write_percent = 60, .seed = 7}},
    {"ddr5-4800", {RP__DRAM_RAND, 20000, .window = 48, .write_percent = 50, .seed = 7}},
    {"ddr5-4800", {RP__DRAM_RAND, 20000, .window = 64, .write_percent = 25, .seed = 7}},
    {"ddr5-4800", {RP__DRAM_RAND, 20000, .window = 256, .write_percent = 10, .seed = 7}},
    {"ddr5-4800", {RP__DRAM_RAND, 100000, .window = 48, .write_percent = 40}},
    {"ddr4-2400", {RP__DRAM_RAND, 20000, .window = 8, .write_percent = 80, .seed = 7}},
    {"ddr4-2400", {RP__DRAM_RAND, 20000, .window = 16, .write_percent = 50, .seed = 7}},
    {"ddr4-2400", {RP__DRAM_RAND, 100000, .window = 16, .write_percent = 60}},
    {"hbm2", {RP__DRAM_RAND, 20000, .window = 32, .write_percent = 40, .seed = 7}},
    {"hbm2-pc", {RP__DRAM_RAND, 20000, .window = 64, .write_percent = 40, .seed = 7}},
    {"hbm3", {RP__DRAM_RAND, 20000, .window = 64, .write_percent = 40, .seed = 7}},
};

static void frfcfs_is_near_r21_on_closed_mixes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++)
        is_near_r21(mixes[i].standard, &mixes[i].traffic);
}

static const struct rp__dram_traffic patterns[] = {
    {.pattern = RP__DRAM_RAND, .n = 10000, .seed = 7},
    {.pattern = RP__DRAM_RAND, .n = 10000, .seed = 12345},
    {.pattern = RP__DRAM_SEQ, .n = 10000},
    {.pattern = RP__DRAM_STRIDE, .n = 10000, .stride = 192},
    {.pattern = RP__DRAM_STRIDE, .n = 10000, .stride = 2112},
    {.pattern = RP__DRAM_STRIDE, .n = 10000, .stride = 65600},
};

/* Traffic as in the tables, with seeds, windows, strides and shares of writes that are in none. */
static void check_grid(const char *standard)
{
    static const uint32_t windows[] = {3, 8, 24, 40, 96, 160}, writes[] = {0, 10, 33, 40, 60};
    const bool is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    uint32_t n = 0;
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
            for (size_t k = 0; k < sizeof writes / sizeof *writes; k++) {
                struct rp__dram_traffic traffic = patterns[p];
                traffic.n *= is_thorough ? 5 : 1;
                traffic.window = windows[w];
                traffic.write_percent = writes[k];
                if (is_thorough || n++ % 11 == 0)
                    is_near_r21(standard, &traffic);
            }
}

static void frfcfs_is_near_r21_on_any_seed_window_and_stride(void **state)
{
    (void)state;
    static const char *const standards[] = {"ddr4-2400", "ddr5-4800", "hbm2", "hbm2-pc", "hbm3"};
    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++)
        check_grid(standards[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compat_ends_in_dramsim3s_clock),
        cmocka_unit_test(compat_follows_dramsim3s_open_loops),
        cmocka_unit_test(r21_ends_in_ramulators_clock),
        cmocka_unit_test(frfcfs_is_near_ramulator),
        cmocka_unit_test(frfcfs_is_near_r21_on_closed_mixes),
        cmocka_unit_test(frfcfs_is_near_r21_on_any_seed_window_and_stride),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
