/* line.c: fits the line of a list. Sums are exact in 128 bits, so the line is the same everywhere.
 * Source: Ao et al. 2011, 4.3. */
#include "codec/line.h"

/* The slope is S_xy / S_xx with, for x = 0 to n-1, S_xx = n (n^2 - 1) / 12; times n both. */
rp__line rp__line_fit(const uint32_t *docids, size_t n)
{
    __extension__ typedef __int128 wide;
    wide sum = 0, weighted = 0;
    if (n == 0)
        return (rp__line){0};
    for (size_t i = 0; i < n; i++) {
        sum += docids[i];
        weighted += (wide)docids[i] * (2 * (int64_t)i - (int64_t)n + 1);
    }
    wide below = (wide)n * ((wide)n * (wide)n - 1);
    int64_t a = n > 1 ? (int64_t)(((weighted * 6) << RP_LINE_SHIFT) / below) : 0;
    wide mean = ((sum << (RP_LINE_SHIFT + 1)) / (wide)n - (wide)a * (wide)(n - 1)) / 2;
    return (rp__line){a, (int64_t)mean};
}
