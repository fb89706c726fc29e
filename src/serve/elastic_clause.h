/* serve/elastic_clause.h: the query of an Elasticsearch search, written in Riposte's language. */
#ifndef RP_SERVE_ELASTIC_CLAUSE_H
#define RP_SERVE_ELASTIC_CLAUSE_H

#include "serve/elastic_query.h"

/* What is read, and with what. */
typedef struct rp__elastic_reading {
    rp__json json;
    rp__generation *generation;
    rp__elastic_query *out;
    rp_error *err;
} rp__elastic_reading;

/* The value of "query", which comes next. */
rp_status rp__elastic_clause_read(rp__elastic_reading *x);

/* The next token; a fault becomes an error with its byte. */
rp_status rp__elastic_clause_next(rp__elastic_reading *x, rp__json_type *type);
rp_status rp__elastic_clause_expect(rp__elastic_reading *x, rp__json_type wants, const char *what);
/* A string, a number, true or false: its bytes are in json.string. */
rp_status rp__elastic_clause_value(rp__elastic_reading *x, const char *what);
rp_status rp__elastic_clause_count(rp__elastic_reading *x, const char *what, uint64_t *out);
/* The key that was just read is in json.string: it is not supported `where`. */
rp_status rp__elastic_clause_refuse(rp__elastic_reading *x, const char *where, const char *known);
bool rp__elastic_clause_is(const rp__elastic_reading *x, const char *word);

#endif
