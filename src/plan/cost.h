/* plan/cost.h: what a query is likely to cost each processor, before it is answered. */
#ifndef RP_PLAN_COST_H
#define RP_PLAN_COST_H

#include "backend/backend.h"
#include "plan/policy.h"

/* Fills in the costs and the two shortest lists of a bound query; arrival and deadline are the
 * caller's. Integers only, so that it says the same on every machine. */
void rp__cost_estimate(const rp__query *query, rp__policy_job *out);

#endif
