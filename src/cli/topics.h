/* cli/topics.h: reads topics, a line each: qid<TAB>query. */
#ifndef RP_CLI_TOPICS_H
#define RP_CLI_TOPICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "riposte/status.h"

/* One thread at a time. */
typedef struct rp__topics {
    const char *path; /* for messages */
    FILE *in;
    uint64_t line; /* of the last topic, from 1 */
    rp__buf text;
} rp__topics;

/* Both end with a NUL and live until the next topic. */
typedef struct rp__topic {
    char *qid, *query;
    size_t query_bytes;
} rp__topic;

/* "-" is standard input. */
rp_status rp__topics_open(rp__topics *topics, const char *path, rp_error *err);
/* The next topic that is not an empty line; *has is false at the end. RP_INPUT: file:line. */
rp_status rp__topics_next(rp__topics *topics, rp__topic *out, bool *has, rp_error *err);
void rp__topics_close(rp__topics *topics);

#endif
