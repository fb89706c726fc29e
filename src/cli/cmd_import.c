/* cmd_import.c: riposte import: an index of another program becomes one of ours. */
#include <string.h>

#include "base/json.h"
#include "cli/exchange_args.h"
#include "cli/figures.h"
#include "cli/index_rows.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "riposte/index.h"

typedef struct import_args {
    rp__common_args common;
    const char *output;
    rp_import_options import;
} import_args;

#define AT(field) .at = offsetof(import_args, field)

static const rp__option import_rows[] = {
    RP_ROW_OUTPUT(offsetof(import_args, output),
                  "folder of the index; one that is there is replaced"),
    RP_ROW_CODEC(
        offsetof(import_args, import.codec), "auto",
        "how lists are coded, with options of the encoder (exceptions, level, c, segment, max)"),
    RP_ROW_FREQS(offsetof(import_args, import.freqs)),
    RP_ROW_AUX(
        offsetof(import_args, import.aux),
        "data that narrow searches in long lists, separated by commas: lr, hs8, hs16, ... hs1024"),
    RP_ROW_STEM(offsetof(import_args, import.stem),
                "how the other program cut words to their stem, for queries"),
    RP_ROW_STOP(
        offsetof(import_args, import.stop),
        "words that the other program left out, for queries: lucene, a language as english, "
        "none, or a file with a word a line"),
    RP_ROW_TOKENS(offsetof(import_args, import.tokens), NULL,
                  "how it cut text into words; otherwise by the Unicode rules alone"),
    {.name = "drop-possessive",
     .kind = RP_OPTION_FLAG,
     AT(import.drop_possessive),
     .help = "it dropped the 's of a word"},
    {.name = "fold", .kind = RP_OPTION_FLAG, AT(import.fold), .help = "it dropped accents"},
    RP_ROW_MEMORY(offsetof(import_args, import.memory),
                  "memory in all, a hard total; the longest list must fit"),
    {0},
};

static const rp__option_group groups[] = {
    {"import", import_rows, 0},
    {"general", rp__options_common, offsetof(import_args, common)},
    {0},
};

static rp_status write_stats(rp__console *console, const rp__call *call,
                             const rp_build_stats *stats, rp_error *err)
{
    const import_args *args = call->args;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.import/1");
    rp__json_writer_text(&w, "format", call->operands[0]);
    rp__json_writer_text(&w, "index", args->output);
    rp__json_writer_uint(&w, "docs", stats->docs);
    rp__json_writer_uint(&w, "terms", stats->terms);
    rp__json_writer_uint(&w, "postings", stats->postings);
    rp__json_writer_uint(&w, "tokens", stats->tokens);
    rp__json_writer_uint(&w, "bytes_in", stats->bytes_in);
    rp__json_writer_uint(&w, "bytes_out", stats->bytes_out);
    rp__json_writer_uint(&w, "runs", stats->runs);
    rp__json_writer_uint(&w, "memory_peak", stats->memory_peak);
    rp__json_writer_real(&w, "seconds", stats->seconds, 6);
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static void print_stats(const rp_build_stats *stats)
{
    char a[RP_FIGURE_BYTES], b[RP_FIGURE_BYTES], c[RP_FIGURE_BYTES];
    printf("%s, %s, %s\n", rp__figures_of(a, stats->docs, "document"),
           rp__figures_of(b, stats->terms, "term"), rp__figures_of(c, stats->postings, "posting"));
    printf("%s read, %s written in %s, ", rp__figures_size(a, stats->bytes_in),
           rp__figures_size(b, stats->bytes_out), rp__figures_time(c, stats->seconds));
    printf("at most %s of memory\n", rp__figures_size(a, stats->memory_peak));
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    import_args *args = call->args;
    rp__progress progress;
    rp_build_stats stats = {0};
    rp_status status = rp__exchange_args_check(console, call->operands[0], err);
    if (status != RP_OK)
        return status;
    rp__progress_init(&progress, console);
    args->import.on_progress = rp__progress_tick;
    args->import.progress_arg = &progress;
    args->import.on_warning = rp__progress_warn;
    args->import.warning_arg = &progress;
    rp__interrupt_hold();
    status = rp_index_import(call->operands[0], call->operands[1], args->output, &args->import,
                             &stats, err);
    rp__interrupt_release();
    rp__progress_end(&progress);
    if (status != RP_OK)
        return status;
    if (console->wants_json)
        return write_stats(console, call, &stats, err);
    if (!console->is_quiet)
        print_stats(&stats);
    return RP_OK;
}

const rp__verb rp__cmd_import_verb = {
    .name = "import",
    .summary = "turn an index of another program into one of ours",
    .operands = {"FORMAT", "FILE"},
    .details =
        "FORMAT is ciff, the Common Index File Format, version 1: one file, as it is or compressed "
        "by gzip or zstd, - for standard input; or pisa, the binary collection of PISA and ds2i: "
        "FILE.docs, FILE.freqs, FILE.sizes and, where they are, FILE.terms and FILE.documents; "
        "FILE "
        "may also be a folder that 'riposte export pisa' wrote. "
        "Terms, docids, frequencies, ids and lengths are taken as they are. There are no "
        "positions, "
        "so phrases are refused, and no text, so there are no snippets. Queries are cut into words "
        "by the Unicode rules and lower-cased: the other options say what the other program did "
        "beyond that. Where a CIFF "
        "file "
        "has some documents of a collection, ranking counts with the whole, as its header tells "
        "it; "
        "otherwise everything is counted anew. The index is published at the end in one step.",
    .examples = "riposte import ciff robust04.ciff.gz -o robust04.rip\n"
                "riposte import ciff --stem porter --stop lucene robust04.ciff.gz -o robust04.rip\n"
                "riposte import pisa inv/gov2 -o gov2.rip\n",
    .groups = groups,
    .args_bytes = sizeof(import_args),
    .run = run,
};
