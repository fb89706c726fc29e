/* gpu_run.c: the processor gpu: which card, what of the index lies on it, and who answers.
 *
 * What the card cannot answer is refused with RP_UNAVAILABLE, so that the caller asks another processor. */
#include <string.h>

#include "backend/gpu/device.h"
#include "backend/gpu/gpu_batch.h"
#include "backend/gpu/gpu_index.h"
#include "backend/gpu/gpu_place.h"
#include "backend/gpu/gpu_query.h"
#include "backend/rows.h"
#include "base/alloc.h"
#include "base/error.h"

typedef struct gpu {
    rp__device device;
    rp__gpu_index index;
    rp__gpu_query query;
    rp__gpu_words words;
    rp__gpu_ors ors;
    bool has_index; /* otherwise every query is refused */
    uint64_t left;  /* bytes of device memory for queries; 0: any number */
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

/* What is open by then; the context is the thread's. */
static void detach(void *state)
{
    gpu *g = state;
    if (g->device.context) {
        rp__gpu_ors_close(&g->ors);
        rp__gpu_words_close(&g->words);
        (void)rp__device_enter(&g->device);
        rp__gpu_query_close(&g->query);
        rp__gpu_index_close(&g->index);
    }
    rp__device_close(&g->device);
    rp__free(g);
}

/* Copies the index, if it fits: a device without it is no reason to fail, since the cpu answers then. Mapped
 * memory is read: where the guard leaves this, the state is the caller's to detach. */
static rp_status attach(const rp__segment *segment, const rp__place *place, void **state,
                        rp_error *err)
{
    const rp__driver *driver;
    int ordinal;
    gpu *g = rp__alloc_zero(1, sizeof *g);
    *state = g;
    rp_status status =
        g ? rp__gpu_place_find(place, &driver, &ordinal, err) : rp__error_no_memory(err);
    if (status == RP_OK)
        status = rp__device_open(&g->device, driver, ordinal, err);
    if (status != RP_OK) {
        rp__free(g);
        *state = NULL;
        return status;
    }
    uint64_t most = place->gpu_memory;
    g->has_index = rp__gpu_index_open(&g->index, &g->device, segment, most) == RP_OK;
    /* a byte, where nothing is left: 0 would mean any number */
    if (most)
        g->left = most > g->index.bytes ? most - g->index.bytes : 1;
    if (g->has_index) {
        rp__gpu_query_open(&g->query, &g->device, &g->index, g->left);
        rp__gpu_ors_open(&g->ors, &g->index, g->left / 4);
        status = rp__gpu_words_open(&g->words, &g->index, rp__segment_get_info(segment)->terms,
                                    g->left / 4);
    }
    g->has_index = g->has_index && status == RP_OK;
    return RP_OK;
}

static rp_status run(void *state, const rp__query *query, rp__arena *arena, rp__answer *answer,
                     rp_error *err)
{
    gpu *g = state;
    if (!g->has_index)
        return rp__error_set(err, RP_UNAVAILABLE, "the gpu does not hold the index%s%s",
                             g->device.fault.text[0] ? ": " : "", g->device.fault.text);
    return rp__gpu_query_run(&g->query, query, arena, answer, err);
}

/* ---- Many queries ------------------------------------------------------------------------------ */

static rp_status batch_new(void *state, uint32_t of, void **batch, rp_error *err)
{
    gpu *g = state;
    *batch = NULL;
    rp__gpu_batch *b = g->has_index ? rp__alloc_zero(1, sizeof *b) : NULL;
    if (!b)
        return g->has_index ? rp__error_no_memory(err) : RP_UNAVAILABLE;
    rp_status status =
        rp__gpu_batch_open(b, &g->words, &g->ors, g->left ? g->left / 2 / of + 1 : 0, err);
    if (status != RP_OK) {
        rp__free(b);
        return status;
    }
    *batch = b;
    return RP_OK;
}

static void batch_free(void *batch)
{
    rp__gpu_batch_close(batch);
    rp__free(batch);
}

static void batch_start(void *batch, rp__asked *asked, size_t n, rp__arena *arena)
{
    rp__gpu_batch_start(batch, asked, n, arena);
}

static void batch_finish(void *batch, rp__asked *asked, size_t n, rp__arena *arena)
{
    rp__gpu_batch_finish(batch, asked, n, arena);
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
                                     .run = run,
                                     .batch_new = batch_new,
                                     .batch_free = batch_free,
                                     .batch_start = batch_start,
                                     .batch_finish = batch_finish};
