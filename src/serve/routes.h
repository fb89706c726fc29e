/* serve/routes.h: what the service answers: one table, which finds a request's handler and prints
 * /openapi.json. */
#ifndef RP_SERVE_ROUTES_H
#define RP_SERVE_ROUTES_H

#include "serve/http.h"

typedef enum rp__route_kind {
    RP_ROUTE_ROOT,  /* /NAME */
    RP_ROUTE_INDEX, /* /v1/INDEX/NAME, or /v1/NAME where one index is served */
    RP_ROUTE_ITEM,  /* the same, and /ID behind it */
    /* Elasticsearch's: */
    RP_ROUTE_ELASTIC,       /* /NAME */
    RP_ROUTE_ELASTIC_INDEX, /* /INDEX/NAME, or /NAME */
    RP_ROUTE_ELASTIC_ITEM   /* /INDEX/NAME/ID */
} rp__route_kind;

struct rp__route {
    const char *method, *name;
    rp__route_kind kind;
    rp__op op;
    bool is_open;    /* no token is needed */
    bool is_html;    /* a page for people */
    bool is_msearch; /* its body may have as many bytes as one of msearch */
    bool has_body;   /* though it is a GET */
    /* Answers; or suspends the request and returns true: somebody will answer it. */
    bool (*handle)(rp__request *request);
    const rp__param *params; /* NULL: none */
    const char *summary;
    const char *schema; /* of the reply: the name of its format; NULL: text */
};

/* The i-th; NULL past the last. */
const rp__route *rp__routes_at(size_t i);

/* Finds the route of a request by method and path, and its index. RP_NOT_FOUND; RP_USAGE: there is
 * one with other methods, which *allow lists. */
rp_status rp__routes_find(rp__request *request, rp_error *err);

/* Reads the parameters of a request that has a route and its body; of msearch, those of its query
 * string alone, which has none. */
rp_status rp__routes_read(rp__request *request, rp_error *err);

/* Whether an index may not have this name: it is the first part of a route. */
bool rp__routes_take(const char *name);

bool rp__routes_print(rp__request *request); /* the handler of /openapi.json */

#endif
