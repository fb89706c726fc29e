/* url.c: reads the address of a service strictly: what is not understood is refused by name. */
#include "lab/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

static const char scheme[] = "http://";

bool rp__url_is_meant(const char *text)
{
    return strstr(text, "://") != NULL;
}

static bool is_visible(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7F)
            return false;
    return true;
}

static bool read_port(rp__url *out, const char *text, size_t bytes)
{
    if (bytes == 0 || bytes >= sizeof out->port || strspn(text, "0123456789") < bytes)
        return false;
    memcpy(out->port, text, bytes);
    out->port[bytes] = 0;
    const unsigned long port = strtoul(out->port, NULL, 10);
    return port > 0 && port < 65536;
}

/* The host of so many bytes at `text`; *rest is what follows it there. */
static bool read_host(rp__url *out, const char *text, size_t bytes, size_t *rest)
{
    const bool is_bracketed = bytes > 0 && text[0] == '[';
    const char *close = is_bracketed ? memchr(text, ']', bytes) : NULL;
    const char *colon = is_bracketed ? NULL : memchr(text, ':', bytes);
    if (is_bracketed && !close)
        return false;
    const size_t n = close ? (size_t)(close - text) - 1 : colon ? (size_t)(colon - text) : bytes;
    if (n == 0 || n >= sizeof out->host)
        return false;
    memcpy(out->host, text + is_bracketed, n);
    out->host[n] = 0;
    *rest = n + (is_bracketed ? 2 : 0);
    return !strpbrk(out->host, "[]@\\");
}

/* "", "/", "/v1" and "/v1/INDEX", with or without a last '/'. */
static bool read_path(rp__url *out, const char *text)
{
    static const char root[] = "/v1";
    size_t bytes = strlen(text);
    if (bytes > 0 && text[bytes - 1] == '/')
        bytes--;
    if (bytes == 0) {
        memcpy(out->path, root, sizeof root);
        return true;
    }
    const size_t n = sizeof root - 1;
    if (bytes >= sizeof out->path || bytes < n || memcmp(text, root, n) != 0)
        return false;
    if (bytes > n && (text[n] != '/' || memchr(text + n + 1, '/', bytes - n - 1)))
        return false;
    memcpy(out->path, text, bytes);
    out->path[bytes] = 0;
    return bytes != n + 1;
}

rp_status rp__url_parse(const char *text, rp__url *out, rp_error *err)
{
    *out = (rp__url){.port = "80"};
    if (!is_visible(text))
        return rp__error_set(err, RP_USAGE, "the address has a character that must be escaped");
    if (strncasecmp(text, "https://", 8) == 0)
        return rp__error_set(err, RP_USAGE, "%.100s: https is not spoken; name an http address",
                             text);
    if (strncasecmp(text, scheme, sizeof scheme - 1) != 0)
        return rp__error_set(err, RP_USAGE, "%.100s: only http:// is spoken", text);
    const char *host = text + sizeof scheme - 1;
    const size_t bytes = strcspn(host, "/?#");
    size_t rest = 0;
    if (memchr(host, '@', bytes))
        return rp__error_set(err, RP_USAGE,
                             "a name or password in the address is not sent; use --token-file");
    if (strpbrk(host + bytes, "?#"))
        return rp__error_set(err, RP_USAGE, "%.100s: the address has a query or fragment", text);
    if (!read_host(out, host, bytes, &rest))
        return rp__error_set(err, RP_USAGE, "%.100s: the host is missing or is none", text);
    if (rest < bytes && (host[rest] != ':' || !read_port(out, host + rest + 1, bytes - rest - 1)))
        return rp__error_set(err, RP_USAGE, "%.100s: the port is no number from 1 to 65535", text);
    if (!read_path(out, host + bytes))
        return rp__error_set(err, RP_USAGE, "%.100s: the path is neither / nor /v1/INDEX", text);
    snprintf(out->authority, sizeof out->authority, "%.*s", (int)bytes, host);
    return RP_OK;
}
