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
    uint64_t mbps =
        row->traffic.n * 64 * config->clock_mhz * 2 / rp__dram_reference_end(config, measured);
    bool is_random = row->traffic.pattern == RP__DRAM_RAND && config->ranks == 1;
    if (mbps > rp__dram_reference_bound(config, is_random)) {
        fail_row(row, config->controller, "bandwidth above the bound", (double)mbps,
                 (double)rp__dram_reference_bound(config, is_random));
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

/* How far the mean latency of an unsaturated row may be off. In a closed loop the latency is the
 * window over the throughput, of which mixes may be 10 % off; so this is near that. */
static double latency_limit(const struct rp__dram_traffic *t)
{
    return t->write_percent && !t->load ? 0.095 : 0.08;
}

/* Latency counts from acceptance. So a row is saturated where its bandwidth is near the bound, or
 * where requests of a closed loop wait in front of full queues: then fewer reads than the window are
 * in flight, by Little's law. */
static bool is_saturated(const struct rp__dram_reference *row, const struct rp__dram_config *config,
                         const struct rp__dram_measured *measured)
{
    const struct rp__dram_traffic *t = &row->traffic;
    double mbps = (double)t->n * 64 * config->clock_mhz * 2 / (double)row->half_clocks;
    double reads = (double)measured->latency_sum / (double)measured->steps;
    return mbps > 0.9 * (double)rp__dram_reference_bound(config, t->pattern == RP__DRAM_RAND) ||
           reads < 0.95 * t->window;
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
    if (!is_saturated(row, config, measured) &&
        off(latency, row->latency) > latency_limit(&row->traffic)) {
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

/* Closed loops with many writes, where the two differ most; Ramulator was not asked about these. */
static const struct mix {
    const char *standard;
    struct rp__dram_traffic traffic;
} mixes[] = {
    {"ddr5-4800", {RP__DRAM_RAND, 20000, .window = 40, .write_percent = 60, .seed = 7}},
    {"ddr5-4800", {RP__DRAM_RAND, 20000, .window = 64, .write_percent = 25, .seed = 7}},
    {"ddr5-4800", {RP__DRAM_RAND, 20000, .window = 32, .write_percent = 60, .seed = 7}},
    {"ddr5-4800", {RP__DRAM_RAND, 100000, .window = 48, .write_percent = 40}},
    {"ddr4-2400", {RP__DRAM_RAND, 20000, .window = 8, .write_percent = 80, .seed = 7}},
    {"ddr4-2400", {RP__DRAM_RAND, 100000, .window = 16, .write_percent = 60}},
    {"hbm2", {RP__DRAM_RAND, 20000, .window = 32, .write_percent = 40, .seed = 7}},
    {"hbm2-pc", {RP__DRAM_RAND, 20000, .window = 64, .write_percent = 40, .seed = 7}},
    {"hbm3", {RP__DRAM_RAND, 20000, .window = 64, .write_percent = 40, .seed = 7}},
};

static void frfcfs_is_near_r21_on_closed_mixes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        struct rp__dram_config config;
        struct rp__dram_measured measured;
        const struct rp__dram_reference row = {.standard = mixes[i].standard,
                                               .traffic = mixes[i].traffic};
        assert_true(rp__dram_reference_run(&row, "frfcfs", &config, &measured));
        check_laws(&row, &config, &measured);
        is_near_ramulator(&row, &config, &measured);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compat_ends_in_dramsim3s_clock),
        cmocka_unit_test(compat_follows_dramsim3s_open_loops),
        cmocka_unit_test(r21_ends_in_ramulators_clock),
        cmocka_unit_test(frfcfs_is_near_ramulator),
        cmocka_unit_test(frfcfs_is_near_r21_on_closed_mixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
