/* codec/line.h: interior of codec: the straight line through a list, in fixed point, so that every
 * processor finds the same docid: f(i) = (a * i + c) >> 24 in signed 64 bits, rounded down. */
#ifndef RP_CODEC_LINE_H
#define RP_CODEC_LINE_H

#include <stddef.h>
#include <stdint.h>

enum { RP_LINE_SHIFT = 24 };

typedef struct rp__line {
    int64_t a, c;
} rp__line;

/* Least squares through (i, docids[i]), i from 0; one docid: level; none: 0. */
rp__line rp__line_fit(const uint32_t *docids, size_t n);

/* Any line and i below 2^32; what passes 64 bits wraps. */
static inline int64_t rp__line_at(rp__line line, uint32_t i)
{
    uint64_t sum = (uint64_t)line.a * i + (uint64_t)line.c;
    return (int64_t)sum >> RP_LINE_SHIFT;
}

#endif
