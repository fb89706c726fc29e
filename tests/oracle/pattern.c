/* pattern.c: see pattern.h. Recursion is fine here. */
#include "oracle/pattern.h"

#include <stddef.h>
#include <string.h>

/* Bytes of a character of sound UTF-8. */
static size_t length_of(const char *text)
{
    size_t n = 1;
    while (((unsigned char)text[n] & 0xC0) == 0x80)
        n++;
    return n;
}

bool pattern_fits(const char *pattern, const char *text)
{
    if (*pattern == 0)
        return *text == 0;
    if (*pattern == '*')
        return pattern_fits(pattern + 1, text) ||
               (*text && pattern_fits(pattern, text + length_of(text)));
    if (*text == 0)
        return false;
    if (*pattern == '?')
        return pattern_fits(pattern + 1, text + length_of(text));
    size_t n = length_of(pattern);
    return strncmp(pattern, text, n) == 0 && pattern_fits(pattern + n, text + n);
}

uint32_t pattern_distance(const char *a, const char *b)
{
    enum { MOST = 300 };
    uint32_t row[MOST];
    size_t m = 0;
    for (const char *q = b; *q; q += length_of(q))
        m++;
    for (size_t j = 0; j <= m; j++)
        row[j] = (uint32_t)j;
    for (const char *p = a; *p; p += length_of(p)) {
        uint32_t corner = row[0]++;
        const char *q = b;
        for (size_t j = 1; j <= m; j++, q += length_of(q)) {
            bool is_same = length_of(p) == length_of(q) && !memcmp(p, q, length_of(p));
            uint32_t best = corner + !is_same;
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            corner = row[j];
            row[j] = best;
        }
    }
    return row[m];
}
