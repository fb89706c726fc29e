/* backend/gpu/device/driver.h: interior of gpu: the CUDA driver as a table of calls.
 *
 * One filling comes from libcuda.so.1 by dlopen, another is the emulated device; a test may hand in
 * a third. The types are those of cuda.h, which is not included: a test compares them where it
 * exists. Calls that only wait are not among them: device.c looks instead, so that it can stop. */
#ifndef RP_BACKEND_GPU_DRIVER_H
#define RP_BACKEND_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

typedef int rp__cu_result; /* 0: it went well */
typedef int rp__cu_device;
typedef unsigned long long rp__cu_ptr; /* device memory */
typedef struct CUctx_st *rp__cu_context;
typedef struct CUmod_st *rp__cu_module;
typedef struct CUfunc_st *rp__cu_function;
typedef struct CUstream_st *rp__cu_stream;
typedef struct CUevent_st *rp__cu_event;
typedef struct CUgraph_st *rp__cu_graph;
typedef struct CUgraphExec_st *rp__cu_graph_exec;
typedef struct CUgreenCtx_st *rp__cu_partition;
typedef struct CUdevResourceDesc_st *rp__cu_resources;

/* Multiprocessors, or a part of them: CUdevResource. */
typedef struct rp__cu_resource {
    int kind; /* RP_CU_PROCESSORS */
    unsigned char own[92];
    unsigned n; /* multiprocessors */
    unsigned char rest[44];
} rp__cu_resource;

enum {
    RP_CU_OK = 0,
    RP_CU_INVALID = 1,
    RP_CU_NO_MEMORY = 2,
    RP_CU_NO_DEVICE = 100,
    RP_CU_NO_IMAGE = 209, /* none for this device */
    RP_CU_NOT_FOUND = 500,
    RP_CU_NOT_READY = 600,
    RP_CU_ILLEGAL_ADDRESS = 700,
    RP_CU_NO_RESOURCES = 701, /* the launch wants more than a multiprocessor has */
    RP_CU_LAUNCH_TIMEOUT = 702,
    RP_CU_LAUNCH_FAILED = 719,
    /* attributes of devices */
    RP_CU_SHARED_OPTIN = 97, /* most bytes of shared memory a block may have, if asked for */
    RP_CU_MULTIPROCESSORS = 16,
    RP_CU_MAJOR = 75,
    RP_CU_MINOR = 76,
    /* of functions */
    RP_CU_FUNC_SHARED = 8, /* raise the limit of dynamic shared memory */
    /* flags */
    RP_CU_STREAM_OWN = 1, /* does not wait for the default stream */
    RP_CU_EVENT_UNTIMED = 2,
    RP_CU_HOST_MAPPED = 2,   /* pinned memory that kernels may read and write */
    RP_CU_CAPTURE_LOCAL = 2, /* capture concerns this thread alone */
    RP_CU_PARTITION = 1,     /* with a stream of its own */
    RP_CU_PROCESSORS = 1,    /* a kind of resource */
};

/* name of the field, symbol, arguments. All but the last group are in every driver we can use. */
#define RP_DRIVER_CALLS(X)                                                                         \
    X(init, cuInit, (unsigned flags))                                                              \
    X(version, cuDriverGetVersion, (int *version))                                                 \
    X(device_count, cuDeviceGetCount, (int *count))                                                \
    X(device_get, cuDeviceGet, (rp__cu_device * device, int ordinal))                              \
    X(device_name, cuDeviceGetName, (char *name, int bytes, rp__cu_device device))                 \
    X(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, rp__cu_device device))                  \
    X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, rp__cu_device device))   \
    X(context_retain, cuDevicePrimaryCtxRetain, (rp__cu_context * context, rp__cu_device device))  \
    X(context_release, cuDevicePrimaryCtxRelease_v2, (rp__cu_device device))                       \
    X(context_set, cuCtxSetCurrent, (rp__cu_context context))                                      \
    X(module_load, cuModuleLoadData, (rp__cu_module * module, const void *image))                  \
    X(module_unload, cuModuleUnload, (rp__cu_module module))                                       \
    X(module_function, cuModuleGetFunction,                                                        \
      (rp__cu_function * function, rp__cu_module module, const char *name))                        \
    X(function_set, cuFuncSetAttribute, (rp__cu_function function, int attribute, int value))      \
    X(memory_info, cuMemGetInfo_v2, (size_t * unused, size_t * total))                             \
    X(memory_alloc, cuMemAlloc_v2, (rp__cu_ptr * at, size_t bytes))                                \
    X(memory_free, cuMemFree_v2, (rp__cu_ptr at))                                                  \
    X(host_alloc, cuMemHostAlloc, (void **at, size_t bytes, unsigned flags))                       \
    X(host_free, cuMemFreeHost, (void *at))                                                        \
    X(host_device, cuMemHostGetDevicePointer_v2, (rp__cu_ptr * at, void *host, unsigned flags))    \
    X(copy_in, cuMemcpyHtoDAsync_v2,                                                               \
      (rp__cu_ptr to, const void *from, size_t bytes, rp__cu_stream stream))                       \
    X(copy_out, cuMemcpyDtoHAsync_v2,                                                              \
      (void *to, rp__cu_ptr from, size_t bytes, rp__cu_stream stream))                             \
    X(copy, cuMemcpyDtoDAsync_v2,                                                                  \
      (rp__cu_ptr to, rp__cu_ptr from, size_t bytes, rp__cu_stream stream))                        \
    X(fill32, cuMemsetD32Async, (rp__cu_ptr to, unsigned value, size_t n, rp__cu_stream stream))   \
    X(stream_create, cuStreamCreate, (rp__cu_stream * stream, unsigned flags))                     \
    X(stream_destroy, cuStreamDestroy_v2, (rp__cu_stream stream))                                  \
    X(stream_query, cuStreamQuery, (rp__cu_stream stream))                                         \
    X(stream_after, cuStreamWaitEvent, (rp__cu_stream stream, rp__cu_event event, unsigned flags)) \
    X(event_create, cuEventCreate, (rp__cu_event * event, unsigned flags))                         \
    X(event_destroy, cuEventDestroy_v2, (rp__cu_event event))                                      \
    X(event_record, cuEventRecord, (rp__cu_event event, rp__cu_stream stream))                     \
    X(event_query, cuEventQuery, (rp__cu_event event))                                             \
    X(event_elapsed, cuEventElapsedTime, (float *ms, rp__cu_event from, rp__cu_event to))          \
    X(launch, cuLaunchKernel,                                                                      \
      (rp__cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,                \
       rp__cu_stream stream, void **args, void **extra))                                           \
    X(error_name, cuGetErrorName, (rp__cu_result result, const char **name))

/* Optional: NULL where a driver lacks them. */
#define RP_DRIVER_OPTIONAL(X)                                                                      \
    X(capture_begin, cuStreamBeginCapture_v2, (rp__cu_stream stream, int mode))                    \
    X(capture_end, cuStreamEndCapture, (rp__cu_stream stream, rp__cu_graph * graph))               \
    X(graph_instantiate, cuGraphInstantiateWithFlags,                                              \
      (rp__cu_graph_exec * exec, rp__cu_graph graph, unsigned long long flags))                    \
    X(graph_launch, cuGraphLaunch, (rp__cu_graph_exec exec, rp__cu_stream stream))                 \
    X(graph_free, cuGraphDestroy, (rp__cu_graph graph))                                            \
    X(graph_exec_free, cuGraphExecDestroy, (rp__cu_graph_exec exec))                               \
    X(resource_get, cuDeviceGetDevResource,                                                        \
      (rp__cu_device device, rp__cu_resource * out, int kind))                                     \
    X(resource_split, cuDevSmResourceSplitByCount,                                                 \
      (rp__cu_resource * parts, unsigned *n, const rp__cu_resource *of, rp__cu_resource *rest,     \
       unsigned flags, unsigned min_count))                                                        \
    X(resource_name, cuDevResourceGenerateDesc,                                                    \
      (rp__cu_resources * out, rp__cu_resource * resources, unsigned n))                           \
    X(partition_create, cuGreenCtxCreate,                                                          \
      (rp__cu_partition * out, rp__cu_resources resources, rp__cu_device device, unsigned flags))  \
    X(partition_context, cuCtxFromGreenCtx, (rp__cu_context * out, rp__cu_partition partition))

typedef struct rp__driver {
#define FIELD(name, symbol, args) rp__cu_result(*name) args;
    RP_DRIVER_CALLS(FIELD)
    RP_DRIVER_OPTIONAL(FIELD)
#undef FIELD
    bool is_emulated;
} rp__driver;

/* The machine's own; loaded once, any thread. RP_UNAVAILABLE: why there is none, in err. */
rp_status rp__driver_load(const rp__driver **out, rp_error *err);
/* After such a result the process must not use its context again. */
bool rp__driver_is_fatal(rp__cu_result result);
/* It tells of one call alone, and the next may go well. After any other failure the device is of no
 * use. */
bool rp__driver_is_passing(rp__cu_result result);
/* For a device that does not come back: every call fails at once and touches nothing. */
extern const rp__driver rp__driver_dead;
/* The names of the results above, for drivers that are no library: what cuGetErrorName does. */
rp__cu_result rp__driver_name(rp__cu_result result, const char **name);
/* The result's name, for messages. */
const char *rp__driver_text(const rp__driver *driver, rp__cu_result result);

/* Joules that card number `ordinal` has used since its driver was loaded, by libnvidia-ml.so.1.
 * False: they cannot be read here. */
bool rp__driver_energy(int ordinal, double *joules);

#endif
