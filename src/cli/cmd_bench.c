/* cmd_bench.c: riposte bench: which benches there are. Each is a verb of two words and a file of its
 * own, cmd_bench_<name>.c. */
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/verbs.h"

static const char prefix[] = "bench ";

typedef struct bench_args {
    rp__common_args common;
} bench_args;

static const rp__option_group groups[] = {
    {"general", rp__options_common, offsetof(bench_args, common)},
    {0},
};

/* The name of a bench, without "bench "; NULL: the verb is none. */
static const char *name_of(const rp__verb *verb)
{
    bool is_bench = strncmp(verb->name, prefix, sizeof prefix - 1) == 0;
    return is_bench ? verb->name + sizeof prefix - 1 : NULL;
}

static rp_status refuse(rp__console *console, const char *name, rp_error *err)
{
    const rp__verb *verb;
    rp__nearest near = {0};
    char remedy[64] = "riposte bench";
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++)
        if (name_of(verb))
            rp__options_nearest(&near, name, name_of(verb));
    if (near.name)
        snprintf(remedy, sizeof remedy, "riposte bench %s", near.name);
    return rp__console_usage(console, err, remedy, "unknown bench \"%s\"", name);
}

static rp_status reply(rp__console *console, rp_error *err)
{
    const rp__verb *verb;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.bench/1");
    rp__json_writer_begin(&w, "benches", '[');
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++) {
        if (!name_of(verb))
            continue;
        rp__json_writer_begin(&w, NULL, '{');
        rp__json_writer_text(&w, "name", name_of(verb));
        rp__json_writer_text(&w, "summary", verb->summary);
        rp__json_writer_end(&w, '}');
    }
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const rp__verb *verb;
    if (call->n_operands > 0)
        return refuse(console, call->operands[0], err);
    if (console->wants_json)
        return reply(console, err);
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++)
        if (name_of(verb))
            printf("riposte bench %-10s  %s\n", name_of(verb), verb->summary);
    return RP_OK;
}

const rp__verb rp__cmd_bench_verb = {
    .name = "bench",
    .summary = "list what can be measured",
    .operands = {"[NAME]"},
    .details =
        "Measuring follows one rule: what is compared runs in turn in one process, by CPU time "
        "of the thread; samples are kept; median, best and an interval are printed, and rows "
        "whose intervals meet share a place.",
    .examples = "riposte bench\n"
                "riposte bench codecs --lists U100K\n",
    .groups = groups,
    .args_bytes = sizeof(bench_args),
    .run = run,
};
