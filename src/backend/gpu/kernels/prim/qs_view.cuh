/* qs_view.cuh: the parts of a list in qs (docs/format.md, chapter 7). */
#ifndef RP_KERNELS_QS_VIEW_CUH
#define RP_KERNELS_QS_VIEW_CUH

#include "backend/gpu/kernels/prim/pack.cuh"

enum { QS_HEAD = 4, QS_HINT = 128, QS_HINT_BYTES = 5 };

struct qs_view {
    uint64_t low, high; /* addresses; high is that of a word */
    uint32_t l;         /* bits of a low part */
    uint64_t bits;      /* in the bytes of high; 0 where parts do not lie inside */
};

/* `last_docid`: the directory's last one; has_hints: the list has a directory. */
PRIM qs_view qs_open(uint64_t docs, uint32_t docs_bytes, uint32_t n, bool has_hints, uint32_t last_docid)
{
    uint32_t l = docs_bytes ? prim_load(prim_at<const uint8_t>(docs)) & 31 : 0;
    uint64_t hints = has_hints ? (last_docid >> l) / QS_HINT + 1 : 0;
    uint64_t low = QS_HEAD + ((hints * QS_HINT_BYTES + 3) & ~(uint64_t)3);
    uint64_t high = low + ((((uint64_t)n * l + 7) / 8 + 3) & ~(uint64_t)3);
    bool fits = high <= docs_bytes;
    return {docs + (fits ? low : 0), docs + (fits ? high : 0), fits ? l : 0, fits ? 8 * (docs_bytes - high) : 0};
}

/* The low part of docid i. */
PRIM uint32_t qs_low(const qs_view &v, uint64_t i)
{
    uint64_t bit = i * v.l;
    return pack_one(pack_at(v.low + bit / 8), (uint32_t)bit % 8, v.l);
}

#endif
