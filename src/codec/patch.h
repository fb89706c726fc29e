/* patch.h: what the PForDelta rows share: a block opened into its parts, and the kernels that make
 * values and docids of them. Interior of the room.
 *
 * A row's own file parses its bytes into an rp__patch (its `open`) and writes them; which bits are
 * where is said there. Kernels know no format: the plain one is patch.c, the others
 * patch_avx2.c and patch_avx512.c, and all give the same status and values. */
#ifndef RP_CODEC_PATCH_H
#define RP_CODEC_PATCH_H

#include "base/bits.h"
#include "codec/codec.h"

enum {
    RP_PATCH_WORDS = RP_BLOCK_MAX / 64,
    RP_PATCH_FAR_MAX = 8, /* values with a third part */
    RP_PATCH_ROOM = 2 * RP_BLOCK_MAX + 48,
};

/* Value i is its `width` low bits plus, where bit i of `at` is set, high << shift: the high part
 * that as many set bits come before. `replaces`: the high part alone. At last the far parts are
 * added, at their own positions. */
typedef struct rp__patch {
    const uint8_t *lows, *highs;
    uint32_t width;                  /* of lows, which start at a byte */
    uint32_t high_width, high_start; /* of highs; bit of *highs at which the first starts, 0 to 7 */
    uint32_t shift, count;           /* count: bits set in `at` */
    uint32_t bits;                   /* no value has more */
    bool replaces;
    uint32_t n_far;
    uint64_t at[RP_PATCH_WORDS];
    uint8_t far_at[RP_PATCH_FAR_MAX];  /* rising, below n */
    uint32_t far[RP_PATCH_FAR_MAX];    /* shifted */
    uint32_t room[RP_PATCH_ROOM];      /* for highs that are no bytes of the block */
} rp__patch;

/* Lows alone; `room` stays as it is. */
static inline void rp__patch_start(rp__patch *p, const uint8_t *lows, uint32_t width)
{
    p->lows = p->highs = lows;
    p->width = p->shift = p->bits = width;
    p->high_width = p->high_start = p->count = p->n_far = 0;
    p->replaces = false;
    for (size_t i = 0; i < RP_PATCH_WORDS; i++)
        p->at[i] = 0;
}

/* `width` bits (at most 32) from bit `bit` on. Loads 8 bytes. */
static inline uint32_t rp__patch_bits(const uint8_t *p, size_t bit, uint32_t width)
{
    return (uint32_t)(rp__load64(p + bit / 8) >> (bit % 8) & ((1ULL << width) - 1));
}

static inline size_t rp__patch_bytes(size_t bits)
{
    return (bits + 7) / 8;
}

static inline void rp__patch_mark(rp__patch *p, uint32_t i)
{
    p->at[i / 64] |= 1ULL << i % 64;
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Writes out[0..n), and up to RP_BLOCK_ROOM. */
typedef void rp__patch_decode_fn(const rp__patch *p, uint32_t *out, size_t n);
typedef rp_status rp__patch_docids_fn(const rp__patch *p, uint32_t base, uint32_t *out, size_t n);

rp__patch_decode_fn rp__patch_decode;
rp__patch_docids_fn rp__patch_docids;
uint32_t rp__patch_at(const rp__patch *p, size_t i);
#if defined(__x86_64__)
rp__patch_decode_fn rp__patch_avx2_decode, rp__patch_avx512_decode;
rp__patch_docids_fn rp__patch_avx2_docids, rp__patch_avx512_docids;
#endif

/* The functions of a row: its format's `open` and an instruction set's kernels. */
#define RP_PATCH_ROW(open, kernel_decode, kernel_docids)                                           \
    static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)           \
    {                                                                                              \
        rp__patch p;                                                                               \
        if (open(in, in_bytes, n, &p))                                                             \
            return RP_DAMAGED;                                                                     \
        kernel_decode(&p, out, n);                                                                 \
        return RP_OK;                                                                              \
    }                                                                                              \
    static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base,              \
                                   uint32_t *out, size_t n)                                        \
    {                                                                                              \
        rp__patch p;                                                                               \
        return open(in, in_bytes, n, &p) ? RP_DAMAGED : kernel_docids(&p, base, out, n);           \
    }                                                                                              \
    static rp_status at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)     \
    {                                                                                              \
        rp__patch p;                                                                               \
        if (i >= n || open(in, in_bytes, n, &p))                                                   \
            return RP_DAMAGED;                                                                     \
        *out = rp__patch_at(&p, i);                                                                \
        return RP_OK;                                                                              \
    }

/* ---- Encoding -------------------------------------------------------------------------------- */

/* Packs numbers one after the other, the lowest bit first. May store 3 bytes past what it holds. */
typedef struct rp__patch_writer {
    uint8_t *out;
    uint64_t word;
    uint32_t held; /* bits in `word`, under 32 between calls */
} rp__patch_writer;

static inline void rp__patch_put(rp__patch_writer *w, uint32_t value, uint32_t width)
{
    w->word |= ((uint64_t)value & ((1ULL << width) - 1)) << w->held;
    w->held += width;
    if (w->held >= 32) {
        rp__store32(w->out, (uint32_t)w->word);
        w->out += 4;
        w->word >>= 32;
        w->held -= 32;
    }
}

/* Fills the last byte with zeros; returns the byte after it. */
static inline uint8_t *rp__patch_flush(rp__patch_writer *w)
{
    for (; w->held > 0; w->held = w->held > 8 ? w->held - 8 : 0) {
        *w->out++ = (uint8_t)w->word;
        w->word >>= 8;
    }
    w->word = 0;
    return w->out;
}

/* wider[w] of the n values have more than w bits, w up to 32. */
typedef struct rp__patch_widths {
    uint32_t wider[33];
    uint32_t most; /* bits of the widest */
} rp__patch_widths;

void rp__patch_count_widths(const uint32_t *values, size_t n, rp__patch_widths *out);
/* The least width that leaves at most the options' share of n as exceptions, else `share` of it. */
uint32_t rp__patch_width_for(const rp__patch_widths *widths, const rp__codec_options *options,
                             double share, size_t n);
/* The `width` low bits of each value. */
uint8_t *rp__patch_put_lows(uint8_t *out, const uint32_t *values, size_t n, uint32_t width);

#endif
