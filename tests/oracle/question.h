/* oracle/question.h: queries by chance over what a collection holds. */
#ifndef RP_TESTS_ORACLE_QUESTION_H
#define RP_TESTS_ORACLE_QUESTION_H

#include "oracle/oracle.h"

/* Of any shape: flat ones, which are most of what people ask, and trees. The caller frees it. */
oracle_node *question_make(const oracle *o);
/* Words side by side and nothing else, which algorithms for flat queries answer. */
oracle_node *question_make_flat(const oracle *o);
/* Of any shape, with prefixes, wildcards and fuzzy words among its words. */
oracle_node *question_make_patterns(const oracle *o);
/* One phrase. */
oracle_node *question_make_phrase(const oracle *o);

#endif
