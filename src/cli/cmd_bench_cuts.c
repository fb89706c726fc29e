/* cmd_bench_cuts.c: riposte bench cuts: ANDs that move from the card to a core after every number of lists. */
#include <stdio.h>

#include "base/error.h"
#include "cli/bench_machine.h"
#include "cli/query_args.h"
#include "cli/verbs.h"
#include "lab/bench.h"
#include "lab/term_queries.h"

enum { LISTS_MOST = 6 }; /* the last group by lists has more, too */

typedef struct bench_cuts_args {
    rp__common_args common;
    rp__query_args query;
    const char *format;
    uint32_t rounds;
    uint64_t pairs, longer;
    rp__bench_choice choice;
} bench_cuts_args;

#define AT(field) .at = offsetof(bench_cuts_args, field)

static const rp__option bench_rows[] = {
    {.name = "rounds",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "5",
     .least = 1,
     .most = 64,
     AT(rounds),
     .help = "how often each query is timed at each cut; the best time counts"},
    {.name = "sample",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1000",
     .least = 1,
     AT(choice.sample),
     .help = "so many queries at random, of the file or of the index's own terms"},
    {.name = "pairs",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     AT(pairs),
     .help = "in place of QUERIES: N pairs of terms for each of seven ratios of their lists, up to "
             "1024"},
    {.name = "longer",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1000000",
     .least = 1,
     .most = 2000000000,
     AT(longer),
     .help = "of pairs: postings of the longer list, up to twice as many"},
    {.name = "seed",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     AT(choice.seed),
     .help = "of the sample or the pairs"},
    {.name = "format",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_topics_format_name,
     AT(format),
     .help = "how QUERIES are written; otherwise guessed from the first one"},
    {0},
};

static const rp__option_group groups[] = {
    {"bench", bench_rows, 0},
    {"ranking", rp__query_args_ranking, offsetof(bench_cuts_args, query)},
    {"general", rp__options_common, offsetof(bench_cuts_args, common)},
    {0},
};

/* ---- Results --------------------------------------------------------------------------------- */

/* The group's name, and its means; false past the last. By lists, then by ratio, then all. */
static bool get_group(const rp__bench_cuts *b, size_t i, char name[32], rp__bench_cut_means *out)
{
    const size_t by_lists = LISTS_MOST - 1, ratio = i - by_lists;
    if (i < by_lists) {
        const uint32_t lists = (uint32_t)i + 2;
        snprintf(name, 32, lists < LISTS_MOST ? "%u lists" : "%u lists or more", lists);
        rp__bench_cuts_sum(b, lists, lists == LISTS_MOST, RP_BENCH_CUT_RATIOS, out);
        return true;
    }
    rp__bench_cuts_sum(b, 0, false, ratio, out);
    if (ratio == 0)
        snprintf(name, 32, "ratio 1 to 16");
    else if (ratio + 1 < RP_BENCH_CUT_RATIOS)
        snprintf(name, 32, "ratio %u to %u", 8U << ratio, 16U << ratio);
    else
        snprintf(name, 32, ratio < RP_BENCH_CUT_RATIOS ? "ratio over 1024" : "all");
    return ratio <= RP_BENCH_CUT_RATIOS;
}

static void print_results(const rp__bench_cuts *b)
{
    char name[32];
    rp__bench_cut_means m;
    printf("%-16s %8s %9s %9s %9s %9s %9s %7s %7s\n", "queries", "n", "cpu", "gpu", "better",
           "best cut", "best", "/better", "wins");
    for (size_t i = 0; get_group(b, i, name, &m); i++)
        if (m.n > 0)
            printf("%-16s %8zu %9.2f %9.2f %9.2f %9.2f %9.2f %7.3f %7zu\n", name, m.n, m.cpu / 1e3,
                   m.gpu / 1e3, m.better / 1e3, m.best_cut / 1e3, m.best / 1e3, m.best / m.better,
                   m.wins);
    puts(
        "microseconds, means of each query's best time; cut: the card intersects some lists, and a "
        "core the others;\nwins: queries for which a cut is faster than both processors");
    if (b->left_out > 0)
        printf("%zu queries were left out: of fewer than 2 lists or over %d, or the card refuses "
               "them\n",
               b->left_out, RP_BENCH_CUTS_LISTS);
}

static void write_group(rp__json_writer *w, const char *name, const rp__bench_cut_means *m)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "group", name);
    rp__json_writer_uint(w, "queries", m->n);
    rp__json_writer_real(w, "cpu", m->cpu / 1e9, 9);
    rp__json_writer_real(w, "gpu", m->gpu / 1e9, 9);
    rp__json_writer_real(w, "better", m->better / 1e9, 9);
    rp__json_writer_real(w, "best_cut", m->best_cut / 1e9, 9);
    rp__json_writer_real(w, "best", m->best / 1e9, 9);
    rp__json_writer_uint(w, "wins", m->wins);
    rp__json_writer_end(w, '}');
}

static rp_status reply(rp__console *console, const rp__bench_cuts *b, rp_error *err)
{
    char name[32];
    rp__bench_cut_means m;
    rp__bench_machine machine;
    rp__buf out;
    rp__json_writer w;
    rp__bench_machine_get(&machine);
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.bench.cuts/1");
    rp__bench_machine_write(&w, &machine);
    rp__json_writer_uint(&w, "rounds", b->rounds);
    rp__json_writer_uint(&w, "left_out", b->left_out);
    rp__json_writer_begin(&w, "groups", '[');
    for (size_t i = 0; get_group(b, i, name, &m); i++)
        if (m.n > 0)
            write_group(&w, name, &m);
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static rp_status read_queries(rp__console *console, const rp__call *call, const rp_index *index,
                              rp__bench_query_set *set, rp_error *err)
{
    const bench_cuts_args *a = call->args;
    if (a->pairs > 0 && call->n_operands > 1)
        return rp__console_usage(console, err, "riposte bench cuts my.rip --pairs 100",
                                 "pairs are drawn from the index: leave out QUERIES");
    if (a->pairs > 0)
        return rp__term_queries_make_pairs(set, index, a->pairs, a->longer, a->choice.seed, err);
    return call->n_operands > 1
               ? rp__bench_query_set_read(set, call->operands[1], a->format, index,
                                          a->query.search.plain, &a->choice, err)
               : rp__term_queries_make(set, index, a->choice.sample, a->choice.seed, err);
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const bench_cuts_args *a = call->args;
    const rp_index_options options = {.verify = a->query.verify};
    rp_index *index = NULL;
    rp__bench_query_set set = {0};
    rp__bench_cuts bench = {.set = &set, .search = a->query.search, .rounds = a->rounds};
    rp_status status = rp_index_open(call->operands[0], &options, &index, err);
    if (status == RP_OK)
        status = read_queries(console, call, index, &set, err);
    bench.index = index;
    if (status == RP_OK)
        status = rp__bench_cuts_run(&bench, err);
    if (status == RP_OK && console->wants_json)
        status = reply(console, &bench, err);
    else if (status == RP_OK)
        print_results(&bench);
    rp__bench_cuts_free(&bench);
    rp__bench_query_set_free(&set);
    rp_index_close(index);
    return status;
}

const rp__verb rp__cmd_bench_cuts_verb = {
    .name = "bench cuts",
    .summary = "measure ANDs that move from the card to a core, at every cut",
    .operands = {"DIR", "[QUERIES]"},
    .details =
        "Each query is an AND of words. It is answered by a core, by the card, and cut after every "
        "number of lists: the card intersects the shortest ones, and a core the others. All must "
        "give the same answer. Queries are bound before the clock starts, and no queue is in the "
        "times. Without QUERIES, queries are two to four terms of the index.",
    .examples = "riposte bench cuts my.rip queries.tsv --plain\n"
                "riposte bench cuts my.rip --pairs 100 --longer 1000000\n",
    .groups = groups,
    .args_bytes = sizeof(bench_cuts_args),
    .run = run,
};
