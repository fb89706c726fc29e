/* lr.c: ranges by regression: the inverse of the straight line through a list, and of the one through
 * each of its segments, in fixed point. Source: Ao et al. 2011, 4.3.
 *
 * The guess for x is g(x) = (s x + t) >> 31, held within 0 and n - 1. s is at most 2^31 and s x + t stays
 * in signed 64 bits for every x below 2^32 (inv. 1), so g never falls, and what holds for the docids d of
 * the list holds between them. `left` is the most by which some g(d) is above the rank of d, `right` the
 * most by which one is below. Let r be the rank of the first docid that is at least x:
 *   r < n: x <= d[r], so g(x) <= g(d[r]) <= r + left; r = n: g(x) <= n - 1. So r >= g(x) - left.
 *   r > 0: x > d[r - 1], so g(x) >= g(d[r - 1]) >= r - 1 - right; r = 0: g(x) >= 0. So r <= g(x) + right + 1.
 * These are lo and hi. For x = d[r] even r <= g(x) + right: a docid of the list lies before hi. */
#include "codec/lr.h"

#include <string.h>

#include "base/bits.h"

enum { SHIFT = 31, ALIGN = 16, HEAD = 24 };

static uint32_t segments_of(uint32_t n)
{
    return (uint32_t)(((uint64_t)n + RP_LR_SEGMENT - 1) / RP_LR_SEGMENT);
}

static uint32_t segment_count(uint32_t n, uint32_t segment)
{
    uint32_t left = n - segment * RP_LR_SEGMENT;
    return left < RP_LR_SEGMENT ? left : RP_LR_SEGMENT;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* Any line; what passes 64 bits wraps. n at least 1. */
static int64_t guess(int64_t t, uint32_t s, uint32_t n, uint32_t x)
{
    int64_t g = (int64_t)((uint64_t)s * x + (uint64_t)t) >> SHIFT;
    return g < 0 ? 0 : g < n ? g : (int64_t)n - 1;
}

void rp__lr_range(rp__lr_line line, uint32_t n, uint32_t x, uint32_t *lo, uint32_t *hi)
{
    int64_t g = guess(line.t, line.s, n, x), from = g - line.left, to = g + line.right + 1;
    *lo = from < 0 ? 0 : (uint32_t)from;
    *hi = to < n ? (uint32_t)to : n;
}

void rp__lr_find(const rp__aux *aux, uint32_t x, uint32_t *lo, uint32_t *hi)
{
    rp__lr_range(aux->line, aux->n, x, lo, hi);
}

static rp__lr_line line_of(const rp__aux *aux, uint32_t segment)
{
    return (rp__lr_line){aux->t[segment], aux->s[segment], aux->left[segment], aux->right[segment]};
}

/* The last segment of those from `first` to `last` that begins at or below x; `first` if none does. */
static uint32_t find_segment(const rp__aux *aux, uint32_t x, uint32_t first, uint32_t last)
{
    while (first < last) {
        uint32_t mid = first + (last - first + 1) / 2;
        if (aux->heads[mid] <= x)
            first = mid;
        else
            last = mid - 1;
    }
    return first;
}

void rp__lr_narrow(const rp__aux *aux, uint32_t x, uint32_t *lo, uint32_t *hi)
{
    uint32_t from, to;
    if (*lo >= *hi)
        return;
    uint32_t segment = find_segment(aux, x, *lo / RP_LR_SEGMENT, (*hi - 1) / RP_LR_SEGMENT);
    rp__lr_range(line_of(aux, segment), segment_count(aux->n, segment), x, &from, &to);
    from += segment * RP_LR_SEGMENT;
    to += segment * RP_LR_SEGMENT;
    *lo = from > *lo ? from : *lo;
    *hi = to < *hi ? to : *hi;
    *hi = *hi < *lo ? *lo : *hi;
}

/* ---- Fitting --------------------------------------------------------------------------------- */

/* Least squares of docids by rank, turned about: s = 2^31 S_xx / S_xy rounded down, and t so that the mean
 * docid gets the mean rank, and half a rank for rounding. Docids rise by at least one a rank, so S_xy
 * is at least S_xx, the guess rises by at most one a docid, and the mean rank is at most the mean
 * docid: g(x) <= x above the mean, which with half a rank keeps inv. 1. */
static rp__lr_line fit_line(const uint32_t *docids, uint32_t n)
{
    __extension__ typedef __int128 wide;
    const int64_t half = 1 << (SHIFT - 1);
    wide weighted = 0, count = n;
    uint64_t sum = 0;
    if (n < 2)
        return (rp__lr_line){.t = half};
    for (uint32_t i = 0; i < n; i++) {
        sum += docids[i];
        weighted += (wide)docids[i] * (2 * (int64_t)i - (int64_t)n + 1);
    }
    wide s = ((count * (count * count - 1)) << SHIFT) / (6 * weighted);
    wide ranks = (count * (count - 1) / 2) << SHIFT;
    return (rp__lr_line){.t = (int64_t)((ranks - s * (wide)sum) / count) + half, .s = (uint32_t)s};
}

static void find_deviations(const uint32_t *docids, uint32_t n, rp__lr_line *line)
{
    int64_t left = 0, right = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t over = guess(line->t, line->s, n, docids[i]) - (int64_t)i;
        left = over > left ? over : left;
        right = -over > right ? -over : right;
    }
    line->left = (uint32_t)left;
    line->right = (uint32_t)right;
}

static rp__lr_line line_through(const uint32_t *docids, uint32_t n)
{
    rp__lr_line line = fit_line(docids, n);
    find_deviations(docids, n, &line);
    return line;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Offsets of the arrays by segment. */
typedef struct layout {
    size_t t, s, heads, left, right, end;
} layout;

static layout layout_of(uint32_t n)
{
    layout at;
    size_t k = segments_of(n);
    at.t = HEAD;
    at.s = at.t + k * sizeof(int64_t);
    at.heads = at.s + k * sizeof(uint32_t);
    at.left = at.heads + k * sizeof(uint32_t);
    at.right = at.left + k;
    at.end = (size_t)rp__bits_align(at.right + k, ALIGN);
    return at;
}

size_t rp__lr_bound(const rp__aux_kind *kind, uint32_t n)
{
    (void)kind;
    return layout_of(n).end;
}

static void put_segments(const layout *at, const uint32_t *docids, uint32_t n, uint8_t *out)
{
    for (uint32_t k = 0; k < segments_of(n); k++) {
        const uint32_t *first = docids + (size_t)k * RP_LR_SEGMENT;
        rp__lr_line line = line_through(first, segment_count(n, k));
        rp__store64(out + at->t + k * sizeof(int64_t), (uint64_t)line.t);
        rp__store32(out + at->s + k * sizeof(uint32_t), line.s);
        rp__store32(out + at->heads + k * sizeof(uint32_t), *first);
        out[at->left + k] =
            (uint8_t)line.left; /* a guess and a rank are both below RP_LR_SEGMENT */
        out[at->right + k] = (uint8_t)line.right;
    }
}

size_t rp__lr_fit(const rp__aux_kind *kind, const uint32_t *docids, uint32_t n, uint32_t universe,
                  uint8_t *out)
{
    (void)kind, (void)universe;
    layout at = layout_of(n);
    rp__lr_line line = line_through(docids, n);
    memset(out, 0, at.end);
    rp__store64(out, (uint64_t)line.t);
    rp__store32(out + 8, line.s);
    rp__store32(out + 12, line.left);
    rp__store32(out + 16, line.right);
    put_segments(&at, docids, n, out);
    return at.end;
}

rp_status rp__lr_open(const rp__aux_kind *kind, const uint8_t *in, size_t in_bytes, uint32_t n,
                      uint32_t universe, rp__aux *aux)
{
    (void)universe;
    layout at = layout_of(n);
    if (n == 0 || in_bytes != at.end)
        return RP_DAMAGED;
    *aux = (rp__aux){.kind = kind,
                     .n = n,
                     .line = {(int64_t)rp__load64(in), rp__load32(in + 8), rp__load32(in + 12),
                              rp__load32(in + 16)},
                     .t = (const int64_t *)(const void *)(in + at.t),
                     .s = (const uint32_t *)(const void *)(in + at.s),
                     .heads = (const uint32_t *)(const void *)(in + at.heads),
                     .left = in + at.left,
                     .right = in + at.right};
    return RP_OK;
}

/* ---- Soundness ------------------------------------------------------------------------------- */

/* Inv. 1, and that no docid's rank is outside: then the proof above holds, however the line was found. */
static bool is_line_sound(rp__lr_line line, const uint32_t *docids, uint32_t n)
{
    const uint32_t most = 1U << SHIFT;
    if (line.s > most || line.t > INT64_MAX - (int64_t)line.s * UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        int64_t g = guess(line.t, line.s, n, docids[i]);
        if (i < g - line.left || i > g + line.right)
            return false;
    }
    return true;
}

bool rp__lr_is_sound(const rp__aux *aux, const uint32_t *docids)
{
    bool is_sound = is_line_sound(aux->line, docids, aux->n);
    for (uint32_t k = 0; is_sound && k < segments_of(aux->n); k++) {
        const uint32_t *first = docids + (size_t)k * RP_LR_SEGMENT;
        is_sound = aux->heads[k] == *first &&
                   is_line_sound(line_of(aux, k), first, segment_count(aux->n, k));
    }
    return is_sound;
}
