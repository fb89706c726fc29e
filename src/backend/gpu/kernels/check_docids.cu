/* check_docids.cu: whether docids that were decoded are those of a list: they rise, stay below its universe, and blocks
 * end as its directory says. One thread: a docid, and a block. Reads all of them once, the directory once; writes
 * only where they are not. No shared memory. Limits: any bytes; ranks of blocks past the list are damage. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(check_docids_kernel, karg_check)
{
    const uint32_t *docids = prim_at<const uint32_t>(a.docids), *last = prim_at<const uint32_t>(a.list.last);
    const uint32_t *first = prim_at<const uint32_t>(a.list.first);
    uint32_t i = prim_block() * prim_block_size() + prim_thread(), n = a.list.n;
    bool is_sound = true;
    if (i < n)
        is_sound = i + 1 < n ? docids[i] < docids[i + 1] : docids[i] < a.list.universe;
    if (last && i < a.list.n_blocks) {
        uint32_t end = i + 1 == a.list.n_blocks ? n : first ? first[i + 1] : (i + 1) * KARG_BLOCK;
        is_sound &= end > 0 && end <= n && docids[end - 1] == last[i];
    }
    if (!is_sound)
        prim_atomic_or(&prim_at<karg_found>(a.found)->damaged, 1);
}
