/* cmd_suggest.c: riposte suggest: the most frequent terms that begin with some letters. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/figures.h"
#include "cli/verbs.h"
#include "riposte/index.h"

typedef struct suggest_args {
    rp__common_args common;
    uint64_t k;
} suggest_args;

static const rp__option suggest_rows[] = {
    {.name = "k",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "10",
     .least = 1,
     .most = 1000,
     .at = offsetof(suggest_args, k),
     .help = "so many terms"},
    {0},
};

static const rp__option_group groups[] = {
    {"suggest", suggest_rows, 0},
    {"general", rp__options_common, offsetof(suggest_args, common)},
    {0},
};

static rp_status reply(rp__console *console, const char *prefix, const rp_suggestions *s,
                       rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.suggest/1");
    rp__json_writer_text(&w, "prefix", prefix);
    rp__json_writer_begin(&w, "terms", '[');
    for (size_t i = 0; i < s->n; i++) {
        rp__json_writer_begin(&w, NULL, '{');
        rp__json_writer_text(&w, "term", s->at[i].term);
        rp__json_writer_uint(&w, "df", s->at[i].df);
        rp__json_writer_end(&w, '}');
    }
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static void print(const rp_suggestions *s)
{
    for (size_t i = 0; i < s->n; i++) {
        char df[RP_FIGURE_BYTES];
        printf("%9s  ", rp__figures_count(df, s->at[i].df));
        rp__console_put(stdout, s->at[i].term, strlen(s->at[i].term));
        putchar('\n');
    }
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const suggest_args *args = call->args;
    const char *prefix = call->operands[1];
    rp_suggestions suggestions = {0};
    rp_index *index;
    rp_status status = rp_index_open(call->operands[0], NULL, &index, err);
    if (status != RP_OK)
        return status;
    status = rp_index_suggest(index, prefix, (size_t)args->k, &suggestions, err);
    if (status == RP_OK && console->wants_json)
        status = reply(console, prefix, &suggestions, err);
    else if (status == RP_OK)
        print(&suggestions);
    if (status == RP_OK && suggestions.n == 0)
        rp__console_note(console, "no term begins so");
    rp_suggestions_free(&suggestions);
    rp_index_close(index);
    return status;
}

const rp__verb rp__cmd_suggest_verb = {
    .name = "suggest",
    .summary = "list the most frequent terms that begin with some letters",
    .operands = {"DIR", "PREFIX"},
    .details =
        "Prints how many documents hold a term, and the term, the most frequent first. Terms "
        "are as the index has them: folded, and stemmed where it stems. No term is an answer "
        "too: exit code 0.",
    .examples = "riposte suggest my.rip bound\n"
                "riposte suggest my.rip a --k 100 --json\n",
    .groups = groups,
    .args_bytes = sizeof(suggest_args),
    .run = run,
};
