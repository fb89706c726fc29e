/* timeline.c: what was done for one query, as lines and as JSON. */
#include "cli/timeline.h"

#include <inttypes.h>
#include <string.h>

#include "cli/figures.h"
#include "serve/lists_reply.h"
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

/* A list may hold more than a line: the term is last. */
static void note_list(const rp__console *console, const rp_hits *hits, const rp_list_cost *list)
{
    uint64_t read, skipped;
    rp__buf term;
    char n[RP_FIGURE_BYTES], in[RP_FIGURE_BYTES], out[RP_FIGURE_BYTES];
    const double bits = 8 * (double)(list->bytes - list->bytes_positions) / (double)list->postings;
    const bool is_known = rp__lists_reply_blocks(hits, list, &read, &skipped);
    rp__buf_init(&term);
    rp__console_clean(&term, list->term, strlen(list->term));
    rp__console_note(
        console, "%12s postings  %-10s  %5.2f bits each  %10s read  %10s skipped  %.*s",
        rp__figures_count(n, list->postings), list->codec, bits,
        is_known ? rp__figures_count(in, read) : "?",
        is_known ? rp__figures_count(out, skipped) : "?", (int)term.n, (const char *)term.at);
    rp__buf_free(&term);
}

void rp__timeline_note(const rp__console *console, const rp__timeline *t)
{
    rp__console_note(console, "%-9s  %12s  %12s  %12s  reason, by policy %s", "processor", "queued",
                     "estimate", "took", t->policy);
    for (size_t i = 0; i < t->hits->n_steps; i++)
        note_step(console, &t->hits->steps[i]);
    rp__console_note(console, "lists of its terms, and their blocks:");
    for (size_t i = 0; i < t->lists->n; i++)
        note_list(console, t->hits, &t->lists->at[i]);
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
    rp__lists_reply_write(w, t->lists, t->hits);
    rp__json_writer_end(w, '}');
}
