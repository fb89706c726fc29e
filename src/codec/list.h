/* list.h: what list.c gives the other files of the room. Interior. */
#ifndef RP_CODEC_LIST_H
#define RP_CODEC_LIST_H

#include "codec/codec.h"

/* What rp__list_block_first and rp__list_block_count give, for loops over blocks. A count is 1 to
 * RP_BLOCK_MAX, or 0 where the directory is damaged. */
static inline uint32_t rp__list_begin(const rp__list *list, uint32_t b)
{
    if (b >= list->n_blocks)
        return list->n;
    return list->first ? list->first[b] : b * RP_BLOCK;
}

static inline uint32_t rp__list_count(const rp__list *list, uint32_t b)
{
    uint32_t from = rp__list_begin(list, b), to = rp__list_begin(list, b + 1);
    return from <= to && to <= list->n && to - from <= RP_BLOCK_MAX ? to - from : 0;
}

/* Where block b of a list with offsets, or of one block, lies. */
static inline rp_status rp__list_bytes(const rp__list *list, uint32_t b, const uint8_t **in,
                                       size_t *in_bytes)
{
    bool has = rp__list_has_offsets(list);
    size_t from = has ? rp__list_offset(list, b) : 0, to = list->docs_bytes;
    if (has && b + 1 < list->n_blocks)
        to = rp__list_offset(list, b + 1);
    if (from > to || to > list->docs_bytes)
        return RP_DAMAGED;
    *in = list->docs + from;
    *in_bytes = to - from;
    return RP_OK;
}

#endif
