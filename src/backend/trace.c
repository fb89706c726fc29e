/* trace.c: a record of what was done for a query, event by event, and of the kernels that were launched. */
#include "backend/backend.h"

#include <string.h>

#include "base/clock.h"

uint64_t rp__trace_begin(const rp__trace *trace)
{
    return trace ? rp__clock_now() : 0;
}

void rp__trace_end(rp__trace *trace, const rp__trace_event *event)
{
    if (!trace)
        return;
    if (trace->n < trace->max) {
        trace->events[trace->n] = *event;
        trace->events[trace->n].end = rp__clock_now();
    }
    trace->n++;
    trace->elements += event->elements;
    trace->bytes += event->bytes;
}

void rp__trace_kernel(rp__trace *trace, const char *name, uint64_t launches)
{
    size_t i = 0;
    while (i < trace->n_kernels && strcmp(trace->kernels[i].name, name) != 0)
        i++;
    if (i == trace->max_kernels)
        return;
    if (i == trace->n_kernels)
        trace->kernels[trace->n_kernels++] = (rp_kernel_count){.name = name};
    trace->kernels[i].launches += launches;
}
