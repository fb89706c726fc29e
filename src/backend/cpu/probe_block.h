/* backend/cpu/probe_block.h: interior of cpu: blocks of a list that is probed: which one, and its
 * docids.
 *
 * Plain arrays count as cut every RP_BLOCK, and are read where they lie. */
#ifndef RP_BACKEND_CPU_PROBE_BLOCK_H
#define RP_BACKEND_CPU_PROBE_BLOCK_H

#include "backend/cpu/probe.h"

/* The first block from `from` on whose last docid is at least target; n_blocks: there is none. Of a
 * damaged directory, any block. */
uint32_t rp__probe_block_seek(const rp__list *list, uint32_t from, uint32_t target);

/* Brings block b (below n_blocks) into probe->docs, or finds it in the array. False: RP_DAMAGED. */
bool rp__probe_block_fill(rp__probe *probe, uint32_t b);

/* Docids of the block brought in: count of them, then RP_NO_DOC up to a multiple of RP_BLOCK. */
static inline const uint32_t *rp__probe_block_docids(const rp__probe *probe)
{
    bool is_copy = probe->list->codec || probe->count % RP_BLOCK;
    return is_copy ? probe->docs : probe->list->docids + (size_t)probe->block * RP_BLOCK;
}

/* The same of block b, which is brought in unless it is already; NULL: RP_DAMAGED. */
static inline const uint32_t *rp__probe_block_load(rp__probe *probe, uint32_t b)
{
    if ((probe->count == 0 || probe->block != b) && !rp__probe_block_fill(probe, b))
        return NULL;
    return rp__probe_block_docids(probe);
}

/* The first of docids [from, to), which rise, that is at least target, else `to`. */
static inline uint32_t rp__probe_block_halve(const uint32_t *docids, uint32_t from, uint32_t to,
                                             uint32_t target)
{
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (docids[middle] < target)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* What a row gives of a damaged list. */
static inline uint32_t rp__probe_block_damaged(rp__probe *probe)
{
    probe->status = RP_DAMAGED;
    probe->count = 0;
    return 0;
}

/* The first slot of a block whose docid is at least target, which the last one is. No branch: which
 * half of the longest, which sixteenth, which quarter of it, which one. */
static inline uint32_t rp__probe_block_slot(const uint32_t *docids, uint32_t count, uint32_t target)
{
    const uint32_t *p = docids;
    if (count > RP_BLOCK && p[RP_BLOCK - 1] < target)
        p += RP_BLOCK;
    p += 16 * ((p[15] < target) + (p[31] < target) + (p[47] < target) + (p[63] < target) +
               (p[79] < target) + (p[95] < target) + (p[111] < target));
    p += 4 * ((p[3] < target) + (p[7] < target) + (p[11] < target));
    p += (p[0] < target) + (p[1] < target) + (p[2] < target);
    return (uint32_t)(p - docids);
}

#endif
