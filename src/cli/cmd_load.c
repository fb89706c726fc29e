/* cmd_load.c: riposte load: jobs that arrive at a given rate, on an index or in a replay of recorded costs: latencies from
 * the intended arrival, by policy. A service is load_url.c's. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cli/bench_machine.h"
#include "cli/latencies_report.h"
#include "cli/load_url.h"
#include "cli/name_list.h"
#include "cli/policy_args.h"
#include "cli/query_args.h"
#include "cli/verbs.h"
#include "lab/load.h"

typedef struct load_args {
    rp__common_args common;
    rp__query_args query;
    rp__load_url_args url;
    const char *replay, *policies, *costs, *format;
    double rate, seconds, deadline_ms, find_p99_ms;
    bool has_deadline, has_find, poisson, list_policies, no_card, stall, stall_card, lose_card;
    bool griffin_returns, parses;
    uint64_t seed, elements, griffin_ratio, held_ns;
    uint32_t cores, max_queued, wrong, burst, clients;
} load_args;

#define AT(field) .at = offsetof(load_args, field)

static const rp__option load_rows[] = {
    {.name = "replay",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     AT(replay),
     .help = "what queries cost each processor, in place of DIR and QUERIES: time is virtual, and "
             "figures are the same on every machine"},
    {.name = "policy",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     .initial = "auto",
     AT(policies),
     .help = "which processor answers which query (docs/policies.md), with commas between; or all"},
    {.name = "list-policies",
     .kind = RP_OPTION_FLAG,
     AT(list_policies),
     .help = "show the policies, what they do and where they are from, and nothing else"},
    {.name = "rate",
     .kind = RP_OPTION_REAL,
     .argument = "R",
     .initial = "1000",
     .most = 1e9,
     AT(rate),
     .help = "queries a second; of a service, requests"},
    {.name = "poisson",
     .kind = RP_OPTION_FLAG,
     AT(poisson),
     .help = "at random times; otherwise one after the other at even distances"},
    {.name = "seconds",
     .kind = RP_OPTION_REAL,
     .argument = "S",
     .initial = "1",
     .most = 86400,
     AT(seconds),
     .help = "that queries come"},
    RP_POLICY_ARGS_DEADLINE(load_args,
                            "milliseconds after its arrival a query is given up; otherwise never"),
    {.name = "find-p99",
     .kind = RP_OPTION_REAL,
     .argument = "MS",
     .most = 1e6,
     AT(find_p99_ms),
     .has_value = true,
     .has_at = offsetof(load_args, has_find),
     .help = "look for the highest rate, from --rate on, at which all are answered and 99 of 100 "
             "within so many milliseconds"},
    {.name = "cores",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .most = 256,
     AT(cores),
     .help = "threads that answer on cores; otherwise as many as there are, of a replay 16"},
    {.name = "clients",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .most = 64,
     AT(clients),
     .help = "threads that submit queries; otherwise 3, or 6 with --parses. With --cores they have "
             "cores of their own, if there are so many"},
    {.name = "parses",
     .kind = RP_OPTION_FLAG,
     AT(parses),
     .help = "a query is parsed and bound by the thread that submits it, when it arrives; "
             "otherwise all are before the clock runs"},
    {.name = "queue",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "1024",
     .least = 1,
     .most = 1000000,
     AT(max_queued),
     .help = "queries that may wait; more are refused"},
    {.name = "batch-elements",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1048576",
     .least = 1,
     AT(elements),
     .help = "postings of shortest lists that a card is given at once"},
    RP_POLICY_ARGS_COSTS(load_args),
    {.name = "griffin-ratio",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "128",
     .least = 1,
     AT(griffin_ratio),
     .help = "of the policy griffin: postings of the next list for each candidate from which a "
             "core goes on"},
    {.name = "griffin-returns",
     .kind = RP_OPTION_FLAG,
     AT(griffin_returns),
     .help = "of the policy griffin: a query may return to the card"},
    {.name = "seed",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     AT(seed),
     .help = "of random times and wrong estimates"},
    {.name = "format",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_topics_format_name,
     AT(format),
     .help = "how QUERIES are written; otherwise guessed from the first one"},
    {0},
};

static const rp__option trouble_rows[] = {
    {.name = "no-card", .kind = RP_OPTION_FLAG, AT(no_card), .help = "there is no card"},
    {.name = "wrong",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "1",
     .least = 1,
     .most = 100,
     AT(wrong),
     .help = "estimates are up to N times too high or too low"},
    {.name = "burst",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "1",
     .least = 1,
     .most = 1000,
     AT(burst),
     .help = "queries come N times as fast for a tenth of the time"},
    {.name = "stall",
     .kind = RP_OPTION_FLAG,
     AT(stall),
     .help = "a core stops for a second, or half of the time"},
    {.name = "stall-card",
     .kind = RP_OPTION_FLAG,
     AT(stall_card),
     .help = "the card stops for a second, or half of the time"},
    {.name = "lose-card",
     .kind = RP_OPTION_FLAG,
     AT(lose_card),
     .help = "the card is lost halfway"},
    {.name = "held-ns",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "0",
     .most = 1000000,
     AT(held_ns),
     .help = "whoever submits or takes a query keeps all others from the queues for so many "
             "nanoseconds"},
    {0},
};

static const rp__option_group groups[] = {
    {"load", load_rows, 0},
    {"load of a service", rp__load_url_rows, offsetof(load_args, url)},
    {"trouble; but for bursts, of a replay", trouble_rows, 0},
    {"ranking", rp__query_args_ranking, offsetof(load_args, query)},
    {"limits", rp__query_args_limits, offsetof(load_args, query)},
    {"general", rp__options_common, offsetof(load_args, common)},
    {0},
};

typedef struct job {
    rp__console *console;
    const load_args *args;
    rp_index *index;
    rp__bench_query_set set;
    rp__load *load;
    bool has_begun; /* to show results */
    uint64_t list_misses;
    rp__buf json;
    rp__json_writer w;
} job;

/* ---- Reading options ------------------------------------------------------------------------- */

static const char *policy_at(size_t i)
{
    return i == 0 ? "all" : rp_policy_name(i - 1);
}

static bool is_all(const job *j)
{
    return strcmp(j->args->policies, "all") == 0;
}

static rp_status check_numbers(const job *j, rp_error *err)
{
    const load_args *a = j->args;
    if (!(a->rate > 0) || !isfinite(a->rate))
        return rp__console_usage(j->console, err, "--rate 1000",
                                 "--rate %g: queries come at a rate above 0", a->rate);
    if (!(a->seconds > 0))
        return rp__console_usage(j->console, err, "--seconds 1",
                                 "--seconds %g: a time above 0 is meant", a->seconds);
    if (a->has_find && !(a->find_p99_ms > 0))
        return rp__console_usage(j->console, err, "--find-p99 1",
                                 "--find-p99 %g: a time above 0 is meant", a->find_p99_ms);
    return rp__policy_args_check_deadline(j->console, a->has_deadline, a->deadline_ms, err);
}

static rp_status check_operands(const job *j, const rp__call *call, rp_error *err)
{
    const load_args *a = j->args;
    const bool has_trouble =
        a->no_card || a->wrong > 1 || a->stall || a->stall_card || a->lose_card || a->held_ns;
    if (a->replay && call->n_operands > 0)
        return rp__console_usage(j->console, err, "riposte load --replay FILE",
                                 "a replay needs neither DIR nor QUERIES");
    if (!a->replay && call->n_operands < 2)
        return rp__console_usage(j->console, err, "riposte load my.rip queries.tsv",
                                 "name an index and a file of queries, or --replay FILE");
    const char *other = rp__load_url_own(call);
    if (other)
        return rp__console_usage(j->console, err, "riposte load http://127.0.0.1:7700 queries.tsv",
                                 "--%s is of a service; name its address", other);
    if (a->replay && a->costs)
        return rp__console_usage(j->console, err, "riposte load --replay FILE",
                                 "a replay has estimates of its own; leave out --costs");
    if (!a->replay && has_trouble)
        return rp__console_usage(j->console, err, "--replay FILE",
                                 "trouble but for bursts is simulated in a replay alone");
    return RP_OK;
}

static rp_status open_load(job *j, const rp__call *call, rp_error *err)
{
    const load_args *a = j->args;
    const rp_index_options options = {.verify = a->query.verify};
    const rp__bench_choice all = {0};
    if (a->replay)
        return rp__load_open_record(a->replay, &j->load, err);
    rp_status status = rp_index_open(call->operands[0], &options, &j->index, err);
    if (status == RP_OK)
        status = rp__bench_query_set_read(&j->set, call->operands[1], a->format, j->index,
                                          a->query.search.plain, &all, err);
    return status == RP_OK ? rp__load_open_index(j->index, &j->set, &a->query.search, &j->load, err)
                           : status;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Before the first row. */
static void begin_results(job *j)
{
    if (j->has_begun)
        return;
    j->has_begun = true;
    if (!j->console->wants_json) {
        printf("%-14s %10s %9s %8s %7s %9s %9s %9s %9s %9s %7s %7s\n", "policy", "rate", "answered",
               "refused", "late", "mean", "p50", "p95", "p99", "p99.9", "card", "batch");
        return;
    }
    rp__json_writer_begin(&j->w, NULL, '{');
    rp__json_writer_text(&j->w, "schema", "riposte.load/1");
    rp__json_writer_begin(&j->w, "rows", '[');
}

static void write_times(rp__json_writer *w, const rp__load_figures *f)
{
    rp__latencies_report_write(w, &f->times);
    rp__json_writer_real(w, "refusal_mean", f->refusal_mean, 9);
    rp__json_writer_real(w, "refusal_most", f->refusal_most, 9);
    rp__json_writer_begin(w, "p99_parts", '[');
    for (size_t i = 0; i < RP_LOAD_PARTS; i++)
        rp__json_writer_real(w, NULL, f->p99_parts[i], 9);
    rp__json_writer_end(w, ']');
}

static void write_row(job *j, const char *policy, double rate, double bound,
                      const rp__load_figures *f)
{
    rp__json_writer *w = &j->w;
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "policy", policy);
    rp__json_writer_real(w, "rate", rate, 1);
    if (bound > 0)
        rp__json_writer_real(w, "bound", bound, 0);
    rp__json_writer_uint(w, "jobs", f->jobs);
    rp__json_writer_uint(w, "answered", f->answered);
    rp__json_writer_uint(w, "refused", f->refused);
    rp__json_writer_uint(w, "late", f->late);
    rp__json_writer_uint(w, "failed", f->failed);
    if (j->args->replay && j->args->has_deadline)
        rp__json_writer_uint(w, "list_misses", f->list_misses);
    rp__json_writer_uint(w, "on_cores", f->on_cores);
    rp__json_writer_uint(w, "on_card", f->on_card);
    rp__json_writer_uint(w, "launches", f->launches);
    rp__json_writer_uint(w, "batched", f->batched);
    rp__json_writer_uint(w, "moves", f->moves);
    rp__json_writer_uint(w, "shared", f->shared);
    rp__json_writer_uint(w, "fallbacks", f->fallbacks);
    if (!j->args->replay) {
        rp__json_writer_uint(w, "clients", f->clients);
        rp__json_writer_bool(w, "clients_apart", f->is_apart);
        rp__json_writer_real(w, "clients_stalled", f->stalled, 6);
        rp__json_writer_bool(w, "parses", j->args->parses);
    }
    write_times(w, f);
    rp__json_writer_end(w, '}');
}

static double share(uint64_t of, uint64_t all)
{
    return all ? (double)of / (double)all : 0;
}

static void print_row(job *j, const char *policy, double rate, double bound,
                      const rp__load_figures *f)
{
    if (!j->has_begun && f->costs_fault[0])
        rp__console_note(j->console, "riposte: built-in cost rules are used: %s", f->costs_fault);
    begin_results(j);
    if (j->console->wants_json) {
        write_row(j, policy, rate, bound, f);
        return;
    }
    printf("%-14s %10.0f %9llu %8llu %7llu %9.1f %9.1f %9.1f %9.1f %9.1f %6.1f%% %7.1f\n", policy,
           rate, (unsigned long long)f->answered, (unsigned long long)f->refused,
           (unsigned long long)f->late, f->times.mean * 1e6, f->times.p50 * 1e6, f->times.p95 * 1e6,
           f->times.p99 * 1e6, f->times.p999 * 1e6, 100 * share(f->on_card, f->answered),
           f->launches ? (double)f->on_card / (double)f->launches : 0);
    rp__console_flush(j->console);
}

static rp_status end_results(job *j, double bound, rp_error *err)
{
    if (!j->console->wants_json) {
        puts("times are microseconds from the intended arrival; card: share of queries that it "
             "answered; batch: queries of a launch");
        if (!j->args->replay)
            puts(j->args->parses ? "each query was parsed when it arrived"
                                 : "queries were parsed before they arrived");
        if (bound > 0)
            printf("no policy passes %.0f queries a second, whatever the latency\n", bound);
        if (j->args->replay && j->args->has_deadline)
            printf("a list schedule that knows all costs misses %llu deadlines\n",
                   (unsigned long long)j->list_misses);
        return RP_OK;
    }
    rp__json_writer_end(&j->w, ']');
    rp__json_writer_end(&j->w, '}');
    return rp__console_reply(j->console, &j->json, err);
}

/* ---- The verb -------------------------------------------------------------------------------- */

static rp__load_options options_of(const load_args *a, const char *policy)
{
    return (rp__load_options){.policy = policy,
                              .rate = a->rate,
                              .seconds = a->seconds,
                              .is_poisson = a->poisson,
                              .seed = a->seed,
                              .deadline_us = (uint64_t)ceil(a->deadline_ms * 1000),
                              .cores = a->cores,
                              .max_queued = a->max_queued,
                              .elements = a->elements,
                              .costs = a->costs,
                              .griffin_ratio = a->griffin_ratio,
                              .held_ns = a->held_ns,
                              .griffin_returns = a->griffin_returns,
                              .no_card = a->no_card,
                              .parses = a->parses,
                              .clients = a->clients,
                              .trouble = {.wrong = a->wrong,
                                          .burst = a->burst,
                                          .stall = a->stall,
                                          .stall_card = a->stall_card,
                                          .lose_card = a->lose_card}};
}

static rp_status run_policy(job *j, const char *policy, rp_error *err)
{
    const load_args *a = j->args;
    const rp__load_options o = options_of(a, policy);
    rp__load_figures f;
    double rate = a->rate;
    rp_status status = a->has_find
                           ? rp__load_find_rate(j->load, &o, a->find_p99_ms / 1e3, &rate, &f, err)
                           : rp__load_run(j->load, &o, &f, err);
    j->list_misses = f.list_misses;
    if (status == RP_OK)
        print_row(j, policy, rate, rp__load_bound(j->load, &o), &f);
    return status;
}

static rp_status run_all(job *j, rp_error *err)
{
    const char *names = j->args->policies, *known;
    char one[RP_NAME_BYTES];
    rp_status status = RP_OK;
    for (size_t i = 0; is_all(j) && status == RP_OK && (known = rp_policy_name(i)); i++)
        status = run_policy(j, known, err);
    while (!is_all(j) && status == RP_OK && rp__name_list_next(&names, one))
        status = run_policy(j, one, err);
    const rp__load_options o = options_of(j->args, "auto");
    return status == RP_OK ? end_results(j, rp__load_bound(j->load, &o), err) : status;
}

static void list_policies(void)
{
    for (size_t i = 0; rp_policy_name(i); i++) {
        const char *paper = rp_policy_paper(i);
        printf("%-14s  %s%s%s%s\n", rp_policy_name(i), rp_policy_help(i), paper ? " (" : "",
               paper ? paper : "", paper ? ")" : "");
    }
}

static rp_status run_url(const job *j, const rp__call *call, rp_error *err)
{
    const load_args *a = j->args;
    const rp__load_url_plan plan = {.rate = a->rate,
                                    .seconds = a->seconds,
                                    .is_poisson = a->poisson,
                                    .seed = a->seed,
                                    .k = a->query.search.k,
                                    .mode = a->query.search.mode,
                                    .format = a->format};
    rp_status status = check_numbers(j, err);
    return status == RP_OK ? rp__load_url_run(j->console, call, &a->url, &plan, err) : status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    job j = {.console = console, .args = call->args};
    if (j.args->list_policies) {
        list_policies();
        return RP_OK;
    }
    if (call->n_operands > 0 && !j.args->replay && rp__url_is_meant(call->operands[0]))
        return run_url(&j, call, err);
    rp__buf_init(&j.json);
    rp__json_writer_init(&j.w, &j.json);
    rp_status status = check_operands(&j, call, err);
    if (status == RP_OK)
        status = check_numbers(&j, err);
    if (status == RP_OK)
        status = rp__name_list_check(console, "policy", j.args->policies, policy_at, err);
    if (status == RP_OK)
        status = open_load(&j, call, err);
    if (status == RP_OK)
        status = run_all(&j, err);
    rp__load_close(j.load);
    rp__bench_query_set_free(&j.set);
    rp_index_close(j.index);
    rp__buf_free(&j.json);
    return status;
}

const rp__verb rp__cmd_load_verb = {
    .name = "load",
    .summary = "measure latencies under a rate of queries, by policy",
    .operands = {"[DIR]", "[QUERIES]"},
    .details = "Queries of the file arrive one after the other, and again from the first, whether "
               "or not earlier ones were answered. Latencies count from the intended arrival, so a "
               "slow answer is not hidden by queries that were not asked. With --replay the "
               "processors are a record of what queries cost them, and time is virtual. In the "
               "place of DIR stands the address of a service, http://HOST:PORT or "
               "http://HOST:PORT/v1/INDEX, to ask it over HTTP.",
    .examples = "riposte load my.rip queries.tsv --rate 2000 --poisson --policy cpu,auto\n"
                "riposte load --replay h200.tsv --policy all --rate 100000 --poisson\n"
                "riposte load --replay h200.tsv --policy all --find-p99 1 --poisson\n"
                "riposte load http://127.0.0.1:7700 queries.tsv --rate 5000 --connections 128\n",
    .groups = groups,
    .args_bytes = sizeof(load_args),
    .run = run,
};
