/* qs.cuh: the parts of a list in qs (docs/format.md, chapter 7). */
#ifndef RP_KERNELS_QS_CUH
#define RP_KERNELS_QS_CUH

#include "backend/gpu/kernels/prim/thread/bitpack.cuh"

enum { QS_HEAD = 4, QS_HINT = 128, QS_HINT_BYTES = 5 };

struct qs_view {
    uint64_t low, high; /* addresses; high is that of a word */
    uint32_t l;         /* bits of a low part */
    uint64_t bits;      /* in the bytes of high; 0 where parts do not lie inside */
};

/* `last_docid`: the directory's last one; has_hints: the list has a directory. */
PRIM qs_view qs_open(uint64_t docs, uint32_t docs_bytes, uint32_t n, bool has_hints,
                     uint32_t last_docid)
{
    uint32_t l = docs_bytes ? prim_load(prim_at<const uint8_t>(docs)) & 31 : 0;
    uint64_t hints = has_hints ? (last_docid >> l) / QS_HINT + 1 : 0;
    uint64_t low = QS_HEAD + ((hints * QS_HINT_BYTES + 3) & ~(uint64_t)3);
    uint64_t high = low + ((((uint64_t)n * l + 7) / 8 + 3) & ~(uint64_t)3);
    bool fits = high <= docs_bytes;
    return {docs + (fits ? low : 0), docs + (fits ? high : 0), fits ? l : 0,
            fits ? 8 * (docs_bytes - high) : 0};
}

/* The low part of docid i. */
PRIM uint32_t qs_low(const qs_view &v, uint64_t i)
{
    uint64_t bit = i * v.l;
    return bitpack_one(bitpack_at(v.low + bit / 8), (uint32_t)bit % 8, v.l);
}

/* Block b of a list in qs: it has ends for all its slots, and its docids 32 bits. */
PRIM bool qs_is_sound(const karg_list *list, uint32_t b)
{
    const uint32_t *last = prim_at<const uint32_t>(prim_load(&list->last));
    uint32_t n = prim_load(&list->n), blocks = prim_load(&list->n_blocks),
             bytes = prim_load(&list->docs_bytes);
    uint64_t docs = prim_load(&list->docs), first = (uint64_t)b * KARG_BLOCK, from = first;
    qs_view v = qs_open(docs, bytes, n, last != nullptr, last ? prim_load(&last[blocks - 1]) : 0);
    uint64_t to = v.bits;
    uint32_t count = prim_min<uint32_t>(n - (uint32_t)first, KARG_BLOCK), left = count;
    if (bytes < QS_HEAD || prim_load(prim_at<const uint8_t>(docs)) > 31)
        return false;
    if (last) {
        uint32_t before = b ? prim_load(&last[b - 1]) : 0, end = prim_load(&last[b]);
        if (b && before >= end) /* so that blocks together are read once */
            return false;
        from += before >> v.l;
        to = first + count + (end >> v.l);
    }
    if (from > to || to > v.bits)
        return false;
    for (uint64_t bit = from; bit < to; bit += 32) {
        uint32_t bits = (uint32_t)prim_min<uint64_t>(to - bit, 32);
        uint32_t ends = ~bitpack_word(bitpack_at(v.high + bit / 8), (uint32_t)bit % 8) &
                        prim_mask(bits),
                 here = prim_count(ends);
        if (here < left) {
            left -= here;
            continue;
        }
        for (; left > 1; left--)
            ends &= ends - 1;
        return bit + prim_lowest(ends) - (first + count - 1) <= ~0U >> v.l; /* the last high part */
    }
    return false;
}

#endif
