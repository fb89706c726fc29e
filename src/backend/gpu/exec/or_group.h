/* backend/gpu/exec/or_group.h: interior of exec: the rows or-maxscore and or-long, over fused_or.h.
 *
 * Hooks of launch_table.h. Lists are read by tiles (tiled_lists.h), which are made of lists as they
 * are stored, or of transcoded ones where the kernel does not read the codec. */
#ifndef RP_BACKEND_GPU_EXEC_OR_GROUP_H
#define RP_BACKEND_GPU_EXEC_OR_GROUP_H

#include "backend/gpu/exec/exec.h"

enum { RP_OR_GROUP_K = 10000 }; /* documents that a query may ask for */

size_t rp__or_group_fit(const rp__exec *exec, rp__batch_item *const *items, size_t n);
rp_status rp__or_group_begin(rp__flight *flight);
rp_status rp__or_group_scratch(rp__flight *flight);
rp_status rp__or_group_find(rp__flight *flight);
rp_status rp__or_group_name_lists(rp__flight *flight);
rp_status rp__or_group_launch(rp__flight *flight);
bool rp__or_group_is_done(const rp__flight *flight);
rp_status rp__or_group_wait(rp__flight *flight);
rp_status rp__or_group_take(rp__flight *flight);
rp_status rp__or_group_settle(rp__flight *flight);

#endif
