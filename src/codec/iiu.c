/* iiu.c: the docid codec iiu, plain reference: blocks of 1 to 256 postings, cut where that is
 * cheapest, each posting a gap and a frequency in the widths of its block (iiu.h gives the bytes).
 *
 * The one row that carries its own directory and its frequencies. Where to cut is iiu_partition.c's.
 * Source: Heo et al. 2020, "IIU: Specialized Architecture for Inverted Index Search", 3. */
#include "codec/iiu.h"

#include "codec/codec_table.h"
#include "codec/iiu_pack.h"

/* The cut is the cheapest, so it costs no more than the largest blocks at the full widths; these may be
 * of one posting each, if an option says so. Then a word that the writer may store past the end. */
size_t rp__iiu_bound(const rp__codec *codec, size_t n)
{
    (void)codec;
    return n * RP_IIU_ENTRY + (n * 62 + 7) / 8 + sizeof(uint64_t);
}

size_t rp__iiu_scratch(const rp__codec *codec, size_t n)
{
    (void)codec;
    return rp__iiu_partition_scratch(n, RP_IIU_MAX_SIZE);
}

size_t rp__iiu_cut(const rp__codec *codec, const rp__encoding *e, uint32_t *ends)
{
    (void)codec;
    uint32_t max_size = e->options && e->options->max_size ? e->options->max_size : RP_IIU_MAX_SIZE;
    return rp__iiu_partition_cut(e->docids, e->tfs, e->n, max_size, RP_IIU_COST_FREE, e->scratch,
                                 ends);
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static bool is_in_range(const rp__encoding *e, uint32_t limit)
{
    uint32_t any = e->docids[e->n - 1];
    for (size_t i = 0; i < e->n; i++)
        any |= e->tfs[i];
    return any < limit; /* a power of two */
}

rp_status rp__iiu_encode(const rp__codec *codec, rp__encoding *e)
{
    if (!is_in_range(e, codec->limit))
        return RP_LIMIT;
    const rp__iiu_blocks blocks = {e->docids, e->tfs, e->ends, e->n_blocks, RP_IIU_COST_FREE};
    const size_t heads = e->n_blocks * RP_IIU_ENTRY;
    uint64_t bits =
        rp__iiu_pack(&blocks, e->out, e->out + e->n_blocks * sizeof(uint64_t), e->out + heads);
    e->used = heads + (size_t)((bits + 7) / 8);
    return RP_OK;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static inline uint32_t field_at(const uint8_t *bits, uint64_t bit, uint32_t mask)
{
    return (uint32_t)(rp__load64(bits + bit / 8) >> bit % 8) & mask;
}

rp_status rp__iiu_plain_docids(const rp__iiu_view *v, uint32_t *out)
{
    uint32_t bit = v->phase, mask = (1U << v->gap) - 1;
    uint64_t docid = v->skip;
    bool is_repeated = false;
    for (uint32_t i = 0; i < v->count; i++, bit += v->gap + v->tf) {
        uint32_t gap = field_at(v->bits, bit, mask);
        is_repeated |= gap == 0 && i > 0;
        docid += gap;
        out[i] = (uint32_t)docid;
    }
    return is_repeated || docid > UINT32_MAX ? RP_DAMAGED : RP_OK;
}

rp_status rp__iiu_plain_freqs(const rp__iiu_view *v, uint32_t from, uint32_t count, uint32_t *out)
{
    uint32_t pair = v->gap + v->tf, bit = v->phase + from * pair + v->gap;
    uint32_t mask = (1U << v->tf) - 1;
    bool is_zero = false;
    for (uint32_t i = 0; i < count; i++, bit += pair) {
        out[i] = field_at(v->bits, bit, mask);
        is_zero |= out[i] == 0;
    }
    return is_zero ? RP_DAMAGED : RP_OK;
}

rp_status rp__iiu_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__iiu_block_with(list, b, out, rp__iiu_plain_docids);
}

rp_status rp__iiu_decode(const rp__list *list, uint32_t *out)
{
    return rp__iiu_decode_with(list, out, rp__iiu_plain_docids);
}

rp_status rp__iiu_tfs(const rp__list *list, uint32_t f, uint32_t *out)
{
    return rp__iiu_tfs_with(list, f, out, rp__iiu_plain_freqs);
}
