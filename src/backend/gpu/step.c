/* step.c: steps of a query on a device. Each grows what it writes, asks the device, and waits for what it says. */
#include "backend/gpu/step.h"

#include <stddef.h>
#include <string.h>

#include "backend/gpu/gpu_list.h"
#include "backend/gpu/transcode.h"
#include "base/bits.h"

enum {
    THREADS = 256,
    WARPS = 4,  /* of a block that scores */
    SLICE = 16, /* log2 of the docids of a slice; levels of pmf */
    LEVELS = 3,
    COUNT = sizeof(karg_found), /* where in the report */
    REPORT = sizeof(karg_found) + 16,
    RECORDS = 512, /* bytes of the stage behind it: of decoding */
};

/* ---- Memory ---------------------------------------------------------------------------------------- */

rp_status rp__step_open(rp__step *step, rp__device *device, const rp__gpu_index *index)
{
    void *stage = NULL;
    *step = (rp__step){.device = device, .index = index};
    rp_status status = rp__device_pin(device, REPORT + RECORDS, 0, &stage);
    step->stage = stage;
    if (status == RP_OK)
        status = rp__device_alloc(device, REPORT, &step->report);
    if (status != RP_OK)
        rp__step_close(step);
    return status;
}

void rp__step_free(rp__step *step, rp__step_buffer *buffer)
{
    rp__device_free(step->device, buffer->at);
    *buffer = (rp__step_buffer){0};
}

void rp__step_close(rp__step *step)
{
    if (!step->device)
        return;
    rp__step_free(step, &step->state);
    rp__step_free(step, &step->splits);
    rp__device_free(step->device, step->report);
    if (step->stage)
        step->device->driver->host_free(step->stage);
    *step = (rp__step){0};
}

/* Room for n elements; what was there is lost. */
static rp_status grow(rp__step *step, rp__step_buffer *buffer, size_t n, size_t size)
{
    size_t bytes = rp__bits_align(n * size + RP_PAD, RP_PAD);
    buffer->n = 0;
    if (bytes <= buffer->bytes)
        return RP_OK;
    rp__step_free(step, buffer);
    rp_status status = rp__device_alloc(step->device, bytes, &buffer->at);
    if (status == RP_OK)
        buffer->bytes = bytes;
    return status;
}

static rp_status clear_report(rp__step *step)
{
    return rp__device_fill(step->device, step->report, 0, REPORT / sizeof(uint32_t));
}

/* Waits; *count is what a kernel counted. */
static rp_status read_report(rp__step *step, uint32_t *count)
{
    karg_found found;
    rp_status status = rp__device_copy_out(step->device, step->stage, step->report, REPORT);
    if (status == RP_OK)
        status = rp__device_wait(step->device);
    if (status != RP_OK)
        return status;
    memcpy(&found, step->stage, sizeof found);
    memcpy(count, step->stage + COUNT, sizeof *count);
    return found.damaged ? RP_DAMAGED : RP_OK;
}

/* ---- Moves ----------------------------------------------------------------------------------------- */

rp_status rp__step_put(rp__step *step, const uint32_t *from, uint32_t n, rp__step_buffer *to)
{
    rp_status status = grow(step, to, n, sizeof *from);
    if (status == RP_OK)
        status = rp__device_copy_in(step->device, to->at, from, n * sizeof *from);
    if (status == RP_OK)
        status = rp__device_wait(step->device);
    to->n = status == RP_OK ? n : 0;
    return status;
}

static rp_status take(rp__step *step, const rp__step_buffer *from, void *to, size_t size)
{
    rp_status status = rp__device_copy_out(step->device, to, from->at, from->n * size);
    return status == RP_OK ? rp__device_wait(step->device) : status;
}

rp_status rp__step_take(rp__step *step, const rp__step_buffer *from, uint32_t *to)
{
    return take(step, from, to, sizeof *to);
}

rp_status rp__step_take_pairs(rp__step *step, const rp__step_buffer *from, rp__scored *to)
{
    return take(step, from, to, sizeof *to);
}

/* ---- Decoding -------------------------------------------------------------------------------------- */

rp_status rp__step_decode(rp__step *step, const rp__list *list, rp__step_buffer *docids)
{
    rp__transcode_list made = {.tfs = 0};
    uint32_t count;
    if (!rp__gpu_index_list(step->index, list, &made.list))
        return RP_UNAVAILABLE;
    made.list.freq_code = rp__transcode_freq_code(list);
    rp_status status = grow(step, docids, list->n, sizeof(uint32_t));
    made.docids = docids->at;
    rp__transcode_sizes needs = rp__transcode_needs(&made, 1);
    if (status == RP_OK)
        status = grow(step, &step->splits, needs.device, 1);
    if (status == RP_OK)
        status = clear_report(step);
    rp__transcode to = {.device = step->device,
                        .stream = step->device->stream,
                        .host = step->stage + REPORT,
                        .scratch = step->splits.at,
                        .damaged = step->report + offsetof(karg_found, damaged)};
    if (status == RP_OK)
        status = needs.host <= RECORDS ? rp__transcode_run(&to, &made, 1) : RP_NO_MEMORY;
    if (status == RP_OK)
        status = read_report(step, &count);
    docids->n = status == RP_OK ? list->n : 0;
    return status;
}

/* ---- Intersection ------------------------------------------------------------------------------------ */

static rp_status intersect(rp__step *step, rp__intersect_id id, karg_intersect *args,
                           rp__step_buffer *out)
{
    const rp__intersect *row = &rp__intersect_table[id];
    rp__launch how;
    uint32_t told = row->tile == RP_INTERSECT_SLICE ? SLICE : LEVELS, count = 0;
    rp_status status = grow(step, out, args->na, sizeof(uint32_t));
    if (status != RP_OK || args->na == 0)
        return status;
    args->room = args->na;
    args->out = out->at;
    args->count = step->report + COUNT;
    rp__intersect_cut(id, THREADS, told, args, &how);
    size_t state = rp__intersect_state(args);
    status = grow(step, &step->state, state, 1);
    if (status == RP_OK)
        status = grow(step, &step->splits, rp__intersect_splits(args), 1);
    args->state = step->state.at;
    args->splits = row->needs & RP_INTERSECT_SPLITS ? step->splits.at : 0;
    if (status == RP_OK)
        status = rp__device_fill(step->device, args->state, 0, state / sizeof(uint32_t));
    if (status == RP_OK)
        status = clear_report(step);
    if (status == RP_OK)
        status = rp__intersect_run(id, step->device, how, args);
    if (status == RP_OK)
        status = read_report(step, &count);
    out->n = status == RP_OK ? count : 0;
    return status;
}

rp_status rp__step_intersect(rp__step *step, rp__intersect_id id, const rp__step_buffer *a,
                             const rp__step_buffer *b, uint32_t universe, rp__step_buffer *out)
{
    const uint32_t has = RP_INTERSECT_B | RP_INTERSECT_SPLITS;
    uint32_t needs = rp__intersect_table[id].needs;
    karg_intersect args = {.a = a->at, .b = b->at, .na = a->n, .nb = b->n, .universe = universe};
    if ((needs & ~has) || !(needs & RP_INTERSECT_B) || id == RP_INTERSECT_TILE_RANKS ||
        id == RP_INTERSECT_TILE_MARKS)
        return RP_UNAVAILABLE;
    return intersect(step, id, &args, out);
}

rp_status rp__step_search(rp__step *step, rp__intersect_id id, const rp__step_buffer *a,
                          const rp__list *list, rp__step_buffer *out)
{
    const rp__intersect *row = &rp__intersect_table[id];
    karg_intersect args = {.a = a->at, .na = a->n, .nb = list->n, .universe = list->universe};
    if (row->needs != RP_INTERSECT_LIST || !list->codec ||
        strcmp(row->codec, list->codec->name) != 0 ||
        !rp__gpu_index_list(step->index, list, &args.list))
        return RP_UNAVAILABLE;
    return intersect(step, id, &args, out);
}

/* ---- Scores ------------------------------------------------------------------------------------------ */

rp_status rp__step_clear(rp__step *step, uint32_t n, rp__step_buffer *scores)
{
    rp_status status = grow(step, scores, n, sizeof(uint32_t));
    if (status == RP_OK)
        status = rp__device_fill(step->device, scores->at, 0, n);
    scores->n = status == RP_OK ? n : 0;
    return status;
}

rp_status rp__step_score(rp__step *step, const rp__step_word *word, const rp__step_buffer *docids,
                         rp__step_buffer *scores)
{
    karg_score_word args = {.norms = word->norms,
                            .docids = docids ? docids->at : 0,
                            .scores = scores->at,
                            .found = step->report,
                            .n = scores->n,
                            .n_docs = word->n_docs};
    rp_status status = rp__gpu_list_has_tfs(word->list)
                           ? rp__gpu_list_word(step->index, word->list, &args.word)
                           : RP_UNAVAILABLE;
    if (status != RP_OK || scores->n == 0)
        return status;
    args.word.weight = word->weight;
    if (!docids && args.n_docs > scores->n)
        args.n_docs = scores->n;
    uint32_t warps = docids ? (scores->n + 31) / 32 : args.word.list.n_blocks, count;
    rp__launch how = {(warps + WARPS - 1) / WARPS, 32 * WARPS, WARPS * KARG_SHARED_WORD};
    status = clear_report(step);
    if (status == RP_OK)
        status = rp__device_launch(
            step->device, docids ? RP_KERNEL_score_word_at_kernel : RP_KERNEL_score_word_all_kernel,
            how, &args);
    return status == RP_OK ? read_report(step, &count) : status;
}

/* ---- Selection --------------------------------------------------------------------------------------- */

rp_status rp__step_select(rp__step *step, rp__select_id id, const rp__step_buffer *docids,
                          const rp__step_buffer *scores, uint32_t k, rp__step_buffer *pairs)
{
    karg_select args = {.scores = scores->at,
                        .docids = docids ? docids->at : 0,
                        .counts = step->report + COUNT,
                        .n = scores->n,
                        .k = k,
                        .n_queries = 1,
                        .least = docids ? 0 : 1,
                        .room = rp__select_room(scores->n, k)};
    uint32_t count = 0;
    if (k > rp__select_table[id].k_most)
        return RP_UNAVAILABLE;
    rp_status status = grow(step, pairs, k, sizeof(karg_pair));
    if (status != RP_OK || k == 0 || args.n == 0)
        return status;
    args.out = pairs->at;
    status = grow(step, &step->state, rp__select_scratch(args.n, k), 1);
    args.scratch = step->state.at;
    if (status == RP_OK)
        status = rp__device_fill(step->device, args.scratch, 0, KARG_SELECT_ZEROS);
    if (status == RP_OK)
        status = clear_report(step);
    if (status == RP_OK)
        status = rp__select_run(id, step->device, args);
    if (status == RP_OK)
        status = read_report(step, &count);
    pairs->n = status == RP_OK ? count : 0;
    return status;
}
