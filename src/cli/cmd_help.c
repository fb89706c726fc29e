/* cmd_help.c: riposte help: the manual of the program or of a verb, in any of its formats. */
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/manual.h"
#include "cli/verbs.h"

typedef struct help_args {
    rp__common_args common;
    uint32_t format;
} help_args;

static const char *format_at(size_t i)
{
    return rp__manual_formats[i].name;
}

static const rp__option help_rows[] = {
    {.name = "format",
     .kind = RP_OPTION_ENUM,
     .argument = "NAME",
     .initial = "text",
     .choice_at = format_at,
     .at = offsetof(help_args, format),
     .help = "how to write it; man and markdown without a verb give everything"},
    {0},
};

static const rp__option_group groups[] = {
    {"help", help_rows, 0},
    {"general", rp__options_common, offsetof(help_args, common)},
    {0},
};

static void write_option(rp__json_writer *w, const rp__verb *verb, const rp__option *row)
{
    const char *choice;
    char letter[2] = {rp__options_letter(verb, row), 0};
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "name", row->name);
    if (letter[0])
        rp__json_writer_text(w, "letter", letter);
    rp__json_writer_text(w, "argument", row->argument);
    rp__json_writer_text(w, "default", row->initial);
    if (rp__options_choice(row, 0)) {
        rp__json_writer_begin(w, "choices", '[');
        for (size_t i = 0; (choice = rp__options_choice(row, i)); i++)
            rp__json_writer_text(w, NULL, choice);
        rp__json_writer_end(w, ']');
    }
    rp__json_writer_text(w, "help", row->help);
    rp__json_writer_end(w, '}');
}

static void write_verb(rp__json_writer *w, const rp__verb *verb)
{
    rp__buf usage;
    rp__buf_init(&usage);
    rp__manual_usage(&usage, verb);
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "name", verb->name);
    rp__json_writer_text(w, "summary", verb->summary);
    rp__json_writer_string(w, "usage", (const char *)usage.at, usage.n);
    rp__json_writer_begin(w, "options", '[');
    for (const rp__option_group *g = verb->groups; g->rows; g++)
        for (const rp__option *row = g->rows; row->name; row++)
            write_option(w, verb, row);
    rp__json_writer_end(w, ']');
    rp__json_writer_end(w, '}');
    rp__buf_free(&usage);
}

static void write_help(rp__buf *out, const rp__verb *only)
{
    const rp__verb *verb;
    rp__json_writer w;
    rp__json_writer_init(&w, out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.help/1");
    rp__json_writer_begin(&w, "verbs", '[');
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++)
        if (!only || only == verb)
            write_verb(&w, verb);
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
}

static rp_status refuse(rp__console *console, const rp__call *call, rp_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", call->operands[0], call->n_operands > 1 ? " " : "",
             call->n_operands > 1 ? call->operands[1] : "");
    return rp__verbs_refuse(console, name, err);
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const help_args *args = call->args;
    size_t used;
    const rp__verb *verb = rp__verbs_find(call->operands, call->n_operands, &used);
    if (used < call->n_operands)
        return refuse(console, call, err);
    rp_status status = RP_OK;
    rp__buf out;
    rp__buf_init(&out);
    if (console->wants_json) {
        write_help(&out, verb);
        status = rp__console_reply(console, &out, err);
    } else {
        rp__manual_write(&out, verb, &rp__manual_formats[args->format]);
        status = out.failed ? rp__error_no_memory(err) : RP_OK;
        if (status == RP_OK)
            fwrite(out.at, 1, out.n, stdout);
    }
    rp__buf_free(&out);
    return status;
}

const rp__verb rp__cmd_help_verb = {
    .name = "help",
    .summary = "explain the program or one of its verbs",
    .operands = {"[VERB]", "[WORD]"},
    .examples = "riposte help search\n"
                "riposte help --format man > riposte.1\n",
    .groups = groups,
    .args_bytes = sizeof(help_args),
    .run = run,
};
