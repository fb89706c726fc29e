/* lab/lab_list.h: interior of lab: what an encoded list of lab/lab.h is. */
#ifndef RP_LAB_LAB_LIST_H
#define RP_LAB_LAB_LIST_H

#include "codec/codec.h"
#include "lab/lab.h"

struct rp__lab_list {
    rp__list list;  /* views of bytes */
    uint8_t *bytes; /* used, then RP_PAD */
    size_t used;
};

#endif
