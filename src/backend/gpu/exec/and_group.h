/* backend/gpu/exec/and_group.h: interior of exec: the rows and-batch and phrase-batch, over
 * fused_and.h.
 *
 * Hooks of launch_table.h. Lists are looked up as bits or docids (lookup_lists.h). Of a phrase the
 * device finds the documents that have all its terms, and the host looks into these
 * (phrase_verify.h). */
#ifndef RP_BACKEND_GPU_EXEC_AND_GROUP_H
#define RP_BACKEND_GPU_EXEC_AND_GROUP_H

#include "backend/gpu/exec/exec.h"

size_t rp__and_group_fit(const rp__exec *exec, rp__batch_item *const *items, size_t n);
rp_status rp__and_group_begin(rp__flight *flight);
rp_status rp__and_group_scratch(rp__flight *flight);
rp_status rp__and_group_find(rp__flight *flight);
rp_status rp__and_group_name_lists(rp__flight *flight);
rp_status rp__and_group_launch(rp__flight *flight);
bool rp__and_group_is_done(const rp__flight *flight);
rp_status rp__and_group_wait(rp__flight *flight);
rp_status rp__and_group_take(rp__flight *flight);
rp_status rp__and_group_take_phrases(rp__flight *flight);
rp_status rp__and_group_settle(rp__flight *flight);

#endif
