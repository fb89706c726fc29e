/* lab/url.h: the address of a service: http://HOST[:PORT][/v1[/INDEX]]. */
#ifndef RP_LAB_URL_H
#define RP_LAB_URL_H

#include <stdbool.h>

#include "riposte/status.h"

enum { RP_URL_HOST = 256, RP_URL_PATH = 512 };

typedef struct rp__url {
    char host[RP_URL_HOST]; /* without the brackets of an IPv6 address */
    char port[6];
    char authority[RP_URL_HOST + 8]; /* host and port as they were written: the Host of a request */
    char path[RP_URL_PATH];          /* "/v1" or "/v1/INDEX" */
} rp__url;

/* Whether a word is meant as one: it has a "://". */
bool rp__url_is_meant(const char *text);
/* RP_USAGE: it is none, or asks for what the client does not speak, as https. */
rp_status rp__url_parse(const char *text, rp__url *out, rp_error *err);

#endif
