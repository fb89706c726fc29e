/* blocks.h: where the bytes of a block are, inline. Interior of the room. */
#ifndef RP_CODEC_BLOCKS_H
#define RP_CODEC_BLOCKS_H

#include "codec/list.h"

/* The bytes of block b of a list that has offsets. */
static inline rp_status rp__blocks_view(const rp__list *list, uint32_t b, const uint8_t **in,
                                        size_t *in_bytes)
{
    size_t from = list->offsets ? list->offsets[b] : 0, to = list->docs_bytes;
    if (list->offsets && b + 1 < list->n_blocks)
        to = list->offsets[b + 1];
    if (from > to || to > list->docs_bytes)
        return RP_DAMAGED;
    *in = list->docs + from;
    *in_bytes = to - from;
    return RP_OK;
}

#endif
