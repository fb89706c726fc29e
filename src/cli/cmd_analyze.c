/* cmd_analyze.c: riposte analyze: what becomes of a text, by an index or by options. */
#include <string.h>

#include "base/json.h"
#include "cli/index_rows.h"
#include "cli/verbs.h"
#include "riposte/index.h"

typedef struct analyze_args {
    rp__common_args common;
    rp_build_options build;
} analyze_args;

static const rp__option analyze_rows[] = {
    RP_ROW_STEM(offsetof(analyze_args, build.stem), "how words are cut to their stem"),
    RP_ROW_STOP(offsetof(analyze_args, build.stop), RP_STOP_HELP),
    RP_ROW_TOKENS(offsetof(analyze_args, build.tokens), NULL, RP_TOKENS_HELP),
    RP_ROW_KEEP_POSSESSIVE(offsetof(analyze_args, build.keep_possessive)),
    RP_ROW_NO_FOLD(offsetof(analyze_args, build.no_fold)),
    {0},
};

static const rp__option_group groups[] = {
    {"analysis, without an index", analyze_rows, 0},
    {"general", rp__options_common, offsetof(analyze_args, common)},
    {0},
};

static rp_status write_tokens(rp__console *console, const rp_text_tokens *tokens, rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.analyze/1");
    rp__json_writer_uint(&w, "positions", tokens->positions);
    rp__json_writer_begin(&w, "tokens", '[');
    for (size_t i = 0; i < tokens->n; i++) {
        const rp_text_token *t = &tokens->at[i];
        rp__json_writer_begin(&w, NULL, '{');
        rp__json_writer_text(&w, "term", t->term);
        rp__json_writer_uint(&w, "position", t->position);
        rp__json_writer_uint(&w, "begin", t->begin);
        rp__json_writer_uint(&w, "end", t->end);
        rp__json_writer_end(&w, '}');
    }
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static int count_characters(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

/* A line a token: position, term, and the part of the text that it came from. */
static void print_tokens(const char *text, const rp_text_tokens *tokens)
{
    enum { WIDTH = 20 };
    for (size_t i = 0; i < tokens->n; i++) {
        const rp_text_token *t = &tokens->at[i];
        int n = count_characters(t->term);
        printf("%5zu  ", t->position);
        rp__console_put(stdout, t->term, strlen(t->term));
        printf("%*s  ", n < WIDTH ? WIDTH - n : 0, "");
        rp__console_put(stdout, text + t->begin, t->end - t->begin);
        putchar('\n');
    }
}

static rp_status analyze_by_index(const char *dir, const char *text, rp_text_tokens *out,
                                  rp_error *err)
{
    rp_index *index = NULL;
    rp_status status = rp_index_open(dir, NULL, &index, err);
    if (status == RP_OK)
        status = rp_index_analyze(index, text, strlen(text), out, err);
    rp_index_close(index);
    return status;
}

static bool has_options(const rp_build_options *o)
{
    return strcmp(o->stem, "none") != 0 || strcmp(o->stop, "none") != 0 || o->tokens ||
           o->keep_possessive || o->no_fold;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const analyze_args *args = call->args;
    const char *text = call->operands[call->n_operands - 1];
    rp_text_tokens tokens;
    rp_status status;
    if (call->n_operands == 1)
        status = rp_analyze(&args->build, text, strlen(text), &tokens, err);
    else if (has_options(&args->build))
        return rp__console_usage(console, err, "riposte analyze --stem english \"your text\"",
                                 "an index has its own analysis: give DIR or options, not both");
    else
        status = analyze_by_index(call->operands[0], text, &tokens, err);
    if (status != RP_OK)
        return status;
    if (console->wants_json)
        status = write_tokens(console, &tokens, err);
    else
        print_tokens(text, &tokens);
    rp_text_tokens_free(&tokens);
    return status;
}

const rp__verb rp__cmd_analyze_verb = {
    .name = "analyze",
    .summary = "show the terms that become of a text",
    .operands = {"[DIR]", "TEXT"},
    .details =
        "With DIR, the text goes through the analysis of that index, as its documents did and as "
        "queries do; without, through the one that 'riposte index' would use with the same "
        "options. A line is the position, the term and the part of the text that it came from. "
        "Words of the stop list are left out, but count a position.",
    .examples = "riposte analyze my.rip \"Napoleon's caf\xC3\xA9s\"\n"
                "riposte analyze --stem english --stop english \"Napoleon's caf\xC3\xA9s\"\n",
    .groups = groups,
    .args_bytes = sizeof(analyze_args),
    .run = run,
};
