/* wikitext.c: MediaWiki's markup to text, in one pass.
 *
 * Links become their label, headings, lists and tables their text, templates, footnotes and comments
 * nothing. Open links and templates are a stack of places in the output: a bar in a link takes back what
 * is there of it, so that the last part stays, and the end of a template takes all of it back. What is
 * deeper than the stack, or is never closed, stays as text. */
#include "engine/wikitext.h"

#include <stdbool.h>
#include <string.h>

#include "engine/markup.h"

enum { MAX_OPEN = 64, NO_PLACE = MAX_OPEN };

typedef struct place {
    size_t out; /* where its text begins */
    bool is_template;
} place;

typedef struct wiki {
    const char *at, *end;
    rp__buf *out;
    place open[MAX_OPEN];
    size_t n_open, tables;
    bool in_heading, in_address; /* until the end of the line */
    bool has_no_comment_end, has_no_note_end;
} wiki;

static size_t left(const wiki *w)
{
    return (size_t)(w->end - w->at);
}

static bool is_at(const wiki *w, const char *text)
{
    size_t n = strlen(text);
    return left(w) >= n && memcmp(w->at, text, n) == 0;
}

static size_t run_of(const wiki *w, char c)
{
    size_t n = 0;
    while (n < left(w) && w->at[n] == c)
        n++;
    return n;
}

static void put(wiki *w, size_t n)
{
    rp__buf_put(w->out, w->at, n);
    w->at += n;
}

static void part(wiki *w)
{
    if (w->out->n > 0 && !rp__markup_is_space((char)w->out->at[w->out->n - 1]))
        rp__buf_put_byte(w->out, ' ');
}

static void skip_line(wiki *w)
{
    const char *newline = memchr(w->at, '\n', left(w));
    w->at = newline ? newline : w->end;
}

/* ---- Links and templates --------------------------------------------------------------------- */

static void open_place(wiki *w, bool is_template)
{
    if (w->n_open == MAX_OPEN || w->out->failed) {
        put(w, 2);
        return;
    }
    w->open[w->n_open++] = (place){.out = w->out->n, .is_template = is_template};
    w->at += 2;
    if (!is_template && left(w) > 0 && *w->at == ':')
        w->at++; /* a link to a category or file, and not its use */
}

/* The innermost place of that kind, NO_PLACE: none. Links end at a template's. */
static size_t find_open(const wiki *w, bool is_template)
{
    size_t i = w->n_open;
    while (i > 0 && w->open[i - 1].is_template != is_template && is_template)
        i--;
    return i > 0 && w->open[i - 1].is_template == is_template ? i - 1 : NO_PLACE;
}

static void close_link(wiki *w)
{
    size_t i = find_open(w, false);
    if (i == NO_PLACE) {
        put(w, 2);
        return;
    }
    w->n_open = i;
    w->at += 2;
}

static void close_template(wiki *w)
{
    size_t i = find_open(w, true);
    if (i == NO_PLACE) {
        put(w, 2);
        return;
    }
    w->out->n = w->open[i].out;
    w->n_open = i;
    w->at += 2;
}

/* A link has one line. */
static void end_line(wiki *w)
{
    while (w->n_open > 0 && !w->open[w->n_open - 1].is_template)
        w->n_open--;
    w->in_heading = w->in_address = false;
}

static void take_bar(wiki *w)
{
    size_t i = find_open(w, false);
    if (i != NO_PLACE) {
        w->out->n = w->open[i].out;
        w->at++;
    } else if (w->tables > 0 && is_at(w, "||")) {
        w->at += 2;
        part(w);
    } else {
        put(w, 1);
    }
}

/* [https://example.org label]: the label. */
static bool skip_address(wiki *w)
{
    static const char *const begins[] = {"[http://", "[https://", "[//", "[ftp://", "[mailto:"};
    size_t i = 0;
    while (i < sizeof begins / sizeof *begins && !is_at(w, begins[i]))
        i++;
    if (i == sizeof begins / sizeof *begins)
        return false;
    while (w->at < w->end && *w->at != ' ' && *w->at != ']' && *w->at != '\n')
        w->at++;
    w->in_address = true;
    return true;
}

static void take_square(wiki *w)
{
    if (is_at(w, "[["))
        open_place(w, false);
    else if (is_at(w, "]]") && !w->in_address)
        close_link(w);
    else if (*w->at == ']' && w->in_address) {
        w->in_address = false;
        w->at++;
    } else if (*w->at == ']' || !skip_address(w))
        put(w, 1);
}

static void take_brace(wiki *w)
{
    if (is_at(w, "{{"))
        open_place(w, true);
    else if (is_at(w, "}}"))
        close_template(w);
    else
        put(w, 1);
}

/* ---- Tags ------------------------------------------------------------------------------------ */

/* Past `close`, which is looked for from w->at on; NULL: it is not there, and never again. */
static const char *find_close(const wiki *w, const char *close, bool *has_none)
{
    size_t n = strlen(close);
    const char *p = *has_none ? NULL : memmem(w->at, left(w), close, n);
    *has_none = !p;
    return p ? p + n : NULL;
}

static void take_tag(wiki *w)
{
    size_t n;
    const char *after = NULL;
    if (is_at(w, "<!--"))
        after = find_close(w, "-->", &w->has_no_comment_end);
    if (after) {
        w->at = after;
        return;
    }
    after = rp__markup_tag_end(w->at, w->end);
    if (!after) {
        put(w, 1);
        return;
    }
    const char *name = rp__markup_tag_name(w->at, after, &n);
    bool is_note = n == 3 && rp__markup_is_name(name, "ref", 3) && after[-2] != '/';
    const char *close = is_note ? find_close(w, "</ref>", &w->has_no_note_end) : NULL;
    w->at = close ? close : after;
    part(w);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Of a cell at the front of a line: its attributes, up to a bar that stands alone. */
static void skip_attributes(wiki *w)
{
    for (const char *p = w->at; p < w->end && *p != '\n' && *p != '[' && *p != '{'; p++) {
        if (*p != '|')
            continue;
        if (p + 1 == w->end || p[1] != '|')
            w->at = p + 1;
        return;
    }
}

static bool begin_table_line(wiki *w)
{
    if (is_at(w, "{|")) {
        w->tables++;
        skip_line(w);
    } else if (w->tables == 0) {
        return false;
    } else if (is_at(w, "|}")) {
        w->tables--;
        w->at += 2;
    } else if (is_at(w, "|-")) {
        skip_line(w);
    } else if (is_at(w, "|+")) {
        w->at += 2;
    } else if (*w->at == '|' || *w->at == '!') {
        w->at++;
        skip_attributes(w);
    } else {
        return false;
    }
    return true;
}

/* Marks at the front of a line. */
static void begin_line(wiki *w)
{
    if (w->at == w->end || begin_table_line(w))
        return;
    if (*w->at == '=') {
        w->in_heading = true;
        w->at += run_of(w, '=');
    } else if (is_at(w, "----")) {
        w->at += run_of(w, '-');
    } else {
        while (w->at < w->end && strchr("*#:;", *w->at) && *w->at)
            w->at++;
    }
}

/* The marks that end a heading; others are text. */
static void take_equals(wiki *w)
{
    size_t n = run_of(w, '='), rest = n;
    while (rest < left(w) && (w->at[rest] == ' ' || w->at[rest] == '\t' || w->at[rest] == '\r'))
        rest++;
    if (w->in_heading && (rest == left(w) || w->at[rest] == '\n'))
        w->at += n;
    else
        put(w, n);
}

/* __TOC__ and the like. */
static void take_switch(wiki *w)
{
    size_t n = 2;
    while (n < left(w) && w->at[n] >= 'A' && w->at[n] <= 'Z')
        n++;
    bool is_switch =
        is_at(w, "__") && n > 2 && n + 1 < left(w) && w->at[n] == '_' && w->at[n + 1] == '_';
    if (is_switch)
        w->at += n + 2;
    else
        put(w, 1);
}

static void take_mark(wiki *w)
{
    switch (*w->at) {
    case '\n':
        put(w, 1);
        end_line(w);
        begin_line(w);
        break;
    case '[':
    case ']':
        take_square(w);
        break;
    case '{':
    case '}':
        take_brace(w);
        break;
    case '|':
        take_bar(w);
        break;
    case '<':
        take_tag(w);
        break;
    case '=':
        take_equals(w);
        break;
    case '_':
        take_switch(w);
        break;
    case '\'':
        if (is_at(w, "''"))
            w->at += run_of(w, '\'');
        else
            put(w, 1);
        break;
    default: /* '&' */
        if (!rp__markup_put_entity(&w->at, w->end, true, w->out))
            put(w, 1);
    }
}

void rp__wikitext_put(const char *at, size_t n, rp__buf *out)
{
    static const bool is_mark[256] = {
        ['\n'] = true, ['['] = true, [']'] = true, ['{'] = true,  ['}'] = true, ['|'] = true,
        ['<'] = true,  ['='] = true, ['_'] = true, ['\''] = true, ['&'] = true};
    wiki w = {.at = at, .end = at + n, .out = out};
    begin_line(&w);
    while (w.at < w.end) {
        const char *run = w.at;
        while (w.at < w.end && !is_mark[(unsigned char)*w.at])
            w.at++;
        rp__buf_put(out, run, (size_t)(w.at - run));
        if (w.at < w.end)
            take_mark(&w);
    }
}
