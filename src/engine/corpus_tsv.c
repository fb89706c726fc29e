/* corpus_tsv.c: a document a line, columns parted by tabs: id, text; or id, title, text; or, with four
 * and more as in MS MARCO's documents, id, address (left out), title and all the rest. */
#include "engine/corpus_format.h"

#include <string.h>

/* Most lines have a tab, the first one among them. A line that the head cuts is not looked at. */
static bool sniff(const char *head, size_t n)
{
    rp__split s = {.at = head, .n = n};
    size_t lines = 0, with_tab = 0;
    while (rp__corpus_format_split_line(&s)) {
        lines++;
        with_tab += memchr(s.at + s.begin, '\t', s.end - s.begin) != NULL;
        if (with_tab == 0)
            return false;
        s.at += s.used;
        s.n -= s.used;
        s.used = 0;
    }
    if (lines == 0)
        return memchr(head, '\t', n) != NULL;
    return with_tab * 2 > lines;
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    (void)parser;
    rp_status status = rp__doc_parser_check_utf8(batch, i, err);
    if (status != RP_OK)
        return status;
    size_t n = batch->records[i].bytes, n_tabs = 0;
    const char *begin = (const char *)batch->bytes.at + batch->records[i].offset;
    const char *end = n && begin[n - 1] == '\r' ? begin + n - 1 : begin + n, *tabs[3];
    for (const char *p = begin; n_tabs < 3 && (p = memchr(p, '\t', (size_t)(end - p))); p++)
        tabs[n_tabs++] = p;
    if (n_tabs == 0)
        return rp__doc_parser_fault(batch, i, (size_t)(end - begin), RP_INPUT,
                                    "expected a tab after the id, then the text", err);
    doc->id = begin;
    doc->id_bytes = (size_t)(tabs[0] - begin);
    doc->text = tabs[n_tabs - 1] + 1;
    doc->text_bytes = (size_t)(end - doc->text);
    if (n_tabs > 1) {
        doc->title = tabs[n_tabs - 2] + 1;
        doc->title_bytes = (size_t)(tabs[n_tabs - 1] - doc->title);
    }
    return RP_OK;
}

const rp__corpus_format rp__corpus_tsv = {
    .name = "tsv",
    .extensions = {"tsv"},
    .is_sure = false, /* program text and tables have tabs too */
    .sniff = sniff,
    .split = rp__corpus_format_split_line,
    .parse = parse,
};
