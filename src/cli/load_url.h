/* cli/load_url.h: riposte load of a service, over HTTP. */
#ifndef RP_CLI_LOAD_URL_H
#define RP_CLI_LOAD_URL_H

#include "cli/console.h"
#include "cli/options.h"
#include "lab/url.h"
#include "riposte/search.h"

typedef struct rp__load_url_args {
    uint32_t connections, generators, msearch;
    bool is_closed;
    const char *token_file;
} rp__load_url_args;

extern const rp__option rp__load_url_rows[]; /* of rp__load_url_args */

/* What other options of the verb say. */
typedef struct rp__load_url_plan {
    double rate, seconds;
    bool is_poisson;
    uint64_t seed;
    size_t k;
    rp_mode mode;
    const char *format;
} rp__load_url_plan;

/* An option of the command line that only a service takes; NULL: none. */
const char *rp__load_url_own(const rp__call *call);
/* Operands are an address and a file of queries. */
rp_status rp__load_url_run(rp__console *console, const rp__call *call,
                           const rp__load_url_args *args, const rp__load_url_plan *plan,
                           rp_error *err);

#endif
