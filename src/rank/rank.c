/* rank.c: weights, norms and bounds, in double on the host and rounded to float once.
 *
 * Nothing here knows of postings or processors. Numbers that come from an index are untrusted: a df
 * above the number of documents, a cf above that of tokens and counts of 0 are cut to size, so that
 * every weight is finite and not negative whatever the bytes say. */
#include "rank/rank.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "rank/fixed_log.h"

static uint64_t clamp(uint64_t v, uint64_t most)
{
    return v < 1 || most < 1 ? 1 : v < most ? v : most;
}

/* ---- Norms ----------------------------------------------------------------------------------- */

static double bm25_norm(const rp__rank *rank, uint32_t length)
{
    const rp__rank_stats *s = &rank->stats;
    double average = s->docs && s->tokens ? (double)s->tokens / (double)s->docs : 1;
    return rank->k1 * (1 - rank->b + rank->b * ((double)length / average));
}

/* The largest float below 2^16: lengths that only damaged bytes have are cut to it. */
static const float iiu_norm_max = 0x1.fffffep15F;

/* Below 2^8 the result has at most 24 bits; above, K as a float is a whole number of 2^-16 already. */
static float iiu_norm(float norm)
{
    const double up = ceil((double)norm * 0x1p16) * 0x1p-16;
    return up < (double)iiu_norm_max ? (float)up : iiu_norm_max;
}

/* BM25's is never quite 0, so that tf/(tf+K) is a number for a frequency of 0 too, which only damaged
 * bytes have; adding FLT_MIN changes no other sum. */
float rp__rank_norm(const rp__rank *rank, uint32_t length)
{
    if (rank->ranking->kind == RP_RANK_DIRICHLET)
        return (float)(rank->mu / ((double)length + rank->mu));
    float norm = (float)bm25_norm(rank, length);
    norm = norm > FLT_MIN ? norm : FLT_MIN;
    return rank->ranking->kind == RP_RANK_IIU ? iiu_norm(norm) : norm;
}

/* ---- Parameters ------------------------------------------------------------------------------ */

rp_status rp__rank_check(const rp__rank *rank, rp_error *err)
{
    if (!(rank->k1 >= 0 && rank->k1 <= 1e6))
        return rp__error_set(err, RP_USAGE, "k1 is %g; give a number from 0 to 1e6", rank->k1);
    if (!(rank->b >= 0 && rank->b <= 1))
        return rp__error_set(err, RP_USAGE, "b is %g; give a number from 0 to 1", rank->b);
    if (!(rank->mu >= 1e-3 && rank->mu <= 1e9))
        return rp__error_set(err, RP_USAGE, "mu is %g; give a number from 0.001 to 1e9", rank->mu);
    const double norm = bm25_norm(rank, rank->stats.max_length);
    if (rank->ranking->kind == RP_RANK_IIU && norm > (double)iiu_norm_max)
        return rp__error_set(err, RP_USAGE,
                             "k1 is %g, which makes K of the longest document %g; the ranking %s "
                             "has 16 bits for it: give a smaller k1",
                             rank->k1, norm, rank->ranking->name);
    return RP_OK;
}

/* ---- Weights and bounds ---------------------------------------------------------------------- */

static rp__weight bm25_weight(const rp__rank *rank, const uint32_t *df, size_t n, double boost)
{
    uint64_t docs = clamp(rank->stats.docs, UINT64_MAX);
    double idf = 0;
    for (size_t i = 0; i < n; i++)
        idf += rank->ranking->idf(docs, clamp(df[i], docs));
    if (rank->ranking->times_k1_plus_1)
        idf *= rank->k1 + 1;
    double weight = idf * boost;
    if (rank->ranking->kind == RP_RANK_IIU)
        weight = nearbyint(weight * 0x1p16) * 0x1p-16;
    rp__weight w = {.weight = (float)weight, .boost = (float)boost};
    w.bound = (double)w.weight; /* tf/(tf+K) is at most 1, and so is it after rounding */
    return w;
}

static rp__weight dirichlet_weight(const rp__rank *rank, const uint64_t *cf, size_t n, double boost)
{
    uint64_t tokens = clamp(rank->stats.tokens, UINT64_MAX), least = tokens;
    for (size_t i = 0; i < n; i++)
        least = clamp(cf[i], least);
    double p = (double)least / (double)tokens;
    rp__weight w = {.weight = (float)(1 / (rank->mu * p)), .boost = (float)boost};
    /* The margins are above what four roundings in float and those of the logarithm can add. */
    double most = log1p((double)rank->stats.max_length * (double)w.weight);
    w.bound = (double)w.boost * (most * (1 + 1e-6) + 1e-6);
    return w;
}

rp__weight rp__rank_weight(const rp__rank *rank, const uint32_t *df, const uint64_t *cf, size_t n,
                           double boost)
{
    if (rank->ranking->kind == RP_RANK_DIRICHLET)
        return dirichlet_weight(rank, cf, n, boost);
    return bm25_weight(rank, df, n, boost);
}

/* sum = f 2^e with 1/2 <= f < 1, so sum 2^(32-e) is below 2^32 and twice that is not. */
int32_t rp__rank_fraction_bits(rp__rank_kind kind, double sum_of_bounds)
{
    const int most = kind == RP_RANK_IIU ? RP_IIU_SCORE_BITS : 20;
    int e = DBL_MAX_EXP;
    if (isfinite(sum_of_bounds))
        (void)frexp(sum_of_bounds, &e);
    return 32 - e < most ? 32 - e : most;
}

float rp__rank_scale(int32_t fraction_bits)
{
    enum { BIAS = 127, MANTISSA = 23 };
    if (fraction_bits <= -BIAS || fraction_bits > BIAS)
        return ldexpf(1.0F, fraction_bits);
    const uint32_t bits = (uint32_t)(fraction_bits + BIAS) << MANTISSA;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

double rp__rank_score(uint64_t fixed, int32_t fraction_bits)
{
    enum { BIAS = 1023, MANTISSA = 52 };
    if (fraction_bits >= BIAS || fraction_bits < -BIAS)
        return ldexp((double)fixed, -fraction_bits);
    const uint64_t bits = (uint64_t)(BIAS - fraction_bits) << MANTISSA;
    double unit; /* a power of two: the product is exact, or rounded as ldexp does */
    memcpy(&unit, &bits, sizeof unit);
    return (double)fixed * unit;
}

uint8_t rp__rank_block_bound(float ratio)
{
    if (!(ratio < 1))
        return 255;
    uint8_t q = ratio > 0 ? (uint8_t)((double)ratio * 255.0) : 0;
    while ((double)q / 255.0 < (double)ratio)
        q++;
    return q;
}

float rp__rank_dirichlet(float weight, float boost, float norm, uint32_t tf)
{
    float y = norm * (1.0F + (float)tf * weight);
    return boost * ((float)rp__fixed_log(y) * 0x1p-25F);
}

uint32_t rp__rank_contribution(rp__rank_kind kind, const rp__weight *weight, float norm,
                               uint32_t tf, int32_t fraction_bits)
{
    const float scale = rp__rank_scale(fraction_bits);
    if (kind == RP_RANK_IIU)
        return rp__rank_iiu(rp__rank_fix(weight->weight, scale), norm, tf);
    float contribution = kind == RP_RANK_DIRICHLET
                             ? rp__rank_dirichlet(weight->weight, weight->boost, norm, tf)
                             : rp__rank_bm25(weight->weight, norm, tf);
    return rp__rank_fix(contribution, scale);
}
