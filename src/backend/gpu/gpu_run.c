/* gpu_run.c: the processor gpu: which card, what of the index lies on it, and who answers.
 *
 * The emulated device is used only when asked for by name. What the card cannot answer is refused with
 * RP_UNAVAILABLE, so that the caller asks another processor. */
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device.h"
#include "backend/gpu/emulated.h"
#include "backend/rows.h"
#include "base/alloc.h"
#include "base/error.h"

typedef struct gpu {
    rp__device device;
} gpu;

/* The driver and the card's number that are asked for. */
static rp_status choose(const rp__place *place, const rp__driver **driver, int *ordinal,
                        rp_error *err)
{
    const char *name = place->gpu ? place->gpu : getenv("RIPOSTE_GPU");
    *ordinal = 0;
    if (name && !strcmp(name, "emulated")) {
        *driver = rp__emulated_driver();
        return RP_OK;
    }
    char *end = NULL;
    unsigned long number = name ? strtoul(name, &end, 10) : 0;
    if (name && (end == name || *end || number > 1023))
        return rp__error_set(err, RP_USAGE, "no GPU is called '%s'; say 'emulated' or a number",
                             name);
    *ordinal = (int)number;
    return rp__driver_load(driver, err);
}

static rp_status describe(const rp__place *place, size_t i, rp__device_info *out, rp_error *err)
{
    const rp__driver *driver;
    int ordinal, count = 0;
    rp__device device;
    rp_status status = choose(place, &driver, &ordinal, err);
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
    rp_status status = choose(place, &driver, &ordinal, err);
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
    rp_status status = g ? choose(place, &driver, &ordinal, err) : rp__error_no_memory(err);
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
