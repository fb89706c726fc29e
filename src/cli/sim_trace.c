/* sim_trace.c: a simulated run over time, as events of Chrome's trace format and as a page.
 *
 * In both, a unit has a lane; the cycles of a bucket are given by class, so that all of a lane add up
 * to the counters of the unit. */
#include "cli/sim_trace.h"

#include <string.h>

#include "base/json.h"
#include "cli/sim_page.h"

enum {
    QUERIES = 0,
    UNITS = 1,
    QUEUE_LANE = 100
}; /* processes, and the lane of queries that wait */

static void name_unit(char out[40], const rp__sim_unit_report *unit)
{
    snprintf(out, 40, "%s %u", rp__sim_stats_kind(unit->kind), unit->index);
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Names a process, or a lane of it. */
static void put_name(rp__json_writer *w, const char *kind, uint32_t pid, uint32_t tid,
                     const char *name)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "name", kind);
    rp__json_writer_text(w, "ph", "M");
    rp__json_writer_uint(w, "pid", pid);
    rp__json_writer_uint(w, "tid", tid);
    rp__json_writer_begin(w, "args", '{');
    rp__json_writer_text(w, "name", name);
    rp__json_writer_end(w, '}');
    rp__json_writer_end(w, '}');
}

/* The event remains open for its arguments. */
static void begin_span(rp__json_writer *w, const char *name, uint32_t pid, uint32_t tid,
                       uint64_t begin, uint64_t end)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "name", name);
    rp__json_writer_text(w, "ph", "X");
    rp__json_writer_uint(w, "pid", pid);
    rp__json_writer_uint(w, "tid", tid);
    rp__json_writer_uint(w, "ts", begin);
    rp__json_writer_uint(w, "dur", end > begin ? end - begin : 1);
}

static void put_span(rp__json_writer *w, const char *name, uint32_t tid, uint64_t begin,
                     uint64_t end)
{
    begin_span(w, name, QUERIES, tid, begin, end);
    rp__json_writer_end(w, '}');
}

static void put_query(rp__json_writer *w, const rp__lab_sim_query *q, const rp__completion *c,
                      size_t i)
{
    char name[64];
    snprintf(name, sizeof name, "query %zu (%s)", i + 1, rp__sim_report_type(q->type));
    if (c->start > c->arrival)
        put_span(w, "queue", QUEUE_LANE, c->arrival, c->start);
    for (uint32_t core = 0; core < 32; core++)
        if (c->cores >> core & 1) {
            begin_span(w, name, QUERIES, core, c->start, c->end);
            rp__json_writer_begin(w, "args", '{');
            rp__json_writer_text(w, "terms", q->text);
            rp__json_writer_end(w, '}');
            rp__json_writer_end(w, '}');
            put_span(w, "headers", core, c->start, c->first);
            put_span(w, "blocks", core, c->first, c->last);
            put_span(w, "drain", core, c->last, c->end);
        }
}

/* The class with the most cycles. */
static uint32_t find_largest(const uint64_t cycles[RP_SIM_CLASSES])
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < RP_SIM_CLASSES; c++)
        best = cycles[c] > cycles[best] ? c : best;
    return best;
}

static void put_classes(rp__json_writer *w, const uint64_t cycles[RP_SIM_CLASSES])
{
    rp__json_writer_begin(w, "args", '{');
    for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
        if (cycles[c])
            rp__json_writer_uint(w, rp__sim_stats_class(c), cycles[c]);
    rp__json_writer_end(w, '}');
}

/* One event for buckets in a row in which the unit mostly did the same. */
static void put_unit(rp__json_writer *w, const rp__sim_timeline *t, uint32_t unit)
{
    const uint32_t n = rp__sim_timeline_count(t);
    for (uint32_t b = 0, next; b < n; b = next) {
        uint64_t cycles[RP_SIM_CLASSES] = {0};
        const uint32_t class = find_largest(rp__sim_timeline_get(t, unit, b));
        for (next = b; next < n; next++) {
            const uint64_t *more = rp__sim_timeline_get(t, unit, next);
            if (find_largest(more) != class)
                break;
            for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
                cycles[c] += more[c];
        }
        const uint64_t end = next < n ? next * t->width : t->end;
        begin_span(w, rp__sim_stats_class(class), UNITS, unit, b * t->width, end);
        put_classes(w, cycles);
        rp__json_writer_end(w, '}');
    }
}

void rp__sim_trace_events(rp__buf *out, const rp__lab_sim *sim, const rp__sim_report_run *run,
                          const rp__sim_timeline *timeline)
{
    const rp__sim_report *report = &run->result.report;
    rp__json_writer w;
    rp__json_writer_init(&w, out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "displayTimeUnit", "ns");
    rp__json_writer_begin(&w, "traceEvents", '[');
    put_name(&w, "process_name", QUERIES, 0, "queries by core");
    put_name(&w, "process_name", UNITS, 0, "units");
    for (uint32_t i = 0; i < report->n_units; i++) {
        char name[40];
        name_unit(name, &report->units[i]);
        put_name(&w, "thread_name", UNITS, i, name);
    }
    for (size_t i = 0; i < rp__lab_sim_count(sim); i++) {
        rp__lab_sim_query q;
        rp__lab_sim_get(sim, i, &q);
        put_query(&w, &q, &run->result.completions[i], i);
    }
    for (uint32_t i = 0; i < report->n_units; i++)
        put_unit(&w, timeline, i);
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
    rp__buf_put_byte(out, '\n');
}

/* ---- The page -------------------------------------------------------------------------------- */

static void put_data_queries(rp__json_writer *w, const rp__lab_sim *sim,
                             const rp__sim_report_run *run)
{
    rp__json_writer_begin(w, "queries", '[');
    for (size_t i = 0; i < rp__lab_sim_count(sim); i++) {
        const rp__completion *c = &run->result.completions[i];
        rp__lab_sim_query q;
        rp__lab_sim_get(sim, i, &q);
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "terms", q.text);
        rp__json_writer_text(w, "type", rp__sim_report_type(q.type));
        rp__json_writer_uint(w, "arrival", c->arrival);
        rp__json_writer_uint(w, "start", c->start);
        rp__json_writer_uint(w, "end", c->end);
        rp__json_writer_uint(w, "cores", c->cores);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

static void put_data_units(rp__json_writer *w, const rp__sim_report *report,
                           const rp__sim_timeline *t)
{
    rp__json_writer_begin(w, "units", '[');
    for (uint32_t i = 0; i < report->n_units; i++) {
        char name[40];
        name_unit(name, &report->units[i]);
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "name", name);
        rp__json_writer_begin(w, "cycles", '[');
        for (uint32_t b = 0; b < rp__sim_timeline_count(t); b++)
            for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
                rp__json_writer_uint(w, NULL, rp__sim_timeline_get(t, i, b)[c]);
        rp__json_writer_end(w, ']');
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

static void put_data(rp__buf *out, const rp__lab_sim *sim, const rp__sim_report_run *run,
                     const rp__sim_timeline *timeline)
{
    rp__json_writer w;
    rp__json_writer_init(&w, out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_uint(&w, "cycles", timeline->end);
    rp__json_writer_uint(&w, "width", timeline->width);
    rp__json_writer_uint(&w, "cores", run->config.cores);
    rp__json_writer_begin(&w, "classes", '[');
    for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
        rp__json_writer_text(&w, NULL, rp__sim_stats_class(c));
    rp__json_writer_end(&w, ']');
    put_data_queries(&w, sim, run);
    put_data_units(&w, &run->result.report, timeline);
    rp__json_writer_end(&w, '}');
}

/* A term may have any bytes: without '<' none of them ends the script. */
static void put_without_tags(rp__buf *out, const rp__buf *data)
{
    for (size_t i = 0; i < data->n; i++)
        if (data->at[i] == '<')
            rp__buf_put(out, "\\u003c", 6);
        else
            rp__buf_put_byte(out, data->at[i]);
}

static void put_text(rp__buf *out, const char *text)
{
    rp__buf_put(out, text, strlen(text));
}

void rp__sim_trace_page(rp__buf *out, const rp__lab_sim *sim, const rp__sim_report_run *run,
                        const rp__sim_timeline *timeline)
{
    rp__buf data;
    rp__buf_init(&data);
    put_data(&data, sim, run, timeline);
    put_text(out, rp__sim_page_head);
    put_without_tags(out, &data);
    put_text(out, rp__sim_page_drawing);
    put_text(out, rp__sim_page_tail);
    out->failed = out->failed || data.failed;
    rp__buf_free(&data);
}
