/* corpus_csv.c: tables of RFC 4180: cells parted by commas; a cell in quotes may have commas, ends of
 * lines and, doubled, quotes. A row is a document, the first row may be a header (columns.c). A quote
 * inside a cell that does not begin with one is itself. */
#include "engine/columns.h"

#include "base/error.h"

enum { CELL_BEGIN, IN_CELL, IN_QUOTES, AFTER_QUOTE }; /* rp__split.state.mode */

/* ---- Splitting ------------------------------------------------------------------------------- */

/* The state after a byte. */
static uint8_t step(uint8_t mode, char c)
{
    if (mode == IN_QUOTES)
        return c == '"' ? AFTER_QUOTE : IN_QUOTES;
    if (c == '"' && (mode == CELL_BEGIN || mode == AFTER_QUOTE))
        return IN_QUOTES;
    return c == ',' ? CELL_BEGIN : IN_CELL;
}

static bool is_blank(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r'))
        i++;
    return i == n;
}

static bool found(rp__split *s, size_t begin, size_t end, size_t used)
{
    s->begin = begin;
    s->end = end;
    s->used = used;
    s->scanned = 0;
    s->state.mode = CELL_BEGIN;
    s->state.is_passing = false;
    return true;
}

static bool split(rp__split *s)
{
    if (s->is_passing && !s->state.is_passing) { /* what is there of it is read again */
        s->state.mode = CELL_BEGIN;
        s->state.is_passing = true;
    }
    size_t begin = 0;
    uint8_t mode = s->state.mode;
    for (size_t i = s->scanned; i < s->n; i++) {
        char c = s->at[i];
        if (c != '\n' || mode == IN_QUOTES) {
            mode = step(mode, c);
            continue;
        }
        if (s->is_passing || !is_blank(s->at + begin, i - begin))
            return found(s, begin, i, i + 1);
        begin = i + 1;
        mode = CELL_BEGIN;
    }
    if (s->is_end && (s->is_passing || !is_blank(s->at + begin, s->n - begin)))
        return found(s, begin, s->n, s->n);
    s->used = s->is_passing || s->is_end ? s->n : begin;
    s->scanned = s->n - s->used;
    s->state.mode = mode;
    return false;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* The cell at *at, which moves past its comma; NULL after the last. False: its quotes do not close. */
static bool next_cell(const char **at, const char *end, rp__cell *cell)
{
    const char *p = *at;
    bool is_quoted = p < end && *p == '"';
    *cell = (rp__cell){.at = p + is_quoted};
    if (is_quoted) {
        p++;
        while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) {
            cell->has_escapes |= *p == '"';
            p += *p == '"' ? 2 : 1;
        }
        if (p >= end)
            return false;
        cell->n = (size_t)(p - cell->at);
        p++;
    }
    const char *rest = p;
    while (p < end && *p != ',')
        p++;
    if (!is_quoted)
        cell->n = (size_t)(p - rest);
    else if (p > rest) { /* text behind the quotes belongs to the cell, quotes and all */
        cell->at = *at;
        cell->n = (size_t)(p - *at);
        cell->has_escapes = false;
    }
    *at = p < end ? p + 1 : NULL;
    return true;
}

static const char *row_end(const char *begin, size_t n)
{
    return begin + n - (n > 0 && begin[n - 1] == '\r');
}

/* The columns of the first row. False: it is no header. */
static bool read_header(const rp__sniff *s, rp__columns *columns, rp__split *row,
                        rp__dropped *dropped)
{
    rp__cell cell;
    *row = (rp__split){.at = s->head, .n = s->n, .is_end = s->is_whole};
    if (!split(row))
        return false;
    const char *at = s->head + row->begin, *end = row_end(at, row->end - row->begin);
    while (at && next_cell(&at, end, &cell))
        rp__columns_add(columns, s->names, &cell);
    if (at)
        *columns = (rp__columns){0};
    if (at || !rp__columns_end(columns, s->names))
        return false;
    at = s->head + row->begin;
    for (size_t i = 0; dropped && at && next_cell(&at, end, &cell); i++)
        if (rp__columns_role(columns, i) == RP_FIELDS)
            rp__dropped_add(dropped, cell.at, cell.n);
    return true;
}

/* By its name, if one column is known; otherwise two must be. */
static bool sniff(const rp__sniff *s)
{
    rp__columns columns = {0};
    rp__split row;
    return read_header(s, &columns, &row, NULL) && columns.n > 1 &&
           (s->has_suffix || columns.known > 1) && !(s->in_folder && columns.missing);
}

static size_t begin(const rp__sniff *s, rp__columns *columns, rp__dropped *dropped)
{
    rp__split row;
    return read_header(s, columns, &row, dropped) ? row.used : 0;
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    const char *begin_at = (const char *)batch->bytes.at + batch->records[i].offset;
    const char *at = begin_at, *end = row_end(begin_at, batch->records[i].bytes);
    for (size_t column = 0; at; column++) {
        rp__cell cell;
        const char *cell_at = at;
        if (!next_cell(&at, end, &cell))
            return rp__doc_parser_fault(batch, i, (size_t)(cell_at - begin_at), RP_INPUT,
                                        "the quote that begins this cell is not closed", err);
        rp__columns_put(parser, doc, rp__columns_role(&batch->columns, column), &cell);
    }
    for (size_t f = 0; f < RP_FIELDS; f++)
        if (parser->own[f].failed)
            return rp__error_no_memory(err);
    return RP_OK;
}

const rp__corpus_format rp__corpus_csv = {
    .name = "csv",
    .extensions = {"csv"},
    .is_sure = false, /* prose has commas */
    .sniff = sniff,
    .begin = begin,
    .split = split,
    .parse = parse,
};
