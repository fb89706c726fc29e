/* launch_policy.c: the choice of a row, from a query's shape, lengths and options. */
#include "backend/gpu/exec/launch_policy.h"

#include "backend/algorithm_spec.h"
#include "backend/gpu/kernels/args.h"
#include "backend/gpu/kernels/tuning.h"

rp__launch_tuning rp__launch_policy_tuning = {.and_batch_from = TUNE_AND_BATCH_FROM,
                                              .or_maxscore_from = TUNE_OR_MAXSCORE_FROM,
                                              .or_counts = TUNE_OR_COUNTS};

/* ---- A query ------------------------------------------------------------------------------------ */

bool rp__launch_policy_is_flat(const rp__query *query, uint8_t role)
{
    for (size_t i = 1; i + 1 < query->n_ops; i++)
        if (query->ops[i].kind != RP_OP_TERM || query->ops[i].role != role)
            return false;
    return query->n_ops > 2;
}

/* One term alone is an AND, whatever its role. */
static rp__shape shape_of(const rp__query *query)
{
    if (query->n_ops == 0 || query->begin >= query->end || query->begin >= query->lengths.n_docs)
        return RP_SHAPE_NOTHING;
    if (query->n_ops == 3 && query->ops[1].kind == RP_OP_PHRASE)
        return RP_SHAPE_PHRASE;
    if (rp__launch_policy_is_flat(query, RP_MUST))
        return RP_SHAPE_AND;
    if (!rp__launch_policy_is_flat(query, RP_SHOULD))
        return RP_SHAPE_OTHER;
    return query->n_ops > 3 ? RP_SHAPE_OR : RP_SHAPE_AND;
}

const rp__launch_row *rp__launch_policy_find(const char *algorithm)
{
    for (size_t i = 0; algorithm && i < RP_LAUNCHES; i++) {
        const char *name = rp__launch_table[i].algorithm;
        if (name && rp__algorithm_spec_is(algorithm, name))
            return &rp__launch_table[i];
    }
    return NULL;
}

/* Of terms that the index does not know, one empties an AND or a phrase, and all empty an OR. */
rp__launch_request rp__launch_policy_request(const rp__query *query, bool is_whole, bool in_group)
{
    rp__launch_request r = {.shape = shape_of(query),
                            .k = query->k,
                            .exact_total = query->exact_total,
                            .is_part = query->begin > 0 || query->end < query->lengths.n_docs,
                            .is_whole = is_whole,
                            .in_group = in_group,
                            .named = rp__launch_policy_find(query->algorithm),
                            .shortest = UINT32_MAX};
    uint32_t longest = 0;
    for (size_t i = 0; i < query->n_words; i++) {
        const uint32_t df = query->words[i].term.df;
        r.shortest = df < r.shortest ? df : r.shortest;
        longest = df > longest ? df : longest;
    }
    if (r.shape == RP_SHAPE_PHRASE)
        r.n_terms = query->leaves[query->ops[1].leaf].n_words;
    else if (query->n_ops > 2)
        r.n_terms = (uint32_t)(query->n_ops - 2);
    if (r.shape != RP_SHAPE_OTHER && (r.shape == RP_SHAPE_OR ? longest : r.shortest) == 0)
        r.shape = RP_SHAPE_NOTHING;
    return r;
}

rp_fallback rp__launch_policy_check(const rp__query *query)
{
    if (query->rank->ranking->kind == RP_RANK_DIRICHLET)
        return RP_FALLBACK_RANKING;
    if (query->algorithm && !rp__launch_policy_find(query->algorithm))
        return RP_FALLBACK_ALGORITHM;
    return query->lengths.n_table > 0 ? RP_FALLBACK_NONE : RP_FALLBACK_LENGTHS;
}

size_t rp__launch_policy_max_ranked(uint32_t shared_bytes)
{
    size_t keys = 1;
    while (KARG_TOPK_SHARED + 2 * keys * sizeof(uint64_t) <= shared_bytes)
        keys *= 2;
    return keys;
}

/* ---- Its row ------------------------------------------------------------------------------------ */

/* A long single term. Its total is the length of its list, so that also exact totals are had. */
static bool is_for_maxscore(const rp__launch_request *r)
{
    return r->n_terms == 1 && r->shortest >= rp__launch_policy_tuning.or_maxscore_from &&
           r->k > 0 && r->k <= KARG_OR_RANKED_HERE && !r->is_part && r->is_whole;
}

/* A long AND, of whose best few are wanted. */
static bool is_for_batch(const rp__launch_request *r)
{
    return r->n_terms > 1 && r->shortest >= rp__launch_policy_tuning.and_batch_from &&
           r->shortest <= RP_LAUNCH_ELEMENTS_MAX && r->k <= KARG_AND_RANKED && r->is_whole;
}

static rp__launch_id choose_and(const rp__launch_request *r)
{
    const rp__launch_row *persistent = &rp__launch_table[RP_LAUNCH_AND_PERSISTENT];
    if (r->in_group)
        return RP_LAUNCH_AND_BATCH;
    if (is_for_maxscore(r))
        return RP_LAUNCH_OR_MAXSCORE;
    if (is_for_batch(r))
        return RP_LAUNCH_AND_BATCH;
    bool is_short = r->n_terms <= persistent->max_terms && r->k <= persistent->max_k;
    return is_short && r->is_whole ? RP_LAUNCH_AND_PERSISTENT : RP_LAUNCH_AND_SINGLE;
}

static bool can_rank(const rp__launch_request *r, const rp__launch_row *row)
{
    const bool by_blocks = row->lane == RP_LANE_OR || row->lane == RP_LANE_AND;
    return (row->max_k == 0 || r->k <= row->max_k) &&
           (!by_blocks || r->max_ranked == 0 || r->k <= r->max_ranked);
}

/* What a row of tiles does not give. */
static rp_fallback check_tiles(const rp__launch_request *r, const rp__launch_row *row)
{
    if (!can_rank(r, row))
        return RP_FALLBACK_K;
    if (r->n_terms > row->max_terms)
        return RP_FALLBACK_TERMS;
    if ((r->exact_total || r->k == 0) && !rp__launch_policy_tuning.or_counts)
        return RP_FALLBACK_EXACT_TOTAL;
    return r->is_part ? RP_FALLBACK_RANGE : RP_FALLBACK_NONE;
}

static const rp__launch_row *choose_any(const rp__launch_request *r, rp_fallback *why)
{
    const bool is_long = r->n_terms > rp__launch_table[RP_LAUNCH_OR_MAXSCORE].max_terms;
    const rp__launch_row *row =
        &rp__launch_table[is_long ? RP_LAUNCH_OR_LONG : RP_LAUNCH_OR_MAXSCORE];
    rp_fallback refused = check_tiles(r, row);
    if (!refused)
        return row;
    if (!r->in_group)
        return &rp__launch_table[RP_LAUNCH_OR_ACCUMULATE];
    *why = refused;
    return NULL;
}

const rp__launch_row *rp__launch_policy_choose(const rp__launch_request *r, rp_fallback *why)
{
    const rp__launch_row *row = NULL;
    *why = RP_FALLBACK_NONE;
    if (r->shape == RP_SHAPE_NOTHING)
        return NULL;
    if (r->named && r->named->shapes & r->shape)
        row = r->named;
    else if (r->named || r->shape == RP_SHAPE_OTHER ||
             (r->shape == RP_SHAPE_PHRASE && !r->in_group))
        *why = r->named ? RP_FALLBACK_ALGORITHM : RP_FALLBACK_FORM;
    else if (r->shape == RP_SHAPE_OR)
        row = choose_any(r, why);
    else
        row = &rp__launch_table[r->shape == RP_SHAPE_AND ? choose_and(r) : RP_LAUNCH_PHRASE_BATCH];
    if (!row)
        return NULL;
    if (!can_rank(r, row))
        *why = RP_FALLBACK_K;
    else if (r->n_terms > row->max_terms)
        *why = RP_FALLBACK_TERMS;
    return *why ? NULL : row;
}

bool rp__launch_policy_is_group_and(const rp__query *query, uint32_t *shortest)
{
    const rp__launch_row *row = &rp__launch_table[RP_LAUNCH_AND_BATCH];
    uint32_t min_df = UINT32_MAX;
    bool is_and = true;
    if (query->n_ops < 3 || query->n_ops - 2 > row->max_terms || query->k > row->max_k ||
        query->algorithm || query->begin >= query->end || query->begin >= query->lengths.n_docs)
        return false;
    for (const rp__op *op = query->ops + 1, *end = query->ops + query->n_ops - 1; op < end; op++)
        is_and = is_and && op->kind == RP_OP_TERM && op->role == RP_MUST;
    for (size_t i = 0; i < query->n_words; i++)
        min_df = query->words[i].term.df < min_df ? query->words[i].term.df : min_df;
    *shortest = min_df;
    return is_and && min_df > 0;
}

const rp__launch_row *rp__launch_policy_last(rp__shape shape)
{
    return shape == RP_SHAPE_AND  ? &rp__launch_table[RP_LAUNCH_AND_SINGLE]
           : shape == RP_SHAPE_OR ? &rp__launch_table[RP_LAUNCH_OR_ACCUMULATE]
                                  : NULL;
}
