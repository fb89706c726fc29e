/* cli/stats_models.h: what `riposte stats` shows of the papers' models: how near a list is to a
 * line, and how large buckets of hash segmentation are. */
#ifndef RP_CLI_STATS_MODELS_H
#define RP_CLI_STATS_MODELS_H

#include "base/json.h"
#include "lab/lab.h"

/* A term's list beside its line. */
typedef struct rp__stats_line {
    const char *word;
    uint64_t every; /* postings for one point; 0: none is shown */
    rp__lab_set set;
    rp__lab_line line;
    rp__lab_random_list random;
    rp__lab_lookup accesses, compares;
} rp__stats_line;

rp_status rp__stats_models_line(const rp_index *index, const char *word, uint64_t every,
                                rp__stats_line *out, rp_error *err);
void rp__stats_models_print_line(const rp__stats_line *line);
void rp__stats_models_write_line(rp__json_writer *w, const rp__stats_line *line);

/* Of RP_LAB_BUCKET_KINDS. */
void rp__stats_models_print_buckets(const rp__lab_buckets *buckets);
void rp__stats_models_write_buckets(rp__json_writer *w, const rp__lab_buckets *buckets);

#endif
