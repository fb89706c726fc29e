/* cli/sim_configs.h: configurations of the simulated machine, by name or from a file. */
#ifndef RP_CLI_SIM_CONFIGS_H
#define RP_CLI_SIM_CONFIGS_H

#include "cli/console.h"
#include "lab/lab_sim.h"

/* The i-th name of configs/; NULL past the last. */
const char *rp__sim_configs_name(size_t i);
/* Fills `config` from configs/NAME.ini or, if it is none of the names, from a file. RP_USAGE: a key
 * or a value is bad; err has file, line and key. */
rp_status rp__sim_configs_load(const char *name, rp__sim_config *config, rp_error *err);
/* KEY=VALUE, several with blanks or commas between them. */
rp_status rp__sim_configs_set(const char *assignments, rp__sim_config *config, rp_error *err);
/* Names with what their files say first, then all keys; or the same as JSON. */
rp_status rp__sim_configs_print(rp__console *console, rp_error *err);

#endif
