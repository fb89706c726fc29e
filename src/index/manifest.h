/* index/manifest.h: interior of index: the file that says which files are the index. */
#ifndef RP_INDEX_MANIFEST_H
#define RP_INDEX_MANIFEST_H

#include "index/format.h"
#include "rank/rank.h"
#include "riposte/status.h"
#include "store/store.h"

#define RP_MANIFEST_NAME "manifest.rp"
#define RP_MANIFEST_NEW  "manifest.tmp"

enum { RP_FILE_NAME_MAX = 40 };

/* "terms.0000002a.rp". */
void rp__manifest_file_name(rp__file_kind kind, uint64_t generation, char out[RP_FILE_NAME_MAX]);
/* Whether it is a name that a build makes; *generation of data files, 0 of temporary ones. */
bool rp__manifest_owns_name(const char *name, uint64_t *generation);

/* What a manifest says. */
typedef struct rp__manifest {
    rp__meta meta;
    char freqs[RP_NAME_BYTES]; /* the code of the frequencies; empty: the codec's own */
    char costs[RP_NAME_BYTES]; /* by which auto chose, for people; empty: not recorded */
    bool has_tiny_bits;        /* as all that are published; otherwise tiny lists are varints */
    bool is_close;             /* likewise; otherwise lists are multiples of RP_LIST_UNIT_OLD */
    bool has_stats;            /* ranking counts with `stats`, otherwise with the meta's figures */
    rp__rank_stats stats;
    rp__meta_analysis analysis; /* `tokens` is empty: plain, and nothing is dropped */
    char *stop_words;           /* allocated, NUL-ended; NULL: none */
    size_t stop_bytes;
} rp__manifest;

/* Writes and publishes. */
rp_status rp__manifest_publish(rp__folder *folder, const rp__manifest *manifest, rp_error *err);
/* RP_NOT_FOUND: there is none. Reset what this fills. */
rp_status rp__manifest_read(const rp__folder *folder, rp__manifest *out, rp_error *err);
/* What ranking counts with. */
rp__rank_stats rp__manifest_stats(const rp__manifest *manifest);
void rp__manifest_reset(rp__manifest *manifest);

#endif
