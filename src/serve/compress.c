/* compress.c: gzip by zlib, at its fastest: replies are short, and the service should not wait for them. */
#include "serve/compress.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/alloc.h"

enum { MIN_BYTES = 1024, MAX_BYTES = 1 << 30, GZIP = 16 }; /* GZIP: zlib's, beside the window */

/* "gzip", "x-gzip" or "*" without ";q=0". */
static bool is_gzip(const char *item, size_t bytes)
{
    static const char *const names[] = {"gzip", "x-gzip", "*", NULL};
    const size_t name_bytes = strcspn(item, " \t;,");
    const char *q = memchr(item, '=', bytes);
    for (size_t i = 0; names[i]; i++)
        if (strlen(names[i]) == name_bytes && strncasecmp(names[i], item, name_bytes) == 0)
            return !q || strtod(q + 1, NULL) > 0;
    return false;
}

bool rp__compress_is_taken(const char *accept)
{
    while (accept && *accept) {
        const size_t bytes = strcspn(accept, ",");
        if (is_gzip(accept, bytes))
            return true;
        accept += bytes;
        accept += strspn(accept, ", \t");
    }
    return false;
}

static void *take(void *arg, unsigned n, unsigned bytes)
{
    (void)arg;
    return rp__alloc_zero(n, bytes);
}

static void give_back(void *arg, void *memory)
{
    (void)arg;
    rp__free(memory);
}

bool rp__compress_reply(rp__buf *reply)
{
    z_stream z = {.zalloc = take, .zfree = give_back};
    rp__buf out;
    if (reply->n < MIN_BYTES || reply->n > MAX_BYTES || reply->failed ||
        deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    rp__buf_init(&out);
    const size_t cap = deflateBound(&z, reply->n);
    z.next_in = reply->at;
    z.avail_in = (uInt)reply->n;
    rp__buf_put_zeros(&out, cap);
    z.next_out = out.at;
    z.avail_out = (uInt)cap;
    const bool is_done = !out.failed && deflate(&z, Z_FINISH) == Z_STREAM_END;
    out.n = is_done ? cap - z.avail_out : 0;
    deflateEnd(&z);
    if (!is_done || out.n >= reply->n) {
        rp__buf_free(&out);
        return false;
    }
    rp__buf_free(reply);
    *reply = out;
    return true;
}
