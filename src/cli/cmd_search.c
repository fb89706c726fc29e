/* cmd_search.c: riposte search: one query, its best documents. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/answer.h"
#include "cli/form_report.h"
#include "cli/gpu_report.h"
#include "cli/hit_fields.h"
#include "cli/name_list.h"
#include "cli/policy_args.h"
#include "cli/query_args.h"
#include "cli/verbs.h"

typedef struct search_args {
    rp__common_args common;
    rp__query_args query;
    rp__policy_args policy;
    bool explain, no_snippets, timeline;
    const char *fields;
    int color; /* of `colors` */
} search_args;

static const char *const colors[] = {"auto", "always", "never", NULL};
enum { COLOR_AUTO, COLOR_ALWAYS };

static const rp__option output_rows[] = {
    {.name = "from",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "0",
     .at = offsetof(search_args, query.search.from),
     .help = "pass over so many of the best hits: the next page; with --k at most --max-k"},
    {.name = "explain",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(search_args, explain),
     .help = "show what the processor does, and how each hit came by its score"},
    {.name = "timeline",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(search_args, timeline),
     .help = "show where the policy, auto unless --policy names another, sent the query and why: "
             "queueing, the estimate, and the time it took; and what was done there. With an "
             "algorithm of the GPU's, the policy is gpu unless --policy names another"},
    {.name = "no-snippets",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(search_args, no_snippets),
     .help = "one line a hit, without text"},
    {.name = "fields",
     .kind = RP_OPTION_TEXT,
     .argument = "LIST",
     .at = offsetof(search_args, fields),
     .help =
         "with --json: the fields of a hit, with commas between: rank, id, docid, score, fixed, "
         "length, title, snippet, text"},
    {.name = "color",
     .kind = RP_OPTION_ENUM,
     .argument = "WHEN",
     .initial = "auto",
     .choices = colors,
     .at = offsetof(search_args, color),
     .help = "colours: on a terminal (auto), always, never; auto obeys NO_COLOR too"},
    {0},
};

static const rp__option_group groups[] = {
    {"ranking", rp__query_args_ranking, offsetof(search_args, query)},
    {"policy", rp__policy_args_rows, offsetof(search_args, policy)},
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

/* The words of the command line as one query. Free it. */
static char *join(const rp__call *call)
{
    size_t bytes = 1;
    for (size_t i = 1; i < call->n_operands; i++)
        bytes += strlen(call->operands[i]) + 1;
    char *query = rp__alloc(bytes), *at = query;
    for (size_t i = 1; query && i < call->n_operands; i++) {
        size_t n = strlen(call->operands[i]);
        if (i > 1)
            *at++ = ' ';
        memcpy(at, call->operands[i], n);
        at += n;
    }
    if (query)
        *at = 0;
    return query;
}

static rp_status check_fields(rp__console *console, const search_args *args, rp_error *err)
{
    if (!args->fields)
        return RP_OK;
    if (!console->wants_json)
        return rp__console_usage(console, err, "--json", "--fields is for --json");
    return rp__name_list_check(console, "fields", args->fields, rp__hit_fields_name, err);
}

static rp_status check_policy(rp__console *console, const search_args *args, bool *has,
                              rp_error *err)
{
    *has = rp__policy_args_has(&args->policy) || args->timeline;
    return *has ? rp__policy_args_check(console, &args->policy, args->query.search.processor, err)
                : RP_OK;
}

static rp_status show(rp__console *console, const rp__answer *answer, rp_error *err)
{
    if (console->wants_json)
        return write_answer(console, answer, err);
    rp_status status = rp__answer_print(console, answer, err);
    rp__console_flush(console);
    if (status == RP_OK && answer->form)
        rp__form_report_note(console, answer->form);
    if (status == RP_OK && answer->timeline)
        rp__timeline_note(console, answer->timeline);
    if (status == RP_OK)
        rp__answer_note_steps(console, answer);
    if (status == RP_OK)
        status = rp__answer_note_corrections(console, answer, err);
    if (status == RP_OK)
        rp__answer_note(console, answer);
    return status;
}

/* What is open while a query is answered. */
typedef struct session {
    rp__console *console;
    const search_args *args;
    rp__query_args query; /* of which the searcher is made */
    const char *text;
    rp_index *index;
    rp_searcher *searcher; /* with a policy it answers nothing, but makes snippets and the like */
    rp_hits hits;
    rp_form form;
    bool has_policy, has_form;
    rp_outcome outcome; /* of the policy's executor; its hits are those above */
} session;

static rp_status ask_searcher(session *s, rp_error *err)
{
    const size_t bytes = strlen(s->text);
    s->has_form =
        s->args->explain && rp_searcher_form(s->searcher, s->text, bytes, &s->form, NULL) == RP_OK;
    return rp_searcher_search(s->searcher, s->text, bytes, &s->hits, err);
}

static rp_status ask_executor(session *s, rp_error *err)
{
    const rp_job job = {.query = s->text,
                        .query_bytes = strlen(s->text),
                        .deadline_ns = rp__policy_args_deadline(&s->args->policy)};
    rp_search_options search = s->args->query.search;
    rp_executor *executor = NULL;
    search.total = RP_TOTAL_EXACT;
    search.trace = s->args->timeline;
    rp_status status = rp__policy_args_open(s->console, &s->args->policy, &search, s->index,
                                            &(rp_executor_options){.size = 0}, &executor, err);
    if (status == RP_OK)
        status = rp_executor_ask(executor, &job, &s->outcome, err);
    s->hits = s->outcome.hits;
    rp_executor_free(executor);
    return status;
}

static rp_status show_session(session *s, rp_error *err)
{
    const search_args *args = s->args;
    rp_query_lists lists = {0};
    rp_status status = RP_OK;
    if (args->timeline)
        status = rp_searcher_lists(s->searcher, s->text, strlen(s->text), &lists, err);
    if (status != RP_OK)
        return status;
    const rp__timeline timeline = {rp__policy_args_name(&args->policy, &args->query.search),
                                   &s->outcome, &s->hits, &lists};
    const rp__answer answer = {.index = s->index,
                               .searcher = s->searcher,
                               .query = s->text,
                               .hits = &s->hits,
                               .has_snippets = !args->no_snippets,
                               .has_explain = args->explain,
                               .from = args->query.search.from,
                               .fields = args->fields,
                               .max_memory = args->query.search.max_memory,
                               .form = s->has_form ? &s->form : NULL,
                               .timeline = args->timeline ? &timeline : NULL};
    status = show(s->console, &answer, err);
    rp_query_lists_free(&lists);
    return status;
}

static rp_status search(session *s, const char *dir, rp_error *err)
{
    s->query = s->args->query;
    s->query.search.total = RP_TOTAL_EXACT; /* people look at it */
    if (s->has_policy) {
        s->query.search.processor = "cpu";
        s->query.search.algorithm = NULL;
        s->query.search.strict_processor = s->query.search.gpu_child = false;
    }
    rp_status status = rp__query_args_open(&s->query, dir, &s->index, &s->searcher, err);
    if (status != RP_OK)
        return status;
    status = s->has_policy ? ask_executor(s, err) : ask_searcher(s, err);
    if (status != RP_OK && status != RP_DEADLINE)
        rp__caret_draw(s->text, err->text, s->console->place);
    rp__query_args_note_gpu(s->console, s->searcher);
    rp__gpu_report_note(s->console, s->searcher, &s->hits);
    if (status != RP_OK && status != RP_DEADLINE)
        return status;
    rp_status shown = show_session(s, err);
    return shown == RP_OK ? status : shown;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const search_args *args = call->args;
    session s = {.console = console, .args = args};
    rp_status status = check_fields(console, args, err);
    if (status == RP_OK)
        status = check_policy(console, args, &s.has_policy, err);
    if (status != RP_OK)
        return status;
    if (args->color != COLOR_AUTO)
        console->has_colour = args->color == COLOR_ALWAYS;
    char *query = join(call);
    s.text = query;
    status = query ? search(&s, call->operands[0], err) : rp__error_no_memory(err);
    rp_hits_free(&s.hits);
    rp_searcher_free(s.searcher);
    rp_index_close(s.index);
    rp__free(query);
    return status;
}

const rp__verb rp__cmd_search_verb = {
    .name = "search",
    .summary = "find the documents that answer a query best",
    .operands = {"DIR", "QUERY..."},
    .details =
        "Prints rank, score, id and title of each hit and the part of its text that shows the "
        "query's words best, marked. No hit is an answer too: exit code 0. Several words are one "
        "query. Its language: words, \"a phrase\"~2, prefix*, w*d, wor?d, word~1, word~2, "
        "term^2.5, AND OR NOT or && || !, +must -not, parentheses. "
        "Put -- before a query that begins with '-'. The query and its hits take at "
        "most the memory of --max-memory; one that needs more ends with exit code 7.",
    .examples = "riposte search my.rip \"two words\"\n"
                "riposte search my.rip '\"boundary layer\"~2 +wing -jet' --k 20\n"
                "riposte search my.rip 'wing^2 (flow OR lift)' --mode and --explain\n"
                "riposte search my.rip two words --from 10\n"
                "riposte search my.rip two words --policy auto --deadline 10 --timeline\n"
                "riposte search my.rip \"two words\" --json --fields id,title,text\n",
    .groups = groups,
    .args_bytes = sizeof(search_args),
    .run = run,
};
