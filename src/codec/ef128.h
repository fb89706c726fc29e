/* ef128.h: what all rows of the block code ef128 share. Interior of the room.
 *
 * Coded are the running sums s(i) of the values, in Elias-Fano's way. Byte 0 is the form:
 *   0 to 31  that many low bits, l, of each sum, in order; with byte 0 they are a block of bp128.
 *            From the next byte on the high parts h(i) = s(i) >> l as unary gaps: h(i) - h(i-1)
 *            zeros, then a one. h(n-1) is below 2n; more is damage. Sums that fall are damage.
 *   32       all values are 0; nothing follows. (Docids: a run.)
 *   33       a block of bp128 follows: the sums would pass 2^32, which docids never do.
 * What is left of a last byte is zero. With l = 0 the high part is a bitmap of the docids. */
#ifndef RP_CODEC_EF128_H
#define RP_CODEC_EF128_H

#include "codec/bitpack.h"
#include "codec/list.h"
#include "codec/lowbits.h"
#include "codec/unary.h"

enum { RP_EF128_WIDTH_MAX = 31, RP_EF128_ZEROS = 32, RP_EF128_PLAIN = 33 };

typedef struct rp__ef128_parts {
    uint32_t l;
    const uint8_t *unary;
    uint64_t limit; /* bits in which the high parts must end */
} rp__ef128_parts;

/* Of a form of low and high bits: checks that the low ones lie inside. */
static inline rp_status rp__ef128_open(const uint8_t *in, size_t in_bytes, size_t n,
                                       rp__ef128_parts *parts)
{
    if (in_bytes < 1 || in[0] > RP_EF128_WIDTH_MAX)
        return RP_DAMAGED;
    size_t low = 1 + rp__lowbits_bytes(n, in[0]);
    if (in_bytes < low)
        return RP_DAMAGED;
    *parts = (rp__ef128_parts){in[0], in + low, rp__unary_limit(in_bytes - low, n)};
    return RP_OK;
}

/* Whether a block is for the plain row alone: another form, or more values than bytes count. */
static inline bool rp__ef128_is_plain(const uint8_t *in, size_t in_bytes, size_t n)
{
    return n - 1 >= RP_BLOCK || in_bytes == 0 || in[0] > RP_EF128_WIDTH_MAX;
}

static inline bool rp__ef128_is_form(const uint8_t *in, size_t in_bytes, uint8_t form)
{
    return in_bytes >= 1 && in[0] == form;
}

/* Whether docids stay below 2^32: the last of n that stands above base with this sum. */
static inline bool rp__ef128_fits(uint32_t base, size_t n, uint32_t sum)
{
    return (uint64_t)(uint32_t)(base + 1) + (n - 1) + sum <= UINT32_MAX;
}

/* The sum whose high part ends at bit `end`. */
static inline uint64_t rp__ef128_sum_at(const uint8_t *in, const rp__ef128_parts *parts,
                                        uint64_t end, size_t i)
{
    return (end - i) << parts->l | rp__lowbits_at(in + 1, parts->l, i);
}

/* Value i of a block alone: what the sums before and at it differ by. Mostly it ends in the word
 * behind the one before. */
static inline rp_status rp__ef128_at_by(const uint8_t *in, size_t in_bytes, size_t n, size_t i,
                                        uint32_t *out, rp__unary_end_fn *end_of)
{
    rp__ef128_parts parts;
    uint64_t before = 0, from = 0;
    *out = 0;
    if (i >= n)
        return RP_DAMAGED;
    if (rp__ef128_is_form(in, in_bytes, RP_EF128_ZEROS))
        return RP_OK;
    if (rp__ef128_is_form(in, in_bytes, RP_EF128_PLAIN))
        return rp__bitpack_at(in + 1, in_bytes - 1, n, i, out);
    if (rp__ef128_open(in, in_bytes, n, &parts))
        return RP_DAMAGED;
    if (i > 0) {
        from = end_of(parts.unary, RP_UNARY_ENDS_ARE_ONES, 0, parts.limit, i - 1);
        before = rp__ef128_sum_at(in, &parts, from++, i - 1);
    }
    if (from >= parts.limit)
        return RP_DAMAGED;
    const uint64_t word = rp__load64(parts.unary + from / 8) >> from % 8;
    uint64_t end = word ? from + rp__bits_lowest64(word)
                        : end_of(parts.unary, RP_UNARY_ENDS_ARE_ONES, from, parts.limit, 0);
    if (end >= parts.limit)
        return RP_DAMAGED;
    *out = (uint32_t)(rp__ef128_sum_at(in, &parts, end, i) - before);
    return RP_OK;
}

/* The i-th docid of a list of such blocks: a row's `at`, by its way of finding ends. The block's
 * other docids are not decoded. */
static inline rp_status rp__ef128_docid_by(const rp__list *list, uint32_t i, uint32_t *out,
                                           rp__unary_end_fn *end_of)
{
    rp__ef128_parts parts;
    const uint8_t *in;
    size_t in_bytes;
    uint32_t b = i / RP_BLOCK, slot = i % RP_BLOCK, sum = 0;
    if (i >= list->n || rp__list_bytes(list, b, &in, &in_bytes) || in_bytes == 0)
        return RP_DAMAGED;
    if (in[0] != RP_EF128_ZEROS) {
        if (rp__ef128_open(in, in_bytes, rp__list_count(list, b), &parts))
            return RP_DAMAGED;
        uint64_t end = end_of(parts.unary, RP_UNARY_ENDS_ARE_ONES, 0, parts.limit, slot);
        if (end >= parts.limit)
            return RP_DAMAGED;
        sum = (uint32_t)((end - slot) << parts.l) | rp__lowbits_at(in + 1, parts.l, slot);
    }
    *out = (b ? list->last[b - 1] : UINT32_MAX) + 1 + slot + sum;
    return RP_OK;
}

/* How many sums of a block of n have a high part below z; n where z is too large. */
static inline uint64_t rp__ef128_rank(const rp__ef128_parts *parts, uint64_t z, size_t n,
                                      rp__unary_end_fn *end_of)
{
    if (z == 0)
        return 0;
    uint64_t at = end_of(parts->unary, RP_UNARY_ENDS_ARE_ZEROS, 0, parts->limit, z - 1);
    return at < parts->limit && at + 1 - z < n ? at + 1 - z : n;
}

/* The first slot from i on, of which i have a high part below z, whose slot and sum together are at
 * least *above, and makes *above that number. n: there is none. */
static inline uint64_t rp__ef128_walk_far(const uint8_t *low, const rp__ef128_parts *parts,
                                          uint64_t i, uint64_t z, size_t n, uint64_t *above)
{
    for (uint64_t from = i + z; i < n && from < parts->limit; from += 64 - from % 8) {
        uint64_t bits = rp__load64(parts->unary + from / 8) >> from % 8;
        for (; bits && i < n; bits &= bits - 1, i++) {
            uint64_t at = from + rp__bits_lowest64(bits);
            uint64_t value = ((at - i) << parts->l | rp__lowbits_at(low, parts->l, i)) + i;
            if (value < *above)
                continue;
            *above = value;
            return at < parts->limit ? i : n;
        }
    }
    return n;
}

/* The same. Which of the next few it is cannot be foreseen, so they are counted without a branch:
 * probes that come next need not wait. */
static inline uint64_t rp__ef128_walk(const uint8_t *low, const rp__ef128_parts *parts, uint64_t i,
                                      uint64_t z, size_t n, uint64_t *above)
{
    enum { FEW = 8 };
    uint64_t from = i + z, values[FEW], below = 0;
    if (from >= parts->limit)
        return n;
    uint64_t bits = rp__load64(parts->unary + from / 8) >> from % 8, left = bits;
#pragma GCC unroll 8
    for (uint64_t k = 0; k < FEW; k++, left &= left - 1) {
        uint64_t at = from + (left ? rp__bits_lowest64(left) : 64 + FEW); /* past what is there */
        values[k] = ((at - i - k) << parts->l | rp__lowbits_at(low, parts->l, i + k)) + i + k;
        below += (values[k] < *above) & (i + k < n);
    }
    uint64_t slot = i + below;
    if (below == FEW || below >= rp__bits_count64(bits))
        return rp__ef128_walk_far(low, parts, i, z, n, above);
    *above = values[below];
    return slot < n && ((*above - slot) >> parts->l) + slot < parts->limit ? slot : n;
}

/* A row's `seek`, by its way of finding ends. The r(z) sums of a high part below z, each with its
 * slot, are less than (z << l) + n, so where that is at most what is searched for they can be
 * passed over, and few are left to walk over where n is few high parts. If it is many, n is too far
 * above r(z): it is r of a larger z that is taken off. */
static inline rp_status rp__ef128_seek_by(const rp__list *list, uint32_t b, uint32_t target,
                                          uint32_t *slot, uint32_t *docid, rp__unary_end_fn *end_of)
{
    enum { FEW = 16 };
    rp__ef128_parts parts;
    const uint8_t *in;
    size_t in_bytes, n = rp__list_count(list, b);
    uint32_t first = b ? list->last[b - 1] + 1 : 0;
    uint64_t above = target - first;
    if (rp__list_bytes(list, b, &in, &in_bytes) || rp__ef128_open(in, in_bytes, n, &parts))
        return RP_DAMAGED;
    uint64_t most = n;
    if (n >> parts.l > FEW)
        most = rp__ef128_rank(&parts, above >> parts.l, n, end_of);
    uint64_t z = most < above ? (above - most) >> parts.l : 0;
    uint64_t i = rp__ef128_rank(&parts, z, n, end_of);
    i = rp__ef128_walk(in + 1, &parts, i, z, n, &above);
    *slot = (uint32_t)i;
    *docid = first + (uint32_t)above;
    return i < n ? RP_OK : RP_DAMAGED;
}

/* The functions of the plain row, which the others use where they have nothing better. */
size_t rp__ef128_bound(size_t n);
size_t rp__ef128_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                        uint8_t *out);
rp_status rp__ef128_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n);
rp_status rp__ef128_decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                                  size_t n);
rp_status rp__ef128_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out);

#endif
