/* lab/gpu/gpu_case_lists.h: lists for cases: drawn, encoded by a codec's row, and laid out in
 * device memory as kernels get them (karg_list, karg_tile).
 *
 * Order of calls: draw or add, any number of times; send; kernels; check or compare; free. */
#ifndef RP_LAB_GPU_GPU_CASE_LISTS_H
#define RP_LAB_GPU_GPU_CASE_LISTS_H

#include "backend/gpu/gpu_lab.h"
#include "codec/codec.h"
#include "lab/gpu/gpu_source.h"

/* All zero is a set without lists. */
typedef struct rp__gpu_case_lists {
    const rp__codec_options *options; /* of the encoder; NULL: its own choice */
    /* Lists as they were added, each once. */
    uint32_t n_lists;
    uint64_t n;           /* postings of them all */
    uint64_t *starts;     /* n_lists + 1: where a list's docids begin in docids: multiples of 32 */
    uint32_t *docids;     /* UINT32_MAX between lists */
    karg_list *lists;     /* addresses are offsets in `bytes` plus 1 until they are sent */
    unsigned char *bytes; /* the lists as they lie in an index */
    uint64_t *begins;     /* n_lists + 1: where a list begins there */
    size_t used;
    bool is_damaged;
    uint32_t *here; /* what a core has decoded, as docids; and frequencies after them */
    size_t lists_cap, starts_cap, docids_cap, bytes_cap, begins_cap;
    /* What was sent: each list `copies` times, at other addresses: copy c of list i is number c *
     * n_lists + i, and its docids go to c * starts[n_lists] + starts[i]. */
    uint32_t copies, n_tiles;
    rp__cu_ptr at_bytes, at_lists, at_tiles; /* n_lists * copies karg_list; n_tiles karg_tile */
} rp__gpu_case_lists;

/* The next of a sequence of random numbers. */
uint64_t rp__gpu_case_lists_random(uint64_t *state);

/* Where a rising list of n has the docid; UINT32_MAX: nowhere. */
uint32_t rp__gpu_case_lists_rank(const uint32_t *docids, uint32_t n, uint32_t docid);

/* Adds a list in that row (never one that chooses), of n >= 1 rising docids below the universe, and
 * of the frequencies tfs; NULL: they are drawn. */
rp_status rp__gpu_case_lists_add(rp__gpu_case_lists *set, const rp__codec *codec,
                                 const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                                 uint32_t universe);

/* How lists are drawn. */
typedef struct rp__gpu_case_gaps {
    uint32_t most;  /* gaps less one are below it, all as likely */
    bool is_varied; /* every few postings with another bound, from 1 to most */
} rp__gpu_case_gaps;

enum { RP_GPU_CASE_DISTINCT = 1 << 22 }; /* postings that are drawn; more are copies of them */

/* Adds lists of n docids in all, at most RP_GPU_CASE_DISTINCT: one or a few long ones; of few
 * docids and an odd seed, several short ones. */
rp_status rp__gpu_case_lists_draw(rp__gpu_case_lists *set, const rp__codec *codec,
                                  rp__gpu_case_gaps gaps, uint64_t n, uint64_t seed);
/* Adds lists of a source that the codec can have, of n docids in all, or all of them. */
rp_status rp__gpu_case_lists_take(rp__gpu_case_lists *set, const rp__codec *codec,
                                  const rp__gpu_source *source, uint64_t n);
/* Changes some bytes of the lists, directory included; a check then looks only for what is written
 * outside of them. */
void rp__gpu_case_lists_damage(rp__gpu_case_lists *set, uint64_t seed);

/* Brings them to the device: as often as it takes for about n postings in all, at least once; tiles
 * of at most `tile` blocks, list after list. */
rp_status rp__gpu_case_lists_send(rp__gpu_case_lists *set, rp__device *device, uint64_t n,
                                  uint32_t tile);
/* Room for what kernels decode, filled with UINT32_MAX; freed by the caller. */
rp_status rp__gpu_case_lists_room(const rp__gpu_case_lists *set, rp__device *device,
                                  rp__cu_ptr *out);
uint64_t rp__gpu_case_lists_postings(const rp__gpu_case_lists *set); /* of all copies */
/* Bytes of all copies: payloads of docids; last, offsets and first. */
uint64_t rp__gpu_case_lists_payload(const rp__gpu_case_lists *set);
uint64_t rp__gpu_case_lists_directory(const rp__gpu_case_lists *set);
/* of all docids of all copies, modulo 2^32 */
uint32_t rp__gpu_case_lists_sum(const rp__gpu_case_lists *set);

/* Decodes each list once on the host, by the best rows of codecs that it has: docids, or
 * frequencies, or both. */
enum { RP_GPU_CASE_DOCIDS = 1, RP_GPU_CASE_FREQS = 2 };
rp_status rp__gpu_case_lists_decode(rp__gpu_case_lists *set, uint32_t parts);

/* Whether `at` has the docids of all copies, and nothing else; waits. RP_DAMAGED: `what` says where
 * not. */
rp_status rp__gpu_case_lists_check(const rp__gpu_case_lists *set, rp__device *device, rp__cu_ptr at,
                                   rp_error *what);
void rp__gpu_case_lists_free(rp__gpu_case_lists *set, rp__device *device); /* all zero is fine */

/* One list on the device, as it is stored, becomes bits and frequencies; waits. *out: the list as
 * kernels find it then. RP_DAMAGED: it is. */
rp_status rp__gpu_case_lists_bits(rp__device *device, const karg_term *word, rp__cu_ptr bits,
                                  rp__cu_ptr tfs, karg_term *out);

#endif
