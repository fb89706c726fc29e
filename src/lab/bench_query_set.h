/* lab/bench_query_set.h: the queries of a bench: read from a file, chosen, sampled. */
#ifndef RP_LAB_BENCH_QUERY_SET_H
#define RP_LAB_BENCH_QUERY_SET_H

#include "riposte/search.h"
#include "riposte/topics.h"

/* Which queries of a file; all zero: all of them. */
typedef struct rp__bench_choice {
    uint32_t words_least, words_most; /* words that differ; most 0: any number */
    bool known;                       /* every word is in the index */
    uint64_t min_hits;                /* documents that have all words, at the least */
    uint64_t sample, seed;            /* of those left so many, drawn by the seed; 0: all */
} rp__bench_choice;

typedef struct rp__bench_query {
    rp_topic topic;
    char *phrase; /* the same text between quotes */
    size_t phrase_bytes;
} rp__bench_query;

typedef struct rp__bench_query_set {
    rp__bench_query *at;
    size_t n, cap;
    uint64_t read; /* queries of the file */
    rp_topics *topics;
} rp__bench_query_set;

/* RP_NOT_FOUND: none is left. RP_INPUT: one cannot be asked; its line is named. */
rp_status rp__bench_query_set_read(rp__bench_query_set *set, const char *path, const char *format,
                                   const rp_index *index, bool plain,
                                   const rp__bench_choice *choice, rp_error *err);
void rp__bench_query_set_free(rp__bench_query_set *set); /* all zero is fine */

#endif
