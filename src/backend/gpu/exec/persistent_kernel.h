/* backend/gpu/exec/persistent_kernel.h: interior of gpu: a persistent kernel on the card, and
 * answers ANDs without a launch each.
 *
 * It comes with the second query of a burst, and leaves by itself: when nothing comes for a while,
 * or after some milliseconds in all. Launches of others wait meanwhile: so it is there only while
 * one searcher alone uses the card. It is on a stream of its own, and reads what a query's record
 * names: all of that must be there before the query is asked, and what it has once read must not
 * change until it is dismissed. */
#ifndef RP_BACKEND_GPU_EXEC_PERSISTENT_KERNEL_H
#define RP_BACKEND_GPU_EXEC_PERSISTENT_KERNEL_H

#include "backend/gpu/device/device.h"
#include "backend/gpu/kernels/args.h"
#include "backend/gpu/residency/lease.h"

enum { RP_PERSISTENT_KERNEL_WARPS = 16 }; /* of each multiprocessor, that share a query */

/* One thread at a time; all zero is closed. */
typedef struct rp__persistent_kernel {
    rp__device *device;
    rp__cu_stream stream;
    karg_mailbox *mailbox;       /* pinned */
    rp__cu_ptr mailbox_at, echo; /* to the device: the same; the device's own */
    rp__lease *lease;            /* of its queries: who evicts their scratch waits for its stream */
    rp__piece *piece;            /* of the residency: the echo */
    karg_mail ring;              /* the query that it was given last, with what it counts from */
    uint64_t n_taken;            /* pieces of the residency, when it was last asked */
    uint64_t last;               /* when it was last asked for */
    uint32_t number, launch;     /* of the last ring; of the last launch */
    bool is_iiu;                 /* how it scores */
    bool is_there;               /* launched, and not dismissed since */
    /* the counters at the echo could not be set back: they may differ from ring.base */
    bool is_unclear;
} rp__persistent_kernel;

/* Nothing is allocated before it is needed. */
void rp__persistent_kernel_open(rp__persistent_kernel *resident, rp__device *device,
                                rp__lease *lease);
void rp__persistent_kernel_close(rp__persistent_kernel *resident); /* all zero is fine */

/* Whether the next query is for it: an AND of KARG_INLINE_TERMS words, whose shortest list has so
 * many postings, and whose best are at most KARG_ANSWER_MAX_K. */
bool rp__persistent_kernel_takes(rp__persistent_kernel *resident, uint32_t postings);
/* Gives it that query, with the scores of IIU or of BM25, and waits for nothing. */
rp_status rp__persistent_kernel_ask(rp__persistent_kernel *resident, const karg_query *query,
                                    bool is_iiu);
/* Waits for its answer, which comes to `there`, as and_single.cu's other kernels have it; pairs are
 * there where there are more than KARG_ANSWER_ALL of them. RP_UNAVAILABLE also where none came. */
rp_status rp__persistent_kernel_wait(rp__persistent_kernel *resident, const karg_answer *there,
                                     karg_answer *out);
/* The n pairs of it, if there are no more. */
rp_status rp__persistent_kernel_pairs(const rp__persistent_kernel *resident, uint32_t n,
                                      karg_pair *out);
/* It is to leave, because others need the card, or what it has read changes; waits for nothing. */
void rp__persistent_kernel_dismiss(rp__persistent_kernel *resident);
/* The same, and waits: before memory is freed, which would wait for ever if it never left; or it
 * may be at work for a query that nobody waits for any more. */
rp_status rp__persistent_kernel_settle(rp__persistent_kernel *resident);

#endif
