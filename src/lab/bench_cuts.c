/* bench_cuts.c: the clock around ANDs of terms, at every cut between two processors.
 *
 * A pass takes one way (a core, the card, or a cut) over all queries, so that each finds caches and the card's memory as in a
 * log. A query is bound before its clock starts, and moves in one thread: no queue is in the time. */
#include "lab/bench_cuts.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "engine/conjunction.h"
#include "engine/searcher.h"

enum { ON_CPU = -2, ON_GPU = -1 }; /* ways; from 0 on: lists that the card intersects */

typedef struct pass {
    rp_searcher *cpu, *gpu;
    const rp_topic *topic;
    int way;
    rp__conjunction lists;
    rp__query bound;
    rp__answer answer;
    uint64_t ns;
    rp_error err;
} pass;

/* ---- One query ------------------------------------------------------------------------------- */

static rp_status run_whole(pass *p, const rp_searcher *s)
{
    const rp__backend *backend = p->way == ON_CPU ? s->plain : s->backend;
    return backend->run(p->way == ON_CPU ? NULL : s->state, &p->bound, &p->cpu->arena, &p->answer,
                        &p->err);
}

/* Lists from `first` to before `end` of a run that may have candidates, then the best ones or what is
 * left to the other processor. */
static rp_status run_steps(pass *p, const rp__steps *on, void *run, uint32_t first, uint32_t end,
                           rp__partial *partial)
{
    rp_status status = first > 0 ? on->put(run, partial) : on->start(run, 0);
    if (status == RP_OK && first == 0 && p->bound.k > 0)
        status = on->score(run, 0);
    const uint32_t next = first > 0 ? first : 1;
    if (status == RP_OK && next < end)
        status = on->narrow(run, next, end - 1);
    if (status != RP_OK)
        return status;
    const bool is_last = end == p->lists.n || on->count(run) == 0;
    partial->n = 0;
    return is_last ? on->select(run, &p->answer) : on->take(run, partial);
}

static rp_status run_part(pass *p, bool is_card, uint32_t first, uint32_t end, rp__partial *partial)
{
    const rp__steps *on = is_card ? p->gpu->backend->steps : p->cpu->plain->steps;
    void *run = NULL;
    rp_status status =
        on->open(is_card ? p->gpu->state : NULL, &p->lists.query, &p->cpu->arena, &run, &p->err);
    if (status == RP_OK)
        status = run_steps(p, on, run, first, end, partial);
    if (run)
        on->close(run);
    return status;
}

static rp_status run_cut(pass *p)
{
    const uint32_t cut = (uint32_t)p->way, n = p->lists.n;
    rp__partial partial = {.n = 0};
    rp_status status = cut > 0 ? run_part(p, true, 0, cut, &partial) : RP_OK;
    if (status == RP_OK && cut < n && (cut == 0 || partial.n > 0))
        status = run_part(p, false, cut, n, &partial);
    return status;
}

static rp_status run_bind(void *arg)
{
    pass *p = arg;
    rp_status status = rp__searcher_bind(p->cpu, p->topic->query, p->topic->query_bytes,
                                         RP_MODE_AND, &p->bound, &p->err);
    p->lists = (rp__conjunction){.n = 0};
    if (status == RP_OK && p->bound.n_ops > 0)
        status = rp__conjunction_find(&p->bound, &p->cpu->arena, &p->lists);
    return status;
}

static rp_status run_timed(void *arg)
{
    pass *p = arg;
    p->answer = (rp__answer){.total_is_exact = true};
    const uint64_t begin = rp__clock_now();
    const rp_status status = p->way == ON_CPU   ? run_whole(p, p->cpu)
                             : p->way == ON_GPU ? run_whole(p, p->gpu)
                                                : run_cut(p);
    p->ns = rp__clock_now() - begin;
    return status;
}

static rp_status guard(pass *p, rp_status (*fn)(void *arg), rp_error *err)
{
    return rp__searcher_guard(p->cpu, fn, p, &p->err, err);
}

static uint64_t digest_of(const rp__answer *answer)
{
    uint64_t digest = answer->total;
    for (size_t i = 0; i < answer->n; i++)
        digest = (digest ^ ((uint64_t)answer->at[i].docid << 32 | answer->at[i].fixed)) *
                 0x9E3779B97F4A7C15U;
    return digest;
}

/* ---- All of them ----------------------------------------------------------------------------- */

typedef struct session {
    rp__bench_cuts *bench;
    pass pass;
    size_t *queries;   /* of the set, by cut */
    uint64_t *digests; /* of the CPU's answers */
    uint32_t longest;  /* lists of a query */
} session;

static rp_status open_searchers(session *s, rp_error *err)
{
    rp_search_options o = s->bench->search;
    o.mode = RP_MODE_AND;
    o.threads = 1;
    o.eager_gpu = true;
    o.total = RP_TOTAL_EXACT;
    o.max_work = UINT64_MAX;
    o.processor = "cpu";
    rp_status status = rp_searcher_new(s->bench->index, &o, &s->pass.cpu, err);
    o.processor = "gpu";
    if (status == RP_OK)
        status = rp_searcher_new(s->bench->index, &o, &s->pass.gpu, err);
    return status;
}

/* Whether both processors take it, list by list too; its first answers warm up and are compared. */
static rp_status look(session *s, size_t query, bool *suits, rp_error *err)
{
    pass *p = &s->pass;
    uint64_t digest = 0;
    *suits = false;
    p->topic = &s->bench->set->at[query].topic;
    rp_status status = guard(p, run_bind, err);
    const int n = (int)p->lists.n;
    if (status != RP_OK || n < 2 || n > RP_BENCH_CUTS_LISTS || !p->lists.is_all)
        return status;
    for (p->way = ON_CPU; p->way <= n && status == RP_OK; p->way++) {
        status = guard(p, run_bind, err);
        if (status == RP_OK)
            status = guard(p, run_timed, err);
        if (status == RP_UNAVAILABLE && p->way == ON_GPU)
            return RP_OK;
        if (status == RP_OK && p->way == ON_CPU)
            digest = digest_of(&p->answer);
        else if (status == RP_OK && digest_of(&p->answer) != digest)
            status = rp__error_set(err, RP_DAMAGED, "cut %d of query %s is answered differently",
                                   p->way, p->topic->qid);
    }
    *suits = status == RP_OK;
    s->digests[s->bench->n] = digest;
    return status;
}

static rp_status choose(session *s, rp_error *err)
{
    rp__bench_cuts *b = s->bench;
    rp_status status = RP_OK;
    for (size_t i = 0; i < b->set->n && status == RP_OK; i++) {
        bool suits;
        status = look(s, i, &suits, err);
        b->left_out += !suits;
        if (status != RP_OK || !suits)
            continue;
        const rp__conjunction *lists = &s->pass.lists;
        rp__bench_cut *cut = &b->at[b->n];
        *cut = (rp__bench_cut){.lists = lists->n,
                               .shortest = rp__conjunction_length(lists, 0),
                               .second = rp__conjunction_length(lists, 1),
                               .cpu_ns = UINT64_MAX,
                               .gpu_ns = UINT64_MAX};
        for (uint32_t k = 0; k <= lists->n; k++)
            cut->cut_ns[k] = UINT64_MAX;
        s->longest = lists->n > s->longest ? lists->n : s->longest;
        s->queries[b->n++] = i;
    }
    if (status == RP_OK && b->n == 0)
        status = rp__error_set(err, RP_NOT_FOUND,
                               "no query has two lists or more that the card intersects");
    return status;
}

static uint64_t *time_of(rp__bench_cut *cut, int way)
{
    return way == ON_CPU ? &cut->cpu_ns : way == ON_GPU ? &cut->gpu_ns : &cut->cut_ns[way];
}

static rp_status run_pass(session *s, int way, rp_error *err)
{
    pass *p = &s->pass;
    rp_status status = RP_OK;
    for (size_t i = 0; i < s->bench->n && status == RP_OK; i++) {
        rp__bench_cut *cut = &s->bench->at[i];
        if (way > (int)cut->lists)
            continue;
        p->topic = &s->bench->set->at[s->queries[i]].topic;
        p->way = way;
        status = guard(p, run_bind, err);
        if (status == RP_OK)
            status = guard(p, run_timed, err);
        if (status == RP_OK && digest_of(&p->answer) != s->digests[i])
            status = rp__error_set(err, RP_DAMAGED, "cut %d of query %s is answered differently",
                                   way, p->topic->qid);
        uint64_t *best = time_of(cut, way);
        if (status == RP_OK && p->ns < *best)
            *best = p->ns;
    }
    return status;
}

rp_status rp__bench_cuts_run(rp__bench_cuts *bench, rp_error *err)
{
    session s = {.bench = bench};
    const size_t n = bench->set->n;
    bench->at = rp__alloc_array(n, sizeof *bench->at);
    s.queries = rp__alloc_array(n, sizeof *s.queries);
    s.digests = rp__alloc_array(n + 1, sizeof *s.digests);
    rp_status status = bench->at && s.queries && s.digests ? RP_OK : rp__error_no_memory(err);
    if (status == RP_OK)
        status = open_searchers(&s, err);
    if (status == RP_OK)
        status = choose(&s, err);
    for (uint32_t r = 0; r < bench->rounds && status == RP_OK; r++)
        for (int way = ON_CPU; way <= (int)s.longest && status == RP_OK; way++)
            status = run_pass(&s, way, err);
    rp_searcher_free(s.pass.gpu);
    rp_searcher_free(s.pass.cpu);
    rp__free(s.queries);
    rp__free(s.digests);
    return status;
}

void rp__bench_cuts_free(rp__bench_cuts *bench)
{
    rp__free(bench->at);
    bench->at = NULL;
    bench->n = 0;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

size_t rp__bench_cuts_ratio(const rp__bench_cut *cut)
{
    enum { FIRST = 16 };
    const uint64_t ratio = cut->shortest ? cut->second / cut->shortest : UINT64_MAX;
    size_t group = 0;
    for (uint64_t end = FIRST; group + 1 < RP_BENCH_CUT_RATIOS && ratio >= end; end *= 2)
        group++;
    return group;
}

static void add(rp__bench_cut_means *m, const rp__bench_cut *cut)
{
    const uint64_t better = cut->cpu_ns < cut->gpu_ns ? cut->cpu_ns : cut->gpu_ns;
    uint64_t best = UINT64_MAX;
    for (uint32_t k = 1; k < cut->lists; k++)
        best = cut->cut_ns[k] < best ? cut->cut_ns[k] : best;
    const double share = 1 / (double)++m->n;
    m->cpu += ((double)cut->cpu_ns - m->cpu) * share;
    m->gpu += ((double)cut->gpu_ns - m->gpu) * share;
    m->better += ((double)better - m->better) * share;
    m->best_cut += ((double)best - m->best_cut) * share;
    m->best += ((double)(best < better ? best : better) - m->best) * share;
    m->wins += best < better;
}

void rp__bench_cuts_sum(const rp__bench_cuts *bench, uint32_t lists, bool or_more, size_t ratio,
                        rp__bench_cut_means *out)
{
    *out = (rp__bench_cut_means){.n = 0};
    for (size_t i = 0; i < bench->n; i++) {
        const rp__bench_cut *cut = &bench->at[i];
        const bool counts = lists == 0 || cut->lists == lists || (or_more && cut->lists > lists);
        if (counts && (ratio == RP_BENCH_CUT_RATIOS || rp__bench_cuts_ratio(cut) == ratio))
            add(out, cut);
    }
}
