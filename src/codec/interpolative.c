/* interpolative.c: the block code interpolative: binary interpolative coding, the yardstick of size;
 * plain row only.
 *
 * Coded are the running sums s(i) of the values (of docids: d(i) - i from the block before). First
 * s(n-1) as LEB128; then, bit after bit, lowest first, the middle sum of a range whose ends are
 * known, then that of its left and of its right half, until every sum is known. Range [a, b) of
 * ranks, with sums `low` before it and `high` at its end, has its middle m = (a + b) / 2 coded as
 * s(m) - low, one of r = high - low + 1 numbers: in k bits or, for the 2^k - r numbers in the middle,
 * k - 1, where k is the width of r - 1. Sums cannot fall, whatever the bits.
 * Halving goes by a stack of its own. Source: Moffat, Stuiver 2000. */
#include <string.h>

#include "base/bits.h"
#include "codec/codec_table.h"

enum { STACK = 10, SUM_BITS = 40 }; /* halvings of RP_BLOCK_MAX; RP_BLOCK_MAX numbers of 32 bits */

/* Ranks from a to b - 1, of sums from low to high. */
typedef struct range {
    size_t a, b;
    uint64_t low, high;
} range;

typedef struct stack {
    range at[STACK];
    size_t n;
} stack;

static void push(stack *s, size_t a, size_t b, uint64_t low, uint64_t high)
{
    if (a < b)
        s->at[s->n++] = (range){a, b, low, high};
}

/* The ranges that are left of r when its middle, sum, is known; the left one is next. */
static void push_halves(stack *s, const range *r, size_t middle, uint64_t sum)
{
    push(s, middle + 1, r->b, sum, r->high);
    push(s, r->a, middle, r->low, sum);
}

/* How one of `count` numbers is coded: width k; numbers turned by `turn` get k - 1 bits if they are
 * below `brief`. */
typedef struct split {
    uint32_t k;
    uint64_t brief, turn;
} split;

static split split_of(uint64_t count)
{
    split s = {.k = rp__bits_width64(count - 1)};
    s.brief = (1ULL << s.k) - count;
    s.turn = (count - s.brief) / 2;
    return s;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static size_t bound(size_t n)
{
    return 6 + n * 5; /* numbers of up to SUM_BITS bits */
}

/* Adds bits at bit *at; bytes not yet begun are cleared first. */
static void put(uint8_t *bytes, uint64_t *at, uint64_t v, uint32_t bits)
{
    for (; bits > 0; bits--, v >>= 1, ++*at) {
        uint8_t *byte = bytes + *at / 8;
        *byte = (uint8_t)((*at % 8 ? *byte : 0) | (v & 1) << *at % 8);
    }
}

static void put_number(uint8_t *bytes, uint64_t *at, uint64_t v, uint64_t count)
{
    split s = split_of(count);
    v = v >= s.turn ? v - s.turn : v + count - s.turn;
    if (v < s.brief) {
        put(bytes, at, v, s.k - 1);
    } else if (s.k > 0) {
        put(bytes, at, (v + s.brief) / 2, s.k - 1);
        put(bytes, at, (v + s.brief) % 2, 1);
    }
}

static size_t encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                     uint8_t *out)
{
    (void)options;
    uint64_t sums[RP_BLOCK_MAX], sum = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        sums[i] = sum += values[i];
    uint8_t *p = rp__bits_put_varint(out, sum);
    stack s = {.n = 0};
    push(&s, 0, n ? n - 1 : 0, 0, sum);
    while (s.n > 0) {
        range r = s.at[--s.n];
        size_t middle = (r.a + r.b) / 2;
        put_number(p, &at, sums[middle] - r.low, r.high - r.low + 1);
        push_halves(&s, &r, middle, sums[middle]);
    }
    return (size_t)(p - out) + (at + 7) / 8;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

typedef struct reader {
    const uint8_t *bytes;
    uint64_t at, end; /* bits */
} reader;

/* The next number below count; false: it is cut off. */
static bool get_number(reader *in, uint64_t count, uint64_t *v)
{
    split s = split_of(count);
    uint32_t few = s.k > 0 ? s.k - 1 : 0, used = few;
    uint64_t word = rp__load64(in->bytes + in->at / 8) >> in->at % 8;
    *v = word & ((1ULL << few) - 1);
    if (*v >= s.brief && s.k > 0) {
        *v = 2 * *v + (word >> few & 1) - s.brief;
        used = s.k;
    }
    *v = *v + s.turn < count ? *v + s.turn : *v + s.turn - count;
    in->at += used;
    return in->at <= in->end;
}

static rp_status decode_sums(const uint8_t *in, size_t in_bytes, uint64_t *sums, size_t n)
{
    const uint8_t *p = in, *end = in + in_bytes;
    uint64_t sum;
    if (!rp__bits_varint(&p, end, &sum) || sum >> SUM_BITS)
        return RP_DAMAGED;
    reader bits = {p, 0, 8 * (uint64_t)(end - p)};
    stack s = {.n = 0};
    push(&s, 0, n ? n - 1 : 0, 0, sum);
    if (n > 0)
        sums[n - 1] = sum;
    while (s.n > 0) {
        range r = s.at[--s.n];
        size_t middle = (r.a + r.b) / 2;
        uint64_t above;
        if (!get_number(&bits, r.high - r.low + 1, &above))
            return RP_DAMAGED;
        sums[middle] = r.low + above;
        push_halves(&s, &r, middle, sums[middle]);
    }
    return RP_OK;
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    uint64_t sums[RP_BLOCK_MAX], before = 0, any = 0;
    if (decode_sums(in, in_bytes, sums, n))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; before = sums[i++]) {
        any |= sums[i] - before;
        out[i] = (uint32_t)(sums[i] - before);
    }
    return any > UINT32_MAX ? RP_DAMAGED : RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    uint64_t sums[RP_BLOCK_MAX], first = (uint32_t)(base + 1);
    if (decode_sums(in, in_bytes, sums, n) || (n > 0 && first + n - 1 + sums[n - 1] > UINT32_MAX))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i++)
        out[i] = (uint32_t)(first + i + sums[i]);
    return RP_OK;
}

const rp__block_code rp__interpolative_code = {
    .name = "interpolative",
    .needs = 0,
    .bound = bound,
    .encode = encode,
    .decode = decode,
    .decode_docids = decode_docids,
};
