/* options.c: a command line to a record of arguments, by the rows of a verb and getopt_long.
 *
 * Every number is read strictly: all of the word, within the row's range. No option with a value is given twice. Does not know what an
 * option means, nor print help (manual.c). */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/environment.h"

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "COUNT64 rows store size_t and uint64_t alike");

enum { FIRST_LONG = 256 }; /* getopt's value for row i is FIRST_LONG + i; letters lie below */

const rp__option rp__options_common[] = {
    {.name = "json",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(rp__common_args, json),
     .help = "print one JSON object, with a field \"schema\""},
    {.name = "quiet",
     .letter = 'q',
     .kind = RP_OPTION_FLAG,
     .at = offsetof(rp__common_args, quiet),
     .help = "no progress and no notes on standard error"},
    {.name = "help",
     .letter = 'h',
     .kind = RP_OPTION_FLAG,
     .at = offsetof(rp__common_args, help),
     .help = "print this help"},
    {0},
};

/* A row together with where its group's record lies. */
typedef struct bound_row {
    const rp__option *row;
    char *record;
} bound_row;

typedef struct parser {
    const rp__verb *verb;
    rp__console *console;
    rp_error *err;
    bound_row *rows;
    bool *is_given;
    struct option *longs;
    char letters[128];
    size_t n;
} parser;

/* ---- 1. Words to values ---------------------------------------------------------------------- */

static bool read_count(const char *text, uint64_t *out, const char **rest)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    unsigned long long v = strtoull(text, &end, 10);
    *out = v; /* over 64 bits: UINT64_MAX, which is no count that anything takes */
    *rest = end;
    return true;
}

/* "64M", "1GiB", "4096": bytes, units of 1024. */
static bool read_size(const char *text, uint64_t *out)
{
    static const struct {
        const char *suffix;
        uint32_t shift;
    } units[] = {{"", 0},     {"B", 0},   {"K", 10},   {"KB", 10}, {"KiB", 10},
                 {"M", 20},   {"MB", 20}, {"MiB", 20}, {"G", 30},  {"GB", 30},
                 {"GiB", 30}, {"T", 40},  {"TB", 40},  {"TiB", 40}};
    const char *rest;
    uint64_t v;
    if (!read_count(text, &v, &rest))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcasecmp(rest, units[i].suffix) != 0)
            continue;
        *out = v << units[i].shift;
        if (*out >> units[i].shift != v)
            *out = UINT64_MAX;
        return true;
    }
    return false;
}

static bool read_real(const char *text, double *out)
{
    if (text[0] == 0 || text[strspn(text, "0123456789+-.eE")] != 0)
        return false; /* strtod would take blanks, hexadecimal, inf and nan too */
    char *end;
    errno = 0;
    *out = strtod(text, &end);
    return *end == 0 && errno == 0;
}

const char *rp__options_choice(const rp__option *row, size_t i)
{
    if (row->choice_at)
        return row->choice_at(i);
    return row->choices ? row->choices[i] : NULL;
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance in which two letters that changed places are one edit, or `most` if it is
 * more; words over 31 letters are far from all. */
static size_t distance(const char *a, const char *b, size_t most)
{
    size_t rows[3][32], n = strlen(b), m = strlen(a);
    if (n >= 32 || m >= 32)
        return most;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *third = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            row[j] =
                lesser(above[j - 1] + (a[i - 1] != b[j - 1]), lesser(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = lesser(row[j], third[j - 2] + 1);
        }
    }
    return lesser(rows[m % 3][n], most);
}

void rp__options_nearest(rp__nearest *best, const char *word, const char *candidate)
{
    /* A third of the letters wrong is another word, and so are three; one wrong letter never is. */
    size_t enough = lesser(strlen(word) < 3 ? 2 : strlen(word) / 3 + 1, 3);
    size_t d = distance(word, candidate, enough);
    if (strlen(word) >= 3 && strncmp(word, candidate, strlen(word)) == 0)
        d = 1; /* a word cut short */
    if (d < enough && (!best->name || d < best->distance))
        *best = (rp__nearest){candidate, d};
}

/* ---- 2. Storing a value ---------------------------------------------------------------------- */

static rp_status refuse(parser *p, const rp__option *row, const char *text, const char *what,
                        const char *remedy)
{
    return rp__console_usage(p->console, p->err, remedy, "--%s \"%s\" %s", row->name, text, what);
}

static double most_of(const rp__option *row)
{
    if (row->most > 0)
        return row->most;
    return row->kind == RP_OPTION_COUNT32 ? (double)UINT32_MAX : (double)UINT64_MAX;
}

static rp_status store_number(parser *p, const rp__option *row, const char *text, char *to)
{
    char remedy[160];
    const char *rest = "";
    uint64_t v = 0;
    double real = 0;
    bool is_size = row->kind == RP_OPTION_SIZE, is_real = row->kind == RP_OPTION_REAL;
    if (is_size   ? !read_size(text, &v)
        : is_real ? !read_real(text, &real)
                  : (!read_count(text, &v, &rest) || *rest)) {
        snprintf(remedy, sizeof remedy,
                 is_size   ? "--%s 64M (bytes, or a number with K, M, G or T)"
                 : is_real ? "--%s 1.25"
                           : "--%s 10",
                 row->name);
        return refuse(p, row, text, is_size ? "is not a size" : "is not a number", remedy);
    }
    double value = is_real ? real : (double)v;
    if (value < row->least || value > most_of(row) || v == UINT64_MAX) {
        snprintf(remedy, sizeof remedy,
                 row->most > 0 ? "a number from %g to %.10g" : "%g or more, below 2^64", row->least,
                 row->most);
        return refuse(p, row, text, "is out of range", remedy);
    }
    uint32_t narrow = (uint32_t)v;
    if (is_real)
        memcpy(to, &real, sizeof real);
    else if (row->kind == RP_OPTION_COUNT32)
        memcpy(to, &narrow, sizeof narrow);
    else
        memcpy(to, &v, sizeof v);
    return RP_OK;
}

/* The nearest one; of algorithms and codecs, of which there are many alike, all of them too. */
static rp_status refuse_choice(parser *p, const rp__option *row, const char *name)
{
    rp__nearest near = {0};
    char list[320] = "", remedy[400];
    const char *choice;
    bool fits = true; /* all choices into the list */
    for (size_t i = 0, n = 0; (choice = rp__options_choice(row, i)); i++) {
        rp__options_nearest(&near, name, choice);
        n += fits ? (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? "|" : "", choice) : 0;
        fits = fits && n < sizeof list;
    }
    if (near.name && row->kind == RP_OPTION_SPEC && fits)
        snprintf(remedy, sizeof remedy, "--%s %s; there are %s", row->name, near.name, list);
    else
        snprintf(remedy, sizeof remedy, "--%s %s", row->name, near.name ? near.name : list);
    return refuse(p, row, name, "is not known", near.name || fits ? remedy : NULL);
}

static rp_status store_choice(parser *p, const rp__option *row, const char *text, char *to)
{
    const char *choice;
    char name[64];
    snprintf(name, sizeof name, "%.*s",
             (int)(row->kind == RP_OPTION_SPEC ? strcspn(text, ":") : strlen(text)), text);
    for (uint32_t i = 0; (choice = rp__options_choice(row, i)); i++) {
        if (strcmp(choice, name) != 0)
            continue;
        if (row->kind == RP_OPTION_ENUM)
            memcpy(to, &i, sizeof i);
        else
            memcpy(to, &text, sizeof text);
        return RP_OK;
    }
    return refuse_choice(p, row, name);
}

static rp_status store(parser *p, const bound_row *bound, const char *text)
{
    const rp__option *row = bound->row;
    char *to = bound->record + row->at;
    const bool yes = true;
    if (row->has_value)
        memcpy(bound->record + row->has_at, &yes, sizeof yes);
    switch ((rp__option_kind)row->kind) {
    case RP_OPTION_FLAG:
        memcpy(to, &yes, sizeof yes);
        return RP_OK;
    case RP_OPTION_TEXT:
        memcpy(to, &text, sizeof text);
        return RP_OK;
    case RP_OPTION_NAME:
    case RP_OPTION_SPEC:
    case RP_OPTION_ENUM:
        return store_choice(p, row, text, to);
    case RP_OPTION_COUNT32:
    case RP_OPTION_COUNT64:
    case RP_OPTION_SIZE:
    case RP_OPTION_REAL:
        break;
    }
    return store_number(p, row, text, to);
}

/* ---- 3. The command line --------------------------------------------------------------------- */

char rp__options_letter(const rp__verb *verb, const rp__option *row)
{
    for (const rp__option_group *g = verb->groups; g->rows; g++)
        for (const rp__option *earlier = g->rows; earlier->name; earlier++) {
            if (earlier == row)
                return row->letter;
            if (earlier->letter == row->letter)
                return 0;
        }
    return row->letter;
}

/* Binds every row of the verb, tells getopt of it, and stores its default. */
static rp_status bind_rows(parser *p, void *args)
{
    size_t n = 0, n_letters = 1;
    p->letters[0] = ':';
    for (const rp__option_group *g = p->verb->groups; g->rows; g++) {
        for (const rp__option *row = g->rows; row->name; row++, n++) {
            bool takes = row->kind != RP_OPTION_FLAG;
            p->rows[n] = (bound_row){row, (char *)args + g->at};
            p->longs[n] = (struct option){row->name, takes ? required_argument : no_argument, NULL,
                                          FIRST_LONG + (int)n};
            char letter = rp__options_letter(p->verb, row);
            if (letter)
                p->letters[n_letters++] = letter;
            if (letter && takes)
                p->letters[n_letters++] = ':';
            if (row->initial && store(p, &p->rows[n], row->initial) != RP_OK)
                return p->err->code;
        }
    }
    p->letters[n_letters] = 0;
    p->longs[n] = (struct option){0};
    p->n = n;
    return RP_OK;
}

static size_t count_rows(const rp__verb *verb)
{
    size_t n = 0;
    for (const rp__option_group *g = verb->groups; g->rows; g++)
        for (const rp__option *row = g->rows; row->name; row++)
            n++;
    return n;
}

static size_t find_row(const parser *p, int value)
{
    if (value >= FIRST_LONG)
        return (size_t)(value - FIRST_LONG);
    for (size_t i = 0; i < p->n; i++)
        if (p->rows[i].row->letter == value)
            return i;
    return p->n;
}

static bool has_row(const parser *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->rows[i].row->name, name) == 0)
            return true;
    return false;
}

/* What other programs call an option of this verb; NULL: nothing that is known. */
static const char *habit(const parser *p, const char *name)
{
    static const struct {
        const char *theirs, *ours;
    } rows[] = {{"k", "k"},       {"n", "k"},        {"limit", "k"},     {"size", "k"},
                {"top", "k"},     {"count", "k"},    {"hits", "k"},      {"offset", "from"},
                {"skip", "from"}, {"start", "from"}, {"colour", "color"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].theirs, name) == 0 && has_row(p, rows[i].ours))
            return rows[i].ours;
    return NULL;
}

static rp_status refuse_unknown(parser *p, const char *word)
{
    char name[64], remedy[160];
    if (optopt > 0 && optopt < FIRST_LONG) {
        const char letter[] = {(char)optopt, 0}, *ours = habit(p, letter);
        if (ours)
            snprintf(remedy, sizeof remedy, "--%s", ours);
        else
            snprintf(remedy, sizeof remedy,
                     "riposte help %s; put -- before a word that begins with '-' and is no option",
                     p->verb->name);
        return rp__console_usage(p->console, p->err, remedy, "unknown option -%c",
                                 isprint(optopt) ? optopt : '?');
    }
    if (optopt >= FIRST_LONG)
        return rp__console_usage(p->console, p->err, NULL, "option --%s takes no argument",
                                 p->rows[optopt - FIRST_LONG].row->name);
    rp__nearest near = {0};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (size_t i = 0; i < p->n; i++)
        rp__options_nearest(&near, name, p->rows[i].row->name);
    if (habit(p, name))
        near.name = habit(p, name);
    if (near.name)
        snprintf(remedy, sizeof remedy, "--%s", near.name);
    return rp__console_usage(p->console, p->err, near.name ? remedy : NULL, "unknown option --%s",
                             name);
}

/* The word of the long option that getopt has just taken for a row, if it is not the row's name: getopt
 * takes a name that is cut short, and a later option may change which one that is. */
static const char *find_cut(const parser *p, int value, char **argv)
{
    const int row = (value == '?' || value == ':' ? optopt : value) - FIRST_LONG;
    const char *word = argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)];
    const bool is_cut = row >= 0 && strcspn(word + 2, "=") < strlen(p->rows[row].row->name);
    return is_cut ? word : NULL;
}

static rp_status parse_words(parser *p, int argc, char **argv)
{
    rp_status status = RP_OK;
    opterr = 0;
    optind = 0; /* glibc: start afresh */
    while (status == RP_OK) {
        int value = getopt_long(argc, argv, p->letters, p->longs, NULL);
        if (value == -1)
            break;
        const char *cut = find_cut(p, value, argv);
        if (cut) {
            optopt = 0;
            return refuse_unknown(p, cut);
        }
        size_t i = find_row(p, value == ':' ? optopt : value);
        if (value == '?' || i == p->n)
            return refuse_unknown(p, argv[optind - 1]);
        if (value == ':')
            return rp__console_usage(p->console, p->err, NULL, "option --%s needs %s",
                                     p->rows[i].row->name, p->rows[i].row->argument);
        if (p->is_given[i] && p->rows[i].row->kind != RP_OPTION_FLAG)
            return rp__console_usage(p->console, p->err, NULL, "option --%s is given twice",
                                     p->rows[i].row->name);
        p->is_given[i] = true;
        status = store(p, &p->rows[i], optarg);
    }
    return status;
}

/* What the first example of a verb says to type. */
static const char *first_example(const rp__verb *verb, char *out, size_t room)
{
    snprintf(out, room, "%.*s", (int)strcspn(verb->examples, "\n"), verb->examples);
    return out;
}

static rp_status check_operands(parser *p, const rp__call *call)
{
    char example[160];
    size_t n = 0, n_optional = 0;
    bool is_open = false;
    for (; n < 4 && p->verb->operands[n]; n++) {
        const char *name = p->verb->operands[n];
        is_open = is_open || strstr(name, "...");
        n_optional += name[0] == '[';
        if (n - n_optional >= call->n_operands && name[0] != '[')
            return rp__console_usage(p->console, p->err,
                                     first_example(p->verb, example, sizeof example),
                                     "missing %.*s", (int)strcspn(name, "."), name);
    }
    if (call->n_operands > n && !is_open)
        return rp__console_usage(p->console, p->err,
                                 first_example(p->verb, example, sizeof example),
                                 "unexpected word \"%s\"", call->operands[n]);
    for (size_t i = 0; i < p->n; i++) {
        const rp__option *row = p->rows[i].row;
        const char letter[] = {row->letter, 0};
        if (row->is_required && !p->is_given[i])
            return rp__console_usage(p->console, p->err,
                                     first_example(p->verb, example, sizeof example),
                                     "missing %s%s %s", row->letter ? "-" : "--",
                                     row->letter ? letter : row->name, row->argument);
    }
    return RP_OK;
}

/* ---- 4. Settings ----------------------------------------------------------------------------- */

/* Variables that mean something to the library too are left to it. */
static bool is_librarys(const char *variable)
{
    return rp__environment_find(variable) != NULL;
}

const char *rp__options_source(const rp__option *row, const rp__settings *settings,
                               const char **value, char *where, size_t cap)
{
    const rp__setting *setting = rp__settings_find(settings, row->name);
    *value = rp__settings_variable(row->name, where, cap);
    if (*value && !is_librarys(where))
        return where;
    if (setting) {
        *value = setting->value;
        snprintf(where, cap, "line %u", setting->line);
        return where;
    }
    *value = row->initial;
    return row->initial ? "default" : NULL;
}

static rp_status fill_row(parser *p, size_t i, const rp__settings *settings, const char *path)
{
    const rp__option *row = p->rows[i].row;
    const char *value;
    char where[64], why[sizeof p->err->text];
    const char *source = rp__options_source(row, settings, &value, where, sizeof where);
    if (p->is_given[i] || source != where) /* a default is there already */
        return RP_OK;
    const rp__setting *setting = rp__settings_find(settings, row->name);
    const bool is_line = setting && value == setting->value;
    rp_status status = RP_OK;
    if (row->kind == RP_OPTION_FLAG && strcmp(value, "false") == 0)
        return RP_OK;
    if (row->kind == RP_OPTION_FLAG && strcmp(value, "true") != 0)
        status = refuse(p, row, value, "is neither true nor false", NULL);
    else
        status = store(p, &p->rows[i], value);
    if (status == RP_OK)
        return RP_OK;
    snprintf(why, sizeof why, "%s", p->err->text);
    if (is_line)
        return rp__error_set(p->err, RP_USAGE, "%s:%u: %s", path, setting->line, why);
    return rp__error_set(p->err, RP_USAGE, "%s: %s", where, why);
}

/* What every verb has is said on the command line alone. */
static bool is_common(const char *name)
{
    for (const rp__option *row = rp__options_common; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return true;
    return strcmp(name, "config") == 0;
}

/* RP_USAGE: the file has a name that no option of the verb has. */
static rp_status check_names(parser *p, const rp__settings *settings, const char *path)
{
    for (size_t s = 0; s < settings->n; s++) {
        const rp__setting *setting = &settings->at[s];
        rp__nearest near = {0};
        char remedy[160];
        for (size_t i = 0; i < p->n; i++)
            rp__options_nearest(&near, setting->name, p->rows[i].row->name);
        if (has_row(p, setting->name) && !is_common(setting->name))
            continue;
        snprintf(remedy, sizeof remedy, "%s = ...", near.name ? near.name : "");
        return rp__console_usage(
            p->console, p->err, near.name && !is_common(near.name) ? remedy : NULL,
            "%s:%u: unknown setting \"%.40s\"", path, setting->line, setting->name);
    }
    return RP_OK;
}

static size_t row_of(const parser *p, const char *name)
{
    size_t i = 0;
    while (i < p->n && strcmp(p->rows[i].row->name, name) != 0)
        i++;
    return i;
}

static rp_status fill(parser *p, rp__call *call)
{
    const size_t config = row_of(p, "config");
    const char *path = NULL;
    rp_status status = fill_row(p, config, &call->settings, "");
    memcpy(&path, p->rows[config].record + p->rows[config].row->at, sizeof path);
    if (status == RP_OK && path)
        status = rp__settings_read(path, &call->settings, p->err);
    if (status == RP_OK && path)
        status = check_names(p, &call->settings, path);
    for (size_t i = 0; status == RP_OK && i < p->n; i++)
        if (i != config && !is_common(p->rows[i].row->name))
            status = fill_row(p, i, &call->settings, path ? path : "");
    return status;
}

rp_status rp__options_parse(const rp__verb *verb, int argc, char **argv, rp__call *call,
                            rp__console *console, rp_error *err)
{
    size_t n = count_rows(verb) + 1;
    parser p = {.verb = verb, .console = console, .err = err};
    rp_status status = RP_NO_MEMORY;
    p.rows = rp__alloc_array(n, sizeof *p.rows);
    p.longs = rp__alloc_array(n, sizeof *p.longs);
    p.is_given = rp__alloc_zero(n, sizeof *p.is_given);
    if (!p.rows || !p.longs || !p.is_given) {
        rp__error_no_memory(err);
        goto done;
    }
    status = bind_rows(&p, call->args);
    if (status == RP_OK)
        status = parse_words(&p, argc, argv);
    if (status == RP_OK && verb->has_settings)
        status = fill(&p, call);
    if (status != RP_OK)
        goto done;
    for (size_t i = 0; i < p.n && call->n_given < RP_CALL_GIVEN; i++)
        if (p.is_given[i])
            call->given[call->n_given++] = p.rows[i].row->name;
    call->operands = argv + optind;
    call->n_operands = (size_t)(argc - optind);
    if (!((const rp__common_args *)call->args)->help)
        status = check_operands(&p, call);
done:
    rp__free(p.is_given);
    rp__free(p.longs);
    rp__free(p.rows);
    return status;
}
