/* gpu_steps.c: a flat AND step by step on a device.
 *
 * A run has a lease while the device has its candidates: from start or put on, until they are taken or selected, or the
 * run is closed. The lease has all lists of the query, as lookup_lists.h brings them, norms, and the candidates' memory.
 * So a run that is open and has no candidates costs the device nothing, and other queries wait for none.
 * The guard of mapped memory may leave this file where it opens lists: then the lease is ended by close. */
#include "backend/gpu/gpu_steps.h"

#include "backend/gpu/gpu_form.h"
#include "backend/gpu/residency/lookup_lists.h"
#include "base/error.h"

enum { TRIES = 8 }; /* to bring lists, where others evict them meanwhile */

typedef struct step_run {
    rp__step_run base;
    rp__gpu_steps *s;
    uint32_t n;             /* leaves, by rank: */
    const rp__term **terms; /* the shortest list first */
    karg_term *words;       /* their lists, while there is a lease; weights, always */
    const rp__term **known; /* those that the index has: n_known */
    size_t n_known;
    uint32_t end;      /* of the documents asked about that there are */
    uint32_t capacity; /* of them that the lease has memory for; 0: there is no lease */
} step_run;

static step_run *of(rp__step_run *run)
{
    return (step_run *)(void *)run;
}

/* ---- Opening ------------------------------------------------------------------------------------- */

void rp__gpu_steps_open(rp__gpu_steps *s, rp__device *device, const rp__gpu_index *index,
                        rp__persistent_kernel *persistent)
{
    *s = (rp__gpu_steps){.device = device, .index = index, .persistent = persistent};
    rp__lease_open(&s->lease, index->residency, device, device->stream, false);
    rp__gpu_candidates_open(&s->candidates, device);
}

void rp__gpu_steps_close(rp__gpu_steps *s)
{
    if (!s->device)
        return;
    rp__device_settle(s->device, s->device->stream);
    rp__lease_close(&s->lease);
    rp__scratch_free(&s->scratch, s->index->residency, s->device);
    rp__gpu_candidates_close(&s->candidates);
    *s = (rp__gpu_steps){0};
}

static rp_status list_leaves(step_run *r)
{
    const rp__query *query = r->base.query;
    const float scale = rp__rank_scale(query->fraction_bits);
    size_t n = query->n_ops - 2;
    r->terms = rp__arena_array(r->base.arena, n, sizeof *r->terms);
    r->words = rp__arena_zero(r->base.arena, n, sizeof *r->words);
    r->known = rp__arena_array(r->base.arena, n, sizeof *r->known);
    if (!r->terms || !r->words || !r->known)
        return rp__error_no_memory(r->base.err);
    for (size_t i = 0; i < n; i++) {
        const rp__leaf *leaf = &query->leaves[query->ops[i + 1].leaf];
        const rp__term *term = &query->words[leaf->word].term;
        uint32_t j = r->n++;
        for (; j > 0 && r->terms[j - 1]->df > term->df; j--) {
            r->terms[j] = r->terms[j - 1];
            r->words[j].weight = r->words[j - 1].weight;
        }
        r->terms[j] = term;
        r->words[j].weight = leaf->weight.weight * scale;
        if (term->df > 0)
            r->known[r->n_known++] = term;
    }
    return RP_OK;
}

static rp__step start_list, meet_list, score_list, narrow_lists, select_best, put_partial,
    take_partial;
static uint32_t count_candidates(const rp__step_run *run);
static void close_run(rp__step_run *run);

static const rp__step_row row = {.start = start_list,
                                 .meet = meet_list,
                                 .score = score_list,
                                 .narrow = narrow_lists,
                                 .select = select_best,
                                 .put = put_partial,
                                 .take = take_partial,
                                 .count = count_candidates,
                                 .close = close_run};

rp_status rp__gpu_steps_begin(rp__gpu_steps *s, const rp__query *query, rp__arena *arena,
                              void **out, rp_error *err)
{
    step_run *r = rp__arena_zero(arena, 1, sizeof *r);
    *out = NULL;
    if (!r)
        return rp__error_no_memory(err);
    rp__lease_end(&s->lease);
    *r = (step_run){.base = {.row = &row,
                             .device = s->device,
                             .persistent = s->persistent,
                             .query = query,
                             .arena = arena,
                             .err = err},
                    .s = s};
    rp_fallback why =
        rp__gpu_form_is_and(query) ? rp__gpu_form_check(s->index, query) : RP_FALLBACK_FORM;
    if (why)
        return rp__step_run_refuse(&r->base, why);
    r->end = query->end < query->lengths.n_docs ? query->end : query->lengths.n_docs;
    rp_status status = list_leaves(r);
    r->base.n_leaves = r->n;
    if (status == RP_OK)
        *out = r;
    return status;
}

/* ---- The lease ----------------------------------------------------------------------------------- */

/* The device has no candidates any more. */
static void end_lease(step_run *r)
{
    rp__lease_end(&r->s->lease);
    r->capacity = 0;
    r->base.has_candidates = false;
}

static void close_run(rp__step_run *run)
{
    step_run *r = of(run);
    if (rp__device_enter(r->s->device) == RP_OK)
        rp__device_settle(r->s->device, r->s->device->stream);
    end_lease(r);
}

/* Norms, and memory for candidates; RP_NOT_FOUND: something is not there. */
static rp_status hold(step_run *r, uint32_t capacity, karg_norms *norms)
{
    rp__gpu_steps *s = r->s;
    uint32_t serial, n_docs = r->base.query->lengths.n_docs;
    if (!rp__device_norms_find(&s->norms, &s->lease, s->index, r->base.query, norms, &serial))
        return RP_NOT_FOUND;
    return rp__scratch_hold(&s->scratch, &s->lease, s->device,
                            rp__gpu_candidates_bytes(capacity, r->base.query->k, n_docs));
}

/* Lists, for the lease; those of terms that the index does not have are empty. */
static rp_status find_lists(step_run *r, const rp__lookup_lists *lists)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const float weight = r->words[i].weight;
        if (r->terms[i]->df == 0)
            continue;
        const rp__resident *list = rp__lookup_lists_find(lists, r->terms[i]);
        if (!list || !list->at)
            return list ? RP_DAMAGED : RP_NOT_FOUND;
        r->words[i] = list->list.word;
        r->words[i].weight = weight;
    }
    return RP_OK;
}

/* RP_NOT_FOUND: something was evicted meanwhile. */
static rp_status bring(step_run *r, uint32_t capacity, karg_norms *norms)
{
    rp__gpu_steps *s = r->s;
    rp__lease *lease = &s->lease;
    rp__lookup_lists lists;
    uint32_t serial;
    uint64_t transient = 0;
    rp__cu_ptr at;
    rp_status status = RP_OK;
    rp__lease_begin(lease);
    if (!rp__device_norms_find(&s->norms, lease, s->index, r->base.query, norms, &serial))
        status = rp__device_norms_bring(&s->norms, lease, r->base.query);
    rp__lookup_lists_begin(&lists, lease, s->index, r->base.arena);
    if (status == RP_OK) {
        rp__lease_begin(lease);
        status = rp__lookup_lists_open(&lists, r->known, r->n_known);
    }
    if (status != RP_OK)
        return status;
    rp__lease_acquire(lease);
    status = hold(r, capacity, norms);
    if (status == RP_OK)
        status = rp__lookup_lists_need(&lists, &transient);
    if (status == RP_OK)
        status = rp__lease_take_transient(lease, transient, &at);
    if (status == RP_OK)
        status = rp__lookup_lists_take(&lists, &at);
    rp__lease_release(lease);
    if (status == RP_OK)
        status = rp__lookup_lists_fill(&lists);
    return status == RP_OK ? find_lists(r, &lists) : status;
}

/* Memory for so many candidates, and all lists. Fast, if all is there; otherwise it is brought first. */
static rp_status lease(step_run *r, uint32_t capacity)
{
    rp__gpu_steps *s = r->s;
    karg_norms norms;
    rp__lookup_lists lists;
    s->candidates.n = 0;
    r->base.has_candidates = true;
    if (capacity <= r->capacity)
        return RP_OK;
    rp__lookup_lists_begin(&lists, &s->lease, s->index, r->base.arena);
    rp_status status = rp__lease_enter(&s->lease) ? hold(r, capacity, &norms) : RP_NOT_FOUND;
    if (status == RP_OK)
        status = find_lists(r, &lists);
    for (int i = 0; i < TRIES && status == RP_NOT_FOUND; i++)
        status = bring(r, capacity, &norms);
    if (status == RP_OK)
        status = rp__gpu_candidates_begin(&s->candidates, s->scratch.at, capacity,
                                          r->base.query->lengths.n_docs, &norms,
                                          r->base.query->rank->ranking->kind == RP_RANK_IIU);
    if (status == RP_OK)
        r->capacity = capacity;
    return status == RP_NOT_FOUND ? RP_NO_MEMORY : status;
}

/* Postings that a list's look-ups may decode: where it is there as it is stored, a block a candidate. */
static void count(step_run *r, const karg_term *word)
{
    const karg_list *list = &word->list;
    bool is_coded = list->codec != KARG_CODEC_RAW && list->codec != KARG_CODEC_BITMAP;
    uint64_t max = (uint64_t)r->s->candidates.n * (is_coded ? RP_BLOCK : 1);
    r->base.postings += max < list->n ? max : list->n;
}

/* ---- Steps --------------------------------------------------------------------------------------- */

static rp_status start_list(rp__step_run *run, uint32_t leaf, uint32_t last, void *what)
{
    step_run *r = of(run);
    (void)last, (void)what;
    const uint32_t n = r->terms[leaf]->df;
    rp_status status = lease(r, n);
    if (status != RP_OK || n == 0)
        return status;
    r->base.postings += n;
    return rp__gpu_candidates_start(&r->s->candidates, &r->words[leaf], r->base.query->begin,
                                    r->end);
}

static rp_status meet_list(rp__step_run *run, uint32_t leaf, uint32_t last, void *what)
{
    step_run *r = of(run);
    (void)last, (void)what;
    count(r, &r->words[leaf]);
    return rp__gpu_candidates_meet(&r->s->candidates, &r->words[leaf]);
}

static rp_status score_list(rp__step_run *run, uint32_t leaf, uint32_t last, void *what)
{
    step_run *r = of(run);
    (void)last, (void)what;
    count(r, &r->words[leaf]);
    return rp__gpu_candidates_score(&r->s->candidates, &r->words[leaf]);
}

/* The query may stop between two launches. */
static rp_status narrow_lists(rp__step_run *run, uint32_t first, uint32_t last, void *what)
{
    step_run *r = of(run);
    rp_status status = RP_OK;
    (void)what;
    for (uint32_t i = first; i <= last && status == RP_OK; i += KARG_INLINE_TERMS) {
        uint32_t n = last - i + 1 < KARG_INLINE_TERMS ? last - i + 1 : KARG_INLINE_TERMS;
        for (uint32_t j = i; j < i + n; j++)
            count(r, &r->words[j]);
        status =
            rp__gpu_candidates_narrow(&r->s->candidates, &r->words[i], n, r->base.query->k > 0);
        if (status == RP_OK)
            status = rp__stop_check(r->base.query, r->base.err);
    }
    return status;
}

static rp_status select_best(rp__step_run *run, uint32_t first, uint32_t last, void *what)
{
    step_run *r = of(run);
    rp__answer *answer = what;
    const uint32_t n = r->s->candidates.n;
    const size_t k = r->base.query->k < n ? r->base.query->k : n;
    (void)first, (void)last;
    *answer = (rp__answer){.n = k, .total = n, .total_is_exact = true};
    rp_status status = k > 0 ? rp__gpu_candidates_select(&r->s->candidates, (uint32_t)k,
                                                         r->base.arena, &answer->at)
                             : RP_OK;
    if (status == RP_OK)
        end_lease(r);
    return status;
}

static uint32_t count_candidates(const rp__step_run *run)
{
    return ((const step_run *)(const void *)run)->s->candidates.n;
}

static rp_status put_partial(rp__step_run *run, uint32_t first, uint32_t last, void *what)
{
    step_run *r = of(run);
    const rp__partial *partial = what;
    (void)first, (void)last;
    rp_status status = lease(r, partial->n);
    return status == RP_OK && partial->n > 0 ? rp__gpu_candidates_put(&r->s->candidates, partial)
                                             : status;
}

static rp_status take_partial(rp__step_run *run, uint32_t first, uint32_t last, void *what)
{
    step_run *r = of(run);
    rp__partial *partial = what;
    (void)first, (void)last;
    rp_status status = rp__step_run_alloc(run, r->s->candidates.n, partial);
    if (status == RP_OK)
        status = rp__gpu_candidates_take(&r->s->candidates, partial->docids, partial->scores);
    if (status == RP_OK)
        end_lease(r);
    return status;
}
