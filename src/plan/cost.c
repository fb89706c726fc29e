/* cost.c: estimates from trees of log-linear rules, or from built-in rules by list length of one core beside an H200.
 *
 * Built-in: a launch has a price of its own, and each posting that is read adds to it; as one of a batch a query pays a
 * small share of the launch. */
#include "plan/cost.h"

#include <string.h>

#include "rank/fixed_log.h"

enum {
    CORE_NS = 2000, /* of any query on a core, beside its work */
    FEED_NS = 1200, /* of a core, for a query of the card */
    FRACTION = 16,  /* bits */
};
static const uint64_t max_ns = UINT64_C(100000000000);

/* ---- Logarithms ------------------------------------------------------------------------------ */

int32_t rp__cost_log(uint64_t x)
{
    return (int32_t)(rp__fixed_log((float)x + 1.0F) >> (RP_FIXED_LOG_BITS - FRACTION));
}

/* 2^f for 0 <= f < 1, both with 16 fraction bits: a cubic that is off by at most a 5,000th. */
static uint64_t exp2_fraction(uint64_t f)
{
    const uint64_t c1 = 45593, c2 = 14792, c3 = 5151; /* of f, f^2, f^3 */
    const uint64_t f2 = (f * f) >> FRACTION, f3 = (f2 * f) >> FRACTION;
    return (UINT64_C(1) << FRACTION) + ((c1 * f + c2 * f2 + c3 * f3) >> FRACTION);
}

uint64_t rp__cost_exp(int64_t log)
{
    const int64_t log2_e = 94548; /* with 16 fraction bits */
    if (log <= 0)
        return 1;
    if (log > INT64_C(26) << FRACTION)
        return max_ns;
    const uint64_t exponent = (uint64_t)(log * log2_e) >> FRACTION;
    const uint64_t fraction = exponent & ((1U << FRACTION) - 1);
    const uint64_t ns = exp2_fraction(fraction) << (exponent >> FRACTION) >> FRACTION;
    return ns < max_ns ? ns : max_ns;
}

/* ---- Trees ----------------------------------------------------------------------------------- */

bool rp__cost_tree_is_sound(const rp__cost_tree *tree)
{
    uint8_t parents[RP_COST_RULES] = {0};
    if (tree->n == 0 || tree->n > RP_COST_RULES)
        return false;
    for (uint32_t i = 0; i < tree->n; i++) {
        const rp__cost_rule *rule = &tree->rules[i];
        if (i > 0 && parents[i] != 1)
            return false;
        if (rule->feature == RP_COST_LEAF)
            continue;
        if (rule->feature >= RP_COST_FEATURES || rule->low <= i || rule->low >= tree->n ||
            rule->high <= i || rule->high >= tree->n || rule->low == rule->high)
            return false;
        parents[rule->low]++;
        parents[rule->high]++;
    }
    return true;
}

uint64_t rp__cost_tree_estimate(const rp__cost_tree *tree, const int32_t *features)
{
    const rp__cost_rule *rule = tree->rules;
    while (rule->feature != RP_COST_LEAF)
        rule = &tree->rules[features[rule->feature] < rule->threshold ? rule->low : rule->high];
    int64_t sum = rule->bias * (INT64_C(1) << FRACTION);
    for (int f = 0; f < RP_COST_FEATURES; f++)
        sum += (int64_t)rule->weights[f] * features[f];
    return rp__cost_exp(sum >> FRACTION);
}

/* ---- Queries --------------------------------------------------------------------------------- */

/* Words without a list take no time in an OR; in an AND they end the query. */
static bool counts(const rp__query *query, rp__auto_shape shape, size_t word)
{
    return query->words[word].term.df > 0 || (shape != RP_AUTO_OR && shape != RP_AUTO_COUNTED_OR);
}

/* The two shortest lists; how many there are. */
static size_t find_shortest(const rp__query *query, rp__cost_facts *out)
{
    size_t n = 0;
    out->shortest = out->second = UINT64_MAX;
    for (size_t i = 0; i < query->n_words; i++) {
        const uint64_t df = query->words[i].term.df;
        if (!counts(query, out->shape, i))
            continue;
        n++;
        if (df < out->shortest) {
            out->second = out->shortest;
            out->shortest = df;
        } else if (df < out->second) {
            out->second = df;
        }
    }
    if (n == 0)
        out->shortest = 0;
    if (n < 2)
        out->second = out->shortest;
    return n;
}

/* The logarithm of the documents that have all words, if words are independent; `all`: that of all documents. */
static int32_t expect_matches(const rp__query *query, rp__auto_shape shape, int64_t all)
{
    int64_t log = all;
    for (size_t i = 0; i < query->n_words; i++)
        if (counts(query, shape, i))
            log += rp__cost_log(query->words[i].term.df) - all;
    return log > INT32_MIN ? (int32_t)log : INT32_MIN;
}

/* Lists shorter than k, and where these have fewer than k postings in all, the next one too. */
static uint64_t count_fill(const rp__query *query)
{
    uint64_t sum = 0, next = UINT64_MAX;
    for (size_t i = 0; i < query->n_words; i++) {
        const uint64_t df = query->words[i].term.df;
        if (df < query->k)
            sum += df;
        else if (df < next)
            next = df;
    }
    return sum < query->k && next != UINT64_MAX ? sum + next : sum;
}

/* A core sees at once that nothing matches. Rules are fitted to queries that match something. */
static bool matches_nothing(const rp__cost_facts *facts)
{
    return facts->shortest == 0 && facts->shape != RP_AUTO_OTHER;
}

void rp__cost_look(const rp__query *query, rp__cost_facts *out)
{
    rp__auto_facts facts;
    rp__auto_processor_look(query, &facts);
    out->shape = facts.shape;
    out->postings = facts.postings;
    out->work = query->work;
    out->reading = 0;
    out->n_lists = find_shortest(query, out);
    if (!matches_nothing(out))
        out->reading = rp__auto_processor_reading(&facts);
}

void rp__cost_measure(const rp__query *query, rp__cost_facts *facts)
{
    int32_t *f = facts->features;
    if (matches_nothing(facts)) {
        memset(f, 0, sizeof facts->features);
        return;
    }
    const int64_t all = rp__cost_log(query->lengths.n_docs);
    f[RP_COST_SHORTEST] = rp__cost_log(facts->shortest);
    f[RP_COST_SECOND] = rp__cost_log(facts->second);
    f[RP_COST_TOTAL] = rp__cost_log(facts->postings);
    f[RP_COST_TERMS] = rp__cost_log(facts->n_lists);
    f[RP_COST_READING] = rp__cost_log(facts->reading);
    f[RP_COST_K] = rp__cost_log(query->k);
    f[RP_COST_PAIRS] = f[RP_COST_SHORTEST] + f[RP_COST_SECOND] - (int32_t)all;
    f[RP_COST_MATCHES] = expect_matches(query, facts->shape, all);
    f[RP_COST_FILL] = facts->shape == RP_AUTO_OR ? rp__cost_log(count_fill(query)) : 0;
}

/* start, batch_start: nanoseconds; posting_ps: picoseconds of each posting that is read. */
static const struct rule {
    uint32_t start, batch_start, posting_ps;
} built_in[RP_AUTO_SHAPES] = {
    [RP_AUTO_TERM] = {11000, 400, 25},       [RP_AUTO_AND] = {17000, 350, 60},
    [RP_AUTO_OR] = {36000, 4000, 16},        [RP_AUTO_COUNTED_OR] = {45000, 20000, 40},
    [RP_AUTO_PHRASE] = {60000, 20000, 1000},
};

/* By the tree, where there is one. */
static uint64_t estimate(const rp__cost_model *model, rp__cost_processor processor,
                         const rp__cost_facts *facts, uint64_t otherwise)
{
    const rp__cost_tree *tree =
        model && !matches_nothing(facts) ? &model->trees[processor][facts->shape] : NULL;
    return tree && tree->n > 0 ? rp__cost_tree_estimate(tree, facts->features) : otherwise;
}

void rp__cost_estimate(const rp__cost_model *model, const rp__cost_facts *facts,
                       rp__policy_job *out)
{
    const struct rule *rule = &built_in[facts->shape];
    const uint64_t reading = facts->reading / 1000 * rule->posting_ps;
    const uint64_t work = matches_nothing(facts) ? 0 : facts->work;
    const uint64_t core =
        CORE_NS + rp__auto_processor_estimate(facts->shape, work, &rp__auto_processor_tuning);
    out->shortest = facts->shortest;
    out->second = facts->second;
    out->cpu_ns = estimate(model, RP_COST_CPU, facts, core);
    out->gpu_ns = facts->shape == RP_AUTO_OTHER
                      ? RP_POLICY_NEVER
                      : estimate(model, RP_COST_GPU, facts, rule->start + reading);
    out->batch_ns = estimate(model, RP_COST_BATCH, facts, rule->batch_start + reading);
    if (out->batch_ns > out->gpu_ns)
        out->batch_ns = out->gpu_ns;
    out->feed_ns = model && model->feed_ns ? model->feed_ns : FEED_NS;
}
