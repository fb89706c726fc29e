/* index/draft.h: interior of index: a new index in a folder, from its first file to the rename that
 * makes it the index there. Whoever fills it writes the files of the generation that its meta
 * names. */
#ifndef RP_INDEX_DRAFT_H
#define RP_INDEX_DRAFT_H

#include "index/manifest.h"

typedef struct rp__draft {
    rp__folder folder;
    rp__manifest manifest; /* as it will be published; the stop words are the draft's */
    /* generation of the index that is there; 0: none, or it cannot be read */
    uint64_t replaced;
    bool is_published;
} rp__draft;

/* Makes and locks the folder, clears what a killed build left, and takes the next generation. The
 * draft must not move until its end. */
rp_status rp__draft_begin(rp__draft *draft, const char *dir, rp_error *err);
/* The name of its file of that kind. */
void rp__draft_name(const rp__draft *draft, rp__file_kind kind, char out[RP_FILE_NAME_MAX]);
rp_status rp__draft_publish(rp__draft *draft, rp_error *err);
uint64_t rp__draft_bytes(const rp__draft *draft); /* of all its files */
/* Removes its files unless they are published. After a begin that failed too; all zero is not
 * fine. */
void rp__draft_end(rp__draft *draft);

#endif
