/* backend/gpu/list_touches.h: interior of gpu: about how often each of many lists was asked for lately.
 *
 * A few bytes a list, whether or not it is held: counters that several lists may share, of which the least counts
 * (a count-min sketch), up to 15, and all halved now and then: so the past is forgotten as fashions change. An
 * estimate is never too low but for that, and rarely too high.
 * Source: Einziger et al. 2017, TinyLFU. One thread at a time. */
#ifndef RP_BACKEND_GPU_LIST_TOUCHES_H
#define RP_BACKEND_GPU_LIST_TOUCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rp__list_touches {
    uint8_t *counts;
    size_t n;       /* a power of two */
    uint64_t since; /* touches since all were halved */
} rp__list_touches;

/* For about so many lists at a time. False: no memory. */
bool rp__list_touches_open(rp__list_touches *t, size_t lists);
void rp__list_touches_close(rp__list_touches *t); /* all zero is fine */
void rp__list_touches_add(rp__list_touches *t, const void *key);
/* What was asked for long ago counts half, and half of that again. */
void rp__list_touches_halve(rp__list_touches *t);
uint32_t rp__list_touches_get(const rp__list_touches *t, const void *key);

#endif
