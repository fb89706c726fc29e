/* oracle/hits.h: what the cpu finds, for tests of other ways to find it. */
#ifndef RP_TESTS_ORACLE_HITS_H
#define RP_TESTS_ORACLE_HITS_H

#include "riposte/riposte.h"

/* By a searcher that knows no device and no executor, with exact totals; to be freed. A failure
 * fails the test. */
rp_hits hits_of_cpu(const rp_index *index, const char *text, rp_mode mode, size_t k);
/* The same documents in the same order, with the same scores and names. */
bool hits_are_same(const rp_hits *a, const rp_hits *b);

#endif
