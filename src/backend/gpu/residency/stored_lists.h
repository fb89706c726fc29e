/* backend/gpu/residency/stored_lists.h: interior of gpu: lists of one query on the device, as the
 * index stores them.
 *
 * Where the whole index is there, they are where their section is. Otherwise they are found among
 * what is resident, or uploaded. What is not admitted is there for this query alone. Of a long list
 * of an AND that is seen for the first time, or not admitted, only the blocks that the shortest
 * list asks for are uploaded.
 * Order of calls: find; if that fails plan, then need and take while acquiring, then fill;
 * publish when the query has ended. */
#ifndef RP_BACKEND_GPU_STORED_LISTS_H
#define RP_BACKEND_GPU_STORED_LISTS_H

#include "backend/gpu/gpu_index.h"
#include "backend/gpu/residency/lease.h"
#include "backend/gpu/residency/partial_list.h"

/* A list with a codec that is wanted, and how kernels read it: where only some blocks of it are
 * there, it has counts of its own. */
typedef struct rp__stored_list {
    const rp__list *list;
    const rp__term *term;
    /* its docids or frequencies come otherwise, and are found by rank: some blocks would not do */
    bool whole;
    karg_list at;
    /* where it comes from */
    rp__piece *piece; /* NULL: it is in the lease's transient memory, or a twin has it */
    rp__cu_ptr place; /* of its bytes, if they are uploaded */
    bool is_taken;    /* by this query */
    /* the same list, which is taken; NULL: there is none */
    const struct rp__stored_list *twin;
    bool is_admitted;
    bool is_partial, is_new;
    rp__partial_list partial;
    rp__resident made; /* as it is published */
} rp__stored_list;

/* The bytes of its representation. */
uint64_t rp__stored_lists_bytes(const rp__term *term);
/* The list as kernels get it, where its bytes begin at `at`. */
karg_list rp__stored_lists_at(const rp__residency *residency, const rp__list *list,
                              const rp__term *term, rp__cu_ptr at);

/* For the lease, which has begun. RP_NOT_FOUND: some are not there. RP_DAMAGED: a list is no list
 * of the index. */
rp_status rp__stored_lists_find(const rp__gpu_index *index, rp__lease *lease,
                                rp__stored_list *lists, size_t n);
/* Which blocks of a list would do. `among`: (optional) what is asked of them concerns only docids
 * of this list, one of them. Reads mapped memory. */
rp_status rp__stored_lists_plan(rp__lease *lease, rp__stored_list *lists, size_t n,
                                const rp__list *among, rp__arena *arena);
/* Bytes of the lease's transient memory that are enough for what is missing, while acquiring. */
uint64_t rp__stored_lists_need(rp__lease *lease, rp__stored_list *lists, size_t n);
/* Memory for it: to stay, if it is worth it, or else from *at on, where that memory is. */
rp_status rp__stored_lists_take(rp__lease *lease, rp__stored_list *lists, size_t n, rp__cu_ptr *at);
/* One of them on its way to the uploader. Reads mapped memory. */
rp_status rp__stored_lists_put(rp__lease *lease, rp__stored_list *list, rp__arena *arena);
/* Uploads all; the lease's stream goes on when they are there. Reads mapped memory. */
rp_status rp__stored_lists_fill(rp__lease *lease, rp__stored_list *lists, size_t n,
                                rp__arena *arena);
/* Others find what was uploaded, and admitted; the device was seen to be done with it. */
void rp__stored_lists_publish(rp__lease *lease, const rp__stored_list *lists, size_t n);

#endif
