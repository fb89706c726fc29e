/* random_docids.h: random lists of several shapes, the same for a seed everywhere. */
#ifndef RP_TESTS_RANDOM_DOCIDS_H
#define RP_TESTS_RANDOM_DOCIDS_H

#include <stdint.h>

#include "base/bits.h"

static inline uint64_t random64(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
    return n ? random64(state) % n : 0;
}

/* 1 to most, each power of two about as likely. */
static inline uint32_t random_length(uint64_t *state, uint32_t most)
{
    uint64_t top = 1ULL << random_below(state, rp__bits_width(most) + 1);
    uint64_t n = top / 2 + random_below(state, top / 2 + 1);
    return n < 1 ? 1 : n > most ? most : (uint32_t)n;
}

typedef enum shape { UNIFORM, CLUSTERED, RUNS, HUGE_GAP, CONSECUTIVE, N_SHAPES } shape;

/* n rising docids below universe (n <= universe). */
static inline void make_docids(uint64_t *state, shape kind, uint32_t n, uint32_t universe,
                               uint32_t *out)
{
    uint64_t next = 0, jump_at = random_below(state, n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t left = n - i, room = universe - next - left, gap = 0;
        uint64_t fair = 2 * (room / left);
        if (kind == UNIFORM)
            gap = random_below(state, fair + 2);
        else if (kind == CLUSTERED)
            gap = random_below(state, random_below(state, 10) ? 4 : 5 * fair + 1);
        else if (kind == RUNS)
            gap = random_below(state, 50) ? 0 : random_below(state, 25 * fair + 1);
        else if (i == jump_at)
            gap = kind == HUGE_GAP ? room : random_below(state, i ? 1 : room + 1);
        next += gap < room ? gap : room;
        out[i] = (uint32_t)next++;
    }
}

/* Mostly 1, sometimes anything. */
static inline uint32_t make_tf(uint64_t *state)
{
    uint64_t kind = random_below(state, 64);
    if (kind == 0)
        return (uint32_t)random64(state) | 1;
    return kind < 16 ? 1 + (uint32_t)random_below(state, 20) : 1;
}

#endif
