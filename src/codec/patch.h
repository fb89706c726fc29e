/* patch.h: what the PForDelta rows share: a block opened into its parts, and the kernels that make
 * values and docids of them. Interior of the room.
 *
 * A row's own file parses its bytes into an rp__patch (its `open`) and writes them; which bits are
 * where is said there. Kernels know no format: the plain one is patch.c, the others patch_avx2.c
 * and patch_avx512.c. Exceptions that are few are placed by `open`, the same code for all kernels,
 * which leaves an addition to each vector; those of a bitmap are many and left to the kernel. */
#ifndef RP_CODEC_PATCH_H
#define RP_CODEC_PATCH_H

#include "base/bits.h"
#include "codec/gaps.h"
#include "codec/list.h"

enum {
    RP_PATCH_WORDS = RP_BLOCK_MAX / 64,
    RP_PATCH_ROUND = 4, /* places cleared at once, so that rounds are few and alike */
};

/* Value i is the sum, modulo 2^32, of its `width` low bits, of adds[i], and, if bit i of `marks` is
 * set, of a high part << width: the one that as many set bits come before. */
typedef struct rp__patch {
    const uint8_t *lows, *highs;
    uint32_t width, high_width; /* high_width: 1 to 8, or 0: no marks */
    uint32_t n_marks, n_at;     /* bits set; entries of `at` */
    uint64_t total;             /* no less than the sum of all that is added through `adds` */
    uint64_t marks[RP_PATCH_WORDS];
    uint16_t at[RP_BLOCK_MAX + 2 * RP_PATCH_ROUND]; /* the places of `adds` that may not be zero */
    _Alignas(64) uint32_t adds[RP_BLOCK_MAX];
} rp__patch;

/* Before the only use, for a block of n values. */
static inline void rp__patch_init(rp__patch *p, size_t n)
{
    p->n_at = 0;
    memset(p->adds, 0, (n + 31) / 32 * 128); /* kernels read so far */
}

/* Before the first use of many. */
static inline void rp__patch_init_all(rp__patch *p)
{
    rp__patch_init(p, RP_BLOCK_MAX);
    memset(p->at, 0, sizeof p->at); /* a round may clear more than was set */
}

/* Forgets the block before. */
static inline void rp__patch_start(rp__patch *p, const uint8_t *lows, uint32_t width)
{
    for (uint32_t k = 0; k < p->n_at; k += RP_PATCH_ROUND)
        for (uint32_t i = 0; i < RP_PATCH_ROUND; i++)
            p->adds[p->at[k + i]] = 0;
    p->lows = lows;
    p->width = width;
    p->high_width = p->n_marks = p->n_at = 0;
    p->total = 0;
}

/* The next exception, at `at` below RP_BLOCK_MAX; `total` is the caller's to keep. */
static inline void rp__patch_add(rp__patch *p, uint32_t at, uint32_t add)
{
    p->at[p->n_at++] = (uint16_t)at;
    p->adds[at] += add;
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

/* k positions of `at_width` bits from *in on, and k parts of `width` bits from its bit `bit` on:
 * each part is added at its position, shifted. RP_DAMAGED unless positions rise and are below n. */
static inline rp_status rp__patch_place(rp__patch *p, const uint8_t *in, size_t bit, uint32_t k,
                                        uint32_t at_width, uint32_t width, uint32_t shift, size_t n)
{
    uint32_t above = 0, n_at = p->n_at; /* above: the least position that may follow */
    uint64_t total = p->total;
    bool bad = false;
    for (uint32_t j = 0; j < k; j++) {
        uint32_t at = rp__patch_bits(in, j * at_width, at_width);
        uint32_t part = rp__patch_bits(in, bit + j * width, width) << shift;
        bad |= at < above;
        above = at + 1;
        p->at[n_at + j] = (uint16_t)at;
        p->adds[at] += part;
        total += part;
    }
    p->n_at = n_at + k;
    p->total = total;
    return bad || above > n ? RP_DAMAGED : RP_OK;
}

/* Adds the marked high parts to out, one by one. */
static inline void rp__patch_add_marked(const rp__patch *p, uint32_t *out, size_t n)
{
    size_t bit = 0;
    for (size_t w = 0; p->high_width && 64 * w < n; w++)
        for (uint64_t left = p->marks[w]; left; left &= left - 1, bit += p->high_width)
            out[64 * w + rp__bits_lowest64(left)] += rp__patch_bits(p->highs, bit, p->high_width)
                                                     << p->width;
}

/* Whether docids that a kernel summed modulo 2^32 rise: where all gaps together stay under 2^32
 * they wrapped at most once, and the last one tells. */
static inline rp_status rp__patch_check(const rp__patch *p, uint32_t base, const uint32_t *out,
                                        size_t n)
{
    bool is_small = ((uint64_t)n << (p->width + p->high_width)) + p->total <= UINT32_MAX;
    return rp__gaps_check(out, n, base, is_small ? 0 : 32);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Writes out[0..n), and up to RP_BLOCK_CAPACITY. */
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
        rp__patch_init(&p, n);                                                                     \
        if (open(in, in_bytes, n, &p))                                                             \
            return RP_DAMAGED;                                                                     \
        kernel_decode(&p, out, n);                                                                 \
        return RP_OK;                                                                              \
    }                                                                                              \
    static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base,              \
                                   uint32_t *out, size_t n)                                        \
    {                                                                                              \
        rp__patch p;                                                                               \
        rp__patch_init(&p, n);                                                                     \
        return open(in, in_bytes, n, &p) ? RP_DAMAGED : kernel_docids(&p, base, out, n);           \
    }

/* Its function for one value, which opens the block. */
#define RP_PATCH_ROW_AT(open)                                                                      \
    static rp_status at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)     \
    {                                                                                              \
        rp__patch p;                                                                               \
        rp__patch_init(&p, n);                                                                     \
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

static inline void rp__patch_write(rp__patch_writer *w, uint32_t value, uint32_t width)
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

/* More exceptions than this, which vector units place together with those of other blocks, must
 * make a block shorter by so many parts of it to be worth their time. */
enum { RP_PATCH_EASY = 4, RP_PATCH_MANY_PART = 16 };

static inline size_t rp__patch_cost(size_t bytes, uint32_t n_exceptions)
{
    return n_exceptions > RP_PATCH_EASY ? bytes + bytes / RP_PATCH_MANY_PART : bytes;
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
