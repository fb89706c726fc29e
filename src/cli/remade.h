/* cli/remade.h: what is told of an index that was made from an index. */
#ifndef RP_CLI_REMADE_H
#define RP_CLI_REMADE_H

#include "cli/console.h"
#include "riposte/index.h"

/* An index, which may be gone when it is told of. */
typedef struct rp__remade_side {
    const char *dir;
    char codec[32], freqs[32];
    uint64_t bytes_lists, bytes_docids, bytes_total; /* bytes_docids: of lists that are not tiny, */
    uint64_t postings;                               /* and how many postings those have */
} rp__remade_side;

typedef struct rp__remade {
    const char *schema;
    const char *by; /* the order that documents got; NULL: they stayed */
    rp__remade_side from, to;
    rp_build_stats stats;
} rp__remade;

rp_status rp__remade_look(rp__remade_side *side, const char *dir, rp_error *err);
/* As the console wants it: an object, lines, or nothing. */
rp_status rp__remade_tell(rp__console *console, const rp__remade *made, rp_error *err);

#endif
