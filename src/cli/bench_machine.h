/* cli/bench_machine.h: what a figure was measured on. */
#ifndef RP_CLI_BENCH_MACHINE_H
#define RP_CLI_BENCH_MACHINE_H

#include "base/json.h"

typedef struct rp__bench_machine {
    char cpu[128];            /* the model's name; "unknown" where the system does not say */
    const char *instructions; /* "scalar", "avx2", "avx512" */
    uint32_t cores;           /* that this process may use */
    double load;              /* of the last minute; negative: not known */
} rp__bench_machine;

void rp__bench_machine_get(rp__bench_machine *machine);
/* Version and machine, which stand in front of every report. */
void rp__bench_machine_print(const rp__bench_machine *machine);
void rp__bench_machine_write(rp__json_writer *w, const rp__bench_machine *machine);

#endif
