/* timeline_reply.c: what was done for a query, as JSON: where the policy sent it and why, the steps of each processor, the
 * lists of its terms, and the counters of a card. Figures are the library's; only the time of snippets is taken here. */
#include "serve/timeline_reply.h"

#include "riposte/riposte.h"
#include "serve/lists_reply.h"
#include "serve/step_reply.h"

static void write_steps(rp__json_writer *w, const rp_hits *hits, const rp__snippets_time *snippets)
{
    rp__json_writer_begin(w, "steps", '[');
    for (size_t i = 0; i < hits->n_steps; i++)
        rp__step_reply_write(w, &hits->steps[i]);
    if (snippets->n > 0)
        rp__step_reply_write(
            w, &(rp_query_step){.stage = "snippets",
                                .processor = "cpu",
                                .began_us = hits->seconds * 1e6 + (double)snippets->began_ns / 1e3,
                                .us = (double)snippets->took_ns / 1e3,
                                .elements = snippets->n});
    rp__json_writer_end(w, ']');
}

static void write_card(rp__json_writer *w, const rp_hits *hits)
{
    rp__json_writer_begin(w, "gpu", '{');
    rp__json_writer_uint(w, "launches", hits->gpu.launches);
    rp__json_writer_uint(w, "uploaded_bytes", hits->gpu.uploaded_bytes);
    rp__json_writer_uint(w, "transcoded_postings", hits->gpu.transcoded_postings);
    rp__json_writer_uint(w, "host_decoded_postings", hits->gpu.host_decoded_postings);
    rp__json_writer_text(w, "fallback", hits->fallback ? rp_fallback_text(hits->fallback) : NULL);
    rp__json_writer_end(w, '}');
}

/* Begins the object. */
static void write_start(rp__json_writer *w, const rp_outcome *outcome, const char *policy,
                        const rp__snippets_time *snippets)
{
    rp__json_writer_begin(w, "timeline", '{');
    rp__json_writer_text(w, "policy", policy);
    rp__json_writer_uint(w, "together", outcome->together);
    rp__json_writer_uint(w, "moves", outcome->moves);
    write_steps(w, &outcome->hits, snippets);
}

void rp__timeline_reply_write_steps(rp__json_writer *w, const rp_outcome *outcome,
                                    const char *policy)
{
    write_start(w, outcome, policy, &(rp__snippets_time){0});
    rp__json_writer_end(w, '}');
}

rp_status rp__timeline_reply_write(rp__json_writer *w, rp_searcher *searcher,
                                   const rp__search *search, const rp_outcome *outcome,
                                   const char *policy, const rp__snippets_time *snippets,
                                   rp_error *err)
{
    rp_query_lists lists = {0};
    rp_status status = rp_searcher_lists(searcher, search->query, search->query_bytes, &lists, err);
    if (status == RP_OK) {
        write_start(w, outcome, policy, snippets);
        rp__lists_reply_write(w, &lists, &outcome->hits);
        write_card(w, &outcome->hits);
        rp__json_writer_end(w, '}');
    }
    rp_query_lists_free(&lists);
    return status;
}
