/* serve/elastic_query.h: the body of an Elasticsearch search, read into what the library is asked.
 *
 * What the body may have is listed in docs/serve.md; everything else is refused by name. One thread
 * at a time. */
#ifndef RP_SERVE_ELASTIC_QUERY_H
#define RP_SERVE_ELASTIC_QUERY_H

#include "base/buf.h"
#include "base/json.h"
#include "serve/service.h"

enum { RP_ELASTIC_TAG = 64 }; /* bytes of a highlight's tag, its NUL included */

typedef struct rp__elastic_query {
    bool is_all;  /* every document, by rising docid: the library is not asked */
    rp__buf text; /* otherwise the query in Riposte's language */
    rp_mode mode;
    size_t from, size;
    bool shows_source, shows_title, shows_text;
    bool has_highlight, is_html; /* is_html: text around the tags is escaped */
    char before[RP_ELASTIC_TAG], after[RP_ELASTIC_TAG];
    size_t fragment; /* bytes of a highlight; 0: the library's default */
    bool has_explain, has_profile, hides_total;
    uint64_t timeout_ms; /* 0: not said */
} rp__elastic_query;

void rp__elastic_query_init(rp__elastic_query *query);
void rp__elastic_query_free(rp__elastic_query *query);

/* A JSON object, whole; of a count, nothing but its query. The words are those of `generation`;
 * NULL: no word is looked at. RP_USAGE names what is not supported. */
rp_status rp__elastic_query_read(rp__elastic_query *query, rp__generation *generation,
                                 bool is_count, const char *body, size_t bytes, rp_error *err);

/* The values of parameters, as the body may have them too. */
rp_status rp__elastic_query_set_text(rp__elastic_query *query, const char *text, size_t bytes,
                                     bool is_and, rp_error *err);
/* "true", "false", or fields with commas between. */
rp_status rp__elastic_query_set_source(rp__elastic_query *query, const char *text, rp_error *err);
rp_status rp__elastic_query_set_total(rp__elastic_query *query, const char *text, rp_error *err);
rp_status rp__elastic_query_set_timeout(rp__elastic_query *query, const char *text, rp_error *err);

#endif
