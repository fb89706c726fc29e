/* rank/rank.h: the door of rank: numbers only.
 *
 * Chapters: 1 rankings, one row each; 2 weights, made once a query in double; 3 the contribution of
 * one posting; 4 the k best.
 * One answer: a contribution is float32 in one stated order of IEEE operations, then truncated to
 * an unsigned fixed-point number with s fraction bits (IIU: by integers alone, iiu_score.h); a
 * score is the 32-bit sum; ties go to the smaller docid. Nothing here depends on codec, processor
 * or order of evaluation. */
#ifndef RP_RANK_RANK_H
#define RP_RANK_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rank/iiu_score.h"
#include "riposte/status.h"

/* ---- 1. Rankings ----------------------------------------------------------------------------- */

typedef struct rp__rank_stats {
    uint64_t docs, tokens;
    uint32_t max_length;
} rp__rank_stats;

typedef enum rp__rank_kind { RP_RANK_BM25, RP_RANK_DIRICHLET, RP_RANK_IIU } rp__rank_kind;

typedef struct rp__ranking {
    const char *name;
    rp__rank_kind kind;
    double k1, b, mu;                          /* defaults */
    double (*idf)(uint64_t docs, uint64_t df); /* NULL for Dirichlet */
    bool times_k1_plus_1;
} rp__ranking;

const rp__ranking *rp__ranking_find(const char *name); /* NULL: no such name */
const rp__ranking *rp__ranking_at(size_t i);           /* default first; NULL past the last */

/* A ranking with its parameters and the collection's statistics. */
typedef struct rp__rank {
    const rp__ranking *ranking;
    double k1, b, mu;
    rp__rank_stats stats;
} rp__rank;

/* RP_USAGE: k1, b or mu is out of its range; err names it. IIU: K of the longest document is below
 * 2^16 too. All below wants a rank that passes. */
rp_status rp__rank_check(const rp__rank *rank, rp_error *err);

/* ---- 2. Weights ------------------------------------------------------------------------------ */

/* What one term or phrase of a query brings: `weight` is idf (of a phrase: the sum of its words')
 * times the constants and the boost (IIU: rounded to 2^-16); for Dirichlet 1/(mu p), with the boost
 * apart. */
typedef struct rp__weight {
    float weight, boost;
    double bound; /* no contribution is larger */
} rp__weight;

/* df >= 1 and cf >= df. Words of a phrase: n > 1 (Dirichlet: the least cf counts). */
rp__weight rp__rank_weight(const rp__rank *rank, const uint32_t *df, const uint64_t *cf, size_t n,
                           double boost);
/* What a document's length does: K = k1 (1 - b + b dl/avgdl), or mu/(dl + mu) for Dirichlet. IIU: K
 * rounded up to 2^-16, at least that and below 2^16, which is exact in float: stored bounds, made
 * for the smaller K, hold for it. */
float rp__rank_norm(const rp__rank *rank, uint32_t length);
/* s: 20 (IIU: 16), unless the sum of bounds reaches 2^12 (2^16); then the largest that keeps it
 * below 2^32. */
int32_t rp__rank_fraction_bits(rp__rank_kind kind, double sum_of_bounds);
/* 2^s as float, and the score that a fixed-point number stands for. */
float rp__rank_scale(int32_t fraction_bits);
double rp__rank_score(uint64_t fixed, int32_t fraction_bits);

/* max of tf/(tf+K) in 1/255, rounded up. */
uint8_t rp__rank_block_bound(float ratio);
/* tf/(tf+K) from 0 to 1 in 1/255, rounded down: what the best postings reach. The product is
 * exact. */
static inline uint8_t rp__rank_reached(float ratio)
{
    return (uint8_t)((double)ratio * 255.0);
}

/* ---- 3. The contribution of one posting ------------------------------------------------------ */

static inline float rp__rank_bm25(float weight, float norm, uint32_t tf)
{
    float t = (float)tf;
    return weight * (t / (t + norm));
}

/* boost * ln y, clamped at 0, with y = norm * (1 + tf * weight), by rank/fixed_log.h. */
float rp__rank_dirichlet(float weight, float boost, float norm, uint32_t tf);

/* Truncates; the product with a power of two is exact. Within its bound a contribution is below
 * 2^32; the cut serves frequencies that only damaged bytes have. */
static inline uint32_t rp__rank_fix(float contribution, float scale)
{
    float fixed = contribution * scale;
    return fixed < 0x1p32F ? (uint32_t)fixed : UINT32_MAX;
}

/* IIU: idf_bar is the weight with s fraction bits; the norm is a whole number of 2^-16. */
static inline uint32_t rp__rank_iiu(uint32_t idf_bar, float norm, uint32_t tf)
{
    return rp__iiu_score(idf_bar, tf, (uint32_t)(norm * 0x1p16F));
}

/* By kind; for code that is not hot. */
uint32_t rp__rank_contribution(rp__rank_kind kind, const rp__weight *weight, float norm,
                               uint32_t tf, int32_t fraction_bits);

/* ---- 4. The k best --------------------------------------------------------------------------- */

typedef struct rp__scored {
    uint32_t fixed, docid;
} rp__scored;

/* Keeps them in the caller's memory: the reference that every processor must match. */
typedef struct rp__topk {
    rp__scored *at;
    size_t k, n;    /* n may pass k until rp__topk_finish */
    uint32_t least; /* no score below it can enter; 0 while there is room, unless it was raised */
} rp__topk;

/* Elements of `room` for k: a large k keeps more than k, and drops the worst half now and then. */
size_t rp__topk_room(size_t k);
void rp__topk_init(rp__topk *topk, rp__scored *room, size_t k);
/* Any order of docids. */
void rp__topk_push(rp__topk *topk, uint32_t fixed, uint32_t docid);
/* At least k documents, pushed or not, are known to score `least` or more. */
static inline void rp__topk_raise(rp__topk *topk, uint32_t least)
{
    if (topk->least < least)
        topk->least = least;
}
void rp__topk_finish(rp__topk *topk); /* at[0..n) best first, n <= k */

#endif
