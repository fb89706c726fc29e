/* list_coder.c: has the codec cut and encode a list, and finds the bounds of its blocks. */
#include "index/list_coder.h"

#include "base/alloc.h"
#include "index/bounds.h"
#include "index/coding.h"

void rp__list_coder_init(rp__list_coder *c, const rp__coding *coding, const rp__lengths *lengths,
                         const float *norms)
{
    *c = (rp__list_coder){.codec = rp__coding_row(coding),
                          .options = coding->options,
                          .lengths = lengths,
                          .norms = norms};
}

void rp__list_coder_reset(rp__list_coder *c)
{
    rp__free(c->ends);
    rp__free(c->scratch);
    rp__free(c->bounds);
    *c = (rp__list_coder){0};
}

size_t rp__list_coder_bound(const rp__list_coder *c, size_t n)
{
    return rp__list_bound(&c->codec, n);
}

uint64_t rp__list_coder_bytes(const rp__list_coder *c, size_t n)
{
    enum { GROWTH = 2 }; /* arrays grow by doubling */
    uint64_t blocks = rp__list_blocks_bound(&c->codec, n);
    uint64_t scratch = rp__list_scratch(&c->codec, n);
    return GROWTH * (blocks * (sizeof *c->ends + 1) + scratch * sizeof *c->scratch);
}

bool rp__list_coder_reserve(rp__list_coder *c, size_t n)
{
    size_t blocks = rp__list_blocks_bound(&c->codec, n);
    return rp__alloc_grow(&c->ends, &c->cap_ends, blocks, sizeof *c->ends) &&
           rp__alloc_grow(&c->bounds, &c->cap_bounds, blocks, 1) &&
           rp__alloc_grow(&c->scratch, &c->cap_scratch, rp__list_scratch(&c->codec, n),
                          sizeof *c->scratch);
}

static void find_bounds(rp__list_coder *c, const uint32_t *docids, const uint32_t *tfs,
                        size_t n_blocks, uint8_t kths[RP_LIST_KTHS])
{
    rp__bounds bounds;
    rp__bounds_init(&bounds, c->lengths, c->norms);
    for (size_t b = 0, from = 0; b < n_blocks; from = c->ends[b++])
        c->bounds[b] = rp__bounds_block(&bounds, docids + from, tfs + from, c->ends[b] - from);
    rp__bounds_kths(&bounds, kths);
}

/* Rows that cut, or are a list as a whole, keep the places of their parts; auto names none that cuts. */
static bool is_close(const rp__list_coder *c)
{
    return c->codec.choose || (c->codec.has_offsets && !c->codec.cut);
}

rp_status rp__list_coder_encode(rp__list_coder *c, const uint32_t *docids, const uint32_t *tfs,
                                size_t n, const uint32_t *pos_offsets, uint8_t *out, size_t *used)
{
    size_t n_blocks = rp__list_cut(&c->codec, &c->options, docids, tfs, n, c->scratch, c->ends);
    uint8_t kths[RP_LIST_KTHS];
    find_bounds(c, docids, tfs, n_blocks, kths);
    rp__list_parts parts = {.ends = c->ends,
                            .n_blocks = n_blocks,
                            .bounds = c->bounds,
                            .kths = kths,
                            .pos_offsets = pos_offsets,
                            .options = &c->options,
                            .is_close = is_close(c)};
    return rp__list_encode(&c->codec, docids, tfs, n, &parts, c->scratch, out, used);
}
