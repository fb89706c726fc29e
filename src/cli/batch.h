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

enum { RP_BATCH_CHUNKS = 4 }; /* one is written, one answered, one read, and one waits */

/* Seconds of the stages, most of which overlap; report: of all threads together. */
typedef struct rp__batch_spent {
    double loading; /* the file of topics, and opening the index */
    double opening; /* the processor */
    double reading, answering, writing;
    double waiting_reader, waiting_writer; /* answering had nothing to do; it was too far ahead */
    double finishing;                      /* the run becomes durable and gets its name */
    rp_batch_report report;
    rp__gpu_report_kernels kernels;
} rp__batch_spent;

/* A topic; or one that cannot be read, with the number of its error. */
typedef struct rp__batch_topic {
    rp_topic topic;
    rp_status status;
    uint32_t error;
} rp__batch_topic;

typedef struct rp__batch_chunk {
    rp__batch_topic *topics; /* CHUNK_MOST */
    rp_batch_query *answers; /* theirs */
    size_t n, written;       /* written: so many from the first on, or left out */
    rp_error *errors;        /* of topics that cannot be read */
    size_t n_errors, errors_cap;
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
    uint64_t begun_at, opened_at; /* the verb; the processor was there */
    rp__batch_spent spent;
} rp__batch_state;

/* The memory of chunks. False: there is none. */
bool rp__batch_stages_open(rp__batch_state *b);
void rp__batch_stages_close(rp__batch_state *b);
/* Opens what answers, the searcher or the executor, while topics are read; then answers and writes
 * them all. */
rp_status rp__batch_stages_run(rp__batch_state *b, rp_error *err);

#endif
