/* serve/api_elastic.h: the handlers of Elasticsearch's read API, for clients that speak it. */
#ifndef RP_SERVE_API_ELASTIC_H
#define RP_SERVE_API_ELASTIC_H

#include "serve/http.h"

bool rp__api_elastic_root(rp__request *request);
bool rp__api_elastic_search(rp__request *request);
bool rp__api_elastic_msearch(rp__request *request);
bool rp__api_elastic_count(rp__request *request);
bool rp__api_elastic_document(rp__request *request);
bool rp__api_elastic_health(rp__request *request);
bool rp__api_elastic_indices(rp__request *request);

extern const rp__param rp__api_elastic_search_params[], rp__api_elastic_count_params[],
    rp__api_elastic_document_params[], rp__api_elastic_indices_params[];

/* {"error":{"root_cause":[...],"type":...,"reason":...},"status":N}, without its braces. */
void rp__api_elastic_write_error(rp__json_writer *w, unsigned status, const rp_error *err);

#endif
