/* backend/cpu/probe_lanes_avx512.h: interior of cpu: sixteen docids searched at once in 32 slots,
 * with AVX-512.
 *
 * All lanes halve the slots together, in registers: 5 permutations and comparisons for what all
 * pairs would cost 32, and where a docid stands comes with whether it does. Which of two runs moves
 * on cannot be foreseen, so nothing branches on it. Compression goes through a register: to memory
 * it is slow on Zen 4. */
#ifndef RP_BACKEND_CPU_PROBE_LANES_AVX512_H
#define RP_BACKEND_CPU_PROBE_LANES_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    RP_LANES = 16, /* docids at once */
    RP_SLOTS = 32, /* searched at once */
};

/* Docids on their way through a list; those found so far. */
typedef struct rp__lanes_search {
    const uint32_t *docids;
    uint32_t *kept, *ranks; /* ranks NULL: not asked for */
    uint32_t n, found;
} rp__lanes_search;

static inline __mmask16 rp__lanes_mask(uint32_t left)
{
    return (__mmask16)(left < RP_LANES ? (1U << left) - 1 : 0xFFFFU);
}

/* How many lanes a mask has. Between calls that a sanitizer inserts, gcc 12 may spill 16 bits of a
 * mask and load 32; the compiler must not know what `bits` holds, or it drops the cut to 16. */
static inline uint32_t rp__lanes_count(__mmask16 mask)
{
    uint32_t bits = mask;
    __asm__("" : "+r"(bits));
    return (uint32_t)__builtin_popcount(bits & 0xFFFFU);
}

/* Slots to search, and the sixteenth of them. */
typedef struct rp__lanes_slots {
    __m512i low, high, middle;
} rp__lanes_slots;

static inline rp__lanes_slots rp__lanes_load(const uint32_t *slots)
{
    return (rp__lanes_slots){_mm512_loadu_si512(slots), _mm512_loadu_si512(slots + RP_LANES),
                             _mm512_set1_epi32((int)slots[RP_LANES - 1])};
}

/* For each docid, how many of the slots are below it, but 31 where it is 32; *at is what stands
 * there. */
static inline __m512i rp__lanes_find(__m512i docids, rp__lanes_slots in, __m512i *at)
{
    __mmask16 is_below = _mm512_cmplt_epu32_mask(in.middle, docids);
    __m512i below = _mm512_maskz_mov_epi32(is_below, _mm512_set1_epi32(RP_LANES));
#define RP_LANES_HALVE(half)                                                                       \
    *at = _mm512_permutex2var_epi32(in.low, _mm512_add_epi32(below, _mm512_set1_epi32((half)-1)),  \
                                    in.high);                                                      \
    is_below = _mm512_cmplt_epu32_mask(*at, docids);                                               \
    below = _mm512_mask_add_epi32(below, is_below, below, _mm512_set1_epi32(half));
    RP_LANES_HALVE(8)
    RP_LANES_HALVE(4)
    RP_LANES_HALVE(2)
    RP_LANES_HALVE(1)
#undef RP_LANES_HALVE
    *at = _mm512_permutex2var_epi32(in.low, below, in.high);
    return below;
}

/* The lanes of the mask, each with `first` added, to out, which has room for sixteen. */
static inline void rp__lanes_put(uint32_t *out, __m512i lanes, uint32_t first, __mmask16 mask)
{
    __m512i v = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)first));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(mask, v));
}

/* Finds sixteen docids from a on, those of the mask, in 32 slots. */
static inline void rp__lanes_step(rp__lanes_search *s, uint32_t a, __mmask16 lanes,
                                  const uint32_t *slots, uint32_t first, bool has_ranks)
{
    const __m512i steps = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i v = _mm512_maskz_loadu_epi32(lanes, s->docids + a), at;
    __m512i below = rp__lanes_find(v, rp__lanes_load(slots), &at);
    __mmask16 is_there = _mm512_mask_cmpeq_epi32_mask(lanes, at, v);
    rp__lanes_put(s->kept + s->found, steps, a, is_there);
    if (has_ranks)
        rp__lanes_put(s->ranks + s->found, below, first, is_there);
    s->found += rp__lanes_count(is_there);
}

/* rp__lanes_merge, for ranks that are asked for or not. */
static inline __attribute__((always_inline)) uint32_t
rp__lanes_merge_with(rp__lanes_search *search, uint32_t *i, const uint32_t *slots, uint32_t slot,
                     uint32_t n_slots, uint32_t first, bool has_ranks)
{
    rp__lanes_search s = *search; /* so that it stays in registers */
    uint32_t a = *i;
    while (s.n - a >= RP_LANES && slot < n_slots) {
        rp__lanes_step(&s, a, 0xFFFF, slots + slot, first + slot, has_ranks);
        uint32_t last = s.docids[a + RP_LANES - 1], last_slot = slots[slot + RP_SLOTS - 1];
        uint32_t ends = last <= last_slot, passes = last_slot <= last;
        __asm__("" : "+r"(ends), "+r"(passes)); /* else compilers branch */
        a += ends * RP_LANES;
        slot += passes * RP_SLOTS;
    }
    while (a < s.n && slot < n_slots) {
        rp__lanes_step(&s, a, rp__lanes_mask(s.n - a), slots + slot, first + slot, has_ranks);
        if (s.docids[s.n - 1] <= slots[slot + RP_SLOTS - 1])
            a = s.n;
        else
            slot += RP_SLOTS;
    }
    search->found = s.found;
    *i = a;
    return slot;
}

/* Of docids i on, finds those that are in the slots from `slot` on, until either ends; slot and
 * n_slots are multiples of RP_SLOTS. Ranks count from `first`. Returns where the slots were left,
 * *i where the docids. */
static inline uint32_t rp__lanes_merge(rp__lanes_search *s, uint32_t *i, const uint32_t *slots,
                                       uint32_t slot, uint32_t n_slots, uint32_t first)
{
    return s->ranks ? rp__lanes_merge_with(s, i, slots, slot, n_slots, first, true)
                    : rp__lanes_merge_with(s, i, slots, slot, n_slots, first, false);
}

#endif
