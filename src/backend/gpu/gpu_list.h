/* backend/gpu/gpu_list.h: interior of gpu: a list, not tiny, as kernels of queries read it where it
 * lies. */
#ifndef RP_BACKEND_GPU_GPU_LIST_H
#define RP_BACKEND_GPU_GPU_LIST_H

#include "backend/gpu/gpu_index.h"

/* Whether they read its docids; its frequencies, which are in bp128, optpfd or efsum then, and
 * the id of that code. */
bool rp__gpu_list_has_docids(const rp__list *list);
bool rp__gpu_list_has_tfs(const rp__list *list);
uint32_t rp__gpu_list_freq_code(const rp__list *list);

/* The host has decoded it for a device; a tiny list does not count. */
void rp__gpu_list_count_decoded(const rp__list *list, rp_gpu_counters *counters);

/* A word of a query, but for its weight; its parts lie at `at`. RP_UNAVAILABLE: its docids are in a
 * codec that kernels do not read. RP_DAMAGED: its parts do not lie inside. */
rp_status rp__gpu_list_point(const rp__list *list, const karg_list *at, karg_term *out);
/* Which kernels read lists of its codecs as they are stored: RP_READS_*, residency.h. */
uint8_t rp__gpu_list_readers(const rp__list *list);
/* As rp__gpu_list_point, and which kernels read it (RP_READS_*, residency.h); of none, *out has
 * the list alone. */
uint8_t rp__gpu_list_reads(const rp__list *list, const karg_list *at, karg_term *out);
/* The same where the index has it. */
rp_status rp__gpu_list_word(const rp__gpu_index *index, const rp__list *list, karg_term *out);
/* The same for kernels of batches. RP_UNAVAILABLE also: they do not read its frequencies. */
rp_status rp__gpu_list_lookup(const rp__gpu_index *index, const rp__list *list, karg_term *out);
/* A list of n docids and frequencies, u32 each, in device memory. */
karg_term rp__gpu_list_copied(uint64_t docids, uint64_t tfs, uint32_t n);

#endif
