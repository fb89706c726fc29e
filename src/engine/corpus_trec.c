/* corpus_trec.c: TREC's <DOC> ... </DOC>, in which <DOCNO> holds the id.
 *
 * This is not SGML: tags are found by their brackets, in any case and without a grammar. Of a
 * document, the first DOCNO is the id, the first TITLE, HEADLINE or HL the title, and all else that
 * is no tag the text; a tag becomes a blank. The five entities of XML and numbers are decoded,
 * others stay. What stands outside of documents is left out. */
#include "engine/corpus_format.h"

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

enum { MAX_TAG_BYTES = 1024 }; /* a '<' with no '>' within this is text */

static const char close_tag[] = "</doc>";
enum { CLOSE_BYTES = sizeof close_tag - 1, OPEN_BYTES = 4 /* "<doc" */ };

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        c = (char)(c | 0x20);
    return c;
}

/* Whether p begins with `lower`, in any case; n bytes of both are there. */
static bool is_same(const char *p, const char *lower, size_t n)
{
    size_t i = 0;
    while (i < n && fold(p[i]) == lower[i])
        i++;
    return i == n;
}

/* ---- Splitting ------------------------------------------------------------------------------- */

/* Where `tag` first stands in at[from, n); n: nowhere. */
static size_t find_tag(const char *at, size_t n, size_t from, const char *tag, size_t tag_bytes)
{
    while (from < n) {
        const char *p = memchr(at + from, '<', n - from);
        if (!p || n - (size_t)(p - at) < tag_bytes)
            return n;
        if (is_same(p, tag, tag_bytes))
            return (size_t)(p - at);
        from = (size_t)(p - at) + 1;
    }
    return n;
}

/* <DOC> or <DOC with attributes, but not <DOCNO>. */
static bool is_doc(const char *p, size_t n)
{
    return n > OPEN_BYTES && is_same(p, "<doc", OPEN_BYTES) &&
           (p[OPEN_BYTES] == '>' || is_space(p[OPEN_BYTES]));
}

static size_t find_doc(const char *at, size_t n)
{
    size_t i = find_tag(at, n, 0, "<doc", OPEN_BYTES);
    while (i < n && !is_doc(at + i, n - i))
        i = find_tag(at, n, i + 1, "<doc", OPEN_BYTES);
    return i;
}

/* No record in the bytes; their end may be the front of a tag, of which `keep` bytes are kept. */
static bool wait_for_more(rp__split *s, size_t keep)
{
    s->used = s->is_end ? s->n : s->n - (s->n < keep ? s->n : keep);
    s->scanned = 0;
    return false;
}

static bool found(rp__split *s, size_t begin, size_t end)
{
    s->begin = begin;
    s->end = s->used = end;
    s->scanned = 0;
    return true;
}

static bool pass_over(rp__split *s)
{
    size_t close = find_tag(s->at, s->n, 0, close_tag, CLOSE_BYTES);
    if (close < s->n)
        return found(s, close, close + CLOSE_BYTES);
    return s->is_end ? found(s, s->n, s->n) : wait_for_more(s, CLOSE_BYTES - 1);
}

/* A record begins with the line on which <DOC> stands, so that columns can be told. Once found, what
 * lies before is dropped, and `scanned` > 0 says that the record begins with the first byte. */
static bool split(rp__split *s)
{
    if (s->is_passing)
        return pass_over(s);
    size_t begin = 0, from = s->scanned;
    if (from == 0) {
        begin = from = find_doc(s->at, s->n);
        if (begin == s->n)
            return wait_for_more(s, OPEN_BYTES);
        while (begin > 0 && s->at[begin - 1] != '\n')
            begin--;
    }
    size_t close = find_tag(s->at, s->n, from, close_tag, CLOSE_BYTES);
    if (close < s->n)
        return found(s, begin, close + CLOSE_BYTES);
    if (s->is_end)
        return found(s, begin, s->n); /* parse will say that it is not closed */
    s->used = begin;
    s->scanned = s->n - begin - (CLOSE_BYTES - 1);
    return false;
}

static bool sniff(const char *head, size_t n)
{
    size_t i = 0;
    while (i < n && is_space(head[i]))
        i++;
    return is_doc(head + i, n - i);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

typedef enum part { PART_DOC, PART_ID, PART_TITLE } part;

static const struct {
    const char *name;
    part part;
} tags[] = {
    {"doc", PART_DOC},  {"docno", PART_ID},       {"title", PART_TITLE},
    {"hl", PART_TITLE}, {"headline", PART_TITLE},
};

static const struct {
    const char *name;
    char value;
} entities[] = {{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}};

typedef struct reader {
    const char *at, *end;
    rp__buf *to; /* where text goes now: the parser's title or text */
    rp__buf *title, *text;
    rp__doc *doc;
} reader;

static void trim(const char **at, size_t *n)
{
    while (*n > 0 && is_space(**at)) {
        (*at)++;
        (*n)--;
    }
    while (*n > 0 && is_space((*at)[*n - 1]))
        (*n)--;
}

/* The value of digits from p up to a semicolon, at most 7 of them; 0: it is no such thing. */
static uint32_t read_code(const char *p, const char *end, uint32_t base, const char **after)
{
    uint32_t code = 0;
    for (int i = 0; i < 8 && p < end; i++, p++) {
        char c = fold(*p);
        if (c == ';') {
            *after = p + 1;
            return code;
        }
        uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') : (uint32_t)(c - 'a') + 10;
        if (digit >= base)
            return 0;
        code = code * base + digit;
    }
    return 0;
}

static bool put_number(reader *r)
{
    const char *digits = r->at + 2, *after = NULL;
    bool is_hex = r->end - digits > 0 && fold(*digits) == 'x';
    uint32_t code = read_code(digits + is_hex, r->end, is_hex ? 16 : 10, &after);
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return false;
    char bytes[4];
    rp__buf_put(r->to, bytes, rp__utf8_encode(code, bytes));
    r->at = after;
    return true;
}

static bool put_entity(reader *r)
{
    size_t left = (size_t)(r->end - r->at);
    if (left > 2 && r->at[1] == '#')
        return put_number(r);
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        size_t n = strlen(entities[i].name);
        if (left > n && memcmp(r->at + 1, entities[i].name, n) == 0) {
            rp__buf_put_byte(r->to, (uint8_t)entities[i].value);
            r->at += n + 1;
            return true;
        }
    }
    return false;
}

/* The end of the tag at r->at, past its '>'; NULL: it is none. */
static const char *find_tag_end(const reader *r)
{
    size_t left = (size_t)(r->end - r->at);
    if (left < 3)
        return NULL;
    char c = fold(r->at[r->at[1] == '/' ? 2 : 1]);
    if ((c < 'a' || c > 'z') && c != '!' && c != '?')
        return NULL;
    const char *close = memchr(r->at, '>', left < MAX_TAG_BYTES ? left : MAX_TAG_BYTES);
    return close ? close + 1 : NULL;
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
    while (end < after && *end != '>' && *end != '/' && !is_space(*end))
        end++;
    size_t n = (size_t)(end - name), i = 0;
    while (i < sizeof tags / sizeof *tags &&
           !(strlen(tags[i].name) == n && is_same(name, tags[i].name, n)))
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
        const char *after = *r->at == '<' ? find_tag_end(r) : NULL;
        if (after) {
            if (!read_tag(r, after))
                return false;
        } else if (*r->at == '<' || !put_entity(r)) {
            rp__buf_put_byte(r->to, (uint8_t)*r->at++);
        }
    }
    return true;
}

static void view(const rp__buf *buf, const char **at, size_t *n)
{
    if (buf->n == 0)
        return;
    *at = (const char *)buf->at;
    *n = buf->n;
    trim(at, n);
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    const char *at = (const char *)batch->bytes.at + batch->records[i].offset;
    size_t n = batch->records[i].bytes, begin = find_doc(at, n);
    rp_status status = rp__doc_parser_check_utf8(batch, i, err);
    if (status != RP_OK)
        return status;
    const char *body = begin < n ? memchr(at + begin, '>', n - begin) : NULL;
    if (!body || (size_t)(at + n - body) <= CLOSE_BYTES ||
        !is_same(at + n - CLOSE_BYTES, close_tag, CLOSE_BYTES))
        return rp__doc_parser_fault(batch, i, begin, RP_INPUT,
                                    "this <DOC> is not closed before the end of the file", err);
    rp__buf *own = parser->own;
    reader r = {body + 1,
                at + n - CLOSE_BYTES,
                &own[RP_FIELD_TEXT],
                &own[RP_FIELD_TITLE],
                &own[RP_FIELD_TEXT],
                doc};
    if (!read_body(&r))
        return rp__doc_parser_fault(batch, i, (size_t)(r.at - at), RP_INPUT,
                                    "a <DOC> in another: the one before has no </DOC>", err);
    if (r.title->failed || r.text->failed)
        return rp__error_no_memory(err);
    if (doc->id_bytes == 0)
        return rp__doc_parser_fault(batch, i, begin, RP_INPUT, "this <DOC> has no <DOCNO>", err);
    view(r.title, &doc->title, &doc->title_bytes);
    view(r.text, &doc->text, &doc->text_bytes);
    return RP_OK;
}

const rp__corpus_format rp__corpus_trec = {
    .name = "trec",
    .extensions = {"trec", "sgml"},
    .is_sure = true,
    .sniff = sniff,
    .split = split,
    .parse = parse,
};
