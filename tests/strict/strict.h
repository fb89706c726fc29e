/* strict/strict.h: the strict mode of the emulated device: kernels that rely on what a card does
 * not promise fault.
 *
 * The kernels are compiled a second time, with the instrumentation of the thread sanitizer, whose
 * calls strict.c answers. Blocks take turns, asynchronous copies come only at the wait, and each
 * word of device and pinned memory has a record of its last write. docs/emulated-device.md lists
 * the rules. One thread at a time, under the lock of the emulated device. */
#ifndef STRICT_STRICT_H
#define STRICT_STRICT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum strict_kind {
    STRICT_NOTHING,
    STRICT_NO_FENCE,   /* the fence is left out */
    STRICT_NO_WAIT,    /* the wait for asynchronous copies is left out */
    STRICT_CACHED,     /* prim_load_now becomes prim_load */
    STRICT_TWO_HALVES, /* prim_store_now64 becomes two stores of 4 bytes */
    STRICT_MISPLACED,  /* a load of 16 bytes is made 8 bytes further on */
} strict_kind;

/* A fault in the kernels, at all places of this kind in a function. */
typedef struct strict_plant {
    strict_kind kind;
    const char *function;
    int number; /* the how manieth fence of the function, by source line, from 1; 0: all of them */
} strict_plant;

/* from now on emulated devices are strict; no memory of theirs is in use */
void strict_begin(void);
/* From now on the kernels have this fault; kind 0: none. Forgets the last fault found. */
void strict_plant_fault(strict_plant plant);
uint64_t strict_planted(void); /* how often the planted fault was run since */
/* the first fault found since: kernel, block, address and rule; "": none */
const char *strict_fault(void);
bool strict_launched(uint32_t kernel); /* whether it was launched since strict_begin */

#endif
