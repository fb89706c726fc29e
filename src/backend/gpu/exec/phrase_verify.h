/* backend/gpu/exec/phrase_verify.h: interior of gpu: documents that hold all words of a phrase,
 * looked into on the host. */
#ifndef RP_BACKEND_GPU_EXEC_PHRASE_VERIFY_H
#define RP_BACKEND_GPU_EXEC_PHRASE_VERIFY_H

#include "backend/backend.h"

/* Answers a query that is one phrase, whose n documents with all of its words the device has found:
 * docids rise. Scratch and result in the arena; reads mapped memory. RP_UNAVAILABLE: it may read
 * more than the query's limit. */
rp_status rp__phrase_verify(const rp__query *query, const rp__scored *found, size_t n,
                            rp__arena *arena, rp__answer *answer);

#endif
