/* build_cells.cu: which blocks of lists meet each tile of docids, and how good their postings are:
 * cells of lists that or_maxscore.cu reads as they are stored.
 * Owns:   a thread a block of a list at a time; the thread blocks of a list follow each other.
 * Moves:  the directory once: 5 bytes a block of postings; 8 bytes a tile out.
 * Limits: lists with a directory and bounds, which hold for the ranking. Tiles are cut to those
 *         there are, whatever the directory says.
 * Source: as or_maxscore.cu. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* Tiles that begin in block b have its number, from 1 on; all that it meets have its bound. If last
 * docids do not rise, the list is damaged and all threads stop: each block of it could cover all
 * tiles, which would take a time of blocks times tiles. */
PRIM void put_block(const karg_or_stored &list, uint32_t b)
{
    const uint32_t *lasts = prim_at<const uint32_t>(list.term.list.last);
    karg_cell *cells = prim_at<karg_cell>(list.cells);
    const uint32_t before = b ? prim_load(&lasts[b - 1]) : UINT32_MAX, last = prim_load(&lasts[b]);
    const uint32_t end = prim_min(last >> KARG_OR_TILE, list.n_tiles - 1) + 1;
    if (b && before >= last) {
        prim_atomic_or(&prim_at<karg_found>(list.found)->damaged, 1);
        return;
    }
    const uint32_t bound = prim_load(prim_at<const uint8_t>(list.term.list.bounds) + b);
    const uint32_t top = score_word(prim_div(prim_float(bound), 255.0F));
    for (uint32_t t = b ? (before >> KARG_OR_TILE) + 1 : 0; t < end; t++)
        cells[t].first = b + 1;
    for (uint32_t t = (before + 1) >> KARG_OR_TILE; t < end; t++)
        prim_atomic_max(&cells[t].top, top);
}

RP_KERNEL(build_cells_kernel, karg_build_cells)
{
    const karg_or_stored &list = prim_at<const karg_or_stored>(a.lists)[prim_block() / a.parts];
    const uint32_t n = prim_block_size() * a.parts;
    for (uint32_t b = prim_block() % a.parts * prim_block_size() + prim_thread();
         b < list.term.list.n_blocks && !prim_look(&prim_at<karg_found>(list.found)->damaged);
         b += n)
        put_block(list, b);
}
