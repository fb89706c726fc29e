/* backend/gpu/residency/tiled_lists.h: interior of gpu: lists by tiles of docids, as ORs read them
 * (karg_tiled).
 *
 * A list is laid out when an OR first asks for it, by a kernel, from where it is on the device in
 * another representation: 6 bytes a posting, and 8 a tile. Norms are in it, so their serial is part
 * of its key. Where memory is scarce, most lists are laid out for one launch alone, in memory that
 * the lease keeps: nothing is evicted for them, and nobody waits. Of dense ones, which would need
 * most of it, a kernel reads the stored list then, by cells that are made of its directory.
 * Order of calls: find; if that fails need and take while acquiring, then make; publish when the
 * query has ended. */
#ifndef RP_BACKEND_GPU_TILED_LISTS_H
#define RP_BACKEND_GPU_TILED_LISTS_H

#include "backend/gpu/residency/lease.h"

typedef struct rp__tiled_list {
    const rp__term *term;
    karg_term word;             /* what it is made of; weight and `before` are not read */
    uint8_t kths[RP_LIST_KTHS]; /* as rp__list has them; 0: not known */
    karg_tiled list;            /* as it is found, or made */
    /* it is read as it is stored, and sound: of what is not there, cells alone are made, of its
     * directory, for this launch */
    bool is_stored;
    bool is_fresh;    /* this launch lays it out; not so: it is resident, or a twin has it */
    rp__piece *piece; /* that was taken for it, and is published; NULL: none */
} rp__tiled_list;

/* For whom lists are laid out. */
typedef struct rp__tiled_use {
    rp__cu_ptr records; /* once memory is taken: of what is made; then lists of this launch alone */
    uint32_t norms;     /* their serial */
    bool in_group;      /* others want memory at the same time */
} rp__tiled_use;

uint64_t rp__tiled_lists_bytes(const rp__residency *residency, const rp__term *term);
/* Of one that is read as it is stored. */
uint64_t rp__tiled_lists_cell_bytes(const rp__residency *residency);

/* For the lease, which has begun. False: some are not there. */
bool rp__tiled_lists_find(rp__lease *lease, uint32_t norms, rp__tiled_list *lists, size_t n);
/* Bytes of the lease's transient memory that are enough for what is missing. */
uint64_t rp__tiled_lists_need(rp__lease *lease, const rp__tiled_use *use, rp__tiled_list *lists,
                              size_t n);
/* Memory for it: to stay, if there is plenty or it is worth it, or else from *at on, where that
 * memory is. RP_NOT_FOUND: acquire, and begin again. */
rp_status rp__tiled_lists_take(rp__lease *lease, rp__tiled_use *use, rp__tiled_list *lists,
                               size_t n, rp__cu_ptr *at);
/* Lays them out, on the lease's stream; the sources are there by then. Does not wait. */
rp_status rp__tiled_lists_make(rp__lease *lease, const rp__tiled_use *use, const karg_norms *norms,
                               bool is_iiu, rp__tiled_list *lists, size_t n);
/* Others find what was made to stay; the device was seen to be done with all of it. */
void rp__tiled_lists_publish(rp__lease *lease, const rp__tiled_use *use,
                             const rp__tiled_list *lists, size_t n);

#endif
