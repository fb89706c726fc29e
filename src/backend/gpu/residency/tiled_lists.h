/* backend/gpu/residency/tiled_lists.h: interior of gpu: lists by tiles of docids, as ORs read them
 * (karg_tiled).
 *
 * A list is laid out when an OR first asks for it, by a kernel, from where it is on the device in
 * another representation: 6 bytes a posting, and 8 a tile. Norms are in it, so their serial is part
 * of its key. Order of calls: find; if that fails take while acquiring, then make; publish when the
 * query has ended. */
#ifndef RP_BACKEND_GPU_TILED_LISTS_H
#define RP_BACKEND_GPU_TILED_LISTS_H

#include "backend/gpu/residency/lease.h"

typedef struct rp__tiled_list {
    const rp__term *term;
    karg_term word;             /* what it is made of; weight and `before` are not read */
    uint8_t kths[RP_LIST_KTHS]; /* as rp__list has them; 0: not known */
    karg_tiled list;            /* as it is found, or made */
    rp__piece *piece;           /* that was taken for it; NULL: it is resident, or a twin has it */
} rp__tiled_list;

/* For the lease, which has begun. False: some are not there. */
bool rp__tiled_lists_find(rp__lease *lease, uint32_t norms, rp__tiled_list *lists, size_t n);
/* Memory for what is missing, while acquiring, if it is worth it; then, as the last of the lease's
 * pieces, for records. RP_NO_MEMORY: there is none for them all. */
rp_status rp__tiled_lists_take(rp__lease *lease, uint32_t norms, rp__tiled_list *lists, size_t n);
/* Lays them out, on the lease's stream; the sources are there by then. Does not wait. */
rp_status rp__tiled_lists_make(rp__lease *lease, rp__cu_ptr records, const karg_norms *norms,
                               bool is_iiu, rp__tiled_list *lists, size_t n);
/* Others find what was made; the device was seen to be done with it. */
void rp__tiled_lists_publish(rp__lease *lease, uint32_t norms, const rp__tiled_list *lists,
                             size_t n);

#endif
