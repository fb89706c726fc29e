/* timeline.c: the decisions of an executor for one query, as lines and as JSON. */
#include "cli/timeline.h"

#include <inttypes.h>

static double us(uint64_t ns)
{
    return (double)ns / 1e3;
}

void rp__timeline_note(const rp__console *console, const rp__timeline *t)
{
    const rp_outcome *o = t->outcome;
    rp__console_note(console, "%-9s  %12s  %12s  %12s  reason, by policy %s", "processor", "queued",
                     "estimate", "took", t->policy);
    for (size_t i = 0; i < o->n_decisions; i++) {
        const rp_decision *d = &o->decisions[i];
        rp__console_note(console, "%-9s  %9.1f us  %9.1f us  %9.1f us  %s",
                         d->processor ? d->processor : "none", us(d->queued_ns),
                         us(d->estimated_ns), us(d->took_ns), d->reason);
    }
    if (o->together > 1)
        rp__console_note(console, "the card answered %" PRIu32 " queries at once", o->together);
}

void rp__timeline_write(rp__json_writer *w, const rp__timeline *t)
{
    const rp_outcome *o = t->outcome;
    rp__json_writer_begin(w, "timeline", '{');
    rp__json_writer_text(w, "policy", t->policy);
    rp__json_writer_uint(w, "together", o->together);
    rp__json_writer_uint(w, "moves", o->moves);
    rp__json_writer_begin(w, "decisions", '[');
    for (size_t i = 0; i < o->n_decisions; i++) {
        const rp_decision *d = &o->decisions[i];
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "processor", d->processor);
        rp__json_writer_text(w, "reason", d->reason);
        rp__json_writer_real(w, "queued_us", us(d->queued_ns), 3);
        rp__json_writer_real(w, "estimated_us", us(d->estimated_ns), 3);
        rp__json_writer_real(w, "took_us", us(d->took_ns), 3);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
    rp__json_writer_end(w, '}');
}
