/* plan/policy.h: where jobs wait, and which processor takes them: the policies, one row each.
 *
 * A policy is pure: it sees a view of processors and queues and what a job is likely to cost, and
 * has no clock, thread or lock of its own. So the executor and the replay of recorded costs run the
 * same code. Times are nanoseconds.
 *
 * There are three queues: of jobs for the cores, for the card, and for whichever is free first. A
 * job has a seat in one of them. A processor that is free asks the policy from which queue it takes
 * its next job. */
#ifndef RP_PLAN_POLICY_H
#define RP_PLAN_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RP_POLICY_NEVER UINT64_MAX
enum { RP_SHARE_UNIT = 1024 };

typedef enum rp__policy_queue_kind {
    RP_QUEUE_CPU,
    RP_QUEUE_ANY,
    RP_QUEUE_GPU,
    RP_QUEUES,
    RP_QUEUE_NONE = RP_QUEUES /* of a seat: the job is refused; of a take: the processor waits */
} rp__policy_queue_kind;

/* What a job is likely to cost. */
typedef struct rp__policy_job {
    uint64_t arrived;
    uint64_t deadline; /* RP_POLICY_NEVER: none */
    uint64_t cpu_ns;   /* of one core */
    uint64_t gpu_ns;   /* of the card, alone; RP_POLICY_NEVER: the card refuses it */
    uint64_t batch_ns; /* of the card, as one of many */
    uint64_t feed_ns;  /* of a core, to prepare it for the card and to name its hits */
    /* of the card, to intersect the lists that every match is in; 0: there are no two, or it is not
     * known */
    uint64_t meet_ns;
    bool prunes_whole; /* the card prunes it as a whole, and would score all documents of a range */
    uint64_t shortest, second; /* postings of the two shortest lists; of one list, twice the same */
} rp__policy_job;

/* A queue as a policy sees it. */
typedef struct rp__policy_queue {
    uint32_t n;
    uint64_t cpu_ns, gpu_ns, batch_ns; /* sums over its jobs; what a card refuses adds nothing */
    uint64_t elements;                 /* postings of shortest lists, likewise */
    uint64_t head_key;                 /* of the job that is next; RP_POLICY_NEVER: none is */
    uint64_t head_cpu_ns, head_gpu_ns, head_urgent, head_deadline; /* of that job */
    uint64_t first_urgent; /* the earliest time at which one becomes urgent */
} rp__policy_queue;

typedef struct rp__policy_view {
    uint64_t now;
    uint32_t cores, busy_cores;
    uint64_t cores_ns; /* what busy cores still have to do, together */
    bool has_card, is_busy_card;
    uint64_t card_ns;      /* what the card still has to do */
    uint64_t card_late_ns; /* so long ago it was to be done with what it is at; 0: it is not late */
    uint64_t elements;     /* postings of shortest lists that the card is given at once */
    uint64_t max_queued;   /* jobs that may wait in all queues together */
    uint64_t ratio;        /* of lengths, from which a core intersects; 0: the policy's own */
    bool goes_back;        /* a query may return to a card that it has left */
    rp__policy_queue queues[RP_QUEUES];
} rp__policy_view;

typedef struct rp__policy_seat {
    rp__policy_queue_kind queue;
    uint64_t key;       /* the lowest is taken first; of equal ones the one that came first */
    uint64_t urgent;    /* from then on the job goes before all others; RP_POLICY_NEVER */
    const char *reason; /* why there: static, for people */
    /* the card intersects the lists that every match is in, and a core answers from what is left */
    bool splits;
    /* it is cut by docids: so many cores and the card answer it at once; 0: it is not. Of all
     * docids the card has card_share of RP_SHARE_UNIT; 0: the cores alone answer it. Where it
     * cannot be cut, the queue has it. */
    uint32_t cores, card_share;
} rp__policy_seat;

typedef struct rp__policy_take {
    rp__policy_queue_kind queue;
    bool is_urgent; /* the job that becomes urgent first, not the next one */
} rp__policy_take;

/* Lists that are intersected one after the other, between two of them. */
typedef struct rp__policy_step {
    uint64_t candidates; /* documents in all lists so far; before the first, its postings */
    uint64_t next;       /* postings of the list that follows; 0: none does */
    uint32_t left;       /* lists that follow; 0: the best candidates are to be selected */
    bool on_card;
} rp__policy_step;

typedef enum rp__policy_way {
    RP_WAY_REST, /* the same processor does all that is left */
    RP_WAY_NEXT, /* it does the next list, and the policy decides again */
    RP_WAY_MOVE  /* the other processor goes on */
} rp__policy_way;

typedef struct rp__policy {
    const char *name;
    const char *paper; /* NULL: ours */
    const char *help;
    bool batches; /* a card takes at once what has gathered in its queue */
    bool needs_card;
    bool splits; /* some of its seats do: jobs need meet_ns */
    bool shares; /* some of its seats have cores and a share of the card */
    /* An algorithm of the card's may be named: the card is to answer what it can, or the steps that
     * the policy gives to it. Other policies choose a processor by what rules say of the card's own
     * choice of algorithm. */
    bool takes_algorithms;
    rp__policy_seat (*seat)(const rp__policy_view *view, const rp__policy_job *job);
    rp__policy_take (*take)(const rp__policy_view *view, bool is_card);
    /* (optional) Who goes on with an AND of terms, or with the lists of a job that is split. NULL:
     * whoever has begun. */
    rp__policy_way (*step)(const rp__policy_view *view, const rp__policy_job *job,
                           const rp__policy_step *at);
} rp__policy;

/* The i-th row, `auto` first; NULL past the last. */
const rp__policy *rp__policy_at(size_t i);
const rp__policy *rp__policy_find(const char *name); /* NULL: no such name */

extern const rp__policy rp__policy_auto_row, rp__policy_cpu_row, rp__policy_gpu_row,
    rp__policy_better_row, rp__policy_ding_queues_row, rp__policy_ding_steal_row,
    rp__policy_ding_deadline_row, rp__policy_griffin_row, rp__policy_batch_row,
    rp__policy_split_row, rp__policy_share_row;

/* ---- Shared by rows -------------------------------------------------------------------------- */

static inline bool rp__policy_suits_card(const rp__policy_view *view, const rp__policy_job *job)
{
    return view->has_card && job->gpu_ns != RP_POLICY_NEVER;
}

/* The reason of a query that does not suit the card. */
static inline const char *rp__policy_why_no_card(const rp__policy_view *view)
{
    return view->has_card ? "the card does not answer such a query" : "there is no card";
}

/* In the order of arrival. */
static inline rp__policy_seat rp__policy_sit(rp__policy_queue_kind queue, const rp__policy_job *job,
                                             const char *reason)
{
    return (rp__policy_seat){
        .queue = queue, .key = job->arrived, .urgent = RP_POLICY_NEVER, .reason = reason};
}

/* From one queue; nothing where it is empty. */
static inline rp__policy_take rp__policy_take_from(const rp__policy_view *view,
                                                   rp__policy_queue_kind queue)
{
    return (rp__policy_take){.queue = view->queues[queue].n > 0 ? queue : RP_QUEUE_NONE};
}

/* Cores take from the cores' queue, the card from its own. */
rp__policy_take rp__policy_take_own(const rp__policy_view *view, bool is_card);
/* The card's queue where it answers such a query; otherwise the cores'. */
rp__policy_seat rp__policy_seat_on_card(const rp__policy_view *view, const rp__policy_job *job);

#endif
