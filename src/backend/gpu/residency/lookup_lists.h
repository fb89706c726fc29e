/* backend/gpu/residency/lookup_lists.h: interior of gpu: lists of a batch's launch on the device,
 * as kernels of batches look docids up.
 *
 * A list is brought when a launch first needs it: dense ones as bits, others as docids, frequencies
 * of all as plain numbers, while there is free memory for it; otherwise as it is stored, where
 * kernels read that. What is not admitted is there for this launch alone. Lists that are wanted
 * plain are docids and frequencies in any case, which others do not find.
 * Order of calls: begin; find; if some are not there open, then need, take, fill,
 * and find again. */
#ifndef RP_BACKEND_GPU_LOOKUP_LISTS_H
#define RP_BACKEND_GPU_LOOKUP_LISTS_H

#include "backend/gpu/gpu_index.h"
#include "backend/gpu/residency/lease.h"
#include "backend/gpu/residency/transcode.h"

/* Lists of one launch. Memory is the arena's. */
typedef struct rp__lookup_lists {
    rp__lease *lease;
    const rp__gpu_index *index;
    rp__arena *arena;
    rp__repr_use use;             /* RP_USE_LOOKUP, or RP_USE_PLAIN */
    bool has_slots;               /* all that is there is found by the residency's slots, first */
    const rp__term *const *terms; /* of all its lists: n_terms */
    size_t n_terms;
    struct rp__lookup_list *fresh; /* those that are not there, each once: n */
    size_t n;
    /* of them by key, once they are there; n_table, a power of two; NULL: none */
    struct rp__lookup_list **table;
    size_t n_table;
    rp__cu_ptr bits, bits_end; /* of the bundle: where lists of bits are */
    /* of all that is made of them, and their karg_words; NULL: each has a piece of its own */
    rp__piece *bundle;
    rp__transcode_list *made; /* how those are transcoded that are: n_made */
    size_t n_made;
    rp__transcode_sizes needs; /* for that */
    /* those that are read as they are stored, and are to be checked first: n_checks */
    struct rp__list_check *checks;
    size_t n_checks;
    rp__cu_ptr scratch;
} rp__lookup_lists;

void rp__lookup_lists_begin(rp__lookup_lists *l, rp__lease *lease, const rp__gpu_index *index,
                            rp__arena *arena);
/* As begin, of lists that are wanted plain. */
void rp__lookup_lists_begin_plain(rp__lookup_lists *l, rp__lease *lease, const rp__gpu_index *index,
                                  rp__arena *arena);
/* The list of a term, df at least 1, for the lease, which has begun. NULL: not there; `at` is 0 of
 * those that kernels of ANDs cannot have. */
const rp__resident *rp__lookup_lists_find(const rp__lookup_lists *l, const rp__term *term);
/* The same in fewer instructions: where the list is, and its postings. False: not there. */
static inline bool rp__lookup_lists_look(const rp__lookup_lists *l, const rp__term *term,
                                         rp__slot_list *out)
{
    const rp__residency *r = l->lease->residency;
    const uint64_t key = rp__residency_key(term, RP_USE_LOOKUP);
    if (l->has_slots && rp__slot_table_find(&r->slots, key, out))
        return true;
    const rp__resident *e = rp__lookup_lists_find(l, term);
    if (e)
        *out = (rp__slot_list){e->at, e->n};
    return e;
}
/* It will be asked for soon: first far, then not. Where there are slots, once is enough. */
void rp__lookup_lists_expect(const rp__lookup_lists *l, const rp__term *term, bool is_far);

/* Those of n terms that are not there, for the lease, which has begun. Reads mapped memory. */
rp_status rp__lookup_lists_open(rp__lookup_lists *l, const rp__term *const *terms, size_t n);
/* Memory of those that share it, and bytes of the lease's transient memory that are enough for the
 * others. RP_NOT_FOUND: others were evicted meanwhile, or it has to be acquired: open again. */
rp_status rp__lookup_lists_need(rp__lookup_lists *l, uint64_t *transient);
/* Memory for the others: to stay, or else from *at on, where that memory is. */
rp_status rp__lookup_lists_take(rp__lookup_lists *l, rp__cu_ptr *at);
/* Uploads and transcodes them, waits, and publishes what was admitted. Reads mapped memory. */
rp_status rp__lookup_lists_fill(rp__lookup_lists *l);

#endif
