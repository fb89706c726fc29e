/* engine/run_lines.h: interior of engine: the lines of a run, in memory. */
#ifndef RP_ENGINE_RUN_LINES_H
#define RP_ENGINE_RUN_LINES_H

#include "base/buf.h"
#include "riposte/topics.h"

/* What all lines of a run have. */
typedef struct rp__run_lines_form {
    rp_run_format format;
    const char *tag;
    size_t tag_bytes;
} rp__run_lines_form;

/* Appends a line for each hit of the answer. *is_altered becomes true where a docno is not its
 * document's id. Without memory the buffer has failed. */
void rp__run_lines_put(rp__buf *lines, const rp__run_lines_form *form, const rp_run_answer *answer,
                       bool *is_altered);

#endif
