/* cmd_serve.c: riposte serve: an HTTP service over indexes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/policy_args.h"
#include "cli/query_args.h"
#include "cli/verbs.h"
#include "serve/serve.h"

typedef struct serve_args {
    rp__common_args common;
    rp__query_args query;
    rp__policy_args policy;
    const char *listen, *token_file, *allow_host, *allow_origin, *config;
    bool insecure, log_queries;
    uint64_t max_head, max_body, max_msearch, cache;
    uint32_t threads, queue, http_threads, timeout_ms, slow_ms;
    uint32_t max_connections, max_per_address, head_ms, body_ms, idle_ms, drain_ms;
    rp__serve_log log;
} serve_args;

#define AT(field) .at = offsetof(serve_args, field)

static const char *const logs[] = {"text", "json", "off", NULL}; /* in rp__serve_log's order */

static const rp__option serve_rows[] = {
    {.name = "config",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     AT(config),
     .help = "lines \"name = value\" for options that are neither here nor in variables such as "
             "RIPOSTE_MAX_BODY; otherwise RIPOSTE_CONFIG"},
    {.name = "listen",
     .kind = RP_OPTION_TEXT,
     .argument = "ADDRESS",
     .initial = "127.0.0.1:7700",
     AT(listen),
     .help = "address and port; port 0 takes one that is free. An address that other machines "
             "reach needs a token or --insecure"},
    {.name = "token-file",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     AT(token_file),
     .help = "who may ask: bearer tokens, one a line, in a file that nobody else may read; "
             "otherwise the one of RIPOSTE_TOKEN, if it is set"},
    {.name = "insecure",
     .kind = RP_OPTION_FLAG,
     AT(insecure),
     .help = "let everybody ask, also from other machines"},
    {.name = "allow-host",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     AT(allow_host),
     .help = "without a token: names besides localhost by which clients call the service, with "
             "commas between"},
    {.name = "allow-origin",
     .kind = RP_OPTION_TEXT,
     .argument = "ORIGINS",
     AT(allow_origin),
     .help = "let pages of these origins ask, with commas between, or * for all (CORS); otherwise "
             "browsers let none"},
    {.name = "policy",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_policy_name,
     AT(policy.policy),
     .help = "which processor answers which query (docs/policies.md); otherwise auto"},
    {.name = "costs",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     AT(policy.costs),
     .help = "estimate by the rules of this file, which riposte calibrate wrote on this machine; "
             "otherwise RIPOSTE_COSTS, or built-in rules"},
    {.name = "timeout-ms",
     .kind = RP_OPTION_COUNT32,
     .argument = "MS",
     .initial = "1000",
     .least = 1,
     .most = 30000,
     AT(timeout_ms),
     .help = "milliseconds after which a query that names no time is answered with what was found"},
    {.name = "cache",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .initial = "64M",
     .most = (double)(UINT64_C(1) << 40),
     AT(cache),
     .help = "memory for replies that are asked for again; 0: none is kept"},
    {.name = "threads",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .most = 256,
     AT(threads),
     .help = "that answer queries on cores; otherwise as many as there are"},
    {.name = "queue",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "1024",
     .least = 1,
     .most = 1000000,
     AT(queue),
     .help = "queries of an index that may wait; more are refused with 429"},
    {.name = "log",
     .kind = RP_OPTION_ENUM,
     .argument = "FORM",
     .initial = "text",
     .choices = logs,
     AT(log),
     .help = "a line for each request on standard error: text, json or off"},
    {.name = "log-queries",
     .kind = RP_OPTION_FLAG,
     AT(log_queries),
     .help = "with the text of queries, which is left out otherwise"},
    {.name = "slow-ms",
     .kind = RP_OPTION_COUNT32,
     .argument = "MS",
     .most = 3600000,
     AT(slow_ms),
     .help = "log each query that takes so long with how it was answered; otherwise none"},
    {0},
};

static const rp__option http_rows[] = {
    {.name = "http-threads",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .most = 256,
     AT(http_threads),
     .help = "that read requests and write replies, at most one for each connection that "
             "may be; otherwise as many as cores, at least 16"},
    {.name = "max-connections",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "10000",
     .least = 1,
     .most = 1000000,
     AT(max_connections),
     .help = "open at once"},
    {.name = "max-per-address",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "256",
     .least = 1,
     .most = 1000000,
     AT(max_per_address),
     .help = "of them, from one address"},
    {.name = "max-head",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .initial = "16K",
     .least = 256,
     .most = 32768,
     AT(max_head),
     .help = "longest head of a request"},
    {.name = "max-body",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .initial = "1M",
     .least = 1,
     .most = 1 << 28,
     AT(max_body),
     .help = "longest body"},
    {.name = "max-msearch",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .initial = "16M",
     .least = 1,
     .most = 1 << 28,
     AT(max_msearch),
     .help = "longest body of an msearch"},
    {.name = "head-ms",
     .kind = RP_OPTION_COUNT32,
     .argument = "MS",
     .initial = "10000",
     .least = 1,
     .most = 3600000,
     AT(head_ms),
     .help = "milliseconds in which the head of a request must come"},
    {.name = "body-ms",
     .kind = RP_OPTION_COUNT32,
     .argument = "MS",
     .initial = "30000",
     .least = 1,
     .most = 3600000,
     AT(body_ms),
     .help = "and then its body"},
    {.name = "idle-ms",
     .kind = RP_OPTION_COUNT32,
     .argument = "MS",
     .initial = "60000",
     .least = 1,
     .most = 3600000,
     AT(idle_ms),
     .help = "and that a connection may be kept without a request"},
    {.name = "drain-ms",
     .kind = RP_OPTION_COUNT32,
     .argument = "MS",
     .initial = "31000",
     .least = 1,
     .most = 3600000,
     AT(drain_ms),
     .help = "milliseconds that requests under way have after a signal"},
    {0},
};

static const rp__option_group groups[] = {
    {"serve", serve_rows, 0},
    {"http", http_rows, 0},
    {"ranking", rp__query_args_ranking, offsetof(serve_args, query)},
    {"limits", rp__query_args_limits, offsetof(serve_args, query)},
    {"general", rp__options_common, offsetof(serve_args, common)},
    {0},
};

static bool goes_on(void *arg)
{
    (void)arg;
    return !rp__interrupt_seen();
}

static void show_address(void *arg, const char *address, uint16_t port)
{
    rp__console *console = arg;
    const size_t host_bytes = (size_t)(strrchr(address, ':') - address);
    if (console->wants_json)
        printf("{\"schema\":\"riposte.serve/1\",\"port\":%u}\n", port);
    else
        printf("listening on http://%.*s:%" PRIu16 "\n", (int)host_bytes, address, port);
    console->has_reply = true;
    rp__console_flush(console);
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const serve_args *a = call->args;
    const char *token = getenv("RIPOSTE_TOKEN");
    rp_search_options search = a->query.search;
    rp_status status = rp__policy_args_check(console, &a->policy, search.processor, err);
    if (status != RP_OK)
        return status;
    const rp__serve_options options = {
        .dirs = call->operands,
        .n_dirs = call->n_operands,
        .listen = a->listen,
        .insecure = a->insecure,
        .token_file = a->token_file,
        .token = token && *token && !a->token_file ? token : NULL,
        .allow_hosts = a->allow_host,
        .allow_origins = a->allow_origin,
        .executor = {.search = &search,
                     .policy = rp__policy_args_name(&a->policy, &search),
                     .costs = a->policy.costs,
                     .threads = a->threads,
                     .max_queued = a->queue},
        .verify = a->query.verify,
        .cache_bytes = a->cache,
        .timeout_ms = a->timeout_ms,
        .http_threads = a->http_threads,
        .max_connections = a->max_connections,
        .max_per_address = a->max_per_address,
        .max_head = (uint32_t)a->max_head,
        .max_body = (uint32_t)a->max_body,
        .max_msearch = (uint32_t)a->max_msearch,
        .head_ms = a->head_ms,
        .body_ms = a->body_ms,
        .idle_ms = a->idle_ms,
        .drain_ms = a->drain_ms,
        .log = console->is_quiet ? RP_SERVE_LOG_OFF : a->log,
        .log_queries = a->log_queries,
        .slow_ms = a->slow_ms,
        .goes_on = goes_on,
        .on_ready = show_address,
        .arg = console,
    };
    search.processor = NULL;
    rp__interrupt_hold();
    status = rp__serve_run(&options, err);
    rp__interrupt_release();
    return status;
}

const rp__verb rp__cmd_serve_verb = {
    .name = "serve",
    .summary = "answer queries over HTTP",
    .operands = {"DIR..."},
    .details =
        "Serves indexes under /v1/NAME/, NAME being an index's folder without .rip; with one index "
        "the name may be left out. docs/serve.md has the requests and replies. A new generation of "
        "an index that is built into the same folder is taken over without a pause. SIGTERM or "
        "SIGINT ends the service with exit code 0, after the requests that have come are answered. "
        "Takes at most --max-memory for each query that is answered at a time, --cache for "
        "replies, 256 MiB for bodies of requests, and 48 KiB for a connection.",
    .examples = "riposte serve my.rip\n"
                "riposte serve my.rip other.rip --listen 127.0.0.1:0 --policy cpu\n"
                "curl 'http://127.0.0.1:7700/v1/search?q=two+words&snippet=true'\n",
    .groups = groups,
    .args_bytes = sizeof(serve_args),
    .has_settings = true,
    .run = run,
};
