/* trace.c: a record of what was done for a query, event by event. */
#include "backend/backend.h"

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
