/* job.cuh: lists on their way from the index's form to docids and frequencies: tiles of jobs, in
 * bytes that are not trusted.
 *
 * Jobs and their lists are the host's, and sound; directories are not. */
#ifndef RP_KERNELS_JOB_CUH
#define RP_KERNELS_JOB_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

/* A tile, with its job. */
struct job_tile {
    const karg_list *list;
    const karg_job *job;
    uint32_t block, n, capacity;
    uint32_t *out;
};

/* Tile i of the launch. */
PRIM job_tile job_open(const karg_transcode &a, uint32_t i)
{
    const karg_tile *tile = prim_at<const karg_tile>(a.tiles) + a.from + i;
    uint32_t list = prim_load(&tile->list);
    return {prim_at<const karg_list>(a.lists) + list,
            prim_at<const karg_job>(a.jobs) + list,
            prim_load(&tile->block),
            prim_load(&tile->n),
            prim_load(&tile->capacity),
            prim_at<uint32_t>(a.docids) + prim_load(&tile->out)};
}

PRIM void job_damaged(const karg_transcode &a, const job_tile &t)
{
    prim_atomic_or(prim_at<uint32_t>(a.damaged) + prim_load(&t.job->owner), 1);
}

/* The rank of the first posting of block b, at most n; of one past the last, n. */
PRIM uint32_t job_rank(const karg_list *list, uint32_t b)
{
    const uint32_t *first = prim_at<const uint32_t>(prim_load(&list->first));
    uint32_t n = prim_load(&list->n);
    if (b >= prim_load(&list->n_blocks))
        return n;
    return prim_min(first ? prim_load(&first[b]) : b * KARG_BLOCK, n);
}

/* The docid before those of block b; UINT32_MAX: there is none. */
PRIM uint32_t job_base(const karg_list *list, uint32_t b)
{
    const uint32_t *last = prim_at<const uint32_t>(prim_load(&list->last));
    return b && last ? prim_load(&last[b - 1]) : UINT32_MAX;
}

/* The number of this warp's tile, of the launch. */
PRIM uint32_t job_warp()
{
    return prim_block() * (prim_block_size() / 32) + prim_warp();
}

#endif
