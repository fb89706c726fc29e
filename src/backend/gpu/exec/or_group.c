/* or_group.c: ORs, of many terms or few, and long single terms, by tiles of docids: their lists, the launch, and answers. */
#include "backend/gpu/exec/or_group.h"

#include <string.h>

#include "backend/gpu/gpu_list.h"
#include "codec/codec.h"

enum {
    /* documents to a posting up to which a list is read as it is stored, where memory is scarce: a
     * block of it meets four tiles at most, on average; and postings of such a list */
    STORED_GAP = 64,
    STORED_MIN = 1 << 9,
    LIKELY = 4,          /* one of so many lists is not there */
    PAIRS_MAX = 1 << 16, /* of all queries of a launch */
};

typedef rp__flight flight;
typedef rp__launch_term term;

/* A launch on its way, in the arena. */
typedef struct run {
    rp__fused_or_term *terms;    /* one a term of the launch */
    rp__fused_or_query *queries; /* one an item that is launched */
    rp__batch_item **items;      /* these */
    uint32_t n;
    bool has_stored; /* some lists are read as they are stored */
    bool counts_all; /* exact totals are wanted */
    const karg_pair *pairs;
    const uint32_t *counts;
} run;

static run *run_of(const flight *f)
{
    return f->own;
}

/* ---- Terms -------------------------------------------------------------------------------------- */

/* Terms of an item that the index knows. */
static void put_terms(flight *f, size_t i)
{
    rp__launch_lists *l = &f->lists;
    const rp__query *query = &f->items[i]->query;
    run *r = run_of(f);
    rp__fused_or_query *to = &r->queries[i];
    *to = (rp__fused_or_query){.terms = &r->terms[l->n]};
    for (size_t o = 1; o + 1 < query->n_ops; o++) {
        const rp__leaf *leaf = &query->leaves[query->ops[o].leaf];
        const rp__term *known = &query->words[leaf->word].term;
        float weight = leaf->weight.weight * rp__rank_scale(query->fraction_bits);
        if (known->df == 0)
            continue;
        l->terms[l->n] = (term){.term = known, .weight = weight, .item = i};
        l->tiles[l->n].term = known;
        r->terms[l->n++].weight = weight;
        to->n_terms++;
        f->items[i]->answer.postings += known->df;
    }
}

/* Of one term all postings match. */
static bool is_one_term(const rp__query *query)
{
    return query->n_ops == 3;
}

static bool is_counted(const rp__query *query)
{
    return (query->exact_total || query->k == 0) && !is_one_term(query);
}

rp_status rp__or_group_begin(flight *f)
{
    rp__launch_lists *l = &f->lists;
    rp__arena *arena = f->exec->arena;
    run *r = rp__arena_zero(arena, 1, sizeof *r);
    size_t max = 0;
    for (size_t i = 0; i < f->n; i++)
        max += f->items[i]->query.n_ops - 2;
    f->own = r;
    l->terms = rp__arena_array(arena, max, sizeof *l->terms);
    l->tiles = rp__arena_zero(arena, max, sizeof *l->tiles);
    l->tiled = (rp__tiled_use){.in_group = f->exec->in_group};
    if (r) {
        r->terms = rp__arena_zero(arena, max, sizeof *r->terms);
        r->queries = rp__arena_array(arena, f->n, sizeof *r->queries);
        r->items = rp__arena_array(arena, f->n, sizeof *r->items);
    }
    if (!r || !l->terms || !l->tiles || !r->terms || !r->queries || !r->items)
        return rp__exec_no_memory(f);
    for (size_t i = 0; i < f->n; i++) {
        f->items[i]->answer.postings = 0;
        put_terms(f, i);
        r->items[i] = f->items[i];
        r->counts_all = r->counts_all || is_counted(&f->items[i]->query);
    }
    r->n = (uint32_t)f->n;
    return RP_OK;
}

/* Whether tiles of a list are more than what reading it as it is stored costs. */
static bool is_dense(const rp__residency *r, uint32_t df)
{
    return r->is_scarce && df >= STORED_MIN && r->n_docs / df < STORED_GAP;
}

/* Whether kernels read the list as it is stored. Those that count, and that of long queries, read tiles alone. */
static bool is_read_stored(const flight *f, const term *t)
{
    const rp__query *query = f->exec->prototype;
    return is_dense(f->lease.residency, t->term->df) && !run_of(f)->counts_all &&
           f->row->id != RP_LAUNCH_OR_LONG && query->has_bounds &&
           query->rank->ranking->kind != RP_RANK_IIU && t->list.bounds && t->list.last;
}

/* As many queries as their pairs have room for, and as have tiles that are likely to fit. */
size_t rp__or_group_fit(const rp__exec *exec, rp__batch_item *const *items, size_t n)
{
    const rp__residency *r = exec->index->residency;
    const uint64_t share = rp__lease_share(r);
    const size_t k = exec->prototype->k, max = k ? PAIRS_MAX / k : n;
    uint64_t bytes = 0;
    n = n < max ? n : max;
    for (size_t i = 0; i < n && r->is_scarce; i++) {
        const rp__query *query = &items[i]->query;
        const bool has_tiles = is_counted(query) || query->n_ops - 2 > KARG_OR_TERMS;
        for (size_t w = 0; w < query->n_words; w++) {
            const rp__term *t = &query->words[w].term;
            bytes += is_dense(r, t->df) && !has_tiles ? rp__tiled_lists_cell_bytes(r)
                                                      : rp__tiled_lists_bytes(r, t);
            bytes += r->is_whole ? 0 : t->list_bytes / LIKELY;
        }
        if (i > 0 && bytes > share)
            return i;
    }
    return n;
}

static rp__fused_or_batch batch_of(const flight *f)
{
    const rp__query *query = f->exec->prototype;
    return (rp__fused_or_batch){.queries = run_of(f)->queries,
                                .n_queries = run_of(f)->n,
                                .k = (uint32_t)query->k,
                                .n_docs = query->lengths.n_docs,
                                .is_iiu = rp__launch_lists_are_iiu(f),
                                .has_stored = run_of(f)->has_stored,
                                .counts_all = run_of(f)->counts_all};
}

rp_status rp__or_group_scratch(flight *f)
{
    const rp__fused_or_batch batch = batch_of(f);
    return rp__fused_or_hold(&f->exec->ors, &batch);
}

/* A list that cannot be opened, or was found to be damaged, is looked up: as one that is damaged, which is remembered. */
rp_status rp__or_group_name_lists(flight *f)
{
    rp__launch_lists *l = &f->lists;
    for (size_t i = 0; i < l->n; i++) {
        term *t = &l->terms[i];
        rp_status status = rp__launch_lists_open_term(f, t);
        if (status != RP_OK && status != RP_DAMAGED)
            return rp__exec_no_memory(f);
        bool is_read = status == RP_OK && rp__gpu_list_readers(&t->list) & RP_READS_TILES &&
                       rp__list_checks_find(f->lease.residency, t->term) != RP_VERDICT_DAMAGED;
        t->source = is_read ? RP_SOURCE_STORED : RP_SOURCE_LOOKUP;
        l->tiles[i].is_stored = is_read && is_read_stored(f, t);
    }
    return rp__launch_lists_sort(f);
}

/* ---- Lists -------------------------------------------------------------------------------------- */

/* What a tile is made of. RP_DAMAGED: kernels cannot have it. */
static rp_status point_tile(const term *t, rp__tiled_list *tile)
{
    const rp__resident *made = t->stored ? NULL : t->made;
    const uint8_t *kths = made ? made->kths : t->list.kths;
    if (kths)
        memcpy(tile->kths, kths, sizeof tile->kths);
    if (t->stored)
        return rp__gpu_list_point(&t->list, &t->stored->at, &tile->word);
    if (!made || !made->at)
        return RP_DAMAGED;
    tile->word = made->list.word;
    return RP_OK;
}

/* One that is to be made is made of what was checked, or will be. */
static rp_status open_tile(flight *f, const term *t, rp__tiled_list *tile)
{
    rp_status status = point_tile(t, tile);
    if (status == RP_OK && t->stored && tile->is_fresh)
        status = rp__launch_lists_check(f, t, &tile->word);
    return status;
}

/* Items with a damaged list are refused; the others go on. */
static rp_status point_tiles(flight *f)
{
    rp__launch_lists *l = &f->lists;
    l->n_checks = 0;
    for (size_t i = 0; i < l->n; i++) {
        const term *t = &l->terms[i];
        rp_status status = open_tile(f, t, &l->tiles[i]);
        if (status == RP_OK)
            continue;
        if (status != RP_DAMAGED)
            return status;
        l->tiles[i].piece = NULL;
        /* without postings: where there is a place for its cells, they are made of nothing */
        l->tiles[i].word = (karg_term){0};
        l->tiles[i].is_fresh = l->tiles[i].is_fresh && l->tiles[i].is_stored;
        rp__exec_refuse(f->items[t->item], RP_FALLBACK_DAMAGED);
    }
    return RP_OK;
}

static bool is_all_refused(const flight *f)
{
    bool is_any = false;
    for (size_t i = 0; i < f->n; i++)
        is_any = is_any || f->items[i]->status == RP_OK;
    return !is_any;
}

rp_status rp__or_group_find(flight *f)
{
    rp__launch_lists *l = &f->lists;
    if (!l->is_brought)
        return rp__tiled_lists_find(&f->lease, l->serial, l->tiles, l->n) ? RP_OK : RP_NOT_FOUND;
    rp_status status = rp__launch_lists_find_made(f);
    if (status == RP_OK)
        status = point_tiles(f);
    if (status == RP_OK && is_all_refused(f)) {
        f->why = RP_FALLBACK_DAMAGED;
        return RP_UNAVAILABLE;
    }
    return status;
}

/* ---- The launch --------------------------------------------------------------------------------- */

/* Queries of items that are not refused, with the best floor that a list of theirs knows. */
static void fill_queries(flight *f)
{
    const rp__launch_lists *l = &f->lists;
    run *r = run_of(f);
    for (size_t i = 0; i < l->n; i++) {
        rp__fused_or_query *query = &r->queries[l->terms[i].item];
        uint32_t floor =
            rp__launch_lists_floor(f->exec->prototype, l->tiles[i].kths, r->terms[i].weight);
        r->terms[i].list = l->tiles[i].list;
        r->has_stored = r->has_stored || !l->tiles[i].list.ratios;
        query->min_score = floor > query->min_score ? floor : query->min_score;
    }
    r->n = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->items[i]->status != RP_OK)
            continue;
        r->queries[r->n] = r->queries[i];
        r->items[r->n++] = f->items[i];
    }
}

rp_status rp__or_group_launch(flight *f)
{
    rp__launch_lists *l = &f->lists;
    rp_status status = RP_OK;
    rp__persistent_kernel_dismiss(&f->exec->single.stage.kernel);
    if (l->is_brought)
        status = rp__launch_lists_run_checks(f, f->lease.stream);
    if (l->is_brought && status == RP_OK)
        status = rp__tiled_lists_make(&f->lease, &l->tiled, &l->norms, rp__launch_lists_are_iiu(f),
                                      l->tiles, l->n);
    fill_queries(f);
    const rp__fused_or_batch batch = batch_of(f);
    return status == RP_OK ? rp__fused_or_run(&f->exec->ors, &batch) : status;
}

/* ---- Answers ------------------------------------------------------------------------------------ */

bool rp__or_group_is_done(const flight *f)
{
    return rp__fused_or_is_done(&f->exec->ors);
}

rp_status rp__or_group_wait(flight *f)
{
    run *r = run_of(f);
    rp_status status = rp__fused_or_fetch(&f->exec->ors, &r->pairs, &r->counts);
    const bool has_other = !f->exec->in_group && f->items[0]->query.n_ops - 2 <= KARG_MAX_TERMS;
    if (status == RP_OK && has_other && r->counts[0] == UINT32_MAX)
        return RP_UNAVAILABLE; /* another row answers it */
    return status;
}

/* Where fewer match than are wanted, all have been found. */
static void answer(const run *r, uint32_t i)
{
    rp__batch_item *item = r->items[i];
    const uint32_t n = r->counts[i];
    const bool is_one = is_one_term(&item->query);
    rp__exec_refuse(item, n == UINT32_MAX ? RP_FALLBACK_CROWDED : RP_FALLBACK_NONE);
    item->answer.n = item->status == RP_OK ? n : 0;
    item->answer.total = is_one          ? r->queries[i].terms[0].list.n
                         : r->counts_all ? r->counts[r->n + i]
                                         : item->answer.n;
    item->answer.total_is_exact = is_one || r->counts_all || item->answer.n < item->query.k;
}

/* Items of lists that this launch found to be damaged. */
static void refuse_damaged(const flight *f)
{
    for (size_t i = 0; i < f->lists.n; i++) {
        const term *t = &f->lists.terms[i];
        if (!t->term->tiny &&
            rp__list_checks_find(f->exec->index->residency, t->term) == RP_VERDICT_DAMAGED)
            rp__exec_refuse(f->items[t->item], RP_FALLBACK_DAMAGED);
    }
}

rp_status rp__or_group_take(flight *f)
{
    const run *r = run_of(f);
    const size_t k = f->exec->prototype->k;
    rp__scored *out = rp__arena_array(f->exec->arena, r->n * k + 1, sizeof *out);
    if (!out)
        return rp__exec_no_memory(f);
    memcpy(out, r->pairs, r->n * k * sizeof *out);
    for (uint32_t i = 0; i < r->n; i++) {
        r->items[i]->answer.at = out + i * k;
        answer(r, i);
    }
    if (f->lists.is_damaged)
        refuse_damaged(f);
    return RP_OK;
}

rp_status rp__or_group_settle(flight *f)
{
    rp__device_settle(f->exec->device, f->exec->device->stream);
    return RP_OK;
}
