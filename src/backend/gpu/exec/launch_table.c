/* launch_table.c: the rows. A kernel that answers queries is added here. */
#include "backend/gpu/exec/launch_table.h"

#include "backend/gpu/exec/and_group.h"
#include "backend/gpu/exec/fused_single.h"
#include "backend/gpu/exec/or_group.h"
#include "backend/gpu/operators/operators.h"
#include "backend/gpu/operators/para_launch.h"

#define SINGLE_HOOKS                                                                               \
    .begin = rp__fused_single_begin, .scratch = rp__fused_single_scratch,                          \
    .find = rp__fused_single_find, .launch = rp__fused_single_launch,                              \
    .is_done = rp__fused_single_is_done, .wait = rp__fused_single_wait,                            \
    .take = rp__fused_single_take, .settle = rp__fused_single_settle

#define BATCH_HOOKS                                                                                \
    .fit = rp__and_group_fit, .begin = rp__and_group_begin, .scratch = rp__and_group_scratch,      \
    .find = rp__and_group_find, .name_lists = rp__and_group_name_lists,                            \
    .launch = rp__and_group_launch, .is_done = rp__and_group_is_done, .wait = rp__and_group_wait,  \
    .settle = rp__and_group_settle

#define TILE_HOOKS                                                                                 \
    .reads = RP_LAUNCH_READS_TILED, .max_queries = 64, .max_k = RP_OR_GROUP_K, .lane = RP_LANE_OR, \
    .fit = rp__or_group_fit, .begin = rp__or_group_begin, .scratch = rp__or_group_scratch,         \
    .find = rp__or_group_find, .name_lists = rp__or_group_name_lists,                              \
    .launch = rp__or_group_launch, .is_done = rp__or_group_is_done, .wait = rp__or_group_wait,     \
    .take = rp__or_group_take, .settle = rp__or_group_settle

/* Lists that kernels do not read as they are stored are transcoded: so rows that read them stored look up, too. */
const rp__launch_row rp__launch_table[RP_LAUNCHES] = {
    [RP_LAUNCH_AND_BATCH] = {.name = "and-batch",
                             .id = RP_LAUNCH_AND_BATCH,
                             .shapes = RP_SHAPE_AND,
                             .reads = RP_LAUNCH_READS_LOOKUP,
                             .max_queries = 1024,
                             .max_k = RP_FUSED_AND_K,
                             .max_terms = KARG_MAX_TERMS,
                             .lane = RP_LANE_AND,
                             .is_detached = true,
                             .take = rp__and_group_take,
                             BATCH_HOOKS},
    [RP_LAUNCH_PHRASE_BATCH] = {.name = "phrase-batch",
                                .id = RP_LAUNCH_PHRASE_BATCH,
                                .shapes = RP_SHAPE_PHRASE,
                                .reads = RP_LAUNCH_READS_LOOKUP,
                                .max_queries = 64, /* each may have RP_FUSED_AND_PHRASE documents */
                                .max_k = RP_FUSED_AND_PHRASE,
                                .max_terms = KARG_MAX_TERMS,
                                .lane = RP_LANE_PHRASE,
                                .is_detached = true,
                                .take = rp__and_group_take_phrases,
                                BATCH_HOOKS},
    [RP_LAUNCH_OR_MAXSCORE] = {.name = "or-maxscore",
                               .id = RP_LAUNCH_OR_MAXSCORE,
                               .shapes = RP_SHAPE_OR | RP_SHAPE_AND,
                               .max_terms = KARG_OR_TERMS,
                               TILE_HOOKS},
    [RP_LAUNCH_OR_LONG] = {.name = "or-long",
                           .id = RP_LAUNCH_OR_LONG,
                           .shapes = RP_SHAPE_OR,
                           .max_terms = KARG_OR_LONG_TERMS,
                           TILE_HOOKS},
    [RP_LAUNCH_AND_PERSISTENT] = {.name = "and-persistent",
                                  .id = RP_LAUNCH_AND_PERSISTENT,
                                  .shapes = RP_SHAPE_AND,
                                  .reads = RP_LAUNCH_READS_STORED | RP_LAUNCH_READS_LOOKUP,
                                  .max_queries = 1,
                                  .max_k = KARG_ANSWER_MAX_K,
                                  .max_terms = KARG_INLINE_TERMS,
                                  .lane = RP_LANE_SINGLE,
                                  SINGLE_HOOKS},
    [RP_LAUNCH_AND_SINGLE] = {.name = "and-single",
                              .id = RP_LAUNCH_AND_SINGLE,
                              .shapes = RP_SHAPE_AND,
                              .reads = RP_LAUNCH_READS_STORED | RP_LAUNCH_READS_LOOKUP,
                              .max_queries = 1,
                              .max_terms = KARG_MAX_TERMS,
                              .lane = RP_LANE_SINGLE,
                              SINGLE_HOOKS},
    [RP_LAUNCH_OR_ACCUMULATE] = {.name = "or-accumulate",
                                 .id = RP_LAUNCH_OR_ACCUMULATE,
                                 .shapes = RP_SHAPE_OR,
                                 .reads = RP_LAUNCH_READS_STORED | RP_LAUNCH_READS_LOOKUP,
                                 .max_queries = 1,
                                 .max_terms = KARG_MAX_TERMS,
                                 .lane = RP_LANE_SINGLE,
                                 SINGLE_HOOKS},
    [RP_LAUNCH_PARA] = {.name = "para",
                        .id = RP_LAUNCH_PARA,
                        .algorithm = "para",
                        .check = rp__para_method_check,
                        .shapes = RP_SHAPE_AND,
                        .reads = RP_LAUNCH_READS_PLAIN,
                        .max_queries = RP_PARA_QUERIES,
                        .max_k = RP_PARA_K,
                        .max_terms = KARG_MAX_TERMS,
                        .lane = RP_LANE_PARA,
                        .begin = rp__para_launch_begin,
                        .scratch = rp__para_launch_hold,
                        .find = rp__para_launch_find,
                        .launch = rp__para_launch_start,
                        .is_done = rp__para_launch_is_done,
                        .wait = rp__para_launch_wait,
                        .take = rp__para_launch_take,
                        .settle = rp__para_launch_settle},
    [RP_LAUNCH_OPERATORS] = {.name = "operators",
                             .id = RP_LAUNCH_OPERATORS,
                             .algorithm = "operators",
                             .check = rp__operators_check,
                             .shapes = RP_SHAPE_AND | RP_SHAPE_OR,
                             .reads = RP_LAUNCH_READS_PLAIN,
                             .max_queries = 1,
                             .max_terms = KARG_MAX_TERMS,
                             .lane = RP_LANE_SINGLE,
                             .begin = rp__operators_begin,
                             .scratch = rp__operators_scratch,
                             .find = rp__operators_find,
                             .launch = rp__operators_launch,
                             .is_done = rp__operators_is_done,
                             .wait = rp__operators_wait,
                             .take = rp__operators_take,
                             .settle = rp__operators_settle},
};
