/* lab/bench_intersections.h: the clock around probes: short lists sought in long ones, by every
 * method, in every form of the long one. */
#ifndef RP_LAB_BENCH_INTERSECTIONS_H
#define RP_LAB_BENCH_INTERSECTIONS_H

#include "lab/bench_samples.h"
#include "lab/lab.h"

enum { RP_BENCH_LONG = 3 }; /* long lists, used in turn */

/* One form of the long lists: arrays, or a codec. */
typedef struct rp__bench_form {
    const char *name;
    double bits; /* a docid, with the directory */
    rp__lab_list *lists[RP_BENCH_LONG];
    rp__lab_target *targets[RP_BENCH_LONG];
} rp__bench_form;

/* A method in a form, at one ratio. */
typedef struct rp__bench_cell {
    size_t form, probe;
    rp__lab_probe about;
    bool is_chosen;            /* by a query */
    rp__bench_samples samples; /* nanoseconds for each docid of the short list */
} rp__bench_cell;

typedef struct rp__bench_intersections {
    const rp__lab_source *source; /* lists of an index; NULL: lists are drawn */
    uint32_t size;                /* of a drawn long list */
    uint32_t ratio;               /* postings of a long list, for each docid sought */
    uint64_t seed;
    bool has_ranks;
    uint32_t rounds;
    rp__lab_set sets[RP_BENCH_LONG];
    rp__lab_postings longs[RP_BENCH_LONG]; /* drawn, or one of the source */
    size_t n_longs;
    rp__bench_form *forms;
    size_t n_forms;
    /* Of the ratio measured last: cells, of which the first is the merge of arrays; docids of a
     * short list; docids of all short lists, and how many of them the long ones have. */
    rp__bench_cell *cells;
    size_t n_cells, cap_cells;
    uint32_t n_short;
    uint64_t sought, found;
} rp__bench_intersections;

/* Draws the long lists and codes them: as arrays, then by each codec. With a source, each ratio has
 * a pair of its lists, the one that kernels are measured with. */
rp_status rp__bench_intersections_open(rp__bench_intersections *bench, const char *const *codecs,
                                       rp_error *err);
/* Measures all cells of bench->ratio. RP_DAMAGED: what a probe found is not what the merge
 * found. */
rp_status rp__bench_intersections_run(rp__bench_intersections *bench, rp_error *err);
void rp__bench_intersections_free(rp__bench_intersections *bench);

#endif
