/* backend/gpu/list_fetch.h: interior of gpu: mapped bytes to a device, on a stream of their own, while it computes.
 *
 * Bytes are gathered in one half of a pinned stage while the other half is on its way. */
#ifndef RP_BACKEND_GPU_LIST_FETCH_H
#define RP_BACKEND_GPU_LIST_FETCH_H

#include "backend/gpu/device.h"

/* One thread at a time. All zero is closed. */
typedef struct rp__list_fetch {
    rp__device *device;
    rp__cu_stream stream;
    uint8_t *stage;
    rp__cu_event sent[2]; /* by half: the copies of what it held, once it was full */
    bool is_sent[2];
    uint32_t half;        /* that is filled */
    size_t used, first;   /* bytes of it; the first that is not on its way */
    rp__cu_ptr to;        /* where that one goes */
    uint64_t bytes;       /* sent since it was opened */
    bool is_copying;      /* something was sent, and nobody saw it arrive */
} rp__list_fetch;

rp_status rp__list_fetch_open(rp__list_fetch *f, rp__device *device);
void rp__list_fetch_close(rp__list_fetch *f); /* waits for what is on its way; all zero is fine */

/* What is put from now on goes to `to` and behind it. What was put since the last send is forgotten. */
void rp__list_fetch_begin(rp__list_fetch *f, rp__cu_ptr to);
/* `from` may be mapped: the guard may leave this, and then begin again. */
rp_status rp__list_fetch_put(rp__list_fetch *f, const void *from, size_t bytes);
rp_status rp__list_fetch_send(rp__list_fetch *f); /* all that was put is on its way */
rp_status rp__list_fetch_wait(rp__list_fetch *f); /* all that was sent is there */

#endif
