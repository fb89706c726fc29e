/* backend/gpu/gpu_ranges.h: interior of gpu: one query by several cards, each of which has the
 * index and answers for a range of docids. */
#ifndef RP_BACKEND_GPU_GPU_RANGES_H
#define RP_BACKEND_GPU_GPU_RANGES_H

#include "backend/gpu/gpu_card.h"

/* As rp__backend's run, by the n >= 1 cards that answer: all have begun before any is waited for.
 * Where one of them cannot, none does: another processor answers the whole. */
rp_status rp__gpu_ranges_run(rp__gpu_card *const *cards, size_t n, const rp__query *query,
                             rp__arena *arena, rp__answer *answer, rp_error *err);

#endif
