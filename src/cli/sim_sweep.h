/* cli/sim_sweep.h: many configurations of the simulated machine, one line of JSON each. */
#ifndef RP_CLI_SIM_SWEEP_H
#define RP_CLI_SIM_SWEEP_H

#include "cli/console.h"
#include "lab/lab_sim.h"

/* Runs the configurations of the file `path`, each of which changes `base`, on so many threads (0:
 * as many as there are cores), and writes a line for each, in the file's order, to `output` (NULL:
 * standard output). Lines that `output` has are kept, and their configurations are not run.
 * RP_USAGE: a line is bad; err has its number and its key. */
rp_status rp__sim_sweep_run(rp__console *console, const rp__lab_sim *sim,
                            const rp__sim_config *base, const char *path, const char *output,
                            uint32_t threads, rp_error *err);

#endif
