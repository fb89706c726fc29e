/* bitset.c: sets of documents as bits and bytes, the plain row and the table. */
#include "backend/cpu/bitset.h"

#include <string.h>

#include "base/bits.h"

static void unite(uint64_t *set, const uint8_t *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        set[i] |= rp__load64(words + 8 * (size_t)i);
}

static uint64_t drain(uint64_t *set, uint8_t *marks, uint32_t n)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; marks && j < 64; j++)
            set[i] |= (uint64_t)(marks[64 * (size_t)i + j] != 0) << j;
        count += rp__bits_count64(set[i]);
    }
    memset(set, 0, n * sizeof *set);
    if (marks)
        memset(marks, 0, 64 * (size_t)n);
    return count;
}

static const rp__bitset_kernel plain_row = {0, unite, rp__bitset_meet, drain};

static const rp__bitset_kernel *const rows[] = {
#if defined(__x86_64__)
    &rp__bitset_avx512_row,
    &rp__bitset_avx2_row,
#endif
    &plain_row,
};

const rp__bitset_kernel *rp__bitset_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? rows[i] : NULL;
}

const rp__bitset_kernel *rp__bitset_find(uint32_t features)
{
    const size_t last = sizeof rows / sizeof rows[0] - 1;
    size_t i = 0;
    while (i < last && (rows[i]->needs & ~features))
        i++;
    return rows[i];
}
