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
    rp__gpu_steps *s;
    const rp__query *query;
    rp__arena *arena;
    rp_error *err;
    uint32_t n;             /* leaves, by rank: */
    const rp__term **terms; /* the shortest list first */
    karg_term *words;       /* their lists, while there is a lease; weights, always */
    const rp__term **known; /* those that the index has: n_known */
    size_t n_known;
    uint32_t end;          /* of the documents asked about that there are */
    bool has_candidates;   /* otherwise start or put is next */
    uint32_t capacity;     /* of them that the lease has memory for; 0: there is no lease */
    uint64_t postings;     /* decoded for the query so far */
    rp_gpu_counters spent; /* and what devices did */
} step_run;

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

static rp_status refuse(step_run *r, rp_fallback why)
{
    return rp__error_set(r->err, RP_UNAVAILABLE, "the gpu does not take steps of this query: %s",
                         rp_fallback_text(why));
}

static rp_status list_leaves(step_run *r)
{
    const rp__query *query = r->query;
    const float scale = rp__rank_scale(query->fraction_bits);
    size_t n = query->n_ops - 2;
    r->terms = rp__arena_array(r->arena, n, sizeof *r->terms);
    r->words = rp__arena_zero(r->arena, n, sizeof *r->words);
    r->known = rp__arena_array(r->arena, n, sizeof *r->known);
    if (!r->terms || !r->words || !r->known)
        return rp__error_no_memory(r->err);
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

rp_status rp__gpu_steps_begin(rp__gpu_steps *s, const rp__query *query, rp__arena *arena,
                              void **out, rp_error *err)
{
    step_run *r = rp__arena_zero(arena, 1, sizeof *r);
    *out = NULL;
    if (!r)
        return rp__error_no_memory(err);
    rp__lease_end(&s->lease);
    *r = (step_run){.s = s, .query = query, .arena = arena, .err = err};
    rp_fallback why =
        rp__gpu_form_is_and(query) ? rp__gpu_form_check(s->index, query) : RP_FALLBACK_FORM;
    if (why)
        return refuse(r, why);
    r->end = query->end < query->lengths.n_docs ? query->end : query->lengths.n_docs;
    rp_status status = list_leaves(r);
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
    r->has_candidates = false;
}

void rp__gpu_steps_end(void *run)
{
    step_run *r = run;
    if (rp__device_enter(r->s->device) == RP_OK)
        rp__device_settle(r->s->device, r->s->device->stream);
    end_lease(r);
}

/* Norms, and memory for candidates; RP_NOT_FOUND: something is not there. */
static rp_status hold(step_run *r, uint32_t capacity, karg_norms *norms)
{
    rp__gpu_steps *s = r->s;
    uint32_t serial, n_docs = r->query->lengths.n_docs;
    if (!rp__device_norms_find(&s->norms, &s->lease, s->index, r->query, norms, &serial))
        return RP_NOT_FOUND;
    return rp__scratch_hold(&s->scratch, &s->lease, s->device,
                            rp__gpu_candidates_bytes(capacity, r->query->k, n_docs));
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
    rp_status status = RP_OK;
    rp__lease_begin(lease);
    if (!rp__device_norms_find(&s->norms, lease, s->index, r->query, norms, &serial))
        status = rp__device_norms_bring(&s->norms, lease, r->query);
    rp__lookup_lists_begin(&lists, lease, s->index, r->arena);
    if (status == RP_OK) {
        rp__lease_begin(lease);
        status = rp__lookup_lists_open(&lists, r->known, r->n_known);
    }
    if (status != RP_OK)
        return status;
    rp__lease_acquire(lease);
    status = hold(r, capacity, norms);
    if (status == RP_OK)
        status = rp__lookup_lists_take(&lists);
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
    r->has_candidates = true;
    if (capacity <= r->capacity)
        return RP_OK;
    rp__lookup_lists_begin(&lists, &s->lease, s->index, r->arena);
    rp_status status = rp__lease_enter(&s->lease) ? hold(r, capacity, &norms) : RP_NOT_FOUND;
    if (status == RP_OK)
        status = find_lists(r, &lists);
    for (int i = 0; i < TRIES && status == RP_NOT_FOUND; i++)
        status = bring(r, capacity, &norms);
    if (status == RP_OK)
        status = rp__gpu_candidates_begin(&s->candidates, s->scratch.at, capacity,
                                          r->query->lengths.n_docs, &norms);
    if (status == RP_OK)
        r->capacity = capacity;
    return status == RP_NOT_FOUND ? RP_NO_MEMORY : status;
}

/* ---- Around a step ------------------------------------------------------------------------------- */

static rp_status fail(step_run *r, rp_status status)
{
    rp__device *d = r->s->device;
    if (status == RP_DAMAGED)
        return refuse(r, RP_FALLBACK_DAMAGED);
    if (status == RP_NO_MEMORY)
        return rp__error_set(r->err, status, "the gpu has no memory left for a step of this query");
    return status == RP_UNAVAILABLE ? rp__error_set(r->err, status, "%s", d->fault.text) : status;
}

typedef rp_status step_fn(step_run *r, uint32_t first, uint32_t last, void *what);

/* Runs one step, counts what it did, and adds it to the trace. */
static rp_status take_step(step_run *r, const char *stage, step_fn *step, uint32_t first,
                           uint32_t last, void *what)
{
    rp__gpu_steps *s = r->s;
    const rp_gpu_counters before = s->device->counters;
    const uint64_t begin = rp__trace_begin(r->query->trace), decoded = r->postings;
    rp_status status = last < r->n ? rp__stop_check(r->query, r->err) : RP_USAGE;
    if (status == RP_OK)
        status = fail(r, rp__device_enter(s->device));
    if (status == RP_OK) {
        rp__persistent_kernel_dismiss(s->persistent);
        status = fail(r, step(r, first, last, what));
    }
    const rp_gpu_counters spent = rp__device_count_since(s->device, &before);
    rp__answer_count(&r->spent, &spent);
    rp__trace_end(r->query->trace, &(rp__trace_event){.stage = stage,
                                                      .processor = "gpu",
                                                      .begin = begin,
                                                      .elements = r->postings - decoded,
                                                      .bytes = spent.uploaded_bytes});
    return status;
}

/* Postings that a list's look-ups may decode: where it is there as it is stored, a block a candidate. */
static void count(step_run *r, const karg_term *word)
{
    const karg_list *list = &word->list;
    bool is_coded = list->codec != KARG_CODEC_RAW && list->codec != KARG_CODEC_BITMAP;
    uint64_t max = (uint64_t)r->s->candidates.n * (is_coded ? RP_BLOCK : 1);
    r->postings += max < list->n ? max : list->n;
}

/* ---- Steps --------------------------------------------------------------------------------------- */

static rp_status start_list(step_run *r, uint32_t leaf, uint32_t last, void *what)
{
    (void)last, (void)what;
    const uint32_t n = r->terms[leaf]->df;
    rp_status status = lease(r, n);
    if (status != RP_OK || n == 0)
        return status;
    r->postings += n;
    return rp__gpu_candidates_start(&r->s->candidates, &r->words[leaf], r->query->begin, r->end);
}

static rp_status meet_list(step_run *r, uint32_t leaf, uint32_t last, void *what)
{
    (void)last, (void)what;
    count(r, &r->words[leaf]);
    return rp__gpu_candidates_meet(&r->s->candidates, &r->words[leaf]);
}

static rp_status score_list(step_run *r, uint32_t leaf, uint32_t last, void *what)
{
    (void)last, (void)what;
    count(r, &r->words[leaf]);
    return rp__gpu_candidates_score(&r->s->candidates, &r->words[leaf]);
}

/* The query may stop between two launches. */
static rp_status narrow_lists(step_run *r, uint32_t first, uint32_t last, void *what)
{
    rp_status status = RP_OK;
    (void)what;
    for (uint32_t i = first; i <= last && status == RP_OK; i += KARG_INLINE_TERMS) {
        uint32_t n = last - i + 1 < KARG_INLINE_TERMS ? last - i + 1 : KARG_INLINE_TERMS;
        for (uint32_t j = i; j < i + n; j++)
            count(r, &r->words[j]);
        status = rp__gpu_candidates_narrow(&r->s->candidates, &r->words[i], n, r->query->k > 0);
        if (status == RP_OK)
            status = rp__stop_check(r->query, r->err);
    }
    return status;
}

static rp_status select_best(step_run *r, uint32_t first, uint32_t last, void *what)
{
    rp__answer *answer = what;
    const uint32_t n = r->s->candidates.n;
    const size_t k = r->query->k < n ? r->query->k : n;
    (void)first, (void)last;
    *answer = (rp__answer){.n = k, .total = n, .total_is_exact = true};
    rp_status status =
        k > 0 ? rp__gpu_candidates_select(&r->s->candidates, (uint32_t)k, r->arena, &answer->at)
              : RP_OK;
    if (status == RP_OK)
        end_lease(r);
    return status;
}

static rp_status put_partial(step_run *r, uint32_t first, uint32_t last, void *what)
{
    const rp__partial *partial = what;
    (void)first, (void)last;
    rp_status status = lease(r, partial->n);
    return status == RP_OK && partial->n > 0 ? rp__gpu_candidates_put(&r->s->candidates, partial)
                                             : status;
}

static rp_status take_partial(step_run *r, uint32_t first, uint32_t last, void *what)
{
    rp__partial *partial = what;
    const uint32_t n = r->s->candidates.n;
    (void)first, (void)last;
    partial->docids = rp__arena_array(r->arena, n + (size_t)1, sizeof *partial->docids);
    partial->scores = rp__arena_array(r->arena, n + (size_t)1, sizeof *partial->scores);
    partial->n = n;
    rp_status status =
        partial->docids && partial->scores
            ? rp__gpu_candidates_take(&r->s->candidates, partial->docids, partial->scores)
            : RP_NO_MEMORY;
    if (status == RP_OK)
        end_lease(r);
    return status;
}

/* Of the candidates that there are. */
static rp_status go_on(step_run *r, const char *stage, step_fn *step, uint32_t first, uint32_t last,
                       void *what)
{
    return r->has_candidates ? take_step(r, stage, step, first, last, what) : RP_USAGE;
}

rp_status rp__gpu_steps_start(void *run, uint32_t leaf)
{
    return take_step(run, "start", start_list, leaf, leaf, NULL);
}

rp_status rp__gpu_steps_meet(void *run, uint32_t leaf)
{
    return go_on(run, "meet", meet_list, leaf, leaf, NULL);
}

rp_status rp__gpu_steps_score(void *run, uint32_t leaf)
{
    return go_on(run, "score", score_list, leaf, leaf, NULL);
}

rp_status rp__gpu_steps_narrow(void *run, uint32_t first, uint32_t last)
{
    return go_on(run, "narrow", narrow_lists, first, last, NULL);
}

rp_status rp__gpu_steps_select(void *run, rp__answer *answer)
{
    step_run *r = run;
    rp_status status = go_on(r, "select", select_best, 0, 0, answer);
    answer->postings = r->postings;
    answer->gpu = r->spent;
    return status;
}

rp_status rp__gpu_steps_put(void *run, const rp__partial *partial)
{
    step_run *r = run;
    rp__partial copy = *partial;
    r->postings = partial->postings;
    r->spent = partial->gpu;
    return take_step(r, "put", put_partial, 0, 0, &copy);
}

rp_status rp__gpu_steps_take(void *run, rp__partial *partial)
{
    step_run *r = run;
    rp_status status = go_on(r, "take", take_partial, 0, 0, partial);
    partial->postings = r->postings;
    partial->gpu = r->spent;
    return status;
}
