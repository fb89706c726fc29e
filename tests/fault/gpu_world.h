/* fault/gpu_world.h: an index, a query and its answer, for tests of GPUs that fail.
 *
 * On the emulated device, or on the card that RIPOSTE_GPU names. RIPOSTE_GPU_INDEX, a folder, and
 * RIPOSTE_GPU_QUERY choose others than the small ones. Failures are cmocka's. */
#ifndef RP_TESTS_FAULT_GPU_WORLD_H
#define RP_TESTS_FAULT_GPU_WORLD_H

#include "engine/searcher.h"

/* Setup and teardown of a group. */
int gpu_world_open(void **state);
int gpu_world_close(void **state);
const rp_index *gpu_world_index(void);
bool gpu_world_is_small(void);
const char *gpu_world_query(void);

/* All zero: AND, its total exact. */
rp_searcher *gpu_world_searcher(rp_search_options options);
rp_status gpu_world_try(rp_search_options options, rp_searcher **out, rp_error *err);
/* Asks the query. Which processor answered; the answer must be that of the cpu. Where that answered
 * instead of a GPU, the hits must have a reason. */
const char *gpu_world_search(rp_searcher *searcher);
/* The query so many times at once, in many groups. How many of the answers, which all must be
 * right, are the GPU's. */
size_t gpu_world_batch(rp_searcher *searcher, size_t n, size_t threads);
rp_gpu_state gpu_world_state(const rp_searcher *searcher);

size_t gpu_world_descriptors(void); /* that are open */
double gpu_world_seconds(uint64_t since);

#endif
