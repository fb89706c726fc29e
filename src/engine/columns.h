/* engine/columns.h: interior of engine: what the columns of tables are for. */
#ifndef RP_ENGINE_COLUMNS_H
#define RP_ENGINE_COLUMNS_H

#include "engine/corpus_format.h"

/* Cells of a row, one after the other. */
typedef struct rp__cell {
    const char *at;
    size_t n;
    bool has_escapes; /* "" stands for a quote */
} rp__cell;

/* A column of a header. */
void rp__columns_add(rp__columns *columns, const rp__field_names *names, const rp__cell *cell);
/* After the last column: whether it is a header, because names are known. Otherwise what
 * was known of them is forgotten, and `may_name` says what the row looks like. Either way
 * `missing` is set. */
bool rp__columns_end(rp__columns *columns, const rp__field_names *names);
/* The role of the i-th cell of a row: RP_FIELD_*; RP_FIELDS: it is left out. */
size_t rp__columns_role(const rp__columns *columns, size_t i);
/* Adds a cell of a row to the document that `doc` and the parser's own buffers hold. */
void rp__columns_put(rp__doc_parser *parser, rp__doc *doc, size_t role, const rp__cell *cell);

#endif
