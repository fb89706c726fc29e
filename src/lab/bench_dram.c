/* bench_dram.c: simulated memory under traffic. */
#include "lab/bench_dram.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

const char *rp__bench_dram_standard(size_t i)
{
    return rp__dram_standard_name(i);
}

const char *rp__bench_dram_controller(size_t i)
{
    return rp__dram_standard_controller_name(i);
}

/* One "key=value" of `bytes` bytes. */
static rp_status set(struct rp__dram_config *config, const char *text, size_t bytes, rp_error *err)
{
    char pair[64], *end = NULL;
    if (bytes >= sizeof pair) {
        return rp__error_set(err, RP_USAGE, "a setting is KEY=NUMBER");
    }
    memcpy(pair, text, bytes);
    pair[bytes] = 0;
    char *value = strchr(pair, '=');
    unsigned long number = value ? strtoul(value + 1, &end, 10) : 0;
    if (!value || !end || *end || end == value + 1 || number > UINT32_MAX) {
        return rp__error_set(err, RP_USAGE, "\"%s\": a setting is KEY=NUMBER", pair);
    }
    *value = 0;
    if (!rp__dram_key_set(config, pair, (uint32_t)number)) {
        return rp__error_set(err, RP_USAGE, "no setting of a memory is called \"%s\"", pair);
    }
    return RP_OK;
}

rp_status rp__bench_dram_configure(struct rp__dram_config *config, const char *standard,
                                   const char *controller, const char *settings, rp_error *err)
{
    if (!rp__dram_standard_set(config, standard, controller)) {
        return rp__error_set(err, RP_USAGE, "no memory \"%s\" with a controller \"%s\"", standard,
                             controller);
    }
    for (const char *at = settings ? settings : ""; *at;) {
        size_t bytes = strcspn(at, ",");
        rp_status status = set(config, at, bytes, err);
        if (status != RP_OK) {
            return status;
        }
        at += bytes + (at[bytes] == ',');
    }
    const char *fault = rp__dram_map_fault(config);
    return fault ? rp__error_set(err, RP_USAGE, "this memory cannot be simulated: %s", fault)
                 : RP_OK;
}

static void sum_up(const struct rp__dram_config *config, const struct rp__dram_traffic *traffic,
                   const struct rp__dram_measured *m, struct rp__bench_dram_point *out)
{
    double steps = config->steps, reads = m->reads ? (double)m->reads : 1;
    double buses = (double)config->channels * (config->has_pseudo ? config->ranks : 1);
    double peak =
        buses * (config->has_pseudo ? 32 : 64) / config->timing.bl * config->clock_mhz / 1000;
    out->clocks = (double)rp__dram_reference_end(config, m) / 2;
    out->gbps = (double)traffic->n * 64 * config->clock_mhz / 1000 / out->clocks;
    out->share = out->gbps / peak;
    out->latency = (double)m->latency_sum / reads / steps;
    out->p99 = (double)m->latency_p99 / steps;
    out->generated = (double)m->generated_sum / reads / steps;
    out->generated_p99 = (double)m->generated_p99 / steps;
    out->counters = m->counters;
}

rp_status rp__bench_dram_run(const struct rp__dram_config *config,
                             const struct rp__dram_traffic *traffic,
                             struct rp__bench_dram_point *out, rp_error *err)
{
    struct rp__dram_measured measured;
    uint64_t start = rp__clock_thread();
    if (!rp__dram_traffic_run(config, traffic, &measured)) {
        return rp__error_set(err, RP_NO_MEMORY, "no memory to simulate memory");
    }
    out->seconds = (double)(rp__clock_thread() - start) / 1e9;
    sum_up(config, traffic, &measured, out);
    return RP_OK;
}

rp_status rp__bench_dram_compare(const char *controller, size_t i, struct rp__bench_dram_pair *out,
                                 rp_error *err)
{
    struct rp__dram_config config;
    struct rp__dram_measured measured;
    bool is_compat = strcmp(controller, "compat") == 0;
    out->row = is_compat ? rp__dram_reference_compat_get(i) : rp__dram_reference_r21_get(i);
    if (!out->row) {
        return RP_NOT_FOUND;
    }
    if (!rp__dram_reference_run(out->row, controller, &config, &measured)) {
        return rp__error_set(err, RP_NO_MEMORY, "no memory to simulate memory");
    }
    out->clocks = (double)rp__dram_reference_end(&config, &measured) / 2;
    out->latency = (double)measured.latency_sum / (double)measured.reads / config.steps;
    out->reference_clocks = (double)out->row->half_clocks / 2;
    out->reference_latency = out->row->latency;
    return RP_OK;
}

static void write_command(void *context, const struct rp__dram_command *c)
{
    static const char *const names[] = {"ACT", "PRE", "PREA", "RD", "WR", "REF"};
    fprintf(context, "%llu %u %u %u %u %u %s\n", (unsigned long long)c->step, c->channel, c->rank,
            c->group, c->bank, c->row, names[c->kind]);
}

void rp__bench_dram_command(struct rp__bench_dram_log *log, const struct rp__dram_command *command)
{
    if (command->step < log->last)
        fputs("RESET\n", log->file);
    log->last = command->step;
    write_command(log->file, command);
}

void rp__bench_dram_trace(struct rp__dram_config *config, FILE *file)
{
    config->on_command = write_command;
    config->context = file;
}
