/* count_text.c: digits in groups of three. */
#include "base/count_text.h"

#include <inttypes.h>
#include <stdio.h>

char *rp__count_text(char out[RP_COUNT_TEXT_BYTES], uint64_t v)
{
    char digits[RP_COUNT_TEXT_BYTES];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, v);
    char *to = out;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return out;
}
