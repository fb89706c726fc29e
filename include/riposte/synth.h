/* riposte/synth.h: collections and query logs that stand in for those of papers, which are closed
 * or large: drawn from a seed, as indexes of the lists that the queries need. docs/synth.md says
 * what they are made to be like, and how close they come.
 *
 * May change with any version. */
#ifndef RIPOSTE_SYNTH_H
#define RIPOSTE_SYNTH_H

#include <stddef.h>
#include <stdint.h>

#include "riposte/index.h"
#include "riposte/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How documents are numbered. Each is a draw of its own, not another one's renumbered. */
typedef enum rp_synth_order {
    RP_SYNTH_CRAWL = 0, /* neighbours are alike */
    RP_SYNTH_RANDOM,    /* any two are as far apart as any others */
    RP_SYNTH_RANK       /* the best first, and they hold more terms */
} rp_synth_order;

/* All zero or NULL: the default named beside each field. */
typedef struct rp_synth_options {
    size_t size;      /* as status.h says: 0, or sizeof this record */
    uint32_t docs;    /* as many as the collection has */
    uint32_t queries; /* 10,000 */
    uint64_t seed;    /* 0 is one as any other */
    rp_synth_order order;
    const char *queries_out;         /* the folder's name with ".queries.tsv" behind it */
    const char *codec, *freqs, *aux; /* as in rp_build_options */
    uint64_t memory;                 /* bytes in all: 1 GiB. The longest list must fit */
    uint32_t threads;                /* 1; fewer work at once where memory is short */
    rp_progress_fn *on_progress;     /* phase "drawing"; its bytes are postings */
    void *progress_arg;
} rp_synth_options;

typedef struct rp_synth_stats {
    rp_build_stats build;
    uint64_t queries, query_terms; /* of all queries */
    uint64_t query_postings;       /* of all lists of all queries */
} rp_synth_stats;

/* The i-th collection's name; NULL past the last. */
const char *rp_synth_name(size_t i);

/* Draws the collection of that name into folder `dir`, replacing an index that is there, and a log
 * of queries on it, lines of qid, tab and words. The bytes depend on name, docs, queries, seed,
 * order and codec alone. After a failure the old index and the old log, if any, are as they were,
 * but that a log which cannot be put in its place is missed beside a new index. `stats` may be
 * NULL. */
rp_status rp_synth(const char *name, const char *dir, const rp_synth_options *options,
                   rp_synth_stats *stats, rp_error *err);

#ifdef __cplusplus
}
#endif
#endif
