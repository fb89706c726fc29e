/* corpus_html.c: a page is one document: its title and what a reader sees of it (html_text.c). */
#include "engine/corpus_format.h"

#include <string.h>

#include "engine/html_text.h"
#include "engine/markup.h"

/* Past the comment or the declaration at p; NULL: it does not end. */
static const char *find_close(const char *p, size_t n)
{
    bool is_comment = p[1] == '!';
    const char *close = is_comment ? memmem(p, n, "-->", 3) : memmem(p, n, "?>", 2);
    return close ? close + (is_comment ? 3 : 2) : NULL;
}

/* The first tag is <html> or <!doctype html>; comments and the declaration of XML may stand before. */
static bool sniff(const rp__sniff *s)
{
    const char *p = s->head, *end = s->head + s->n;
    while (!s->has_suffix && p < end) {
        while (p < end && rp__markup_is_space(*p))
            p++;
        size_t left = (size_t)(end - p);
        bool is_before = left > 4 && (memcmp(p, "<!--", 4) == 0 || memcmp(p, "<?xml", 5) == 0);
        const char *close = is_before ? find_close(p, left) : NULL;
        if (!close)
            return (left > 5 && rp__markup_is_name(p, "<html", 5)) ||
                   (left > 14 && rp__markup_is_name(p, "<!doctype html", 14));
        p = close;
    }
    return s->has_suffix;
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    const char *at = (const char *)batch->bytes.at + batch->records[i].offset;
    rp__html_text_put(at, batch->records[i].bytes, &parser->own[RP_FIELD_TITLE],
                      &parser->own[RP_FIELD_TEXT]);
    return rp__doc_parser_view_own(parser, doc, err);
}

const rp__corpus_format rp__corpus_html = {
    .name = "html",
    .extensions = {"html", "htm", "xhtml"},
    .is_sure = true,
    .is_file = true,
    .sniff = sniff,
    .split = rp__corpus_format_split_file,
    .parse = parse,
};
