/* engine/dropped.h: interior of engine: names of fields that were not indexed, each once.
 *
 * Bounded: beyond RP_DROPPED_NAMES only that there are more is known. One thread at a time. */
#ifndef RP_ENGINE_DROPPED_H
#define RP_ENGINE_DROPPED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { RP_DROPPED_NAMES = 24, RP_DROPPED_BYTES = 48 };

typedef struct rp__dropped {
    char names[RP_DROPPED_NAMES][RP_DROPPED_BYTES]; /* longer ones are cut */
    size_t bytes[RP_DROPPED_NAMES];
    size_t n, next; /* next: which one is expected, as records repeat their order */
    bool has_more;
} rp__dropped;

void rp__dropped_add(rp__dropped *dropped, const char *name, size_t bytes);
void rp__dropped_merge(rp__dropped *to, const rp__dropped *from);
/* `"author", "date" and more`, sorted; nothing if there are none. */
void rp__dropped_put(rp__dropped *dropped, rp__buf *out);

#endif
