/* mail_code.c: base64, quoted-printable and the encoded words of headers. The bytes that come out are
 * taken for UTF-8, or Windows-1252 where they are not, whatever charset they claim. */
#include "engine/mail_code.h"

#include <string.h>

#include "base/charset.h"

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

void rp__mail_code_base64(rp__mail_base64 *state, const char *at, size_t n, rp__buf *out)
{
    for (size_t i = 0; i < n; i++) {
        int digit = base64_digit(at[i]);
        if (digit < 0)
            continue;
        state->bits = state->bits << 6 | (uint32_t)digit;
        state->n += 6;
        if (state->n < 8)
            continue;
        state->n -= 8;
        rp__buf_put_byte(out, (uint8_t)(state->bits >> state->n));
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char letter = (char)(c | 0x20);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

void rp__mail_code_quoted(const char *at, size_t n, bool in_header, rp__buf *out)
{
    for (size_t i = 0; i < n; i++) {
        int high = at[i] == '=' && n - i > 2 ? hex_digit(at[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(at[i + 2]) : -1;
        if (low >= 0) {
            rp__buf_put_byte(out, (uint8_t)(high << 4 | low));
            i += 2;
        } else {
            rp__buf_put_byte(out, (uint8_t)(in_header && at[i] == '_' ? ' ' : at[i]));
        }
    }
}

void rp__mail_code_put_text(const rp__buf *bytes, rp__buf *out)
{
    rp__charset charset = {.kind = RP_CHARSET_BYTES};
    if (bytes->n > 0 && !bytes->failed)
        rp__charset_put(&charset, bytes->at, bytes->n, true, out);
}

/* Past the encoded word =?charset?B?...?= at `at`, decoded into `bytes`; NULL: it is none. */
static const char *read_word(const char *at, const char *end, rp__buf *bytes)
{
    size_t n = (size_t)(end - at);
    const char *kind = n > 2 ? memchr(at + 2, '?', n - 2) : NULL;
    if (!kind || end - kind < 4 || kind[2] != '?')
        return NULL;
    const char *body = kind + 3, *close = memmem(body, (size_t)(end - body), "?=", 2);
    char letter = (char)(kind[1] | 0x20);
    if (!close || (letter != 'b' && letter != 'q'))
        return NULL;
    rp__mail_base64 state = {0};
    if (letter == 'b')
        rp__mail_code_base64(&state, body, (size_t)(close - body), bytes);
    else
        rp__mail_code_quoted(body, (size_t)(close - body), true, bytes);
    return close + 2;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

/* Blanks between two encoded words are not part of the text; a run of others is one. */
void rp__mail_code_header(const char *at, size_t n, rp__buf *spare, rp__buf *out)
{
    const char *end = at + n, *after = NULL;
    bool is_after_word = false;
    for (at = skip_blanks(at, end); at < end;) {
        const char *next = skip_blanks(at, end);
        bool is_word = end - next > 2 && next[0] == '=' && next[1] == '?';
        spare->n = 0;
        after = is_word ? read_word(next, end, spare) : NULL;
        if (next > at && next < end && !(after && is_after_word))
            rp__buf_put_byte(out, ' ');
        at = next;
        is_after_word = after != NULL;
        if (after) {
            rp__mail_code_put_text(spare, out);
            at = after;
        }
        if (after || at == end)
            continue;
        rp__buf_put_byte(out, (uint8_t)*at++); /* a '=' that begins nothing, or text */
        while (at < end && !is_blank(*at) && *at != '=')
            rp__buf_put_byte(out, (uint8_t)*at++);
    }
    spare->n = 0;
}
