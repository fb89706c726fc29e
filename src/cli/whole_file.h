/* cli/whole_file.h: a text file that appears whole or not at all, also where a signal ends the
 * program. */
#ifndef RP_CLI_WHOLE_FILE_H
#define RP_CLI_WHOLE_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "riposte/status.h"

/* One thread at a time. */
typedef struct rp__whole_file {
    const char *path;
    char *temp; /* renamed to path at the end; NULL: written in place */
    FILE *out;  /* NULL: none is wanted */
} rp__whole_file;

/* path NULL: none is wanted. One that is there and no regular file (a device, a FIFO) is written in
 * place. */
rp_status rp__whole_file_open(rp__whole_file *file, const char *path, rp_error *err);
/* Makes the file durable and gives it its name. */
rp_status rp__whole_file_commit(rp__whole_file *file, rp_error *err);
/* These bytes and no more: commits. */
rp_status rp__whole_file_write(rp__whole_file *file, const void *bytes, size_t n, rp_error *err);
/* Without a commit before, removes what was begun. */
void rp__whole_file_close(rp__whole_file *file);

#endif
