/* serve/listener.h: the socket that the service listens on. */
#ifndef RP_SERVE_LISTENER_H
#define RP_SERVE_LISTENER_H

#include "serve/serve.h"

/* Opens the socket of options->listen, and gives the port that it has. RP_USAGE: it is no address;
 * or others than this machine can reach it, there is no token, and the options do not allow
 * that. */
rp_status rp__listener_open(const rp__serve_options *options, bool has_token, int *fd,
                            uint16_t *port, rp_error *err);

#endif
