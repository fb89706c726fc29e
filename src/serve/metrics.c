/* metrics.c: counters and histograms of the service, and their text for Prometheus (format 0.0.4). The names are an API:
 * they do not change. */
#include "serve/metrics.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "riposte/riposte.h"

#define NAME(code, name) name,
static const char *const op_names[] = {RP_METRIC_OPS(NAME)};
static const char *const result_names[] = {RP_METRIC_STATUSES(NAME)};
static const char *const reason_names[] = {RP_METRIC_REASONS(NAME)};
#undef NAME

static const char *const processors[RP_METRIC_PROCESSORS] = {"none", "cpu", "gpu"};

/* Upper bounds in microseconds. */
static const uint64_t bounds_us[RP_METRIC_BUCKETS] = {
    10,    25,    50,    100,    250,    500,    1000,    2500,    5000,
    10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 10000000};

rp_status rp__metrics_open(rp__metrics *metrics, size_t n_indexes, rp_error *err)
{
    *metrics = (rp__metrics){
        .n_indexes = n_indexes,
        .indexes = rp__alloc_zero(n_indexes * RP_METRIC_PARTS, sizeof *metrics->indexes)};
    return metrics->indexes ? RP_OK : rp__error_no_memory(err);
}

void rp__metrics_close(rp__metrics *metrics)
{
    rp__free(metrics->indexes);
    metrics->indexes = NULL;
}

static size_t own_part(void)
{
    return rp__thread_number() % RP_METRIC_PARTS;
}

uint64_t rp__metrics_begin(rp__metrics *metrics)
{
    const size_t part = own_part();
    return atomic_fetch_add(&metrics->parts[part].begun, 1) * RP_METRIC_PARTS + part;
}

void rp__metrics_answer(rp__metrics *metrics)
{
    atomic_fetch_add(&metrics->parts[own_part()].answered, 1);
}

void rp__metrics_end(rp__metrics *metrics)
{
    atomic_fetch_add(&metrics->parts[own_part()].ended, 1);
}

uint64_t rp__metrics_requests(rp__metrics *metrics)
{
    uint64_t n = 0;
    for (size_t i = 0; i < RP_METRIC_PARTS; i++)
        n += atomic_load(&metrics->parts[i].answered);
    return n;
}

/* Those that have ended are read first: never fewer have begun. */
uint64_t rp__metrics_in_flight(rp__metrics *metrics)
{
    uint64_t n = 0;
    for (size_t i = 0; i < RP_METRIC_PARTS; i++)
        n -= atomic_load(&metrics->parts[i].ended);
    for (size_t i = 0; i < RP_METRIC_PARTS; i++)
        n += atomic_load(&metrics->parts[i].begun);
    return n;
}

static size_t processor_of(const char *name)
{
    for (size_t i = 1; name && i < RP_METRIC_PROCESSORS; i++)
        if (strcmp(processors[i], name) == 0)
            return i;
    return 0;
}

static rp__index_metrics *own_index(rp__metrics *metrics, size_t index)
{
    return &metrics->indexes[own_part() * metrics->n_indexes + index];
}

void rp__metrics_count(rp__metrics *metrics, size_t index, rp__op op, const char *processor,
                       rp__result result)
{
    atomic_fetch_add(&own_index(metrics, index)->queries[op][processor_of(processor)][result], 1);
}

void rp__metrics_time(rp__metrics *metrics, size_t index, const rp_outcome *outcome)
{
    const uint64_t ns = outcome->queued_ns + outcome->answered_ns;
    const size_t processor = processor_of(outcome->hits.processor);
    rp__metrics_part *own = &metrics->parts[own_part()];
    size_t bucket = 0, power = 0;
    while (bucket < RP_METRIC_BUCKETS && ns > bounds_us[bucket] * 1000)
        bucket++;
    atomic_fetch_add(&own->buckets[processor][bucket], 1);
    atomic_fetch_add(&own->sum[processor], ns);
    atomic_fetch_add(&own->queued[processor], outcome->queued_ns);
    atomic_fetch_add(&own_index(metrics, index)->postings[processor], outcome->hits.postings);
    if (outcome->hits.fallback > 0 && outcome->hits.fallback < RP_FALLBACKS)
        atomic_fetch_add(&metrics->fallbacks[outcome->hits.fallback], 1);
    if (outcome->moves > 0)
        atomic_fetch_add(&metrics->moves, outcome->moves);
    if (outcome->together == 0)
        return;
    while (power < RP_METRIC_BATCHES && outcome->together > 1U << power)
        power++;
    atomic_fetch_add(&metrics->batches[power], 1);
    atomic_fetch_add(&metrics->batched, outcome->together);
}

void rp__metrics_get_times(rp__metrics *metrics, size_t processor, rp__histogram *out)
{
    *out = (rp__histogram){0};
    for (size_t i = 0; i < RP_METRIC_PARTS; i++) {
        rp__metrics_part *part = &metrics->parts[i];
        for (size_t b = 0; b <= RP_METRIC_BUCKETS; b++)
            out->buckets[b] += atomic_load(&part->buckets[processor][b]);
        out->sum += atomic_load(&part->sum[processor]);
        out->queued += atomic_load(&part->queued[processor]);
    }
}

void rp__metrics_reject(rp__metrics *metrics, rp__rejected reason)
{
    atomic_fetch_add(&metrics->rejected[reason], 1);
}

uint64_t rp__metrics_bound_us(size_t bucket)
{
    return bounds_us[bucket];
}

const char *rp__metrics_processor(size_t i)
{
    return processors[i];
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void begin(rp__buf *out, const char *name, const char *type, const char *help)
{
    rp__buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static uint64_t count_queries(rp__metrics *m, size_t index, size_t op, size_t processor,
                              size_t result)
{
    uint64_t n = 0;
    for (size_t i = 0; i < RP_METRIC_PARTS; i++)
        n += atomic_load(&m->indexes[i * m->n_indexes + index].queries[op][processor][result]);
    return n;
}

static void write_queries(rp__metrics *m, rp__service *service, rp__buf *out)
{
    begin(out, "riposte_queries_total", "counter", "Requests by index, operation and result.");
    for (size_t i = 0; i < service->n; i++)
        for (size_t op = 0; op < RP_OPS; op++)
            for (size_t p = 0; p < RP_METRIC_PROCESSORS; p++)
                for (size_t r = 0; r < RP_RESULTS; r++) {
                    const uint64_t n = count_queries(m, i, op, p, r);
                    if (n > 0)
                        rp__buf_printf(out,
                                       "riposte_queries_total{index=\"%s\",op=\"%s\","
                                       "processor=\"%s\",status=\"%s\"} %llu\n",
                                       service->at[i].name, op_names[op], processors[p],
                                       result_names[r], (unsigned long long)n);
                }
}

static void write_seconds(rp__metrics *m, rp__buf *out)
{
    begin(out, "riposte_query_seconds", "histogram",
          "Time of a query from its queue to its answer.");
    for (size_t p = 0; p < RP_METRIC_PROCESSORS; p++) {
        uint64_t n = 0;
        rp__histogram h;
        rp__metrics_get_times(m, p, &h);
        for (size_t b = 0; b <= RP_METRIC_BUCKETS; b++) {
            n += h.buckets[b];
            rp__buf_printf(out, "riposte_query_seconds_bucket{processor=\"%s\",le=\"",
                           processors[p]);
            if (b < RP_METRIC_BUCKETS)
                rp__buf_printf(out, "%g", (double)bounds_us[b] / 1e6);
            else
                rp__buf_put_string(out, "+Inf");
            rp__buf_printf(out, "\"} %llu\n", (unsigned long long)n);
        }
        rp__buf_printf(out,
                       "riposte_query_seconds_sum{processor=\"%s\"} %.9f\n"
                       "riposte_query_seconds_count{processor=\"%s\"} %llu\n",
                       processors[p], (double)h.sum / 1e9, processors[p], (unsigned long long)n);
    }
}

static void write_batches(rp__metrics *m, rp__buf *out)
{
    uint64_t n = 0;
    begin(out, "riposte_batch_size", "histogram", "Queries that a card answered together.");
    for (size_t b = 0; b <= RP_METRIC_BATCHES; b++) {
        n += atomic_load(&m->batches[b]);
        if (b < RP_METRIC_BATCHES)
            rp__buf_printf(out, "riposte_batch_size_bucket{le=\"%u\"} %llu\n", 1U << b,
                           (unsigned long long)n);
    }
    rp__buf_printf(out,
                   "riposte_batch_size_bucket{le=\"+Inf\"} %llu\n"
                   "riposte_batch_size_sum %llu\nriposte_batch_size_count %llu\n",
                   (unsigned long long)n, (unsigned long long)atomic_load(&m->batched),
                   (unsigned long long)n);
}

/* Where the time of queries went. */
static void write_stages(rp__metrics *m, rp__buf *out)
{
    begin(out, "riposte_stage_seconds", "summary", "Time of queries by stage.");
    for (size_t p = 0; p < RP_METRIC_PROCESSORS; p++) {
        uint64_t n = 0;
        rp__histogram h;
        rp__metrics_get_times(m, p, &h);
        for (size_t b = 0; b <= RP_METRIC_BUCKETS; b++)
            n += h.buckets[b];
        const uint64_t sums[] = {h.queued, h.sum > h.queued ? h.sum - h.queued : 0};
        for (size_t i = 0; i < 2; i++)
            rp__buf_printf(out,
                           "riposte_stage_seconds_sum{stage=\"%s\",processor=\"%s\"} %.9f\n"
                           "riposte_stage_seconds_count{stage=\"%s\",processor=\"%s\"} %llu\n",
                           i ? "answer" : "queue", processors[p], (double)sums[i] / 1e9,
                           i ? "answer" : "queue", processors[p], (unsigned long long)n);
    }
}

static void write_postings(rp__metrics *m, rp__service *service, rp__buf *out)
{
    begin(out, "riposte_postings_decoded_total", "counter", "Postings that queries have read.");
    for (size_t i = 0; i < service->n; i++)
        for (size_t p = 0; p < RP_METRIC_PROCESSORS; p++) {
            uint64_t n = 0;
            for (size_t part = 0; part < RP_METRIC_PARTS; part++)
                n += atomic_load(&m->indexes[part * m->n_indexes + i].postings[p]);
            if (n == 0)
                continue;
            rp__generation *g = rp__service_use(service, &service->at[i]);
            rp__buf_printf(out,
                           "riposte_postings_decoded_total{index=\"%s\",codec=\"%s\","
                           "processor=\"%s\"} %llu\n",
                           service->at[i].name, g->info.codec, processors[p],
                           (unsigned long long)n);
            rp__service_release(g);
        }
}

static void write_fallbacks(rp__metrics *m, rp__buf *out)
{
    begin(out, "riposte_fallbacks_total", "counter",
          "Queries that a core answered in place of a card, by reason.");
    for (size_t i = 1; i < RP_FALLBACKS; i++)
        if (atomic_load(&m->fallbacks[i]) > 0)
            rp__buf_printf(out, "riposte_fallbacks_total{reason=\"%s\"} %llu\n",
                           rp_fallback_name((rp_fallback)i),
                           (unsigned long long)atomic_load(&m->fallbacks[i]));
}

static void write_rejected(rp__metrics *m, rp__buf *out)
{
    begin(out, "riposte_rejected_total", "counter", "Requests that were not taken, by reason.");
    for (size_t i = 0; i < RP_REJECTEDS; i++)
        rp__buf_printf(out, "riposte_rejected_total{reason=\"%s\"} %llu\n", reason_names[i],
                       (unsigned long long)atomic_load(&m->rejected[i]));
}

static void write_indexes(rp__service *service, rp__buf *out)
{
    static const char *const sections[] = {"terms", "lists", "positions", "docs", "text"};
    begin(out, "riposte_index_docs", "gauge", "Documents of an index.");
    for (size_t i = 0; i < service->n; i++) {
        rp__generation *g = rp__service_use(service, &service->at[i]);
        rp__buf_printf(out, "riposte_index_docs{index=\"%s\"} %llu\n", service->at[i].name,
                       (unsigned long long)g->info.docs);
        rp__service_release(g);
    }
    begin(out, "riposte_index_generation", "gauge", "Generation of an index that is served.");
    for (size_t i = 0; i < service->n; i++) {
        rp__generation *g = rp__service_use(service, &service->at[i]);
        rp__buf_printf(out, "riposte_index_generation{index=\"%s\"} %llu\n", service->at[i].name,
                       (unsigned long long)g->info.generation);
        rp__service_release(g);
    }
    begin(out, "riposte_index_bytes", "gauge", "Bytes of an index by section.");
    for (size_t i = 0; i < service->n; i++) {
        rp__generation *g = rp__service_use(service, &service->at[i]);
        const uint64_t bytes[] = {g->info.bytes_terms, g->info.bytes_lists, g->info.bytes_positions,
                                  g->info.bytes_docs, g->info.bytes_text};
        for (size_t s = 0; s < sizeof bytes / sizeof *bytes; s++)
            rp__buf_printf(out, "riposte_index_bytes{index=\"%s\",section=\"%s\"} %llu\n",
                           service->at[i].name, sections[s], (unsigned long long)bytes[s]);
        rp__service_release(g);
    }
}

static void write_executors(rp__service *service, rp__buf *out)
{
    begin(out, "riposte_queue_jobs", "gauge", "Queries that wait.");
    for (size_t i = 0; i < service->n; i++) {
        rp_executor_report report;
        rp__generation *g = rp__service_use(service, &service->at[i]);
        rp_executor_get_report(g->executor, &report);
        rp__buf_printf(out, "riposte_queue_jobs{index=\"%s\"} %u\n", service->at[i].name,
                       report.queued);
        rp__service_release(g);
    }
}

static void write_one(rp__buf *out, const char *name, const char *type, const char *help,
                      uint64_t value)
{
    begin(out, name, type, help);
    rp__buf_printf(out, "%s %llu\n", name, (unsigned long long)value);
}

static void write_cache(rp__cache *cache, rp__buf *out)
{
    rp__cache_counts counts = {0};
    if (cache)
        rp__cache_get_counts(cache, &counts);
    write_one(out, "riposte_cache_hits_total", "counter", "Replies that were kept.", counts.hits);
    write_one(out, "riposte_cache_misses_total", "counter", "Queries that had to be answered.",
              counts.misses);
    write_one(out, "riposte_cache_joined_total", "counter",
              "Queries that waited for the answer to an equal one.", counts.joined);
    write_one(out, "riposte_cache_declined_total", "counter",
              "Replies that were not kept: others are asked for more often.", counts.declined);
    write_one(out, "riposte_cache_entries", "gauge", "Replies that are kept.", counts.entries);
    write_one(out, "riposte_cache_bytes", "gauge", "Bytes of replies that are kept.", counts.bytes);
}

void rp__metrics_write(rp__metrics *metrics, rp__service *service, rp__cache *cache, rp__buf *out)
{
    begin(out, "riposte_build_info", "gauge", "The program that serves.");
    rp__buf_printf(out, "riposte_build_info{version=\"%s\"} 1\n", rp_version());
    write_queries(metrics, service, out);
    write_seconds(metrics, out);
    write_stages(metrics, out);
    write_batches(metrics, out);
    write_postings(metrics, service, out);
    write_one(out, "riposte_migrations_total", "counter",
              "Times that a query moved between processors.", atomic_load(&metrics->moves));
    write_fallbacks(metrics, out);
    write_rejected(metrics, out);
    write_indexes(service, out);
    write_executors(service, out);
    write_cache(cache, out);
    write_one(out, "riposte_reloads_total", "counter", "New generations that were taken over.",
              atomic_load(&service->reloads));
    write_one(out, "riposte_http_requests_total", "counter", "Requests that were answered.",
              rp__metrics_requests(metrics));
    write_one(out, "riposte_http_connections", "gauge", "Connections that are open.",
              atomic_load(&metrics->connections));
    write_one(out, "riposte_http_in_flight", "gauge",
              "Requests whose head was read and that are not answered, this one among them.",
              rp__metrics_in_flight(metrics));
}
