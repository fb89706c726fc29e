/* riposte/executor.h: queries from many threads, each answered by whichever processor a policy
 * says.
 *
 * An executor has a thread for each core and one for each card, and queues of jobs between them. A
 * job is handed over and answered later, by a call back. */
#ifndef RIPOSTE_EXECUTOR_H
#define RIPOSTE_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/index.h"
#include "riposte/search.h"
#include "riposte/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_executor rp_executor;

/* All zero or NULL: the default named beside each field. */
typedef struct rp_executor_options {
    size_t size;                     /* as status.h says: 0, or sizeof this record */
    const rp_search_options *search; /* of all jobs; processor must be NULL; its threads are 1 */
    const char *policy; /* rp_policy_default of the search's algorithm; rp_policy_name lists them */
    size_t threads;     /* that answer on cores: as many as there are, 256 at most */
    size_t max_queued;  /* jobs that may wait: 1,024; past it a job is RP_BUSY */
    uint64_t elements;  /* postings of shortest lists that a card is given at once: 1,048,576 */
    /* microseconds that the card's thread and one of the cores' without work look for some before
     * they sleep: 1,000; the others do for 50 at most; UINT32_MAX: they sleep at once */
    uint32_t spin_us;
    /* of the policy griffin: from how many times as many postings as there are candidates a core
     * intersects, 128; and whether a query may return to a card that it has left */
    uint64_t griffin_ratio;
    bool griffin_returns;
    /* a file of cost rules for this machine, which `riposte calibrate` writes: RIPOSTE_COSTS, else
     * built-in rules. One that is named here must be fit for use. */
    const char *costs;
} rp_executor_options;

/* What a cost file says of itself. */
typedef struct rp_costs {
    char version[24]; /* of Riposte */
    char cpu[128];    /* the model's name */
    char instructions[16];
    char card[96], driver[24]; /* "": its rules are of the cores alone */
    char codec[64];            /* of the index that was measured */
    uint32_t cores, rules;
} rp_costs;

/* Reads a cost file. RP_DAMAGED; RP_INCOMPATIBLE: another release wrote it, or, with *out filled
 * in, it is of another machine. `gpu` is as of rp_search_options. */
rp_status rp_costs_read(const char *path, const char *gpu, rp_costs *out, rp_error *err);

/* The i-th policy's name, "auto" first; what it does; and the paper that it is from, NULL: it is
 * Riposte's own. NULL past the last. */
const char *rp_policy_name(size_t i);
const char *rp_policy_help(size_t i);
const char *rp_policy_paper(size_t i);
/* The policy of an executor for which none is named: "auto", or "gpu" where the algorithm of its
 * searches is one of a GPU, whose options may follow. `algorithm` may be NULL. */
const char *rp_policy_default(const char *algorithm);

/* What became of a job. */
typedef struct rp_outcome {
    /* RP_OK; RP_DEADLINE: its time was over, and hits may have what was found by then, marked as
     * partial; RP_INTERRUPTED: it was cancelled; otherwise as of rp_searcher_search. */
    rp_status status;
    rp_error err;
    /* to be freed by who is called back. Where the status is RP_OK or RP_DEADLINE and the search
     * options or the job ask for a trace, they have steps: each decision of the policy is a
     * placement, and operators follow. Where the algorithm is one of a GPU, they have the operators
     * in any case. */
    rp_hits hits;
    const char *reason;    /* why the policy chose the processor: static */
    uint64_t queued_ns;    /* it waited for it */
    uint64_t estimated_ns; /* it was likely to take there */
    uint64_t answered_ns;  /* it took there */
    uint32_t together;     /* jobs that the card answered with it, itself included; 0: a core did */
    uint32_t moves;        /* between processors, those included that a card could not go on with */
} rp_outcome;

typedef struct rp_job {
    size_t size;       /* as status.h says: 0, or sizeof this record */
    const char *query; /* not kept */
    size_t query_bytes;
    size_t k;             /* 0: that of the options */
    const rp_mode *mode;  /* NULL: that of the options */
    bool plain;           /* it is words and nothing else, whatever the options say */
    uint64_t deadline_ns; /* from now on; 0: none */
    /* From a thread of a core or the caller's, once for each job that was taken. It may submit other jobs, but not
     * drain or free the executor. */
    void (*done)(void *arg, rp_outcome *outcome);
    void *arg;
    size_t from;           /* hits begin after so many better ones; 0: that of the options */
    bool trace;            /* its hits have their steps, whatever the options say */
    const rp_total *total; /* NULL: that of the options */
    /* where no card is used and a core is likely to need no longer than this, the calling thread
     * answers the query itself, so that `done` has been called when the call returns; 0: never. It
     * does not wait then, and may be answered though too many others wait.
     * Where the options say how many threads there are, it does so in place of one without work,
     * and otherwise leaves the query to them. */
    uint64_t here_ns;
} rp_job;

/* Opens a card where there is one and the policy uses it; RP_UNAVAILABLE: the policy, or the option
 * strict_processor, needs one and there is none. RP_IO, RP_DAMAGED, RP_INCOMPATIBLE: the cost file
 * of the options cannot be used. */
rp_status rp_executor_new(const rp_index *index, const rp_executor_options *options,
                          rp_executor **out, rp_error *err);
/* Drains first. No other thread may be in a call of the executor, but for one whose job has been
 * called back. NULL is fine. */
void rp_executor_free(rp_executor *executor);

/* Parses and binds the query, and hands it over. Any thread. *ticket, which may be NULL, names the
 * job: it is set, in one atomic store, before `done` is called. A failure means that nothing was
 * done and nobody is called back: the query has a mistake; RP_BUSY: too many jobs wait, or it could
 * not have met its deadline; RP_USAGE: the executor is drained. */
rp_status rp_executor_submit(rp_executor *executor, const rp_job *job, uint64_t *ticket,
                             rp_error *err);
/* Hands over jobs that cores answer one after the other, in their order and several cores at once,
 * whatever the policy is: it costs less than one by one. The queries must stay until their `done`,
 * which is called for each job once; for one with a mistake, too. A failure means that none was
 * taken. Cancelling the ticket cancels those that have not ended. Where no card is used and the
 * options do not say how many threads there are, the calling thread answers the first jobs itself,
 * as long as they are likely to have ended within `here_ns` of the first one. */
rp_status rp_executor_submit_many(rp_executor *executor, const rp_job *jobs, size_t n,
                                  uint64_t *ticket, rp_error *err);
/* Submits the job and waits for its end; its `done` and `arg` do not count. Where processors are
 * idle, the caller's thread does the work of theirs, so that none has to be woken. Returns the outcome's
 * status, with its hits where it is RP_OK or RP_DEADLINE, to be freed; or why it was not taken. Not
 * from a call back. */
rp_status rp_executor_ask(rp_executor *executor, const rp_job *job, rp_outcome *out, rp_error *err);
/* RP_OK: the job is being stopped, and ends as RP_INTERRUPTED unless it was ending already.
 * RP_NOT_FOUND: it has ended. */
rp_status rp_executor_cancel(rp_executor *executor, uint64_t ticket);
/* Takes no more jobs and waits until all have ended. */
rp_status rp_executor_drain(rp_executor *executor);

typedef struct rp_executor_report {
    uint64_t submitted, refused; /* taken; RP_BUSY */
    uint64_t answered, failed, cancelled, late;
    uint64_t on_cores, on_card; /* answered there */
    uint64_t launches, batched; /* times that the card was given jobs; jobs, given with others */
    uint64_t moves, fallbacks;  /* as of rp_outcome, of all jobs; of a card that could not */
    uint64_t shared;            /* cut by docids, for cores and the card at once */
    uint32_t queued, running;   /* now */
    bool has_card, has_costs;   /* has_costs: estimates are by rules of a cost file */
    char costs_fault[256];      /* why the one that RIPOSTE_COSTS names is not used; "" */
} rp_executor_report;
void rp_executor_get_report(rp_executor *executor, rp_executor_report *out);

#ifdef __cplusplus
}
#endif
#endif
