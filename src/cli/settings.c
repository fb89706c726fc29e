/* settings.c: a file of settings, and the variables of options. Does not know which options there are. */
#include "cli/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"

enum { MAX_FILE = 1 << 20, MAX_SETTINGS = 256 };

static void trim(char **begin, char **end)
{
    while (*begin < *end && isspace((unsigned char)**begin))
        ++*begin;
    while (*end > *begin && isspace((unsigned char)(*end)[-1]))
        --*end;
    **end = 0;
}

/* One line, which may be changed; its end has room for a NUL. */
static rp_status read_line(rp__settings *s, char *line, char *end, uint32_t number,
                           const char *path, rp_error *err)
{
    char *begin = line;
    trim(&begin, &end);
    if (begin == end || *begin == '#')
        return RP_OK;
    char *equals = strchr(begin, '=');
    if (!equals || equals == begin)
        return rp__error_set(err, RP_INPUT, "%s:%u: \"%.40s\" is no setting; write name = value",
                             path, number, begin);
    char *name_end = equals, *value = equals + 1;
    trim(&begin, &name_end);
    trim(&value, &end);
    const rp__setting *before = rp__settings_find(s, begin);
    if (before)
        return rp__error_set(err, RP_INPUT, "%s:%u: %.40s was set in line %u; set it once", path,
                             number, begin, before->line);
    if (s->n == MAX_SETTINGS)
        return rp__error_set(err, RP_INPUT, "%s:%u: more than %d settings", path, number,
                             MAX_SETTINGS);
    s->at[s->n++] = (rp__setting){begin, value, number};
    return RP_OK;
}

rp_status rp__settings_parse(const char *text, size_t bytes, const char *path, rp__settings *out,
                             rp_error *err)
{
    rp_status status = RP_OK;
    *out = (rp__settings){.text = rp__alloc(bytes + 1),
                          .at = rp__alloc_zero(MAX_SETTINGS, sizeof *out->at)};
    if (!out->text || !out->at) {
        rp__settings_free(out);
        return rp__error_no_memory(err);
    }
    if (bytes > 0)
        memcpy(out->text, text, bytes);
    out->text[bytes] = 0;
    if (memchr(out->text, 0, bytes) || rp__utf8_check(out->text, bytes) < bytes)
        status = rp__error_set(err, RP_INPUT, "%s: the file is not text in UTF-8", path);
    uint32_t number = 1;
    for (char *at = out->text, *end = at + bytes; status == RP_OK && at < end; number++) {
        char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end ? line_end : end;
        status = read_line(out, at, line_end, number, path, err);
        at = line_end + 1;
    }
    if (status != RP_OK)
        rp__settings_free(out);
    return status;
}

rp_status rp__settings_read(const char *path, rp__settings *out, rp_error *err)
{
    *out = (rp__settings){0};
    FILE *f = fopen(path, "rb");
    char *text = f ? rp__alloc(MAX_FILE + 1) : NULL;
    rp_status status = RP_OK;
    errno = f ? 0 : errno;
    const size_t n = text ? fread(text, 1, MAX_FILE + 1, f) : 0;
    if (!f || ferror(f))
        status = rp__error_set(err, RP_IO, "%s: %s", path, strerror(errno));
    else if (!text)
        status = rp__error_no_memory(err);
    else if (n > MAX_FILE)
        status = rp__error_set(err, RP_INPUT, "%s: more than %d bytes", path, MAX_FILE);
    else
        status = rp__settings_parse(text, n, path, out, err);
    rp__free(text);
    if (f)
        fclose(f);
    return status;
}

void rp__settings_free(rp__settings *settings)
{
    rp__free(settings->text);
    rp__free(settings->at);
    *settings = (rp__settings){0};
}

const rp__setting *rp__settings_find(const rp__settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->n; i++)
        if (strcmp(settings->at[i].name, name) == 0)
            return &settings->at[i];
    return NULL;
}

const char *rp__settings_variable(const char *option, char *name, size_t cap)
{
    size_t n = (size_t)snprintf(name, cap, "RIPOSTE_%s", option);
    for (size_t i = 0; i < n && i < cap; i++)
        name[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}
