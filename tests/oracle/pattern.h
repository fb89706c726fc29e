/* oracle/pattern.h: what fits a wildcard, and how far words are apart, by the plainest means. */
#ifndef RP_TESTS_ORACLE_PATTERN_H
#define RP_TESTS_ORACLE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

/* '*' is any characters, '?' is one. */
bool pattern_fits(const char *pattern, const char *text);
/* Characters to put in, take out or change to make one of the other. */
uint32_t pattern_distance(const char *a, const char *b);

#endif
