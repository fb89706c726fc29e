/* lab/gpu/gpu_source.h: lists and queries that cases run on in place of synthetic ones. */
#ifndef RP_LAB_GPU_GPU_SOURCE_H
#define RP_LAB_GPU_GPU_SOURCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct rp__gpu_source_list {
    const uint32_t *docids, *tfs;
    uint32_t n;
} rp__gpu_source_list;

/* Two lists, by number: A is not longer than B. */
typedef struct rp__gpu_source_pair {
    uint32_t a, b;
} rp__gpu_source_pair;

typedef struct rp__gpu_source {
    const rp__gpu_source_list *lists; /* each once */
    size_t n_lists;
    uint64_t n;                       /* postings of them all */
    uint32_t universe;                /* documents */
    const rp__gpu_source_pair *pairs; /* the shortest list of a query, and another one */
    size_t n_pairs;
    /* Scores of all documents for a query, `universe` of them, which are 0 before. */
    size_t n_queries;
    void (*score)(const struct rp__gpu_source *source, size_t query, uint32_t *scores);
} rp__gpu_source;

/* The pair whose B is about `ratio` times as long as its A: of those within half as much again the
 * longest, else the nearest. There is a list. Without queries, of the lists the longest as B. */
rp__gpu_source_pair rp__gpu_source_choose(const rp__gpu_source *source, uint32_t ratio);

#endif
