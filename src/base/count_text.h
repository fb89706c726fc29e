/* base/count_text.h: a count as people read it. */
#ifndef RP_BASE_COUNT_TEXT_H
#define RP_BASE_COUNT_TEXT_H

#include <stdint.h>

enum { RP_COUNT_TEXT_BYTES = 32 };

/* 1,234,567; returns out. */
char *rp__count_text(char out[RP_COUNT_TEXT_BYTES], uint64_t v);

#endif
