/* chance.c: numbers by chance. See chance.h. Source: Steele et al. 2014, SplitMix64. */
#include "oracle/chance.h"

static uint64_t state = 1;

void chance_seed(uint64_t seed)
{
    state = seed;
}

uint64_t chance_below(uint64_t below)
{
    state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % below;
}

uint64_t chance_zipf(uint64_t below)
{
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < below)
        bits++;
    uint64_t v = chance_below(UINT64_C(1) << chance_below(bits + 1));
    return v < below ? v : below - 1;
}
