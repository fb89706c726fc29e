/* main.c: the program `riposte`: finds the verb, parses its options, runs it, ends with the exit
 * code of what came of it. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/console.h"
#include "cli/environment.h"
#include "cli/interrupt.h"
#include "cli/manual.h"
#include "cli/verbs.h"

/* Errors found before the options are parsed must already know. */
static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

static rp_status print_help(const rp__verb *verb, FILE *out, rp_error *err)
{
    rp__buf text;
    rp__buf_init(&text);
    rp__manual_write(&text, verb, &rp__manual_formats[0]);
    rp_status status = text.failed ? rp__error_no_memory(err) : RP_OK;
    if (status == RP_OK)
        fwrite(text.at, 1, text.n, out);
    rp__buf_free(&text);
    return status;
}

static rp_status run_verb(rp__console *console, const rp__verb *verb, int argc, char **argv,
                          rp_error *err)
{
    rp__call call = {.verb = verb, .args = rp__alloc_zero(1, verb->args_bytes)};
    if (!call.args)
        return rp__error_no_memory(err);
    console->verb = verb->name;
    rp_status status = rp__options_parse(verb, argc, argv, &call, console, err);
    if (status == RP_OK && !verb->checks_environment)
        status = rp__environment_check_all(err);
    if (status == RP_OK) {
        const rp__common_args *common = call.args;
        console->wants_json = common->json;
        console->is_quiet = common->quiet;
        status = common->help ? print_help(verb, stdout, err) : verb->run(console, &call, err);
    }
    rp__settings_free(&call.settings);
    rp__free(call.args);
    return status;
}

static rp_status run(rp__console *console, int argc, char **argv, rp_error *err)
{
    static char help[] = "help", version[] = "version";
    static const struct {
        const char *word;
        char *verb;
    } habits[] = {{"--help", help}, {"-h", help}, {"--version", version}, {"-V", version}};
    if (argc < 2) {
        rp_status status = print_help(NULL, stderr, err);
        return status == RP_OK ? RP_USAGE : status;
    }
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (strcmp(argv[1], habits[i].word) == 0)
            argv[1] = habits[i].verb;
    size_t used;
    const rp__verb *verb = rp__verbs_find(argv + 1, (size_t)argc - 1, &used);
    if (!verb)
        return rp__verbs_refuse(console, argv[1], err);
    return run_verb(console, verb, argc - (int)used, argv + used, err);
}

int main(int argc, char **argv)
{
    rp__console console;
    rp_error err = {0};
    /* A closed pipe or a limit on file sizes is seen where something is written. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    rp__interrupt_init();
    rp__console_init(&console);
    console.program = argc > 0 && strchr(argv[0], '/') ? argv[0] : "riposte";
    console.wants_json = has_word(argc, argv, "--json");
    rp_status status = run(&console, argc, argv, &err);
    if (status != RP_OK && err.text[0])
        rp__console_fail(&console, &err);
    int code = rp__console_finish(&console, status);
    if (console.leaves)
        _exit(code); /* libraries, a card's among them, would free what ends anyway */
    return code;
}
