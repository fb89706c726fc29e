/* corpus_mediawiki.c: dumps of MediaWiki: a <page> is a document, <id> its id, <title> its title and the
 * last <text> its text, whose markup is reduced (wikitext.c). */
#include "engine/corpus_format.h"

#include <string.h>

#include "engine/markup.h"
#include "engine/tag_split.h"
#include "engine/wikitext.h"

static const rp__tag_pair page_tags = {"<page", 5, "</page>", 7};

static bool split(rp__split *s)
{
    return rp__tag_split(s, &page_tags);
}

/* The first tag is <mediawiki>, or the first of a piece of a dump is <page>. */
static bool sniff(const rp__sniff *s)
{
    const char *p = s->head, *end = s->head + s->n;
    while (p < end && (rp__markup_is_space(*p) || (end - p > 1 && p[0] == '<' && p[1] == '?'))) {
        const char *close = *p == '<' ? memmem(p, (size_t)(end - p), "?>", 2) : p;
        if (!close)
            return false;
        p = close + (*p == '<' ? 2 : 1);
    }
    size_t n = (size_t)(end - p);
    return (n > 11 && memcmp(p, "<mediawiki", 10) == 0) ||
           (s->has_suffix && rp__tag_split_is_open(p, n, &page_tags));
}

/* What stands between the first <name> from `from` and its </name>; NULL: there is none. */
static const char *find_element(const char *from, const char *end, const char *name, size_t *n)
{
    size_t name_bytes = strlen(name);
    for (const char *p = from; (p = memchr(p, '<', (size_t)(end - p))); p++) {
        size_t rest = (size_t)(end - p) - 1;
        if (rest <= name_bytes || memcmp(p + 1, name, name_bytes) != 0 ||
            (p[1 + name_bytes] != '>' && p[1 + name_bytes] != ' '))
            continue;
        const char *body = memchr(p, '>', (size_t)(end - p));
        if (!body)
            return NULL;
        body++;
        const char *close = body[-2] == '/' ? body : memchr(body, '<', (size_t)(end - body));
        *n = (size_t)((close ? close : end) - body);
        return body;
    }
    return NULL;
}

static void put_decoded(const char *at, size_t n, rp__buf *out)
{
    for (const char *end = at + n; at < end;) {
        const char *mark = memchr(at, '&', (size_t)(end - at)), *stop = mark ? mark : end;
        rp__buf_put(out, at, (size_t)(stop - at));
        at = stop;
        if (at < end && !rp__markup_put_entity(&at, end, false, out))
            rp__buf_put_byte(out, (uint8_t)*at++);
    }
}

/* The last <text>: dumps of the whole history have one a revision. */
static void put_text(rp__doc_parser *parser, const char *at, const char *end)
{
    const char *text = NULL, *next;
    size_t n = 0, next_bytes;
    while ((next = find_element(at, end, "text", &next_bytes))) {
        text = next;
        n = next_bytes;
        at = next + next_bytes;
    }
    if (!text)
        return;
    put_decoded(text, n, &parser->spare);
    if (!parser->spare.failed && parser->spare.n > 0)
        rp__wikitext_put((const char *)parser->spare.at, parser->spare.n,
                         &parser->own[RP_FIELD_TEXT]);
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    const char *at = (const char *)batch->bytes.at + batch->records[i].offset;
    size_t n = batch->records[i].bytes, bytes;
    size_t begin = rp__tag_split_find_open(at, n, &page_tags), close = page_tags.close_bytes;
    if (n < close || !rp__markup_is_name(at + n - close, page_tags.close, close))
        return rp__doc_parser_fault(batch, i, begin, RP_INPUT,
                                    "this <page> is not closed before the end of the file", err);
    const char *end = at + n - close, *element = find_element(at + begin, end, "title", &bytes);
    if (element)
        put_decoded(element, bytes, &parser->own[RP_FIELD_TITLE]);
    doc->id = find_element(at + begin, end, "id", &bytes);
    doc->id_bytes = doc->id ? bytes : 0;
    if (doc->id_bytes == 0)
        doc->id = NULL;
    put_text(parser, at + begin, end);
    return rp__doc_parser_view_own(parser, doc, err);
}

const rp__corpus_format rp__corpus_mediawiki = {
    .name = "mediawiki",
    .extensions = {"mediawiki"},
    .is_sure = true,
    .has_spare = true,
    .sniff = sniff,
    .split = split,
    .parse = parse,
};
