/* serve/api_v1.h: handlers of the service's own API. */
#ifndef RP_SERVE_API_V1_H
#define RP_SERVE_API_V1_H

#include "serve/http.h"
#include "serve/params.h"

bool rp__api_v1_search(rp__request *request);
bool rp__api_v1_msearch(rp__request *request);
bool rp__api_v1_suggest(rp__request *request);
bool rp__api_v1_explain(rp__request *request);
bool rp__api_v1_document(rp__request *request);
bool rp__api_v1_stats(rp__request *request);
bool rp__api_v1_queries(rp__request *request);
bool rp__api_v1_cancel(rp__request *request);
bool rp__api_v1_health(rp__request *request);
bool rp__api_v1_ready(rp__request *request);
bool rp__api_v1_metrics(rp__request *request);

extern const rp__param rp__api_v1_search_params[], rp__api_v1_suggest_params[],
    rp__api_v1_explain_params[], rp__api_v1_no_params[];

#endif
