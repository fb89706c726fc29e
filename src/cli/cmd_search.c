/* cmd_search.c: riposte search: one query, its best documents. */
#include <string.h>

#include "cli/answer.h"
#include "cli/form_report.h"
#include "cli/gpu_report.h"
#include "cli/query_args.h"
#include "cli/verbs.h"

typedef struct search_args {
    rp__common_args common;
    rp__query_args query;
    bool explain, no_snippets;
} search_args;

static const rp__option output_rows[] = {
    {.name = "explain",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(search_args, explain),
     .help = "show what the processor does, and how each hit came by its score"},
    {.name = "no-snippets",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(search_args, no_snippets),
     .help = "one line a hit, without text"},
    {0},
};

static const rp__option_group groups[] = {
    {"ranking", rp__query_args_ranking, offsetof(search_args, query)},
    {"output", output_rows, 0},
    {"limits", rp__query_args_limits, offsetof(search_args, query)},
    {"general", rp__options_common, offsetof(search_args, common)},
    {0},
};

static rp_status write_answer(rp__console *console, const rp__answer *answer, rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.search/1");
    rp_status status = rp__answer_write(&w, answer, err);
    rp__json_writer_end(&w, '}');
    if (status == RP_OK)
        status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const search_args *args = call->args;
    char *query = call->operands[1];
    rp_index *index = NULL;
    rp_searcher *searcher = NULL;
    rp_hits hits = {0};
    rp_form form = {0};
    rp__query_args query_args = args->query;
    query_args.search.total = RP_TOTAL_EXACT; /* people look at it */
    rp_status status = rp__query_args_open(&query_args, call->operands[0], &index, &searcher, err);
    bool has_form = status == RP_OK && args->explain &&
                    rp_searcher_form(searcher, query, strlen(query), &form, NULL) == RP_OK;
    if (status == RP_OK)
        status = rp_searcher_search(searcher, query, strlen(query), &hits, err);
    if (searcher) {
        rp__query_args_note_gpu(console, searcher);
        rp__gpu_report_note(console, searcher, &hits);
    }
    rp__answer answer = {index,
                         searcher,
                         query,
                         &hits,
                         !args->no_snippets,
                         args->explain,
                         query_args.search.max_memory,
                         has_form ? &form : NULL};
    if (status == RP_OK && console->wants_json) {
        status = write_answer(console, &answer, err);
    } else if (status == RP_OK) {
        status = rp__answer_print(console, &answer, err);
        rp__console_flush(console);
        if (status == RP_OK && has_form)
            rp__form_report_note(console, &form);
        if (status == RP_OK)
            rp__answer_note_steps(console, searcher);
        if (status == RP_OK)
            rp__answer_note(console, &hits);
    }
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
    rp_index_close(index);
    return status;
}

const rp__verb rp__cmd_search_verb = {
    .name = "search",
    .summary = "find the documents that answer a query best",
    .operands = {"DIR", "QUERY"},
    .details =
        "Prints rank, score, id and title of each hit and the part of its text that shows the "
        "query's words best, marked. No hit is an answer too: exit code 0. The query "
        "language: words, \"a phrase\"~2, prefix*, term^2.5, AND OR NOT, +must -not, "
        "parentheses. Put -- before a query that begins with '-'. The query and its hits take at "
        "most the memory of --max-memory; one that needs more ends with exit code 7.",
    .examples = "riposte search my.rip \"two words\"\n"
                "riposte search my.rip '\"boundary layer\"~2 +wing -jet' --k 20\n"
                "riposte search my.rip 'wing^2 (flow OR lift)' --mode and --explain\n"
                "riposte search my.rip \"two words\" --json\n",
    .groups = groups,
    .args_bytes = sizeof(search_args),
    .run = run,
};
