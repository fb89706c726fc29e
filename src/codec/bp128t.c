/* bp128t.c: the block code bp128t, plain reference: bit packing with the values of a full block
 * transposed, for membership tests without the running sum in order (bp128t.h gives the bytes).
 *
 * All of it is bp128 and a permutation. The encoder serves all rows of the code. The idea of vertical
 * sums over transposed values: Afroozeh and Boncz 2023, "The FastLanes Compression Layout". */
#include "codec/bp128t.h"

#include "codec/codec_table.h"

#define LANES_OF(r)                                                                                \
    (r), 8 + (r), 16 + (r), 24 + (r), 32 + (r), 40 + (r), 48 + (r), 56 + (r), 64 + (r), 72 + (r),  \
        80 + (r), 88 + (r), 96 + (r), 104 + (r), 112 + (r), 120 + (r)
const uint8_t rp__bp128t_ranks[RP_BLOCK] = {
    LANES_OF(0), LANES_OF(1), LANES_OF(2), LANES_OF(3),
    LANES_OF(4), LANES_OF(5), LANES_OF(6), LANES_OF(7),
};

static size_t slot_of(size_t n, size_t rank)
{
    if (n != RP_BLOCK)
        return rank;
    return RP_BP128T_LANES * (rank % RP_BP128T_ROWS) + rank / RP_BP128T_ROWS;
}

size_t rp__bp128t_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out)
{
    uint32_t rows[RP_BLOCK];
    if (n != RP_BLOCK)
        return rp__bitpack_encode(options, values, n, out);
    for (size_t s = 0; s < RP_BLOCK; s++)
        rows[s] = values[rp__bp128t_ranks[s]];
    return rp__bitpack_encode(options, rows, n, out);
}

rp_status rp__bp128t_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    uint32_t rows[RP_BLOCK];
    if (n != RP_BLOCK)
        return rp__bitpack_decode(in, in_bytes, out, n);
    if (rp__bitpack_decode(in, in_bytes, rows, n))
        return RP_DAMAGED;
    for (size_t s = 0; s < RP_BLOCK; s++)
        out[rp__bp128t_ranks[s]] = rows[s];
    return RP_OK;
}

rp_status rp__bp128t_decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                                   size_t n)
{
    if (n != RP_BLOCK)
        return rp__bitpack_decode_docids(in, in_bytes, base, out, n);
    if (rp__bp128t_decode(in, in_bytes, out, n))
        return RP_DAMAGED;
    uint64_t next = (uint32_t)(base + 1); /* the least docid that may follow; n * 2^32 fits */
    for (size_t i = 0; i < n; i++) {
        next += out[i];
        out[i] = (uint32_t)next++;
    }
    return next > 1ULL << 32 ? RP_DAMAGED : RP_OK;
}

rp_status rp__bp128t_plain_rows(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                                size_t n)
{
    uint32_t docids[RP_BLOCK];
    if (n != RP_BLOCK)
        return rp__bitpack_decode_docids(in, in_bytes, base, out, n);
    if (rp__bp128t_decode_docids(in, in_bytes, base, docids, n))
        return RP_DAMAGED;
    for (size_t s = 0; s < RP_BLOCK; s++)
        out[s] = docids[rp__bp128t_ranks[s]];
    return RP_OK;
}

rp_status rp__bp128t_unordered(const rp__list *list, uint32_t b, uint32_t n_blocks, uint32_t *out)
{
    return rp__bp128t_unordered_with(list, b, n_blocks, out, rp__bp128t_plain_rows);
}

rp_status rp__bp128t_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)
{
    return rp__bitpack_at(in, in_bytes, n, i < n ? slot_of(n, i) : n, out);
}

const rp__block_code rp__bp128t_code = {
    .name = "bp128t",
    .needs = 0,
    .bound = rp__bitpack_bound,
    .encode = rp__bp128t_encode,
    .decode = rp__bp128t_decode,
    .decode_docids = rp__bp128t_decode_docids,
    .at = rp__bp128t_at,
};
