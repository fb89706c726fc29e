/* serve/metrics.h: what was asked and how long it took, as counters that any thread adds to, and as
 * Prometheus text. */
#ifndef RP_SERVE_METRICS_H
#define RP_SERVE_METRICS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "serve/cache.h"
#include "serve/service.h"

/* X(code, name) */
#define RP_METRIC_OPS(X)                                                                           \
    X(SEARCH, "search")                                                                            \
    X(MSEARCH, "msearch")                                                                          \
    X(COUNT, "count")                                                                              \
    X(SUGGEST, "suggest")                                                                          \
    X(EXPLAIN, "explain")                                                                          \
    X(DOCS, "docs")                                                                                \
    X(STATS, "stats")                                                                              \
    X(OTHER, "other")

#define RP_METRIC_STATUSES(X)                                                                      \
    X(OK, "ok")                                                                                    \
    X(PARTIAL, "partial")                                                                          \
    X(REFUSED, "refused")                                                                          \
    X(INVALID, "invalid")                                                                          \
    X(NOT_FOUND, "not_found")                                                                      \
    X(FAILED, "failed")

#define RP_METRIC_REASONS(X)                                                                       \
    X(QUEUE, "queue")                                                                              \
    X(HEAD, "head")                                                                                \
    X(BODY, "body")                                                                                \
    X(TOKEN, "token")                                                                              \
    X(HOST, "host")                                                                                \
    X(SLOW, "slow")                                                                                \
    X(MEMORY, "memory")

#define RP_METRIC_ENUM(code, name) RP_OP_##code,
typedef enum rp__op { RP_METRIC_OPS(RP_METRIC_ENUM) RP_OPS } rp__op;
#undef RP_METRIC_ENUM
#define RP_METRIC_ENUM(code, name) RP_RESULT_##code,
typedef enum rp__result { RP_METRIC_STATUSES(RP_METRIC_ENUM) RP_RESULTS } rp__result;
#undef RP_METRIC_ENUM
#define RP_METRIC_ENUM(code, name) RP_REJECTED_##code,
typedef enum rp__rejected { RP_METRIC_REASONS(RP_METRIC_ENUM) RP_REJECTEDS } rp__rejected;
#undef RP_METRIC_ENUM

enum {
    RP_METRIC_PROCESSORS = 3,
    RP_METRIC_BUCKETS = 18,
    RP_METRIC_BATCHES = 12,
    RP_METRIC_PARTS = 16
};

typedef struct rp__histogram {
    uint64_t buckets[RP_METRIC_BUCKETS + 1]; /* the last: over all bounds */
    uint64_t sum, queued;                    /* nanoseconds */
} rp__histogram;

/* What some threads have counted: one line of the cache that all write to would go from core to
 * core with every request. */
typedef struct rp__metrics_part {
    /* Times of queries. */
    _Atomic uint64_t buckets[RP_METRIC_PROCESSORS][RP_METRIC_BUCKETS + 1];
    _Atomic uint64_t sum[RP_METRIC_PROCESSORS];
    _Atomic uint64_t queued[RP_METRIC_PROCESSORS]; /* of the sum, before somebody began with them */
    _Atomic uint64_t begun, ended; /* requests whose head has come; of these, those that are over */
    _Atomic uint64_t answered;     /* replies */
    uint8_t apart[64];             /* other threads' are in other lines of the cache */
} rp__metrics_part;

/* Of one index, by some threads. */
typedef struct rp__index_metrics {
    _Atomic uint64_t queries[RP_OPS][RP_METRIC_PROCESSORS][RP_RESULTS];
    _Atomic uint64_t postings[RP_METRIC_PROCESSORS]; /* that queries have read */
    uint8_t apart[64];
} rp__index_metrics;

typedef struct rp__metrics {
    size_t n_indexes;
    rp__index_metrics *indexes; /* of all indexes for each part */
    rp__metrics_part parts[RP_METRIC_PARTS];
    _Atomic uint64_t batches[RP_METRIC_BATCHES + 1], batched; /* sizes by powers of two; sum */
    _Atomic uint64_t moves;
    _Atomic uint64_t fallbacks[RP_FALLBACKS]; /* answers of a core in place of a card, by reason */
    _Atomic uint64_t rejected[RP_REJECTEDS];
    _Atomic uint64_t connections; /* now */
} rp__metrics;

rp_status rp__metrics_open(rp__metrics *metrics, size_t n_indexes, rp_error *err);
void rp__metrics_close(rp__metrics *metrics);

/* A head has come; returns a number that no other request has. */
uint64_t rp__metrics_begin(rp__metrics *metrics);
/* Its reply goes. */
void rp__metrics_answer(rp__metrics *metrics);
/* The request is over. */
void rp__metrics_end(rp__metrics *metrics);
uint64_t rp__metrics_requests(rp__metrics *metrics); /* that were answered */
/* Requests that have begun and are not over. */
uint64_t rp__metrics_in_flight(rp__metrics *metrics);

void rp__metrics_count(rp__metrics *metrics, size_t index, rp__op op, const char *processor,
                       rp__result result);
/* A query of an index that an executor answered. */
void rp__metrics_time(rp__metrics *metrics, size_t index, const rp_outcome *outcome);
void rp__metrics_reject(rp__metrics *metrics, rp__rejected reason);
/* The times of a processor's queries. */
void rp__metrics_get_times(rp__metrics *metrics, size_t processor, rp__histogram *out);
/* Upper bound of a bucket of times; the name of a processor that is counted apart. */
uint64_t rp__metrics_bound_us(size_t bucket);
const char *rp__metrics_processor(size_t i);
/* cache NULL: there is none. */
void rp__metrics_write(rp__metrics *metrics, rp__service *service, rp__cache *cache, rp__buf *out);

#endif
