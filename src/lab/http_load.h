/* lab/http_load.h: requests to a service over kept connections, in an open or a closed loop. */
#ifndef RP_LAB_HTTP_LOAD_H
#define RP_LAB_HTTP_LOAD_H

#include "lab/http_asks.h"
#include "lab/latencies.h"
#include "lab/url.h"

enum { RP_HTTP_LOAD_STATUSES = 600 };

typedef struct rp__http_load_options {
    uint32_t connections; /* at least 1 */
    uint32_t generators;  /* threads that ask; 0: by rate and cores */
    bool is_closed;       /* a connection asks again as soon as it has its answer */
    double rate;          /* of an open loop: requests a second */
    double seconds;       /* that they come */
    bool is_poisson;
    uint64_t seed;
} rp__http_load_options;

/* Requests are answered (200), refused (429) or failed (another status, or no reply). */
typedef struct rp__http_load_figures {
    uint64_t requests, answered, partial, refused, failed;
    uint64_t lost; /* failed, since the service ended the connection */
    uint64_t reconnected;
    uint64_t statuses[RP_HTTP_LOAD_STATUSES];
    uint64_t reply_bytes;
    uint32_t generators;
    double seconds;      /* from the first arrival to the last end */
    rp__latencies times; /* from the intended arrival, of a closed loop from the sending */
} rp__http_load_figures;

/* RP_IO: nobody listens there. */
rp_status rp__http_load_run(const rp__url *url, const rp__http_asks *asks,
                            const rp__http_load_options *options, rp__http_load_figures *out,
                            rp_error *err);

#endif
