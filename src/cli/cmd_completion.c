/* cmd_completion.c: riposte completion: a script that lets a shell complete verbs and options, from
 * the same tables as help. */
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/verbs.h"

typedef struct completion_args {
    rp__common_args common;
} completion_args;

static const rp__option_group groups[] = {
    {"general", rp__options_common, offsetof(completion_args, common)},
    {0},
};

static void put_choices(rp__buf *out, const rp__option *row)
{
    const char *choice;
    for (size_t i = 0; (choice = rp__options_choice(row, i)); i++)
        rp__buf_printf(out, "%s%s", i ? " " : "", choice);
}

/* Names of one word. */
static void put_verb_names(rp__buf *out)
{
    const rp__verb *verb;
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++)
        if (!rp__verbs_second_word(verb))
            rp__buf_printf(out, "%s%s", i ? " " : "", verb->name);
}

/* What may follow this verb as its second word; false: nothing, and nothing is put. */
static bool put_second_words(rp__buf *out, const rp__verb *first)
{
    const rp__verb *verb;
    size_t bytes = strlen(first->name), n = 0;
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++)
        if (strncmp(verb->name, first->name, bytes) == 0 && verb->name[bytes] == ' ')
            rp__buf_printf(out, "%s%s", n++ ? " " : "", rp__verbs_second_word(verb));
    return n > 0;
}

/* A text inside single quotes of any of the shells; `also` is escaped by a backslash. */
static void put_quoted(rp__buf *out, const char *text, const char *also)
{
    for (; *text; text++) {
        if (*text == '\'')
            rp__buf_put_string(out, "'\\''");
        else if (strchr(also, *text))
            rp__buf_printf(out, "\\%c", *text);
        else
            rp__buf_put_byte(out, (uint8_t)*text);
    }
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void bash_verb(rp__buf *out, const rp__verb *verb)
{
    rp__buf seconds;
    rp__buf_init(&seconds);
    rp__buf_printf(out, "    \"%s\")\n", verb->name);
    if (put_second_words(&seconds, verb)) {
        rp__buf_put_string(out, "        if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
                                "            COMPREPLY=($(compgen -W \"");
        rp__buf_put(out, seconds.at, seconds.n);
        rp__buf_put_string(out, "\" -- \"$current\"))\n            return\n        fi\n");
    }
    rp__buf_free(&seconds);
    rp__buf_put_string(out, "        case \"$previous\" in\n");
    for (const rp__option_group *g = verb->groups; g->rows; g++)
        for (const rp__option *row = g->rows; row->name; row++)
            if (rp__options_choice(row, 0)) {
                rp__buf_printf(out, "        --%s) COMPREPLY=($(compgen -W \"", row->name);
                put_choices(out, row);
                rp__buf_put_string(out, "\" -- \"$current\")); return;;\n");
            }
    rp__buf_put_string(out, "        esac\n        words=\"");
    for (const rp__option_group *g = verb->groups; g->rows; g++)
        for (const rp__option *row = g->rows; row->name; row++)
            rp__buf_printf(out, " --%s", row->name);
    rp__buf_put_string(out, "\";;\n");
}

static void bash_script(rp__buf *out)
{
    const rp__verb *verb;
    rp__buf_put_string(out, "# bash completion for riposte\n"
                            "_riposte()\n{\n"
                            "    local current=${COMP_WORDS[COMP_CWORD]} "
                            "previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                            "    COMPREPLY=()\n"
                            "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                            "        COMPREPLY=($(compgen -W \"");
    put_verb_names(out);
    rp__buf_put_string(out, "\" -- \"$current\"))\n        return\n    fi\n"
                            "    local verb=${COMP_WORDS[1]}\n"
                            "    case \"$verb ${COMP_WORDS[2]}\" in\n");
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++)
        if (rp__verbs_second_word(verb))
            rp__buf_printf(out, "    \"%s\") verb=\"%s\";;\n", verb->name, verb->name);
    rp__buf_put_string(out, "    esac\n    case $verb in\n");
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++)
        bash_verb(out, verb);
    rp__buf_put_string(out, "    esac\n"
                            "    case $current in\n"
                            "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\"));;\n"
                            "    *) COMPREPLY=($(compgen -f -- \"$current\"));;\n"
                            "    esac\n}\n"
                            "complete -o filenames -F _riposte riposte\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

static void zsh_option(rp__buf *out, const rp__option *row)
{
    rp__buf_printf(out, " \\\n            '--%s[", row->name);
    put_quoted(out, row->help, "[]:");
    rp__buf_put_byte(out, ']');
    if (row->kind != RP_OPTION_FLAG) {
        rp__buf_printf(out, ":%s:", row->argument);
        rp__buf_put_byte(out, rp__options_choice(row, 0) ? '(' : ' ');
        put_choices(out, row);
        if (rp__options_choice(row, 0))
            rp__buf_put_byte(out, ')');
    }
    rp__buf_put_byte(out, '\'');
}

static void zsh_operands(rp__buf *out, const rp__verb *verb)
{
    rp__buf seconds;
    rp__buf_init(&seconds);
    if (put_second_words(&seconds, verb))
        rp__buf_printf(out, "'1:word:(%.*s)'", (int)seconds.n, (const char *)seconds.at);
    else
        rp__buf_put_string(out, "'*:file:_files'");
    rp__buf_free(&seconds);
}

static void zsh_script(rp__buf *out)
{
    const rp__verb *verb;
    rp__buf_put_string(out, "#compdef riposte\n"
                            "_riposte() {\n"
                            "    if (( CURRENT == 2 )); then\n"
                            "        local -a verbs=(");
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++) {
        if (rp__verbs_second_word(verb))
            continue;
        rp__buf_printf(out, "\n            '%s:", verb->name);
        put_quoted(out, verb->summary, ":");
        rp__buf_put_byte(out, '\'');
    }
    rp__buf_put_string(out, ")\n        _describe verb verbs\n        return\n    fi\n"
                            "    local verb=$words[2]\n"
                            "    case \"$words[2] $words[3]\" in\n");
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++)
        if (rp__verbs_second_word(verb))
            rp__buf_printf(out, "    \"%s\") verb=\"%s\"; shift words; (( CURRENT-- ));;\n",
                           verb->name, verb->name);
    rp__buf_put_string(out, "    esac\n"
                            "    shift words; (( CURRENT-- ))\n"
                            "    case $verb in\n");
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++) {
        rp__buf_printf(out, "    \"%s\")\n        _arguments ", verb->name);
        zsh_operands(out, verb);
        for (const rp__option_group *g = verb->groups; g->rows; g++)
            for (const rp__option *row = g->rows; row->name; row++)
                zsh_option(out, row);
        rp__buf_put_string(out, ";;\n");
    }
    rp__buf_put_string(out, "    esac\n}\ncompdef _riposte riposte\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

/* True where all words of the verb's name were typed; but the last, if it is the one to complete. */
static void fish_condition(rp__buf *out, const rp__verb *verb, bool is_last_missing)
{
    const char *second = rp__verbs_second_word(verb);
    rp__buf_printf(out, " -n '__fish_seen_subcommand_from %.*s", (int)strcspn(verb->name, " "),
                   verb->name);
    if (second)
        rp__buf_printf(out, "; and %s__fish_seen_subcommand_from %s", is_last_missing ? "not " : "",
                       second);
    rp__buf_put_byte(out, '\'');
}

static void fish_option(rp__buf *out, const rp__verb *verb, const rp__option *row)
{
    rp__buf_put_string(out, "complete -c riposte");
    fish_condition(out, verb, false);
    rp__buf_printf(out, " -l %s", row->name);
    char letter = rp__options_letter(verb, row);
    if (letter)
        rp__buf_printf(out, " -s %c", letter);
    if (rp__options_choice(row, 0)) {
        rp__buf_put_string(out, " -x -a '");
        put_choices(out, row);
        rp__buf_put_byte(out, '\'');
    } else if (row->kind != RP_OPTION_FLAG) {
        rp__buf_put_string(out, " -r");
    }
    rp__buf_put_string(out, " -d '");
    put_quoted(out, row->help, "");
    rp__buf_put_string(out, "'\n");
}

static void fish_script(rp__buf *out)
{
    const rp__verb *verb;
    rp__buf_put_string(out, "# fish completion for riposte\n");
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++) {
        const char *second = rp__verbs_second_word(verb);
        rp__buf_put_string(out, "complete -c riposte -f");
        if (second)
            fish_condition(out, verb, true);
        else
            rp__buf_put_string(out, " -n __fish_use_subcommand");
        rp__buf_printf(out, " -a %s -d '", second ? second : verb->name);
        put_quoted(out, verb->summary, "");
        rp__buf_put_string(out, "'\n");
        for (const rp__option_group *g = verb->groups; g->rows; g++)
            for (const rp__option *row = g->rows; row->name; row++)
                fish_option(out, verb, row);
    }
}

/* ---- the verb -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*write)(rp__buf *out);
} shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

static rp_status reply(rp__console *console, const char *shell, const rp__buf *script,
                       rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.completion/1");
    rp__json_writer_text(&w, "shell", shell);
    rp__json_writer_string(&w, "script", (const char *)script->at, script->n);
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const char *name = call->operands[0];
    size_t i = 0, n = sizeof shells / sizeof *shells;
    while (i < n && strcmp(shells[i].name, name) != 0)
        i++;
    if (i == n)
        return rp__console_usage(console, err, "riposte completion bash|zsh|fish",
                                 "unknown shell \"%s\"", name);
    rp__buf script;
    rp__buf_init(&script);
    shells[i].write(&script);
    rp_status status = script.failed ? rp__error_no_memory(err) : RP_OK;
    if (status == RP_OK && console->wants_json)
        status = reply(console, name, &script, err);
    else if (status == RP_OK)
        fwrite(script.at, 1, script.n, stdout);
    rp__buf_free(&script);
    return status;
}

const rp__verb rp__cmd_completion_verb = {
    .name = "completion",
    .summary = "print a completion script for bash, zsh or fish",
    .operands = {"SHELL"},
    .examples = "riposte completion bash > ~/.local/share/bash-completion/completions/riposte\n"
                "riposte completion zsh > ~/.zfunc/_riposte\n"
                "riposte completion fish > ~/.config/fish/completions/riposte.fish\n",
    .groups = groups,
    .args_bytes = sizeof(completion_args),
    .run = run,
};
