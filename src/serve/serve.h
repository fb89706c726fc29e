/* serve/serve.h: an HTTP service over one or more indexes, on one machine. docs/serve.md describes
 * what it answers. */
#ifndef RP_SERVE_SERVE_H
#define RP_SERVE_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/executor.h"
#include "riposte/search.h"
#include "riposte/status.h"

typedef enum rp__serve_log { RP_SERVE_LOG_TEXT, RP_SERVE_LOG_JSON, RP_SERVE_LOG_OFF } rp__serve_log;

typedef struct rp__serve_options {
    char *const *dirs; /* of indexes; an index's name is that of its folder, without ".rip" */
    size_t n_dirs;
    const char *listen;        /* "127.0.0.1:7700"; port 0: one that is free */
    bool insecure;             /* another address than loopback needs no token */
    const char *token_file;    /* tokens, one a line; NULL: none */
    const char *token;         /* one token; NULL: none */
    const char *allow_hosts;   /* names by which clients may call the service; NULL: none */
    const char *allow_origins; /* of pages that may ask from elsewhere, or "*"; NULL: none */
    rp_executor_options executor;
    bool verify;                 /* checksums of an index before its first answer */
    uint64_t cache_bytes;        /* for replies that are asked for again; 0: none */
    uint32_t timeout_ms;         /* of a request that names none */
    uint32_t http_threads;       /* that read and write; 0: by the number of cores */
    uint32_t max_connections;    /* in all, */
    uint32_t max_per_address;    /* and of one address */
    uint32_t max_head, max_body; /* bytes; of a request other than msearch */
    uint32_t max_msearch;        /* bytes of its body */
    uint32_t head_ms, body_ms;   /* until the head, and then the body, has arrived */
    uint32_t idle_ms, drain_ms;  /* between requests; from the signal to the end */
    rp__serve_log log;           /* on standard error */
    bool log_queries;            /* with their text */
    uint32_t slow_ms;            /* a query that takes so long is logged with its plan; 0: none */
    bool (*goes_on)(void *arg);  /* asked some times a second; false: drain and end */
    void (*on_ready)(void *arg, const char *address, uint16_t port);
    void *arg;
} rp__serve_options;

/* Serves until goes_on says no, then answers what has come and returns. */
rp_status rp__serve_run(const rp__serve_options *options, rp_error *err);

#endif
