/* lab/lab_sim.h: chapter 9 of the laboratory: IIU, simulated, on an index or an image.
 *
 * Queries are single terms and pairs, as in the paper; trees are answered by the processor iiu.
 * Configurations and reports are sim's own records (sim/sim.h). */
#ifndef RP_LAB_LAB_SIM_H
#define RP_LAB_LAB_SIM_H

#include "lab/sim_timeline.h"
#include "riposte/index.h"
#include "riposte/status.h"
#include "sim/sim.h"

/* What the machine reads, and queries to it. One thread at a time but for rp__lab_sim_run. */
typedef struct rp__lab_sim rp__lab_sim;

/* `path` is the folder of an index in codec iiu, or an image. RP_UNAVAILABLE: an index in another
 * codec; err has the command that makes one. */
rp_status rp__lab_sim_open(const char *path, rp__lab_sim **out, rp_error *err);
void rp__lab_sim_close(rp__lab_sim *sim); /* NULL is fine */

/* What a sound image holds. */
typedef struct rp__lab_sim_image_info {
    uint64_t docs, lists, postings;
} rp__lab_sim_image_info;

/* Reads all of an image: every checksum, header, block and posting. RP_DAMAGED: at least one fault,
 * the first of which is in err. `on_fault` (optional) gets each of them, as of rp_index_check. */
rp_status rp__lab_sim_check(const char *path, rp_check_fn *on_fault, void *arg,
                            rp__lab_sim_image_info *out, rp_error *err);

/* By the number of terms: one is a single term, two are an AND; or always so. Of `single`, each
 * term is a query of its own. */
typedef enum rp__lab_sim_mode {
    RP_LAB_SIM_BY_TERMS,
    RP_LAB_SIM_AND,
    RP_LAB_SIM_OR,
    RP_LAB_SIM_SINGLE
} rp__lab_sim_mode;

/* Queries that could not be added. */
typedef struct rp__lab_sim_left_out {
    uint64_t unknown; /* with a term that has no list */
    uint64_t other;   /* with another number of terms than the mode takes */
} rp__lab_sim_left_out;

/* Adds a query. Words go through the index's analyzer; of an image they are split at blanks and
 * taken as they are. RP_NOT_FOUND: a word has no list; RP_LIMIT: more than two words, or a mode of
 * pairs and only one. Neither is added, and both are counted. */
rp_status rp__lab_sim_add(rp__lab_sim *sim, const char *text, size_t bytes, rp__lab_sim_mode mode,
                          rp_error *err);

typedef struct rp__lab_sim_query {
    const char *text; /* its terms, separated by a blank; until the simulation is closed */
    uint32_t type;    /* rp__query_type */
    uint32_t n[2];    /* postings of its lists; of a single term the second is 0 */
} rp__lab_sim_query;

size_t rp__lab_sim_count(const rp__lab_sim *sim);
rp__lab_sim_left_out rp__lab_sim_count_left_out(const rp__lab_sim *sim);
/* i < count. */
void rp__lab_sim_get(const rp__lab_sim *sim, size_t i, rp__lab_sim_query *out);

/* What a run gave. */
typedef struct rp__lab_sim_result {
    rp__completion *completions; /* by query; cycles count from the first query on */
    rp__sim_report report;       /* of all machines that ran, one after the other */
    uint64_t failed;             /* queries whose status is not OK */
    uint64_t results;            /* documents of all queries */
    double topk_seconds;         /* that the host took for the 10 best of each: measured */
    double seconds;              /* that the simulation took */
    /* after RP_LIMIT, a machine without progress: what each of its units did last */
    char states[RP_SIM_STATES_BYTES];
} rp__lab_sim_result;

/* Told now and then how many queries are done, and cycles; false: RP_INTERRUPTED. */
typedef bool rp__lab_sim_progress_fn(void *arg, size_t queries, uint64_t cycles);

/* Runs all queries, in flight together as far as the configuration lets them; with mode=intra one
 * after the other, each on an idle machine. Where their results take more than 256 MiB, one machine
 * runs after the other. Any number of threads may run at once. `timeline` (optional) gets what
 * each unit did. Free the result, also after a failure. */
rp_status rp__lab_sim_run(const rp__lab_sim *sim, const rp__sim_config *config,
                          rp__lab_sim_progress_fn *on_progress, void *arg,
                          rp__sim_timeline *timeline, rp__lab_sim_result *out, rp_error *err);
void rp__lab_sim_result_free(rp__lab_sim_result *result); /* all zero is fine */

/* One configuration of many. */
typedef struct rp__lab_sim_case {
    rp__sim_config config;
    rp_status status;
    rp_error err;
    rp__lab_sim_result result; /* free it */
} rp__lab_sim_case;

/* Runs them on so many threads; what comes out does not depend on that. Progress is that of all
 * and told by one thread at a time. After a failure some may have run: each has its status, and
 * a result to free. */
rp_status rp__lab_sim_sweep(const rp__lab_sim *sim, rp__lab_sim_case *cases, size_t n,
                            uint32_t threads, rp__lab_sim_progress_fn *on_progress, void *arg,
                            rp_error *err);

#endif
