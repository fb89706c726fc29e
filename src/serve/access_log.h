/* serve/access_log.h: a line for each request, on standard error. */
#ifndef RP_SERVE_ACCESS_LOG_H
#define RP_SERVE_ACCESS_LOG_H

#include "serve/http.h"

/* Of a request that has its reply. Any thread. Text of queries only where the options say so. */
void rp__access_log_put(const rp__request *request);

#endif
