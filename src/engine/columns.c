/* columns.c: which column of a table is the id, the title and the text.
 *
 * A header is a first row in which two names are known, or one that the user gave, or one and no cell has
 * a digit, as data often have. Of a field's names the first counts. Without a column of text, all but id and title are text;
 * without a header, all are. Cells beyond the header are text as well, so that a row which was not quoted
 * as it should be loses nothing. */
#include "engine/columns.h"

#include <string.h>

/* While a header is read, a role is a field and, above it, which of the field's names it has. */
enum { RANK_SHIFT = 4, ROLE_MASK = 15 };

void rp__columns_add(rp__columns *columns, const rp__field_names *names, const rp__cell *cell)
{
    uint8_t rank = 0;
    if (columns->n == RP_COLUMNS_MAX)
        return;
    size_t f = rp__field_names_find_folded(names, cell->at, cell->n, &rank);
    columns->roles[columns->n++] = (uint8_t)(f | (size_t)rank << RANK_SHIFT);
    columns->known = (uint16_t)(columns->known + (f < RP_FIELDS));
    for (size_t i = 0; i < cell->n && f == RP_FIELDS; i++) {
        columns->has_digits |= cell->at[i] >= '0' && cell->at[i] <= '9';
        columns->has_blanks |= cell->at[i] == ' ';
    }
}

/* The column that has a field by the first of its names; columns->n: none. */
static size_t find_column(const rp__columns *columns, size_t field)
{
    size_t best = columns->n;
    for (size_t i = 0; i < columns->n; i++)
        if ((columns->roles[i] & ROLE_MASK) == field &&
            (best == columns->n || columns->roles[i] < columns->roles[best]))
            best = i;
    return best;
}

bool rp__columns_end(rp__columns *columns, const rp__field_names *names)
{
    size_t at[RP_FIELDS] = {0};
    bool is_given = false;
    for (size_t f = 0; f < RP_FIELDS; f++) {
        at[f] = find_column(columns, f);
        bool is_there = at[f] < columns->n;
        is_given |= names->is_given[f] && is_there;
        if (names->is_given[f] && !is_there)
            columns->missing = (uint8_t)(f + 1);
    }
    columns->has_header =
        columns->known > 1 || (columns->known == 1 && (is_given || !columns->has_digits));
    if (!columns->has_header) {
        *columns = (rp__columns){.missing = columns->missing,
                                 .has_blanks = columns->has_blanks,
                                 .may_name = columns->n > 0 && !columns->has_digits};
        return false;
    }
    bool has_text = at[RP_FIELD_TEXT] < columns->n;
    for (size_t i = 0; i < columns->n; i++)
        columns->roles[i] = has_text ? RP_FIELDS : RP_FIELD_TEXT;
    for (size_t f = 0; f < RP_FIELDS; f++)
        if (at[f] < columns->n)
            columns->roles[at[f]] = (uint8_t)f;
    return true;
}

size_t rp__columns_role(const rp__columns *columns, size_t i)
{
    return columns->has_header && i < columns->n ? columns->roles[i] : RP_FIELD_TEXT;
}

static void put_cell(rp__buf *out, const rp__cell *cell)
{
    const char *at = cell->at, *end = at + cell->n, *quote;
    while (cell->has_escapes && (quote = memchr(at, '"', (size_t)(end - at))) && quote + 1 < end) {
        rp__buf_put(out, at, (size_t)(quote + 1 - at));
        at = quote + 1 + (quote[1] == '"');
    }
    rp__buf_put(out, at, (size_t)(end - at));
}

void rp__columns_put(rp__doc_parser *parser, rp__doc *doc, size_t role, const rp__cell *cell)
{
    const char **at[RP_FIELDS] = {&doc->id, &doc->title, &doc->text};
    size_t *n[RP_FIELDS] = {&doc->id_bytes, &doc->title_bytes, &doc->text_bytes};
    if (role == RP_FIELDS || cell->n == 0)
        return;
    rp__buf *own = &parser->own[role];
    if (*n[role] == 0 && !cell->has_escapes) { /* the only one so far: a view is enough */
        *at[role] = cell->at;
        *n[role] = cell->n;
        return;
    }
    if (own->n == 0)
        rp__buf_put(own, *at[role], *n[role]);
    if (own->n > 0)
        rp__buf_put_byte(own, '\n');
    put_cell(own, cell);
    *at[role] = (const char *)own->at;
    *n[role] = own->n;
}
