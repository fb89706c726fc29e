/* utf8.c: the table of well-formed UTF-8 (Unicode 15, table 3-7) as comparisons. */
#include "base/utf8.h"

#include <stdbool.h>

#include "base/bits.h"

static bool is_tail(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

uint32_t rp__utf8_valid(const char *p, size_t bytes)
{
    const unsigned char *s = (const unsigned char *)p;
    if (bytes == 0)
        return 0;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF)
        return bytes >= 2 && is_tail(s[1]) ? 2 : 0;
    if (s[0] >= 0xE0 && s[0] <= 0xEF) {
        if (bytes < 3 || !is_tail(s[1]) || !is_tail(s[2]))
            return 0;
        if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F))
            return 0;
        return 3;
    }
    if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        if (bytes < 4 || !is_tail(s[1]) || !is_tail(s[2]) || !is_tail(s[3]))
            return 0;
        if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
            return 0;
        return 4;
    }
    return 0;
}

size_t rp__utf8_check(const char *p, size_t bytes)
{
    const uint64_t high = 0x8080808080808080U;
    size_t i = 0;
    while (i < bytes) {
        while (bytes - i >= 32 && ((rp__load64(p + i) | rp__load64(p + i + 8) |
                                    rp__load64(p + i + 16) | rp__load64(p + i + 24)) &
                                   high) == 0)
            i += 32;
        if (bytes - i >= 8 && (rp__load64(p + i) & high) == 0) {
            i += 8;
            continue;
        }
        uint32_t len = rp__utf8_valid(p + i, bytes - i);
        if (len == 0)
            return i;
        i += len;
    }
    return bytes;
}

uint32_t rp__utf8_decode(const char *p, uint32_t *len)
{
    const unsigned char *s = (const unsigned char *)p;
    if (s[0] < 0x80) {
        *len = 1;
        return s[0];
    }
    if (s[0] < 0xE0) {
        *len = 2;
        return (uint32_t)(s[0] & 0x1F) << 6 | (s[1] & 0x3FU);
    }
    if (s[0] < 0xF0) {
        *len = 3;
        return (uint32_t)(s[0] & 0x0F) << 12 | (uint32_t)(s[1] & 0x3F) << 6 | (s[2] & 0x3FU);
    }
    *len = 4;
    return (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3F) << 12 |
           (uint32_t)(s[2] & 0x3F) << 6 | (s[3] & 0x3FU);
}

uint32_t rp__utf8_encode(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    uint32_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (uint32_t i = n - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)((0xF00U >> n & 0xF0) | code);
    return n;
}
