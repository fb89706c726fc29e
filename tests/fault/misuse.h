/* misuse.h: calls of public functions with good arguments, or with one required pointer NULL. For
 * test_misuse.c only. */
#ifndef RP_TESTS_FAULT_MISUSE_H
#define RP_TESTS_FAULT_MISUSE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/lab.h"
#include "riposte/executor.h"
#include "riposte/riposte.h"
#include "riposte/synth.h"
#include "tempdir.h"

enum { MISUSE_DOCIDS = 1000 };

/* What the calls use: a sound value of every type. */
typedef struct misuse_world {
    tempdir dir;
    char collection[300], topics_file[300], index_dir[300], other_dir[300], exported[300];
    char qrels[300], run[300];
    rp_index *index;
    rp_searcher *searcher;
    rp_document document;
    uint32_t docids[MISUSE_DOCIDS], decoded[MISUSE_DOCIDS + RP_LAB_ROOM];
    rp__lab_list *list;
    rp__lab_target *target;
    rp__lab_set set;
    rp__lab_gpu *gpu;
    rp_eval *eval;
    rp_topics *topics;
} misuse_world;
extern misuse_world misuse;

/* Which required pointer is NULL in this call; -1: none. */
extern int misuse_missing;
#define NEED(i, pointer) ((i) == misuse_missing ? NULL : (pointer))

/* How a function fails: by 0, NULL or nothing done; by a status; by a status and an rp_error. */
typedef enum misuse_kind { VALUE, STATUS, STATUS_AND_ERROR } misuse_kind;

/* One public function. The call of a VALUE gives the status that the function would have had. */
typedef struct misuse_row {
    const char *name;
    rp_status (*call)(rp_error *err);
    misuse_kind kind;
    const char *required; /* the names of its required pointers, in the order of NEED */
} misuse_row;

extern const misuse_row misuse_rows[], misuse_lab_rows[]; /* the last has no name */

#define CALL(name) static rp_status call_##name(__attribute__((unused)) rp_error *err)
#define ROW(name, kind, required)                                                                  \
    {                                                                                              \
#name, call_##name, kind, required                                                         \
    }

/* A function that frees nothing where there is nothing. */
#define FREE_CALL(name)                                                                            \
    CALL(name)                                                                                     \
    {                                                                                              \
        name(NULL);                                                                                \
        return RP_OK;                                                                              \
    }

static inline rp_status misuse_has(bool is_there)
{
    return is_there ? RP_OK : RP_USAGE;
}

/* Helpers that test_misuse.c uses too. Free what they return. */
rp_builder *misuse_new_builder(const rp_build_options *options);
rp__lab_list *misuse_list_with_at(void); /* of misuse.docids, by a codec that rp__lab_at can read */

#endif
