/* lookup_cost.c: steps of binary search times what a step costs: a first docid of a segment is one
 * access, a coded docid is two, and each is compared once.
 * Source: Ao et al. 2011, 5.3, formula (2) and the two after it. */
#include "lab/lookup_cost.h"

#include <math.h>

/* A range that is narrower than one element is not searched. */
static double steps(double width)
{
    return width > 1 ? ceil(log2(width)) : 0;
}

static double head_step(rp__lookup_times t)
{
    return t.access + t.compare;
}

static double docid_step(rp__lookup_times t)
{
    return 2 * t.access + t.compare;
}

double rp__lookup_cost_headed(const rp__lookup_list *lists, size_t n, double segment,
                              rp__lookup_times t)
{
    double cost = 0;
    for (size_t i = 0; i < n; i++)
        cost += head_step(t) * steps(lists[i].contraction * lists[i].n / segment) +
                docid_step(t) * steps(segment);
    return cost;
}

double rp__lookup_cost_headless(const rp__lookup_list *lists, size_t n, rp__lookup_times t)
{
    double cost = 0;
    for (size_t i = 0; i < n; i++)
        cost += docid_step(t) * steps(lists[i].contraction * lists[i].n);
    return cost;
}

double rp__lookup_cost_local(const rp__lookup_list *lists, size_t n, double segment,
                             rp__lookup_times t)
{
    double cost = 0;
    for (size_t i = 0; i < n; i++)
        cost += head_step(t) * steps(lists[i].contraction * lists[i].n / segment) +
                docid_step(t) * steps(lists[i].local_contraction * segment);
    return cost;
}
