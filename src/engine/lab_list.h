/* engine/lab_list.h: interior of engine: what an encoded list of riposte/lab.h is. */
#ifndef RP_ENGINE_LAB_LIST_H
#define RP_ENGINE_LAB_LIST_H

#include "codec/codec.h"
#include "riposte/lab.h"

struct rp_lab_list {
    rp__list list;  /* views of bytes */
    uint8_t *bytes; /* used, then RP_PAD */
    size_t used;
};

#endif
