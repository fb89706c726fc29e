/* wand.h: the lists of a flat OR in the order of the documents they stand on, for wand.c and bmw.c.
 * Interior. */
#ifndef RP_BACKEND_CPU_WAND_H
#define RP_BACKEND_CPU_WAND_H

#include "backend/cpu/cpu_run.h"

typedef struct rp__wand_list {
    rp__reader *reader;
    const rp__score *score;
    uint32_t docid; /* that its reader stands on */
    uint32_t bound; /* no posting contributes more */
    /* Of bmw.c: the block that was looked at last, stood in or not; the end is its last docid. */
    uint32_t block, block_end, block_bound;
} rp__wand_list;

typedef struct rp__wand {
    rp__cpu_run *run;
    rp__wand_list **order; /* by rising docid; all below the query's end */
    size_t n;
} rp__wand;

/* Starts the readers. RP_NO_MEMORY. */
rp_status rp__wand_open(rp__wand *w, rp__cpu_run *run);
/* The first list such that documents before its own cannot enter, all lists that may hold them
 * having too little together; n: no document that is left can. */
size_t rp__wand_pivot(const rp__wand *w);
/* The list of that place goes on to docid, which is above its own. */
void rp__wand_move(rp__wand *w, size_t i, uint32_t docid);
/* The last list before the pivot's document goes on to it. */
void rp__wand_gather(rp__wand *w, size_t pivot);
/* All lists that stand on the first document leave it. */
void rp__wand_pass(rp__wand *w);
/* What the list adds to the score of the document it stands on. */
uint32_t rp__wand_score(rp__wand_list *list);

#endif
