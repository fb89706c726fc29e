/* text/term_hash.h: interior to text. Hash and equality of terms, inline.
 *
 * Terms are read eight bytes at a time: each must have 8 readable bytes behind its end. */
#ifndef RP_TEXT_TERM_HASH_H
#define RP_TEXT_TERM_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

enum { RP_TERM_HASH_SLACK = 8 };

/* The eight bytes at p, of which the first n count (1 and up); the others are 0. */
static inline uint64_t rp__term_hash_load(const char *p, size_t n)
{
    uint64_t x = rp__load64(p);
    return n >= 8 ? x : x & (~(uint64_t)0 >> (64 - n * 8));
}

static inline uint64_t rp__term_hash_of(const char *term, size_t bytes)
{
    uint64_t h = bytes * 0x9E3779B97F4A7C15U;
    for (size_t i = 0; i < bytes; i += 8) {
        h = (h ^ rp__term_hash_load(term + i, bytes - i)) * 0xD6E8FEB86659FD93U;
        h ^= h >> 32;
    }
    return h;
}

static inline bool rp__term_hash_equal(const char *a, const char *b, size_t bytes)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < bytes && differ == 0; i += 8)
        differ = rp__term_hash_load(a + i, bytes - i) ^ rp__term_hash_load(b + i, bytes - i);
    return differ == 0;
}

#endif
