/* access_log.c: what was asked, by whom and with what outcome, as text or JSON. Query strings are left out: they hold
 * what people look for. */
#include "serve/access_log.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/routes.h"

static void write_time(char out[32])
{
    struct tm tm;
    time_t now = time(NULL);
    if (!gmtime_r(&now, &tm) || strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        out[0] = 0;
}

static const char *index_of(const rp__request *r)
{
    return r->generation ? r->http->service->at[r->index].name : NULL;
}

static void write_json(const rp__request *r, double seconds, rp__buf *out)
{
    rp__json_writer w;
    char now[32];
    write_time(now);
    rp__json_writer_init(&w, out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "time", now);
    rp__json_writer_text(&w, "id", r->id);
    rp__json_writer_text(&w, "method", r->method);
    rp__json_writer_text(&w, "route", r->route ? r->route->name : NULL);
    rp__json_writer_text(&w, "index", index_of(r));
    rp__json_writer_uint(&w, "status", r->status);
    rp__json_writer_uint(&w, "bytes", r->reply.n);
    rp__json_writer_real(&w, "seconds", seconds, 6);
    rp__json_writer_text(&w, "processor", r->processor);
    rp__json_writer_uint(&w, "hits", r->hits);
    if (r->http->options->log_queries)
        rp__json_writer_text(&w, "query", r->query_text);
    rp__json_writer_end(&w, '}');
}

static void write_text(const rp__request *r, double seconds, rp__buf *out)
{
    char now[32];
    write_time(now);
    rp__buf_printf(out, "%s %s %s %s%s%s %u %zu bytes %.6f s", now, r->id, r->method,
                   index_of(r) ? index_of(r) : "", index_of(r) ? "/" : "",
                   r->route ? r->route->name : "-", r->status, r->reply.n, seconds);
    if (r->processor)
        rp__buf_printf(out, " %s %llu hits", r->processor, (unsigned long long)r->hits);
    if (r->http->options->log_queries && r->query_text) {
        rp__json_writer w;
        rp__buf_put_string(out, " ");
        rp__json_writer_init(&w, out);
        rp__json_writer_text(&w, NULL, r->query_text); /* quoted: no line ends, no controls */
    }
}

/* A query that took long, and how it was answered. */
static void write_slow(const rp__request *r, double seconds, rp__buf *out)
{
    const rp__plan_note *p = &r->plan;
    rp__json_writer w;
    char now[32];
    write_time(now);
    rp__json_writer_init(&w, out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "slow", now);
    rp__json_writer_text(&w, "id", r->id);
    rp__json_writer_text(&w, "index", index_of(r));
    rp__json_writer_real(&w, "seconds", seconds, 6);
    rp__json_writer_text(&w, "processor", r->processor);
    rp__json_writer_text(&w, "reason", p->reason);
    rp__json_writer_real(&w, "queued_us", (double)p->queued_ns / 1e3, 3);
    rp__json_writer_real(&w, "estimated_us", (double)p->estimated_ns / 1e3, 3);
    rp__json_writer_real(&w, "took_us", (double)p->answered_ns / 1e3, 3);
    rp__json_writer_uint(&w, "together", p->together);
    rp__json_writer_uint(&w, "moves", p->moves);
    rp__json_writer_uint(&w, "postings", p->postings);
    rp__json_writer_uint(&w, "work", p->work);
    rp__json_writer_uint(&w, "hits", r->hits);
    if (r->http->options->log_queries)
        rp__json_writer_text(&w, "query", r->query_text);
    rp__json_writer_end(&w, '}');
}

static void put_line(rp__buf *line)
{
    rp__buf_put_byte(line, '\n');
    ssize_t written = line->failed ? 0 : write(STDERR_FILENO, line->at, line->n);
    (void)written; /* a line that cannot be written has nowhere to be reported */
    rp__buf_clear(line, SIZE_MAX);
}

void rp__access_log_put(const rp__request *request)
{
    const rp__serve_options *o = request->http->options;
    const double seconds = (double)(rp__clock_now() - request->began_ns) / 1e9;
    rp__buf line;
    rp__buf_init(&line);
    if (o->log != RP_SERVE_LOG_OFF) {
        if (o->log == RP_SERVE_LOG_JSON)
            write_json(request, seconds, &line);
        else
            write_text(request, seconds, &line);
        put_line(&line);
    }
    if (o->slow_ms > 0 && request->plan.reason && seconds * 1e3 >= o->slow_ms) {
        write_slow(request, seconds, &line);
        put_line(&line);
    }
    rp__buf_free(&line);
}
