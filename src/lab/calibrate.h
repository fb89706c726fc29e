/* lab/calibrate.h: what queries of a log cost each processor of this machine, rules fitted to them,
 * and how well the rules predict queries that they were not fitted to. */
#ifndef RP_LAB_CALIBRATE_H
#define RP_LAB_CALIBRATE_H

#include <stdio.h>

#include "base/buf.h"
#include "lab/bench_query_set.h"

typedef struct rp__calibrate_options {
    rp_search_options search; /* its mode and processor do not count */
    uint32_t rounds;          /* of each query, of which the median counts; 1 to 15 */
    bool has_card;
    bool dings; /* the four features of Ding et al. alone */
} rp__calibrate_options;

/* RATIOS: of the second list's length to the shortest's, by powers of two: 1, 2, ... 8,192 and
 * more. */
enum { RP_CALIBRATE_MODES = 2, RP_CALIBRATE_PROCESSORS = 3, RP_CALIBRATE_RATIOS = 14 };

/* Of queries that the rules were not fitted to. */
typedef struct rp__calibrate_error {
    size_t fitted, tested, rules;
    double mean, p50, p90, p99; /* of the relative error */
} rp__calibrate_error;

/* Of queries of one ratio, all of which every processor that was measured has answered. */
typedef struct rp__calibrate_ratio {
    size_t n;
    double ns[RP_CALIBRATE_PROCESSORS]; /* mean; 0: not measured */
} rp__calibrate_ratio;

typedef struct rp__calibrate_figures {
    rp__calibrate_error errors[RP_CALIBRATE_MODES][RP_CALIBRATE_PROCESSORS];
    /* mean nanoseconds of a query: on a core, on the card, by the better of both, and by what the
     * rules take for it */
    double cpu[RP_CALIBRATE_MODES], gpu[RP_CALIBRATE_MODES], perfect[RP_CALIBRATE_MODES],
        chosen[RP_CALIBRATE_MODES];
    bool has_card;
    uint64_t feed_ns; /* of a core, for a query of the card; 0: none was measured */
    rp__calibrate_ratio ratios[RP_CALIBRATE_MODES][RP_CALIBRATE_RATIOS];
    /* the ratio from which on a core costs less than the card, in every group that has queries; 0:
     * in none */
    uint32_t crossover[RP_CALIBRATE_MODES];
} rp__calibrate_figures;

const char *rp__calibrate_mode(size_t i);      /* "and", "or"; NULL past the last */
const char *rp__calibrate_processor(size_t i); /* "cpu", "gpu", "batch"; NULL past the last */

typedef struct rp__calibrate rp__calibrate;

/* Measures; all must outlive it. Every fourth query is kept for the test. */
rp_status rp__calibrate_run(const rp_index *index, const rp__bench_query_set *queries,
                            const rp__calibrate_options *options, rp__calibrate **out,
                            rp_error *err);
void rp__calibrate_free(rp__calibrate *calibrate); /* NULL is fine */
void rp__calibrate_get_figures(const rp__calibrate *calibrate, rp__calibrate_figures *out);
/* What each query of a mode cost, for riposte load --replay. */
void rp__calibrate_record(const rp__calibrate *calibrate, size_t mode, const char *machine,
                          FILE *file);
/* The rules as a cost file for executors of this machine (riposte/executor.h). RP_INPUT: there were
 * too few queries for any. */
rp_status rp__calibrate_write_costs(const rp__calibrate *calibrate, const rp_index *index,
                                    rp__buf *out, rp_error *err);

#endif
