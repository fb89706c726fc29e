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

void rp__access_log_put(const rp__request *request)
{
    rp__buf line;
    const double seconds = (double)(rp__clock_now() - request->began_ns) / 1e9;
    if (request->http->options->log == RP_SERVE_LOG_OFF)
        return;
    rp__buf_init(&line);
    if (request->http->options->log == RP_SERVE_LOG_JSON)
        write_json(request, seconds, &line);
    else
        write_text(request, seconds, &line);
    rp__buf_put_byte(&line, '\n');
    ssize_t written = line.failed ? 0 : write(STDERR_FILENO, line.at, line.n);
    (void)written; /* a line that cannot be written has nowhere to be reported */
    rp__buf_free(&line);
}
