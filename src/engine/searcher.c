/* searcher.c: a query from its text to named hits, on the processor asked for.
 *
 * Checks options once, when a searcher is made; after that a query allocates nothing but its hits:
 * scratch is the searcher's arena, whose cap is the query's memory limit. Everything that touches
 * mapped files runs under the guard. Parsing and binding are plan's, the answer is backend's. */
#include "engine/searcher.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/record.h"
#include "engine/algorithm_choice.h"
#include "engine/search_batch.h"
#include "store/store.h"

enum { THREADS_MOST = 1024 }; /* of one query */

/* ---- Options --------------------------------------------------------------------------------- */

const char *rp_variant_name(size_t i)
{
    const rp__ranking *row = rp__ranking_at(i);
    return row ? row->name : NULL;
}

static const char *processor_name(size_t i)
{
    const rp__backend *row = rp__backend_at(i);
    return row ? row->name : NULL;
}

/* "what": no such thing; choose ... . */
static rp_status unknown_name(const char *what, const char *name, const char *first,
                              const char *(*name_at)(size_t i), rp_error *err)
{
    char names[160];
    size_t n = 0;
    for (size_t i = 0; n < sizeof names; i++) {
        const char *one = first && i == 0 ? first : name_at(i - (first != NULL));
        if (!one)
            break;
        for (const char *p = i ? ", " : ""; *p && n < sizeof names; p++)
            names[n++] = *p;
        for (; *one && n < sizeof names; one++)
            names[n++] = *one;
    }
    return rp__error_set(err, RP_USAGE, "no %s is called '%s'; choose from %.*s", what, name,
                         (int)n, names);
}

static rp_status check_limits(const rp_search_options *o, rp_error *err)
{
    if ((int)o->mode < RP_MODE_OR || o->mode > RP_MODE_ANDOR)
        return rp__error_set(err, RP_USAGE, "mode %d is none; choose from or, and, andor",
                             (int)o->mode);
    if ((int)o->total < RP_TOTAL_AT_LEAST || o->total > RP_TOTAL_ONLY)
        return rp__error_set(err, RP_USAGE, "total %d is none; choose from at least, exact, only",
                             (int)o->total);
    if (o->threads > THREADS_MOST)
        return rp__error_set(err, RP_LIMIT, "%zu threads for one query; at most %d", o->threads,
                             THREADS_MOST);
    if (o->k > o->max_k)
        return rp__error_set(err, RP_LIMIT, "k is %zu, more than %zu; raise --max-k", o->k,
                             o->max_k);
    if (o->from > o->max_k - o->k)
        return rp__error_set(err, RP_LIMIT,
                             "from is %zu and k %zu, together more than %zu; raise --max-k",
                             o->from, o->k, o->max_k);
    return RP_OK;
}

static bool is_auto(const rp_search_options *o)
{
    return (!o->processor || strcmp(o->processor, "auto") == 0) && !o->strict_processor &&
           !rp__algorithm_choice_is_gpu(o->algorithm);
}

/* `auto` begins as the plain processor. Whether a processor is there is found out by attaching to it: a card that is
 * opened to see that takes as long again as opening it for good. */
static rp_status choose_backend(const rp_search_options *o, const rp__backend **out, rp_error *err)
{
    const bool is_free = !o->processor || strcmp(o->processor, "auto") == 0;
    const char *name = !is_free ? o->processor : is_auto(o) ? "cpu" : "gpu";
    if (o->gpu_child && strcmp(name, "gpu") != 0)
        return rp__error_set(err, RP_USAGE, "a gpu child is for the processor gpu; choose that");
    *out = o->gpu_child ? &rp__gpu_child_row : rp__backend_find(name);
    return *out ? RP_OK : unknown_name("processor", name, "auto", processor_name, err);
}

static rp_status choose_rank(const rp_search_options *o, const rp__segment *segment, rp__rank *rank,
                             rp_error *err)
{
    const char *name = o->variant ? o->variant : rp_variant_name(0);
    const rp__ranking *row = rp__ranking_find(name);
    if (!row)
        return unknown_name("ranking", name, NULL, rp_variant_name, err);
    *rank = (rp__rank){.ranking = row,
                       .k1 = o->has_k1 ? o->k1 : row->k1,
                       .b = o->has_b ? o->b : row->b,
                       .mu = o->has_mu ? o->mu : row->mu,
                       .stats = rp__segment_get_info(segment)->stats};
    return rp__rank_check(rank, err);
}

/* ---- Making a searcher ----------------------------------------------------------------------- */

static rp_status fill_norms(void *arg)
{
    rp_searcher *s = arg;
    rp__lengths lengths;
    rp__segment_get_lengths(s->index->segment, &lengths);
    size_t bytes = lengths.n_table * sizeof *s->norms;
    s->norms = bytes < s->arena.cap ? rp__alloc(bytes) : NULL;
    if (!s->norms)
        return RP_NO_MEMORY;
    s->arena.cap -= bytes;
    for (uint32_t i = 0; i < lengths.n_table; i++)
        s->norms[i] = rp__rank_norm(&s->rank, lengths.table[i]);
    return RP_OK;
}

typedef struct attach_job {
    const rp_searcher *searcher;
    const rp__backend *backend;
    const rp__place *place;
    void *state;
    rp_error err;
} attach_job;

static rp_status attach_backend(void *arg)
{
    attach_job *job = arg;
    return job->backend->attach(job->searcher->index->segment, job->place, &job->state, &job->err);
}

/* A child is forked, and reads the index under a guard of its own. */
rp_status rp__searcher_attach(rp_searcher *s, const rp__backend *backend, const rp__place *place,
                              rp_error *err)
{
    attach_job job = {.searcher = s, .backend = backend, .place = place};
    rp_status status = RP_OK;
    if (s->options.gpu_child)
        status = backend->attach(s->index->segment, place, &job.state, err);
    else if (backend->attach)
        status = rp__searcher_guard(s, attach_backend, &job, &job.err, err);
    if (status != RP_OK && job.state)
        backend->detach(job.state);
    if (status != RP_OK)
        return status;
    s->backend = backend;
    s->state = job.state;
    return RP_OK;
}

static rp_status make(rp_searcher *s, const rp_search_options *options, rp_error *err)
{
    rp_search_options *o = &s->options;
    const rp__backend *backend = s->plain;
    rp_status status = RP_TAKE(o, options, err);
    const rp__place place = {o->gpu, o->gpu_memory, o->gpu_timeout};
    const bool is_placed = is_auto(o);
    rp__plan_defaults(o);
    rp__arena_init(&s->arena, o->max_memory);
    rp__arena_init(&s->shown, o->max_memory);
    if (status == RP_OK)
        status = check_limits(o, err);
    if (status == RP_OK)
        status = choose_rank(o, s->index->segment, &s->rank, err);
    if (status == RP_OK)
        status = choose_backend(o, &backend, err);
    if (status == RP_OK)
        status = rp__searcher_attach(s, backend, &place, err);
    if (status == RP_OK)
        status = rp__algorithm_choice_make(s, backend, &o->algorithm, err);
    if (status == RP_OK && is_placed && rp__placement_init(s, o) != RP_OK)
        status = rp__error_no_memory(err);
    o->variant = o->processor = o->gpu = NULL;
    if (status != RP_OK)
        return status;
    status = rp__analyzer_state_new(s->index->analyzer, &s->analyzer);
    if (status == RP_OK && o->trace)
        status = rp__query_trace_new(s);
    if (status == RP_OK && o->threads > 1)
        status = rp__split_new(s->index, (uint32_t)o->threads, o->max_memory, &s->split);
    if (status != RP_OK)
        return rp__error_no_memory(err);
    rp_error own = {0};
    return rp__searcher_guard(s, fill_norms, s, &own, err);
}

rp_status rp_searcher_new(const rp_index *index, const rp_search_options *options,
                          rp_searcher **out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = NULL;
    if (RP_MISSING(err, index))
        return RP_USAGE;
    rp_searcher *s = rp__alloc_zero(1, sizeof *s);
    if (!s)
        return rp__error_no_memory(err);
    s->index = index;
    s->terms = index->terms;
    s->backend = s->plain = rp__backend_at(0);
    rp_status status = make(s, options, err);
    if (status != RP_OK) {
        rp_searcher_free(s);
        return status;
    }
    *out = s;
    return RP_OK;
}

void rp_searcher_get_gpu_state(const rp_searcher *searcher, rp_gpu_state *out)
{
    if (RP_MISSING(NULL, out))
        return;
    *out = searcher ? searcher->gpu : (rp_gpu_state){0};
    out->is_asked = searcher && searcher->backend != searcher->plain;
    if (searcher && searcher->backend == &rp__gpu_child_row)
        rp__gpu_child_get_state(searcher->state, out);
}

rp_status rp__searcher_branch(const rp_searcher *of, rp_searcher **out)
{
    *out = NULL;
    rp_searcher *s = rp__alloc(sizeof *s);
    if (!s)
        return RP_NO_MEMORY;
    *s = *of;
    s->backend = s->plain;
    s->state = NULL;
    s->placement = (rp__placement){0};
    s->events = NULL;
    s->analyzer = NULL;
    s->split = NULL;
    s->batch = NULL;
    s->shown_words = NULL;
    rp__arena_init(&s->arena, s->options.max_memory);
    rp__arena_init(&s->shown, s->options.max_memory);
    rp_status status = rp__analyzer_state_new(s->index->analyzer, &s->analyzer);
    if (status == RP_OK && s->options.trace)
        status = rp__query_trace_new(s);
    if (status == RP_OK && s->options.threads > 1)
        status =
            rp__split_new(s->index, (uint32_t)s->options.threads, s->options.max_memory, &s->split);
    if (status != RP_OK) {
        rp__searcher_branch_free(s);
        return RP_NO_MEMORY;
    }
    *out = s;
    return RP_OK;
}

void rp__searcher_branch_free(rp_searcher *branch)
{
    if (!branch)
        return;
    rp__split_free(branch->split);
    rp__arena_reset(&branch->arena);
    rp__arena_reset(&branch->shown);
    rp__analyzer_state_free(branch->analyzer);
    rp__free(branch->events);
    rp__free(branch);
}

void rp_searcher_free(rp_searcher *searcher)
{
    if (!searcher)
        return;
    rp__search_batch_free(searcher->batch);
    if (searcher->state)
        searcher->backend->detach(searcher->state);
    rp__placement_free(&searcher->placement);
    rp__free(searcher->norms);
    rp__free(searcher->algorithm);
    rp__searcher_branch_free(searcher);
}

/* ---- Shared with explain.c and snippet.c ------------------------------------------------------- */

/* AND and OR are the same. */
static bool is_one_leaf(const rp__query *bound)
{
    return bound->n_ops <= 3;
}

/* Whatever the query's work is. */
static rp_status bind_in_mode(rp_searcher *s, const char *query, size_t bytes, rp_mode mode,
                              rp__query *out, rp_error *err)
{
    const rp_search_options *o = &s->options;
    const rp__bind_to to = {.segment = s->index->segment,
                            .terms = s->terms,
                            .rank = &s->rank,
                            .norms = s->norms,
                            .analyzer = s->analyzer};
    rp__trace *trace = rp__query_trace_get(s);
    rp__syntax syntax;
    rp__arena_clear(&s->arena);
    rp_status status = RP_OK;
    uint64_t begin = rp__trace_begin(trace);
    const bool is_plain = o->plain || rp__query_is_words(query, bytes);
    if (!is_plain)
        status = rp__query_parse(query, bytes, mode, o, &s->arena, &syntax, err);
    if (!o->plain) {
        rp__query_trace_host(trace, "parse", begin, 0);
        begin = rp__trace_begin(trace);
    }
    if (status != RP_OK)
        return status;
    status = is_plain ? rp__query_bind_plain(query, bytes, &to, mode, o, &s->arena, out, err)
                      : rp__query_bind(&syntax, &to, mode, o, &s->arena, out, err);
    rp__query_trace_host(trace, "look-up", begin, out->n_words);
    return status;
}

/* The work of plain words as an OR, where they were bound as an AND: it costs less than binding twice. */
static rp_status weigh_as_or(rp_searcher *s, const rp__query *bound, uint64_t *work)
{
    rp__query any = *bound;
    rp__op *ops = rp__arena_array(&s->arena, bound->n_ops, sizeof *ops);
    if (!ops)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < bound->n_ops; i++) {
        ops[i] = bound->ops[i];
        ops[i].role = RP_SHOULD;
    }
    any.ops = ops;
    return rp__work_bound(&any, &s->arena, work);
}

/* As the AND of andor: with its own work and that of the OR which may follow. */
static rp_status bind_both(rp_searcher *s, const char *query, size_t bytes, rp__query *out,
                           rp_error *err)
{
    uint64_t work = 0;
    rp_status status = RP_OK;
    if (!s->options.plain) {
        status = bind_in_mode(s, query, bytes, RP_MODE_OR, out, err);
        work = out->work;
    }
    if (status == RP_OK)
        status = bind_in_mode(s, query, bytes, RP_MODE_AND, out, err);
    if (status != RP_OK || is_one_leaf(out))
        return status;
    if (s->options.plain)
        status = weigh_as_or(s, out, &work);
    out->work = out->work > UINT64_MAX - work ? UINT64_MAX : out->work + work;
    return status;
}

rp_status rp__searcher_bind(rp_searcher *searcher, const char *query, size_t bytes, rp_mode mode,
                            rp__query *out, rp_error *err)
{
    bool is_first = searcher->options.mode == RP_MODE_ANDOR && mode != RP_MODE_OR;
    *out = (rp__query){0};
    rp_status status = is_first ? bind_both(searcher, query, bytes, out, err)
                                : bind_in_mode(searcher, query, bytes, mode, out, err);
    return status == RP_OK ? rp__work_limit(out->work, &searcher->options, err) : status;
}

rp_status rp__searcher_guard(const rp_searcher *searcher, rp_status (*fn)(void *arg), void *arg,
                             rp_error *own, rp_error *err)
{
    const size_t bytes = searcher->options.max_memory;
    const bool is_mib = bytes % (1 << 20) == 0;
    rp_status status = rp__index_handle_guard(searcher->index, fn, arg);
    if (status == RP_OK)
        return RP_OK;
    if (status == RP_NO_MEMORY)
        rp__error_set(own, status,
                      "the query needs more than its %zu %s, or the system has none left; raise "
                      "--max-memory",
                      is_mib ? bytes >> 20 : bytes, is_mib ? "MiB" : "bytes");
    else if (!own->text[0] || own->code != status)
        rp__error_set(own, status, "the index: %s; run 'riposte check'", rp_status_text(status));
    return rp__error_set(err, status, "%s", own->text);
}

/* ---- Searching ------------------------------------------------------------------------------- */

void rp__searcher_note_fault(rp_searcher *s)
{
    rp_error why;
    if (s->gpu.is_lost || !s->backend->health || s->backend->health(s->state, &why) == RP_OK)
        return;
    s->gpu.is_lost = true;
    s->gpu.faults++;
    memcpy(s->gpu.fault, why.text, sizeof s->gpu.fault);
}

rp_status rp__searcher_check_strict(const rp_searcher *s, rp_fallback fallback,
                                    const rp_gpu_counters *gpu, rp_error *err)
{
    if (!s->options.strict_processor)
        return RP_OK;
    if (fallback)
        return rp__error_set(err, RP_UNAVAILABLE,
                             "the gpu did not answer the query, and --strict-processor forbids "
                             "another processor: %s",
                             rp_fallback_text(fallback));
    if (gpu->host_decoded_lists == 0)
        return RP_OK;
    return rp__error_set(err, RP_UNAVAILABLE,
                         "the host decoded %" PRIu64 " list%s of %" PRIu64
                         " postings for the gpu, which --strict-processor forbids",
                         gpu->host_decoded_lists, gpu->host_decoded_lists == 1 ? "" : "s",
                         gpu->host_decoded_postings);
}

/* Asks the device; RP_UNAVAILABLE, RP_NO_MEMORY: it cannot. The answer says why. */
static rp_status run_on_device(rp_searcher *s, const rp__query *bound, rp__answer *answer,
                               rp_error *err)
{
    *answer = (rp__answer){.fallback = RP_FALLBACK_FAULT};
    if (s->gpu.is_lost)
        return RP_UNAVAILABLE;
    rp__arena_mark mark = rp__arena_get_mark(&s->arena);
    rp_status status = s->backend->run(s->state, bound, &s->arena, answer, err);
    s->gpu.answered += status == RP_OK;
    s->processor = s->backend->name;
    if (status != RP_UNAVAILABLE && status != RP_NO_MEMORY)
        return status;
    rp__searcher_note_fault(s);
    rp__arena_rewind(&s->arena, mark);
    return status;
}

/* In place of an algorithm of a device, it has its own choice. */
static rp_status run_plain(rp_searcher *s, const rp__query *bound, rp__answer *answer,
                           rp_error *err)
{
    rp__query own = *bound;
    s->processor = s->plain->name;
    if (rp__algorithm_choice_is_gpu(bound->algorithm))
        own.algorithm = NULL;
    return s->split ? rp__split_run(s->split, s->plain, &own, &s->arena, answer, err)
                    : s->plain->run(NULL, &own, &s->arena, answer, err);
}

/* A device that cannot, or no longer, costs a query nothing but time. */
static rp_status run_bound(rp_searcher *s, const rp__query *bound, rp__answer *answer,
                           rp_error *err)
{
    if (!rp__placement_asks_device(s, bound))
        return run_plain(s, bound, answer, err);
    rp_status status = run_on_device(s, bound, answer, err);
    if (status != RP_OK && status != RP_UNAVAILABLE && status != RP_NO_MEMORY)
        return status;
    const rp_gpu_counters spent = answer->gpu;
    const rp_fallback why = answer->fallback;
    rp_status strict = rp__searcher_check_strict(s, why, &spent, err);
    if (status == RP_OK || strict != RP_OK)
        return strict;
    status = rp__algorithm_choice_refuse(bound->algorithm, why, err);
    if (status != RP_OK)
        return status;
    status = run_plain(s, bound, answer, err);
    answer->gpu = spent;
    answer->fallback = why;
    return status;
}

static rp_status answer_in_mode(rp_searcher *s, const char *query, size_t bytes, rp_mode mode,
                                rp__query *bound, rp__answer *answer, rp_error *err)
{
    rp_status status = rp__searcher_bind(s, query, bytes, mode, bound, err);
    if (status != RP_OK)
        return status;
    *answer = (rp__answer){.total_is_exact = true};
    rp__query_trace_bind(s, s->events ? &s->trace : NULL, bound);
    s->processor = s->plain->name; /* of a query that asks for nothing */
    return bound->n_ops > 0 ? run_bound(s, bound, answer, err) : RP_OK;
}

bool rp__searcher_asks_again(const rp_searcher *searcher, const rp__query *bound,
                             const rp__answer *answer, rp_mode *mode)
{
    const rp_search_options *o = &searcher->options;
    bool is_enough = answer->n >= o->k || (bound->k == 0 && answer->total >= o->k);
    if (o->mode != RP_MODE_ANDOR || *mode != RP_MODE_AND || is_enough)
        return false;
    if (is_one_leaf(bound))
        *mode = RP_MODE_OR;
    return !is_one_leaf(bound);
}

void rp__searcher_add_first(rp__answer *answer, uint64_t postings, rp_fallback fallback,
                            const rp_gpu_counters *gpu)
{
    answer->postings += postings;
    answer->fallback = answer->fallback ? answer->fallback : fallback;
    rp__answer_count(&answer->gpu, gpu);
}

rp_status rp__searcher_answer(rp_searcher *searcher, const char *query, size_t bytes, rp_mode *mode,
                              rp__query *bound, rp__answer *answer, rp_error *err)
{
    const rp_search_options *o = &searcher->options;
    *mode = o->mode == RP_MODE_ANDOR ? RP_MODE_AND : o->mode;
    rp__query_trace_begin(searcher);
    rp_status status = answer_in_mode(searcher, query, bytes, *mode, bound, answer, err);
    if (status != RP_OK || !rp__searcher_asks_again(searcher, bound, answer, mode))
        return status;
    const rp__answer first = *answer;
    uint64_t work = bound->work;
    *mode = RP_MODE_OR;
    status = answer_in_mode(searcher, query, bytes, *mode, bound, answer, err);
    rp__searcher_add_first(answer, first.postings, first.fallback, &first.gpu);
    bound->work = work;
    return status;
}

typedef struct job {
    rp_searcher *searcher;
    const char *query;
    size_t query_bytes;
    rp__query bound;
    rp__answer answer;
    rp_hits hits;
    rp_error err;
} job;

void *rp__searcher_take_memory(const rp_searcher *s, size_t bytes)
{
    size_t left = s->arena.cap - s->arena.used;
    if (bytes > left)
        return NULL;
    if (!s->hits_left)
        return rp__alloc(bytes);
    for (left = atomic_load(s->hits_left); bytes <= left;)
        if (atomic_compare_exchange_weak(s->hits_left, &left, left - bytes))
            return rp__alloc(bytes);
    return NULL;
}

/* Hits and, behind them, their names: one piece of memory. */
static rp_status name_hits(const rp_searcher *s, const rp__answer *answer, rp_hits *hits)
{
    const rp__segment *segment = s->index->segment;
    size_t from = s->options.from < answer->n ? s->options.from : answer->n;
    size_t n = answer->n - from, bytes = 0, id_bytes;
    const char *id;
    for (size_t i = 0; i < n; i++) {
        rp_status status = rp__segment_doc_id(segment, answer->at[from + i].docid, &id, &id_bytes);
        if (status != RP_OK)
            return status;
        bytes += id_bytes + 1;
    }
    if (n == 0)
        return RP_OK;
    hits->memory = rp__searcher_take_memory(s, n * sizeof *hits->at + bytes);
    if (!hits->memory)
        return RP_NO_MEMORY;
    hits->at = hits->memory;
    hits->n = n;
    char *name = (char *)(hits->at + n);
    for (size_t i = 0; i < n; i++) {
        const rp__scored *scored = &answer->at[from + i];
        rp_status status = rp__segment_doc_id(segment, scored->docid, &id, &id_bytes);
        if (status != RP_OK)
            return status;
        if (id_bytes >= bytes)
            return RP_DAMAGED; /* the file changed since the first look */
        bytes -= id_bytes + 1;
        hits->at[i] = (rp_hit){.docid = scored->docid,
                               .fixed = scored->fixed,
                               .score = rp__rank_score(scored->fixed, hits->fraction_bits),
                               .name = name};
        memcpy(name, id, id_bytes);
        name += id_bytes;
        *name++ = 0;
    }
    return RP_OK;
}

rp_status rp__searcher_hits(const rp_searcher *searcher, const rp__query *bound,
                            const rp__answer *answer, rp_mode mode, const char *processor,
                            rp_hits *hits)
{
    const bool is_all = answer->n < bound->k; /* more would be among them */
    *hits =
        (rp_hits){.total = is_all ? answer->n : answer->total,
                  .total_is_exact = is_all || answer->total_is_exact,
                  .has_no_words = bound->n_leaves == 0,
                  .is_or_fallback = searcher->options.mode == RP_MODE_ANDOR && mode == RP_MODE_OR,
                  .has_unknown = bound->has_unknown,
                  .fraction_bits = bound->fraction_bits,
                  .processor = processor,
                  .postings = answer->postings,
                  .work = bound->work,
                  .fallback = answer->fallback,
                  .gpu = answer->gpu,
                  .iiu = answer->iiu};
    return name_hits(searcher, answer, hits);
}

static rp_status run_job(void *arg)
{
    job *j = arg;
    rp_mode mode;
    rp_status status = rp__searcher_answer(j->searcher, j->query, j->query_bytes, &mode, &j->bound,
                                           &j->answer, &j->err);
    if (status != RP_OK)
        return status;
    rp__trace *trace = rp__query_trace_get(j->searcher);
    const uint64_t begin = rp__trace_begin(trace);
    status = rp__searcher_hits(j->searcher, &j->bound, &j->answer, mode, j->searcher->processor,
                               &j->hits);
    rp__query_trace_host(trace, "names", begin, j->hits.n);
    const bool adds = status == RP_OK && j->searcher->options.trace;
    return adds ? rp__query_trace_add(j->searcher, NULL, 0, &j->hits) : status;
}

rp_status rp_searcher_search(rp_searcher *searcher, const char *query, size_t query_bytes,
                             rp_hits *hits, rp_error *err)
{
    if (RP_MISSING(err, hits))
        return RP_USAGE;
    *hits = (rp_hits){0};
    if (RP_MISSING(err, searcher) || RP_MISSING_ARRAY(err, query, query_bytes))
        return RP_USAGE;
    uint64_t begin = rp__clock_now();
    job j = {.searcher = searcher, .query = query, .query_bytes = query_bytes};
    if (searcher->backend == &rp__gpu_child_row)
        rp__gpu_child_revive(searcher->state);
    rp__placement_begin(searcher);
    rp_status status = rp__searcher_guard(searcher, run_job, &j, &j.err, err);
    rp__placement_end(searcher);
    if (status != RP_OK) {
        if (searcher->backend->abandon && searcher->state)
            searcher->backend->abandon(searcher->state); /* the guard may have left it */
        rp__free(j.hits.memory);
        return status;
    }
    /* What is kept for the next query and these hits stay within the limit of one. */
    if (searcher->arena.held > searcher->options.max_memory / 2)
        rp__arena_reset(&searcher->arena);
    j.hits.seconds = (double)(rp__clock_now() - begin) / 1e9;
    *hits = j.hits;
    return RP_OK;
}

rp_status rp_search(const rp_index *index, const char *query, size_t k, rp_hits *hits,
                    rp_error *err)
{
    if (RP_MISSING(err, hits))
        return RP_USAGE;
    *hits = (rp_hits){0};
    if (RP_MISSING(err, index, query))
        return RP_USAGE;
    rp_searcher *searcher;
    rp_search_options options = {.k = k, .total = k ? RP_TOTAL_EXACT : RP_TOTAL_ONLY};
    rp_status status = rp_searcher_new(index, &options, &searcher, err);
    if (searcher)
        status = rp_searcher_search(searcher, query, strlen(query), hits, err);
    rp_searcher_free(searcher);
    return status;
}

void rp_hits_free(rp_hits *hits)
{
    if (!hits)
        return;
    rp__free(hits->memory);
    rp__free(hits->steps);
    rp__free(hits->reads);
    *hits = (rp_hits){0};
}
