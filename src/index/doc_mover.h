/* index/doc_mover.h: interior of index: documents and their stored text in another order. */
#ifndef RP_INDEX_DOC_MOVER_H
#define RP_INDEX_DOC_MOVER_H

#include "index/draft.h"
#include "index/segment.h"

typedef struct rp__doc_mover {
    const rp__segment *from;
    const uint32_t *order;  /* order[i] is the docid of the document that becomes i */
    uint64_t memory;        /* of the whole process: what is left of it keeps text unpacked */
    rp__draft *draft;       /* gets the files */
    rp__copied_fn *goes_on; /* told of bytes as they are moved; false: RP_INTERRUPTED */
    void *arg;
} rp__doc_mover;

/* Bytes that moving n documents takes, beside text. */
uint64_t rp__doc_mover_bytes(uint32_t n_docs);
/* Both files: the bytes are those of a build of the documents in this order. */
rp_status rp__doc_mover_run(const rp__doc_mover *m, rp_error *err);

#endif
