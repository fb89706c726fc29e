/* cli/sim_report.h: what a simulated machine did, as tables and as JSON. */
#ifndef RP_CLI_SIM_REPORT_H
#define RP_CLI_SIM_REPORT_H

#include "base/json.h"
#include "cli/console.h"
#include "lab/lab_sim.h"

enum { RP_SIM_REPORT_RUNS = 3 };

/* One configuration and what it gave. */
typedef struct rp__sim_report_run {
    rp__sim_config config;
    rp__lab_sim_result result;
} rp__sim_report_run;

const char *rp__sim_report_type(uint32_t type); /* "single", "and", "or" */
/* How many queries were left out, and why; false: none was. */
enum { RP_SIM_REPORT_LEFT_OUT = 192 };
bool rp__sim_report_left_out(const rp__lab_sim *sim, char text[RP_SIM_REPORT_LEFT_OUT]);
/* A line for each query of a run: cycles by phase. */
void rp__sim_report_queries(const rp__lab_sim *sim, const rp__sim_report_run *run);
/* Columns for up to RP_SIM_REPORT_RUNS runs that differ in dl; then modules and bytes of the
 * first. */
void rp__sim_report_print(const rp__lab_sim *sim, const rp__sim_report_run *runs, size_t n);
/* Members of the object that is open: what is run, and of how many queries. */
void rp__sim_report_write_run(rp__json_writer *w, const rp__sim_config *config, uint64_t queries);
/* These, and what came out; has_queries: with all queries. */
void rp__sim_report_write(rp__json_writer *w, const rp__lab_sim *sim, const rp__sim_report_run *run,
                          bool has_queries);

#endif
