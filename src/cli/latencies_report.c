/* latencies_report.c: one member for each time. */
#include "cli/latencies_report.h"

#include <stddef.h>

void rp__latencies_report_write(rp__json_writer *w, const rp__latencies *times)
{
    const struct {
        const char *name;
        double seconds;
    } all[] = {{"mean", times->mean},
               {"p50", times->p50},
               {"p80", times->p80},
               {"p90", times->p90},
               {"p95", times->p95},
               {"p99", times->p99},
               {"p999", times->p999},
               {"most", times->most},
               {"generator_mean", times->generator_mean},
               {"generator_most", times->generator_most}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        rp__json_writer_real(w, all[i].name, all[i].seconds, 9);
}
