/* base/random.h: numbers drawn by a seed: the same seed gives the same numbers on every machine. */
#ifndef RP_BASE_RANDOM_H
#define RP_BASE_RANDOM_H

#include <stdint.h>

/* xorshift128+, its state filled by splitmix64. One thread. */
typedef struct rp__random {
    uint64_t state[2];
} rp__random;

void rp__random_init(rp__random *random, uint64_t seed);
uint64_t rp__random_next(rp__random *random);
/* Below `below`, which is at least 1. */
uint32_t rp__random_below(rp__random *random, uint32_t below);

#endif
