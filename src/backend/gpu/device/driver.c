/* driver.c: the CUDA driver from libcuda.so.1, and what its cards use from libnvidia-ml.so.1, if the machine has
 * them. The only file that knows dlopen. */
#include "backend/gpu/device/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"

enum { OLDEST = 12000 }; /* the first driver that takes our images: CUDA 12.0 */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static rp__driver loaded;
static rp_status outcome;
static rp_error reason;

static rp_status refuse(const char *text, const char *what)
{
    return rp__error_set(&reason, RP_UNAVAILABLE, text, what);
}

/* ISO C has no conversion from an object's address to a function's. */
static bool find(void *library, const char *symbol, void *field, size_t bytes)
{
    void *address = dlsym(library, symbol);
    memcpy(field, &address, bytes);
    return address != NULL;
}

static rp_status fill(void *library)
{
#define FIND(name, symbol, args)                                                                   \
    if (!find(library, #symbol, &loaded.name, sizeof loaded.name))                                 \
        return refuse("libcuda.so.1 lacks %s; it is too old", #symbol);
    RP_DRIVER_CALLS(FIND)
#undef FIND
#define FIND(name, symbol, args) find(library, #symbol, &loaded.name, sizeof loaded.name);
    RP_DRIVER_OPTIONAL(FIND)
#undef FIND
    return RP_OK;
}

static void load(void)
{
    int version = 0;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        outcome = refuse("there is no CUDA driver on this machine (%s)", "libcuda.so.1");
        return;
    }
    outcome = fill(library);
    if (outcome != RP_OK)
        return;
    rp__cu_result result = loaded.init(0);
    if (result != RP_CU_OK)
        outcome = refuse("the CUDA driver does not start: %s", rp__driver_text(&loaded, result));
    else if (loaded.version(&version) != RP_CU_OK || version < OLDEST)
        outcome = refuse("the CUDA driver is too old; %s or later is needed", "12.0");
}

rp_status rp__driver_load(const rp__driver **out, rp_error *err)
{
    pthread_once(&once, load);
    *out = &loaded;
    return outcome == RP_OK ? RP_OK : rp__error_set(err, outcome, "%s", reason.text);
}

static bool is_among(const short *codes, size_t n, rp__cu_result result)
{
    while (n > 0 && codes[n - 1] != result)
        n--;
    return n > 0;
}

bool rp__driver_is_fatal(rp__cu_result result)
{
    static const short fatal[] = {700, 702, 714, 715, 716, 717, 718, 719, 721, 810};
    return is_among(fatal, sizeof fatal / sizeof fatal[0], result);
}

bool rp__driver_is_passing(rp__cu_result result)
{
    static const short passing[] = {RP_CU_OK,          RP_CU_INVALID,   RP_CU_NO_MEMORY,
                                    RP_CU_NO_IMAGE,    RP_CU_NOT_FOUND, RP_CU_NOT_READY,
                                    RP_CU_NO_RESOURCES};
    return is_among(passing, sizeof passing / sizeof passing[0], result);
}

/* ---- The dead driver ------------------------------------------------------------------------- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define DEAD(name, symbol, args)                                                                   \
    static rp__cu_result dead_##name args                                                          \
    {                                                                                              \
        return RP_CU_LAUNCH_TIMEOUT;                                                               \
    }
RP_DRIVER_CALLS(DEAD)    /* NOLINT(misc-unused-parameters) */
RP_DRIVER_OPTIONAL(DEAD) /* NOLINT(misc-unused-parameters) */
#undef DEAD
#pragma GCC diagnostic pop

const rp__driver rp__driver_dead = {
#define FIELD(name, symbol, args) .name = dead_##name,
    RP_DRIVER_CALLS(FIELD) RP_DRIVER_OPTIONAL(FIELD)
#undef FIELD
};

rp__cu_result rp__driver_name(rp__cu_result result, const char **name)
{
    static const struct {
        rp__cu_result code;
        const char *name;
    } names[] = {
        {RP_CU_OK, "CUDA_SUCCESS"},
        {RP_CU_INVALID, "CUDA_ERROR_INVALID_VALUE"},
        {RP_CU_NO_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
        {RP_CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
        {RP_CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
        {RP_CU_NOT_READY, "CUDA_ERROR_NOT_READY"},
        {RP_CU_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {RP_CU_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT"},
        {RP_CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == result) {
            *name = names[i].name;
            return RP_CU_OK;
        }
    return RP_CU_INVALID;
}

const char *rp__driver_text(const rp__driver *driver, rp__cu_result result)
{
    const char *name = NULL;
    return driver->error_name(result, &name) == RP_CU_OK && name ? name : "an unknown error";
}

/* ---- Energy -------------------------------------------------------------------------------------- */

/* As nvml.h has them; 0: it went well. */
typedef struct nvml {
    int (*init)(void);
    int (*device)(unsigned ordinal, void **device);
    int (*energy)(void *device, unsigned long long *millijoules);
} nvml;

static pthread_once_t nvml_once = PTHREAD_ONCE_INIT;
static nvml meter;
static bool has_meter;

static void load_nvml(void)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    has_meter =
        library && find(library, "nvmlInit_v2", &meter.init, sizeof meter.init) &&
        find(library, "nvmlDeviceGetHandleByIndex_v2", &meter.device, sizeof meter.device) &&
        find(library, "nvmlDeviceGetTotalEnergyConsumption", &meter.energy, sizeof meter.energy) &&
        meter.init() == 0;
}

bool rp__driver_energy(int ordinal, double *joules)
{
    void *device;
    unsigned long long millijoules;
    pthread_once(&nvml_once, load_nvml);
    if (!has_meter || meter.device((unsigned)ordinal, &device) != 0 ||
        meter.energy(device, &millijoules) != 0)
        return false;
    *joules = (double)millijoules / 1e3;
    return true;
}
