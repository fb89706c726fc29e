/* asciiscan.c: finds and lower-cases the word characters of ASCII text, eight bytes at a time.
 * Arithmetic on eight bytes in one word stands for a table of 256 classes: all bytes are below 0x80
 * there, so that adding 0x80 - c to a byte sets its top bit exactly if it is at least c.
 * It knows nothing of the rules between words; analyzer.c asks wordbreak.c where they matter. */
#include "text/asciiscan.h"

#include <string.h>

#include "base/bits.h"

#define EACH(c) (0x0101010101010101U * (uint64_t)(c))
#define TOPS    EACH(0x80)

/* Top bits of the bytes that lie between first and last. */
static inline uint64_t in_range(uint64_t x, unsigned first, unsigned last)
{
    return (x + EACH(0x80 - first)) & ~(x + EACH(0x7F - last)) & TOPS;
}

/* Lower-cases eight bytes and returns a bit for each that is a word character. */
static inline uint64_t scan_eight(uint64_t x, char *lower)
{
    uint64_t letters = in_range(x | EACH(0x20), 'a', 'z');
    uint64_t words = letters | in_range(x, '0', '9') | in_range(x, '_', '_');
    rp__store64(lower, x | letters >> 2);
    return (words >> 7) * 0x0102040810204080U >> 56;
}

void rp__asciiscan_load(rp__asciiscan *scan, const char *text, size_t bytes)
{
    size_t n = bytes < RP_ASCIISCAN_MAX ? bytes : RP_ASCIISCAN_MAX;
    uint64_t acc = 0;
    size_t at = 0;
    for (; at + 8 <= n; at += 8) {
        uint64_t x = rp__load64(text + at);
        if (x & TOPS)
            break;
        acc |= scan_eight(x, scan->lower + at) << (at & 63);
        if ((at & 63) == 56) {
            scan->map[at / 64] = acc;
            acc = 0;
        }
    }
    uint64_t x = 0; /* the last few: zero bytes are no word characters */
    memcpy(&x, text + at, n - at < 8 ? n - at : 8);
    uint32_t more = (uint32_t)(n - at < 8 ? n - at : 8);
    if (x & TOPS) {
        more = rp__bits_lowest64(x & TOPS) / 8;
        x &= ((uint64_t)1 << more * 8) - 1;
    }
    scan->map[at / 64] = acc | scan_eight(x, scan->lower + at) << (at & 63);
    scan->n = (uint32_t)at + more;
}
