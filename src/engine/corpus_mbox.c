/* corpus_mbox.c: a mailbox: messages one after the other, each after a line "From SENDER DATE"; the
 * Message-ID is the id, the subject the title (mail.c reads the rest).
 *
 * A message begins with such a line at the front of the file or after an empty line. Because prose may
 * have a line that begins with "From " too, the line must have a time of day. */
#include "engine/corpus_format.h"

#include <string.h>

#include "engine/mail.h"

static const char key[] = "From ";
enum { KEY_BYTES = sizeof key - 1, LINE_MAX = 1024 };

/* Whether the n bytes of a line, that may be cut, begin a message. */
static bool is_from_line(const char *line, size_t n)
{
    if (n < KEY_BYTES || memcmp(line, key, KEY_BYTES) != 0)
        return false;
    for (size_t i = KEY_BYTES; i + 4 < n; i++)
        if (line[i + 2] == ':' && line[i] >= '0' && line[i] <= '9' && line[i + 1] >= '0' &&
            line[i + 1] <= '9' && line[i + 3] >= '0' && line[i + 3] <= '9')
            return true;
    return false;
}

static bool sniff(const rp__sniff *s)
{
    const char *newline = s->n > 0 ? memchr(s->head, '\n', s->n) : NULL;
    size_t line = newline ? (size_t)(newline - s->head) : s->n;
    if (!is_from_line(s->head, line) || !newline)
        return false;
    /* then a header: a name without blanks, and a colon */
    size_t i = line + 1;
    while (i < s->n && (unsigned char)s->head[i] > ' ' && s->head[i] != ':')
        i++;
    return i > line + 1 && i < s->n && s->head[i] == ':';
}

static bool is_after_empty_line(const char *at, const char *line)
{
    const char *p = line - 1; /* the end of the line before */
    p -= p > at && p[-1] == '\r';
    return p == at || p[-1] == '\n';
}

static bool found(rp__split *s, size_t end)
{
    s->begin = 0;
    s->end = s->used = end;
    s->scanned = 0;
    return true;
}

/* Nothing ends before `known`. */
static bool wait_for_more(rp__split *s, size_t known)
{
    s->used = s->is_passing && known > 2 ? known - 2 : 0;
    s->scanned = known - s->used;
    return false;
}

/* A record ends before the next message. */
static bool split(rp__split *s)
{
    const char *at = s->at, *end = at + s->n;
    for (const char *p = at + s->scanned; (p = memchr(p, '\n', (size_t)(end - p)));) {
        const char *line = ++p, *newline;
        size_t n = (size_t)(end - line);
        bool may_be = memcmp(line, key, n < KEY_BYTES ? n : KEY_BYTES) == 0;
        if (!may_be)
            continue;
        newline = memchr(line, '\n', n < LINE_MAX ? n : LINE_MAX);
        if (!newline && n < LINE_MAX && !s->is_end)
            return wait_for_more(s, (size_t)(line - 1 - at));
        size_t bytes = newline ? (size_t)(newline - line) : n < LINE_MAX ? n : LINE_MAX;
        if (is_from_line(line, bytes) && is_after_empty_line(at, line))
            return found(s, (size_t)(line - at));
    }
    return s->is_end ? found(s, s->n) : wait_for_more(s, s->n > 2 ? s->n - 2 : 0);
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    const char *at = (const char *)batch->bytes.at + batch->records[i].offset;
    size_t n = batch->records[i].bytes;
    const char *newline = memchr(at, '\n', n);
    size_t from = newline ? (size_t)(newline + 1 - at) : n;
    if (n < KEY_BYTES || memcmp(at, key, KEY_BYTES) != 0)
        return rp__doc_parser_fault(batch, i, 0, RP_INPUT,
                                    "expected a line that begins with \"From \", as a mailbox has",
                                    err);
    rp__mail mail = {.subject = &parser->own[RP_FIELD_TITLE],
                     .text = &parser->own[RP_FIELD_TEXT],
                     .part = &parser->spare,
                     .spare = &parser->own[RP_FIELD_ID]};
    rp__mail_read(&mail, at + from, n - from);
    doc->id = mail.id;
    doc->id_bytes = mail.id_bytes;
    return rp__doc_parser_view_own(parser, doc, err);
}

const rp__corpus_format rp__corpus_mbox = {
    .name = "mbox",
    .extensions = {"mbox", "mbx"},
    .is_sure = true,
    .repeats_ids = true,
    .has_spare = true,
    .sniff = sniff,
    .split = split,
    .parse = parse,
};
