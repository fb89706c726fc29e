/* backend/gpu/residency/transcode_term.h: interior of gpu: what kernels of queries read of lists
 * that were transcoded (transcode.h): bits of dense ones, which an AND looks up in one load, docids
 * of others, and frequencies of both, one u32 each. */
#ifndef RP_BACKEND_GPU_RESIDENCY_TRANSCODE_TERM_H
#define RP_BACKEND_GPU_RESIDENCY_TRANSCODE_TERM_H

#include "backend/gpu/residency/transcode.h"

enum { RP_TRANSCODE_WORD_ALIGN = 256 }; /* of the buffers below */

/* Bytes of device memory of a list's bits, with what else is needed to find ranks in them; of n
 * docids, or frequencies. */
size_t rp__transcode_term_bits_bytes(const karg_list *list);
size_t rp__transcode_term_array_bytes(uint32_t n);

/* How a list is transcoded: to bits in `buffer`, which is all 0 at first; to docids in it.
 * Frequencies go to `tfs`. *out: the term as it is then, but for its weight. */
rp__transcode_list rp__transcode_term_bits(const karg_list *list, rp__cu_ptr buffer, rp__cu_ptr tfs,
                                           karg_term *out);
rp__transcode_list rp__transcode_term_docids(const karg_list *list, rp__cu_ptr buffer,
                                             rp__cu_ptr tfs, karg_term *out);
/* Frequencies alone, of a list whose docids are read by `term`. Docids are decoded too, to where
 * the frequencies come later: only so is it known whether they are damaged. */
rp__transcode_list rp__transcode_term_tfs(const karg_list *list, const karg_term *term,
                                          rp__cu_ptr tfs, karg_term *out);

#endif
