/* corpus_gitlog.c: what `git log` prints: a commit is a document, its hash the id, the first line of its
 * message the title, and who wrote it when, the rest of the message and what --stat or -p add the text. */
#include "engine/corpus_format.h"

#include <string.h>

static const char key[] = "commit ";
enum { KEY_BYTES = sizeof key - 1, HASH_MIN = 40, HASH_MAX = 64 };

/* Digits of the hash of the line "commit HASH" at p; 0: it is no such line. *is_cut: its end has not come. */
static size_t read_hash(const char *p, const char *end, bool *is_cut)
{
    size_t rest = (size_t)(end - p), n = 0;
    *is_cut = rest <= KEY_BYTES + HASH_MAX;
    size_t known = rest < KEY_BYTES ? rest : KEY_BYTES;
    if (memcmp(p, key, known) != 0) {
        *is_cut = false;
        return 0;
    }
    while (KEY_BYTES + n < rest && n < HASH_MAX &&
           ((p[KEY_BYTES + n] >= '0' && p[KEY_BYTES + n] <= '9') ||
            (p[KEY_BYTES + n] >= 'a' && p[KEY_BYTES + n] <= 'f')))
        n++;
    bool is_end = KEY_BYTES + n >= rest;
    *is_cut &= is_end;
    if (n != HASH_MIN && n != HASH_MAX)
        return 0;
    return is_end || strchr(" \r\n", p[KEY_BYTES + n]) ? n : 0;
}

static bool sniff(const rp__sniff *s)
{
    bool is_cut;
    if (s->n == 0 || read_hash(s->head, s->head + s->n, &is_cut) == 0)
        return false;
    const char *line = memchr(s->head, '\n', s->n);
    size_t rest = line ? s->n - (size_t)(line + 1 - s->head) : 0;
    return rest > 8 && (memcmp(line + 1, "Author:", 7) == 0 || memcmp(line + 1, "Merge:", 6) == 0 ||
                        memcmp(line + 1, "tree ", 5) == 0);
}

static bool found(rp__split *s, size_t end)
{
    s->begin = 0;
    s->end = s->used = end;
    s->scanned = 0;
    return true;
}

/* A record ends before the next line "commit HASH". */
static bool split(rp__split *s)
{
    const char *at = s->at, *end = s->at + s->n;
    for (const char *p = at + s->scanned; (p = memchr(p, '\n', (size_t)(end - p)));) {
        bool is_cut = false;
        const char *line = ++p;
        if (line < end && read_hash(line, end, &is_cut) > 0 && (!is_cut || s->is_end))
            return found(s, (size_t)(line - at));
        if (!s->is_end && (line == end || is_cut)) {
            s->used = s->is_passing ? (size_t)(line - 1 - at) : 0;
            s->scanned = (size_t)(line - 1 - at) - s->used;
            return false;
        }
    }
    if (s->is_end)
        return found(s, s->n);
    s->used = s->is_passing ? s->n : 0;
    s->scanned = s->n - s->used;
    return false;
}

/* The value of the header `line` if it is `name`; NULL: it is another. */
static const char *header_value(const char *line, const char *end, const char *name)
{
    size_t n = strlen(name);
    if ((size_t)(end - line) < n || memcmp(line, name, n) != 0)
        return NULL;
    line += n;
    while (line < end && *line == ' ')
        line++;
    return line;
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

/* The headers after the first line, up to an empty one; returns where the message begins. */
static const char *put_headers(const char *at, const char *end, rp__buf *text)
{
    static const char *const names[] = {"Author:", "Date:", "Commit:"};
    while (at < end && *at != '\n' && *at != '\r') {
        const char *stop = line_end(at, end), *value = NULL;
        for (size_t i = 0; !value && i < sizeof names / sizeof *names; i++)
            value = header_value(at, stop, names[i]);
        if (value) {
            rp__buf_put(text, value, (size_t)(stop - value));
            rp__buf_put_byte(text, '\n');
        }
        at = stop < end ? stop + 1 : end;
    }
    return at;
}

static void put_message(const char *at, const char *end, rp__buf *title, rp__buf *text)
{
    while (at < end) {
        const char *stop = line_end(at, end), *next = stop < end ? stop + 1 : end;
        for (int i = 0; i < 4 && at < stop && *at == ' '; i++)
            at++;
        while (stop > at && stop[-1] == '\r')
            stop--;
        rp__buf *to = title->n == 0 && stop > at ? title : text;
        rp__buf_put(to, at, (size_t)(stop - at));
        rp__buf_put_byte(to, '\n');
        at = next;
    }
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    const char *at = (const char *)batch->bytes.at + batch->records[i].offset;
    const char *end = at + batch->records[i].bytes;
    bool is_cut;
    size_t n = at < end ? read_hash(at, end, &is_cut) : 0;
    if (n == 0)
        return rp__doc_parser_fault(batch, i, 0, RP_INPUT,
                                    "expected a line \"commit\" and a hash, as git log prints it",
                                    err);
    doc->id = at + KEY_BYTES;
    doc->id_bytes = n;
    rp__buf *text = &parser->own[RP_FIELD_TEXT];
    const char *line = line_end(at, end);
    at = put_headers(line < end ? line + 1 : end, end, text);
    put_message(at, end, &parser->own[RP_FIELD_TITLE], text);
    return rp__doc_parser_view_own(parser, doc, err);
}

const rp__corpus_format rp__corpus_gitlog = {
    .name = "gitlog",
    .is_sure = true,
    .sniff = sniff,
    .split = split,
    .parse = parse,
};
