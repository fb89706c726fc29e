/* backend/gpu/operators/para_layout.h: interior of operators: where the parts of a launch of PARA
 * lie, in device memory and, those that are copied, at the same places of the host's. */
#ifndef RP_BACKEND_GPU_OPERATORS_PARA_LAYOUT_H
#define RP_BACKEND_GPU_OPERATORS_PARA_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_PARA_ALIGN = 256 };

typedef struct rp__para_sizes {
    uint32_t queries, lists, elements, k;
    size_t aux; /* bytes of auxiliary data that travel along */
    /* lists whose auxiliary data are checked, and their postings */
    uint32_t checks, checked;
    bool has_stored;
} rp__para_sizes;

/* Places, in bytes. */
typedef struct rp__para_layout {
    size_t queries, lists, stored, aux; /* what goes in: `in` bytes from 0 on */
    size_t check_queries, check_lists, check_stored;
    size_t in;
    size_t begins, counts, pairs, check_marks; /* what comes out: `out` bytes from `begins` on */
    size_t out;
    size_t host;                  /* bytes of the host's memory: up to here */
    size_t marks, docids, scores; /* the device's alone */
    size_t state, state_words;    /* the state of the compaction, and its words of 4 bytes */
    size_t bytes;                 /* of the device's memory */
} rp__para_layout;

rp__para_layout rp__para_layout_of(const rp__para_sizes *sizes);

#endif
