/* index/list_coder.h: interior of index: one list to bytes: cut, bounds, docids and frequencies. */
#ifndef RP_INDEX_LIST_CODER_H
#define RP_INDEX_LIST_CODER_H

#include "index/index.h"

/* One thread at a time. */
typedef struct rp__list_coder {
    rp__codec codec; /* its frequencies in the code that was asked for */
    rp__codec_options options;
    const rp__lengths *lengths; /* of the documents, the caller's */
    const float *norms;         /* by code of length, the caller's */
    uint32_t *ends, *scratch;
    uint8_t *bounds;
    size_t cap_ends, cap_scratch, cap_bounds;
} rp__list_coder;

void rp__list_coder_init(rp__list_coder *coder, const rp__coding *coding,
                         const rp__lengths *lengths, const float *norms);
void rp__list_coder_reset(rp__list_coder *coder);
/* bytes of n postings, encoded */
size_t rp__list_coder_bound(const rp__list_coder *coder, size_t n);
/* the most that reserve will hold */
uint64_t rp__list_coder_bytes(const rp__list_coder *coder, size_t n);
/* Memory for lists of up to n postings. */
bool rp__list_coder_reserve(rp__list_coder *coder, size_t n);
/* After reserve; allocates nothing. docids rising and below the number of documents; pos_offsets
 * NULL: there are no positions. `out` is 16-byte aligned and has the bound. RP_LIMIT: more than the
 * codec, or 4 GiB, can hold. */
rp_status rp__list_coder_encode(rp__list_coder *coder, const uint32_t *docids, const uint32_t *tfs,
                                size_t n, const uint32_t *pos_offsets, uint8_t *out, size_t *used);

#endif
