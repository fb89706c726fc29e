/* make_tiles.cu: the tiles of many lists, for the kernels that decode them. One thread: a tile; it
 * looks for its job among the numbers of tiles before each. Reads records, and where blocks are cut
 * by the codec two ranks of the directory; writes a karg_tile. No shared memory. Limits: any
 * directory: ranks are held within the list, and where they fall a tile has no room. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* The last job that has no more tiles before it. */
PRIM uint32_t make_tiles_find(const karg_job *jobs, uint32_t n, uint32_t tile)
{
    uint32_t from = 0;
    while (n > 1) {
        uint32_t half = n / 2;
        from += prim_load(&jobs[from + half].tiles) <= tile ? half : 0;
        n -= half;
    }
    return from;
}

RP_KERNEL(make_tiles_kernel, karg_transcode)
{
    uint32_t i = prim_block() * prim_block_size() + prim_thread();
    const karg_job *jobs = prim_at<const karg_job>(a.jobs);
    if (i >= a.n_tiles)
        return;
    uint32_t j = make_tiles_find(jobs, a.n_jobs, a.from + i);
    const karg_list *list = prim_at<const karg_list>(a.lists) + j;
    uint32_t b = (a.from + i - prim_load(&jobs[j].tiles)) * KARG_TILE_BLOCKS;
    uint32_t end = prim_min(b + KARG_TILE_BLOCKS, prim_load(&list->n_blocks));
    uint32_t first = job_rank(list, b), next = job_rank(list, end);
    karg_tile *tile = prim_at<karg_tile>(a.tiles) + a.from + i;
    tile->list = j;
    tile->block = b;
    tile->n = end - b;
    tile->capacity = next > first ? next - first : 0;
    tile->out = (prim_load(&jobs[j].out) - a.docids) / sizeof(uint32_t) + first;
}
