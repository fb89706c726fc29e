/* check_lists.cu: whether docids that were decoded are those of their lists: they rise, stay below
 * the universe, and blocks end as both levels of the directory say, and lie in the buckets that the
 * table of hslrc has them in, and where hints of bitmaps say: decoders do not read these, but
 * searches do. One warp: a tile. Reads its docids once, the directory and those; writes only where
 * they are not. No shared memory.
 * Limits: any bytes; blocks without postings, or with more than the largest block has, are
 * damage. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* Of block b, whose docids begin with `docids`, the tile's. */
PRIM bool check_lists_block(const job_tile &t, uint32_t b, uint32_t begin)
{
    const uint32_t *last = prim_at<const uint32_t>(prim_load(&t.list->last)),
                   *far = prim_at<const uint32_t>(prim_load(&t.list->last_far));
    uint32_t from = job_rank(t.list, b), to = job_rank(t.list, b + 1);
    bool is_cut =
        from < to && to - from <= TILE_BLOCK_MAX && begin <= from && to - begin <= t.capacity;
    bool has_far =
        far && (b % DIRECTORY_FAR == DIRECTORY_FAR - 1 || b + 1 == prim_load(&t.list->n_blocks));
    if (!is_cut)
        return false;
    const uint32_t first = t.out[from - begin], end = t.out[to - begin - 1],
                   code = prim_load(&t.job->code);
    const bool is_hashed = code == KARG_CODEC_HSLRC256 || code == KARG_CODEC_HSLRC128;
    return (!last || end == prim_load(&last[b])) &&
           (!has_far || end == prim_load(&far[b / DIRECTORY_FAR])) &&
           (!is_hashed || lrc_bucket_has(*t.list, b, first, end));
}

/* Whether hints of a bitmap that lie after one docid, and at the next one or before, are its rank:
 * decoders do not read them either. */
PRIM bool check_lists_hints(const job_tile &t, uint32_t rank, uint32_t before, uint32_t docid)
{
    const uint32_t *head = prim_at<const uint32_t>(prim_load(&t.list->docs));
    const uint32_t base = prim_load(&head[0]), words = 2 * prim_load(&head[1]);
    const uint32_t bytes = prim_load(&t.list->docs_bytes);
    bool is_sound = true;
    if (base == block_bitmap::SPARSE || bytes / 4 < block_bitmap::HEAD + words || docid < base)
        return base == block_bitmap::SPARSE;
    const uint32_t n = bytes / 4 - block_bitmap::HEAD - words;
    for (uint32_t i = before + 1 > base ? prim_div_up(before + 1 - base, 512) : 0;
         i < n && i <= (docid - base) / 512; i++)
        is_sound &= prim_load(&head[block_bitmap::HEAD + words + i]) == rank;
    return is_sound;
}

RP_KERNEL(check_lists_kernel, karg_transcode)
{
    if (job_warp() >= a.n_tiles)
        return;
    job_tile t = job_open(a, job_warp());
    uint32_t begin = job_rank(t.list, t.block), base = job_base(t.list, t.block);
    const bool has_hints = prim_load(&t.job->code) == KARG_CODEC_BITMAP;
    bool is_sound = t.capacity > 0;
    for (uint32_t k = prim_lane(); k < t.capacity; k += 32) {
        uint32_t docid = t.out[k], before = k ? t.out[k - 1] : base;
        is_sound &= before == UINT32_MAX ? k == 0 : before < docid;
        is_sound &= docid < prim_load(&t.list->universe);
        if (has_hints)
            is_sound &= check_lists_hints(t, begin + k, before, docid);
    }
    for (uint32_t k = prim_lane(); k < t.n; k += 32)
        is_sound &= check_lists_block(t, t.block + k, begin);
    if (!is_sound)
        job_damaged(a, t);
}
