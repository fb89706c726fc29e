/* serve.c: the service from its start to its end. The calling thread looks after it: it cuts slow connections, takes over
 * new generations, and drains when it is to end. */
#include "serve/serve.h"

#include "base/clock.h"
#include "serve/http.h"
#include "serve/notify.h"
#include "serve/service.h"

enum { LOOK_MS = 50, LOOKS_A_RENEWAL = 10 };

static void look_after(const rp__serve_options *o, rp__service *service, rp__http *http)
{
    for (uint64_t n = 1; o->goes_on(o->arg); n++) {
        rp__clock_sleep(LOOK_MS * (uint64_t)1000000);
        rp__http_sweep(http);
        const uint64_t before = atomic_load(&service->reloads);
        if (n % LOOKS_A_RENEWAL == 0)
            rp__service_renew(service);
        if (http->cache && atomic_load(&service->reloads) != before)
            rp__cache_clear(http->cache);
    }
}

rp_status rp__serve_run(const rp__serve_options *options, rp_error *err)
{
    rp__service service;
    rp__http http;
    uint16_t port = 0;
    rp_status status = rp__service_open(&service, options, err);
    if (status != RP_OK)
        return status;
    status = rp__http_open(&http, options, &service, &port, err);
    if (status == RP_OK) {
        status = rp__http_start(&http, err);
        if (status == RP_OK) {
            options->on_ready(options->arg, options->listen, port);
            rp__notify_send("READY=1");
            look_after(options, &service, &http);
            rp__notify_send("STOPPING=1");
            rp__http_drain(&http);
            rp__service_stop(&service); /* the library needs all connections resumed */
        }
        rp__http_close(&http);
    }
    rp__service_close(&service);
    return status;
}
