/* backend/gpu/device/emulated_device.h: interior of gpu: the emulated device, a filling of the
 * driver's table.
 *
 * Work is queued and runs when somebody waits for it, in an order that streams and events allow and
 * a seed picks; meanwhile host code cannot touch device memory. A kernel is run by fibers, block
 * after block. */
#ifndef RP_BACKEND_GPU_DEVICE_EMULATED_DEVICE_H
#define RP_BACKEND_GPU_DEVICE_EMULATED_DEVICE_H

#include "backend/gpu/device/driver.h"
#include "backend/gpu/device/fiber.h"

typedef struct rp__emulated_device_options {
    uint32_t devices;    /* 1 */
    size_t memory;       /* bytes of each: 1 GiB */
    uint32_t processors; /* multiprocessors that each reports: 2 */
    uint64_t seed;       /* of the order of commands, blocks and threads */
    uint64_t turns;   /* most of a block of a kernel; past it the kernel counts as endless: 1e8 */
    uint64_t fail_at; /* the call, counted from 1, that fails with fail_code; 0: none */
    uint64_t fail_every; /* and every so many after it; 0: that one alone */
    int fail_code;
    /* the command of a stream, counted from 1 as they are run, that ends with stop_code: 0: none */
    uint64_t stop_at;
    int stop_code; /* 0: it never ends, and what waits for it waits for ever */
} rp__emulated_device_options;

/* An observer of all devices, which may also change how kernels run. It is called under the
 * device's lock. Each call is optional. */
typedef struct rp__emulated_device_watcher {
    /* The host has put a launch, or a copy or a fill, into a stream. */
    void (*queue_launch)(size_t kernel, const rp__fiber_launch *launch);
    void (*queue_copy)(void);
    /* Device or pinned memory is there from now on; 0 bytes: what begins at this address is
     * gone. */
    void (*memory)(void *at, size_t bytes);
    void (*written)(void *at, size_t bytes); /* by a copy or a fill */
    /* it begins, as the observer changes it */
    void (*launch)(size_t kernel, rp__fiber_launch *launch);
    /* it has ended; `watched` of the launch */
    void (*end)(void *watched);
} rp__emulated_device_watcher;

const rp__driver *rp__emulated_device_driver(void);
/* All zero: the defaults. Forgets every device, its memory and its faults; no handle may be in
 * use. */
void rp__emulated_device_configure(const rp__emulated_device_options *options);
/* At least so many devices from now on, of at most 8. */
void rp__emulated_device_have(uint32_t devices);
/* From now on every device fails with this code; 0: does not come back. */
void rp__emulated_device_stop(int code);
/* from now on; NULL: nobody. No memory is in use. */
void rp__emulated_device_watch(const rp__emulated_device_watcher *watcher);
uint64_t rp__emulated_device_calls(void); /* since then */
size_t rp__emulated_device_in_use(void);  /* bytes of device and pinned memory, on all devices */

#endif
