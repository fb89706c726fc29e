/* cli/batch.h: what lives while `riposte batch` answers topics. cmd_batch.c opens and reports;
 * batch_stages.c reads topics, answers them and writes their hits. */
#ifndef RP_CLI_BATCH_H
#define RP_CLI_BATCH_H

#include "base/json.h"
#include "cli/console.h"
#include "cli/gpu_report.h"
#include "cli/policy_args.h"
#include "cli/query_args.h"
#include "cli/verbs.h"
#include "riposte/topics.h"

typedef struct rp__batch_args {
    rp__common_args common;
    rp__query_args query;
    rp__policy_args policy;
    const char *output, *tag, *format;
    rp_run_format run_format;
    rp_batch_options batch;
    enum { RP_BATCH_STOP, RP_BATCH_SKIP } on_error; /* at a topic that cannot be asked */
    bool syntax;
} rp__batch_args;

enum { RP_BATCH_CHUNKS = 3 }; /* one is written, one answered, one read */

/* Seconds of the stages, which overlap; report: of all threads together. */
typedef struct rp__batch_spent {
    double reading, answering, writing;
    rp_batch_report report;
    rp__gpu_report_kernels kernels;
} rp__batch_spent;

/* A topic, or why it cannot be read. */
typedef struct rp__batch_topic {
    rp_topic topic;
    rp_status status;
    rp_error err;
} rp__batch_topic;

typedef struct rp__batch_chunk {
    rp__batch_topic *topics; /* CHUNK_MOST */
    rp_batch_query *answers; /* theirs */
    size_t n, written;       /* written: so many from the first on, or left out */
    rp_status status;        /* of reading it; its topics are good all the same */
    rp_error err;
} rp__batch_chunk;

/* Everything that lives while topics are answered. */
typedef struct rp__batch_state {
    rp__console *console;
    const rp__batch_args *args;
    rp_index *index;
    rp_searcher *searcher; /* NULL: the executor answers */
    rp_executor *executor;
    rp_topics *topics;
    rp__batch_chunk chunks[RP_BATCH_CHUNKS];
    size_t chunk_topics;  /* of the next one */
    rp_run_answer *lines; /* of the chunk that is written */
    rp_run *run;
    bool is_shown; /* the run goes to a terminal */
    rp__buf json;
    rp__json_writer w;
    bool lists_hits; /* in the JSON object, since there is no file for them */
    bool is_last;    /* the topics are at their end */
    uint64_t queries, hits, skipped, shown;
    uint64_t partial, refused; /* topics whose time was over; that the policy did not take */
    uint64_t *times;           /* of each query; nanoseconds */
    size_t times_cap;
    rp__batch_spent spent;
} rp__batch_state;

/* The memory of chunks. False: there is none. */
bool rp__batch_stages_open(rp__batch_state *b);
void rp__batch_stages_close(rp__batch_state *b);
/* Reads, answers and writes all topics. */
rp_status rp__batch_stages_run(rp__batch_state *b, rp_error *err);

#endif
