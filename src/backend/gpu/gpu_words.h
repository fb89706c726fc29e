/* backend/gpu/gpu_words.h: interior of gpu: the lists of a batch's queries, as kernels read them.
 *
 * Of lists that were asked for lately it is known how they lie on the device. A list goes with a batch once, however
 * many of its queries have it. One thread at a time. */
#ifndef RP_BACKEND_GPU_GPU_WORDS_H
#define RP_BACKEND_GPU_GPU_WORDS_H

#include "backend/gpu/gpu_and.h"

enum { RP_GPU_WORDS_COPIED = 2048 }; /* postings, at most, of lists that go with a batch */

/* A list. */
typedef struct rp__gpu_word {
    uint64_t key; /* which one; 0: none */
    uint32_t n;   /* postings */
    uint8_t kths[RP_LIST_KTHS]; /* as rp__list has them; 0: not known */
    bool is_copied; /* it goes with the batch; otherwise `word` says where it lies */
    rp_status status;       /* RP_UNAVAILABLE: kernels do not read it, and it is long */
    karg_word word;
    const rp__gpu_and *batch; /* that it last went with, */
    uint64_t number;          /* the how manieth of these that was, */
    uint64_t at;              /* and where its karg_word then lay on the device */
} rp__gpu_word;

typedef struct rp__gpu_words {
    const rp__gpu_index *index;
    rp__gpu_word *slots; /* by hash of the key */
    uint64_t number;     /* of the batch that is being filled */
} rp__gpu_words;

rp_status rp__gpu_words_open(rp__gpu_words *words, const rp__gpu_index *index);
void rp__gpu_words_close(rp__gpu_words *words); /* all zero is fine */
void rp__gpu_words_begin(rp__gpu_words *words); /* a batch: what lay with the one before is gone */

/* The term's list, df at least 1; good until the next call. Where a fault or RP_NO_MEMORY comes back, nothing has
 * changed. RP_UNAVAILABLE: it is not for kernels. */
rp_status rp__gpu_words_find(rp__gpu_words *words, const rp__segment *segment, const rp__term *term,
                             rp__arena *arena, rp__gpu_word **out);
/* Its docids, and behind them as many frequencies, in the arena. */
rp_status rp__gpu_words_decode(const rp__segment *segment, const rp__term *term, rp__arena *arena,
                               const uint32_t **out);
/* Puts its word into the batch, unless it is there: word->at. RP_NO_MEMORY: the batch has no room left. */
rp_status rp__gpu_words_put(const rp__gpu_words *words, const rp__segment *segment,
                            const rp__term *term, rp__arena *arena, rp__gpu_and *batch,
                            rp__gpu_word *word);

#endif
