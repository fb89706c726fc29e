/* engine/builder.h: interior of engine: what both ways of building share. */
#ifndef RP_ENGINE_BUILDER_H
#define RP_ENGINE_BUILDER_H

#include "index/index.h"
#include "riposte/index.h"
#include "text/text.h"

/* Options with defaults filled in and names looked up. */
typedef struct rp__build_setup {
    rp_build_options o;
    rp__segment_options segment;
    rp__analyzer *analyzer;
    char *stop_words;
    char stop_name[64];
} rp__build_setup;

rp_status rp__builder_setup(const rp_build_options *options, rp__build_setup *setup, rp_error *err);
void rp__builder_setup_reset(rp__build_setup *setup);
/* Fills in the defaults of a budget and refuses one that makes no sense. */
rp_status rp__builder_check_limits(uint64_t *memory, uint32_t *threads, rp_error *err);

#endif
