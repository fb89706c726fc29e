/* and_lists.cu: lists as ANDs look them up: docids as they are, or as bits, with how many of them lie before each 512; and
 * frequencies as they are.
 * One warp: a block of postings of one of the lists, four a lane.
 * Reads each list once; writes docids side by side, or by one atomic a bit, and a hint where a lane passes a multiple of
 * 512. Limits: codecs of word_block.cuh; any bytes: docids past the bits are not set, and make the list `damaged`, as
 * does a block that does not end as the directory says. Source: docs/format.md, chapter 6, bitmap. */
#include "backend/gpu/kernels/prim/word.cuh"

/* Docids of a lane, rising: bits, and hints from the docid before them on. */
PRIM void and_lists_set(const karg_made &m, const uint32_t *docids, uint32_t n, uint32_t before, uint32_t rank,
                        karg_found *found)
{
    uint32_t *words = prim_at<uint32_t>(m.bits), *hints = prim_at<uint32_t>(m.hints);
    uint32_t from = before + 1; /* 0 before the first docid of all */
    for (uint32_t k = 0; k < n; k++) {
        if (docids[k] / 32 >= m.n_words || docids[k] < from) {
            prim_atomic_or(&found->damaged, 1);
            return;
        }
        prim_atomic_or(&words[docids[k] / 32], 1U << docids[k] % 32);
        for (uint32_t h = prim_div_up(from, 512); h <= docids[k] / 512; h++)
            hints[h] = rank + k;
        from = docids[k] + 1;
    }
}

/* The list whose blocks number `number` is among: the last that has no more before it. */
PRIM uint32_t and_lists_find(const karg_made *lists, uint32_t n, uint32_t number)
{
    uint32_t from = 0;
    while (n > 1) {
        uint32_t half = n / 2;
        from += prim_load(&lists[from + half].before) <= number ? half : 0;
        n -= half;
    }
    return from;
}

RP_KERNEL(and_lists_kernel, karg_lists)
{
    uint32_t number = prim_block() * (prim_block_size() / 32) + prim_warp();
    uint32_t *docids = (uint32_t *)prim_shared() + prim_warp() * KARG_BLOCK, slot = word_slot();
    if (number >= a.n_blocks)
        return;
    uint32_t i = and_lists_find(prim_at<const karg_made>(a.lists), a.n_lists, number);
    const karg_made &m = prim_at<const karg_made>(a.lists)[i];
    karg_found *found = prim_at<karg_found>(a.found) + i;
    uint32_t b = number - m.before, n = word_count(m.word.list, b), rank = b * KARG_BLOCK;
    if (m.bits || m.docids)
        n = word_block(m.word, b, docids, found);
    if (m.bits && slot < n) {
        uint32_t last = b && m.word.list.last ? prim_load(prim_at<const uint32_t>(m.word.list.last) + b - 1) : UINT32_MAX;
        and_lists_set(m, docids + slot, prim_min(n - slot, 4U), slot ? docids[slot - 1] : last, rank + slot, found);
    }
    for (uint32_t k = prim_lane(); k < n && m.docids; k += 32)
        prim_at<uint32_t>(m.docids)[rank + k] = docids[k];
    for (uint32_t k = prim_lane(); k < n && m.tfs; k += 32)
        prim_at<uint32_t>(m.tfs)[rank + k] = word_tf(m.word.list, rank + k, found);
}
