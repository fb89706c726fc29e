/* docids_to_bits.cu: bits of lists from their docids, with how many of them lie before each 512
 * docids. One warp: a tile, four neighbours a lane. Reads each docid once; writes a word of bits by
 * one atomic for neighbours that share it, and a hint where docids pass a multiple of 512. No
 * shared memory. Limits: any docids: those past the bits, or that do not rise, are not set, and
 * make the list damaged. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* A lane's docids, of `rank` on, from the docid before them on. */
PRIM bool docids_to_bits_set(const karg_job *job, const uint32_t *docids, uint32_t n,
                             uint32_t before, uint32_t rank)
{
    uint32_t *words = prim_at<uint32_t>(prim_load(&job->bits)),
             *hints = prim_at<uint32_t>(prim_load(&job->hints));
    uint32_t from = before + 1, word = 0, set = 0,
             n_words = prim_load(&job->n_words); /* from: 0 before the first of all */
    bool is_sound = true;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t docid = docids[k];
        if (docid / 32 >= n_words || docid < from) {
            is_sound = false;
            break;
        }
        if (docid / 32 != word && set) {
            prim_atomic_or(&words[word], set);
            set = 0;
        }
        word = docid / 32;
        set |= 1U << docid % 32;
        for (uint32_t h = prim_div_up(from, 512); h <= docid / 512; h++)
            hints[h] = rank + k;
        from = docid + 1;
    }
    if (set)
        prim_atomic_or(&words[word], set);
    return is_sound;
}

/* The last docid of each 128 postings, and of all; of a lane's n, of which the first has this rank.
 * */
PRIM void docids_to_bits_ends(const job_tile &t, const uint32_t *docids, uint32_t n, uint32_t rank)
{
    uint32_t *last = prim_at<uint32_t>(prim_load(&t.job->last)), all = prim_load(&t.list->n);
    for (uint32_t k = 0; last && k < n; k++)
        if ((rank + k) % KARG_BLOCK == KARG_BLOCK - 1 || rank + k + 1 == all)
            last[(rank + k) / KARG_BLOCK] = docids[k];
}

RP_KERNEL(docids_to_bits_kernel, karg_transcode)
{
    if (job_warp() >= a.n_tiles)
        return;
    job_tile t = job_open(a, job_warp());
    uint32_t begin = job_rank(t.list, t.block);
    if (!prim_load(&t.job->bits))
        return;
    for (uint32_t k = 4 * prim_lane(); k < t.capacity; k += 128) {
        uint32_t before = k ? t.out[k - 1] : job_base(t.list, t.block),
                 n = prim_min(t.capacity - k, 4U);
        if (!docids_to_bits_set(t.job, t.out + k, n, before, begin + k))
            job_damaged(a, t);
        docids_to_bits_ends(t, t.out + k, n, begin + k);
    }
}
