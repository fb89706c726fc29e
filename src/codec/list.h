/* list.h: what list.c gives the other files of the room. Interior. */
#ifndef RP_CODEC_LIST_H
#define RP_CODEC_LIST_H

#include "codec/codec.h"

/* Block b of a list with a codec into out (RP_BLOCK_ROOM), and how many postings it has (1 to
 * RP_BLOCK_MAX). RP_OK: they rise, are above last[b-1] and below the universe, and the last one is
 * what the directory says. */
rp_status rp__list_block(const rp__list *list, uint32_t b, uint32_t *out, uint32_t *count);

#endif
