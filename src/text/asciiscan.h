/* text/asciiscan.h: interior to text. ASCII in lower case, with a map of its word characters. */
#ifndef RP_TEXT_ASCIISCAN_H
#define RP_TEXT_ASCIISCAN_H

#include <stddef.h>
#include <stdint.h>

enum {
    RP_ASCIISCAN_MAX = 4096, /* bytes scanned at once: map, copy and text stay in the first cache */
    RP_ASCIISCAN_SLACK = 8,  /* readable bytes behind the copy */
};

typedef struct rp__asciiscan {
    uint32_t n; /* bytes scanned */
    /* Bit i: byte i is a letter, a digit or '_'. 0 from n to the end of n's word. */
    uint64_t map[RP_ASCIISCAN_MAX / 64 + 1];
    char lower[RP_ASCIISCAN_MAX + RP_ASCIISCAN_SLACK];
} rp__asciiscan;

/* Scans text up to the first byte that is not ASCII, its end, or RP_ASCIISCAN_MAX. */
void rp__asciiscan_load(rp__asciiscan *scan, const char *text, size_t bytes);

#endif
