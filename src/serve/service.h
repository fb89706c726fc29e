/* serve/service.h: the indexes that are served, each with what answers its queries.
 *
 * An index may be replaced on disk while it is served. What is open of it is a generation: new
 * requests get the newest, and an older one is closed once its last request has ended. Any
 * thread. */
#ifndef RP_SERVE_SERVICE_H
#define RP_SERVE_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "serve/compare.h"
#include "serve/examples.h"
#include "serve/serve.h"

/* Searchers that nobody uses now: of a few threads, so that a searcher stays near one core. */
typedef struct rp__idle_searchers {
    pthread_mutex_t lock; /* of all below */
    rp_searcher *at[4];
    size_t n;
    uint8_t apart[64]; /* other threads' are in other lines of the cache */
} rp__idle_searchers;

enum { RP_IDLE_SEARCHERS = 16, RP_SERVICE_PARTS = 16 };

/* References of some threads; of all parts together there are as many as somebody has. */
typedef struct rp__generation_refs {
    _Atomic uint32_t n;
    uint8_t apart[64]; /* other threads' are in other lines of the cache */
} rp__generation_refs;

typedef struct rp__generation {
    rp_index *index;
    rp_executor *executor;
    bool has_card;         /* of the executor, when it was made */
    rp__compare compare;   /* executors of other policies */
    rp__examples examples; /* for the page's help */
    rp_index_info info;
    rp_search_options search; /* of searchers that make snippets and explain scores */
    struct rp__generation *older;
    rp__idle_searchers idle[RP_IDLE_SEARCHERS];
    rp__generation_refs refs[RP_SERVICE_PARTS]; /* of requests, and of the collection */
} rp__generation;

typedef struct rp__collection {
    char name[64];
    const char *dir;
    uint64_t seen[4]; /* of its folder when it was opened: changes with a new generation */
    rp__generation *newest;
    rp__generation *older; /* that requests still use */
} rp__collection;

/* A lock of some threads, under which they take the newest generation. */
typedef struct rp__service_lock {
    pthread_mutex_t lock;
    uint8_t apart[64]; /* other threads' are in other lines of the cache */
} rp__service_lock;

typedef struct rp__service {
    const rp__serve_options *options;
    rp__collection *at;
    size_t n;
    _Atomic uint64_t reloads, reload_failures;
    rp__service_lock locks[RP_SERVICE_PARTS]; /* of the collections' newest: any reads, all write */
} rp__service;

rp_status rp__service_open(rp__service *service, const rp__serve_options *options, rp_error *err);
/* Lets all queries end; from then on they are refused. */
void rp__service_stop(rp__service *service);
/* Nobody uses it any more. */
void rp__service_close(rp__service *service);

/* By its name; NULL: there is none. */
rp__collection *rp__service_find(rp__service *service, const char *name, size_t bytes);

/* The newest generation, to be released. */
rp__generation *rp__service_use(rp__service *service, rp__collection *collection);
void rp__service_release(rp__generation *generation); /* NULL is fine */

/* A searcher of one's own, to be given back; it makes snippets and the like. */
rp_status rp__service_lease(rp__generation *generation, rp_searcher **out, rp_error *err);
void rp__service_give_back(rp__generation *generation, rp_searcher *searcher);

/* Takes over generations that were published since, and closes those that nobody uses. Now and
 * then, by one thread that answers nothing. */
void rp__service_renew(rp__service *service);

#endif
