/* cost.c: built-in rules by list length, of one core beside an H200.
 *
 * A launch has a price of its own, and each posting that is read adds to it; as one of a batch a query pays a small share
 * of the launch. */
#include "plan/cost.h"

#include "plan/plan.h"

enum {
    CORE_NS = 2000, /* of any query on a core, beside its work */
    FEED_NS = 1200, /* of a core, for a query of the card */
};

/* start, batch_start: nanoseconds; posting_ps: picoseconds of each posting that decides. */
static const struct rule {
    uint32_t start, batch_start, posting_ps;
} rules[RP_AUTO_SHAPES] = {
    [RP_AUTO_TERM] = {11000, 400, 25},        [RP_AUTO_AND] = {17000, 350, 60},
    [RP_AUTO_OR] = {36000, 4000, 16},         [RP_AUTO_COUNTED_OR] = {45000, 20000, 40},
    [RP_AUTO_PHRASE] = {60000, 20000, 1000},
};

static void find_shortest(const rp__query *query, rp__policy_job *out)
{
    out->shortest = out->second = query->n_words ? UINT64_MAX : 0;
    for (size_t i = 0; i < query->n_words; i++) {
        const uint64_t df = query->words[i].term.df;
        if (df < out->shortest) {
            out->second = out->shortest;
            out->shortest = df;
        } else if (df < out->second) {
            out->second = df;
        }
    }
    if (query->n_words == 1)
        out->second = out->shortest;
}

void rp__cost_estimate(const rp__query *query, rp__policy_job *out)
{
    rp__auto_facts facts;
    rp__auto_processor_look(query, &facts);
    const struct rule *rule = &rules[facts.shape];
    const bool by_blocks = facts.shape == RP_AUTO_AND || facts.shape == RP_AUTO_PHRASE;
    const uint64_t postings = by_blocks ? facts.in_blocks
                              : facts.shape == RP_AUTO_OR
                                  ? rp__auto_processor_weigh(facts.postings, facts.longest)
                                  : facts.postings;
    const uint64_t reading = postings / 1000 * rule->posting_ps;
    find_shortest(query, out);
    out->cpu_ns = CORE_NS + rp__auto_processor_estimate(facts.shape, query->work,
                                                        &rp__auto_processor_tuning);
    out->gpu_ns = facts.shape == RP_AUTO_OTHER ? RP_POLICY_NEVER : rule->start + reading;
    out->batch_ns = rule->batch_start + reading;
    out->feed_ns = FEED_NS;
}
