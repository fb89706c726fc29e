/* iiu_memory.h: the machine's memory for an index in codec iiu. Interior of the room.
 *
 * Addresses: the lists' section as it is on disk from 0 on, then the constants of documents, then
 * what one round of operations needs: headers, tiny lists, intermediate lists. Lists are copied to
 * their addresses when a query uses them, so that the machine reads no mapped memory. */
#ifndef RP_BACKEND_IIU_IIU_MEMORY_H
#define RP_BACKEND_IIU_IIU_MEMORY_H

#include "base/arena.h"
#include "base/buf.h"
#include "index/index.h"
#include "rank/rank.h"
#include "sim/image.h"
#include "sim/sim.h"

typedef struct rp__iiu_memory {
    const rp__segment *segment;
    uint8_t *image;
    size_t cap;
    uint64_t lists_bytes, dl_at, dynamic_at, end; /* end: of what is in use */
    rp__buf list;                                 /* a list that is being made */
    double k1, b;                                 /* of the constants that are there */
    bool has_dl;
} rp__iiu_memory;

/* RP_UNAVAILABLE: the index is in another codec. */
rp_status rp__iiu_memory_open(rp__iiu_memory *memory, const rp__segment *segment, rp_error *err);
void rp__iiu_memory_close(rp__iiu_memory *memory);
/* Constants of documents under this ranking. Reads mapped memory. */
rp_status rp__iiu_memory_set_dl(rp__iiu_memory *memory, const rp__rank *rank);
/* A new round: headers and lists that were made for the last one are gone. */
void rp__iiu_memory_rewind(rp__iiu_memory *memory);
/* The list of a term, of at least one posting. Reads mapped memory. RP_DAMAGED. */
rp_status rp__iiu_memory_put_term(rp__iiu_memory *memory, const rp__term *term, uint32_t idf_bar,
                                  rp__arena *arena, rp__image_list *out);
/* n >= 1 rising documents as an uncompressed list that scores nothing. Scratch is in the arena. */
rp_status rp__iiu_memory_put_docs(rp__iiu_memory *memory, const rp__result_slot *docs, uint32_t n,
                                  rp__arena *arena, rp__image_list *out);

#endif
