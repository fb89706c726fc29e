/* cli/crossover.h: what queries cost a core and the card by the ratio of their two shortest lists,
 * as a table, as JSON and as a plot (Liu et al. 2018, Figure 8). */
#ifndef RP_CLI_CROSSOVER_H
#define RP_CLI_CROSSOVER_H

#include "base/json.h"
#include "lab/calibrate.h"

void rp__crossover_print(const rp__calibrate_figures *figures);
/* The members "crossover" and "ratios" of the object that is open. */
void rp__crossover_write(rp__json_writer *w, const rp__calibrate_figures *figures);
void rp__crossover_plot(const rp__calibrate_figures *figures, const char *caption, rp__buf *out);

#endif
