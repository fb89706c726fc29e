/* intersect_ops.c: the phase intersect: candidates against one list after the other, by a row of intersect_table.c.
 *
 * Lists that the dictionary has, and those without
 * auxiliary data because they have one block, are searched as bs-ends does it: they have nothing else. */
#include "backend/gpu/operators/pipeline.h"

#include <string.h>

enum {
    THREADS = 256,
    WARPS = 4,        /* of a block of threads that reads a list */
    SLICE = 16,       /* log2 of the docids of a slice */
    SLICES_TO = 10,   /* a list so many times longer than the shortest is intersected by slices */
    SCAN_SHARED = 64, /* bytes of shared memory of intersect_chosen.cu */
};

/* ---- Which method ------------------------------------------------------------------------------ */

static rp_status refuse(rp__pipeline *p, rp_fallback why)
{
    p->flight->why = why;
    return RP_UNAVAILABLE;
}

/* Of the list's auxiliary data, as a method reads them; and where that is remembered of them. */
static uint64_t aux_key(const rp__pipe_list *l)
{
    return l->term->term->list_offset << 16 | (uint64_t)l->aux_data.shift << 8 |
           ((uint64_t)l->method + 1);
}

static uint64_t *aux_place(const rp__pipeline *p, const rp__pipe_list *l)
{
    const uint64_t hash = aux_key(l) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return &p->flight->exec->operators.checked[hash % RP_OPERATORS_CHECKED];
}

/* Auxiliary data of the list; where there are none for it, it is searched without. */
static rp_status find_aux(rp__pipeline *p, rp__pipe_list *l, const char *kind)
{
    rp_status status = rp__segment_aux(p->query->segment, rp__aux_kind_find(kind, strlen(kind)),
                                       l->term->term, &l->aux_data);
    l->is_aux_new = status == RP_OK && *aux_place(p, l) != aux_key(l);
    if (status == RP_NOT_FOUND)
        l->method = RP_INTERSECT_BS_X2;
    else if (status != RP_OK)
        return refuse(p, RP_FALLBACK_DAMAGED);
    return RP_OK;
}

static rp__intersect_id choose(const rp__pipeline *p, const rp__pipe_list *l)
{
    const rp__operator *row = p->how.rows[RP_PHASE_INTERSECT];
    const bool is_alike = l->term->list.n / p->lists[0].term->list.n <= SLICES_TO;
    if (row->id == RP_OPERATOR_AUTO)
        return is_alike ? RP_INTERSECT_TILE : RP_INTERSECT_BS_X2;
    if (row->id == RP_OPERATOR_DING)
        return RP_INTERSECT_PMF;
    return l->is_tiny && row->codec ? RP_INTERSECT_BS_X2 : (rp__intersect_id)row->id;
}

rp_status rp__intersect_ops_plan(rp__pipeline *p)
{
    const rp__operator *row = p->how.rows[RP_PHASE_INTERSECT];
    const bool is_part = p->begin > 0 || p->end < p->n_docs;
    rp_status status = RP_OK;
    for (uint32_t i = p->first; i < p->n && status == RP_OK; i++) {
        rp__pipe_list *l = &p->lists[i];
        const rp__list *list = &l->term->list;
        l->method = choose(p, l);
        l->is_ding = row->id == RP_OPERATOR_DING && !l->is_tiny && list->last && list->n_blocks > 1;
        if (row->aux)
            status = find_aux(p, l, row->aux);
        if (rp__intersect_table[l->method].needs & (RP_INTERSECT_A_BITS | RP_INTERSECT_B_BITS))
            p->has_bits = true;
        if (rp__intersect_table[l->method].needs & RP_INTERSECT_A_BITS && is_part)
            status = refuse(p, RP_FALLBACK_RANGE);
    }
    return status;
}

/* ---- Arguments --------------------------------------------------------------------------------- */

static uint32_t option_of(const rp__pipeline *p, const rp__intersect *row)
{
    return row->tile == RP_INTERSECT_SLICE ? SLICE : p->how.levels;
}

/* All but addresses. */
static void cut(const rp__pipeline *p, rp__intersect_id method, uint32_t nb, karg_intersect *args,
                rp__launch *how)
{
    const rp__intersect *row = &rp__intersect_table[method];
    *args =
        (karg_intersect){.na = p->max, .nb = nb, .universe = p->n_docs, .capacity = p->capacity};
    rp__intersect_table_cut(method, THREADS, option_of(p, row), args, how);
}

void rp__intersect_ops_cut(const rp__pipeline *p, uint32_t i, uint32_t n, karg_intersect *args,
                           rp__launch *how)
{
    const rp__intersect_id method = p->lists[i].method;
    const uint32_t nb = p->lists[i].term->list.n;
    *args = (karg_intersect){.na = n, .nb = nb, .universe = p->n_docs, .capacity = p->capacity};
    rp__intersect_table_cut(method, THREADS, option_of(p, &rp__intersect_table[method]), args, how);
}

/* What the list has for its method. */
static void point_at_list(const rp__pipeline *p, const rp__pipe_list *l, karg_intersect *args)
{
    args->b = l->word.list.docs;
    args->b_bits = l->bits;
    args->aux = l->aux;
    args->list = l->stored;
    if (l->method == RP_INTERSECT_HS_X1 || l->method == RP_INTERSECT_HS_X2) {
        args->shift = l->aux_data.shift;
        args->n_buckets = l->aux_data.n_buckets;
    }
    if (l->method != RP_INTERSECT_SKIP)
        return;
    args->list = l->word.list;
    args->list.last = rp__pipe(p, p->at.last);
    args->list.last_far = rp__pipe(p, p->at.last_far);
}

static void point_at_output(const rp__pipeline *p, rp__intersect_id method, karg_intersect *args)
{
    const bool has_splits = rp__intersect_table[method].needs & RP_INTERSECT_SPLITS;
    args->out = rp__pipe_next(p);
    args->count = rp__pipe_count(p);
    args->state = rp__pipe(p, p->at.state);
    args->splits = has_splits ? rp__pipe(p, p->at.splits) : 0;
}

/* ---- Auxiliary data ---------------------------------------------------------------------------- */

/* Wrong ones would lose candidates: each docid of the list must be where they say. */
static rp_status check_aux(const rp__pipeline *p, uint32_t i)
{
    const rp__pipe_list *l = &p->lists[i];
    karg_intersect args;
    rp__launch how;
    rp__intersect_ops_cut(p, i, l->term->list.n, &args, &how);
    point_at_list(p, l, &args);
    args.a = l->word.list.docs;
    args.count = rp__pipe_report(p, RP_REPORT_AUX + i);
    args.state = rp__pipe(p, p->at.state);
    return rp__intersect_table_run(l->method, p->device, how, &args);
}

rp_status rp__intersect_ops_check_aux(rp__pipeline *p)
{
    rp_status status = RP_OK;
    for (uint32_t i = p->first; i < p->n && status == RP_OK; i++)
        if (p->lists[i].is_aux_new)
            status = check_aux(p, i);
    return status;
}

bool rp__intersect_ops_is_aux_sound(const rp__pipeline *p, const uint32_t *report)
{
    for (uint32_t i = p->first; i < p->n; i++) {
        const rp__pipe_list *l = &p->lists[i];
        if (l->is_aux_new && report[RP_REPORT_AUX + i] != l->term->list.n)
            return false;
        if (l->is_aux_new)
            *aux_place(p, l) = aux_key(l);
    }
    return true;
}

/* ---- Launches ---------------------------------------------------------------------------------- */

static void take_output(rp__pipeline *p)
{
    rp__pipe_turn(p);
    p->n_counts++;
    p->marks = 0;
}

static rp_status run(rp__pipeline *p, rp__intersect_id method, rp__launch how,
                     const karg_intersect *args)
{
    rp_status status = rp__pipe_clear_next(p);
    if (status == RP_OK)
        status = rp__intersect_table_run(method, p->device, how, args);
    take_output(p);
    return status;
}

/* Marks in place of docids, by docid. */
static rp_status mark(rp__pipeline *p, rp__intersect_id method, rp__launch how,
                      karg_intersect *args)
{
    rp__cu_ptr first = rp__pipe(p, p->at.marks[0]);
    args->marks = p->marks == first ? rp__pipe(p, p->at.marks[1]) : first;
    args->out = 0;
    rp_status status = rp__intersect_table_run(method, p->device, how, args);
    p->marks = args->marks;
    p->n_counts++;
    return status;
}

rp_status rp__intersect_ops_list(rp__pipeline *p)
{
    karg_intersect args;
    rp__launch how;
    p->max = p->capacity;
    cut(p, RP_INTERSECT_BITS_AND, p->n_docs, &args, &how);
    args.a_bits = args.b_bits = p->marks;
    point_at_output(p, RP_INTERSECT_BITS_AND, &args);
    return run(p, RP_INTERSECT_BITS_AND, how, &args);
}

/* Those of list i that are asked about. */
static rp_status start_in_range(rp__pipeline *p, uint32_t i)
{
    const karg_term *word = &p->lists[i].word;
    karg_candidates args = {.begin = p->begin,
                            .end = p->end,
                            .n_words = 1,
                            .to_docids = rp__pipe_next(p),
                            .count = rp__pipe_count(p),
                            .state = rp__pipe(p, p->at.state),
                            .found = rp__pipe_report(p, RP_REPORT_FOUND),
                            .tiles = (word->list.n_blocks + WARPS - 1) / WARPS,
                            .near = {*word}};
    const rp__launch how = {args.tiles, 32 * WARPS,
                            KARG_SCRATCH * sizeof(uint32_t) + WARPS * KARG_SHARED_TERM};
    rp_status status = rp__pipe_clear_next(p);
    if (status == RP_OK)
        status = rp__device_launch(p->device, RP_KERNEL_step_and_start_kernel, how, &args);
    take_output(p);
    return status;
}

rp_status rp__intersect_ops_start(rp__pipeline *p, uint32_t i)
{
    p->candidates = p->lists[i].word.list.docs;
    p->marks = p->lists[i].bits;
    p->max = p->lists[i].term->list.n;
    return p->begin > 0 || p->end < p->n_docs ? start_in_range(p, i) : RP_OK;
}

/* Skip pointers are made for the query. */
static rp_status make_skips(rp__pipeline *p, const rp__pipe_list *l)
{
    const karg_skips args = {.docids = l->word.list.docs,
                             .last = rp__pipe(p, p->at.last),
                             .last_far = rp__pipe(p, p->at.last_far),
                             .n = l->word.list.n};
    if (l->method != RP_INTERSECT_SKIP)
        return RP_OK;
    return rp__device_launch(p->device, RP_KERNEL_intersect_skips_kernel,
                             rp__pipe_grid(p, l->word.list.n_blocks), &args);
}

/* ---- Ding's AND -------------------------------------------------------------------------------- */

/* Numbers of the blocks in which candidates may be. */
static rp_status choose_blocks(rp__pipeline *p, const rp__pipe_list *l)
{
    karg_intersect args;
    rp__launch how;
    cut(p, RP_INTERSECT_PMF_HEADS, l->stored.n_blocks, &args, &how);
    args.a = p->candidates;
    args.b = l->stored.last;
    point_at_output(p, RP_INTERSECT_PMF_HEADS, &args);
    args.out = rp__pipe(p, p->at.blocks);
    args.count = rp__pipe_report(p, RP_REPORT_CHOSEN);
    args.capacity = l->stored.n_blocks;
    return rp__intersect_table_run(RP_INTERSECT_PMF_HEADS, p->device, how, &args);
}

/* Their docids, side by side; what is behind them is above all docids. */
static rp_status decode_blocks(rp__pipeline *p, rp__pipe_list *l, uint32_t i)
{
    const rp__cu_ptr records = rp__pipe(p, p->at.staged + p->records_at);
    l->n_tiles = p->max < l->stored.n_blocks ? p->max : l->stored.n_blocks;
    const karg_chosen chosen = {.list = records + i * sizeof(karg_list),
                                .blocks = rp__pipe(p, p->at.blocks),
                                .count = rp__pipe_report(p, RP_REPORT_CHOSEN),
                                .tiles = rp__pipe(p, l->tiles),
                                .max = l->n_tiles};
    const karg_decode args = {.lists = chosen.list,
                              .tiles = chosen.tiles,
                              .docids = rp__pipe(p, l->chosen),
                              .n_tiles = chosen.max};
    rp_status status = rp__device_launch(p->device, RP_KERNEL_intersect_chosen_kernel,
                                         (rp__launch){1, THREADS, SCAN_SHARED}, &chosen);
    if (status == RP_OK && p->first == 0) /* step by step, others may have been chosen before */
        status = rp__device_fill(p->device, args.docids, UINT32_MAX, l->stored.n);
    return status == RP_OK
               ? rp__transcode_decode(p->device, p->device->stream,
                                      rp__transcode_find(rp__transcode_docid_code(&l->stored)),
                                      &args)
               : status;
}

/* ---- One list ---------------------------------------------------------------------------------- */

/* Candidates that are bits stay so until the last list. */
static rp_status meet_bits(rp__pipeline *p, uint32_t i, karg_intersect *args)
{
    const bool is_last = i + 1 == p->n && p->lists[i].method == RP_INTERSECT_BITS_AND;
    const rp__intersect_id method = is_last ? RP_INTERSECT_BITS_AND : RP_INTERSECT_BITS_MARKS;
    rp__launch how;
    cut(p, method, p->n_docs, args, &how);
    args->a_bits = p->marks;
    args->b_bits = p->lists[i].bits;
    point_at_output(p, method, args);
    if (is_last)
        return run(p, method, how, args);
    rp_status status = mark(p, method, how, args);
    return status == RP_OK && i + 1 == p->n ? rp__intersect_ops_list(p) : status;
}

static rp_status meet_docids(rp__pipeline *p, uint32_t i)
{
    const rp__pipe_list *l = &p->lists[i];
    karg_intersect args;
    rp__launch how;
    cut(p, l->method, l->term->list.n, &args, &how);
    args.a = p->candidates;
    point_at_list(p, l, &args);
    point_at_output(p, l->method, &args);
    if (l->is_ding)
        args.b = rp__pipe(p, l->chosen);
    if (l->method == RP_INTERSECT_TILE_RANKS) {
        args.a_ranks = rp__pipe(p, p->at.ranks);
        args.b_ranks = args.a_ranks + p->capacity * sizeof(uint32_t);
    }
    if (l->method != RP_INTERSECT_TILE_MARKS)
        return run(p, l->method, how, &args);
    rp_status status = mark(p, l->method, how, &args);
    return status == RP_OK ? rp__intersect_ops_list(p) : status;
}

rp_status rp__intersect_ops_meet(rp__pipeline *p, uint32_t i)
{
    rp__pipe_list *l = &p->lists[i];
    karg_intersect args;
    rp_status status = RP_OK;
    if (rp__intersect_table[l->method].needs & RP_INTERSECT_A_BITS)
        return meet_bits(p, i, &args);
    if (l->is_ding)
        status = choose_blocks(p, l);
    if (status == RP_OK && l->is_ding)
        status = decode_blocks(p, l, i);
    if (status == RP_OK)
        status = make_skips(p, l);
    return status == RP_OK ? meet_docids(p, i) : status;
}
