/* lab/latencies.h: what a load reports of times, in seconds. */
#ifndef RP_LAB_LATENCIES_H
#define RP_LAB_LATENCIES_H

typedef struct rp__latencies {
    double mean, p50, p80, p90, p95, p99, p999, most; /* of those answered */
    double generator_mean, generator_most; /* that requests were sent late by this side */
} rp__latencies;

#endif
