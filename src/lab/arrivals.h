/* lab/arrivals.h: when the next request of an open loop arrives. */
#ifndef RP_LAB_ARRIVALS_H
#define RP_LAB_ARRIVALS_H

#include <math.h>
#include <stdbool.h>

#include "base/random.h"

/* The time to the next arrival, by the mean one: that, or of a Poisson stream a random one. */
static inline double rp__arrivals_gap(rp__random *random, bool is_poisson, double mean)
{
    const double unit = ((double)(rp__random_next(random) >> 11) + 0.5) * 0x1p-53;
    return is_poisson ? -log(unit) * mean : mean;
}

#endif
