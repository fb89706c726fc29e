/* load_url.c: riposte load URL QUERIES: requests to a service that runs, and what became of them. */
#include "cli/load_url.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/latencies_report.h"
#include "cli/query_args.h"
#include "lab/http_load.h"
#include "serve/auth.h"

#define AT(field) .at = offsetof(rp__load_url_args, field)

const rp__option rp__load_url_rows[] = {
    {.name = "connections",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "64",
     .least = 1,
     .most = 10000,
     AT(connections),
     .help = "connections that are kept; a request that finds none free waits"},
    {.name = "closed",
     .kind = RP_OPTION_FLAG,
     AT(is_closed),
     .help = "a closed loop: each connection asks again as soon as it has its answer, whatever "
             "--rate says; times count from the sending"},
    {.name = "msearch",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .most = 256,
     AT(msearch),
     .help = "queries of a request; otherwise one, and it is a search"},
    {.name = "generators",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .most = 256,
     AT(generators),
     .help = "threads that ask; otherwise one for 20,000 requests a second, of a closed loop a "
             "quarter of the cores"},
    {.name = "token-file",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     AT(token_file),
     .help = "its first line is sent as a bearer token; nobody else may read it; otherwise the "
             "one of RIPOSTE_TOKEN, if it is set"},
    {0},
};

static const char *const shared[] = {"rate", "poisson", "seconds", "seed", "format",
                                     "k",    "mode",    "json",    "quiet"};

static bool is_own(const char *name)
{
    for (const rp__option *row = rp__load_url_rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return true;
    return false;
}

static bool is_shared(const char *name)
{
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(shared[i], name) == 0)
            return true;
    return false;
}

const char *rp__load_url_own(const rp__call *call)
{
    for (size_t i = 0; i < call->n_given; i++)
        if (is_own(call->given[i]))
            return call->given[i];
    return NULL;
}

static rp_status check_options(rp__console *console, const rp__call *call, rp_error *err)
{
    if (call->n_operands < 2)
        return rp__console_usage(console, err, "riposte load http://127.0.0.1:7700 queries.tsv",
                                 "name a file of queries after the address");
    for (size_t i = 0; i < call->n_given; i++)
        if (!is_own(call->given[i]) && !is_shared(call->given[i]))
            return rp__console_usage(console, err, "riposte serve",
                                     "--%s is not the client's to say; give it to riposte serve",
                                     call->given[i]);
    return RP_OK;
}

/* One that would end its line, or the head, is not sent. */
static rp_status check_token(const char *token, rp_error *err)
{
    for (; *token; token++)
        if ((unsigned char)*token <= ' ' || (unsigned char)*token >= 0x7F)
            return rp__error_set(err, RP_USAGE,
                                 "the token has a blank or a control character; it is not sent");
    return RP_OK;
}

/* ---- Results --------------------------------------------------------------------------------- */

static void print_statuses(const rp__http_load_figures *f)
{
    for (size_t i = 0; i < RP_HTTP_LOAD_STATUSES; i++)
        if (f->statuses[i] > 0 && i != 200)
            printf("status %zu: %llu\n", i, (unsigned long long)f->statuses[i]);
    if (f->lost > 0)
        printf("connections that ended with a request on them: %llu\n",
               (unsigned long long)f->lost);
}

static double rate_of(const rp__http_load_figures *f)
{
    return f->seconds > 0 ? (double)f->answered / f->seconds : 0;
}

static void print_text(const rp__http_load_figures *f, bool is_closed)
{
    printf("%10s %9s %8s %8s %8s %9s %9s %9s %9s %9s %9s\n", "rate", "answered", "partial",
           "refused", "failed", "mean", "p50", "p95", "p99", "p99.9", "most");
    printf("%10.0f %9llu %8llu %8llu %8llu %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f\n", rate_of(f),
           (unsigned long long)f->answered, (unsigned long long)f->partial,
           (unsigned long long)f->refused, (unsigned long long)f->failed, f->times.mean * 1e6,
           f->times.p50 * 1e6, f->times.p95 * 1e6, f->times.p99 * 1e6, f->times.p999 * 1e6,
           f->times.most * 1e6);
    print_statuses(f);
    printf("rate: answers a second; times are microseconds from the %s\n",
           is_closed ? "sending" : "intended arrival");
}

static rp_status reply(rp__console *console, const rp__load_url_args *a,
                       const rp__http_load_figures *f, rp_error *err)
{
    char status[8];
    rp__buf json;
    rp__json_writer w;
    rp__buf_init(&json);
    rp__json_writer_init(&w, &json);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.load.url/1");
    rp__json_writer_bool(&w, "is_closed", a->is_closed);
    rp__json_writer_uint(&w, "connections", a->connections);
    rp__json_writer_uint(&w, "generators", f->generators);
    rp__json_writer_uint(&w, "requests", f->requests);
    rp__json_writer_uint(&w, "answered", f->answered);
    rp__json_writer_uint(&w, "partial", f->partial);
    rp__json_writer_uint(&w, "refused", f->refused);
    rp__json_writer_uint(&w, "failed", f->failed);
    rp__json_writer_uint(&w, "lost", f->lost);
    rp__json_writer_uint(&w, "reconnected", f->reconnected);
    rp__json_writer_begin(&w, "statuses", '{');
    for (size_t i = 0; i < RP_HTTP_LOAD_STATUSES; i++)
        if (f->statuses[i] > 0) {
            snprintf(status, sizeof status, "%zu", i);
            rp__json_writer_uint(&w, status, f->statuses[i]);
        }
    rp__json_writer_end(&w, '}');
    rp__json_writer_uint(&w, "reply_bytes", f->reply_bytes);
    rp__json_writer_real(&w, "seconds", f->seconds, 6);
    rp__json_writer_real(&w, "rate", rate_of(f), 1);
    rp__latencies_report_write(&w, &f->times);
    rp__json_writer_end(&w, '}');
    rp_status written = rp__console_reply(console, &json, err);
    rp__buf_free(&json);
    return written;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static rp_status ask(rp__console *console, const rp__call *call, const rp__load_url_args *args,
                     const rp__load_url_plan *plan, const char *token, rp_error *err)
{
    rp__url url;
    rp__http_asks asks = {0};
    rp__http_load_figures f;
    const rp__http_ask_options form = {.url = &url,
                                       .token = token,
                                       .k = plan->k,
                                       .mode = rp__query_args_modes[plan->mode],
                                       .together = args->msearch};
    const rp__http_load_options how = {.connections = args->connections,
                                       .generators = args->generators,
                                       .is_closed = args->is_closed,
                                       .rate = plan->rate,
                                       .seconds = plan->seconds,
                                       .is_poisson = plan->is_poisson,
                                       .seed = plan->seed};
    rp_status status = rp__url_parse(call->operands[0], &url, err);
    if (status == RP_OK)
        status = rp__http_asks_read(&asks, call->operands[1], plan->format, &form, err);
    if (status == RP_OK)
        status = rp__http_load_run(&url, &asks, &how, &f, err);
    rp__http_asks_free(&asks);
    if (status != RP_OK)
        return status;
    if (console->wants_json)
        status = reply(console, args, &f, err);
    else
        print_text(&f, args->is_closed);
    if (status == RP_OK && f.answered == 0)
        status = rp__error_set(err, RP_NEGATIVE, "no request was answered with 200");
    return status;
}

rp_status rp__load_url_run(rp__console *console, const rp__call *call,
                           const rp__load_url_args *args, const rp__load_url_plan *plan,
                           rp_error *err)
{
    const char *token = getenv("RIPOSTE_TOKEN");
    rp__auth auth = {0};
    rp_status status = check_options(console, call, err);
    if (status == RP_OK)
        status = rp__auth_open(&auth, args->token_file,
                               token && *token && !args->token_file ? token : NULL, err);
    if (status == RP_OK && auth.n > 0)
        status = check_token(auth.tokens, err);
    if (status == RP_OK)
        status = ask(console, call, args, plan, auth.n > 0 ? auth.tokens : NULL, err);
    rp__auth_close(&auth);
    return status;
}
