/* cmd_recode.c: riposte recode: the same index in another codec. */
#include <string.h>

#include "base/json.h"
#include "cli/figures.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "riposte/index.h"

typedef struct recode_args {
    rp__common_args common;
    const char *output;
    rp_recode_options recode;
} recode_args;

#define AT(field) .at = offsetof(recode_args, field)

static const rp__option recode_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = RP_OPTION_TEXT,
     .argument = "DIR",
     .is_required = true,
     AT(output),
     .help = "folder of the new index; one that is there is replaced, be it the same"},
    {.name = "codec",
     .kind = RP_OPTION_SPEC,
     .argument = "NAME[:KEY=N,...]",
     .choice_at = rp_codec_name,
     AT(recode.codec),
     .help = "how lists are coded, otherwise as they are"},
    {.name = "freqs",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_freqs_name,
     AT(recode.freqs),
     .help = "how frequencies are coded, otherwise as the codec does it"},
    {.name = "aux",
     .kind = RP_OPTION_TEXT,
     .argument = "LIST",
     AT(recode.aux),
     .help =
         "data that narrow searches in long lists, as for index, or none; otherwise as they are"},
    {.name = "memory",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .initial = "1G",
     .least = 1,
     AT(recode.memory),
     .help = "memory beside the mapped pages of DIR, a hard total; the longest list must fit"},
    {.name = "threads",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "1",
     .least = 1,
     .most = 1024,
     AT(recode.threads),
     .help = "threads; the index is the same for any number"},
    {0},
};

static const rp__option_group groups[] = {
    {"recode", recode_rows, 0},
    {"general", rp__options_common, offsetof(recode_args, common)},
    {0},
};

/* What is told of an index, which may be gone when it is told. */
typedef struct side {
    char codec[32], freqs[32];
    uint64_t bytes_lists, bytes_total;
} side;

static rp_status look(const char *dir, side *out, rp_error *err)
{
    rp_index *index = NULL;
    rp_index_info info;
    rp_status status = rp_index_open(dir, NULL, &index, err);
    if (status != RP_OK)
        return status;
    rp_index_get_info(index, &info);
    snprintf(out->codec, sizeof out->codec, "%s", info.codec);
    snprintf(out->freqs, sizeof out->freqs, "%s", info.freqs);
    out->bytes_lists = info.bytes_lists;
    out->bytes_total = info.bytes_total;
    rp_index_close(index);
    return RP_OK;
}

static void write_side(rp__json_writer *w, const char *key, const char *dir, const side *s)
{
    rp__json_writer_begin(w, key, '{');
    rp__json_writer_text(w, "index", dir);
    rp__json_writer_text(w, "codec", s->codec);
    rp__json_writer_text(w, "freqs", s->freqs);
    rp__json_writer_uint(w, "bytes_lists", s->bytes_lists);
    rp__json_writer_uint(w, "bytes_total", s->bytes_total);
    rp__json_writer_end(w, '}');
}

static rp_status write_result(rp__console *console, const rp__call *call, const side *from,
                              const side *to, const rp_build_stats *stats, rp_error *err)
{
    const recode_args *args = call->args;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.recode/1");
    write_side(&w, "from", call->operands[0], from);
    write_side(&w, "to", args->output, to);
    rp__json_writer_uint(&w, "docs", stats->docs);
    rp__json_writer_uint(&w, "terms", stats->terms);
    rp__json_writer_uint(&w, "postings", stats->postings);
    rp__json_writer_uint(&w, "memory_peak", stats->memory_peak);
    rp__json_writer_real(&w, "seconds", stats->seconds, 6);
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static void print_result(const side *from, const side *to, const rp_build_stats *stats)
{
    char a[RP_FIGURE_BYTES], b[RP_FIGURE_BYTES], c[RP_FIGURE_BYTES];
    printf("%s documents, %s terms, %s postings\n", rp__figures_count(a, stats->docs),
           rp__figures_count(b, stats->terms), rp__figures_count(c, stats->postings));
    printf("lists: %s (%s, frequencies %s) -> %s (%s, frequencies %s)\n",
           rp__figures_size(a, from->bytes_lists), from->codec, from->freqs,
           rp__figures_size(b, to->bytes_lists), to->codec, to->freqs);
    printf("index: %s -> %s in %s, ", rp__figures_size(a, from->bytes_total),
           rp__figures_size(b, to->bytes_total), rp__figures_time(c, stats->seconds));
    printf("at most %s of memory\n", rp__figures_size(a, stats->memory_peak));
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    recode_args *args = call->args;
    rp__progress progress;
    rp_build_stats stats = {0};
    side from, to;
    rp_status status = look(call->operands[0], &from, err);
    if (status != RP_OK)
        return status;
    rp__progress_init(&progress, console);
    args->recode.on_progress = rp__progress_tick;
    args->recode.progress_arg = &progress;
    rp__interrupt_watch();
    status = rp_index_recode(call->operands[0], args->output, &args->recode, &stats, err);
    rp__progress_end(&progress);
    if (status == RP_OK)
        status = look(args->output, &to, err);
    if (status != RP_OK)
        return status;
    if (console->wants_json)
        return write_result(console, call, &from, &to, &stats, err);
    if (!console->is_quiet)
        print_result(&from, &to, &stats);
    return RP_OK;
}

const rp__verb rp__cmd_recode_verb = {
    .name = "recode",
    .summary = "put an index into another codec",
    .operands = {"DIR"},
    .details =
        "Decodes every list and codes it anew; terms, positions, documents and text stay as they "
        "are, and so do all answers. The files are those that 'riposte index' would have made in "
        "that codec. The new index is published at the end in one step; after an error or Ctrl-C "
        "what was in its folder is as it was. The output may be DIR itself.",
    .examples = "riposte recode my.rip -o small.rip --codec optpfd\n"
                "riposte recode my.rip -o my.rip --codec pfd_rec:exceptions=0.1,level=2\n"
                "riposte recode my.rip -o my.rip --freqs rice\n",
    .groups = groups,
    .args_bytes = sizeof(recode_args),
    .run = run,
};
