/* riposte/riposte.h: all that a program needs to use Riposte. See index.h, then search.h. */
#ifndef RIPOSTE_RIPOSTE_H
#define RIPOSTE_RIPOSTE_H

#include "riposte/eval.h"
#include "riposte/index.h"
#include "riposte/search.h"
#include "riposte/status.h"
#include "riposte/topics.h"

#define RP_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, as RP_VERSION is of the header. */
const char *rp_version(void);
/* sizeof a record by its name, "rp_hits", in the library that is linked; 0: it does not say. For
 * callers in other languages, who lay records out themselves. */
size_t rp_record_bytes(const char *name);

/* A library that this one is linked with. Both strings last for ever. */
typedef struct rp_linked {
    const char *name;
    const char *version; /* of the one that runs; "": it does not say */
} rp_linked;

bool rp_linked_get(size_t i, rp_linked *out); /* false: past the last */

#ifdef __cplusplus
}
#endif
#endif
