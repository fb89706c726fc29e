/* engine/engine.h: interior of engine: what an open index is. */
#ifndef RP_ENGINE_ENGINE_H
#define RP_ENGINE_ENGINE_H

#include "index/index.h"
#include "text/text.h"

struct rp_index {
    rp__segment *segment;
    rp__analyzer *analyzer;
};

#endif
