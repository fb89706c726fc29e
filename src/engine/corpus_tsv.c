/* corpus_tsv.c: a document a line, columns parted by tabs, as a header in the first line names them
 * (columns.c). Without a header: id, text; or id, title, text; or, with four and more as in MS MARCO's
 * documents, id, address (left out), title and all the rest. */
#include "engine/columns.h"

#include <string.h>

#include "base/error.h"

/* The cell at *at, which moves past its tab; NULL after the last. */
static rp__cell next_cell(const char **at, const char *end)
{
    const char *tab = memchr(*at, '\t', (size_t)(end - *at));
    rp__cell cell = {.at = *at, .n = (size_t)((tab ? tab : end) - *at)};
    *at = tab ? tab + 1 : NULL;
    return cell;
}

static const char *line_end(const char *begin, size_t n)
{
    return begin + n - (n > 0 && begin[n - 1] == '\r');
}

static size_t begin(const rp__sniff *sniff, rp__columns *columns, rp__dropped *dropped)
{
    rp__split line = {.at = sniff->head, .n = sniff->n, .is_end = sniff->is_whole};
    if (!rp__corpus_format_split_line(&line))
        return 0;
    const char *first = sniff->head + line.begin, *at = first;
    const char *end = line_end(first, line.end - line.begin);
    while (at) {
        rp__cell cell = next_cell(&at, end);
        rp__columns_add(columns, sniff->names, &cell);
    }
    if (columns->n < 2)
        *columns = (rp__columns){0};
    if (!rp__columns_end(columns, sniff->names)) {
        columns->may_name &=
            !columns->has_blanks; /* texts have blanks, and ids stand before them */
        return 0;
    }
    at = first;
    for (size_t i = 0; dropped && at; i++) {
        rp__cell cell = next_cell(&at, end);
        if (rp__columns_role(columns, i) == RP_FIELDS)
            rp__dropped_add(dropped, cell.at, cell.n);
    }
    return line.used;
}

/* Most lines have a tab, the first one among them. A line that the head cuts is not looked at. In a folder
 * the columns that the user named must be there. */
static bool sniff(const rp__sniff *sniff)
{
    rp__columns columns = {0};
    const char *head = sniff->head;
    size_t n = sniff->n;
    rp__split s = {.at = head, .n = n, .is_end = sniff->is_whole};
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
    begin(sniff, &columns, NULL);
    if (sniff->in_folder && columns.missing)
        return false;
    if (lines == 0)
        return memchr(head, '\t', n) != NULL;
    return with_tab * 2 > lines;
}

/* A line of a table that has a header. */
static rp_status parse_named(rp__doc_parser *parser, const rp__batch *batch, const char *at,
                             const char *end, rp__doc *doc, rp_error *err)
{
    for (size_t column = 0; at; column++) {
        rp__cell cell = next_cell(&at, end);
        rp__columns_put(parser, doc, rp__columns_role(&batch->columns, column), &cell);
    }
    return parser->own[RP_FIELD_TEXT].failed ? rp__error_no_memory(err) : RP_OK;
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    size_t n_tabs = 0;
    const char *begin_at = (const char *)batch->bytes.at + batch->records[i].offset, *tabs[3];
    const char *end = line_end(begin_at, batch->records[i].bytes);
    if (batch->columns.has_header)
        return parse_named(parser, batch, begin_at, end, doc, err);
    for (const char *p = begin_at; n_tabs < 3 && (p = memchr(p, '\t', (size_t)(end - p))); p++)
        tabs[n_tabs++] = p;
    if (n_tabs == 0)
        return rp__doc_parser_fault(batch, i, (size_t)(end - begin_at), RP_INPUT,
                                    "expected a tab after the id, then the text", err);
    doc->id = begin_at;
    doc->id_bytes = (size_t)(tabs[0] - begin_at);
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
    .begin = begin,
    .split = rp__corpus_format_split_line,
    .parse = parse,
};
