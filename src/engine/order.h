/* engine/order.h: interior of engine: orders of documents, one row each. */
#ifndef RP_ENGINE_ORDER_H
#define RP_ENGINE_ORDER_H

#include "engine/recode.h"

/* An order that is wanted, of the documents of an open segment. */
typedef struct rp__order_job {
    const rp__segment *from;
    uint32_t n;           /* documents */
    rp_reorder_options o; /* defaults filled in */
    rp__recode_watch *watch;
    uint32_t *order; /* n; out: order[i] is the docid of the document that becomes i */
} rp__order_job;

typedef struct rp__order {
    const char *name;
    rp_status (*make)(const rp__order_job *job, rp_error *err);
} rp__order;

const rp__order *rp__order_find(const char *name); /* NULL: no such name */
/* RP_NO_MEMORY, with what to give, where so many bytes more do not fit. */
rp_status rp__order_need(const rp__order_job *job, uint64_t bytes, rp_error *err);

/* A document and what it is sorted by. */
typedef struct rp__order_item {
    uint64_t key;
    uint32_t docid;
} rp__order_item;

/* a document, with the items themselves */
enum { RP_ORDER_SORT_BYTES = 2 * sizeof(rp__order_item) };

/* Items of rising docids to job->order, by rising keys; those of equal keys by the bytes of their
 * ids if by_id, then by docid. Frees nothing. */
rp_status rp__order_sort(const rp__order_job *job, rp__order_item *items, bool by_id,
                         rp_error *err);

/* Rows that have a file of their own. */
rp_status rp__order_file_map(const rp__order_job *job, rp_error *err);
rp_status rp__order_file_rank(const rp__order_job *job, rp_error *err);
rp_status rp__order_bp(const rp__order_job *job, rp_error *err);

#endif
