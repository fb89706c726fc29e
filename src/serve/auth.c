/* auth.c: bearer tokens from a file or the environment, never from the command line. */
#include "serve/auth.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"

enum { FILE_BYTES = 65536, TOKEN_BYTES = 16 };

static rp_status read_file(const char *path, char *out, size_t *bytes, rp_error *err)
{
    struct stat st;
    FILE *file = fopen(path, "re");
    if (!file)
        return rp__error_set(err, RP_IO, "%.120s: %s", path, strerror(errno));
    rp_status status = RP_OK;
    *bytes = fread(out, 1, FILE_BYTES, file);
    if (ferror(file) || fstat(fileno(file), &st) != 0)
        status = rp__error_set(err, RP_IO, "%.120s: %s", path, strerror(errno));
    else if (st.st_mode & 077)
        status = rp__error_set(err, RP_USAGE, "others may use the token file %.100s; chmod 600 it",
                               path);
    else if (*bytes == FILE_BYTES)
        status = rp__error_set(err, RP_USAGE, "the token file %.100s has over 64 KiB", path);
    fclose(file);
    return status;
}

/* Lines to tokens, one after the other. */
static rp_status cut(rp__auth *auth, rp_error *err)
{
    size_t n = 0;
    for (size_t at = 0, end; at < auth->bytes; at = end + 1) {
        for (end = at; end < auth->bytes && auth->tokens[end] != '\n';)
            end++;
        size_t bytes = end - at;
        bytes -= bytes > 0 && auth->tokens[end - 1] == '\r';
        if (bytes == 0)
            continue;
        if (bytes < TOKEN_BYTES)
            return rp__error_set(err, RP_USAGE, "a token has fewer than %d characters; take longer",
                                 TOKEN_BYTES);
        memmove(auth->tokens + n, auth->tokens + at, bytes);
        n += bytes;
        auth->tokens[n++] = 0;
        auth->n++;
    }
    auth->bytes = n;
    return auth->n > 0 ? RP_OK : rp__error_set(err, RP_USAGE, "there is no token; write one");
}

rp_status rp__auth_open(rp__auth *auth, const char *file, const char *token, rp_error *err)
{
    *auth = (rp__auth){0};
    if (!file && !token)
        return RP_OK;
    auth->tokens = rp__alloc_zero(1, FILE_BYTES + 1);
    if (!auth->tokens)
        return rp__error_no_memory(err);
    rp_status status = RP_OK;
    if (file) {
        status = read_file(file, auth->tokens, &auth->bytes, err);
    } else {
        auth->bytes = strlen(token) < FILE_BYTES ? strlen(token) : FILE_BYTES;
        memcpy(auth->tokens, token, auth->bytes);
    }
    if (status == RP_OK)
        status = cut(auth, err);
    if (status != RP_OK)
        rp__auth_close(auth);
    return status;
}

void rp__auth_close(rp__auth *auth)
{
    volatile char *wipe = auth->tokens;
    for (size_t i = 0; wipe && i < FILE_BYTES; i++)
        wipe[i] = 0;
    rp__free(auth->tokens);
    *auth = (rp__auth){0};
}

/* Whether the texts are equal, with steps that depend on the given one alone. */
static bool is_equal(const char *token, const char *given, size_t given_bytes)
{
    const size_t bytes = strlen(token);
    uint8_t differs = bytes != given_bytes;
    for (size_t i = 0; i < given_bytes; i++)
        differs |= (uint8_t)(given[i] ^ token[bytes > 0 ? i % bytes : 0]);
    return !differs;
}

bool rp__auth_check(const rp__auth *auth, const char *header)
{
    static const char scheme[] = "Bearer ";
    bool is_known = false;
    if (auth->n == 0)
        return true;
    if (!header || strncasecmp(header, scheme, sizeof scheme - 1) != 0)
        return false;
    const char *given = header + sizeof scheme - 1;
    const char *token = auth->tokens;
    for (size_t i = 0; i < auth->n; i++, token += strlen(token) + 1)
        is_known |= is_equal(token, given, strlen(given));
    return is_known;
}

bool rp__auth_origin_is_ours(const char *origin, const char *origins)
{
    const size_t bytes = strlen(origin);
    if (strcmp(origins, "*") == 0)
        return true;
    for (const char *at = origins; bytes > 0 && *at;) {
        const size_t n = strcspn(at, ",");
        if (n == bytes && memcmp(at, origin, bytes) == 0)
            return true;
        at += n + (at[n] == ',');
    }
    return false;
}
