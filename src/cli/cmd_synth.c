/* cmd_synth.c: riposte synth: a collection and a query log that stand in for those of a paper. */
#include "base/json.h"
#include "cli/figures.h"
#include "cli/index_rows.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "riposte/synth.h"

typedef struct synth_args {
    rp__common_args common;
    const char *output;
    rp_synth_options synth;
} synth_args;

static const char *const orders[] = {"crawl", "random", "rank", NULL}; /* as in rp_synth_order */

#define AT(field) .at = offsetof(synth_args, field)

static const rp__option synth_rows[] = {
    RP_ROW_OUTPUT(offsetof(synth_args, output),
                  "folder of the index; one that is there is replaced"),
    {.name = "docs",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .least = 100,
     .most = 1 << 30,
     AT(synth.docs),
     .help = "documents, otherwise as many as the collection has"},
    {.name = "order",
     .kind = RP_OPTION_ENUM,
     .argument = "ORDER",
     .initial = "crawl",
     .choices = orders,
     AT(synth.order),
     .help = "how they are numbered: neighbours are alike, or by chance, or the best first"},
    {.name = "queries",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "10000",
     .least = 1,
     .most = 1000000,
     AT(synth.queries),
     .help = "queries of the log; the index has the lists that they need"},
    {.name = "queries-out",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     AT(synth.queries_out),
     .help = "where the log goes, otherwise to DIR.queries.tsv"},
    {.name = "seed",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     AT(synth.seed),
     .help = "another number, another collection of the same kind"},
    RP_ROW_CODEC(offsetof(synth_args, synth.codec), NULL, "how lists are coded"),
    RP_ROW_FREQS(offsetof(synth_args, synth.freqs)),
    RP_ROW_AUX(offsetof(synth_args, synth.aux),
               "data that narrow searches in long lists, as for index"),
    RP_ROW_MEMORY(offsetof(synth_args, synth.memory),
                  "memory in all, a hard total; the longest list must fit"),
    RP_ROW_THREADS(offsetof(synth_args, synth.threads)),
    {0},
};

static const rp__option_group groups[] = {
    {"synth", synth_rows, 0},
    {"general", rp__options_common, offsetof(synth_args, common)},
    {0},
};

static double per(uint64_t sum, uint64_t n)
{
    return (double)sum / (double)n;
}

static rp_status write_result(rp__console *console, const rp__call *call,
                              const rp_synth_stats *stats, rp_error *err)
{
    const synth_args *args = call->args;
    const rp_build_stats *b = &stats->build;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.synth/1");
    rp__json_writer_text(&w, "name", call->operands[0]);
    rp__json_writer_text(&w, "index", args->output);
    rp__json_writer_text(&w, "order", orders[args->synth.order]);
    rp__json_writer_uint(&w, "seed", args->synth.seed);
    rp__json_writer_uint(&w, "docs", b->docs);
    rp__json_writer_uint(&w, "terms", b->terms);
    rp__json_writer_uint(&w, "postings", b->postings);
    rp__json_writer_uint(&w, "bytes_out", b->bytes_out);
    rp__json_writer_uint(&w, "queries", stats->queries);
    rp__json_writer_real(&w, "terms_per_query", per(stats->query_terms, stats->queries), 3);
    rp__json_writer_real(&w, "postings_per_query", per(stats->query_postings, stats->queries), 1);
    rp__json_writer_uint(&w, "memory_peak", b->memory_peak);
    rp__json_writer_real(&w, "seconds", b->seconds, 6);
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static void print_result(const rp_synth_stats *stats)
{
    const rp_build_stats *b = &stats->build;
    char one[RP_FIGURE_BYTES], two[RP_FIGURE_BYTES], three[RP_FIGURE_BYTES];
    printf("%s, %s, %s\n", rp__figures_of(one, b->docs, "document"),
           rp__figures_of(two, b->terms, "term"), rp__figures_of(three, b->postings, "posting"));
    printf("%s %s of %.2f terms and %s postings each\n", rp__figures_count(one, stats->queries),
           stats->queries == 1 ? "query" : "queries", per(stats->query_terms, stats->queries),
           rp__figures_count(two, stats->query_postings / stats->queries));
    printf("index: %s in %s, at most %s of memory\n", rp__figures_size(one, b->bytes_out),
           rp__figures_time(two, b->seconds), rp__figures_size(three, b->memory_peak));
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    synth_args *args = call->args;
    rp__progress progress;
    rp_synth_stats stats;
    rp__progress_init(&progress, console);
    args->synth.on_progress = rp__progress_tick;
    args->synth.progress_arg = &progress;
    rp__interrupt_hold();
    rp_status status = rp_synth(call->operands[0], args->output, &args->synth, &stats, err);
    rp__interrupt_release();
    rp__progress_end(&progress);
    if (status != RP_OK)
        return status;
    if (console->wants_json)
        return write_result(console, call, &stats, err);
    if (!console->is_quiet)
        print_result(&stats);
    return RP_OK;
}

const rp__verb rp__cmd_synth_verb = {
    .name = "synth",
    .summary = "draw a collection and queries like those of a paper",
    .operands = {"NAME"},
    .details =
        "Collections that papers measure on are closed or large. This draws one that is like it, "
        "by a seed: gov (1,053,372 documents), gov2 (5,038,710), bd (15,749,656), clueweb "
        "(52,343,021) or ccnews (29,948,077). Lists have the lengths, the clusters and the "
        "common documents that the papers tell of; docs/synth.md says how close they come. The "
        "index holds the lists that the queries of the log need, and is one like any other, "
        "without text and positions; 'riposte batch' reads the log. expanded (8,841,823) is like "
        "what learned sparse models make of passages: 120 postings a document, all of which are "
        "drawn, and queries of 45 terms with weights, for 'riposte batch --syntax --mode or'.",
    .examples = "riposte synth gov -o gov.rip --threads 4\n"
                "riposte batch gov.rip gov.rip.queries.tsv -o gov.run\n"
                "riposte synth gov2 --docs 25200000 --order random --aux lr,hs16 -o gov2r.rip\n",
    .groups = groups,
    .args_bytes = sizeof(synth_args),
    .run = run,
};
