/* launch_lists.c: what a launch reads: found, or brought.
 *
 * The guard of mapped memory may leave wherever a list is read. No lock is held then, and what was taken belongs to the
 * lease, which gives it back when it begins again. */
#include "backend/gpu/exec/launch_lists.h"

#include "backend/gpu/exec/exec.h"

enum { TRIES = 8 }; /* to bring lists, where others evict them meanwhile */

typedef rp__flight flight;

bool rp__launch_lists_are_iiu(const flight *f)
{
    return f->exec->prototype->rank->ranking->kind == RP_RANK_IIU;
}

rp__kernel_id rp__launch_lists_kernel(const flight *f, rp__kernel_id kernel)
{
    return rp__kernel_table_scoring(kernel, rp__launch_lists_are_iiu(f));
}

uint32_t rp__launch_lists_floor(const rp__query *query, const uint8_t *kths, float weight)
{
    const double slack = 0x1p-20; /* of float arithmetic */
    uint32_t which = query->k <= 10 ? 0 : query->k <= 100 ? 1 : 2;
    bool is_known =
        kths && query->has_bounds && query->k <= 1000 && query->rank->ranking->kind != RP_RANK_IIU;
    double fixed = is_known ? (double)weight / 255 * kths[which] * (1 - slack) - 1 : 0;
    return fixed > 0 && fixed < 0x1p32 ? (uint32_t)fixed : 0;
}

/* ---- Terms -------------------------------------------------------------------------------------- */

rp_status rp__launch_lists_open_term(flight *f, rp__launch_term *t)
{
    return rp__segment_list(f->exec->prototype->segment, t->term, f->exec->arena, &t->list);
}

/* Puts it among n, the shortest list first. */
static void put_term(rp__launch_term *terms, size_t n, const rp__launch_term *new)
{
    for (; n > 0 && terms[n - 1].list.n > new->list.n; n--)
        terms[n] = terms[n - 1];
    terms[n] = *new;
}

rp_status rp__launch_lists_open(flight *f, const rp__query *query)
{
    rp__launch_lists *l = &f->lists;
    l->terms = rp__arena_array(f->exec->arena, query->n_ops - 2, sizeof *l->terms);
    rp_status status = l->terms ? RP_OK : RP_NO_MEMORY;
    for (size_t i = 1; i + 1 < query->n_ops && status == RP_OK; i++) {
        const rp__leaf *leaf = &query->leaves[query->ops[i].leaf];
        rp__launch_term new = {.term = &query->words[leaf->word].term,
                               .weight =
                                   leaf->weight.weight * rp__rank_scale(query->fraction_bits)};
        if (new.term->df == 0)
            continue;
        status = rp__launch_lists_open_term(f, &new);
        if (status == RP_OK)
            put_term(l->terms, l->n++, &new);
    }
    return status;
}

rp_status rp__launch_lists_sort(flight *f)
{
    rp__launch_lists *l = &f->lists;
    l->stored = rp__arena_zero(f->exec->arena, l->n, sizeof *l->stored);
    l->names = rp__arena_array(f->exec->arena, l->n, sizeof *l->names);
    l->n_stored = l->n_names = 0;
    if (!l->stored || !l->names)
        return rp__exec_no_memory(f);
    for (size_t i = 0; i < l->n; i++) {
        rp__launch_term *t = &l->terms[i];
        t->stored = NULL;
        if (t->source == RP_SOURCE_LOOKUP)
            l->names[l->n_names++] = t->term;
        if (t->source != RP_SOURCE_STORED)
            continue;
        t->stored = &l->stored[l->n_stored++];
        *t->stored = (rp__stored_list){.list = &t->list, .term = t->term};
    }
    return RP_OK;
}

rp_status rp__launch_lists_find_made(flight *f)
{
    rp__launch_lists *l = &f->lists;
    for (size_t i = 0; i < l->n; i++) {
        rp__launch_term *t = &l->terms[i];
        if (t->source != RP_SOURCE_LOOKUP)
            continue;
        t->made = rp__lookup_lists_find(&l->lookup, t->term);
        if (!t->made)
            return RP_NOT_FOUND;
    }
    return RP_OK;
}

/* ---- Checks ------------------------------------------------------------------------------------- */

rp_status rp__launch_lists_check(flight *f, const rp__launch_term *t, const karg_term *word)
{
    rp__launch_lists *l = &f->lists;
    const rp__verdict verdict = rp__list_checks_find(f->lease.residency, t->term);
    if (verdict != RP_VERDICT_NONE)
        return verdict == RP_VERDICT_SOUND ? RP_OK : RP_DAMAGED;
    if (!l->checks)
        l->checks = rp__arena_array(f->exec->arena, l->n, sizeof *l->checks);
    if (!l->checks)
        return rp__exec_no_memory(f);
    l->checks[l->n_checks++] = rp__list_checks_of(&t->list, t->term, word, t->stored->is_partial);
    return RP_OK;
}

rp_status rp__launch_lists_run_checks(flight *f, rp__cu_stream stream)
{
    return rp__list_checks_run(&f->lease, stream, f->lists.checks, f->lists.n_checks);
}

/* Tiles of a damaged list are nobody's. */
static void end_checks(flight *f)
{
    rp__launch_lists *l = &f->lists;
    l->is_damaged = !rp__list_checks_end(&f->lease, l->checks, l->n_checks);
    for (size_t i = 0; l->is_damaged && l->tiles && i < l->n; i++)
        if (!l->terms[i].term->tiny &&
            rp__list_checks_find(f->lease.residency, l->terms[i].term) == RP_VERDICT_DAMAGED)
            l->tiles[i].piece = NULL;
}

/* ---- Norms -------------------------------------------------------------------------------------- */

static rp_status find_norms(flight *f)
{
    rp__exec *e = f->exec;
    rp__launch_lists *l = &f->lists;
    bool is_there =
        rp__device_norms_find(&e->norms, &f->lease, e->index, e->prototype, &l->norms, &l->serial);
    return is_there ? RP_OK : RP_NOT_FOUND;
}

/* By a lease that ends. */
static rp_status bring_norms(flight *f)
{
    rp__exec *e = f->exec;
    rp__lease_begin(&f->lease);
    rp_status status = find_norms(f);
    rp__lease_end(&f->lease);
    return status == RP_OK ? RP_OK : rp__device_norms_bring(&e->norms, &f->lease, e->prototype);
}

/* ---- Bringing ----------------------------------------------------------------------------------- */

static bool is_whole(const flight *f)
{
    return f->lease.residency->is_whole;
}

static void begin_lookup(flight *f)
{
    rp__exec *e = f->exec;
    if (f->row->reads & RP_LAUNCH_READS_PLAIN)
        rp__lookup_lists_begin_plain(&f->lists.lookup, &f->lease, e->index, e->arena);
    else
        rp__lookup_lists_begin(&f->lists.lookup, &f->lease, e->index, e->arena);
}

/* What of the lists is to be uploaded, and what of them is to be made. */
static rp_status plan(flight *f)
{
    rp__launch_lists *l = &f->lists;
    rp__exec *e = f->exec;
    rp_status status = f->row->name_lists ? f->row->name_lists(f) : RP_OK;
    if (status == RP_OK && is_whole(f))
        status = rp__stored_lists_find(e->index, &f->lease, l->stored, l->n_stored);
    else if (status == RP_OK)
        status = rp__stored_lists_plan(&f->lease, l->stored, l->n_stored, l->among, e->arena);
    begin_lookup(f);
    if (status != RP_OK || l->n_names == 0)
        return status;
    rp__lease_begin(&f->lease);
    return rp__lookup_lists_open(&l->lookup, l->names, l->n_names);
}

/* Memory for all of it. Scratch and what is there for this launch alone first, in one piece each, while there are long
 * runs. */
static rp_status take(flight *f)
{
    rp__launch_lists *l = &f->lists;
    uint64_t transient = 0;
    rp__cu_ptr at;
    rp_status status = find_norms(f);
    l->tiled.norms = l->serial;
    if (status == RP_OK)
        status = f->row->scratch(f);
    if (status == RP_OK && !is_whole(f))
        transient += rp__stored_lists_need(&f->lease, l->stored, l->n_stored);
    if (status == RP_OK && l->tiles)
        transient += rp__tiled_lists_need(&f->lease, &l->tiled, l->tiles, l->n);
    if (status == RP_OK && l->n_names > 0)
        status = rp__lookup_lists_need(&l->lookup, &transient);
    if (status == RP_OK)
        status = rp__lease_take_transient(&f->lease, transient, &at);
    if (status == RP_OK && !is_whole(f))
        status = rp__stored_lists_take(&f->lease, l->stored, l->n_stored, &at);
    if (status == RP_OK && l->n_names > 0)
        status = rp__lookup_lists_take(&l->lookup, &at);
    if (status == RP_OK && l->tiles)
        status = rp__tiled_lists_take(&f->lease, &l->tiled, l->tiles, l->n, &at);
    return status;
}

/* Where lists stay, what is free is enough, as a rule, and threads need not wait for each other.
 * RP_NOT_FOUND: it was not, or others have evicted something meanwhile. The persistent kernel leaves
 * before anything is uploaded, which would wait for it. */
static rp_status bring(flight *f, bool is_again)
{
    rp__launch_lists *l = &f->lists;
    rp__persistent_kernel_dismiss(&f->exec->single.stage.kernel);
    rp_status status = bring_norms(f);
    if (status == RP_OK)
        status = plan(f);
    if (status != RP_OK)
        return status;
    if (is_again || !is_whole(f))
        rp__lease_acquire(&f->lease);
    else if (!f->lease.is_begun)
        rp__lease_begin(&f->lease);
    status = take(f);
    rp__lease_release(&f->lease);
    if (status == RP_OK && !is_whole(f))
        status = rp__stored_lists_fill(&f->lease, l->stored, l->n_stored, f->exec->arena);
    if (status == RP_OK && l->n_names > 0)
        status = rp__lookup_lists_fill(&l->lookup);
    return status == RP_OK ? f->row->find(f) : status;
}

rp_status rp__launch_lists_lease(flight *f)
{
    rp__launch_lists *l = &f->lists;
    begin_lookup(f);
    l->is_brought = false;
    rp_status status = rp__lease_enter(&f->lease) ? find_norms(f) : RP_NOT_FOUND;
    if (status == RP_OK)
        status = f->row->scratch(f);
    if (status == RP_OK)
        status = f->row->find(f);
    l->is_brought = status == RP_NOT_FOUND;
    for (int i = 0; i < TRIES && status == RP_NOT_FOUND; i++) {
        rp__lease_end(&f->lease);
        status = bring(f, i > 0);
    }
    return status == RP_NOT_FOUND ? RP_NO_MEMORY : status;
}

void rp__launch_lists_publish(flight *f)
{
    const rp__launch_lists *l = &f->lists;
    end_checks(f);
    if (!l->is_brought)
        return;
    if (!is_whole(f))
        rp__stored_lists_publish(&f->lease, l->stored, l->n_stored);
    if (l->tiles)
        rp__tiled_lists_publish(&f->lease, &l->tiled, l->tiles, l->n);
}
