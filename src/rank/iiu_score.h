/* rank/iiu_score.h: the score of a posting as IIU's scoring unit computes it, by integers alone.
 *
 * One function for every processor and for the simulated machine, so that all have the same bits;
 * plain C that host and device compilers both take.
 * score = idf * tf / (tf + K), with 16 fraction bits: d = (tf + K) 2^16; q = floor(2^46 / d) has 30
 * bits, since d is at least 2^16; tf q is at most 2^30; the product with idf_bar fits 64 bits.
 * Source: Heo et al. 2020, 4.3 (the formula); the widths are ours (docs/ranking.md, "iiu"). */
#ifndef RP_RANK_IIU_SCORE_H
#define RP_RANK_IIU_SCORE_H

#include <stdint.h>

enum {
    RP_IIU_SCORE_BITS = 16,     /* of fraction, in idf_bar, dl and the score */
    RP_IIU_SCORE_TF_MAX = 65535 /* frequencies above it count as this */
};

/* A kernel's device has its own copy. */
#ifdef __CUDACC__
#define RP_IIU_SCORE_INLINE static __device__ __forceinline__
#else
#define RP_IIU_SCORE_INLINE static inline
#endif

/* tf / (tf + K) with 30 fraction bits, which is the same for all queries. dl: the document's
 * constant K in 2^-16; never 0 in sound data. Both 0, tf and dl: 0. */
RP_IIU_SCORE_INLINE uint32_t rp__iiu_ratio(uint32_t tf, uint32_t dl)
{
    const uint32_t most = RP_IIU_SCORE_TF_MAX;
    const uint64_t t = tf < most ? tf : most;
    const uint64_t d = (t << RP_IIU_SCORE_BITS) + dl;
    const uint64_t q = d ? ((uint64_t)1 << 46) / d : 0;
    return (uint32_t)(t * q);
}

/* idf_bar: idf in 2^-16. Greater ratios do not give less. */
RP_IIU_SCORE_INLINE uint32_t rp__iiu_weighed(uint32_t idf_bar, uint32_t ratio)
{
    return (uint32_t)(((uint64_t)idf_bar * ratio) >> 30);
}

/* The result is at most idf_bar * tf / (tf + K). */
RP_IIU_SCORE_INLINE uint32_t rp__iiu_score(uint32_t idf_bar, uint32_t tf, uint32_t dl)
{
    return rp__iiu_weighed(idf_bar, rp__iiu_ratio(tf, dl));
}

#endif
