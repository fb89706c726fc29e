/* manual.c: help, manual page and Markdown from the tables of verbs and options.
 *
 * 1 how each format writes a part; 2 the walk over the tables, which knows no format. */
#include "cli/manual.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/environment.h"
#include "cli/verbs.h"
#include "riposte/riposte.h"

enum { TERM_COLUMN = 26, WIDTH = 80 };

/* ---- 1a. Text -------------------------------------------------------------------------------- */

static void text_section(rp__buf *out, const char *name)
{
    rp__buf_printf(out, "\n%s:\n", name);
}

/* Words of `text` from column `column` on, wrapped to `indent`. */
static void put_wrapped(rp__buf *out, const char *text, size_t column, size_t indent)
{
    bool is_first = true;
    while (*text) {
        size_t n = strcspn(text, " \n");
        if (!is_first && column + 1 + n > WIDTH) {
            rp__buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            rp__buf_put_byte(out, ' ');
            column++;
        }
        rp__buf_put(out, text, n);
        column += n;
        text += n;
        text += strspn(text, " \n");
        is_first = false;
    }
    rp__buf_put_byte(out, '\n');
}

static void text_title(rp__buf *out, const char *name, const char *summary)
{
    rp__buf_printf(out, "%s: ", name);
    put_wrapped(out, summary, strlen(name) + 2, 2);
}

static void text_prose(rp__buf *out, const char *text)
{
    rp__buf_put_byte(out, '\n');
    put_wrapped(out, text, 0, 0);
}

static void text_item(rp__buf *out, const char *term, const char *text)
{
    rp__buf_printf(out, "  %-*s", TERM_COLUMN - 4, term);
    if (strlen(term) > TERM_COLUMN - 4)
        rp__buf_printf(out, "\n%*s", TERM_COLUMN, "");
    else
        rp__buf_put_string(out, "  ");
    put_wrapped(out, text, TERM_COLUMN, TERM_COLUMN);
}

/* Each line of `text` between `before` and `after`. */
static void put_lines(rp__buf *out, const char *text, const char *before, const char *after)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        rp__buf_put_string(out, before);
        rp__buf_put(out, text, n);
        rp__buf_put_string(out, after);
        text += n + (text[n] == '\n');
    }
}

/* Bytes of a command before the last option that begins within `room` columns; all, if it has as few. */
static size_t fit_command(const char *text, size_t n, size_t room)
{
    size_t fits = n;
    for (size_t i = 1; n > room && i < room; i++)
        if (memcmp(text + i, " --", 3) == 0)
            fits = i;
    return fits;
}

/* A command of more columns goes on in the next line, from an option on. */
static void text_code(rp__buf *out, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "\n"), fits = fit_command(text, n, WIDTH - 3);
        rp__buf_put_string(out, "  ");
        rp__buf_put(out, text, fits);
        if (fits < n) {
            rp__buf_put_string(out, " \\\n     ");
            rp__buf_put(out, text + fits, n - fits);
        }
        rp__buf_put_byte(out, '\n');
        text += n + (text[n] == '\n');
    }
}

/* ---- 1b. Manual page ------------------------------------------------------------------------- */

/* Text with roff's own signs made plain. */
static void put_roff(rp__buf *out, const char *text)
{
    bool starts_line = true;
    for (; *text; text++) {
        if (starts_line && (*text == '.' || *text == '\''))
            rp__buf_put_string(out, "\\&");
        if (*text == '-')
            rp__buf_put_string(out, "\\-");
        else if (*text == '\\')
            rp__buf_put_string(out, "\\e");
        else
            rp__buf_put_byte(out, (uint8_t)*text);
        starts_line = *text == '\n';
    }
}

static void man_title(rp__buf *out, const char *name, const char *summary)
{
    rp__buf_printf(out, ".TH RIPOSTE 1 \"\" \"riposte %s\" \"User Commands\"\n.SH NAME\n",
                   rp_version());
    put_roff(out, name);
    rp__buf_put_string(out, " \\- ");
    put_roff(out, summary);
    rp__buf_put_byte(out, '\n');
}

static void man_section(rp__buf *out, const char *name)
{
    rp__buf_put_string(out, ".SH \"");
    for (; *name; name++)
        rp__buf_put_byte(out, (uint8_t)toupper((unsigned char)*name));
    rp__buf_put_string(out, "\"\n");
}

static void man_part(rp__buf *out, const char *name)
{
    rp__buf_printf(out, ".SS \"%s\"\n", name);
}

static void man_prose(rp__buf *out, const char *text)
{
    rp__buf_put_string(out, ".PP\n");
    put_roff(out, text);
    rp__buf_put_byte(out, '\n');
}

static void man_item(rp__buf *out, const char *term, const char *text)
{
    rp__buf_put_string(out, ".TP\n\\fB");
    put_roff(out, term + strspn(term, " "));
    rp__buf_put_string(out, "\\fR\n");
    put_roff(out, text);
    rp__buf_put_byte(out, '\n');
}

static void man_code(rp__buf *out, const char *text)
{
    rp__buf_put_string(out, ".PP\n.nf\n.RS\n");
    put_roff(out, text);
    rp__buf_put_string(out, text[0] && text[strlen(text) - 1] == '\n' ? "" : "\n");
    rp__buf_put_string(out, ".RE\n.fi\n");
}

/* ---- 1c. Markdown ---------------------------------------------------------------------------- */

static void markdown_title(rp__buf *out, const char *name, const char *summary)
{
    rp__buf_printf(out, "# %s: %s\n", name, summary);
}

/* Blocks are apart by one empty line. */
static void markdown_gap(rp__buf *out)
{
    if (!out->failed && out->n >= 2 && memcmp(out->at + out->n - 2, "\n\n", 2) != 0)
        rp__buf_put_byte(out, '\n');
}

static void markdown_section(rp__buf *out, const char *name)
{
    markdown_gap(out);
    rp__buf_printf(out, "## %s\n\n", name);
}

static void markdown_part(rp__buf *out, const char *name)
{
    markdown_gap(out);
    rp__buf_printf(out, "**%s**\n\n", name);
}

/* '<' and '*' would be markup. */
static void put_markdown(rp__buf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("<*_|", *text))
            rp__buf_put_byte(out, '\\');
        rp__buf_put_byte(out, (uint8_t)*text);
    }
    rp__buf_put_byte(out, '\n');
}

static void markdown_prose(rp__buf *out, const char *text)
{
    markdown_gap(out);
    put_markdown(out, text);
    rp__buf_put_byte(out, '\n');
}

static void markdown_item(rp__buf *out, const char *term, const char *text)
{
    rp__buf_printf(out, "- `%s` ", term + strspn(term, " "));
    put_markdown(out, text);
}

static void markdown_code(rp__buf *out, const char *text)
{
    markdown_gap(out);
    rp__buf_put_string(out, "```\n");
    put_lines(out, text, "", "\n");
    rp__buf_put_string(out, "```\n");
}

const rp__manual_format rp__manual_formats[] = {
    {"text", false, text_title, text_section, text_section, text_prose, text_item, text_code},
    {"man", true, man_title, man_section, man_part, man_prose, man_item, man_code},
    {"markdown", true, markdown_title, markdown_section, markdown_part, markdown_prose,
     markdown_item, markdown_code},
    {0},
};

/* ---- 2. The walk ----------------------------------------------------------------------------- */

void rp__manual_usage(rp__buf *out, const rp__verb *verb)
{
    rp__buf_printf(out, "riposte %s", verb->name);
    for (size_t i = 0; i < 4 && verb->operands[i]; i++)
        rp__buf_printf(out, " %s", verb->operands[i]);
    for (const rp__option_group *g = verb->groups; g->rows; g++)
        for (const rp__option *row = g->rows; row->name; row++)
            if (row->is_required && row->letter)
                rp__buf_printf(out, " -%c %s", row->letter, row->argument);
            else if (row->is_required)
                rp__buf_printf(out, " --%s %s", row->name, row->argument);
    rp__buf_put_string(out, " [options]");
}

/* "-o, --output DIR": aligned so that long names stand below each other. */
static void put_option(rp__buf *out, const rp__verb *verb, const rp__option *row,
                       const rp__manual_format *format)
{
    char term[80], text[512], letter[8] = "    ", own = rp__options_letter(verb, row);
    if (own)
        snprintf(letter, sizeof letter, "-%c, ", own);
    snprintf(term, sizeof term, "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    int n = snprintf(text, sizeof text, "%s", row->help);
    const char *choice;
    for (size_t i = 0; (choice = rp__options_choice(row, i)); i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s", i ? ", " : ": ", choice);
    if (row->initial)
        snprintf(text + n, sizeof text - (size_t)n, " (default %s)", row->initial);
    format->item(out, term, text);
}

static void put_verb(rp__buf *out, const rp__verb *verb, const rp__manual_format *format)
{
    rp__buf usage;
    rp__buf_init(&usage);
    rp__manual_usage(&usage, verb);
    rp__buf_put_byte(&usage, 0);
    format->part(out, "usage");
    if (!usage.failed)
        format->code(out, (const char *)usage.at);
    rp__buf_free(&usage);
    if (verb->details)
        format->prose(out, verb->details);
    for (const rp__option_group *g = verb->groups; g->rows; g++) {
        format->part(out, g->title);
        for (const rp__option *row = g->rows; row->name; row++)
            put_option(out, verb, row, format);
    }
    format->part(out, "examples");
    format->code(out, verb->examples);
}

static const struct {
    int exit;
    const char *sentence;
} exits[] = {
#define X(code, value, exit_code, sentence) {exit_code, sentence},
    RP_STATUS_MAP(X)
#undef X
        {143, "interrupted by SIGTERM"},
};

/* Statuses that share an exit code share its line. */
static void put_exits(rp__buf *out, const rp__manual_format *format)
{
    format->section(out, "exit codes");
    for (int code = 0; code < 256; code++) {
        char number[16], text[256];
        int n = 0;
        for (size_t i = 0; i < sizeof exits / sizeof *exits; i++)
            if (exits[i].exit == code)
                n += snprintf(text + n, sizeof text - (size_t)n, "%s%s", n ? ", or " : "",
                              exits[i].sentence);
        snprintf(number, sizeof number, "%d", code);
        if (n > 0)
            format->item(out, number, text);
    }
}

static void put_verb_list(rp__buf *out, const rp__manual_format *format)
{
    const rp__verb *verb;
    format->section(out, "verbs");
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++)
        format->item(out, verb->name, verb->summary);
}

static void put_manners(rp__buf *out, const rp__manual_format *format)
{
    format->section(out, "output");
    format->prose(
        out, "Results go to standard output, everything else to standard error. With --json a "
             "verb prints one object whose field \"schema\" is riposte.<verb>/1; a failure prints "
             "riposte.error/1 with status, exit, message and try on standard output, and the "
             "same as text on standard error. An error is a line that says what, where and why, "
             "and a line \"try:\" where there is something to type instead. Control characters of "
             "documents are shown as \\xNN. A reader that closes the pipe ends the program "
             "without a word.");
    format->section(out, "query language");
    format->prose(out, "Words side by side mean what --mode says. Everything else is written out:");
    format->item(out, "wing AND flow", "both; also OR, and NOT for what must not be there");
    format->item(out, "+wing -flow", "must be there; must not be there");
    format->item(out, "\"boundary layer\"",
                 "a phrase; \"boundary layer\"~2 lets two words between");
    format->item(out, "aero*", "every word that begins so");
    format->item(out, "wing^2.5", "counts two and a half times");
    format->item(out, "(wing OR tail) flow", "parentheses group");
    format->section(out, "environment");
    const rp__environment_row *row;
    for (size_t i = 0; (row = rp__environment_at(i)); i++)
        format->item(out, row->name, row->help);
}

static void put_whole(rp__buf *out, const rp__manual_format *format)
{
    const rp__verb *verb;
    char heading[64];
    for (size_t i = 0; (verb = rp__verbs_at(i)); i++) {
        snprintf(heading, sizeof heading, "riposte %s", verb->name);
        format->section(out, heading);
        format->prose(out, verb->summary);
        put_verb(out, verb, format);
    }
    put_manners(out, format);
    put_exits(out, format);
}

void rp__manual_write(rp__buf *out, const rp__verb *verb, const rp__manual_format *format)
{
    char name[64];
    if (verb) {
        snprintf(name, sizeof name, format->is_whole ? "riposte-%s" : "riposte %s", verb->name);
        format->title(out, name, verb->summary);
        put_verb(out, verb, format);
        return;
    }
    format->title(out, "riposte", "full-text search over compressed inverted indexes");
    format->section(out, "usage");
    format->code(out, "riposte VERB [options]");
    put_verb_list(out, format);
    if (format->is_whole) {
        put_whole(out, format);
        return;
    }
    format->section(out, "begin with");
    format->code(out, "riposte demo\nriposte index docs.jsonl -o my.rip\n"
                      "riposte search my.rip \"two words\"\nriposte help search");
    put_exits(out, format);
}
