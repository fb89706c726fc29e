/* lab/term_queries.h: queries of an index's own terms, for who has no log: two to four terms, the
 * second list up to 8,192 times as long as the shortest; and pairs of terms by the ratio of their
 * lists. */
#ifndef RP_LAB_TERM_QUERIES_H
#define RP_LAB_TERM_QUERIES_H

#include "lab/bench_query_set.h"

/* n of them at most, drawn by the seed; free the set. RP_NOT_FOUND: the index has no two terms to
 * draw from. */
rp_status rp__term_queries_make(rp__bench_query_set *set, const rp_index *index, uint64_t n,
                                uint64_t seed, rp_error *err);

/* Griffin's seven groups of pairs: the longer list has `longer` postings to twice as many, and
 * below 16 times those of the shorter one, or 16 to 32, and so on to below 1,024 times; n pairs of
 * each group at most. Free the set. RP_NOT_FOUND: the index has no such pair. */
rp_status rp__term_queries_make_pairs(rp__bench_query_set *set, const rp_index *index, uint64_t n,
                                      uint64_t longer, uint64_t seed, rp_error *err);

#endif
