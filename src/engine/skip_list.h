/* engine/skip_list.h: interior of engine: files that a build skips or reads otherwise than they
 * claim, and records that it leaves out, counted by reason; what is not in the index is listed in
 * DIR.skipped. One thread at a time. */
#ifndef RP_ENGINE_SKIP_LIST_H
#define RP_ENGINE_SKIP_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "riposte/index.h"

enum {
    RP_SKIP_REASONS = 24,
    RP_SKIP_TEXT_BYTES = 160,
    RP_SKIP_PATH_BYTES = 4096,
    RP_SKIP_RECORD_BYTES = 1 << 20, /* of the lines of records; those beyond are only counted */
};

typedef enum rp__skip_kind {
    RP_SKIP_FILE,   /* a file that is not read */
    RP_SKIP_RECORD, /* a record of a file that is read */
    RP_SKIP_REMARK, /* nothing is left out: this says how the file was read */
} rp__skip_kind;

typedef struct rp__skip_reason {
    char text[RP_SKIP_TEXT_BYTES];
    char first[RP_SKIP_TEXT_BYTES]; /* path of the first, its end if it is long */
    uint64_t count;                 /* files or records */
    rp__skip_kind kind;
} rp__skip_reason;

typedef struct rp__skip_list {
    rp__skip_reason reasons[RP_SKIP_REASONS]; /* the last takes what finds no other */
    size_t n;
    uint64_t skipped;              /* files */
    uint64_t left_out;             /* records */
    uint64_t unlisted;             /* of them */
    rp__buf lines;                 /* of the file: path, tab, reason */
    rp__buf records;               /* likewise: path:line, tab, reason */
    const char *dir;               /* of the index; NULL: no file is written */
    char path[RP_SKIP_PATH_BYTES]; /* of the file; empty: too long */
} rp__skip_list;

/* `dir` is the folder of the index, and lives as long as the list; NULL: none. */
void rp__skip_list_init(rp__skip_list *list, const char *dir);
void rp__skip_list_free(rp__skip_list *list);
/* The file is not read. */
void rp__skip_list_add(rp__skip_list *list, const char *path, const char *reason);
/* A record is left out. `where` is path:line. With `is_reported` somebody says so at once, and the
 * summary need not. */
void rp__skip_list_leave_out(rp__skip_list *list, const char *where, const char *reason,
                             bool is_reported);
/* Adds what another list has. */
void rp__skip_list_merge(rp__skip_list *to, const rp__skip_list *from);
/* The file is read, but how is worth a note: "read as Windows-1252". */
void rp__skip_list_remark(rp__skip_list *list, const char *path, const char *how);
/* Writes DIR.skipped, or removes one that an earlier build left, and says what there is to say, a
 * line a reason. That the list cannot be written is a line too. */
void rp__skip_list_finish(rp__skip_list *list, rp_warn_fn *on_note, void *arg);

#endif
