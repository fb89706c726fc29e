/* repr_table.c: the representations that a list may have on a card, one row each.
 *
 * Costs are relative: a byte that is uploaded crosses the bus, one that is made on the card does not; norms are few and
 * every query needs them. */
#include "backend/gpu/residency/residency.h"
#include "base/bits.h"

enum { ALIGN = 256, HINT = 512 };

static uint64_t words(uint32_t n)
{
    return rp__bits_align((uint64_t)n * sizeof(uint32_t), ALIGN);
}

static uint64_t none(const karg_list *list, uint32_t n_docs)
{
    (void)list;
    (void)n_docs;
    return 0;
}

static uint64_t docids(const karg_list *list, uint32_t n_docs)
{
    (void)n_docs;
    return 2 * words(list->n);
}

static uint64_t freqs(const karg_list *list, uint32_t n_docs)
{
    (void)n_docs;
    return words(list->n);
}

static uint64_t bits(const karg_list *list, uint32_t n_docs)
{
    (void)n_docs;
    return words(list->universe / 32 + 1) + words(list->universe / HINT + 1) +
           words((list->n + KARG_BLOCK - 1) / KARG_BLOCK) + words(list->n);
}

/* Cells and what was found of the list; then two arrays, each with 16 readable bytes behind it. */
static uint64_t tiled(const karg_list *list, uint32_t n_docs)
{
    uint64_t tiles = ((n_docs - 1) >> KARG_OR_TILE) + 1;
    return rp__bits_align((tiles + 1) * sizeof(karg_cell) + sizeof(karg_found), ALIGN) +
           rp__bits_align((uint64_t)list->n * sizeof(uint16_t) + 16, ALIGN) +
           rp__bits_align((uint64_t)list->n * sizeof(float) + 16, ALIGN);
}

const rp__repr rp__reprs[RP_REPRS] = {
    [RP_REPR_STORED] = {"stored", RP_USE_STORED, 8, false, NULL},
    [RP_REPR_RECORD] = {"record", RP_USE_LOOKUP, 8, false, none},
    [RP_REPR_DOCIDS] = {"docids", RP_USE_LOOKUP, 1, true, docids},
    [RP_REPR_FREQS] = {"frequencies", RP_USE_LOOKUP, 1, true, freqs},
    [RP_REPR_BITS] = {"bits", RP_USE_LOOKUP, 1, true, bits},
    [RP_REPR_TILED] = {"tiled", RP_USE_TILED, 2, true, tiled},
    [RP_REPR_PLAIN] = {"plain", RP_USE_PLAIN, 1, true, docids},
    [RP_REPR_NORMS] = {"norms", RP_USE_NORMS, 64, false, NULL},
};
