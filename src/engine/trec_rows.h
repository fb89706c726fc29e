/* engine/trec_rows.h: interior of engine: TREC judgments and runs, read whole: a document a line,
 * columns parted by blanks. */
#ifndef RP_ENGINE_TREC_ROWS_H
#define RP_ENGINE_TREC_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "riposte/status.h"

typedef struct rp__trec_row {
    const char *qid, *docno; /* end with a NUL, in `text` */
    uint64_t line;
    union {
        int32_t grade; /* of a judgment */
        float score;   /* of a run */
    };
} rp__trec_row;

typedef struct rp__trec_rows {
    rp__buf text;
    rp__trec_row *at;
    size_t n, cap;
    const char *tag; /* of a run's first line; NULL: there is none */
} rp__trec_rows;

/* Sorted by (qid, docno), which no two rows share: a second is RP_INPUT, as is any bad line.
 * RP_NO_MEMORY: reading and sorting would take more than max_memory. On failure nothing is left to
 * free. */
rp_status rp__trec_rows_read_judgments(rp__trec_rows *rows, const char *path, uint64_t max_memory,
                                       rp_error *err);
/* Sorted by (qid, falling score, falling docno). */
rp_status rp__trec_rows_read_run(rp__trec_rows *rows, const char *path, uint64_t max_memory,
                                 rp_error *err);
uint64_t rp__trec_rows_memory(const rp__trec_rows *rows); /* bytes, those for sorting among them */
void rp__trec_rows_free(rp__trec_rows *rows);

#endif
