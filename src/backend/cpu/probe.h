/* backend/cpu/probe.h: interior of cpu: which of some rising docids a list holds, and where.
 *
 * One row a method and instruction set; all give the same answer. An intersection is a walk over
 * the short list that hands its docids, a block at a time, to a probe of the long one; of more
 * lists, what is left goes on to the next. A probe only goes forward. */
#ifndef RP_BACKEND_CPU_PROBE_H
#define RP_BACKEND_CPU_PROBE_H

#include "codec/codec.h"

typedef struct rp__probe rp__probe;

typedef struct rp__probe_row {
    const char *name;
    uint32_t needs; /* RP_CPU_ bits; 0 is the plain reference */
    /* Whether it can search this list; `hs` is NULL where the list has none. */
    bool (*applies)(const rp__list *list, const rp__aux *hs);
    /* Of n rising docids (at most RP_BLOCK_MAX), all above those of earlier calls, the ones that
     * the list holds: the i-th of them is docids[kept[i]] and, unless ranks is NULL, has rank
     * ranks[i]. Returns how many. kept and ranks have room for n + 16. Of a damaged list:
     * probe->status, and 0. */
    uint32_t (*find)(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks);
} rp__probe_row;

/* One list being probed. About 1.4 KiB, 64-byte aligned. */
struct rp__probe {
    const rp__probe_row *row;
    const rp__list *list;
    const rp__aux *hs; /* NULL: none */
    rp_status status;
    uint64_t decoded;      /* postings decoded so far */
    uint32_t n_read;       /* blocks of them */
    uint32_t block, count; /* block in docs, and its postings; count 0: none is */
    /* a rank or a block below which nothing is left to find; the row's own */
    uint32_t at;
    _Alignas(64) uint32_t docs[RP_BLOCK_CAPACITY];
};

/* Every row; NULL past the last. */
const rp__probe_row *rp__probe_at(size_t i);
/* The best row for these features to find about `n` docids in the list. */
const rp__probe_row *rp__probe_choose(const rp__list *list, const rp__aux *hs, uint64_t n,
                                      uint32_t features);
void rp__probe_open(rp__probe *probe, const rp__probe_row *row, const rp__list *list,
                    const rp__aux *hs);

static inline uint32_t rp__probe_find(rp__probe *probe, const uint32_t *docids, uint32_t n,
                                      uint32_t *kept, uint32_t *ranks)
{
    return probe->status ? 0 : probe->row->find(probe, docids, n, kept, ranks);
}

#endif
