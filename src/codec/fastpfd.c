/* fastpfd.c: the docid codec fastpfd, plain reference: PForDelta whose exceptions are packed by
 * width for groups of blocks (fastpfd.h gives the bytes).
 *
 * A block's width is the one that costs the fewest bits. The encoder serves all rows. Source: Lemire
 * and Boytsov 2015, "Decoding billions of integers per second through vectorization", FastPFOR; there
 * groups have up to 65,536 integers, here a block must be found by itself. */
#include "codec/fastpfd.h"

#include "codec/codec_table.h"

/* ---- Reading --------------------------------------------------------------------------------- */

/* The exceptions of block b to p; all of its group are looked at, and are among its n docids. */
static rp_status place(rp__patch *p, const rp__fastpfd_run *run, uint32_t b, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t at = rp__fastpfd_at(run, i);
        most = at > most ? at : most;
        if (at / RP_BLOCK != b % RP_FASTPFD_GROUP)
            continue;
        if (p->width + run->high_bits > 32)
            return RP_DAMAGED;
        uint32_t add = rp__fastpfd_high(run, i) << p->width;
        p->adds[at % RP_BLOCK] += add;
        p->total += add;
    }
    return most < n ? RP_OK : RP_DAMAGED;
}

rp_status rp__fastpfd_block_by(rp__patch_docids_fn *kernel, const rp__list *list, uint32_t b,
                               uint32_t *out)
{
    uint32_t first = b - b % RP_FASTPFD_GROUP, w, first_w;
    uint32_t rest = list->n - rp__list_begin(list, first);
    uint32_t n = rest < RP_FASTPFD_DOCIDS ? rest : RP_FASTPFD_DOCIDS;
    const uint8_t *p;
    size_t in_bytes;
    rp__blocks_part block;
    rp__patch patch;
    if (rp__blocks_open(list, b, &block) ||
        rp__bitpack_open(block.in, block.in_bytes, block.count, &w) ||
        rp__list_bytes(list, first, &p, &in_bytes) ||
        rp__bitpack_open(p, in_bytes, rp__list_count(list, first), &first_w))
        return RP_DAMAGED;
    rp__patch_init(&patch, RP_BLOCK);
    rp__patch_start(&patch, block.in + 1, w);
    const uint8_t *end = p + in_bytes;
    for (p += 1 + rp__patch_bytes((size_t)rp__list_count(list, first) * first_w); p < end;) {
        rp__fastpfd_run run;
        if (rp__fastpfd_next(&p, end, &run) || place(&patch, &run, b, n))
            return RP_DAMAGED;
    }
    return kernel(&patch, block.base, out, block.count);
}

uint32_t *rp__fastpfd_put_by(rp__patch_docids_fn *kernel, const rp__list *list, uint32_t b,
                             uint32_t *out)
{
    uint32_t count = rp__list_count(list, b);
    if (count == 0 || rp__fastpfd_block_by(kernel, list, b, out))
        return NULL;
    out += count;
    return rp__blocks_ends_so(list, b, out[-1]) ? out : NULL;
}

rp_status rp__fastpfd_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__fastpfd_block_by(rp__patch_docids, list, b, out);
}

rp_status rp__fastpfd_decode(const rp__list *list, uint32_t *out)
{
    for (uint32_t b = 0; b < list->n_blocks; b++)
        if (!(out = rp__fastpfd_put_by(rp__patch_docids, list, b, out)))
            return RP_DAMAGED;
    return rp__blocks_end(list);
}

/* ---- Writing --------------------------------------------------------------------------------- */

enum { RUN_MAX = 256, HEAD = 2 };

/* A group's values, and the width of each of its blocks. */
typedef struct group {
    uint32_t values[RP_FASTPFD_DOCIDS], n;
    uint32_t widths[RP_FASTPFD_GROUP];
} group;

/* Bits of a block with each width: all low bits, and of each exception its place and the bits above
 * the width but the highest. */
static uint32_t choose(const uint32_t *values, size_t n)
{
    rp__patch_widths widths;
    rp__patch_count_widths(values, n, &widths);
    uint32_t best = widths.most;
    size_t least = SIZE_MAX, highs = 0;
    for (uint32_t w = widths.most + 1; w-- > 0;) {
        size_t bits = n * w + (size_t)widths.wider[w] * RP_FASTPFD_AT_BITS + highs;
        best = bits < least ? w : best;
        least = bits < least ? bits : least;
        highs += widths.wider[w];
    }
    return best;
}

static void take_group(const rp__encoding *e, size_t b, group *g)
{
    size_t i = b ? e->ends[b - 1] : 0, k = 0;
    for (g->n = 0; k < RP_FASTPFD_GROUP && b + k < e->n_blocks; k++) {
        uint32_t *values = g->values + g->n;
        for (; i < e->ends[b + k]; i++)
            g->values[g->n++] = i ? e->docids[i] - e->docids[i - 1] - 1 : e->docids[0];
        g->widths[k] = choose(values, (size_t)(g->values + g->n - values));
    }
}

static uint32_t high_of(const group *g, uint32_t i)
{
    uint32_t w = g->widths[i / RP_BLOCK];
    return w < 32 ? g->values[i] >> w : 0;
}

/* Runs of the exceptions at `at`, whose high parts have so many bits. */
static uint8_t *put_runs(const group *g, const uint16_t *at, uint32_t n, uint32_t high_bits,
                         uint8_t *p)
{
    for (uint32_t from = 0; from < n; from += RUN_MAX) {
        uint32_t to = n - from < RUN_MAX ? n : from + RUN_MAX;
        *p++ = (uint8_t)high_bits;
        *p++ = (uint8_t)(to - from - 1);
        rp__patch_writer w = {.out = p};
        for (uint32_t i = from; i < to; i++)
            rp__patch_write(&w, at[i], RP_FASTPFD_AT_BITS);
        rp__patch_flush(&w);
        for (uint32_t i = from; i < to; i++)
            rp__patch_write(&w, high_of(g, at[i]), high_bits - 1);
        p = rp__patch_flush(&w);
    }
    return p;
}

static uint8_t *put_exceptions(const group *g, uint8_t *p)
{
    for (uint32_t high_bits = 1; high_bits <= 32; high_bits++) {
        uint16_t at[RP_FASTPFD_DOCIDS];
        uint32_t n = 0;
        for (uint32_t i = 0; i < g->n; i++) {
            at[n] = (uint16_t)i;
            n += rp__bits_width(high_of(g, i)) == high_bits;
        }
        p = put_runs(g, at, n, high_bits, p);
    }
    return p;
}

/* No block is wider than with the width of its widest value; of a group there may be runs of each
 * width, and one more for each full one, with two bytes begun; a writer stores 3 bytes past its end. */
size_t rp__fastpfd_bound(const rp__codec *codec, size_t n)
{
    (void)codec;
    const size_t runs = 32 + RP_FASTPFD_DOCIDS / RUN_MAX;
    size_t blocks = (n + RP_BLOCK - 1) / RP_BLOCK,
           groups = (n + RP_FASTPFD_DOCIDS - 1) / RP_FASTPFD_DOCIDS;
    return blocks + sizeof(uint32_t) * n + groups * runs * (HEAD + 2) + sizeof(uint32_t);
}

rp_status rp__fastpfd_encode(const rp__codec *codec, rp__encoding *e)
{
    (void)codec;
    group g;
    uint8_t *p = e->out;
    for (size_t b = 0; b < e->n_blocks; b++) {
        size_t k = b % RP_FASTPFD_GROUP, from = k * RP_BLOCK;
        if (k == 0)
            take_group(e, b, &g);
        if ((size_t)(p - e->out) > UINT32_MAX)
            return RP_LIMIT;
        e->offsets[b] = (uint32_t)(p - e->out);
        *p++ = (uint8_t)g.widths[k];
        p = rp__patch_put_lows(p, g.values + from, g.n - from < RP_BLOCK ? g.n - from : RP_BLOCK,
                               g.widths[k]);
        if (k == 0)
            p = put_exceptions(&g, p);
    }
    e->used = (size_t)(p - e->out);
    return RP_OK;
}
