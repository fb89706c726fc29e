/* backend/gpu/residency/partial_list.h: interior of residency: of a long list the blocks that some
 * docids may be in, as a list of its own that kernels read like any other.
 *
 * Found on the host from the directory alone; of the payload nothing is read but what is copied. A
 * block is decoded from the last docid of the one before: where that is left out, an empty block
 * with this last docid stands in its place. None of the docids asked about can be in it; a kernel
 * that looks nevertheless, because the directory is damaged, finds no bytes, and says so. */
#ifndef RP_BACKEND_GPU_RESIDENCY_PARTIAL_LIST_H
#define RP_BACKEND_GPU_RESIDENCY_PARTIAL_LIST_H

#include "backend/gpu/kernels/args.h"
#include "backend/gpu/residency/uploader.h"
#include "base/arena.h"
#include "codec/codec.h"

/* A block: which one of the list, and its bytes in both payloads. Read once: the file may
 * change. */
typedef struct rp__partial_block {
    uint32_t number; /* UINT32_MAX: an empty one */
    uint32_t docs, docs_bytes, freqs, freqs_bytes;
} rp__partial_block;

typedef struct rp__partial_list {
    const rp__list *of;
    rp__partial_block *blocks;
    uint32_t n, n_needed; /* blocks; of them not empty */
    bool has_freqs;
    uint64_t bytes; /* of device memory */
    /* where parts lie, from the beginning */
    uint64_t last, last_far, offsets, freq_offsets, bounds, docs, freqs;
    uint32_t docs_bytes, freqs_bytes;
} rp__partial_list;

/* Whether blocks of the list can stand alone. */
bool rp__partial_list_can(const rp__list *list);
/* Which blocks, and how large. RP_NOT_FOUND: more than half of the list, so take it whole.
 * RP_DAMAGED: the directory says what cannot be. Reads the mapped directory. */
rp_status rp__partial_list_plan(rp__partial_list *s, const rp__list *list, bool has_freqs,
                                const uint32_t *docids, uint32_t n, rp__arena *arena);
/* Puts its bytes for `to`, and says how kernels read it there. Reads the mapped payload. */
rp_status rp__partial_list_put(const rp__partial_list *s, rp__uploader *uploader, rp__cu_ptr to,
                               rp__arena *arena, karg_list *out);

#endif
