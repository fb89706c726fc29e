/* backend/cpu/bitset.h: interior of cpu: sets of documents as bits, or, where they are dense and
 * come one by one, as bytes: a byte is stored without looking at what was there. One row an
 * instruction set. */
#ifndef RP_BACKEND_CPU_BITSET_H
#define RP_BACKEND_CPU_BITSET_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

/* n words of 64 documents each; `words` are bytes of an index, little-endian, in no alignment. */
typedef struct rp__bitset_kernel {
    uint32_t needs; /* RP_CPU_ bits; 0 is the plain reference */
    void (*unite)(uint64_t *set, const uint8_t *words, uint32_t n);
    /* set = a and b; returns how many that are. */
    uint64_t (*meet)(uint64_t *set, const uint8_t *a, const uint8_t *b, uint32_t n);
    /* How many documents have their bit set or, unless marks is NULL, their mark not 0; clears
     * both. */
    uint64_t (*drain)(uint64_t *set, uint8_t *marks, uint32_t n);
} rp__bitset_kernel;

const rp__bitset_kernel *rp__bitset_at(size_t i); /* every row, best first; NULL past the last */
const rp__bitset_kernel *rp__bitset_find(uint32_t features); /* the best row for them */
extern const rp__bitset_kernel rp__bitset_avx2_row, rp__bitset_avx512_row;

/* Loops that every row has, compiled by each with its own way to count bits. */
static inline uint64_t rp__bitset_meet(uint64_t *set, const uint8_t *a, const uint8_t *b,
                                       uint32_t n)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        set[i] = rp__load64(a + 8 * (size_t)i) & rp__load64(b + 8 * (size_t)i);
        count += rp__bits_count64(set[i]);
    }
    return count;
}

static inline uint64_t rp__bitset_drain_bits(uint64_t *set, uint32_t n)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        count += rp__bits_count64(set[i]);
        set[i] = 0;
    }
    return count;
}

#endif
