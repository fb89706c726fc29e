/* cmd_export.c: riposte export: an index in a form that other programs read. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli/exchange_args.h"
#include "cli/figures.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "riposte/index.h"

typedef struct export_args {
    rp__common_args common;
    const char *output;
    uint32_t max, fixed;
    bool paper_cost, bounds, paired, bp128;
} export_args;

static const rp__option export_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     .is_required = true,
     .at = offsetof(export_args, output),
     .help = "what to write; what is there is replaced"},
    {0},
};

static const rp__option iiu_rows[] = {
    {.name = "max",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .least = 1,
     .most = 2047,
     .at = offsetof(export_args, max),
     .help = "iiu: postings of the largest block, 1 to 2047; default 256"},
    {.name = "fixed",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .least = 1,
     .most = 2047,
     .at = offsetof(export_args, fixed),
     .help = "iiu: blocks of N postings each, as Lucene's 128, in place of the cheapest cut"},
    {.name = "paper-cost",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(export_args, paper_cost),
     .help = "iiu: widths cover the first gap of a block too, as in the paper's cost"},
    {.name = "bounds",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(export_args, bounds),
     .help = "iiu: a byte for each block bounds its scores, for riposte sim --set threshold=on"},
    {.name = "paired",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(export_args, paired),
     .help = "iiu: skip values beside their metadata, for riposte sim --set paired=on"},
    {.name = "bp128",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(export_args, bp128),
     .help = "iiu: blocks of 128 postings in codec bp128, for riposte sim --set bp128=8"},
    {0},
};

static const rp__option_group groups[] = {
    {"export", export_rows, 0},
    {"image", iiu_rows, 0},
    {"general", rp__options_common, offsetof(export_args, common)},
    {0},
};

static rp_status write_result(rp__console *console, const rp__call *call, const rp_index_info *info,
                              double seconds, rp_error *err)
{
    const export_args *args = call->args;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.export/1");
    rp__json_writer_text(&w, "format", call->operands[0]);
    rp__json_writer_text(&w, "index", call->operands[1]);
    rp__json_writer_text(&w, "output", args->output);
    rp__json_writer_uint(&w, "docs", info->docs);
    rp__json_writer_uint(&w, "terms", info->terms);
    rp__json_writer_uint(&w, "postings", info->postings);
    rp__json_writer_real(&w, "seconds", seconds, 6);
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static void print_result(const rp_index_info *info, double seconds)
{
    char a[RP_FIGURE_BYTES], b[RP_FIGURE_BYTES], c[RP_FIGURE_BYTES], d[RP_FIGURE_BYTES];
    printf("%s, %s, %s in %s\n", rp__figures_of(a, info->docs, "document"),
           rp__figures_of(b, info->terms, "term"), rp__figures_of(c, info->postings, "posting"),
           rp__figures_time(d, seconds));
}

static rp_status look(const char *dir, rp_index_info *info, rp_error *err)
{
    rp_index *index = NULL;
    rp_status status = rp_index_open(dir, NULL, &index, err);
    if (status != RP_OK)
        return status;
    rp_index_get_info(index, info);
    rp_index_close(index);
    return RP_OK;
}

static rp_status check_options(rp__console *console, const rp__call *call, rp_error *err)
{
    const export_args *args = call->args;
    const bool is_for_iiu =
        args->max || args->fixed || args->paper_cost || args->bounds || args->paired || args->bp128;
    if (strcmp(call->operands[0], "iiu") != 0 && is_for_iiu)
        return rp__console_usage(
            console, err, "riposte export iiu DIR -o FILE --max 2047",
            "--max, --fixed, --paper-cost, --bounds, --paired and --bp128 are for the format iiu");
    if (args->max && args->fixed)
        return rp__console_usage(console, err, "riposte export iiu DIR -o FILE --fixed 128",
                                 "--max and --fixed exclude each other");
    if (args->bp128 && (args->max || args->fixed || args->paper_cost))
        return rp__console_usage(
            console, err, "riposte export iiu DIR -o FILE --bp128",
            "--bp128 has blocks of 128, without --max, --fixed and --paper-cost");
    return RP_OK;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const export_args *args = call->args;
    rp__progress progress;
    rp_index_info info;
    rp_status status = rp__exchange_args_check(console, call->operands[0], err);
    if (status == RP_OK)
        status = check_options(console, call, err);
    if (status == RP_OK)
        status = look(call->operands[1], &info, err);
    if (status != RP_OK)
        return status;
    uint64_t begun = rp__clock_now();
    rp__progress_init(&progress, console);
    rp_export_options options = {.on_progress = rp__progress_tick,
                                 .progress_arg = &progress,
                                 .on_warning = rp__progress_warn,
                                 .warning_arg = &progress,
                                 .iiu_max = args->max,
                                 .iiu_fixed = args->fixed,
                                 .iiu_paper_cost = args->paper_cost,
                                 .iiu_bounds = args->bounds,
                                 .iiu_paired = args->paired,
                                 .iiu_bp128 = args->bp128};
    rp__interrupt_hold_for(args->output);
    status = rp_index_export(call->operands[0], call->operands[1], args->output, &options, err);
    rp__interrupt_release();
    rp__progress_end(&progress);
    double seconds = (double)(rp__clock_now() - begun) * 1e-9;
    if (status != RP_OK || strcmp(args->output, "-") == 0)
        return status;
    if (console->wants_json)
        return write_result(console, call, &info, seconds, err);
    if (!console->is_quiet)
        print_result(&info, seconds);
    return RP_OK;
}

const rp__verb rp__cmd_export_verb = {
    .name = "export",
    .summary = "write an index for other programs",
    .operands = {"FORMAT", "DIR"},
    .details =
        "FORMAT is ciff: one file, packed by gzip if its name ends in .gz, - for standard output; "
        "or pisa: a folder with inv.docs, inv.freqs, inv.sizes, inv.terms and inv.documents, so "
        "that FILE/inv is the collection for PISA's tools; or iiu: the memory image of the "
        "accelerator IIU, which riposte sim runs (docs/format.md). Terms, docids, frequencies, ids "
        "and "
        "lengths go out; positions and text stay behind. A file or folder appears under its name "
        "when it is whole, and replaces an older one in one step; a folder is replaced only if it "
        "holds nothing but these five files. Importing it gives the same lists and documents; an "
        "image "
        "cannot be imported. "
        "Takes at most 32 MiB of memory, and 16 bytes for each posting of the longest list.",
    .examples = "riposte export ciff my.rip -o my.ciff.gz\n"
                "riposte export pisa my.rip -o my.pisa\n"
                "riposte export iiu my.rip -o my.iiu --max 128\n",
    .groups = groups,
    .args_bytes = sizeof(export_args),
    .run = run,
};
