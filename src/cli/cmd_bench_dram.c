/* cmd_bench_dram.c: riposte bench dram: which memory under which traffic, and where the results go. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/bench_machine.h"
#include "cli/name_list.h"
#include "cli/verbs.h"
#include "lab/bench.h"

typedef struct bench_dram_args {
    rp__common_args common;
    const char *standard, *controller, *traffic, *loads, *set, *trace;
    uint32_t window, stride, streams, writes;
    uint64_t requests, seed;
    bool reference;
} bench_dram_args;

static const char *const patterns[] = {"rand", "seq", "stride", "streams", NULL};

static const rp__option bench_rows[] = {
    {.name = "standard",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .initial = "ddr4-2400",
     .choice_at = rp__bench_dram_standard,
     .at = offsetof(bench_dram_args, standard),
     .help = "the memory"},
    {.name = "controller",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .initial = "frfcfs",
     .choice_at = rp__bench_dram_controller,
     .at = offsetof(bench_dram_args, controller),
     .help = "the rules of DRAMsim3, of Ramulator 2.1, or ours"},
    {.name = "traffic",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .initial = "rand",
     .choices = patterns,
     .at = offsetof(bench_dram_args, traffic),
     .help = "how addresses follow each other"},
    {.name = "window",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "128",
     .least = 1,
     .most = 100000,
     .at = offsetof(bench_dram_args, window),
     .help = "requests in flight at most"},
    {.name = "requests",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "100000",
     .least = 1,
     .most = 1000000000,
     .at = offsetof(bench_dram_args, requests),
     .help = "requests of each run"},
    {.name = "writes",
     .kind = RP_OPTION_COUNT32,
     .argument = "PERCENT",
     .initial = "0",
     .most = 100,
     .at = offsetof(bench_dram_args, writes),
     .help = "of the requests"},
    {.name = "stride",
     .kind = RP_OPTION_COUNT32,
     .argument = "BYTES",
     .initial = "1024",
     .least = 64,
     .most = 1 << 30,
     .at = offsetof(bench_dram_args, stride),
     .help = "of traffic stride"},
    {.name = "streams",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "8",
     .least = 1,
     .most = 1024,
     .at = offsetof(bench_dram_args, streams),
     .help = "of traffic streams"},
    {.name = "seed",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "88172645463325252",
     .least = 1,
     .at = offsetof(bench_dram_args, seed),
     .help = "of random addresses"},
    {.name = "loads",
     .kind = RP_OPTION_TEXT,
     .argument = "NUMBERS",
     .initial = "5,10,20,30,40,50,60,70,80,90",
     .at = offsetof(bench_dram_args, loads),
     .help = "of the curve, in percent of the peak, with commas between; empty: no curve"},
    {.name = "set",
     .kind = RP_OPTION_TEXT,
     .argument = "KEY=NUMBER",
     .initial = "",
     .at = offsetof(bench_dram_args, set),
     .help = "other settings than the standard's, with commas between"},
    {.name = "trace",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     .at = offsetof(bench_dram_args, trace),
     .help = "write every command of the closed loop to FILE, for tools/dram_check"},
    {.name = "reference",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(bench_dram_args, reference),
     .help = "compare with the simulator that the controller is held to, row by row"},
    {0},
};

static const rp__option_group groups[] = {
    {"bench", bench_rows, 0},
    {"general", rp__options_common, offsetof(bench_dram_args, common)},
    {0},
};

typedef struct job {
    rp__console *console;
    const bench_dram_args *args;
    struct rp__dram_config config;
    struct rp__dram_traffic traffic;
    rp__bench_machine machine;
    rp__buf json;
    rp__json_writer w;
} job;

static void set_traffic(job *j)
{
    const bench_dram_args *a = j->args;
    uint32_t pattern = 0;
    while (strcmp(patterns[pattern], a->traffic) != 0)
        pattern++;
    j->traffic = (struct rp__dram_traffic){.pattern = (enum rp__dram_pattern)pattern,
                                           .n = a->requests,
                                           .window = a->window,
                                           .write_percent = a->writes,
                                           .stride = a->stride,
                                           .streams = a->streams,
                                           .seed = a->seed};
}

/* 0: it is no load. */
static uint32_t read_load(const char *text)
{
    char *end;
    unsigned long v = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    return v > 0 && v <= 200 && *end == 0 ? (uint32_t)v : 0;
}

static rp_status check_args(job *j, rp_error *err)
{
    const bench_dram_args *a = j->args;
    const char *loads = a->loads;
    char load[RP_NAME_BYTES];
    while (*a->loads && rp__name_list_next(&loads, load))
        if (read_load(load) == 0)
            return rp__console_usage(j->console, err, "--loads 10,50,90",
                                     "--loads \"%s\": a number from 1 to 200 is meant", load);
    return rp__bench_dram_configure(&j->config, a->standard, a->controller, a->set, err);
}

/* ---- Results --------------------------------------------------------------------------------- */

static void print_settings(const struct rp__dram_config *config)
{
    const char *name;
    printf("%s, controller %s%s, map %s from bit 6\n", config->standard, config->controller,
           config->is_validated ? "" : " (not validated)", config->map);
    for (size_t i = 0; (name = rp__dram_key_name(i)); i++)
        printf("%s%s %u", i % 10 ? ", " : i ? ",\n  " : "  ", name, rp__dram_key_get(config, i));
    putchar('\n');
}

static void write_settings(rp__json_writer *w, const struct rp__dram_config *config)
{
    const char *name;
    rp__json_writer_begin(w, "settings", '{');
    rp__json_writer_text(w, "standard", config->standard);
    rp__json_writer_text(w, "controller", config->controller);
    rp__json_writer_text(w, "map", config->map);
    rp__json_writer_bool(w, "validated", config->is_validated);
    for (size_t i = 0; (name = rp__dram_key_name(i)); i++)
        rp__json_writer_uint(w, name, rp__dram_key_get(config, i));
    rp__json_writer_end(w, '}');
}

static void print_point(const struct rp__bench_dram_point *p)
{
    const struct rp__dram_counters *n = &p->counters;
    printf("closed loop: %.1f clocks, %.2f GB/s (%.1f %% of the peak), latency %.1f, p99 %.1f\n",
           p->clocks, p->gbps, p->share * 100, p->latency, p->p99);
    printf("  rows: hit %llu, closed %llu, conflict %llu; commands: ACT %llu, PRE %llu, RD %llu, "
           "WR %llu, REF %llu\n",
           (unsigned long long)n->hits, (unsigned long long)n->closed,
           (unsigned long long)n->conflicts, (unsigned long long)n->act, (unsigned long long)n->pre,
           (unsigned long long)n->rd, (unsigned long long)n->wr, (unsigned long long)n->ref);
    printf("  energy %.3f mJ; simulated %.2f million clocks a second\n", (double)n->energy_pj / 1e9,
           p->clocks / p->seconds / 1e6);
}

/* Less is served than offered: the requests that wait to be accepted grow without end. */
static bool is_saturated(const struct rp__bench_dram_point *p, uint32_t load)
{
    return p->share * 100 < 0.95 * load;
}

static void write_point(rp__json_writer *w, const char *key, const struct rp__bench_dram_point *p,
                        uint32_t load)
{
    rp__json_writer_begin(w, key, '{');
    if (load)
        rp__json_writer_uint(w, "load", load);
    rp__json_writer_real(w, "clocks", p->clocks, 1);
    rp__json_writer_real(w, "gbps", p->gbps, 3);
    rp__json_writer_real(w, "share", p->share, 4);
    rp__json_writer_real(w, "latency", p->latency, 2);
    rp__json_writer_real(w, "p99", p->p99, 1);
    if (load && is_saturated(p, load)) {
        rp__json_writer_bool(w, "saturated", true);
    } else if (load) {
        rp__json_writer_real(w, "latency_from_generation", p->generated, 2);
        rp__json_writer_real(w, "p99_from_generation", p->generated_p99, 1);
    }
    rp__json_writer_uint(w, "row_hits", p->counters.hits);
    rp__json_writer_uint(w, "row_closed", p->counters.closed);
    rp__json_writer_uint(w, "row_conflicts", p->counters.conflicts);
    rp__json_writer_uint(w, "energy_pj", p->counters.energy_pj);
    rp__json_writer_real(w, "clocks_per_second", p->clocks / p->seconds, 0);
    rp__json_writer_end(w, '}');
}

static void print_load(const struct rp__bench_dram_point *p, uint32_t load)
{
    printf("%6u %9.2f %9.1f %9.1f ", load, p->gbps, p->latency, p->p99);
    if (is_saturated(p, load))
        printf("%15s\n", "saturated");
    else
        printf("%15.1f %9.1f\n", p->generated, p->generated_p99);
}

/* ---- The verb -------------------------------------------------------------------------------- */

static rp_status run_curve(job *j, rp_error *err)
{
    const char *loads = j->args->loads;
    char load[RP_NAME_BYTES];
    rp_status status = RP_OK;
    if (j->console->wants_json)
        rp__json_writer_begin(&j->w, "curve", '[');
    else if (*loads)
        printf("open loop:\n%6s %9s %9s %9s %14s %9s\n", "load %", "GB/s", "latency", "p99",
               "from generation", "p99");
    while (status == RP_OK && *j->args->loads && rp__name_list_next(&loads, load)) {
        struct rp__bench_dram_point p = {0};
        struct rp__dram_traffic traffic = j->traffic;
        traffic.load = read_load(load);
        status = rp__bench_dram_run(&j->config, &traffic, &p, err);
        if (status == RP_OK && j->console->wants_json)
            write_point(&j->w, NULL, &p, traffic.load);
        else if (status == RP_OK)
            print_load(&p, traffic.load);
    }
    if (j->console->wants_json)
        rp__json_writer_end(&j->w, ']');
    return status;
}

static rp_status run_closed(job *j, struct rp__bench_dram_point *p, rp_error *err)
{
    struct rp__dram_config config = j->config;
    FILE *file = NULL;
    if (j->args->trace) {
        file = fopen(j->args->trace, "w");
        if (!file)
            return rp__error_set(err, RP_IO, "%s: %s", j->args->trace, strerror(errno));
        rp__bench_dram_trace(&config, file);
    }
    rp_status status = rp__bench_dram_run(&config, &j->traffic, p, err);
    if (file && fclose(file) != 0 && status == RP_OK)
        status = rp__error_set(err, RP_IO, "%s: %s", j->args->trace, strerror(errno));
    return status;
}

static rp_status run_traffic(job *j, rp_error *err)
{
    struct rp__bench_dram_point p = {0};
    rp_status status = run_closed(j, &p, err);
    if (status != RP_OK)
        return status;
    if (j->console->wants_json) {
        write_settings(&j->w, &j->config);
        write_point(&j->w, "closed", &p, 0);
    } else {
        rp__bench_machine_print(&j->machine);
        print_settings(&j->config);
        print_point(&p);
    }
    return run_curve(j, err);
}

static void name_traffic(const struct rp__dram_reference *row, char out[96])
{
    const struct rp__dram_traffic *t = &row->traffic;
    int n = snprintf(out, 96, "%s", patterns[t->pattern]);
    if (t->pattern == RP__DRAM_STRIDE || t->pattern == RP__DRAM_STREAMS)
        n += snprintf(out + n, 96 - (size_t)n, " %u",
                      t->pattern == RP__DRAM_STRIDE ? t->stride : t->streams);
    n += snprintf(out + n, 96 - (size_t)n, t->load ? ", load %u %%" : ", window %u",
                  t->load ? t->load : t->window);
    if (t->write_percent)
        n += snprintf(out + n, 96 - (size_t)n, ", %u %% writes", t->write_percent);
    if (t->seed)
        n += snprintf(out + n, 96 - (size_t)n, ", seed %llu", (unsigned long long)t->seed);
    if (row->ranks)
        n += snprintf(out + n, 96 - (size_t)n, ", %u ranks", row->ranks);
    if (row->map)
        snprintf(out + n, 96 - (size_t)n, ", map %s", row->map);
}

static void print_pair(const struct rp__bench_dram_pair *pair, const char *traffic)
{
    double off = (pair->clocks / pair->reference_clocks - 1) * 100;
    printf("| %s | %s | %.1f | %.1f | %+.3f %% |", pair->row->standard, traffic,
           pair->reference_clocks, pair->clocks, off);
    if (pair->reference_latency != 0)
        printf(" %.1f | %.1f |\n", pair->reference_latency, pair->latency);
    else
        printf(" | %.1f |\n", pair->latency);
}

static rp_status run_reference(job *j, rp_error *err)
{
    struct rp__bench_dram_pair pair;
    rp_status status;
    char traffic[96];
    bool wants_json = j->console->wants_json;
    if (wants_json)
        rp__json_writer_begin(&j->w, "rows", '[');
    else
        printf("| memory | traffic | reference clocks | %s | difference | latency | ours |\n"
               "|---|---|---:|---:|---:|---:|---:|\n",
               j->args->controller);
    for (size_t i = 0;
         (status = rp__bench_dram_compare(j->args->controller, i, &pair, err)) == RP_OK; i++) {
        name_traffic(pair.row, traffic);
        if (!wants_json) {
            print_pair(&pair, traffic);
            continue;
        }
        rp__json_writer_begin(&j->w, NULL, '{');
        rp__json_writer_text(&j->w, "standard", pair.row->standard);
        rp__json_writer_text(&j->w, "traffic", traffic);
        rp__json_writer_real(&j->w, "reference_clocks", pair.reference_clocks, 1);
        rp__json_writer_real(&j->w, "clocks", pair.clocks, 1);
        rp__json_writer_real(&j->w, "latency", pair.latency, 2);
        rp__json_writer_end(&j->w, '}');
    }
    if (wants_json)
        rp__json_writer_end(&j->w, ']');
    return status == RP_NOT_FOUND ? RP_OK : status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    job j = {.console = console, .args = call->args};
    rp_status status = check_args(&j, err);
    if (status != RP_OK)
        return status;
    set_traffic(&j);
    rp__buf_init(&j.json);
    rp__json_writer_init(&j.w, &j.json);
    rp__bench_machine_get(&j.machine);
    rp__json_writer_begin(&j.w, NULL, '{');
    rp__json_writer_text(&j.w, "schema", "riposte.bench.dram/1");
    rp__bench_machine_write(&j.w, &j.machine);
    status = j.args->reference ? run_reference(&j, err) : run_traffic(&j, err);
    rp__json_writer_end(&j.w, '}');
    if (status == RP_OK && console->wants_json)
        status = rp__console_reply(console, &j.json, err);
    rp__buf_free(&j.json);
    return status;
}

const rp__verb rp__cmd_bench_dram_verb = {
    .name = "bench dram",
    .summary = "simulate main memory under defined traffic",
    .details =
        "A closed loop keeps a window of requests in flight; an open loop offers a share of the "
        "peak, which gives the curve of bandwidth and latency. Latencies are in memory clocks. "
        "Every setting is printed, because the figures depend on all of them, most of all on "
        "the queues. docs/dram.md says what the model was compared with.",
    .examples = "riposte bench dram\n"
                "riposte bench dram --standard hbm3 --controller r21 --traffic seq\n"
                "riposte bench dram --set read_queue=64,write_queue=64 --writes 25\n",
    .groups = groups,
    .args_bytes = sizeof(bench_dram_args),
    .run = run,
};
