/* http_reply.c: reads the head of a reply. A body in chunks, or one that ends with the connection, is not taken: Riposte
 * sends neither for a search. */
#include "lab/http_reply.h"

#include <string.h>
#include <strings.h>

/* A line from `at` on, which ends with CR LF; its bytes without them. */
static bool find_line(const char *at, const char *end, size_t *bytes)
{
    const char *lf = memchr(at, '\n', (size_t)(end - at));
    if (!lf || lf == at || lf[-1] != '\r')
        return false;
    *bytes = (size_t)(lf - at) - 1;
    return true;
}

/* "HTTP/1.1 200 OK", with or without words. */
static bool read_status(const char *line, size_t bytes, rp__http_reply *out)
{
    static const char version[] = "HTTP/1.";
    const size_t n = sizeof version - 1;
    if (bytes < n + 5 || memcmp(line, version, n) != 0 || (line[n] != '0' && line[n] != '1') ||
        line[n + 1] != ' ')
        return false;
    out->status = 0;
    for (size_t i = n + 2; i < n + 5; i++) {
        if (line[i] < '0' || line[i] > '9')
            return false;
        out->status = out->status * 10 + (unsigned)(line[i] - '0');
    }
    out->closes = line[n] == '0';
    return out->status >= 100 && out->status < 600 && (bytes == n + 5 || line[n + 5] == ' ');
}

static bool read_length(const char *value, size_t bytes, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (value[i] < '0' || value[i] > '9' || i >= 15)
            return false;
        *out = *out * 10 + (uint64_t)(value[i] - '0');
    }
    return bytes > 0;
}

static bool is_name(const char *line, size_t bytes, const char *name)
{
    return bytes == strlen(name) && strncasecmp(line, name, bytes) == 0;
}

typedef struct framing {
    bool has_length, is_chunked;
} framing;

/* One field; false: it is none, or contradicts another. */
static bool read_field(const char *line, size_t bytes, rp__http_reply *out, framing *f)
{
    const char *colon = memchr(line, ':', bytes);
    if (!colon || colon == line)
        return false;
    const char *value = colon + 1, *end = line + bytes;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    const size_t name = (size_t)(colon - line), n = (size_t)(end - value);
    uint64_t length;
    if (is_name(line, name, "content-length")) {
        if (!read_length(value, n, &length) || (f->has_length && length != out->body_bytes))
            return false;
        out->body_bytes = length;
        f->has_length = true;
    } else if (is_name(line, name, "transfer-encoding")) {
        f->is_chunked = true;
    } else if (is_name(line, name, "connection")) {
        if (is_name(value, n, "close"))
            out->closes = true;
        else if (is_name(value, n, "keep-alive"))
            out->closes = false;
    }
    return true;
}

static bool has_no_body(unsigned status)
{
    return status < 200 || status == 204 || status == 304;
}

static bool read_fields(const char *at, const char *end, rp__http_reply *out)
{
    framing f = {0};
    for (size_t bytes; at < end; at += bytes + 2) {
        if (!find_line(at, end, &bytes))
            return false;
        if (bytes > 0 && !read_field(at, bytes, out, &f))
            return false;
    }
    if (has_no_body(out->status))
        out->body_bytes = 0;
    return has_no_body(out->status) || (f.has_length && !f.is_chunked);
}

rp__http_reply_state rp__http_reply_read(const char *bytes, size_t n, rp__http_reply *out)
{
    static const char last[] = "\r\n\r\n";
    *out = (rp__http_reply){0};
    const size_t seen = n < RP_HTTP_REPLY_HEAD ? n : RP_HTTP_REPLY_HEAD;
    const char *end = seen > 0 ? memmem(bytes, seen, last, sizeof last - 1) : NULL;
    size_t line;
    if (!end)
        return n < RP_HTTP_REPLY_HEAD ? RP_HTTP_REPLY_PART : RP_HTTP_REPLY_BAD;
    end += 2; /* of the last field's line */
    out->head_bytes = (size_t)(end - bytes) + 2;
    if (!find_line(bytes, end, &line) || !read_status(bytes, line, out) ||
        !read_fields(bytes + line + 2, end, out))
        return RP_HTTP_REPLY_BAD;
    return RP_HTTP_REPLY_HEADED;
}
