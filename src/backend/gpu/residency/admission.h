/* backend/gpu/residency/admission.h: interior of residency: how often each of many lists was used
 * lately, about.
 *
 * A count-min sketch: a few bytes a list, whether or not it is on the device. Several lists may
 * share a counter; the smallest of a list's counters is its estimate. Counters stop at 15, and all
 * are halved now and then, so that old use is forgotten. Apart from that an estimate is never too
 * low, and rarely too high.
 * Source: Einziger et al. 2017, TinyLFU. Any number of threads may add and get: what one of them
 * adds while another halves, or adds the same, may be lost. One thread halves at a time. */
#ifndef RP_BACKEND_GPU_RESIDENCY_ADMISSION_H
#define RP_BACKEND_GPU_RESIDENCY_ADMISSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rp__admission {
    _Atomic uint8_t *counts;
    size_t n;               /* a power of two */
    _Atomic uint64_t since; /* touches since all were halved */
} rp__admission;

/* For about so many lists at a time. False: no memory. */
bool rp__admission_open(rp__admission *t, size_t lists);
void rp__admission_close(rp__admission *t); /* all zero is fine */
void rp__admission_add(rp__admission *t, uint64_t key);
/* Every count becomes half of what it was. */
void rp__admission_halve(rp__admission *t);
uint32_t rp__admission_get(const rp__admission *t, uint64_t key);

#endif
