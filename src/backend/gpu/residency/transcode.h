/* backend/gpu/residency/transcode.h: interior of gpu: transcodes lists on the device: from the form
 * in which an index stores them into docids, frequencies and bits.
 *
 * A chain of launches transcodes many lists, in all codecs and frequency codes: one launch makes
 * the tiles of all lists, one decodes the docids of all lists of a codec, and so on. Nothing here
 * waits, allocates or caches: memory, stream and lists are the caller's.
 *
 * Lists are not trusted. Each has a flag that says whether it is damaged, which the caller can read
 * when the stream has passed the chain. A list without the flag is one that the CPU decodes to the
 * same values; what was made of a damaged list means nothing. */
#ifndef RP_BACKEND_GPU_TRANSCODE_H
#define RP_BACKEND_GPU_TRANSCODE_H

#include "backend/gpu/device/device.h"
#include "backend/gpu/kernels/args.h"
#include "backend/gpu/residency/qs_steps.h"
#include "codec/codec.h"

enum { RP_TRANSCODE_ALIGN = 16 }; /* of the addresses of docids, frequencies and scratch */

/* How a codec is decoded: a row of one table. */
typedef struct rp__transcode_decoder {
    uint8_t code;         /* id of the codec, or a KARG_CODE_ */
    rp__kernel_id kernel; /* of karg_decode */
    uint32_t shared;      /* bytes of shared memory of each warp that has a tile */
    uint32_t ahead;       /* warps of a block of threads that have no tile */
} rp__transcode_decoder;

/* NULL: no such code. */
const rp__transcode_decoder *rp__transcode_find(uint32_t code);
/* Launches it over tiles of at most KARG_TILE_BLOCKS blocks each. */
rp_status rp__transcode_decode(rp__device *device, rp__cu_stream stream,
                               const rp__transcode_decoder *decoder, const karg_decode *args);

/* The code of a list's docids: its codec's id, or that of its segments. */
uint32_t rp__transcode_docid_code(const karg_list *list);
/* The code of a list's frequencies, as karg_list has it. 0: they are in the payload. */
uint32_t rp__transcode_freq_code(const rp__list *list);

/* A list, and where what is made of it goes: addresses of device memory, 0 for what is not wanted.
 * Docids that are wanted only to be checked may go where the tfs come later. Bits need docids or
 * tfs: without docids, they are made of docids that lie there. */
typedef struct rp__transcode_list {
    /* as stored, with codec and freq_code; parts have RP_PAD bytes behind them */
    karg_list list;
    rp__cu_ptr docids; /* u32: list.n of them */
    rp__cu_ptr tfs;    /* u32: list.n of them */
    rp__cu_ptr bits;   /* u32 words, 0 at first: bit i of word j stands for docid 32j + i */
    rp__cu_ptr hints;  /* with bits: u32 a 512 docids, up to the last docid: postings before them */
    rp__cu_ptr last;   /* with bits: u32 a 128 postings: the last docid of them */
    uint32_t n_words;  /* of bits: universe / 32 + 1 */
    uint64_t high_bits; /* of one in qs that is decoded by steps: at most so many */
} rp__transcode_list;

/* Whether there are decoders for its docids and its frequencies. */
bool rp__transcode_can(const karg_list *list);

/* Bytes that a chain for these lists needs: of pinned memory of the host, and of device memory. */
typedef struct rp__transcode_sizes {
    size_t host, device;
} rp__transcode_sizes;
rp__transcode_sizes rp__transcode_needs(const rp__transcode_list *lists, size_t n);

/* What a chain runs with. Memory of both kinds is free again when the stream has passed it. */
typedef struct rp__transcode {
    rp__device *device;
    rp__cu_stream stream;
    void *host;         /* pinned: at least rp__transcode_needs says */
    rp__cu_ptr scratch; /* likewise, of the device */
    /* (optional) decodes docids in its code, in place of the table's */
    const rp__transcode_decoder *decoder;
    /* (optional) decodes docids in qs, list by list, in place of the table's decoder */
    const rp__qs_steps *qs;
    rp__cu_ptr damaged; /* u32 a list, which the chain clears first; not 0: it is damaged */
} rp__transcode;

/* Enqueues the chain; does not wait. RP_UNAVAILABLE: a list is in a code that has no decoder, or
 * the device is lost. */
rp_status rp__transcode_run(const rp__transcode *to, const rp__transcode_list *lists, size_t n);

#endif
