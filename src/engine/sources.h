/* engine/sources.h: interior of engine: the files of a collection, before any is opened. */
#ifndef RP_ENGINE_SOURCES_H
#define RP_ENGINE_SOURCES_H

#include "engine/corpus.h"

typedef struct rp__source {
    size_t path;    /* in names */
    size_t real;    /* in reals, where there are many paths */
    size_t path_id; /* see rp__batch */
    uint64_t bytes;
    bool in_folder; /* found there; otherwise the user named the file */
    bool is_repeat; /* the same path was there before */
} rp__source;

/* In the order in which they are read. All zero is empty. */
typedef struct rp__sources {
    rp__source *at;
    size_t n, cap;
    bool has_many_paths; /* that the user gave */
    uint64_t bytes;      /* of them all; 0: not known */
    rp__buf names;       /* paths, each ended by a NUL */
    rp__buf
        reals; /* the same without links, dots and repeated slashes, while they are looked for */
} rp__sources;

/* The files of paths, and below those that are folders. Those that are left out go to `skips`. Free
 * what this leaves, after a failure too. */
rp_status rp__sources_find(const char *const *paths, size_t n, rp__ids ids, rp__skip_list *skips,
                           rp__sources *out, rp_error *err);
const char *rp__sources_path(const rp__sources *sources, size_t i); /* "-": standard input */
void rp__sources_free(rp__sources *sources);

#endif
