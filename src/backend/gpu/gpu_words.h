/* backend/gpu/gpu_words.h: interior of gpu: the lists that queries had so far, as kernels read them.
 *
 * A list is looked at when it is first asked for; from then on it is known where it lies on the device, and its
 * karg_word lies there too. A list that kernels of ANDs do not read where it lies is transcoded then, on the
 * device, and stays there; one that is tiny is decoded by the host. Any thread. */
#ifndef RP_BACKEND_GPU_GPU_WORDS_H
#define RP_BACKEND_GPU_GPU_WORDS_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "backend/gpu/gpu_and.h"
#include "backend/gpu/gpu_maker.h"

/* A list. It does not change. */
typedef struct rp__gpu_word {
    uint8_t kths[RP_LIST_KTHS]; /* as rp__list has them; 0: not known */
    karg_word word;
} rp__gpu_word;

/* What ANDs need of it, in one place. */
typedef struct rp__gpu_slot {
    _Atomic uint64_t key; /* which one; 0: none; it is written last */
    uint64_t at;          /* its karg_word on the device; 0: kernels cannot have it */
    const rp__gpu_word *word;
    uint32_t n;           /* postings */
    uint32_t fallback;    /* why kernels cannot have it: rp_fallback */
} rp__gpu_slot;

enum { RP_GPU_WORDS_MAKERS = 8 };

typedef struct rp__gpu_words {
    const rp__gpu_index *index;
    uint64_t most; /* bytes of device memory; 0: half of what is there */
    rp__gpu_slot *slots; /* by key, the next one where it is taken */
    size_t n_slots, n; /* a power of two; at most half of it */
    rp__gpu_maker makers[RP_GPU_WORDS_MAKERS];
    _Atomic uint32_t next; /* of them, for the next thread */
    pthread_mutex_t lock; /* of what follows; a maker's is taken before it */
    uint64_t spare;       /* bytes that what is made for speed alone may still take, once that is */
    bool is_measured;
    rp__cu_ptr *pieces; /* of device memory: n_pieces */
    size_t n_pieces, cap_pieces;
    uint64_t bytes;     /* of all pieces */
    uint64_t at, left;  /* of the last one: where it is free, and how many bytes are */
    pthread_mutex_t table; /* of writing to slots, and of what follows; a maker's is taken before it */
    rp__gpu_word **blocks; /* of words: n_blocks; of the last, `taken` are in use */
    size_t n_blocks, cap_blocks, taken;
} rp__gpu_words;

/* For an index of so many terms. */
rp_status rp__gpu_words_open(rp__gpu_words *words, const rp__gpu_index *index, uint64_t n_terms,
                             uint64_t most);
void rp__gpu_words_close(rp__gpu_words *words); /* all zero is fine */

/* The list of a term, df at least 1; NULL: nobody has asked for it yet. */
const rp__gpu_slot *rp__gpu_words_find(const rp__gpu_words *words, const rp__term *term);
/* It will be asked for soon. */
void rp__gpu_words_expect(const rp__gpu_words *words, const rp__term *term);
/* Makes the lists of n terms known, those that are not yet; one that cannot be on the device is known to be so.
 * What is done for that is added to *counters. Reads mapped memory. RP_UNAVAILABLE, RP_NO_MEMORY: some are not, now. */
rp_status rp__gpu_words_add(rp__gpu_words *words, const rp__segment *segment,
                            const rp__term *const *terms, size_t n, rp__arena *arena,
                            rp_gpu_counters *counters);

#endif
