/* bench_source.c: lists of an index for a bench. */
#include "cli/bench_source.h"

#include <stdio.h>

#include "cli/size_range.h"
#include "lab/bench.h"
#include "riposte/topics.h"

const rp__option rp__bench_source_rows[] = {
    {.name = "lengths",
     .kind = RP_OPTION_TEXT,
     .argument = "N..M",
     .at = offsetof(rp__bench_source_args, lengths),
     .help = "lists of DIR of so many postings, as 1K..1M; otherwise all"},
    {.name = "format",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_topics_format_name,
     .at = offsetof(rp__bench_source_args, format),
     .help = "how QUERIES are written; otherwise guessed from the first one"},
    {0},
};

rp_status rp__bench_source_check(rp__bench_source *source, rp__console *console,
                                 const rp__bench_source_args *args, const rp__call *call,
                                 rp_error *err)
{
    uint64_t from = 0, to = 0;
    char example[80];
    if (!args->lengths)
        return RP_OK;
    snprintf(example, sizeof example, "riposte %s my.rip --lengths 1K..1M", call->verb->name);
    if (call->n_operands == 0)
        return rp__console_usage(console, err, example, "--lengths is for lists of an index");
    if (!rp__size_range_read(args->lengths, &from, &to))
        return rp__console_usage(console, err, "--lengths 1K..1M",
                                 "--lengths \"%s\": two numbers are meant", args->lengths);
    source->options.min_length = (uint32_t)from;
    source->options.max_length = (uint32_t)to;
    return RP_OK;
}

rp_status rp__bench_source_open(rp__bench_source *source, const rp__bench_source_args *args,
                                uint64_t postings, const rp__call *call, rp_error *err)
{
    const rp__bench_choice all = {0};
    if (call->n_operands == 0)
        return RP_OK;
    source->options.postings = postings;
    rp_status status = rp_index_open(call->operands[0], NULL, &source->index, err);
    if (status == RP_OK && call->n_operands > 1) {
        status = rp__bench_query_set_read(&source->queries, call->operands[1], args->format,
                                          source->index, false, &all, err);
        source->options.queries = &source->queries;
    }
    if (status != RP_OK)
        return status;
    return rp__lab_source_open(source->index, &source->options, &source->lists, err);
}

void rp__bench_source_free(rp__bench_source *source)
{
    rp__lab_source_free(source->lists);
    rp__bench_query_set_free(&source->queries);
    rp_index_close(source->index);
}
