/* engine/measures.h: interior of engine: measures of one ranking, one row each, as trec_eval 9 has
 * them. */
#ifndef RP_ENGINE_MEASURES_H
#define RP_ENGINE_MEASURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a topic's judgments say of its ranking. */
typedef struct rp__ranking {
    const int32_t *grades; /* of what was retrieved, in order; negative: not judged */
    const int32_t *ideal;  /* the positive grades of all judged, falling */
    size_t n, n_ideal;
    size_t n_relevant, n_other; /* judged: relevant, and not */
    size_t n_found;             /* relevant ones that were retrieved */
    int32_t level;              /* a grade of at least this is relevant */
    double persistence;
} rp__ranking;

typedef enum rp__measure_kind {
    RP_MEASURE_MEAN,
    RP_MEASURE_COUNT,     /* its total is a sum */
    RP_MEASURE_GEOMETRIC, /* its total is the geometric mean; only that is shown */
} rp__measure_kind;

typedef struct rp__measure {
    const char *name; /* ends in _ if it takes a number */
    rp__measure_kind kind;
    const char *const *usual; /* its usual numbers, as they are written; NULL: it takes none */
    double (*value)(const rp__ranking *ranking, double number);
} rp__measure;

/* The least value that a geometric mean takes for a topic. */
#define RP_MEASURE_LEAST 0.00001

const rp__measure *rp__measures_at(size_t i); /* NULL past the last */

#endif
