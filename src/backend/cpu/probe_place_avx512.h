/* backend/cpu/probe_place_avx512.h: interior of cpu: which blocks may hold the docids of a
 * batch. */
#ifndef RP_BACKEND_CPU_PROBE_PLACE_AVX512_H
#define RP_BACKEND_CPU_PROBE_PLACE_AVX512_H

#include "codec/codec.h"

enum { RP_PLACES = RP_BLOCK_MAX + 16 };

/* The block of each of n docids (at least 1) of a compressed list, n_blocks where there is none,
 * into `blocks` (RP_PLACES); the list has nothing before block `from` that is sought. Bytes of
 * blocks that lie apart are asked for. Returns the last one. Of a damaged directory any blocks, at
 * most n_blocks. */
uint32_t rp__probe_place_avx512(const rp__list *list, uint32_t from, const uint32_t *docids,
                                uint32_t n, uint32_t *blocks);

#endif
