/* backend/gpu/operators/pipeline_lists.h: interior of operators: how a query's operators read each
 * of its lists (rp__pipe_form), and where.
 *
 * Rows that read docids have them from the residency, where a list is decoded once. Rows that read
 * lists as they are stored need nothing else of them, unless scores do, or nobody knows yet whether
 * the list is sound: then its docids are there, too. A row of the phase decode that is named
 * decodes every list for the query that others read docids, bits or frequencies of: all, or the
 * shortest alone if rows read the others as they are stored. */
#ifndef RP_BACKEND_GPU_OPERATORS_PIPELINE_LISTS_H
#define RP_BACKEND_GPU_OPERATORS_PIPELINE_LISTS_H

#include "backend/gpu/operators/pipeline.h"

/* Once methods are chosen: forms, and what is leased for them. */
rp_status rp__pipeline_lists_plan(rp__pipeline *p);
/* For the lease. RP_NOT_FOUND: some are not there. */
rp_status rp__pipeline_lists_find(rp__flight *flight);
/* Addresses, once scratch and lists are leased. Enqueues checks of lists that are read as they are
 * stored for the first time. */
rp_status rp__pipeline_lists_open(rp__pipeline *p);

#endif
