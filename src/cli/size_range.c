/* size_range.c: reads numbers with K or M, and ranges. */
#include "cli/size_range.h"

#include <stdlib.h>
#include <string.h>

/* *end is what follows. 0: it is none. */
static uint64_t read_one(const char *text, const char **end)
{
    char *after;
    uint64_t v = *text >= '1' && *text <= '9' ? strtoull(text, &after, 10) : 0;
    if (v == 0 || v > RP_SIZE_RANGE_MAX)
        return 0;
    v <<= *after == 'K' ? 10 : *after == 'M' ? 20 : 0;
    *end = after + (*after == 'K' || *after == 'M');
    return v <= RP_SIZE_RANGE_MAX ? v : 0;
}

bool rp__size_range_read(const char *text, uint64_t *from, uint64_t *to)
{
    const char *rest = text;
    *from = *to = read_one(text, &rest);
    if (*from > 0 && strncmp(rest, "..", 2) == 0)
        *to = read_one(rest + 2, &rest);
    return *from > 0 && *to >= *from && *rest == 0;
}
