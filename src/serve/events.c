/* events.c: a sample is one line of JSON: counters since the start, so that who listens can take differences over any
 * time, and what is so now.
 *
 * A listener that has had a sample suspends its connection. rp__events_tick resumes it when the next one is due; then
 * the library asks for bytes again. A client that reads nothing is cut by the time limit of every reply. */
#include "serve/events.h"

#include <microhttpd.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "serve/http.h"

static const uint64_t period_ns = 1000000000;

typedef struct rp__listening {
    rp__request *request;
    size_t slot;
    bool is_waiting; /* its connection is suspended */
    uint64_t had;    /* samples, as the events count them */
    rp__buf text;    /* what it is to get, */
    size_t sent;     /* of which it has so much */
} listening;

void rp__events_open(rp__events *events)
{
    *events = (rp__events){.samples = 1};
    pthread_mutex_init(&events->lock, NULL);
}

void rp__events_close(rp__events *events)
{
    pthread_mutex_destroy(&events->lock);
}

/* ---- 1. Samples ------------------------------------------------------------------------------ */

static void write_times(rp__json_writer *w, rp__metrics *m, size_t processor)
{
    rp__histogram h;
    rp__metrics_get_times(m, processor, &h);
    rp__json_writer_begin(w, rp__metrics_processor(processor), '[');
    for (size_t i = 0; i <= RP_METRIC_BUCKETS; i++)
        rp__json_writer_uint(w, NULL, h.buckets[i]);
    rp__json_writer_end(w, ']');
}

static void write_seconds(rp__json_writer *w, rp__metrics *m)
{
    rp__json_writer_begin(w, "bounds_us", '[');
    for (size_t i = 0; i < RP_METRIC_BUCKETS; i++)
        rp__json_writer_uint(w, NULL, rp__metrics_bound_us(i));
    rp__json_writer_end(w, ']');
    rp__json_writer_begin(w, "queries", '{');
    for (size_t p = 0; p < RP_METRIC_PROCESSORS; p++)
        write_times(w, m, p);
    rp__json_writer_end(w, '}');
}

static void write_queues(rp__json_writer *w, rp__service *service)
{
    uint64_t queued = 0, running = 0;
    for (size_t i = 0; i < service->n; i++) {
        rp_executor_report report;
        rp__generation *g = rp__service_use(service, &service->at[i]);
        rp_executor_get_report(g->executor, &report);
        queued += report.queued;
        running += report.running;
        rp__service_release(g);
    }
    rp__json_writer_uint(w, "queued", queued);
    rp__json_writer_uint(w, "running", running);
}

static void write_cache(rp__json_writer *w, rp__cache *cache)
{
    rp__cache_counts counts;
    if (!cache)
        return;
    rp__cache_get_counts(cache, &counts);
    rp__json_writer_begin(w, "cache", '{');
    rp__json_writer_uint(w, "hits", counts.hits + counts.joined);
    rp__json_writer_uint(w, "misses", counts.misses);
    rp__json_writer_uint(w, "bytes", counts.bytes);
    rp__json_writer_end(w, '}');
}

static void write_sample(rp__http *http, rp__buf *out)
{
    rp__metrics *m = &http->metrics;
    rp__json_writer w;
    uint64_t rejected = 0;
    for (size_t i = 0; i < RP_REJECTEDS; i++)
        rejected += atomic_load(&m->rejected[i]);
    rp__buf_put_string(out, "data: ");
    rp__json_writer_init(&w, out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.events/1");
    rp__json_writer_real(&w, "seconds", (double)rp__clock_now() / 1e9, 3);
    rp__json_writer_uint(&w, "requests", rp__metrics_requests(m));
    write_seconds(&w, m);
    rp__json_writer_begin(&w, "batches", '[');
    for (size_t i = 0; i <= RP_METRIC_BATCHES; i++)
        rp__json_writer_uint(&w, NULL, atomic_load(&m->batches[i]));
    rp__json_writer_end(&w, ']');
    rp__json_writer_uint(&w, "moves", atomic_load(&m->moves));
    rp__json_writer_uint(&w, "rejected", rejected);
    write_queues(&w, http->service);
    write_cache(&w, http->cache);
    rp__json_writer_uint(&w, "connections", atomic_load(&m->connections));
    rp__json_writer_end(&w, '}');
    rp__buf_put_string(out, "\n\n");
}

/* ---- 2. Listeners ---------------------------------------------------------------------------- */

/* What is left of the sample, or the next one. */
static ssize_t give(listening *l, char *out, size_t max)
{
    size_t n = l->text.n - l->sent;
    if (l->text.failed)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    n = n < max ? n : max;
    memcpy(out, l->text.at + l->sent, n);
    l->sent += n;
    return (ssize_t)n;
}

/* Of the library: bytes for a connection, or none and it is suspended. */
static ssize_t on_read(void *arg, uint64_t position, char *out, size_t max)
{
    listening *l = arg;
    rp__http *http = l->request->http;
    rp__events *events = &http->events;
    (void)position;
    if (l->sent < l->text.n)
        return give(l, out, max);
    pthread_mutex_lock(&events->lock);
    const bool is_over =
        atomic_load(&http->is_draining); /* under the lock: the last tick sees us */
    const bool is_due = l->had < events->samples;
    l->had = events->samples;
    if (!is_over && !is_due) {
        l->is_waiting = true;
        MHD_suspend_connection(l->request->connection);
    }
    pthread_mutex_unlock(&events->lock);
    if (is_over)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (!is_due)
        return 0;
    rp__http_extend(l->request);
    rp__buf_clear(&l->text, 0);
    l->sent = 0;
    write_sample(http, &l->text);
    return give(l, out, max);
}

void rp__events_tick(rp__http *http)
{
    rp__events *events = &http->events;
    const uint64_t now = rp__clock_now();
    pthread_mutex_lock(&events->lock);
    const bool is_due = now >= events->next_ns;
    if (is_due) {
        events->samples++;
        events->next_ns = now + period_ns;
    }
    for (size_t i = 0; i < RP_EVENTS_LISTENERS; i++) {
        listening *l = events->listeners[i];
        if (!l || !l->is_waiting || !(is_due || atomic_load(&http->is_draining)))
            continue;
        l->is_waiting = false;
        MHD_resume_connection(l->request->connection);
    }
    pthread_mutex_unlock(&events->lock);
}

static void release(void *work)
{
    listening *l = work;
    rp__events *events = &l->request->http->events;
    pthread_mutex_lock(&events->lock);
    events->listeners[l->slot] = NULL;
    pthread_mutex_unlock(&events->lock);
    rp__buf_free(&l->text);
    rp__free(l);
}

/* False: all places are taken. */
static bool take_slot(rp__events *events, listening *l)
{
    bool has = false;
    pthread_mutex_lock(&events->lock);
    for (size_t i = 0; i < RP_EVENTS_LISTENERS && !has; i++) {
        has = !events->listeners[i];
        if (has) {
            events->listeners[i] = l;
            l->slot = i;
        }
    }
    pthread_mutex_unlock(&events->lock);
    return has;
}

bool rp__events_listen(rp__request *request)
{
    rp_error err = {.text = ""};
    listening *l = rp__alloc_zero(1, sizeof *l);
    if (!l) {
        rp__error_no_memory(&err);
        rp__http_fail_by(request, &err);
        return false;
    }
    l->request = request;
    rp__buf_init(&l->text);
    if (!take_slot(&request->http->events, l)) {
        rp__free(l);
        rp__error_set(&err, RP_BUSY, "%d clients listen already; try again later",
                      RP_EVENTS_LISTENERS);
        rp__http_fail_by(request, &err);
        return false;
    }
    request->work = l;
    request->release = release;
    request->read = on_read;
    request->type = "text/event-stream";
    request->status = 200;
    return false;
}
