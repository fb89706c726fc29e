/* backend/gpu/residency/uploader.h: interior of residency: mapped bytes to a device, on a stream of
 * their own, while it computes.
 *
 * Bytes are gathered in one half of a pinned stage while the other half is on its way. */
#ifndef RP_BACKEND_GPU_RESIDENCY_UPLOADER_H
#define RP_BACKEND_GPU_RESIDENCY_UPLOADER_H

#include "backend/gpu/device/device.h"

/* One thread at a time. All zero is closed. */
typedef struct rp__uploader {
    rp__device *device;
    rp__cu_stream stream;
    uint8_t *stage;
    size_t half_bytes;
    rp__cu_event sent[2]; /* by half: the copies of what it held, once it was full */
    bool is_sent[2];
    uint32_t half;      /* that is filled */
    size_t used, first; /* bytes of it; the first that is not on its way */
    rp__cu_ptr to;      /* where that one goes */
    uint64_t bytes;     /* sent since it was opened */
    void *pinned;       /* for its user */
    size_t pinned_bytes;
    bool is_copying; /* something was sent, and nobody saw it arrive */
} rp__uploader;

/* With a stage of two halves of so many bytes. */
rp_status rp__uploader_open(rp__uploader *f, rp__device *device, size_t half);
void rp__uploader_close(rp__uploader *f); /* waits for what is on its way; all zero is fine */

/* What is put from now on goes to `to` and behind it. What was put since the last send is
 * forgotten. */
void rp__uploader_begin(rp__uploader *f, rp__cu_ptr to);
/* `from` may be mapped: the guard may leave this, and then begin again. */
rp_status rp__uploader_put(rp__uploader *f, const void *from, size_t bytes);
rp_status rp__uploader_send(rp__uploader *f); /* all that was put is on its way */
/* Pinned memory of at least so many bytes, for what the user copies. What was there is lost;
 * nothing copies it any more. */
rp_status rp__uploader_pin(rp__uploader *f, size_t bytes, uint8_t **out);
rp_status rp__uploader_wait(rp__uploader *f); /* all that was sent is there */

#endif
