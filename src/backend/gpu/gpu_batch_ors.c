/* gpu_batch_ors.c: ORs of a batch, a launch of some of them at a time, over lists by tiles (tiled_lists.h).
 *
 * A launch for which there is no memory is halved; a query for which there is none alone goes by gpu_query.c. */
#include "backend/gpu/gpu_batch.h"

#include <string.h>

enum {
    ORS_MAX = 64, /* of a launch */
    TRIES = 4,    /* to bring lists, where others evict them meanwhile */
};

typedef rp__gpu_group fill;

/* A score that k documents are known to reach, by what a list says of its k-th best postings; 0: none is. */
static uint32_t known_floor(const rp__query *query, const uint8_t *kths, float weight)
{
    const double slack = 0x1p-20; /* of float arithmetic */
    uint32_t which = query->k <= 10 ? 0 : query->k <= 100 ? 1 : 2;
    double fixed = (double)weight / 255 * kths[which] * (1 - slack) - 1;
    bool is_known = query->has_bounds && query->k <= 1000;
    return is_known && fixed > 0 && fixed < 0x1p32 ? (uint32_t)fixed : 0;
}

/* A launch of ORs. */
typedef struct ors {
    const fill *f;
    rp__gpu_queue *queue;
    size_t n, n_terms; /* queries; their terms */
    const rp__term **names;
    rp__tiled_list *tiles;
    rp__fused_or_term *terms;
    rp__fused_or_query *queries;
    rp__lookup_lists lists;
    karg_norms norms;
    uint32_t serial;
    bool has_tiles;
} ors;

static rp_status make_arrays(ors *o)
{
    rp__arena *arena = o->f->arena;
    rp_status status = rp__gpu_batch_terms(o->f, o->queue, o->n, &o->names, &o->n_terms);
    o->tiles = rp__arena_zero(arena, o->n_terms, sizeof *o->tiles);
    o->terms = rp__arena_zero(arena, o->n_terms, sizeof *o->terms);
    o->queries = rp__arena_zero(arena, o->n, sizeof *o->queries);
    if (status != RP_OK || !o->tiles || !o->terms || !o->queries)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < o->n_terms; i++)
        o->tiles[i].term = o->names[i];
    for (size_t q = 0, i = 0; q < o->n; q++) {
        const rp__query *query = &o->f->asked[o->queue->asked[o->queue->next + q]].query;
        o->queries[q].terms = &o->terms[i];
        for (size_t w = 1; w + 1 < query->n_ops; w++) {
            const rp__leaf *leaf = &query->leaves[query->ops[w].leaf];
            if (query->words[leaf->word].term.df == 0)
                continue;
            o->terms[i++].weight = leaf->weight.weight * rp__rank_scale(query->fraction_bits);
            o->queries[q].n_terms++;
        }
    }
    return RP_OK;
}

static rp__fused_or_batch batch_of(const ors *o)
{
    return (rp__fused_or_batch){.queries = o->queries,
                                .n_queries = (uint32_t)o->n,
                                .k = (uint32_t)o->f->b->like->k,
                                .n_docs = o->f->b->like->lengths.n_docs};
}

/* Lists by tiles, norms and scratch. RP_NOT_FOUND: something is not there. */
static rp_status hold_tiles(ors *o)
{
    rp__gpu_batch *b = o->f->b;
    const rp__fused_or_batch batch = batch_of(o);
    rp_status status = rp__gpu_batch_find_norms(b, &b->or_lease, &o->norms, &o->serial);
    if (status != RP_OK)
        return status;
    o->has_tiles = rp__tiled_lists_find(&b->or_lease, o->serial, o->tiles, o->n_terms);
    if (!o->has_tiles && !b->or_lease.is_acquiring)
        return RP_NOT_FOUND;
    return rp__fused_or_hold(&b->or, &batch);
}

/* What tiles are made of; RP_UNAVAILABLE: kernels do not read it. */
static rp_status point_at_sources(ors *o)
{
    for (size_t i = 0; i < o->n_terms; i++) {
        const rp__resident *list =
            o->tiles[i].piece ? rp__lookup_lists_find(&o->lists, o->names[i]) : NULL;
        if (!o->tiles[i].piece)
            continue;
        if (!list || !list->at || !(list->reads & RP_READS_TILES))
            return list ? RP_UNAVAILABLE : RP_NOT_FOUND;
        o->tiles[i].word = list->list.word;
        memcpy(o->tiles[i].kths, list->kths, sizeof list->kths);
    }
    return RP_OK;
}

static rp_status bring_tiles(ors *o)
{
    rp__gpu_batch *b = o->f->b;
    rp__lease *lease = &b->or_lease;
    rp_status status = rp__gpu_batch_bring_norms(b, lease);
    if (status != RP_OK)
        return status;
    rp__lease_begin(lease);
    status = rp__lookup_lists_open(&o->lists, o->names, o->n_terms);
    if (status != RP_OK)
        return status;
    rp__lease_acquire(lease);
    status = hold_tiles(o);
    if (status == RP_OK && !o->has_tiles)
        status = rp__lookup_lists_take(&o->lists);
    if (status == RP_OK && !o->has_tiles)
        status = rp__tiled_lists_take(lease, o->serial, o->tiles, o->n_terms);
    rp__lease_release(lease);
    if (status != RP_OK || o->has_tiles)
        return status;
    rp__piece *records = lease->pieces[lease->n - 1];
    status = rp__lookup_lists_fill(&o->lists);
    if (status == RP_OK)
        status = point_at_sources(o);
    return status == RP_OK
               ? rp__tiled_lists_make(lease, records->at, &o->norms, o->tiles, o->n_terms)
               : status;
}

/* Queries with a floor that their lists know of. */
static void set_floors(ors *o)
{
    for (size_t q = 0, i = 0; q < o->n; q++) {
        const rp__query *query = &o->f->asked[o->queue->asked[o->queue->next + q]].query;
        for (uint32_t t = 0; t < o->queries[q].n_terms; t++, i++) {
            uint32_t floor = known_floor(query, o->tiles[i].kths, o->terms[i].weight);
            o->terms[i].list = o->tiles[i].list;
            if (floor > o->queries[q].least)
                o->queries[q].least = floor;
        }
    }
}

static rp_status run_ors(ors *o)
{
    rp__gpu_batch *b = o->f->b;
    rp_status status = make_arrays(o);
    if (status != RP_OK)
        return status;
    rp__lookup_lists_begin(&o->lists, &b->or_lease, b->index, o->f->arena);
    status = rp__lease_enter(&b->or_lease) ? hold_tiles(o) : RP_NOT_FOUND;
    for (int i = 0; i < TRIES && status == RP_NOT_FOUND; i++) {
        rp__lookup_lists_begin(&o->lists, &b->or_lease, b->index, o->f->arena);
        status = bring_tiles(o);
    }
    if (status != RP_OK)
        return status == RP_NOT_FOUND ? RP_NO_MEMORY : status;
    set_floors(o);
    const rp__fused_or_batch batch = batch_of(o);
    return rp__fused_or_run(&b->or, &batch);
}

/* Where fewer match than are wanted, all have been found. */
static rp_status take_ors(ors *o)
{
    const karg_pair *pairs;
    const uint32_t *counts;
    const size_t k = o->f->b->like->k;
    rp__scored *out = rp__arena_array(o->f->arena, o->n * k, sizeof *out);
    rp_status status = rp__fused_or_fetch(&o->f->b->or, &pairs, &counts);
    if (status != RP_OK || !out)
        return status == RP_OK ? RP_NO_MEMORY : status;
    memcpy(out, pairs, o->n * k * sizeof *out);
    for (size_t q = 0; q < o->n; q++) {
        rp__asked *a = &o->f->asked[o->queue->asked[o->queue->next + q]];
        rp__gpu_batch_refuse(a, counts[q] == UINT32_MAX ? RP_FALLBACK_CROWDED : RP_FALLBACK_NONE);
        a->answer.at = out + q * k;
        a->answer.n = a->answer.total = a->status == RP_OK ? counts[q] : 0;
        a->answer.total_is_exact = a->answer.n < k;
    }
    if (!o->has_tiles)
        rp__tiled_lists_publish(&o->f->b->or_lease, o->serial, o->tiles, o->n_terms);
    return RP_OK;
}

/* Fewer at a time, where there is no memory for many; one for which there is none alone goes another way. */
void rp__gpu_batch_ors_run(const fill *f)
{
    rp__gpu_batch *b = f->b;
    rp__gpu_queue *queue = &b->any_queue;
    rp_status status = queue->n > 0 ? rp__device_enter(&b->device) : RP_OK;
    rp__gpu_batch_drop_stopped(f, queue);
    for (size_t many = ORS_MAX; queue->next < queue->n; rp__gpu_batch_drop_stopped(f, queue)) {
        ors o = {.f = f, .queue = queue};
        o.n = queue->n - queue->next < many ? queue->n - queue->next : many;
        if (status == RP_OK)
            status = run_ors(&o);
        if (status == RP_OK)
            status = take_ors(&o);
        if (status != RP_OK) /* what a launch that failed has left may still read the stage */
            rp__device_settle(&b->device, b->device.stream);
        rp__lease_end(&b->or_lease);
        bool is_smaller = status == RP_NO_MEMORY || status == RP_UNAVAILABLE;
        if (is_smaller && o.n > 1 && !rp__device_is_lost(&b->device)) {
            many = o.n / 2;
            status = RP_OK;
            continue;
        }
        for (size_t q = 0; q < o.n && status != RP_OK; q++) {
            uint32_t place = queue->asked[queue->next + q];
            rp__gpu_batch_refuse(&f->asked[place], rp__gpu_batch_reason(b, status));
            if (is_smaller)
                b->one_queue.asked[b->one_queue.n++] = place;
        }
        queue->next += o.n;
        status = rp__device_is_lost(&b->device) ? RP_UNAVAILABLE : RP_OK;
    }
}
