/* head.c: two Hosts, a length beside a transfer encoding, bare line ends, NULs, folded lines: refused.
 *
 * libmicrohttpd 0.9.75 ends lines in place: CR and LF become NULs. So in a sound head each field begins two bytes after
 * the value before it, and the last value ends four bytes before the end of the head. Some NULs at
 * the ends of lines stay hidden. */
#include "serve/head.h"

#include <string.h>
#include <strings.h>

static bool is_token(const char *text, size_t bytes)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < bytes; i++) {
        const char c = text[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && !(c >= '0' && c <= '9') && (c == 0 || !strchr(marks, c)))
            return false;
    }
    return bytes > 0;
}

static bool has_control(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (((unsigned char)text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7F)
            return true;
    return false;
}

static size_t count_fields(const rp__head *head, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < head->n; i++)
        n += head->fields[i].name_bytes == strlen(name) &&
             strncasecmp(head->fields[i].name, name, strlen(name)) == 0;
    return n;
}

const char *rp__head_find(const rp__head *head, const char *name)
{
    const char *found = NULL;
    for (size_t i = 0; i < head->n; i++) {
        const rp__field *f = &head->fields[i];
        if (f->name_bytes != strlen(name) || strncasecmp(f->name, name, f->name_bytes) != 0)
            continue;
        if (found)
            return NULL;
        found = f->value;
    }
    return found;
}

static const char *check_places(const rp__head *head)
{
    static const char fault[] = "a line of the head does not end with CR LF, or has a NUL or more "
                                "than one line";
    uintptr_t end = (uintptr_t)(head->version + strlen(head->version));
    if ((uintptr_t)head->version !=
        (uintptr_t)head->method + strlen(head->method) + 1 + head->target_bytes + 1)
        return "the request line is not METHOD TARGET VERSION with one blank between";
    for (size_t i = 0; i < head->n; i++) {
        if ((uintptr_t)head->fields[i].name != end + 2)
            return fault;
        end = (uintptr_t)(head->fields[i].value + head->fields[i].value_bytes);
    }
    return end + 4 - (uintptr_t)head->method == head->bytes ? NULL : fault;
}

static const char *check_fields(const rp__head *head)
{
    for (size_t i = 0; i < head->n; i++) {
        const rp__field *f = &head->fields[i];
        if (!is_token(f->name, f->name_bytes))
            return "a field of the head has a name that is none";
        if (has_control(f->value, f->value_bytes))
            return "a field of the head has a control character";
    }
    return NULL;
}

/* What one program may read as the length of the body and another may not. */
static const char *check_framing(const rp__head *head)
{
    const bool is_new = strcmp(head->version, "HTTP/1.1") == 0;
    uint64_t bytes;
    if (count_fields(head, "host") > 1)
        return "the head has two Hosts";
    if (is_new && count_fields(head, "host") == 0)
        return "the head has no Host";
    if (count_fields(head, "content-length") > 1)
        return "the head has two Content-Lengths";
    if (count_fields(head, "content-length") > 0 && count_fields(head, "transfer-encoding") > 0)
        return "the head has a Content-Length and a Transfer-Encoding";
    if (count_fields(head, "authorization") > 1)
        return "the head has two Authorizations";
    return rp__head_body_bytes(head, &bytes) ? NULL : "the Content-Length is not a number";
}

const char *rp__head_check(const rp__head *head)
{
    const char *fault = NULL;
    if (strcmp(head->version, "HTTP/1.1") != 0 && strcmp(head->version, "HTTP/1.0") != 0)
        return "the version is neither HTTP/1.1 nor HTTP/1.0";
    if (!is_token(head->method, strlen(head->method)))
        return "the method is not a word";
    if (head->target[0] != '/' || has_control(head->target, strlen(head->target)) ||
        strpbrk(head->target, " \t#"))
        return "the target is not a path";
    if (head->has_more)
        return "the head has more than 64 fields";
    if (head->is_in_place)
        fault = check_places(head);
    if (!fault)
        fault = check_fields(head);
    return fault ? fault : check_framing(head);
}

bool rp__head_body_bytes(const rp__head *head, uint64_t *out)
{
    const char *text = rp__head_find(head, "content-length");
    *out = 0;
    if (!text)
        return true;
    for (size_t i = 0; text[i]; i++) {
        if (text[i] < '0' || text[i] > '9' || i >= 15)
            return false;
        *out = *out * 10 + (uint64_t)(text[i] - '0');
    }
    return text[0] != 0;
}

static bool is_address(const char *host, size_t bytes)
{
    if (bytes > 2 && host[0] == '[' && host[bytes - 1] == ']')
        return strspn(host + 1, "0123456789abcdefABCDEF:.") == bytes - 2;
    return bytes > 0 && strspn(host, "0123456789.") >= bytes;
}

bool rp__head_host_is_ours(const char *host, const char *names)
{
    static const char local[] = "localhost";
    size_t bytes = strlen(host);
    const char *colon = strrchr(host, ':');
    if (colon && colon[1 + strspn(colon + 1, "0123456789")] == 0 && !strchr(colon, ']'))
        bytes = (size_t)(colon - host);
    if (is_address(host, bytes))
        return true;
    if (bytes == sizeof local - 1 && strncasecmp(host, local, bytes) == 0)
        return true;
    for (const char *at = names; at && *at;) {
        size_t n = strcspn(at, ",");
        if (n == bytes && n > 0 && strncasecmp(host, at, n) == 0)
            return true;
        at += n + (at[n] == ',');
    }
    return false;
}
