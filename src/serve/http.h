/* serve/http.h: requests and replies over libmicrohttpd; what a connection may cost.
 *
 * A request is with one thread at a time: the one that reads it, then its handler, then whoever
 * answers it. */
#ifndef RP_SERVE_HTTP_H
#define RP_SERVE_HTTP_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/json.h"
#include "serve/auth.h"
#include "serve/cache.h"
#include "serve/events.h"
#include "serve/head.h"
#include "serve/metrics.h"
#include "serve/params.h"
#include "serve/running.h"
#include "serve/serve.h"
#include "serve/service.h"

struct MHD_Connection;
typedef struct rp__route rp__route;
typedef struct rp__http rp__http;

enum {
    RP_REQUEST_ID = 64,
    RP_TAG_BYTES = 48,
    /* A query that takes no longer is answered by the thread that has read it: to have another do
     * so takes as long. The other connections of the thread wait meanwhile. */
    RP_HTTP_HERE_NS = 100000,
    /* The same for all searches of a request that has many: for longer ones cores are woken. */
    RP_HTTP_HERE_MANY_NS = 1000000
};

/* How a query was answered, for the log of slow ones. */
typedef struct rp__plan_note {
    const char *reason; /* why the policy chose the processor; NULL: no query was answered */
    uint64_t queued_ns, estimated_ns, answered_ns, postings, work;
    uint32_t together, moves;
} rp__plan_note;

typedef struct rp__request {
    rp__http *http;
    struct MHD_Connection *connection;
    struct rp__peer *peer;
    char *target, *path; /* as it came; its path, decoded part by part */
    size_t target_bytes;
    const char *query; /* inside target: what follows the '?'; "" */
    size_t query_bytes;
    char method[8];
    const rp__route *route;
    size_t index;    /* of the service */
    bool has_index;  /* is_elastic: one was named, or there is only one */
    bool is_elastic; /* the client speaks Elasticsearch's way */
    bool wants_json; /* its Accept says so */
    bool takes_gzip;
    const char *operand;        /* inside path: what follows "docs/"; NULL: none */
    rp__generation *generation; /* NULL: the route has none */
    rp__params params;
    rp__buf body;
    uint64_t body_bytes;  /* that it will have */
    uint64_t body_memory; /* that are counted with those of all requests */
    uint8_t phase;
    _Atomic uint8_t wait; /* for who answers it: http.c's */
    uint64_t began_ns;
    char id[RP_REQUEST_ID + 1];

    /* The reply. */
    unsigned status; /* 0: there is none yet */
    rp__buf reply;
    const char *type;
    bool closes; /* the connection, afterwards */
    bool is_gzip;
    uint32_t retry_after;   /* seconds; 0: not said */
    const char *allow;      /* methods; NULL: not said */
    char tag[RP_TAG_BYTES]; /* ETag; "": none */
    /* of a reply without an end: gives bytes of `work`, as the library asks for them; NULL: `reply`
     * is all of it */
    ssize_t (*read)(void *work, uint64_t position, char *out, size_t max);

    rp__running *running; /* its query; of a handler that has one */

    /* Of a reply that others may share. */
    rp__flight *flight;      /* that others wait for; NULL: none */
    rp__cache_waiter waiter; /* for another's */
    /* where there is none */
    rp_status (*ask)(struct rp__request *request, rp_error *err);
    rp__buf gap; /* what the reply has of this request alone, */
    size_t gap_at;

    /* For the log and the counters. */
    const char *processor; /* NULL: none */
    rp__result result;
    uint64_t hits;
    char *query_text; /* the query; NULL: none */
    rp__plan_note plan;
    void *work; /* of the handler; freed by its `release` */
    void (*release)(void *work);
} rp__request;

struct rp__http {
    const rp__serve_options *options;
    rp__service *service;
    rp__metrics metrics;
    rp__auth auth;
    rp__events events;
    rp__cache *cache; /* NULL: none */
    rp__runnings runnings;
    struct MHD_Daemon *daemon;
    int listener;
    bool is_in_place; /* what head.c says of the library's buffer holds */
    _Atomic bool is_draining;
    uint64_t id_base;
    uint8_t apart[64]; /* what threads write is in other lines of the cache than what they read */
    _Atomic uint64_t body_memory; /* of all of them */
    pthread_mutex_t lock;         /* of peers */
    struct rp__peer *peers;
};

/* Opens the socket of options->listen; *port is the one it got. */
rp_status rp__http_open(rp__http *http, const rp__serve_options *options, rp__service *service,
                        uint16_t *port, rp_error *err);
/* Takes requests from now on. */
rp_status rp__http_start(rp__http *http, rp_error *err);
/* Cuts connections that take too long. Now and then. */
void rp__http_sweep(rp__http *http);
/* Takes no more connections, and waits until all requests are answered or drain_ms are over. */
void rp__http_drain(rp__http *http);
void rp__http_close(rp__http *http);

/* The request has its reply, though its handler has returned true, or will: the reply comes later.
 * Any thread, the handler's too; the request is not to be touched after this. */
void rp__http_resume(rp__request *request);

/* Of a reply without an end: it has been read so far, and may take as long again. */
void rp__http_extend(rp__request *request);

/* The reply to a GET will depend on nothing but its target and the generation: it gets an ETag.
 * True: the client says that it has that reply, and is answered so. */
bool rp__http_is_known(rp__request *request);

/* Notes how the request's query was answered, for the logs and counters. */
void rp__http_note(rp__request *request, const rp_outcome *outcome);

/* A reply that says what went wrong: {"error":{"code","message","column","remedy"}}. */
void rp__http_fail(rp__request *request, unsigned status, const rp_error *err);
/* The same with the status that belongs to the error's code. */
void rp__http_fail_by(rp__request *request, const rp_error *err);
unsigned rp__http_status(rp_status status);
/* The object of an error, as a value of key "error". */
void rp__http_write_error(rp__json_writer *w, const rp_error *err);

#endif
