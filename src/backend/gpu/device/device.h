/* backend/gpu/device/device.h: interior of gpu: one card, real or emulated: its memory, streams and
 * kernels.
 *
 * A call that fails says so by rp_status; the device remembers a fault after which it may not be
 * used, and then fails every call at once (RP_UNAVAILABLE). Nothing waits for ever: never call the
 * driver's own waits. What waits in it otherwise (freeing memory, unloading) is safe, because a
 * device that does not come back gets a driver that does nothing; its memory is then left to the
 * end of the process. One thread at a time. */
#ifndef RP_BACKEND_GPU_DEVICE_H
#define RP_BACKEND_GPU_DEVICE_H

#include "backend/gpu/device/driver.h"
#include "backend/gpu/device/kernel_table.h"
#include "riposte/processor.h"

typedef struct rp__device {
    const rp__driver *driver;
    rp__cu_device handle;
    rp__cu_context context;
    char name[96];
    size_t memory;        /* bytes of it all */
    uint32_t processors;  /* multiprocessors */
    uint32_t shared_max;  /* bytes of shared memory that a block may have */
    rp__cu_stream stream; /* the one that calls below use unless they name another */
    /* nanoseconds that a wait may last; past them the device counts as lost: 10 s */
    uint64_t patience;
    struct rp__card *card; /* what it has in common with others of the same card */
    bool is_lost;          /* as rp__device_is_lost saw it last */
    rp_error fault;        /* why, or why the last call failed that did */
    /* of all work since it was opened; who decodes or transcodes lists for it adds that */
    rp_gpu_counters counters;
    uint32_t launched[RP_KERNELS_MAX]; /* launches of each kernel; who reads them sets them to 0 */
} rp__device;

/* Opens card number `ordinal`. RP_UNAVAILABLE: why not, in err. Any number for a card. */
rp_status rp__device_open(rp__device *device, const rp__driver *driver, int ordinal, rp_error *err);
/* Another one for the same card, with the same patience: for another thread. It has a stream of its
 * own; the context and all kernels are the card's. */
rp_status rp__device_twin(rp__device *twin, const rp__device *of, rp_error *err);
void rp__device_close(rp__device *device); /* all zero is fine */
/* Whether it, or another device of its card, has had a fault after which it may not be used. */
bool rp__device_is_lost(rp__device *device);
/* Why a query is not answered on it, where a call failed with this status. */
rp_fallback rp__device_fallback(rp__device *device, rp_status status);
/* What it has counted more than `before`. */
rp_gpu_counters rp__device_count_since(const rp__device *device, const rp_gpu_counters *before);
/* Before any other call of this chapter on another thread than the one that opened it. */
rp_status rp__device_enter(rp__device *device);

/* What a driver's result means: RP_OK; RP_NO_MEMORY; else RP_UNAVAILABLE, with device->fault
 * set. */
rp_status rp__device_check(rp__device *device, rp__cu_result result);

/* RP_NO_MEMORY: the card has not so much left. */
rp_status rp__device_alloc(rp__device *device, size_t bytes, rp__cu_ptr *out);
void rp__device_free(rp__device *device, rp__cu_ptr at); /* 0 is fine */
/* Memory of the host that copies need not be staged for; the driver frees it. */
rp_status rp__device_pin(rp__device *device, size_t bytes, unsigned flags, void **out);
/* The same, where kernels read and write it too: for them it lies at *at. */
rp_status rp__device_pin_mapped(rp__device *device, size_t bytes, void **out, rp__cu_ptr *at);
rp_status rp__device_copy_in(rp__device *device, rp__cu_ptr to, const void *from, size_t bytes);
rp_status rp__device_copy_out(rp__device *device, void *to, rp__cu_ptr from, size_t bytes);
rp_status rp__device_fill(rp__device *device, rp__cu_ptr to, uint32_t value, size_t n); /* words */
/* Until all that was asked for on its stream, or on another one, is done; until the event has come
 * by. */
rp_status rp__device_wait(rp__device *device);
rp_status rp__device_wait_stream(rp__device *device, rp__cu_stream stream);
rp_status rp__device_wait_event(rp__device *device, rp__cu_event event);
/* The same before memory goes that the stream's work may still use: a call that failed by the way
 * is made again. */
void rp__device_settle(rp__device *device, rp__cu_stream stream);
/* Who waits in another way, and for longer than its patience, says so by this: the device is lost.
 * Returns RP_UNAVAILABLE. */
rp_status rp__device_give_up(rp__device *device);

/* Until all of a stream is done, if not before until *flag is `value`: a word that a kernel writes
 * when it has nothing more to tell. */
rp_status rp__device_wait_for(rp__device *device, rp__cu_stream stream,
                              const volatile uint32_t *flag, uint32_t value);

/* How a kernel is launched: blocks, threads of each, bytes of shared memory. */
typedef struct rp__launch {
    uint32_t grid, block, shared;
} rp__launch;

/* `args` is the kernel's record. A grid of 0 does nothing. */
rp_status rp__device_launch(rp__device *device, rp__kernel_id kernel, rp__launch how,
                            const void *args);
rp_status rp__device_launch_on(rp__device *device, rp__cu_stream stream, rp__kernel_id kernel,
                               rp__launch how, const void *args);

/* Work for the card's queue: driver calls that put commands on streams, and wait for nothing. */
typedef struct rp__device_job {
    struct rp__device_job *next;
    void (*run)(struct rp__device_job *job); /* by whichever thread; on the card's context */
    _Atomic bool is_queued;
} rp__device_job;

/* Threads that use a card do not wait for each other in the driver: whoever has the queue runs all
 * that the others have put there, and they go on. The job, and the device that it uses, belong to
 * the queue until `await` has returned. */
void rp__device_submit(rp__device *device, rp__device_job *job);
/* Until the job has run, by this thread or another. One that was never submitted counts as run. */
void rp__device_await(rp__device *device, rp__device_job *job);

/* Whether no other device of its card has launched anything in the last `ns` nanoseconds; asking
 * counts as a launch. */
bool rp__device_is_alone(rp__device *device, uint64_t now, uint64_t ns);

#endif
