/* sim_report.c: prints what a simulated machine did. Every figure comes from sim's counters; only the
 * host's time for the k best is measured. */
#include "cli/sim_report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/figures.h"

static const char *const dl_names[] = {"line", "charge4", "free"};
static const char *const type_names[] = {"single", "and", "or"};

const char *rp__sim_report_type(uint32_t type)
{
    return type_names[type];
}

/* ---- Figures --------------------------------------------------------------------------------- */

typedef struct figures {
    double seconds;        /* of the machine's clock */
    uint64_t memory_bytes; /* in lines */
    double gb_a_second, queries_a_second, postings_a_second;
    rp__sim_energy paper, active;
} figures;

static figures measure(const rp__sim_report_run *run)
{
    const rp__sim_report *r = &run->result.report;
    figures f = {.seconds = (double)r->cycles / (run->config.core_mhz * 1e6)};
    for (uint32_t i = 0; i < RP_SIM_TRAFFICS; i++)
        f.memory_bytes += RP_SIM_LINE * r->counts.requests[i];
    const double time = f.seconds > 0 ? f.seconds : 1;
    f.gb_a_second = (double)f.memory_bytes / time * 1e-9;
    f.queries_a_second = (double)r->queries / time;
    f.postings_a_second = (double)r->counts.postings / time;
    f.paper = rp__sim_energy_sum(r, run->config.core_mhz, true, run->result.topk_seconds);
    f.active = rp__sim_energy_sum(r, run->config.core_mhz, false, run->result.topk_seconds);
    return f;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

/* ---- Queries --------------------------------------------------------------------------------- */

void rp__sim_report_queries(const rp__lab_sim *sim, const rp__sim_report_run *run)
{
    printf("query\ttype\tpostings\tresults\tqueue\tsetup\tblocks\tdrain\tcycles\tstatus\n");
    for (size_t i = 0; i < rp__lab_sim_count(sim); i++) {
        rp__lab_sim_query q;
        const rp__completion *c = &run->result.completions[i];
        const bool is_ok = c->status == RP_SIM_OK;
        rp__lab_sim_get(sim, i, &q);
        rp__console_put(stdout, q.text, strlen(q.text));
        printf("\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
               "\t%" PRIu64 "\t%s\n",
               type_names[q.type], (uint64_t)q.n[0] + q.n[1], c->n_results, c->start - c->arrival,
               is_ok ? c->first - c->start : 0, is_ok ? c->last - c->first : 0,
               is_ok ? c->end - c->last : 0, c->end - c->arrival,
               rp__machine_status_name(c->status));
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

typedef double column_fn(const rp__sim_report_run *run, const figures *f);

static double total_cycles(const rp__sim_report_run *run, const figures *f)
{
    (void)f;
    return (double)run->result.report.cycles;
}
static double total_us(const rp__sim_report_run *run, const figures *f)
{
    (void)run;
    return f->seconds * 1e6;
}
static double per_query_us(const rp__sim_report_run *run, const figures *f)
{
    const uint64_t n = run->result.report.queries;
    return n ? f->seconds * 1e6 / (double)n : 0;
}
static double topk_us(const rp__sim_report_run *run, const figures *f)
{
    (void)f;
    return run->result.topk_seconds * 1e6;
}
static double kilo_queries(const rp__sim_report_run *run, const figures *f)
{
    (void)run;
    return f->queries_a_second * 1e-3;
}
static double mega_postings(const rp__sim_report_run *run, const figures *f)
{
    (void)run;
    return f->postings_a_second * 1e-6;
}
static double memory_mb(const rp__sim_report_run *run, const figures *f)
{
    (void)run;
    return (double)f->memory_bytes * 1e-6;
}
static double bandwidth(const rp__sim_report_run *run, const figures *f)
{
    (void)run;
    return f->gb_a_second;
}
static double row_hits(const rp__sim_report_run *run, const figures *f)
{
    const rp__sim_report *r = &run->result.report;
    (void)f;
    return share(r->row_hits, r->row_hits + r->row_closed + r->row_conflicts);
}
static double bus_share(const rp__sim_report_run *run, const figures *f)
{
    const rp__sim_report *r = &run->result.report;
    (void)f;
    return share(r->bus_busy, r->memory_ticks * (r->memory_channels ? r->memory_channels : 1));
}
static double machine_uj(const rp__sim_report_run *run, const figures *f)
{
    (void)run;
    return f->paper.modules * 1e6;
}
static double active_uj(const rp__sim_report_run *run, const figures *f)
{
    (void)run;
    return f->active.modules * 1e6;
}
static double memory_uj(const rp__sim_report_run *run, const figures *f)
{
    (void)run;
    return f->paper.memory * 1e6;
}

static const struct {
    const char *name;
    column_fn *value;
    int decimals;
} rows[] = {
    {"cycles", total_cycles, 0},
    {"time, us", total_us, 1},
    {"time a query, us", per_query_us, 2},
    {"top 10 on the host, us (measured)", topk_us, 1},
    {"thousand queries a second", kilo_queries, 1},
    {"million postings a second", mega_postings, 1},
    {"memory traffic, MB", memory_mb, 2},
    {"memory traffic, GB a second", bandwidth, 2},
    {"row hits, %", row_hits, 1},
    {"data bus, %", bus_share, 1},
    {"machine, uJ (all on)", machine_uj, 2},
    {"machine, uJ (busy units)", active_uj, 2},
    {"memory, uJ", memory_uj, 2},
};

static void print_columns(const rp__sim_report_run *runs, size_t n)
{
    figures f[RP_SIM_REPORT_RUNS];
    printf("%-34s", "");
    for (size_t i = 0; i < n; i++) {
        char title[32];
        f[i] = measure(&runs[i]);
        snprintf(title, sizeof title, "dl=%s", dl_names[runs[i].config.dl]);
        printf("  %14s", title);
    }
    printf("\n");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        printf("%-34s", rows[r].name);
        for (size_t i = 0; i < n; i++)
            printf("  %14.*f", rows[r].decimals, rows[r].value(&runs[i], &f[i]));
        printf("\n");
    }
}

static void print_units(const rp__sim_report_run *run)
{
    printf("\n%-16s", "module, %");
    for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
        printf("  %11s", rp__sim_stats_class(c));
    printf("\n");
    for (uint32_t k = 0; k < RP_SIM_KINDS; k++) {
        uint64_t cycles[RP_SIM_CLASSES], all = 0;
        rp__sim_stats_sum(&run->result.report, k, cycles);
        for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
            all += cycles[c];
        printf("%-16s", rp__sim_stats_kind(k));
        for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
            printf("  %11.1f", share(cycles[c], all));
        printf("\n");
    }
}

static void print_traffic(const rp__sim_report_run *run)
{
    const rp__sim_counts *c = &run->result.report.counts;
    char a[RP_FIGURE_BYTES], b[RP_FIGURE_BYTES];
    printf("\n%-10s  %14s  %14s\n", "traffic", "lines", "bytes used");
    for (uint32_t i = 0; i < RP_SIM_TRAFFICS; i++)
        if (c->requests[i])
            printf("%-10s  %14s  %14s\n", rp__sim_stats_traffic(i),
                   rp__figures_count(a, c->requests[i]), rp__figures_count(b, c->bytes[i]));
    const uint64_t fetched = 8 * RP_SIM_LINE * c->reader_lines;
    printf("\nblock readers: %.1f %% of %" PRIu64 " lines fetched without use; searches %" PRIu64
           ", levels cached %" PRIu64 ", read %" PRIu64 "; blocks fetched for candidates %" PRIu64
           "\n",
           share(fetched > c->reader_bits ? fetched - c->reader_bits : 0, fetched), c->reader_lines,
           c->searches, c->levels_cached, c->levels_read, c->l1_blocks);
}

/* By the first command that a request needs. */
static void print_rows(const rp__sim_report *r)
{
    char hits[RP_FIGURE_BYTES], closed[RP_FIGURE_BYTES], conflicts[RP_FIGURE_BYTES];
    if (r->row_hits + r->row_closed + r->row_conflicts > 0)
        printf("rows: hits %s, closed %s, conflicts %s\n", rp__figures_count(hits, r->row_hits),
               rp__figures_count(closed, r->row_closed),
               rp__figures_count(conflicts, r->row_conflicts));
}

/* Entries of the MAI in use, in sixteenths of them. */
static void print_fill(const rp__sim_counts *c, uint32_t entries)
{
    uint64_t cycles = 0;
    for (size_t i = 0; i < RP_SIM_MAI_BUCKETS; i++)
        cycles += c->mai_fill[i];
    printf("MAI: at most %" PRIu64 " of %u entries; %% of cycles: none %.1f", c->mai_max_fill,
           entries, share(c->mai_fill[0], cycles));
    for (size_t i = 1; i < RP_SIM_MAI_BUCKETS; i++)
        if (c->mai_fill[i])
            printf(", up to %u %.1f", (unsigned)(entries * i / (RP_SIM_MAI_BUCKETS - 1)),
                   share(c->mai_fill[i], cycles));
    printf("\n");
}

bool rp__sim_report_left_out(const rp__lab_sim *sim, char text[RP_SIM_REPORT_LEFT_OUT])
{
    char unknown[RP_FIGURE_BYTES], other[RP_FIGURE_BYTES];
    const rp__lab_sim_left_out n = rp__lab_sim_count_left_out(sim);
    snprintf(text, RP_SIM_REPORT_LEFT_OUT,
             "left out: %s with a term that has no list, %s with another number of terms",
             rp__figures_of(unknown, n.unknown, "query"), rp__figures_count(other, n.other));
    return n.unknown + n.other > 0;
}

void rp__sim_report_print(const rp__lab_sim *sim, const rp__sim_report_run *runs, size_t n)
{
    char left_out[RP_SIM_REPORT_LEFT_OUT];
    if (rp__sim_report_left_out(sim, left_out))
        printf("%s\n\n", left_out);
    print_columns(runs, n);
    print_units(&runs[0]);
    print_traffic(&runs[0]);
    print_rows(&runs[0].result.report);
    print_fill(&runs[0].result.report.counts, runs[0].config.mai_entries);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_config(rp__json_writer *w, const rp__sim_config *config)
{
    const rp__sim_key *key;
    rp__json_writer_begin(w, "config", '{');
    for (size_t i = 0; (key = rp__sim_config_key(i)); i++) {
        uint32_t value;
        memcpy(&value, (const char *)config + key->offset, sizeof value);
        size_t n;
        const char *choice = rp__sim_config_choice(key, value, &n);
        if (key->choices[0])
            rp__json_writer_string(w, key->name, choice, n);
        else
            rp__json_writer_uint(w, key->name, value);
    }
    rp__json_writer_text(w, "standard", config->standard);
    rp__json_writer_text(w, "controller", config->controller);
    rp__json_writer_end(w, '}');
}

static void write_units(rp__json_writer *w, const rp__sim_report *report)
{
    rp__json_writer_begin(w, "units", '{');
    for (uint32_t k = 0; k < RP_SIM_KINDS; k++) {
        uint64_t cycles[RP_SIM_CLASSES];
        rp__sim_stats_sum(report, k, cycles);
        rp__json_writer_begin(w, rp__sim_stats_kind(k), '{');
        for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
            rp__json_writer_uint(w, rp__sim_stats_class(c), cycles[c]);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, '}');
}

static void write_traffic(rp__json_writer *w, const rp__sim_counts *counts)
{
    rp__json_writer_begin(w, "lines", '{');
    for (uint32_t i = 0; i < RP_SIM_TRAFFICS; i++)
        rp__json_writer_uint(w, rp__sim_stats_traffic(i), counts->requests[i]);
    rp__json_writer_end(w, '}');
    rp__json_writer_begin(w, "bytes", '{');
    for (uint32_t i = 0; i < RP_SIM_TRAFFICS; i++)
        rp__json_writer_uint(w, rp__sim_stats_traffic(i), counts->bytes[i]);
    rp__json_writer_end(w, '}');
    rp__json_writer_uint(w, "blocks", counts->blocks);
    rp__json_writer_uint(w, "blocks_skipped", counts->blocks_skipped);
    rp__json_writer_uint(w, "postings", counts->postings);
    rp__json_writer_uint(w, "scored", counts->scored);
    rp__json_writer_uint(w, "written", counts->written);
    rp__json_writer_uint(w, "reader_lines", counts->reader_lines);
    rp__json_writer_uint(w, "reader_bits", counts->reader_bits);
    rp__json_writer_uint(w, "searches", counts->searches);
    rp__json_writer_uint(w, "levels_cached", counts->levels_cached);
    rp__json_writer_uint(w, "levels_read", counts->levels_read);
    rp__json_writer_uint(w, "same_block", counts->same_block);
    rp__json_writer_uint(w, "l1_blocks", counts->l1_blocks);
    rp__json_writer_uint(w, "l1_postings", counts->l1_postings);
    rp__json_writer_uint(w, "mai_max_fill", counts->mai_max_fill);
    rp__json_writer_begin(w, "mai_fill", '[');
    for (size_t i = 0; i < RP_SIM_MAI_BUCKETS; i++)
        rp__json_writer_uint(w, NULL, counts->mai_fill[i]);
    rp__json_writer_end(w, ']');
    rp__json_writer_uint(w, "tlb_misses", counts->tlb_misses);
}

static void write_energy(rp__json_writer *w, const figures *f)
{
    rp__json_writer_begin(w, "joules", '{');
    rp__json_writer_real(w, "machine", f->paper.modules, 12);
    rp__json_writer_real(w, "machine_busy", f->active.modules, 12);
    rp__json_writer_real(w, "memory", f->paper.memory, 12);
    rp__json_writer_real(w, "host", f->paper.host, 12);
    rp__json_writer_end(w, '}');
}

static void write_left_out(rp__json_writer *w, rp__lab_sim_left_out n)
{
    rp__json_writer_begin(w, "left_out", '{');
    rp__json_writer_uint(w, "without_list", n.unknown);
    rp__json_writer_uint(w, "other_terms", n.other);
    rp__json_writer_end(w, '}');
}

static void write_queries(rp__json_writer *w, const rp__lab_sim *sim, const rp__sim_report_run *run)
{
    rp__json_writer_begin(w, "each", '[');
    for (size_t i = 0; i < rp__lab_sim_count(sim); i++) {
        const rp__completion *c = &run->result.completions[i];
        rp__lab_sim_query q;
        rp__lab_sim_get(sim, i, &q);
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "query", q.text);
        rp__json_writer_text(w, "type", type_names[q.type]);
        rp__json_writer_uint(w, "postings", (uint64_t)q.n[0] + q.n[1]);
        rp__json_writer_uint(w, "results", c->n_results);
        rp__json_writer_text(w, "status", rp__machine_status_name(c->status));
        rp__json_writer_uint(w, "arrival", c->arrival);
        rp__json_writer_uint(w, "start", c->start);
        rp__json_writer_uint(w, "first", c->first);
        rp__json_writer_uint(w, "last", c->last);
        rp__json_writer_uint(w, "end", c->end);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

void rp__sim_report_write_run(rp__json_writer *w, const rp__sim_config *config, uint64_t queries)
{
    write_config(w, config);
    rp__json_writer_text(w, "dl", dl_names[config->dl]);
    rp__json_writer_uint(w, "queries", queries);
}

void rp__sim_report_write(rp__json_writer *w, const rp__lab_sim *sim, const rp__sim_report_run *run,
                          bool has_queries)
{
    const rp__sim_report *r = &run->result.report;
    const figures f = measure(run);
    rp__sim_report_write_run(w, &run->config, r->queries);
    write_left_out(w, rp__lab_sim_count_left_out(sim));
    rp__json_writer_uint(w, "failed", run->result.failed);
    rp__json_writer_uint(w, "results", run->result.results);
    rp__json_writer_uint(w, "cycles", r->cycles);
    rp__json_writer_real(w, "machine_seconds", f.seconds, 12);
    rp__json_writer_real(w, "seconds", run->result.seconds, 6);
    rp__json_writer_real(w, "topk_seconds", run->result.topk_seconds, 9);
    rp__json_writer_uint(w, "memory_bytes", f.memory_bytes);
    rp__json_writer_real(w, "gb_a_second", f.gb_a_second, 6);
    rp__json_writer_uint(w, "row_hits", r->row_hits);
    rp__json_writer_uint(w, "row_closed", r->row_closed);
    rp__json_writer_uint(w, "row_conflicts", r->row_conflicts);
    rp__json_writer_uint(w, "column_commands", r->column_commands);
    rp__json_writer_uint(w, "commands_saved", r->commands_saved);
    rp__json_writer_uint(w, "commands_left", r->commands_left);
    rp__json_writer_uint(w, "bus_busy", r->bus_busy);
    rp__json_writer_uint(w, "memory_ticks", r->memory_ticks);
    rp__json_writer_uint(w, "memory_channels", r->memory_channels);
    write_traffic(w, &r->counts);
    write_units(w, r);
    write_energy(w, &f);
    if (has_queries)
        write_queries(w, sim, run);
}
