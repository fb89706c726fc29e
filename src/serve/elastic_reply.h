/* serve/elastic_reply.h: the JSON of a search's answer as clients of Elasticsearch read it. */
#ifndef RP_SERVE_ELASTIC_REPLY_H
#define RP_SERVE_ELASTIC_REPLY_H

#include "base/json.h"
#include "riposte/executor.h"
#include "serve/elastic_query.h"

typedef struct rp__elastic_answer {
    const char *index; /* its name */
    rp__generation *generation;
    const rp__elastic_query *query;
    const rp_outcome *outcome; /* NULL: every document matches */
    const char *policy;
} rp__elastic_answer;

/* Writes the members of the object. */
rp_status rp__elastic_reply_write(rp__json_writer *w, const rp__elastic_answer *answer,
                                  rp_error *err);
void rp__elastic_reply_write_shards(rp__json_writer *w);
/* The member "_source". */
void rp__elastic_reply_write_source(rp__json_writer *w, const rp_document *document, bool has_title,
                                    bool has_text);

#endif
