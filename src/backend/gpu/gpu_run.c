/* gpu_run.c: the processor gpu: which cards, and that they answer together.
 *
 * What the cards cannot answer is refused with RP_UNAVAILABLE, so that the caller asks another processor. A card that was
 * lost is left out of the queries that follow. */
#include <string.h>

#include "backend/gpu/gpu_card.h"
#include "backend/gpu/gpu_form.h"
#include "backend/gpu/gpu_place.h"
#include "backend/gpu/gpu_ranges.h"
#include "backend/gpu/operators/operator_steps.h"
#include "backend/rows.h"
#include "base/alloc.h"
#include "base/error.h"

typedef struct gpu {
    rp__gpu_card cards[RP_GPU_PLACE_MAX];
    size_t n;
    size_t n_batches;
} gpu;

static rp_status describe(const rp__place *place, size_t i, rp__device_info *out, rp_error *err)
{
    const rp__driver *driver;
    int ordinal, count = 0;
    rp__device device;
    rp_status status = rp__gpu_place_find(place, 0, &driver, &ordinal, err);
    if (status == RP_OK && driver->device_count(&count) == RP_CU_OK && i > 0 && i >= (size_t)count)
        return RP_NOT_FOUND;
    if (status == RP_OK)
        status = rp__device_open(&device, driver, (int)i, err);
    if (status != RP_OK)
        return status;
    *out = (rp__device_info){.memory = device.memory,
                             .multiprocessors = device.processors,
                             .is_emulated = driver->is_emulated};
    memcpy(out->name, device.name, sizeof out->name);
    if (driver->version(&out->driver) != RP_CU_OK)
        out->driver = 0;
    rp__device_close(&device);
    return RP_OK;
}

static void detach(void *state)
{
    gpu *g = state;
    for (size_t i = 0; i < g->n; i++)
        rp__gpu_card_close(&g->cards[i]);
    rp__free(g);
}

/* Mapped memory is read: where the guard leaves this, the state is the caller's to detach. */
static rp_status attach(const rp__segment *segment, const rp__place *place, void **state,
                        rp_error *err)
{
    const rp__driver *driver;
    int ordinal;
    gpu *g = rp__alloc_zero(1, sizeof *g);
    *state = g;
    rp_status status = g ? RP_OK : rp__error_no_memory(err);
    for (size_t i = 0; status == RP_OK; i++) {
        status = rp__gpu_place_find(place, i, &driver, &ordinal, err);
        if (status == RP_OK)
            status = rp__gpu_card_open(&g->cards[g->n++], driver, ordinal, segment, place, err);
    }
    if (status == RP_NOT_FOUND)
        return RP_OK;
    if (g)
        detach(g);
    *state = NULL;
    return status;
}

/* Those that answer. How many. */
static size_t pick_cards(gpu *g, rp__gpu_card **cards)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        if (rp__gpu_card_answers(&g->cards[i]))
            cards[n++] = &g->cards[i];
    return n;
}

static rp_fallback find_reason(gpu *g)
{
    rp__device *device = &g->cards[0].device;
    bool has_failed = rp__device_is_lost(device) || device->fault.text[0];
    return has_failed ? rp__device_fallback(device, RP_UNAVAILABLE) : RP_FALLBACK_INDEX;
}

static rp_status refuse(const gpu *g, rp_error *err)
{
    const char *fault = g->cards[0].device.fault.text;
    return rp__error_set(err, RP_UNAVAILABLE, "the gpu does not hold the index%s%s",
                         fault[0] ? ": " : "", fault);
}

/* The launches since it was called last; `trace` NULL: they are of something else. */
static void take_kernels(rp__device *device, rp__trace *trace)
{
    for (size_t k = 0; trace && k < RP_KERNELS_MAX; k++)
        if (device->launched[k] > 0)
            rp__trace_kernel(trace, rp__kernel_table_at(k)->name, device->launched[k]);
    memset(device->launched, 0, sizeof device->launched);
}

static rp_status run(void *state, const rp__query *query, rp__arena *arena, rp__answer *answer,
                     rp_error *err)
{
    gpu *g = state;
    rp__gpu_card *cards[RP_GPU_PLACE_MAX];
    size_t n = pick_cards(g, cards);
    uint64_t begin = rp__trace_begin(query->trace);
    const size_t n_events = query->trace ? query->trace->n : 0;
    if (n == 0) {
        *answer = (rp__answer){.fallback = find_reason(g)};
        return refuse(g, err);
    }
    for (size_t i = 0; query->trace && i < n; i++)
        take_kernels(&cards[i]->device, NULL);
    rp_status status = rp__gpu_ranges_run(cards, n, query, arena, answer, err);
    for (size_t i = 0; query->trace && i < n; i++)
        take_kernels(&cards[i]->device, query->trace);
    if (query->trace && query->trace->n > n_events) /* its operators are there */
        return status;
    rp__trace_end(query->trace,
                  &(rp__trace_event){.stage = "search",
                                     .processor = "gpu",
                                     .begin = begin,
                                     .elements = status == RP_OK ? answer->postings : 0,
                                     .bytes = answer->gpu.uploaded_bytes});
    return status;
}

/* On each of several cards the same. */
static rp_status form(void *state, const rp__query *query, rp__arena *arena, rp_form *out,
                      rp_error *err)
{
    gpu *g = state;
    rp__gpu_card *cards[RP_GPU_PLACE_MAX];
    rp_status status = RP_OK;
    if (pick_cards(g, cards) > 0) {
        rp__exec *e = &cards[0]->exec;
        status = rp__gpu_form_find(&cards[0]->index, &e->lanes[RP_LANE_SINGLE].lease, &e->norms,
                                   query, arena, out);
    } else {
        *out = rp__form_count(query);
        out->fallback = find_reason(g);
    }
    out->processor = "gpu";
    return status == RP_NO_MEMORY ? rp__error_no_memory(err) : status;
}

static void abandon(void *state)
{
    gpu *g = state;
    for (size_t i = 0; i < g->n; i++)
        if (g->cards[i].has_index)
            rp__exec_abandon(&g->cards[i].exec);
}

static rp_status health(void *state, rp_error *err)
{
    gpu *g = state;
    rp__gpu_card *lost = NULL;
    for (size_t i = 0; i < g->n; i++) {
        if (rp__gpu_card_answers(&g->cards[i]))
            return RP_OK;
        lost = rp__device_is_lost(&g->cards[i].device) ? &g->cards[i] : lost;
    }
    return lost ? rp__error_set(err, RP_UNAVAILABLE, "%s", lost->device.fault.text) : RP_OK;
}

/* ---- Many queries ------------------------------------------------------------------------------ */

/* A batch has a device of its own, for its thread. */
typedef struct batch {
    rp__device device;
    rp__exec exec;
} batch;

static void batch_free(void *p)
{
    batch *b = p;
    if (b->device.context)
        (void)rp__device_enter(&b->device);
    rp__exec_close(&b->exec);
    rp__device_close(&b->device);
    rp__free(b);
}

/* Each has one card; cards take turns. */
static rp_status batch_new(void *state, void **out, rp_error *err)
{
    gpu *g = state;
    rp__gpu_card *cards[RP_GPU_PLACE_MAX];
    size_t n = pick_cards(g, cards);
    *out = NULL;
    if (n == 0)
        return refuse(g, err);
    batch *b = rp__alloc_zero(1, sizeof *b);
    if (!b)
        return rp__error_no_memory(err);
    rp__gpu_card *card = cards[g->n_batches++ % n];
    rp_status status =
        rp__device_enter(&card->device); /* so that a card that is lost is known to be */
    if (status == RP_OK)
        status = rp__device_twin(&b->device, &card->device, err);
    if (status != RP_OK) {
        rp__free(b);
        return status;
    }
    rp__exec_open(&b->exec, &b->device, &card->index);
    *out = b;
    return RP_OK;
}

static void batch_start(void *p, rp__batch_item *items, size_t n, rp__arena *arena)
{
    batch *b = p;
    rp__exec_begin(&b->exec, n, true, arena);
    for (size_t i = 0; i < n; i++)
        rp__exec_add(&b->exec, &items[i]);
    rp__exec_launch(&b->exec);
}

static void batch_finish(void *p, rp__batch_item *items, size_t n, rp__arena *arena)
{
    (void)items, (void)n, (void)arena;
    rp__exec_collect(&((batch *)p)->exec);
}

static void batch_abandon(void *p)
{
    rp__exec_abandon(&((batch *)p)->exec);
}

static uint64_t batch_start_ns(void *p)
{
    return ((batch *)p)->exec.start_ns;
}

static void batch_kernels(void *p, rp__trace *trace)
{
    take_kernels(&((batch *)p)->device, trace);
}

static bool poll(void *p)
{
    return rp__exec_is_done(&((batch *)p)->exec);
}

/* ---- Step by step ------------------------------------------------------------------------------ */

static rp_status open_operators(rp__gpu_card *card, const rp__query *query, rp__arena *arena,
                                void **run_, rp_error *err)
{
    rp_fallback why =
        rp__gpu_form_is_and(query) ? rp__gpu_form_check(&card->index, query) : RP_FALLBACK_FORM;
    if (why || rp__launch_policy_find(query->algorithm)->id != RP_LAUNCH_OPERATORS)
        return rp__error_set(err, RP_UNAVAILABLE, "the gpu does not take steps of this query: %s",
                             rp_fallback_text(why ? why : RP_FALLBACK_FORM));
    if (!card->stepper.device)
        rp__exec_open(&card->stepper, &card->device, &card->index);
    return rp__operator_steps_open(&card->stepper, &card->exec.single.stage.kernel, query, arena,
                                   run_, err);
}

/* On one card. */
static rp_status open_steps(void *state, const rp__query *query, rp__arena *arena, void **run_,
                            rp_error *err)
{
    gpu *g = state;
    rp__gpu_card *cards[RP_GPU_PLACE_MAX];
    *run_ = NULL;
    if (pick_cards(g, cards) == 0)
        return refuse(g, err);
    return rp__launch_policy_find(query->algorithm)
               ? open_operators(cards[0], query, arena, run_, err)
               : rp__gpu_steps_begin(&cards[0]->steps, query, arena, run_, err);
}

static const rp__steps steps = {.open = open_steps,
                                .start = rp__step_run_start,
                                .meet = rp__step_run_meet,
                                .score = rp__step_run_score,
                                .narrow = rp__step_run_narrow,
                                .select = rp__step_run_select,
                                .count = rp__step_run_count,
                                .put = rp__step_run_put,
                                .take = rp__step_run_take,
                                .report = rp__step_run_report,
                                .close = rp__step_run_close};

/* Those that rows of the launch table have. */
static const char *algorithm(size_t i)
{
    for (size_t row = 0; row < RP_LAUNCHES; row++)
        if (rp__launch_table[row].algorithm && i-- == 0)
            return rp__launch_table[row].algorithm;
    return NULL;
}

static rp_status check_algorithm(const char *spec, const rp__algorithm_use *use, rp_error *err)
{
    return rp__launch_policy_find(spec)->check(spec, use, err);
}

const rp__backend rp__gpu_run_row = {.name = "gpu",
                                     .algorithm = algorithm,
                                     .check_algorithm = check_algorithm,
                                     .device = describe,
                                     .attach = attach,
                                     .detach = detach,
                                     .health = health,
                                     .run = run,
                                     .form = form,
                                     .abandon = abandon,
                                     .batch_new = batch_new,
                                     .batch_free = batch_free,
                                     .batch_start = batch_start,
                                     .batch_finish = batch_finish,
                                     .poll = poll,
                                     .batch_start_ns = batch_start_ns,
                                     .batch_kernels = batch_kernels,
                                     .batch_abandon = batch_abandon,
                                     .steps = &steps};
