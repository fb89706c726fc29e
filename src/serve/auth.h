/* serve/auth.h: who may ask: bearer tokens. Read only once open: any thread. */
#ifndef RP_SERVE_AUTH_H
#define RP_SERVE_AUTH_H

#include <stdbool.h>
#include <stddef.h>

#include "riposte/status.h"

typedef struct rp__auth {
    char *tokens; /* each ends with a NUL */
    size_t bytes, n;
} rp__auth;

/* Tokens are the lines of a file that nobody else may read, or one, `token`; both NULL: none, and
 * everybody may ask. */
rp_status rp__auth_open(rp__auth *auth, const char *file, const char *token, rp_error *err);
void rp__auth_close(rp__auth *auth); /* wipes them */
/* `header` is the value of Authorization; NULL: there is none. Its time does not depend on how much
 * of a token is right. */
bool rp__auth_check(const rp__auth *auth, const char *header);

/* Whether a page of this origin may ask: it is one of `origins`, with commas between, or they are
 * "*". */
bool rp__auth_origin_is_ours(const char *origin, const char *origins);

#endif
