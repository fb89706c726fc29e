/* serve/timeline_reply.h: the JSON of what was done for a query: steps, lists, what a card did. */
#ifndef RP_SERVE_TIMELINE_REPLY_H
#define RP_SERVE_TIMELINE_REPLY_H

#include "serve/search_reply.h"

/* When documents and snippets were read, after the executor's answer; n 0: none were. */
typedef struct rp__snippets_time {
    uint64_t began_ns, took_ns;
    size_t n;
} rp__snippets_time;

/* Writes "timeline" and its object, without snippets, lists and the card. */
void rp__timeline_reply_write_steps(rp__json_writer *w, const rp_outcome *outcome,
                                    const char *policy);
/* Writes "timeline" and its object. The searcher says what the lists cost. */
rp_status rp__timeline_reply_write(rp__json_writer *w, rp_searcher *searcher,
                                   const rp__search *search, const rp_outcome *outcome,
                                   const char *policy, const rp__snippets_time *snippets,
                                   rp_error *err);

#endif
