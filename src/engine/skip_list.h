/* engine/skip_list.h: interior of engine: files that a build skips or reads otherwise than they
 * claim, counted by reason; those skipped are listed in DIR.skipped. One thread at a time. */
#ifndef RP_ENGINE_SKIP_LIST_H
#define RP_ENGINE_SKIP_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "riposte/index.h"

enum { RP_SKIP_REASONS = 24, RP_SKIP_TEXT_BYTES = 160, RP_SKIP_PATH_BYTES = 4096 };

typedef struct rp__skip_reason {
    char text[RP_SKIP_TEXT_BYTES];
    char first[RP_SKIP_TEXT_BYTES]; /* path of the first file, its end if it is long */
    uint64_t files;
    bool is_skip; /* otherwise the files were read, and this says how */
} rp__skip_reason;

typedef struct rp__skip_list {
    rp__skip_reason reasons[RP_SKIP_REASONS]; /* the last takes what finds no other */
    size_t n;
    uint64_t skipped;
    rp__buf lines;                 /* of the file: path, tab, reason */
    const char *dir;               /* of the index; NULL: no file is written */
    char path[RP_SKIP_PATH_BYTES]; /* of the file; empty: too long */
} rp__skip_list;

/* `dir` is the folder of the index, and lives as long as the list; NULL: none. */
void rp__skip_list_init(rp__skip_list *list, const char *dir);
void rp__skip_list_free(rp__skip_list *list);
/* The file is not read. */
void rp__skip_list_add(rp__skip_list *list, const char *path, const char *reason);
/* The file is read, but how is worth a note: "read as Windows-1252". */
void rp__skip_list_remark(rp__skip_list *list, const char *path, const char *how);
/* Writes DIR.skipped, or removes one that an earlier build left, and says what there is to say, a
 * line a reason. That the list cannot be written is a line too. */
void rp__skip_list_finish(rp__skip_list *list, rp_warn_fn *on_note, void *arg);

#endif
