/* fused_single.c: one query a launch: its terms, what is staged for it, its record, and its answer.
 *
 * Up to 8 terms travel with the launch. Of tiny lists, few bytes are read from memory of the host, more are copied. The
 * persistent kernel may keep what it has read: what is staged for it lies elsewhere each time, until the stage is full. */
#include "backend/gpu/exec/fused_single.h"

#include <string.h>

#include "backend/gpu/exec/exec.h"
#include "backend/gpu/gpu_list.h"
#include "base/bits.h"
#include "codec/codec.h"

enum {
    WARPS = 4,            /* of a block of threads */
    AND_WARPS = 20,       /* of a multiprocessor, among which an AND is shared out */
    WIDE = 4,             /* documents that each warp may have to look for in one list */
    GATHERERS = 16,       /* blocks of threads of a multiprocessor that gather */
    READ_MAX = 4096,      /* bytes that the device reads from memory of the host, without a copy */
    KEPT_MAX = 256 << 10, /* and the persistent kernel, before it has to leave */
    ALIGN = RP_EXEC_STAGE_ALIGN,
};

typedef rp__flight flight;
typedef rp__launch_term term;

/* A query on its way, in the arena. */
typedef struct run {
    bool is_or;
    uint32_t end;         /* of the documents asked about that there are */
    uint64_t max_matches; /* documents that may match */
    size_t staged;        /* bytes, from staged_from on in the stage */
    size_t staged_from;
    bool is_copied;       /* what is staged, into scratch */
    size_t pairs, scores; /* where in the scratch; marks are behind scores */
    size_t bytes;         /* of scratch */
    karg_query args;
    karg_answer answer;
    const karg_pair *found; /* all pairs, or the best */
    uint32_t n_found;
} run;

static run *run_of(const flight *f)
{
    return f->own;
}

static const rp__query *query_of(const flight *f)
{
    return &f->items[0]->query;
}

static rp__exec_stage *stage_of(const flight *f)
{
    return &f->exec->single.stage;
}

static bool is_persistent(const flight *f)
{
    return f->row->id == RP_LAUNCH_AND_PERSISTENT;
}

static rp_status refuse_damaged(flight *f)
{
    f->why = RP_FALLBACK_DAMAGED;
    return RP_UNAVAILABLE;
}

/* ---- Terms --------------------------------------------------------------------------------------- */

/* Which lists kernels read as they are stored; frequencies only where something is scored. */
static rp__launch_source source_of(const rp__query *query, const rp__list *list)
{
    if (!list->codec)
        return RP_SOURCE_STAGED;
    bool has_tfs = query->k == 0 || rp__gpu_list_has_tfs(list);
    return rp__gpu_list_has_docids(list) && has_tfs ? RP_SOURCE_STORED : RP_SOURCE_LOOKUP;
}

static rp_status open_terms(flight *f)
{
    rp__launch_lists *l = &f->lists;
    rp_status status = rp__launch_lists_open(f, query_of(f));
    if (status != RP_OK)
        return status == RP_DAMAGED ? refuse_damaged(f) : rp__exec_no_memory(f);
    for (size_t i = 0; i < l->n; i++) {
        term *t = &l->terms[i];
        t->source = source_of(query_of(f), &t->list);
        if (t->source == RP_SOURCE_STORED &&
            rp__list_checks_find(f->lease.residency, t->term) == RP_VERDICT_DAMAGED)
            return refuse_damaged(f);
    }
    return rp__launch_lists_sort(f);
}

/* Of an OR all lists are decoded; of an AND the shortest, and of others at most a block a document, or all that is
 * transcoded. */
static uint64_t count_postings(const flight *f)
{
    const rp__launch_lists *l = &f->lists;
    uint64_t sum = 0, shortest = l->terms[0].list.n;
    for (size_t i = 0; i < l->n; i++) {
        const rp__list *list = &l->terms[i].list;
        bool is_coded = list->codec && list->codec->id != KARG_CODEC_BITMAP;
        uint64_t max = is_coded ? shortest * RP_BLOCK : shortest;
        bool is_all = run_of(f)->is_or || l->terms[i].source == RP_SOURCE_LOOKUP || max > list->n;
        sum += is_all ? list->n : max;
    }
    return sum;
}

/* An AND's list may name documents of a range more than once, if it is damaged. */
static uint64_t count_matches(const flight *f)
{
    const rp__launch_lists *l = &f->lists;
    const run *r = run_of(f);
    uint64_t sum = 0, docs = r->end > query_of(f)->begin ? r->end - query_of(f)->begin : 0;
    for (size_t i = 0; i < l->n; i++)
        sum += i == 0 || r->is_or ? l->terms[i].list.n : 0;
    return r->is_or && sum > docs ? docs : sum;
}

/* ---- Staging ------------------------------------------------------------------------------------ */

static bool is_near(const flight *f)
{
    return f->lists.n <= KARG_INLINE_TERMS;
}

/* How large everything is. */
static void lay_out(flight *f)
{
    run *r = run_of(f);
    rp__launch_lists *l = &f->lists;
    const rp__query *query = query_of(f);
    r->staged = is_near(f) ? 0 : rp__bits_align(l->n * sizeof(karg_term), ALIGN);
    for (size_t i = 0; i < l->n; i++) {
        term *t = &l->terms[i];
        size_t bytes =
            rp__bits_align((t->list.n + (size_t)RP_BLOCK_CAPACITY) * sizeof(uint32_t), ALIGN);
        bool is_staged = t->source == RP_SOURCE_STAGED;
        t->docids = r->staged;
        r->staged += is_staged ? bytes : 0;
        t->tfs = r->staged;
        r->staged += is_staged && query->k > 0 ? bytes : 0;
    }
    size_t docs = r->is_or ? r->end - query->begin : 0;
    size_t pairs = query->k ? r->max_matches : 0;
    r->is_copied = !is_near(f) || r->staged > READ_MAX;
    r->pairs = ALIGN + (r->is_copied ? r->staged : 0);
    r->scores = rp__bits_align(r->pairs + pairs * sizeof(karg_pair), ALIGN);
    r->bytes = r->scores + (docs + (docs + 31) / 32) * sizeof(uint32_t);
}

/* Where in the stage. */
static rp_status place(flight *f)
{
    run *r = run_of(f);
    rp__exec_stage *s = stage_of(f);
    bool is_kept = is_persistent(f) && r->staged > 0;
    r->staged_from = RP_EXEC_STAGE_STAGED;
    if (is_kept && s->kept + r->staged > KEPT_MAX) {
        rp__persistent_kernel_dismiss(&s->kernel);
        s->kept = 0;
    }
    if (is_kept) {
        r->staged_from += s->kept;
        s->kept += rp__bits_align(r->staged, ALIGN);
    }
    return rp__exec_stage_grow(s, RP_EXEC_STAGE_STAGED + (is_kept ? KEPT_MAX : r->staged));
}

/* Where the device has it. */
static uint64_t staged_at(const flight *f, size_t at)
{
    const rp__exec_stage *s = stage_of(f);
    const run *r = run_of(f);
    return (r->is_copied ? s->scratch.at + ALIGN : s->stage_at + r->staged_from) + at;
}

static uint32_t *staged_words(const flight *f, size_t at)
{
    return (uint32_t *)(void *)(stage_of(f)->stage + run_of(f)->staged_from + at);
}

static uint32_t count_blocks(const rp__list *list)
{
    return (list->n + RP_BLOCK - 1) / RP_BLOCK;
}

/* A list that is decoded here is raw. */
static rp_status stage_tiny(const flight *f, const term *t, karg_term *out)
{
    const rp__list *list = &t->list;
    const bool has_tfs = query_of(f)->k > 0;
    *out =
        rp__gpu_list_copied(staged_at(f, t->docids), has_tfs ? staged_at(f, t->tfs) : 0, list->n);
    out->list.universe = UINT32_MAX;
    rp_status status = rp__list_decode(list, staged_words(f, t->docids), NULL);
    for (uint32_t b = 0; status == RP_OK && has_tfs && b < count_blocks(list); b++)
        status = rp__list_freqs(list, b, staged_words(f, t->tfs) + (size_t)b * RP_BLOCK);
    return status;
}

static rp_status stage_terms(flight *f)
{
    run *r = run_of(f);
    karg_term *words = is_near(f) ? r->args.inline_terms : (karg_term *)(void *)staged_words(f, 0);
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < f->lists.n; i++) {
        const term *t = &f->lists.terms[i];
        if (t->source == RP_SOURCE_STAGED)
            status = stage_tiny(f, t, &words[i]);
        else if (t->source == RP_SOURCE_LOOKUP)
            words[i] = t->made->list.word;
        else
            status = rp__gpu_list_point(&t->list, &t->stored->at, &words[i]);
        if (status == RP_OK && t->source == RP_SOURCE_STORED)
            status = rp__launch_lists_check(f, t, &words[i]);
        words[i].weight = t->weight;
        words[i].before = r->args.n_blocks;
        r->args.n_blocks += count_blocks(&t->list);
    }
    return status == RP_DAMAGED ? refuse_damaged(f) : status;
}

/* ---- Before the launch -------------------------------------------------------------------------- */

rp_status rp__fused_single_begin(flight *f)
{
    const rp__query *query = query_of(f);
    run *r = rp__arena_zero(f->exec->arena, 1, sizeof *r);
    f->own = r;
    if (!r)
        return rp__exec_no_memory(f);
    r->is_or = f->row->id == RP_LAUNCH_OR_ACCUMULATE;
    r->end = query->end < query->lengths.n_docs ? query->end : query->lengths.n_docs;
    rp_status status = rp__fused_single_settle(f); /* of a launch that could not be waited for */
    if (status == RP_OK)
        status = open_terms(f);
    if (status != RP_OK)
        return status;
    f->lists.among = r->is_or ? NULL : &f->lists.terms[0].list;
    f->items[0]->answer.postings = count_postings(f);
    r->max_matches = count_matches(f);
    lay_out(f);
    bool takes = is_persistent(f) && !r->is_copied &&
                 rp__persistent_kernel_takes(&stage_of(f)->kernel, f->lists.terms[0].list.n);
    if (is_persistent(f) && !takes)
        f->row = &rp__launch_table[RP_LAUNCH_AND_SINGLE];
    return place(f);
}

rp_status rp__fused_single_scratch(flight *f)
{
    return rp__exec_stage_hold(stage_of(f), &f->lease, run_of(f)->bytes);
}

rp_status rp__fused_single_find(flight *f)
{
    rp__launch_lists *l = &f->lists;
    rp_status status = RP_OK;
    if (!l->is_brought)
        status = rp__stored_lists_find(f->exec->index, &f->lease, l->stored, l->n_stored);
    if (status == RP_OK)
        status = rp__launch_lists_find_made(f);
    for (size_t i = 0; status == RP_OK && i < l->n; i++)
        if (l->terms[i].source == RP_SOURCE_LOOKUP && !l->terms[i].made->at)
            status = RP_DAMAGED;
    if (status == RP_OK)
        status = rp__exec_stage_use_norms(stage_of(f), l->serial);
    return status == RP_DAMAGED ? refuse_damaged(f) : status;
}

/* ---- The launch --------------------------------------------------------------------------------- */

/* Of one term, or an OR, about all documents: the best that a list knows. */
static uint32_t floor_of(const flight *f)
{
    const rp__query *query = query_of(f);
    const run *r = run_of(f);
    uint32_t best = 0;
    bool is_part = query->begin > 0 || r->end < query->lengths.n_docs;
    for (size_t i = 0; i < f->lists.n && !is_part && (r->is_or || f->lists.n == 1); i++) {
        const term *t = &f->lists.terms[i];
        uint32_t floor = rp__launch_lists_floor(query, t->list.kths, t->weight);
        best = floor > best ? floor : best;
    }
    return best;
}

/* Few documents a warp, but not more warps than there is capacity for at a time; where few are asked about, a warp for
 * each term after the first. */
static void share_out(flight *f)
{
    karg_query *args = &run_of(f)->args;
    const uint32_t n = f->lists.terms[0].list.n, n_terms = (uint32_t)f->lists.n;
    uint32_t warps = is_persistent(f) ? RP_PERSISTENT_KERNEL_WARPS : AND_WARPS;
    warps *= f->exec->device->processors;
    bool is_wide =
        n_terms > 2 && is_near(f) && (uint64_t)n * (n_terms - 1) <= (uint64_t)WIDE * warps;
    args->width = is_wide ? n_terms - 1 : 1;
    args->docs_per_warp = 1;
    while (args->docs_per_warp < 32 && n / args->docs_per_warp > warps / args->width)
        args->docs_per_warp *= 2;
}

/* All but the terms. */
static void fill_args(flight *f)
{
    const rp__exec_stage *s = stage_of(f);
    const rp__query *query = query_of(f);
    run *r = run_of(f);
    karg_query *args = &r->args;
    size_t docs = r->is_or ? r->end - query->begin : 0;
    args->terms = staged_at(f, 0);
    args->found = s->scratch.at;
    args->pairs = query->k ? s->scratch.at + r->pairs : 0;
    args->scores = s->scratch.at + r->scores;
    args->marks = args->scores + docs * sizeof(uint32_t);
    args->answer = s->stage_at;
    args->norms = f->lists.norms;
    args->n_terms = (uint32_t)f->lists.n;
    args->begin = query->begin;
    args->end = r->end;
    args->min_score = floor_of(f);
    share_out(f);
    args->k = (uint32_t)(query->k < UINT32_MAX ? query->k : UINT32_MAX);
    args->number = ++f->exec->single.number;
}

/* What the last block of threads ranks in is never less. */
static uint32_t shared_of(uint32_t bytes)
{
    const uint32_t min = KARG_TOPK_SHARED + KARG_ANSWER_MAX_K * (uint32_t)sizeof(uint64_t);
    return bytes > min ? bytes : min;
}

static rp_status launch_and(flight *f)
{
    karg_query *args = &run_of(f)->args;
    const uint32_t n_terms = args->n_terms;
    uint32_t parts = (f->lists.terms[0].list.n + args->docs_per_warp - 1) / args->docs_per_warp;
    uint32_t warps = args->width > 1 ? args->width : WARPS;
    args->blocks = args->width > 1 ? parts : (parts + WARPS - 1) / WARPS;
    rp__launch how = {
        .grid = args->blocks,
        .block = warps * 32,
        .shared = shared_of(warps * (KARG_SHARED_AND + n_terms * (uint32_t)KARG_SHARED_RANKS))};
    rp__kernel_id kernel =
        is_near(f) ? RP_KERNEL_and_single_kernel : RP_KERNEL_and_single_many_kernel;
    return rp__device_launch(f->exec->device, rp__launch_lists_kernel(f, kernel), how, args);
}

static rp_status launch_or(flight *f)
{
    rp__device *device = f->exec->device;
    karg_query *args = &run_of(f)->args;
    const size_t docs = args->end - args->begin;
    const size_t grid = (docs + 32 * WARPS - 1) / (32 * WARPS);
    const uint32_t max = GATHERERS * device->processors;
    rp__launch how = {(args->n_blocks + WARPS - 1) / WARPS, WARPS * 32,
                      WARPS * RP_BLOCK * (uint32_t)sizeof(uint32_t)};
    const rp__kernel_id kernel =
        is_near(f) ? RP_KERNEL_or_accumulate_kernel : RP_KERNEL_or_accumulate_many_kernel;
    const size_t words = docs + (docs + 31) / 32;
    rp_status status = rp__device_fill(device, args->scores, 0, words);
    if (status == RP_OK)
        status = rp__device_launch(device, rp__launch_lists_kernel(f, kernel), how, args);
    args->blocks = grid < max ? (uint32_t)grid : max;
    how = (rp__launch){args->blocks, WARPS * 32, shared_of(0)};
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_or_accumulate_gather_kernel, how, args);
    return status;
}

/* The persistent kernel does not take lists that were just made: it has left before they were brought, and what it
 * reads has to be there when it comes. */
rp_status rp__fused_single_launch(flight *f)
{
    rp__exec_stage *s = stage_of(f);
    const run *r = run_of(f);
    if (is_persistent(f) && f->lists.lookup.n > 0)
        f->row = &rp__launch_table[RP_LAUNCH_AND_SINGLE];
    rp_status status = stage_terms(f);
    if (status != RP_OK)
        return status;
    fill_args(f);
    s->is_busy = true;
    if (!is_persistent(f) || f->lists.n_checks > 0)
        rp__persistent_kernel_dismiss(&s->kernel); /* a launch would wait until it leaves */
    status = rp__launch_lists_run_checks(f, is_persistent(f) ? s->kernel.stream
                                                             : f->exec->device->stream);
    if (status == RP_OK && is_persistent(f))
        return rp__persistent_kernel_ask(&s->kernel, &r->args, rp__launch_lists_are_iiu(f));
    if (status == RP_OK && r->is_copied)
        status = rp__device_copy_in(f->exec->device, s->scratch.at + ALIGN,
                                    s->stage + r->staged_from, r->staged);
    if (status == RP_OK)
        status = r->is_or ? launch_or(f) : launch_and(f);
    return status;
}

/* ---- The answer --------------------------------------------------------------------------------- */

static const karg_answer *answer_of(const flight *f)
{
    return (const karg_answer *)(const void *)stage_of(f)->stage;
}

bool rp__fused_single_is_done(const flight *f)
{
    return __atomic_load_n(&answer_of(f)->number, __ATOMIC_ACQUIRE) == run_of(f)->args.number;
}

/* Waits for the number that is written last. */
static rp_status wait_for_answer(flight *f)
{
    rp__exec_stage *s = stage_of(f);
    run *r = run_of(f);
    const karg_answer *there = answer_of(f);
    if (is_persistent(f))
        return rp__persistent_kernel_wait(&s->kernel, there, &r->answer);
    rp_status status =
        rp__device_wait_for(s->device, s->device->stream, &there->number, r->args.number);
    if (status != RP_OK)
        return status;
    memcpy(&r->answer, there, sizeof r->answer);
    return r->answer.number == r->args.number ? RP_OK : RP_UNAVAILABLE;
}

/* Pairs of the persistent kernel come by themselves. */
static rp_status wait_for_pairs(flight *f)
{
    run *r = run_of(f);
    karg_pair *pairs = rp__arena_array(f->exec->arena, r->n_found, sizeof *pairs);
    r->found = pairs;
    return pairs ? rp__persistent_kernel_pairs(&stage_of(f)->kernel, r->n_found, pairs)
                 : rp__exec_no_memory(f);
}

/* More pairs than the answer has, to what is staged. */
static rp_status fetch_all(flight *f)
{
    rp__exec_stage *s = stage_of(f);
    run *r = run_of(f);
    size_t bytes = r->n_found * sizeof(karg_pair);
    rp_status status = rp__exec_stage_grow(s, RP_EXEC_STAGE_STAGED + bytes);
    if (status == RP_OK)
        status = rp__device_copy_out(s->device, s->stage + RP_EXEC_STAGE_STAGED,
                                     s->scratch.at + r->pairs, bytes);
    r->found = (const karg_pair *)(const void *)(s->stage + RP_EXEC_STAGE_STAGED);
    return status == RP_OK ? rp__exec_stage_finish(s) : status;
}

rp_status rp__fused_single_wait(flight *f)
{
    run *r = run_of(f);
    const size_t k = query_of(f)->k;
    rp_status status = wait_for_answer(f);
    if (status != RP_OK)
        return status;
    const bool is_all = r->answer.n_pairs <= KARG_ANSWER_ALL;
    const bool is_best = !is_all && k <= KARG_ANSWER_MAX_K;
    r->n_found = is_best && r->answer.n_pairs > k ? (uint32_t)k : r->answer.n_pairs;
    r->found = (const karg_pair *)(const void *)(stage_of(f)->stage + sizeof r->answer);
    if (r->answer.damaged || k == 0)
        r->n_found = 0;
    else if (is_all && is_persistent(f))
        status = wait_for_pairs(f);
    else if (!is_all && !is_best)
        status = fetch_all(f);
    stage_of(f)->is_busy = status != RP_OK;
    return status;
}

rp_status rp__fused_single_take(flight *f)
{
    const run *r = run_of(f);
    rp__answer *answer = &f->items[0]->answer;
    size_t k = query_of(f)->k < r->n_found ? query_of(f)->k : r->n_found;
    rp__topk topk;
    if (r->answer.damaged || f->lists.is_damaged)
        return refuse_damaged(f);
    rp__scored *scored = rp__arena_array(f->exec->arena, rp__topk_room(k), sizeof *scored);
    if (!scored)
        return rp__exec_no_memory(f);
    rp__topk_init(&topk, scored, k);
    for (size_t i = 0; i < r->n_found; i++)
        if (r->found[i].score >= topk.least)
            rp__topk_push(&topk, r->found[i].score, r->found[i].docid);
    rp__topk_finish(&topk);
    answer->at = topk.at;
    answer->n = topk.n;
    answer->total = r->answer.n;
    return RP_OK;
}

rp_status rp__fused_single_settle(flight *f)
{
    rp__exec_stage *s = stage_of(f);
    return s->is_busy ? rp__exec_stage_clean_up(s) : RP_OK;
}
