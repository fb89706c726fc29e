/* serve/events.h: figures of the service as server-sent events, for the dashboard: a sample a
 * second, to a bounded number of listeners. A listener between two samples costs no thread. */
#ifndef RP_SERVE_EVENTS_H
#define RP_SERVE_EVENTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { RP_EVENTS_LISTENERS = 32 };

struct rp__request;
struct rp__http;

typedef struct rp__events {
    pthread_mutex_t lock; /* of all below, and of each listener's is_waiting */
    struct rp__listening *listeners[RP_EVENTS_LISTENERS]; /* NULL: free */
    uint64_t next_ns;                                     /* when the next sample is due */
    uint64_t samples;                                     /* so far */
} rp__events;

void rp__events_open(rp__events *events);
void rp__events_close(rp__events *events);

/* Wakes listeners once a sample is due, and at once while the service ends. Now and then, by one
 * thread. */
void rp__events_tick(struct rp__http *http);

/* The handler of GET /v1/events. */
bool rp__events_listen(struct rp__request *request);

#endif
