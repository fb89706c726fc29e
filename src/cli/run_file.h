/* cli/run_file.h: a run, on standard output or in a file that appears whole or not at all, also where a signal
 * ends the program; and other files that are written so. */
#ifndef RP_CLI_RUN_FILE_H
#define RP_CLI_RUN_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "riposte/search.h"
#include "riposte/status.h"

typedef enum rp__run_format { RP_RUN_TREC = 0, RP_RUN_MSMARCO } rp__run_format;
extern const char *const rp__run_file_formats[]; /* their names in that order, then NULL */

/* One thread at a time. */
typedef struct rp__run_file {
    const char *path;
    char *temp; /* renamed to path at the end; NULL: written in place */
    FILE *out;
    rp__run_format format;
    bool is_terminal;
} rp__run_file;

/* path NULL or "-": standard output. A path that is there and no plain file (a device, a pipe) is
 * written in place. */
rp_status rp__run_file_open(rp__run_file *run, const char *path, rp__run_format format,
                            rp_error *err);
/* The same for any text, where a path was given. */
rp_status rp__run_file_open_if(rp__run_file *run, const char *path, rp_error *err);
/* A line a hit: qid Q0 docno rank score tag; or qid, docno and rank parted by tabs. Blanks and controls of a docno become '_'. */
rp_status rp__run_file_put(rp__run_file *run, const char *qid, const rp_hits *hits, const char *tag,
                           rp_error *err);
/* Makes the file durable and gives it its name. */
rp_status rp__run_file_commit(rp__run_file *run, rp_error *err);
/* These bytes and no more: commits. */
rp_status rp__run_file_write(rp__run_file *run, const void *bytes, size_t n, rp_error *err);
/* Without a commit before, removes what was begun. */
void rp__run_file_close(rp__run_file *run);

#endif
