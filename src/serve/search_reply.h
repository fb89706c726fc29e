/* serve/search_reply.h: the JSON of a search's answer. The hits are those that `riposte search
 * --json` prints. */
#ifndef RP_SERVE_SEARCH_REPLY_H
#define RP_SERVE_SEARCH_REPLY_H

#include "base/json.h"
#include "riposte/executor.h"
#include "serve/service.h"

/* Fields of a hit, in the order in which they are shown where none are chosen. */
typedef enum rp__hit_field {
    RP_HIT_RANK,
    RP_HIT_ID,
    RP_HIT_DOCID,
    RP_HIT_SCORE,
    RP_HIT_FIXED,
    RP_HIT_LENGTH,
    RP_HIT_TITLE,
    RP_HIT_SNIPPET,
    RP_HIT_TEXT,
    RP_HIT_FIELDS
} rp__hit_field;

extern const char *const rp__search_reply_fields[]; /* their names, ended by NULL */

/* What was asked, and what shapes the reply. */
typedef struct rp__search {
    const char *query;
    size_t query_bytes, from, k;
    rp_mode mode;
    bool has_mode; /* otherwise that of the service */
    bool has_timeline;
    uint8_t fields[RP_HIT_FIELDS];
    size_t n_fields;
    uint64_t timeout_ms;
} rp__search;

/* Writes the answer as the members of an object. The executor's policy is `policy`. */
rp_status rp__search_reply_write(rp__json_writer *w, rp__generation *generation,
                                 const rp__search *search, const rp_outcome *outcome,
                                 const char *policy, rp_error *err);
/* The member "timeline" of an outcome whose job was traced. */
void rp__search_reply_timeline(rp__json_writer *w, const rp_outcome *outcome, const char *policy);

#endif
