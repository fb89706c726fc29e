/* serve/compress.h: replies as gzip, for clients that take it. Pure functions. */
#ifndef RP_SERVE_COMPRESS_H
#define RP_SERVE_COMPRESS_H

#include <stdbool.h>

#include "base/buf.h"

/* Whether an Accept-Encoding, NULL: there is none, takes gzip. */
bool rp__compress_is_taken(const char *accept);
/* Makes it gzip, if it is worth it; false: it stays as it is. */
bool rp__compress_reply(rp__buf *reply);

#endif
