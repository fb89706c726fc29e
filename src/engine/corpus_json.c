/* corpus_json.c: JSON that is not a value a line: objects over several lines, one after the other or in an
 * array; an array of strings is a text each.
 *
 * Splitting counts brackets and knows strings; it needs neither a stack nor memory, however deep values
 * are nested. Blanks and commas part values. A string cannot go on over the end of a line, so a quote
 * that is missing spoils one record and not the rest of the file. */
#include "engine/corpus_jsonl.h"

enum { IN_VALUE, IN_STRING, IN_ESCAPE }; /* rp__split.state.mode */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* ---- Splitting ------------------------------------------------------------------------------- */

/* Bytes before the next value, at most n. Brackets of the array around all values are passed. */
static size_t skip_gap(rp__split *s)
{
    size_t i = 0;
    for (; i < s->n; i++) {
        char c = s->at[i];
        bool is_open = c == '[' && !s->state.is_inside, is_close = c == ']' && s->state.is_inside;
        if (is_open || is_close)
            s->state.is_inside = is_open;
        else if (!is_blank(c) && c != ',')
            break;
    }
    return i;
}

/* One byte of a value. True: the value ends before it (*is_part false) or with it. */
static bool take(rp__split *s, char c, bool *is_part)
{
    *is_part = true;
    switch (s->state.mode) {
    case IN_ESCAPE:
        s->state.mode = IN_STRING;
        return false;
    case IN_STRING:
        *is_part = c != '\n';
        if (c == '"')
            s->state.mode = IN_VALUE;
        else if (c == '\\')
            s->state.mode = IN_ESCAPE;
        return c == '\n' || (c == '"' && s->state.depth == 0);
    default:
        break;
    }
    if (c == '"')
        s->state.mode = IN_STRING;
    if (c == '{' || c == '[')
        s->state.depth++;
    if (c == '}' || c == ']') {
        *is_part = s->state.depth > 0;
        s->state.depth -= *is_part;
        return s->state.depth == 0;
    }
    *is_part = s->state.depth > 0 || !(is_blank(c) || c == ',');
    return !*is_part;
}

static void begin_value(rp__split *s)
{
    s->state.mode = IN_VALUE;
    s->state.depth = 0;
    s->scanned = 0;
}

static bool found(rp__split *s, size_t begin, size_t end)
{
    s->begin = begin;
    s->end = s->used = end;
    s->state.is_passing = false;
    begin_value(s);
    return true;
}

/* The value from `begin`, of which bytes up to `from` are known. */
static bool split_value(rp__split *s, size_t begin, size_t from)
{
    for (size_t i = from; i < s->n; i++) {
        bool is_part;
        if (!take(s, s->at[i], &is_part))
            continue;
        bool is_stray = !is_part && i == begin; /* a bracket that closes nothing: a record of one */
        return found(s, begin, i + (is_part || is_stray));
    }
    if (s->is_end)
        return found(s, begin, s->n);
    s->used = s->is_passing ? s->n : begin;
    s->scanned = s->n - s->used;
    return false;
}

static bool split(rp__split *s)
{
    s->used = 0;
    if (s->is_passing &&
        !s->state.is_passing) { /* what is there of it is read again, from its front */
        begin_value(s);
        s->state.is_passing = true;
        return split_value(s, 0, 0);
    }
    if (s->is_passing || s->scanned > 0)
        return split_value(s, 0, s->scanned);
    size_t begin = skip_gap(s);
    if (begin < s->n)
        return split_value(s, begin, begin);
    s->used = s->n;
    return false;
}

static const char *end(const rp__split *s)
{
    return s->state.is_inside ? "the file ends before the ']' of its array" : NULL;
}

/* ---- Telling and parsing --------------------------------------------------------------------- */

/* The first value is an object with a field of text; or, where the name says that this is JSON, a string
 * of an array. */
static bool sniff(const rp__sniff *s)
{
    rp__split first = {.at = s->head, .n = s->n, .is_end = true};
    size_t gap = skip_gap(&first);
    if (gap == s->n || (s->head[gap] != '{' && s->head[gap] != '"'))
        return false;
    bool is_array = first.state.is_inside;
    first.state.is_inside = false;
    if (!split(&first))
        return false;
    const char *at = s->head + first.begin;
    size_t n = first.end - first.begin;
    if (*at == '"')
        return is_array && s->has_suffix && n > 1 && at[n - 1] == '"';
    return rp__corpus_jsonl_has_text(s, at, n, !s->in_folder, first.used == s->n && !s->is_whole);
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    return rp__corpus_jsonl_parse(parser, batch, i, "expected a JSON object or a string", true, doc,
                                  err);
}

const rp__corpus_format rp__corpus_json = {
    .name = "json",
    .extensions = {"json"},
    .is_sure = true,
    .sniff = sniff,
    .split = split,
    .end = end,
    .parse = parse,
};
