/* backend/gpu/gpu_word.h: interior of gpu: a list of the resident index as kernels of queries read it. */
#ifndef RP_BACKEND_GPU_GPU_WORD_H
#define RP_BACKEND_GPU_GPU_WORD_H

#include "backend/gpu/gpu_index.h"

/* Whether kernels read the list's docids, and its frequencies, where they lie. Of a tiny list, which lies in the
 * dictionary, they do not. */
bool rp__gpu_word_has_docids(const rp__list *list);
bool rp__gpu_word_has_tfs(const rp__list *list);
/* Of a list whose frequencies are read, as karg_list has it. */
uint32_t rp__gpu_word_freq_code(const rp__list *list);

/* Such a list, but for its weight; where its frequencies are not read, they are for the caller to point at.
 * RP_UNAVAILABLE: its docids are in a codec that kernels do not read. RP_DAMAGED: its parts do not lie inside. */
rp_status rp__gpu_word_open(const rp__gpu_index *index, const rp__list *list, karg_word *out);

#endif
