/* cli/sim_trace.h: a simulated run over time: when each query had which cores, and what each unit
 * did. */
#ifndef RP_CLI_SIM_TRACE_H
#define RP_CLI_SIM_TRACE_H

#include "base/buf.h"
#include "cli/sim_report.h"

/* Appends events of Chrome's trace format, a microsecond for a cycle: queries by core, and a lane
 * for each unit. A failed allocation is left in `out`. */
void rp__sim_trace_events(rp__buf *out, const rp__lab_sim *sim, const rp__sim_report_run *run,
                          const rp__sim_timeline *timeline);
/* Appends an HTML page that draws the same lanes. It needs no other file and no network. */
void rp__sim_trace_page(rp__buf *out, const rp__lab_sim *sim, const rp__sim_report_run *run,
                        const rp__sim_timeline *timeline);

#endif
