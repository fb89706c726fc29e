/* gpu.c: which GPUs there are, for people. */
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"
#include "base/error.h"
#include "riposte/search.h"

rp_status rp_gpu_get(const char *gpu, size_t i, rp_gpu *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    rp__device_info info = {.memory = 0};
    rp_status status = rp__backend_find("gpu")->device(&(rp__place){.gpu = gpu}, i, &info, err);
    *out = (rp_gpu){.memory = info.memory,
                    .multiprocessors = info.multiprocessors,
                    .is_emulated = info.is_emulated};
    memcpy(out->name, info.name, sizeof out->name);
    if (info.driver > 0)
        snprintf(out->driver, sizeof out->driver, "%d.%d", info.driver / 1000,
                 info.driver % 1000 / 10);
    return status;
}
