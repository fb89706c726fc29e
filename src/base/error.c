/* error.c: formats the text of an rp_error so that it can always be printed on one line. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Bytes that would move a terminal's cursor or are no UTF-8 become '?'. */
static void make_printable(char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n;) {
        uint32_t len = rp__utf8_valid(text + i, n - i);
        unsigned char c = (unsigned char)text[i];
        if (len == 0 || c < 0x20 || c == 0x7F)
            text[i] = '?';
        i += len ? len : 1;
    }
}

/* A text that was cut may end inside a sequence; that rest is dropped. */
static void trim_partial(char *text)
{
    size_t n = strlen(text), begin = n;
    while (begin > 0 && n - begin < 3 && ((unsigned char)text[begin - 1] & 0xC0) == 0x80)
        begin--;
    if (begin > 0 && (unsigned char)text[begin - 1] >= 0xC0 &&
        rp__utf8_valid(text + begin - 1, n - begin + 1) == 0)
        text[begin - 1] = 0;
}

rp_status rp__error_set(rp_error *err, rp_status code, const char *format, ...)
{
    if (!err)
        return code;
    char text[sizeof err->text]; /* arguments may point into err->text itself */
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0)
        text[0] = 0;
    if (n >= (int)sizeof text)
        trim_partial(text);
    make_printable(text);
    err->code = code;
    memcpy(err->text, text, sizeof text);
    return code;
}

void rp__error_set_missing(rp_error *err, const char *function, const char *names, size_t i)
{
    for (; i > 0; i--)
        names = strchr(names, ',') + 1;
    names += strspn(names, " ");
    rp__error_set(err, RP_USAGE, "%s: the argument '%.*s' is NULL", function,
                  (int)strcspn(names, ","), names);
}
