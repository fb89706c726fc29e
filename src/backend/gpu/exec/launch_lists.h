/* backend/gpu/exec/launch_lists.h: interior of exec: the lists, norms and scratch of one launch,
 * under its lease.
 *
 * Fast, if all is there. Otherwise the row names what it needs, and that is brought: stored lists
 * are uploaded, others are transcoded, and memory for all of it is taken at once. */
#ifndef RP_BACKEND_GPU_EXEC_LAUNCH_LISTS_H
#define RP_BACKEND_GPU_EXEC_LAUNCH_LISTS_H

#include "backend/backend.h"
#include "backend/gpu/residency/list_checks.h"
#include "backend/gpu/residency/lookup_lists.h"
#include "backend/gpu/residency/stored_lists.h"
#include "backend/gpu/residency/tiled_lists.h"

struct rp__flight;

/* Where kernels read a list. */
typedef enum rp__launch_source {
    RP_SOURCE_STORED, /* as it is stored */
    RP_SOURCE_LOOKUP, /* as it is transcoded */
    RP_SOURCE_STAGED, /* a tiny one: the host decodes it for this launch */
} rp__launch_source;

typedef struct rp__launch_term {
    const rp__term *term;
    float weight;  /* times 2^s */
    size_t item;   /* of the launch */
    rp__list list; /* once it is opened */
    rp__launch_source source;
    rp__stored_list *stored;
    const rp__resident *made; /* as it is transcoded */
    size_t docids, tfs;       /* of a staged one: where */
} rp__launch_term;

/* In the arena. */
typedef struct rp__launch_lists {
    rp__launch_term *terms; /* n; rows that look all of them up leave them out */
    size_t n;
    rp__stored_list *stored;
    size_t n_stored;
    /* what is asked of lists concerns only docids of this one; NULL: of all */
    const rp__list *among;
    const rp__term **names; /* of those that are transcoded */
    size_t n_names;
    rp__lookup_lists lookup;
    rp__tiled_list *tiles; /* one a term, of rows that read tiles */
    rp__tiled_use tiled;   /* for whom they are laid out */
    karg_norms norms;
    uint32_t serial; /* of the norms */
    bool is_brought; /* some were not there */
    /* stored lists of which nobody knows yet whether they are sound */
    rp__list_check *checks;
    size_t n_checks;
    bool is_damaged; /* one of them turned out to be damaged */
} rp__launch_lists;

/* Opens a term's list. RP_DAMAGED: it is damaged. Reads mapped memory. */
rp_status rp__launch_lists_open_term(struct rp__flight *flight, rp__launch_term *term);
/* The terms of a single query that the index knows, the shortest list first: an OR goes without the
 * others. Errors as above, and RP_NO_MEMORY. */
rp_status rp__launch_lists_open(struct rp__flight *flight, const rp__query *query);
/* Sorts terms by their sources into what is stored and what is named. */
rp_status rp__launch_lists_sort(struct rp__flight *flight);
/* Transcoded terms for the lease. RP_NOT_FOUND: one is not there. A damaged one is there, with `at`
 * 0. */
rp_status rp__launch_lists_find_made(struct rp__flight *flight);
/* A stored term, as kernels read it, is checked by the launch, unless it was before. RP_DAMAGED: it
 * was found to be damaged, by another searcher perhaps, since the launch began. RP_NO_MEMORY: of
 * the host. */
rp_status rp__launch_lists_check(struct rp__flight *flight, const rp__launch_term *term,
                                 const karg_term *word);
/* Enqueues the checks, before what reads the lists. */
rp_status rp__launch_lists_run_checks(struct rp__flight *flight, rp__cu_stream stream);
/* Leases all that the row's launch needs. Reads mapped memory. */
rp_status rp__launch_lists_lease(struct rp__flight *flight);
/* Others find what was brought, and what was checked: the device was seen to be done with it. */
void rp__launch_lists_publish(struct rp__flight *flight);
/* Whether its queries have IIU's scores; the kernel that has the scores of its queries. */
bool rp__launch_lists_are_iiu(const struct rp__flight *flight);
rp__kernel_id rp__launch_lists_kernel(const struct rp__flight *flight, rp__kernel_id kernel);
/* A score that k documents are known to reach, from the k-th best postings of one list; 0: none is
 * known. */
uint32_t rp__launch_lists_floor(const rp__query *query, const uint8_t *kths, float weight);

#endif
