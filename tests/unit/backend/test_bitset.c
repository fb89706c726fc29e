/* test_bitset.c: every row of the kernels over bits and marks against one bit at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/bitset.h"
#include "base/bits.h"
#include "base/cpu.h"

enum { MOST = 37 }; /* words: whole vectors, and some left */

static uint64_t random_word(void)
{
    uint64_t word = 0;
    for (int i = 0; i < 64; i++)
        word |= (uint64_t)(rand() % 5 == 0) << i;
    return word;
}

/* Words of an index lie in no alignment. */
static void fill(uint64_t *set, uint8_t *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        set[i] = random_word();
        rp__store64(words + 8 * i, random_word());
    }
}

static void every_row_does_the_same(void **state)
{
    (void)state;
    const rp__bitset_kernel *row;
    for (size_t r = 0; (row = rp__bitset_at(r)); r++) {
        if (row->needs & ~rp__cpu_features())
            continue;
        for (uint32_t n = 0; n <= MOST; n++) {
            uint64_t set[MOST], before[MOST];
            uint8_t a[8 * MOST + 3], b[8 * MOST + 1], marks[64 * MOST];
            fill(set, a + 3, n);
            memcpy(before, set, sizeof set);
            row->unite(set, a + 3, n);
            for (uint32_t i = 0; i < n; i++)
                assert_true(set[i] == (before[i] | rp__load64(a + 3 + 8 * i)));
            fill(before, b + 1, n);
            uint64_t count = 0, want = 0;
            count = row->meet(set, a + 3, b + 1, n);
            for (uint32_t i = 0; i < n; i++) {
                assert_true(set[i] == (rp__load64(a + 3 + 8 * i) & rp__load64(b + 1 + 8 * i)));
                want += rp__bits_count64(set[i]);
            }
            assert_true(count == want);
            assert_true(row->drain(set, NULL, n) == want);
            fill(set, a + 3, n);
            want = 0;
            for (uint32_t i = 0; i < 64 * n; i++) {
                marks[i] = (uint8_t)(rand() % 3 ? 0 : 1 + rand() % 255);
                want += marks[i] || (set[i / 64] >> i % 64 & 1);
            }
            assert_true(row->drain(set, marks, n) == want);
            for (uint32_t i = 0; i < 64 * n; i++)
                assert_true(marks[i] == 0 && set[i / 64] == 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_does_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
