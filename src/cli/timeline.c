/* timeline.c: what was done for one query, as lines and as JSON. */
#include "cli/timeline.h"

#include <inttypes.h>

#include "cli/figures.h"
#include "serve/step_reply.h"

static void note_step(const rp__console *console, const rp_query_step *step)
{
    char n[RP_FIGURE_BYTES];
    if (step->reason)
        rp__console_note(console, "%-9s  %9.1f us  %9.1f us  %9.1f us  %s",
                         step->processor ? step->processor : "none", step->queued_us,
                         step->estimated_us, step->us, step->reason);
    else
        rp__console_note(console, "  %-37s  %9.1f us  %s elements", step->stage, step->us,
                         rp__figures_count(n, step->elements));
}

void rp__timeline_note(const rp__console *console, const rp__timeline *t)
{
    rp__console_note(console, "%-9s  %12s  %12s  %12s  reason, by policy %s", "processor", "queued",
                     "estimate", "took", t->policy);
    for (size_t i = 0; i < t->hits->n_steps; i++)
        note_step(console, &t->hits->steps[i]);
    if (t->outcome->together > 1)
        rp__console_note(console, "the card answered %" PRIu32 " queries at once",
                         t->outcome->together);
}

void rp__timeline_write(rp__json_writer *w, const rp__timeline *t)
{
    rp__json_writer_begin(w, "timeline", '{');
    rp__json_writer_text(w, "policy", t->policy);
    rp__json_writer_uint(w, "together", t->outcome->together);
    rp__json_writer_uint(w, "moves", t->outcome->moves);
    rp__json_writer_begin(w, "steps", '[');
    for (size_t i = 0; i < t->hits->n_steps; i++)
        rp__step_reply_write(w, &t->hits->steps[i]);
    rp__json_writer_end(w, ']');
    rp__json_writer_end(w, '}');
}
