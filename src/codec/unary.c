/* unary.c: numbers in unary (unary.h gives the bits), plain reference.
 *
 * Reads 64 bits at a time, from bytes up to `to` and up to 7 more. Knows nothing of what the numbers
 * mean. */
#include "codec/unary.h"

rp_status rp__unary_sums(const uint8_t *bits, uint64_t flip, uint64_t from, uint64_t to, size_t n,
                         uint32_t *sums)
{
    uint64_t at = from / 8 * 8, keep = UINT64_MAX << from % 8, end = from;
    size_t i = 0;
    for (; i < n && at < to; at += 64, keep = UINT64_MAX) {
        uint64_t word = (rp__load64(bits + at / 8) ^ flip) & keep;
        for (; word && i < n; word &= word - 1, i++) {
            end = at + rp__bits_lowest64(word);
            sums[i] = (uint32_t)(end - from - i);
        }
    }
    return n == 0 || (i == n && end < to) ? RP_OK : RP_DAMAGED;
}

/* The place of bit i that is set, of more than i; eight bits at a time, then one by one. */
static uint32_t select64(uint64_t word, uint32_t i)
{
    uint32_t at = 0;
    for (uint32_t ones; i >= (ones = rp__bits_count64(word & 0xFF)); at += 8, word >>= 8)
        i -= ones;
    for (; i > 0; i--)
        word &= word - 1;
    return at + rp__bits_lowest64(word);
}

uint64_t rp__unary_end(const uint8_t *bits, uint64_t flip, uint64_t from, uint64_t to, uint64_t i)
{
    uint64_t keep = UINT64_MAX << from % 8;
    for (uint64_t at = from / 8 * 8; at < to; at += 64, keep = UINT64_MAX) {
        uint64_t word = (rp__load64(bits + at / 8) ^ flip) & keep;
        uint32_t ends = rp__bits_count64(word);
        if (i < ends) {
            uint64_t end = at + select64(word, (uint32_t)i);
            return end < to ? end : to;
        }
        i -= ends;
    }
    return to;
}

static void set_bits(uint8_t *bits, uint64_t at, uint64_t count)
{
    for (; count > 0; at++, count--)
        bits[at / 8] = (uint8_t)(bits[at / 8] | 1U << at % 8);
}

uint64_t rp__unary_put(uint8_t *bits, uint64_t flip, uint64_t at, const uint32_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (flip)
            set_bits(bits, at, numbers[i]);
        at += numbers[i];
        if (!flip)
            set_bits(bits, at, 1);
        at++;
    }
    return at;
}
