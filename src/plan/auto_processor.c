/* auto_processor.c: which processor is likely to answer a query sooner, from the query and the dictionary alone.
 *
 * The thresholds are of one core beside an H200. `riposte bench queries --processors cpu,gpu,auto` measures a choice
 * and names the threshold that would have been best; `--auto` tries other ones (docs/processors.md). Any choice gives
 * the same hits. */
#include "plan/plan.h"

enum { TERMS_MAX = 64, OR_TERMS_MAX = 256 }; /* of an AND, and of an OR, that a card answers */

#define K(n) ((uint64_t)(n) << 10)

const rp__auto_tuning rp__auto_processor_tuning = {
    .min_postings =
        {
            [RP_AUTO_BURST] = {[RP_AUTO_TERM] = K(64),
                               [RP_AUTO_AND] = K(24),
                               [RP_AUTO_OR] = K(4),
                               [RP_AUTO_COUNTED_OR] = K(128),
                               [RP_AUTO_PHRASE] = RP_AUTO_NEVER,
                               [RP_AUTO_OTHER] = RP_AUTO_NEVER},
            [RP_AUTO_LONE] = {[RP_AUTO_TERM] = K(256),
                              [RP_AUTO_AND] = K(48),
                              [RP_AUTO_OR] = 512,
                              [RP_AUTO_COUNTED_OR] = K(512),
                              [RP_AUTO_PHRASE] = RP_AUTO_NEVER,
                              [RP_AUTO_OTHER] = RP_AUTO_NEVER},
            [RP_AUTO_BATCH] = {[RP_AUTO_OTHER] = RP_AUTO_NEVER},
        },
    .max_k = {[RP_AUTO_BURST] = 1024, [RP_AUTO_LONE] = 1024, [RP_AUTO_BATCH] = 10000},
    .deep_k = 100,
    .deep_share = 4,
    .lone_us = 5000,
    .work_ps = {[RP_AUTO_TERM] = 50,
                [RP_AUTO_AND] = 900,
                [RP_AUTO_OR] = 160,
                [RP_AUTO_COUNTED_OR] = 200,
                [RP_AUTO_PHRASE] = 1000,
                [RP_AUTO_OTHER] = 1000},
    .attach_us = 300000,
};

static bool are_terms(const rp__query *query, uint8_t role)
{
    for (size_t i = 1; i + 1 < query->n_ops; i++)
        if (query->ops[i].kind != RP_OP_TERM || query->ops[i].role != role)
            return false;
    return true;
}

static rp__auto_shape find_shape(const rp__query *query)
{
    if (query->algorithm || query->rank->ranking->kind != RP_RANK_BM25 || query->n_ops < 3 ||
        query->n_ops - 2 > OR_TERMS_MAX)
        return RP_AUTO_OTHER;
    if (query->n_ops == 3 && query->ops[1].role != RP_NOT)
        return query->ops[1].kind == RP_OP_TERM ? RP_AUTO_TERM : RP_AUTO_PHRASE;
    if (are_terms(query, RP_MUST))
        return query->n_ops - 2 > TERMS_MAX ? RP_AUTO_OTHER : RP_AUTO_AND;
    if (!are_terms(query, RP_SHOULD))
        return RP_AUTO_OTHER;
    return query->exact_total || query->k == 0 ? RP_AUTO_COUNTED_OR : RP_AUTO_OR;
}

uint64_t rp__auto_processor_count(const rp__query *query)
{
    uint64_t shortest = UINT64_MAX, sum = 0;
    for (size_t i = 0; i < query->n_words; i++)
        if (query->words[i].term.df < shortest)
            shortest = query->words[i].term.df;
    for (size_t i = 0; i < query->n_words; i++) {
        const uint64_t df = query->words[i].term.df, max = shortest * RP_BLOCK;
        sum += df < max ? df : max;
    }
    return sum;
}

uint64_t rp__auto_processor_count_pair(const rp__query *query)
{
    uint64_t shortest = UINT64_MAX, second = UINT64_MAX;
    for (size_t i = 0; i < query->n_words; i++) {
        const uint64_t df = query->words[i].term.df;
        second = df < shortest ? shortest : df < second ? df : second;
        shortest = df < shortest ? df : shortest;
    }
    if (query->n_words < 2)
        return query->n_words ? shortest : 0;
    const uint64_t max = shortest * RP_BLOCK;
    return shortest + (query->n_words - 1) * (second < max ? second : max);
}

uint64_t rp__auto_processor_weigh(uint64_t postings, uint64_t longest)
{
    enum { OF_LONGEST = 256 };
    return postings - longest + longest / OF_LONGEST;
}

void rp__auto_processor_look(const rp__query *query, rp__auto_facts *out)
{
    *out = (rp__auto_facts){.shape = find_shape(query), .k = query->k};
    out->in_blocks = rp__auto_processor_count(query);
    out->in_pair = rp__auto_processor_count_pair(query);
    for (size_t i = 0; i < query->n_words; i++) {
        uint64_t df = query->words[i].term.df;
        out->longest = df > out->longest ? df : out->longest;
        out->postings += df;
    }
}

uint64_t rp__auto_processor_estimate(rp__auto_shape shape, uint64_t work,
                                     const rp__auto_tuning *tuning)
{
    const double ns = (double)work * (double)tuning->work_ps[shape] / 1e3;
    return ns < 1e11 ? (uint64_t)ns : (uint64_t)1e11;
}

static rp__auto_pace find_pace(const rp__auto_facts *facts, const rp__auto_tuning *tuning)
{
    if (facts->in_batch)
        return RP_AUTO_BATCH;
    return facts->idle_us >= tuning->lone_us ? RP_AUTO_LONE : RP_AUTO_BURST;
}

static bool goes_by_blocks(const rp__auto_facts *facts)
{
    return facts->shape == RP_AUTO_AND || facts->shape == RP_AUTO_PHRASE;
}

uint64_t rp__auto_processor_reading(const rp__auto_facts *facts)
{
    if (goes_by_blocks(facts))
        return facts->in_blocks;
    return facts->shape == RP_AUTO_OR ? rp__auto_processor_weigh(facts->postings, facts->longest)
                                      : facts->postings;
}

/* The postings that decide. What an AND's two shortest lists have in common is what it looks up in
 * longer ones, so these hardly count: with them the same threshold would not do for web pages and
 * for short texts. */
static uint64_t find_postings(const rp__auto_facts *facts)
{
    return facts->shape == RP_AUTO_AND ? facts->in_pair : rp__auto_processor_reading(facts);
}

/* Whether they reach the threshold; threads of the CPU share them. */
static bool is_long(const rp__auto_facts *facts, const rp__auto_tuning *tuning, rp__auto_pace pace)
{
    const uint64_t min_postings = tuning->min_postings[pace][facts->shape];
    const uint64_t threads = facts->threads ? facts->threads : 1;
    const bool is_deep = !goes_by_blocks(facts) && facts->k >= tuning->deep_k;
    if (min_postings == RP_AUTO_NEVER)
        return false;
    return find_postings(facts) / threads >=
           (is_deep ? min_postings / tuning->deep_share : min_postings);
}

bool rp__auto_processor_is_for_card(const rp__auto_facts *facts, const rp__auto_tuning *tuning)
{
    const rp__auto_pace pace = find_pace(facts, tuning);
    return facts->is_attached && facts->k <= tuning->max_k[pace] && is_long(facts, tuning, pace);
}
