/* cmd_stats.c: riposte stats: what an index holds, and what its lists cost. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/figures.h"
#include "cli/stats_models.h"
#include "cli/verbs.h"
#include "riposte/index.h"

enum { BLOCK = 128 }; /* lists of more postings have auxiliary data */

typedef struct stats_args {
    rp__common_args common;
    const char *term, *regression;
    bool lists, buckets;
    uint64_t top, every;
} stats_args;

/* What is told of an index. */
typedef struct view {
    rp_index *index;
    rp_index_info info;
    rp_index_costs costs;
    rp_term_info term;
    rp__stats_line line;
    rp__lab_buckets *buckets; /* NULL: not requested */
} view;

static const rp__option stats_rows[] = {
    {.name = "term",
     .kind = RP_OPTION_TEXT,
     .argument = "WORD",
     .at = offsetof(stats_args, term),
     .help =
         "statistics of this word, as the index's analyzer sees it; exit code 1 if it has none"},
    {.name = "lists",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(stats_args, lists),
     .help = "the costliest lists: what their docids, frequencies, directory and positions take"},
    {.name = "top",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "20",
     .least = 1,
     .most = 1000000,
     .at = offsetof(stats_args, top),
     .help = "so many lists"},
    {.name = "regression",
     .kind = RP_OPTION_TEXT,
     .argument = "TERM",
     .at = offsetof(stats_args, regression),
     .help =
         "how near this term's list is to a straight line: its fit, the safe range, the bits of "
         "residuals and of those of a random list, the cost of a look-up, and points"},
    {.name = "every",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "50",
     .least = 0,
     .most = UINT32_MAX,
     .at = offsetof(stats_args, every),
     .help = "of --regression, a point every so many postings; 0: none"},
    {.name = "buckets",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(stats_args, buckets),
     .help = "how large the buckets of hash segmentation are, for hs8 to hs1024: of the list of "
             "--regression or --term, else of all lists of more than 128 postings"},
    {0},
};

static const rp__option_group groups[] = {
    {"stats", stats_rows, 0},
    {"general", rp__options_common, offsetof(stats_args, common)},
    {0},
};

/* Without auxiliary data, which lists do not need. */
static double bits_a_posting(const rp_index_info *info)
{
    uint64_t bytes = info->bytes_lists - info->bytes_aux;
    return info->postings ? 8.0 * (double)bytes / (double)info->postings : 0;
}

static void write_aux(rp__json_writer *w, const rp_index *index)
{
    rp_aux_info aux;
    rp__json_writer_begin(w, "aux", '[');
    for (size_t i = 0; rp_index_get_aux(index, i, &aux); i++) {
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "name", aux.name);
        rp__json_writer_uint(w, "bytes", aux.bytes);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

static void write_info(rp__json_writer *w, const view *v)
{
    const rp_index_info *info = &v->info;
    const rp_index_costs *costs = &v->costs;
    rp__json_writer_uint(w, "docs", info->docs);
    rp__json_writer_uint(w, "terms", info->terms);
    rp__json_writer_uint(w, "postings", info->postings);
    rp__json_writer_uint(w, "tokens", info->tokens);
    rp__json_writer_uint(w, "total_docs", info->total_docs);
    rp__json_writer_uint(w, "total_tokens", info->total_tokens);
    rp__json_writer_real(w, "average_length", info->average_length, 6);
    rp__json_writer_uint(w, "generation", info->generation);
    rp__json_writer_uint(w, "format_version", info->format_version);
    rp__json_writer_text(w, "codec", info->codec);
    rp__json_writer_text(w, "freqs", info->freqs);
    rp__json_writer_text(w, "costs", info->costs);
    rp__json_writer_text(w, "stem", info->stem);
    rp__json_writer_text(w, "stop", info->stop);
    rp__json_writer_text(w, "token_rule", info->token_rule);
    rp__json_writer_bool(w, "drops_possessive", info->drops_possessive);
    rp__json_writer_bool(w, "folds_accents", info->folds_accents);
    rp__json_writer_bool(w, "has_positions", info->has_positions);
    rp__json_writer_bool(w, "has_text", info->has_text);
    rp__json_writer_real(w, "bits_a_posting", bits_a_posting(info), 3);
    rp__json_writer_begin(w, "bytes", '{');
    rp__json_writer_uint(w, "terms", info->bytes_terms);
    rp__json_writer_uint(w, "lists", info->bytes_lists);
    rp__json_writer_uint(w, "positions", info->bytes_positions);
    rp__json_writer_uint(w, "docs", info->bytes_docs);
    rp__json_writer_uint(w, "text", info->bytes_text);
    rp__json_writer_uint(w, "total", info->bytes_total);
    rp__json_writer_uint(w, "lists_docids", costs->lists.bytes_docids);
    rp__json_writer_uint(w, "lists_freqs", costs->lists.bytes_freqs);
    rp__json_writer_uint(w, "lists_directory", costs->lists.bytes_directory);
    rp__json_writer_uint(w, "lists_pruning", costs->lists.bytes_pruning);
    rp__json_writer_uint(w, "terms_tiny", costs->tiny.bytes);
    rp__json_writer_end(w, '}');
    write_aux(w, v->index);
}

static void write_lists(rp__json_writer *w, const rp_index_costs *costs)
{
    rp__json_writer_begin(w, "lists", '[');
    for (size_t i = 0; i < costs->n; i++) {
        const rp_list_cost *c = &costs->at[i];
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "term", c->term);
        rp__json_writer_text(w, "codec", c->codec);
        rp__json_writer_uint(w, "df", c->postings);
        rp__json_writer_uint(w, "blocks", c->blocks);
        rp__json_writer_uint(w, "bytes", c->bytes);
        rp__json_writer_uint(w, "docids", c->bytes_docids);
        rp__json_writer_uint(w, "freqs", c->bytes_freqs);
        rp__json_writer_uint(w, "directory", c->bytes_directory);
        rp__json_writer_uint(w, "positions", c->bytes_positions);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

static rp_status write_stats(rp__console *console, const stats_args *args, const view *v,
                             rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.stats/1");
    write_info(&w, v);
    if (args->lists)
        write_lists(&w, &v->costs);
    if (args->regression)
        rp__stats_models_write_line(&w, &v->line);
    if (v->buckets)
        rp__stats_models_write_buckets(&w, v->buckets);
    if (args->term) {
        rp__json_writer_begin(&w, "term", '{');
        rp__json_writer_text(&w, "word", args->term);
        rp__json_writer_uint(&w, "df", v->term.df);
        rp__json_writer_uint(&w, "cf", v->term.cf);
        rp__json_writer_uint(&w, "bytes", v->term.bytes);
        rp__json_writer_uint(&w, "blocks", v->term.blocks);
        rp__json_writer_end(&w, '}');
    }
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static void print_row(const char *name, const char *value)
{
    printf("%-16s  %s\n", name, value);
}

static void print_aux(const rp_index *index)
{
    char text[RP_FIGURE_BYTES];
    rp_aux_info aux;
    for (size_t i = 0; rp_index_get_aux(index, i, &aux); i++)
        printf("    %-12s  %s\n", aux.name, rp__figures_size(text, aux.bytes));
}

static void print_info(const view *v)
{
    const rp_index_info *info = &v->info;
    const rp_index_costs *costs = &v->costs;
    char text[RP_FIGURE_BYTES];
    print_row("documents", rp__figures_count(text, info->docs));
    print_row("terms", rp__figures_count(text, info->terms));
    print_row("postings", rp__figures_count(text, info->postings));
    print_row("tokens", rp__figures_count(text, info->tokens));
    if (info->total_docs != info->docs || info->total_tokens != info->tokens) {
        char tokens[RP_FIGURE_BYTES];
        printf("%-16s  %s, %s\n", "of a collection",
               rp__figures_of(text, info->total_docs, "document"),
               rp__figures_of(tokens, info->total_tokens, "token"));
    }
    printf("%-16s  %.2f tokens\n", "average length", info->average_length);
    print_row("codec", info->codec);
    print_row("frequencies", info->freqs);
    if (info->costs[0])
        print_row("chosen for", info->costs);
    print_row("stem", info->stem);
    printf("%-16s  ", "stop words");
    rp__console_put(stdout, info->stop, strlen(info->stop));
    putchar('\n');
    print_row("words", info->token_rule);
    print_row("possessive", info->drops_possessive ? "dropped" : "kept");
    print_row("accents", info->folds_accents ? "dropped" : "kept");
    print_row("positions", info->has_positions ? "yes" : "no");
    print_row("stored text", info->has_text ? "yes" : "no");
    print_row("generation", rp__figures_count(text, info->generation));
    print_row("format", rp__figures_count(text, info->format_version));
    print_row("size", rp__figures_size(text, info->bytes_total));
    print_row("  terms", rp__figures_size(text, info->bytes_terms));
    print_row("    tiny lists", rp__figures_size(text, costs->tiny.bytes));
    printf("%-16s  %s, %.2f bits a posting\n", "  lists", rp__figures_size(text, info->bytes_lists),
           bits_a_posting(info));
    print_row("    docids", rp__figures_size(text, costs->lists.bytes_docids));
    print_row("    frequencies", rp__figures_size(text, costs->lists.bytes_freqs));
    print_row("    directory", rp__figures_size(text, costs->lists.bytes_directory));
    print_row("      pruning", rp__figures_size(text, costs->lists.bytes_pruning));
    print_aux(v->index);
    print_row("  positions", rp__figures_size(text, info->bytes_positions));
    print_row("  documents", rp__figures_size(text, info->bytes_docs));
    print_row("  text", rp__figures_size(text, info->bytes_text));
}

static void print_term(const char *word, const rp_term_info *term)
{
    char a[RP_FIGURE_BYTES], b[RP_FIGURE_BYTES];
    rp__console_put(stdout, word, strlen(word));
    printf(": in %s, %s; ", rp__figures_of(a, term->df, "document"),
           rp__figures_of(b, term->cf, "time"));
    if (term->blocks > 0)
        printf("%s in %s\n", rp__figures_size(a, term->bytes),
               rp__figures_of(b, term->blocks, "block"));
    else
        printf("%s inside the dictionary\n", rp__figures_size(a, term->bytes));
}

static double bits(uint64_t bytes, const rp_list_cost *cost)
{
    return 8.0 * (double)bytes / (double)cost->postings;
}

/* A line a list; the term stands last, where its length is of no matter. */
static void print_lists(const rp_index_costs *costs)
{
    printf("%11s %12s   bits a posting: %6s %6s %9s %9s %8s  %-13s  %s\n", "df", "bytes", "docids",
           "freqs", "directory", "positions", "blocks", "codec", "term");
    for (size_t i = 0; i < costs->n; i++) {
        char df[RP_FIGURE_BYTES], bytes[RP_FIGURE_BYTES], blocks[RP_FIGURE_BYTES];
        const rp_list_cost *c = &costs->at[i];
        printf("%11s %12s %17.2f %6.2f %6.2f %9.2f %9.2f %8s  %-13s  ",
               rp__figures_count(df, c->postings), rp__figures_count(bytes, c->bytes),
               bits(c->bytes, c), bits(c->bytes_docids, c), bits(c->bytes_freqs, c),
               bits(c->bytes_directory, c), bits(c->bytes_positions, c),
               rp__figures_count(blocks, c->blocks), c->codec);
        rp__console_put(stdout, c->term, strlen(c->term));
        putchar('\n');
    }
}

/* What the papers' models say of a list, or of all. */
static rp_status read_models(const stats_args *args, view *v, rp_error *err)
{
    rp_status status = RP_OK;
    if (args->regression)
        status = rp__stats_models_line(v->index, args->regression, args->every, &v->line, err);
    if (status != RP_OK || !args->buckets)
        return status;
    v->buckets = rp__alloc_array(RP_LAB_BUCKET_KINDS, sizeof *v->buckets);
    if (!v->buckets)
        return rp__error_no_memory(err);
    return rp__lab_buckets_count(v->index, args->regression ? args->regression : args->term,
                                 BLOCK + 1, v->buckets, err);
}

static void print_stats(const stats_args *args, const view *v)
{
    if (args->term)
        print_term(args->term, &v->term);
    if (args->regression)
        rp__stats_models_print_line(&v->line);
    if (v->buckets)
        rp__stats_models_print_buckets(v->buckets);
    if (args->lists)
        print_lists(&v->costs);
    else if (!args->term && !args->regression && !v->buckets)
        print_info(v);
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const stats_args *args = call->args;
    view v = {0};
    rp_status status = rp_index_open(call->operands[0], NULL, &v.index, err);
    if (status != RP_OK)
        return status;
    rp_index_get_info(v.index, &v.info);
    if (args->term)
        status = rp_index_get_term(v.index, args->term, &v.term, err);
    if (status == RP_OK)
        status = read_models(args, &v, err);
    if (status == RP_OK && (console->wants_json || args->lists || !args->term))
        status = rp_index_get_costs(v.index, args->lists ? args->top : 0, &v.costs, err);
    if (status == RP_OK && console->wants_json)
        status = write_stats(console, args, &v, err);
    else if (status == RP_OK)
        print_stats(args, &v);
    rp_index_costs_free(&v.costs);
    rp__lab_set_free(&v.line.set);
    rp__free(v.buckets);
    rp_index_close(v.index);
    return status;
}

const rp__verb rp__cmd_stats_verb = {
    .name = "stats",
    .summary = "show what an index holds",
    .operands = {"DIR"},
    .details =
        "Counts, analyzer, codec and the size of each part; with --term what one word's list "
        "holds and costs; with --lists which lists cost most, and what for. Takes at most 32 MiB "
        "of "
        "memory, and 1 KiB for each list that --lists shows. --regression and --buckets show what "
        "the models of Ao et al. 2011 say of lists: they take 16 bytes for each posting of the "
        "longest.",
    .examples = "riposte stats my.rip\n"
                "riposte stats my.rip --term wing\n"
                "riposte stats my.rip --lists --top 100\n"
                "riposte stats my.rip --regression wing --every 1000\n"
                "riposte stats my.rip --buckets --json\n",
    .groups = groups,
    .args_bytes = sizeof(stats_args),
    .run = run,
};
