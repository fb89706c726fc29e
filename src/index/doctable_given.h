/* index/doctable_given.h: interior of index: documents whose ids and lengths somebody knows
 * already: two bytes a document are held, and ids go out as they come. One thread. */
#ifndef RP_INDEX_DOCTABLE_GIVEN_H
#define RP_INDEX_DOCTABLE_GIVEN_H

#include "index/format.h"
#include "index/index.h"

typedef struct rp__doctable_given {
    rp__doc_source docs;
    uint16_t *codes; /* bytes where lengths.code_bytes is 1 */
    uint32_t *table;
    rp__lengths lengths; /* views of both */
    uint64_t tokens;
} rp__doctable_given;

/* Asks for all lengths. After a failure too, reset it. */
rp_status rp__doctable_given_init(rp__doctable_given *t, const rp__doc_source *docs);
void rp__doctable_given_reset(rp__doctable_given *t); /* all zero is fine */
/* The docs file. */
rp_status rp__doctable_given_write(const rp__doctable_given *t, const rp__folder *folder,
                                   const char *name, rp__meta_file *file, rp_error *err);

#endif
