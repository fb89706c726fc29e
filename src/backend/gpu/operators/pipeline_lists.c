/* pipeline_lists.c: forms of a query's lists, and their addresses. */
#include "backend/gpu/operators/pipeline_lists.h"

#include "backend/gpu/gpu_list.h"

static rp_status refuse(rp__flight *f, rp_fallback why)
{
    f->why = why;
    return RP_UNAVAILABLE;
}

/* ---- Forms ------------------------------------------------------------------------------------- */

/* Whether its method looks at the list as it is stored. */
static bool is_read_stored(const rp__pipe_list *l)
{
    const uint32_t needs = rp__intersect_table[l->method].needs;
    return l->is_ding || (needs & RP_INTERSECT_LIST && !(needs & RP_INTERSECT_B));
}

/* Whether it is known to be sound, or will be when the answer is there (list_checks.h). */
static bool is_trusted(const rp__pipeline *p, const rp__pipe_list *l)
{
    const rp__verdict verdict =
        rp__list_checks_find(p->flight->exec->index->residency, l->term->term);
    return verdict == RP_VERDICT_SOUND ||
           (verdict == RP_VERDICT_NONE && rp__gpu_list_has_docids(&l->term->list));
}

/* Whether nothing but its stored form is needed, once it is checked. Step by step, any list may be the first. */
static bool is_stored_enough(const rp__pipeline *p, const rp__pipe_list *l)
{
    return !p->is_or && !p->accumulates && !p->has_bits && p->first == 1 && l != p->lists &&
           !l->is_tiny && is_read_stored(l) &&
           (p->query->k == 0 || rp__gpu_list_has_tfs(&l->term->list));
}

/* One that is not checked yet is decoded once, and stays so: a row of decode that is named does not do that. */
static rp__pipe_form form_of(const rp__pipeline *p, const rp__pipe_list *l)
{
    const bool is_enough = is_stored_enough(p, l);
    if (is_enough && !l->is_aux_new && is_trusted(p, l))
        return RP_PIPE_STORED;
    return p->decodes && !is_enough ? RP_PIPE_DECODED : RP_PIPE_PLAIN;
}

/* What the lease brings of it. */
static void name(rp__launch_lists *lists, const rp__pipe_list *l)
{
    rp__launch_term *t = l->term;
    const bool is_plain = l->form == RP_PIPE_PLAIN;
    t->source = is_plain ? RP_SOURCE_LOOKUP : l->is_tiny ? RP_SOURCE_STAGED : RP_SOURCE_STORED;
    t->stored = NULL;
    if (is_plain)
        lists->names[lists->n_names++] = t->term;
    if (l->is_tiny || (is_plain && !is_read_stored(l)))
        return;
    t->stored = &lists->stored[lists->n_stored++];
    *t->stored = (rp__stored_list){.list = &t->list, .term = t->term, .whole = true};
}

rp_status rp__pipeline_lists_plan(rp__pipeline *p)
{
    rp__launch_lists *lists = &p->flight->lists;
    rp__arena *arena = p->flight->exec->arena;
    lists->stored = rp__arena_zero(arena, p->n, sizeof *lists->stored);
    lists->names = rp__arena_array(arena, p->n, sizeof *lists->names);
    lists->n_stored = lists->n_names = 0;
    if (!lists->stored || !lists->names)
        return rp__exec_no_memory(p->flight);
    p->decodes = p->has_bits || p->how.rows[RP_PHASE_DECODE]->id != RP_OPERATOR_AUTO;
    for (uint32_t i = 0; i < p->n; i++) {
        p->lists[i].form = form_of(p, &p->lists[i]);
        name(lists, &p->lists[i]);
    }
    return RP_OK;
}

/* ---- Addresses --------------------------------------------------------------------------------- */

rp_status rp__pipeline_lists_find(rp__flight *f)
{
    rp__launch_lists *l = &f->lists;
    rp_status status = rp__launch_lists_find_made(f);
    if (status == RP_OK && !l->is_brought)
        status = rp__stored_lists_find(f->exec->index, &f->lease, l->stored, l->n_stored);
    for (size_t i = 0; i < l->n && status == RP_OK; i++)
        if (l->terms[i].source == RP_SOURCE_LOOKUP && !l->terms[i].made->at)
            status = RP_DAMAGED;
    return status == RP_DAMAGED ? refuse(f, RP_FALLBACK_DAMAGED) : status;
}

static void open_aux(rp__pipeline *p, rp__pipe_list *l)
{
    const rp__aux *aux = &l->aux_data;
    if (!aux->from)
        return;
    l->aux = l->has_staged_aux ? rp__pipe(p, p->at.staged + l->aux_at)
                               : rp__gpu_index_at(p->flight->exec->index, aux->from);
    if (aux->starts)
        l->aux += (uint64_t)((const uint8_t *)aux->starts - aux->from);
}

/* The term as kernels read it in place, where they do; and a check, if it is the first time. */
static rp_status open_stored(rp__pipeline *p, rp__pipe_list *l)
{
    const rp__list *list = &l->term->list;
    l->word = (karg_term){.list = l->stored};
    if (!rp__gpu_list_has_docids(list))
        return RP_OK;
    rp_status status = rp__gpu_list_point(list, &l->term->stored->at, &l->word);
    if (status == RP_OK)
        status = rp__launch_lists_check(p->flight, l->term, &l->word);
    return status == RP_DAMAGED ? refuse(p->flight, RP_FALLBACK_DAMAGED) : status;
}

static rp_status open_list(rp__pipeline *p, rp__pipe_list *l)
{
    rp_status status = RP_OK;
    open_aux(p, l);
    if (l->term->stored) {
        l->stored = l->term->stored->at;
        l->stored.freq_code = rp__transcode_freq_code(&l->term->list);
    } else if (l->form == RP_PIPE_DECODED) {
        l->stored.docs = rp__pipe(p, p->at.staged + l->raw);
    }
    if (l->form == RP_PIPE_PLAIN)
        l->word = l->term->made->list.word;
    else if (l->form == RP_PIPE_STORED)
        status = open_stored(p, l);
    l->word.weight = l->term->weight;
    return status;
}

rp_status rp__pipeline_lists_open(rp__pipeline *p)
{
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < p->n && status == RP_OK; i++)
        status = open_list(p, &p->lists[i]);
    return status == RP_OK ? rp__launch_lists_run_checks(p->flight, p->device->stream) : status;
}
