/* random.c: xorshift128+ (Vigna, "Further scramblings of Marsaglia's xorshift generators", 2017), its
 * state filled by splitmix64. */
#include "base/random.h"

#include <stddef.h>

void rp__random_init(rp__random *random, uint64_t seed)
{
    for (size_t i = 0; i < 2; i++) {
        seed += 0x9E3779B97F4A7C15U;
        uint64_t z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27) * 0x94D049BB133111EBU;
        random->state[i] = z ^ z >> 31;
    }
}

uint64_t rp__random_next(rp__random *random)
{
    uint64_t a = random->state[0], b = random->state[1], sum = a + b;
    a ^= a << 23;
    random->state[0] = b;
    random->state[1] = a ^ b ^ a >> 18 ^ b >> 5;
    return sum;
}

uint32_t rp__random_below(rp__random *random, uint32_t below)
{
    return (uint32_t)((rp__random_next(random) >> 32) * below >> 32);
}
