/* index/inverter.h: interior of index: terms and their postings in memory, and sorted runs of them.
 *
 * A posting stream is bytes: for each document varint gap from the document before (the first: its
 * docid), then, with positions, varint (position + 1) and rising gaps, ended by a zero byte;
 * without positions varint tf. A run is terms in byte order, each with its stream. */
#ifndef RP_INDEX_INVERTER_H
#define RP_INDEX_INVERTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"
#include "store/store.h"

typedef struct rp__inverter rp__inverter; /* one thread at a time */

rp_status rp__inverter_new(bool has_positions, rp__inverter **out);
void rp__inverter_free(rp__inverter *inv); /* NULL is fine */
/* Docids rise from call to call, positions within a docid; a term has 1 to 255 bytes. Tokens wait
 * and are taken in together. RP_LIMIT: too many wait, and this one was not added: drain, then add
 * it again. */
rp_status rp__inverter_add(rp__inverter *inv, uint32_t docid, const char *term, uint32_t bytes,
                           uint32_t position);
/* Takes in the tokens that wait. RP_NO_MEMORY leaves it unusable. */
rp_status rp__inverter_drain(rp__inverter *inv);
uint64_t rp__inverter_bytes(const rp__inverter *inv); /* memory held, now or for reuse */
uint64_t
rp__inverter_need(const rp__inverter *inv); /* the most after drain and sort, but for reuse */
bool rp__inverter_is_empty(const rp__inverter *inv);
size_t rp__inverter_terms(const rp__inverter *inv); /* after sort */
/* Ends the streams of the tokens taken in and sorts their terms; after it only clear. Tokens that
 * wait go on waiting: what follows of a document whose stream was ended begins another stream of
 * it. */
rp_status rp__inverter_sort(rp__inverter *inv);
void rp__inverter_clear(rp__inverter *inv); /* forgets what was taken in, keeps the memory */
/* Gives memory that is not in use back until at most `limit` bytes are held. */
void rp__inverter_trim(rp__inverter *inv, uint64_t limit);

/* The i-th term in order after sort. */
typedef struct rp__inverter_term {
    const char *term;
    uint32_t bytes;
    const uint8_t *slice; /* first piece of the stream, to pass to slice_view */
    uint64_t stream_bytes;
} rp__inverter_term;

void rp__inverter_get(const rp__inverter *inv, size_t i, rp__inverter_term *out);
/* Bytes of one piece and the piece after it; `level` starts at 0 and is advanced. */
const uint8_t *rp__inverter_slice(const uint8_t *slice, uint32_t *level, size_t *bytes);

#endif
