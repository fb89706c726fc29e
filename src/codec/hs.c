/* hs.c: ranges by hash segmentation: the leading bits of a docid name its bucket, and where each bucket
 * begins is stored.
 *
 * With docids of k bits there are 2^m buckets, m being the least with n / 2^m <= the kind's bucket size;
 * those behind the last docid's are left out. A docid in a lower bucket is below x, one in a
 * higher bucket is above, so x's bucket is its range. Source: Ao et al. 2011, 4.4. */
#include "codec/hs.h"

#include <string.h>

#include "base/bits.h"

enum { HEAD = 8, ALIGN = 16 };

/* Of the number of buckets: m of the header, 29 at most. */
static uint32_t bits_of_bucket(const rp__aux_kind *kind, uint32_t n)
{
    uint32_t m = 0;
    while ((uint64_t)kind->bucket << m < n)
        m++;
    return m;
}

/* n is at most universe, so that m is at most k. */
static uint32_t shift_of(const rp__aux_kind *kind, uint32_t n, uint32_t universe)
{
    return rp__bits_width(universe - 1) - bits_of_bucket(kind, n);
}

static size_t size_of(uint64_t n_buckets)
{
    return (size_t)rp__bits_align(HEAD + (n_buckets + 1) * sizeof(uint32_t), ALIGN);
}

static uint64_t bucket_of(uint32_t x, uint32_t shift)
{
    return (uint64_t)x >> shift;
}

size_t rp__hs_bound(const rp__aux_kind *kind, uint32_t n)
{
    return size_of(1ULL << bits_of_bucket(kind, n));
}

size_t rp__hs_fit(const rp__aux_kind *kind, const uint32_t *docids, uint32_t n, uint32_t universe,
                  uint8_t *out)
{
    uint32_t shift = shift_of(kind, n, universe), i = 0;
    uint32_t n_buckets = (uint32_t)bucket_of(docids[n - 1], shift) + 1;
    size_t used = size_of(n_buckets);
    memset(out, 0, used);
    rp__store32(out, shift);
    rp__store32(out + 4, n_buckets);
    for (uint32_t h = 0; h <= n_buckets; h++) {
        while (i < n && bucket_of(docids[i], shift) < h)
            i++;
        rp__store32(out + HEAD + (size_t)h * sizeof(uint32_t), i);
    }
    return used;
}

rp_status rp__hs_open(const rp__aux_kind *kind, const uint8_t *in, size_t in_bytes, uint32_t n,
                      uint32_t universe, rp__aux *aux)
{
    if (n == 0 || n > universe || in_bytes < HEAD)
        return RP_DAMAGED;
    *aux = (rp__aux){.kind = kind,
                     .n = n,
                     .shift = rp__load32(in),
                     .n_buckets = rp__load32(in + 4),
                     .starts = (const uint32_t *)(const void *)(in + HEAD)};
    if (aux->shift != shift_of(kind, n, universe) || aux->n_buckets == 0 ||
        aux->n_buckets > 1ULL << bits_of_bucket(kind, n) || in_bytes != size_of(aux->n_buckets))
        return RP_DAMAGED;
    return RP_OK;
}

void rp__hs_find(const rp__aux *aux, uint32_t x, uint32_t *lo, uint32_t *hi)
{
    uint64_t h = bucket_of(x, aux->shift);
    *lo = *hi = aux->n;
    if (h >= aux->n_buckets)
        return;
    uint32_t from = aux->starts[h], to = aux->starts[h + 1];
    if (to < *hi)
        *hi = to;
    *lo = from < *hi ? from : *hi;
}

bool rp__hs_is_sound(const rp__aux *aux, const uint32_t *docids)
{
    uint32_t i = 0;
    for (uint32_t h = 0; h <= aux->n_buckets; h++) {
        while (i < aux->n && bucket_of(docids[i], aux->shift) < h)
            i++;
        if (aux->starts[h] != i)
            return false;
    }
    return i == aux->n;
}
