/* rank/iiu_score.h: the integer arithmetic of IIU's scoring unit.
 *
 * s = idf_bar * tf / (tf + dl), where idf_bar is idf * (k1 + 1) and dl is k1 * (1 - b + b * length
 * / mean length), both with 16 fraction bits; so is the score. The quotient has 30 bits.
 * Source: Heo et al. 2020, 4.3. */
#ifndef RP_RANK_IIU_SCORE_H
#define RP_RANK_IIU_SCORE_H

#include <stdint.h>

/* dl is not 0. Frequencies above 65535 count as 65535. */
static inline uint32_t rp__iiu_score(uint32_t idf_bar, uint32_t tf, uint32_t dl)
{
    uint64_t t = tf < 65535 ? tf : 65535;
    uint64_t q = (UINT64_C(1) << 46) / ((t << 16) + dl);
    return (uint32_t)((idf_bar * (t * q)) >> 30);
}

#endif
