/* oracle/chance.h: numbers by chance, the same for the same seed. One thread at a time. */
#ifndef RP_TESTS_ORACLE_CHANCE_H
#define RP_TESTS_ORACLE_CHANCE_H

#include <stdint.h>

void chance_seed(uint64_t seed);
uint64_t chance_below(uint64_t below);
/* Small numbers often, numbers near `below` rarely: like ranks of words in text. */
uint64_t chance_zipf(uint64_t below);

#endif
