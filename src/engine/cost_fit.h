/* engine/cost_fit.h: interior of engine: a tree of cost rules from measured queries. */
#ifndef RP_ENGINE_COST_FIT_H
#define RP_ENGINE_COST_FIT_H

#include "plan/cost.h"

typedef struct rp__cost_sample {
    int32_t features[RP_COST_FEATURES];
    uint64_t ns;
} rp__cost_sample;

/* The features that Ding et al. have; all of ours. A bit for each. */
enum {
    RP_COST_DINGS =
        1 << RP_COST_SHORTEST | 1 << RP_COST_SECOND | 1 << RP_COST_TOTAL | 1 << RP_COST_TERMS,
    RP_COST_ALL = (1 << RP_COST_FEATURES) - 1
};

/* Regression by rules as M5 does it: the split that leaves the smallest squared errors of linear
 * models, best first, while it pays. Uses these features alone. RP_USAGE without samples;
 * RP_NO_MEMORY. */
rp_status rp__cost_fit(const rp__cost_sample *samples, size_t n, uint32_t features,
                       rp__cost_tree *out);

#endif
