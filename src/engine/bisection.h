/* engine/bisection.h: interior of engine: an order in which documents with the same terms are near.
 *
 * Knows nothing of an index: documents are sets of numbers. */
#ifndef RP_ENGINE_BISECTION_H
#define RP_ENGINE_BISECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

typedef struct rp__bisection_doc {
    uint64_t begin; /* of its terms */
    uint32_t n;     /* how many, each once */
    uint32_t docid;
} rp__bisection_doc;

typedef struct rp__bisection {
    uint32_t n_docs, n_terms;
    uint64_t postings;
    rp__bisection_doc *docs; /* in the order they have now; what is in both arrays is lost */
    uint32_t *terms;         /* below n_terms */
    uint32_t threads;
    uint32_t iterations; /* the most in which halves exchange documents; 0: the best known */
    uint32_t leaf;       /* so many documents are not halved; 0: the best known */
    /* by the calling thread; false: stop */
    bool (*on_progress)(void *arg, uint64_t done, uint64_t of);
    void *progress_arg;
} rp__bisection;

/* What it did. A posting is passed over once in each iteration, and in each level twice besides. */
typedef struct rp__bisection_stats {
    uint32_t levels;
    uint64_t passed_levels, passed_iterations; /* postings */
} rp__bisection_stats;

/* Bytes that it takes, beside the caller's arrays. */
uint64_t rp__bisection_bytes(const rp__bisection *b);
/* order[i]: the docid of the document that comes i-th. The same for any number of threads and on
 * every machine. RP_NO_MEMORY, RP_INTERRUPTED. `stats` may be NULL. */
rp_status rp__bisection_run(const rp__bisection *b, uint32_t *order, rp__bisection_stats *stats);

#endif
