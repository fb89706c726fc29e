/* gpu_run.c: the processor gpu: which card, what of the index lies on it, and who answers.
 *
 * What the card cannot answer is refused with RP_UNAVAILABLE, so that the caller asks another processor. */
#include <string.h>

#include "backend/gpu/device.h"
#include "backend/gpu/gpu_place.h"
#include "backend/rows.h"
#include "base/alloc.h"
#include "base/error.h"

typedef struct gpu {
    rp__device device;
} gpu;

static rp_status describe(const rp__place *place, size_t i, rp__device_info *out, rp_error *err)
{
    const rp__driver *driver;
    int ordinal, count = 0;
    rp__device device;
    rp_status status = rp__gpu_place_find(place, &driver, &ordinal, err);
    if (status == RP_OK && driver->device_count(&count) == RP_CU_OK && i > 0 && (int)i >= count)
        return RP_NOT_FOUND;
    if (status == RP_OK)
        status = rp__device_open(&device, driver, (int)i, err);
    if (status != RP_OK)
        return status;
    *out = (rp__device_info){.memory = device.memory,
                             .multiprocessors = device.processors,
                             .is_emulated = driver->is_emulated};
    memcpy(out->name, device.name, sizeof out->name);
    rp__device_close(&device);
    return RP_OK;
}

static rp_status probe(const rp__place *place, rp_error *err)
{
    const rp__driver *driver;
    int ordinal;
    rp__device device;
    rp_status status = rp__gpu_place_find(place, &driver, &ordinal, err);
    if (status == RP_OK)
        status = rp__device_open(&device, driver, ordinal, err);
    if (status == RP_OK)
        rp__device_close(&device);
    return status;
}

static rp_status attach(const rp__segment *segment, const rp__place *place, void **state,
                        rp_error *err)
{
    const rp__driver *driver;
    int ordinal;
    (void)segment;
    gpu *g = rp__alloc_zero(1, sizeof *g);
    *state = g;
    rp_status status =
        g ? rp__gpu_place_find(place, &driver, &ordinal, err) : rp__error_no_memory(err);
    if (status == RP_OK)
        status = rp__device_open(&g->device, driver, ordinal, err);
    if (status != RP_OK) {
        rp__free(g);
        *state = NULL;
    }
    return status;
}

static void detach(void *state)
{
    gpu *g = state;
    rp__device_close(&g->device);
    rp__free(g);
}

static rp_status run(void *state, const rp__query *query, rp__arena *arena, rp__answer *answer,
                     rp_error *err)
{
    (void)state, (void)query, (void)arena, (void)answer;
    return rp__error_set(err, RP_UNAVAILABLE, "the gpu does not answer queries of this form");
}

static const char *algorithm(size_t i)
{
    (void)i;
    return NULL;
}

const rp__backend rp__gpu_run_row = {.name = "gpu",
                                     .algorithm = algorithm,
                                     .probe = probe,
                                     .device = describe,
                                     .attach = attach,
                                     .detach = detach,
                                     .run = run};
