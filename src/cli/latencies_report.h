/* cli/latencies_report.h: times of a load as JSON. */
#ifndef RP_CLI_LATENCIES_REPORT_H
#define RP_CLI_LATENCIES_REPORT_H

#include "base/json.h"
#include "lab/latencies.h"

void rp__latencies_report_write(rp__json_writer *w, const rp__latencies *times);

#endif
