/* cmd_index.c: riposte index: files to an index, with progress, in good order after Ctrl-C. */
#include <string.h>

#include "base/json.h"
#include "cli/figures.h"
#include "cli/index_rows.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "riposte/index.h"

typedef struct index_args {
    rp__common_args common;
    const char *output;
    rp_build_options build;
} index_args;

static const char *const formats[] = {"jsonl", "json",   "csv",       "tsv",  "trec", "html",
                                      "mbox",  "gitlog", "mediawiki", "text", NULL};
static const char *const ids[] = {"field", "relative", "path", "number", NULL};
static const char *const on_errors[] = {"auto", "skip", "stop", NULL}; /* in rp_on_error's order */

_Static_assert(RP_ON_ERROR_SKIP == 1 && RP_ON_ERROR_STOP == 2, "on_errors[] is in order");

#define AT(field) .at = offsetof(index_args, field)

static const rp__option build_rows[] = {
    RP_ROW_OUTPUT(offsetof(index_args, output),
                  "folder of the index; one that is there is replaced"),
    RP_ROW_CODEC(offsetof(index_args, build.codec), "auto",
                 "how lists are coded, with options of the encoder (exceptions, level, c, "
                 "segment, max, by, for)"),
    RP_ROW_FREQS(offsetof(index_args, build.freqs)),
    RP_ROW_AUX(
        offsetof(index_args, build.aux),
        "data that narrow searches in long lists, separated by commas: lr, hs8, hs16, ... hs1024"),
    RP_ROW_MEMORY(offsetof(index_args, build.memory),
                  "memory in all, a hard total; from 32M on a document of up to an eighth of it is "
                  "indexed, a larger one where it fits"),
    RP_ROW_THREADS(offsetof(index_args, build.threads)),
    {.name = "no-positions",
     .kind = RP_OPTION_FLAG,
     AT(build.no_positions),
     .help = "leave positions out: smaller, but phrases are refused"},
    {.name = "no-store",
     .kind = RP_OPTION_FLAG,
     AT(build.no_store),
     .help = "leave the text out: smaller, but without snippets"},
    {0},
};

static const rp__option analysis_rows[] = {
    RP_ROW_STEM(offsetof(index_args, build.stem), "how words are cut to their stem"),
    RP_ROW_STOP(offsetof(index_args, build.stop), RP_STOP_HELP),
    RP_ROW_TOKENS(offsetof(index_args, build.tokens), "uax29", RP_TOKENS_HELP),
    RP_ROW_KEEP_POSSESSIVE(offsetof(index_args, build.keep_possessive)),
    RP_ROW_NO_FOLD(offsetof(index_args, build.no_fold)),
    {0},
};

static const rp__option input_rows[] = {
    {.name = "format",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choices = formats,
     AT(build.format),
     .help = "format of the files, otherwise seen from their content and suffix"},
    {.name = "ids",
     .kind = RP_OPTION_NAME,
     .argument = "FROM",
     .choices = ids,
     AT(build.ids),
     .help = "where ids come from: the field, which every record must have; the path, relative to "
             "the folder or as given, with #N for the Nth record of a file; or a number. Otherwise "
             "the field or, where there is none, a number; a file that is one document has its "
             "path"},
    {.name = "id-field",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     AT(build.id_field),
     .help = "JSON and tables: field of the id; otherwise id, _id, docno or docid"},
    {.name = "title-field",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     AT(build.title_field),
     .help = "JSON and tables: field of the title; otherwise title"},
    {.name = "text-field",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     AT(build.text_field),
     .help = "JSON and tables: field of the text; otherwise text, contents, content or body"},
    {.name = "on-error",
     .kind = RP_OPTION_ENUM,
     .argument = "WHAT",
     .initial = "auto",
     .choices = on_errors,
     AT(build.on_error),
     .help = "at a document that cannot be read: stop, or skip it and say so; auto stops in a file "
             "that is named, and in a folder skips and lists it in DIR.skipped"},
    {.name = "max-line",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .initial = "256M",
     .least = 1,
     AT(build.max_line),
     .help = "longest document"},
    {.name = "max-expand",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1000",
     .least = 1,
     AT(build.max_expand),
     .help = "most bytes out for a compressed byte in, after 64 MiB out"},
    {.name = "max-json-depth",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "64",
     .least = 1,
     .most = 1024,
     AT(build.max_json_depth),
     .help = "deepest nesting of JSON"},
    {0},
};

static const rp__option_group groups[] = {
    {"index", build_rows, 0},
    {"analysis, for documents and queries", analysis_rows, 0},
    {"input", input_rows, 0},
    {"general", rp__options_common, offsetof(index_args, common)},
    {0},
};

static rp_status write_stats(rp__console *console, const index_args *args,
                             const rp_build_stats *stats, rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.index/1");
    rp__json_writer_text(&w, "index", args->output);
    rp__json_writer_uint(&w, "docs", stats->docs);
    rp__json_writer_uint(&w, "skipped", stats->skipped);
    rp__json_writer_uint(&w, "files", stats->files);
    rp__json_writer_uint(&w, "files_skipped", stats->files_skipped);
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

static void print_stats(const rp__console *console, const index_args *args,
                        const rp_build_stats *stats)
{
    char a[RP_FIGURE_BYTES], b[RP_FIGURE_BYTES], c[RP_FIGURE_BYTES];
    printf("%s, %s, %s\n", rp__figures_of(a, stats->docs, "document"),
           rp__figures_of(b, stats->terms, "term"), rp__figures_of(c, stats->postings, "posting"));
    if (stats->skipped > 0)
        printf("%s left out because of errors\n", rp__figures_of(a, stats->skipped, "document"));
    printf("%s read, %s written in %s, ", rp__figures_size(a, stats->bytes_in),
           rp__figures_size(b, stats->bytes_out), rp__figures_time(c, stats->seconds));
    printf("at most %s of memory\n", rp__figures_size(a, stats->memory_peak));
    if (stats->docs == 0)
        return;
    printf("next: %s search ", console->program);
    rp__console_put(stdout, args->output, strlen(args->output));
    puts(" \"your words\"");
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    index_args *args = call->args;
    rp__progress progress;
    rp_build_stats stats = {0};
    rp__progress_init(&progress, console);
    args->build.on_progress = rp__progress_tick;
    args->build.progress_arg = &progress;
    args->build.on_skip = rp__progress_skip;
    args->build.skip_arg = &progress;
    args->build.on_note = rp__progress_note;
    args->build.note_arg = &progress;
    rp__interrupt_hold();
    rp_status status = rp_index_build((const char *const *)call->operands, call->n_operands,
                                      args->output, &args->build, &stats, err);
    rp__interrupt_release();
    rp__progress_end(&progress);
    if (status != RP_OK)
        return status;
    if (console->wants_json)
        return write_stats(console, args, &stats, err);
    if (!console->is_quiet)
        print_stats(console, args, &stats);
    return RP_OK;
}

const rp__verb rp__cmd_index_verb = {
    .name = "index",
    .summary = "build an index from files",
    .operands = {"FILE..."},
    .details =
        "A FILE is JSONL or JSON, CSV or TSV, TREC <DOC> text, HTML, a mailbox, what git log "
        "prints, "
        "a MediaWiki dump or plain text, as it is or compressed by gzip or zstd; a folder stands "
        "for "
        "the files in it, - for standard input. Files that are not text are skipped and listed in "
        "DIR.skipped, and so are records of files in folders that cannot be read; docs/formats.md "
        "has the details. The index is published at the end in one "
        "step: "
        "readers see the old one or the new one. After an error or Ctrl-C the old one is as it "
        "was.",
    .examples = "riposte index docs.jsonl -o my.rip\n"
                "riposte index /usr/share/doc -o my.rip\n"
                "riposte index --stem porter --stop lucene docs.jsonl.gz -o my.rip\n"
                "git log | riposte index - -o log.rip\n",
    .groups = groups,
    .args_bytes = sizeof(index_args),
    .run = run,
};
