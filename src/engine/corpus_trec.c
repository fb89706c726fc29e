/* corpus_trec.c: TREC's <DOC> ... </DOC>, in which <DOCNO> holds the id.
 *
 * This is not SGML: tags are found by their brackets, in any case and without a grammar. Of a
 * document, the first DOCNO is the id, the first TITLE, HEADLINE or HL the title, and all else that
 * is no tag the text; a tag becomes a blank. The five entities of XML and numbers are decoded,
 * others stay. What stands outside of documents is left out. */
#include "engine/corpus_format.h"

#include <string.h>

#include "base/error.h"
#include "engine/markup.h"
#include "engine/tag_split.h"

static const rp__tag_pair doc_tags = {"<doc", 4, "</doc>", 6};

static bool split(rp__split *s)
{
    return rp__tag_split(s, &doc_tags);
}

static bool sniff(const rp__sniff *s)
{
    size_t i = 0;
    while (i < s->n && rp__markup_is_space(s->head[i]))
        i++;
    return rp__tag_split_is_open(s->head + i, s->n - i, &doc_tags);
}

typedef enum part { PART_DOC, PART_ID, PART_TITLE } part;

static const struct {
    const char *name;
    part part;
} tags[] = {
    {"doc", PART_DOC},  {"docno", PART_ID},       {"title", PART_TITLE},
    {"hl", PART_TITLE}, {"headline", PART_TITLE},
};

typedef struct reader {
    const char *at, *end;
    rp__buf *to; /* where text goes now: the parser's title or text */
    rp__buf *title, *text;
    rp__doc *doc;
} reader;

static void trim(const char **at, size_t *n)
{
    while (*n > 0 && rp__markup_is_space(**at)) {
        (*at)++;
        (*n)--;
    }
    while (*n > 0 && rp__markup_is_space((*at)[*n - 1]))
        (*n)--;
}

static void take_id(reader *r)
{
    const char *stop = memchr(r->at, '<', (size_t)(r->end - r->at));
    rp__doc *doc = r->doc;
    doc->id = r->at;
    doc->id_bytes = (size_t)((stop ? stop : r->end) - r->at);
    r->at += doc->id_bytes;
    trim(&doc->id, &doc->id_bytes);
}

/* Passes the tag that ends at `after`. False: it is a <DOC>, which cannot stand in another. */
static bool read_tag(reader *r, const char *after)
{
    bool is_close = r->at[1] == '/';
    const char *name = r->at + 1 + is_close, *end = name;
    while (end < after && *end != '>' && *end != '/' && !rp__markup_is_space(*end))
        end++;
    size_t n = (size_t)(end - name), i = 0;
    while (i < sizeof tags / sizeof *tags &&
           !(strlen(tags[i].name) == n && rp__markup_is_name(name, tags[i].name, n)))
        i++;
    rp__buf_put_byte(r->to, ' ');
    if (i == sizeof tags / sizeof *tags) {
        r->at = after;
        return true;
    }
    if (tags[i].part == PART_DOC && !is_close)
        return false;
    r->at = after;
    if (tags[i].part == PART_ID && !is_close && r->doc->id_bytes == 0)
        take_id(r);
    if (tags[i].part == PART_TITLE)
        r->to = !is_close && r->title->n == 0 ? r->title : r->text;
    return true;
}

/* Everything from r->at. False: see read_tag. */
static bool read_body(reader *r)
{
    while (r->at < r->end) {
        const char *run = r->at;
        while (r->at < r->end && *r->at != '<' && *r->at != '&')
            r->at++;
        rp__buf_put(r->to, run, (size_t)(r->at - run));
        if (r->at == r->end)
            break;
        const char *after = *r->at == '<' ? rp__markup_tag_end(r->at, r->end) : NULL;
        if (after) {
            if (!read_tag(r, after))
                return false;
        } else if (*r->at == '<' || !rp__markup_put_entity(&r->at, r->end, false, r->to)) {
            rp__buf_put_byte(r->to, (uint8_t)*r->at++);
        }
    }
    return true;
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    const char *at = (const char *)batch->bytes.at + batch->records[i].offset;
    size_t n = batch->records[i].bytes, begin = rp__tag_split_find_open(at, n, &doc_tags);
    const char *body = begin < n ? memchr(at + begin, '>', n - begin) : NULL;
    if (!body || (size_t)(at + n - body) <= doc_tags.close_bytes ||
        !rp__markup_is_name(at + n - doc_tags.close_bytes, doc_tags.close, doc_tags.close_bytes))
        return rp__doc_parser_fault(batch, i, begin, RP_INPUT,
                                    "this <DOC> is not closed before the end of the file", err);
    rp__buf *own = parser->own;
    reader r = {body + 1,
                at + n - doc_tags.close_bytes,
                &own[RP_FIELD_TEXT],
                &own[RP_FIELD_TITLE],
                &own[RP_FIELD_TEXT],
                doc};
    if (!read_body(&r))
        return rp__doc_parser_fault(batch, i, (size_t)(r.at - at), RP_INPUT,
                                    "a <DOC> in another: the one before has no </DOC>", err);
    if (doc->id_bytes == 0)
        doc->id = NULL;
    doc->is_strict = !doc->id && parser->ids == RP_IDS_FIELD;
    if (doc->is_strict)
        return rp__doc_parser_fault(batch, i, begin, RP_INPUT, "this <DOC> has no <DOCNO>", err);
    return rp__doc_parser_view_own(parser, doc, err);
}

const rp__corpus_format rp__corpus_trec = {
    .name = "trec",
    .extensions = {"trec", "sgml"},
    .is_sure = true,
    .sniff = sniff,
    .split = split,
    .parse = parse,
};
