/* fault/planted_gpu.h: breaks a GPU, real or emulated, and the process that uses it. */
#ifndef RP_TESTS_FAULT_PLANTED_GPU_H
#define RP_TESTS_FAULT_PLANTED_GPU_H

#include "backend/backend.h"

typedef enum plant {
    PLANT_NOTHING,
    PLANT_ILLEGAL,    /* a kernel writes to an address that is none */
    PLANT_MISALIGNED, /* or to one that is not a multiple of four */
    PLANT_TRAP,       /* it traps */
    PLANT_ENDLESS,    /* it does not end */
    PLANT_KILL,       /* the process is killed */
    PLANT_CRASH,      /* it aborts */
    PLANT_HANG,       /* it does nothing any more */
} plant;

/* RIPOSTE_GPU, if it names a card; otherwise "emulated". */
const char *planted_gpu_name(void);
bool planted_gpu_is_real(void);

/* Breaks this process's device, now. Real ones: one that is open. */
void planted_gpu_break(plant what);

/* The processor gpu, but for this: the next query or batch that it runs, in whatever process, meets
 * what was planted. */
const rp__backend *planted_gpu_row(void);
/* Call it before the first fork. */
void planted_gpu_plant(plant what);

#endif
