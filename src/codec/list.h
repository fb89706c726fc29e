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

/* Block b of a list with a codec into out (RP_BLOCK_ROOM), and how many postings it has (1 to
 * RP_BLOCK_MAX). RP_OK: they rise, are above last[b-1] and below the universe, and the last one is
 * what the directory says. */
rp_status rp__list_block(const rp__list *list, uint32_t b, uint32_t *out, uint32_t *count);

#endif
