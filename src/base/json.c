/* json.c: a pull parser for JSON (RFC 8259), one token a call.
 *
 * Strings are scanned eight bytes at a time and checked to be UTF-8 on the way; what has no escape is
 * a view of the input. Containers are a bit a level, so that depth costs no stack and no memory.
 * Numbers are checked for their grammar and left as text. Writing is json_writer.c's.
 * Invariants: 1 begin <= at <= end, nothing is read outside; 2 depth <= max_depth <= 1,024; 3 after a
 * fault every further call fails. */
#include "base/json.h"

#include <string.h>

#include "base/bits.h"
#include "base/utf8.h"

enum { MAX_DEPTH = 1024 }; /* bits of rp__json.kinds */

enum {
    EXPECT_VALUE,          /* and nothing else */
    EXPECT_FIRST_KEY,      /* or the end of the object */
    EXPECT_KEY,            /* after a comma */
    EXPECT_FIRST_VALUE,    /* or the end of the array */
    EXPECT_COMMA_OR_CLOSE, /* after a value inside a container */
    EXPECT_NOTHING,        /* after the whole value */
    BROKEN,                /* after a fault */
};

void rp__json_init(rp__json *json)
{
    *json = (rp__json){.state = BROKEN, .fault = "no text was given"};
    rp__buf_init(&json->scratch);
}

void rp__json_start(rp__json *json, const char *text, size_t bytes, uint32_t max_depth)
{
    json->begin = json->at = text;
    json->end = bytes ? text + bytes : text;
    json->depth = 0;
    json->max_depth = max_depth < MAX_DEPTH ? max_depth : MAX_DEPTH;
    json->state = EXPECT_VALUE;
    json->string = NULL;
    json->string_bytes = 0;
    json->fault = NULL;
    json->fault_offset = 0;
    json->scratch.failed = false;
}

void rp__json_free(rp__json *json)
{
    rp__buf_free(&json->scratch);
}

static rp_status fail(rp__json *json, rp_status status, const char *fault, const char *where)
{
    json->state = BROKEN;
    json->fault = fault;
    json->fault_offset = (size_t)(where - json->begin);
    return status;
}

static rp_status malformed(rp__json *json, const char *fault, const char *where)
{
    return fail(json, RP_INPUT, where < json->end ? fault : "the text ends too soon", where);
}

static void skip_blanks(rp__json *json)
{
    const char *p = json->at;
    while (p < json->end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    json->at = p;
}

/* ---- Containers ------------------------------------------------------------------------------ */

static bool in_object(const rp__json *json)
{
    uint32_t level = json->depth - 1;
    return json->kinds[level / 8] >> (level % 8) & 1;
}

static void end_value(rp__json *json)
{
    json->state = json->depth ? EXPECT_COMMA_OR_CLOSE : EXPECT_NOTHING;
}

static rp_status open_container(rp__json *json, bool is_object, rp__json_type *type)
{
    if (json->depth == json->max_depth)
        return fail(json, RP_LIMIT, "arrays and objects are nested too deep", json->at);
    uint32_t level = json->depth++;
    uint8_t bit = (uint8_t)(1U << (level % 8));
    uint8_t others = (uint8_t)(json->kinds[level / 8] & ~bit);
    json->kinds[level / 8] = is_object ? others | bit : others;
    json->state = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_VALUE;
    *type = is_object ? RP_JSON_OBJECT : RP_JSON_ARRAY;
    json->at++;
    return RP_OK;
}

static rp_status close_container(rp__json *json, rp__json_type *type)
{
    *type = in_object(json) ? RP_JSON_OBJECT_END : RP_JSON_ARRAY_END;
    json->depth--;
    json->at++;
    end_value(json);
    return RP_OK;
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* The first byte of [p, end) that needs a look: a quote, a backslash, a control or one that is not
 * ASCII; or end. Subtracting borrows from the next byte only where the byte itself is one of those
 * looked for, so the lowest flag is exact though those above it may not be. */
static const char *scan_ascii(const char *p, const char *end)
{
    const uint64_t ones = 0x0101010101010101U;
    for (; end - p >= 8; p += 8) {
        uint64_t w = rp__load64(p);
        uint64_t quote = (w ^ ones * '"') - ones, backslash = (w ^ ones * '\\') - ones;
        uint64_t flags = (w | quote | backslash | (w - ones * 0x20)) & ones * 0x80;
        if (flags)
            return p + rp__bits_lowest64(flags) / 8;
    }
    for (; p < end; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\' || c < 0x20 || c >= 0x80)
            break;
    }
    return p;
}

/* Passes over what a string may hold as it stands; stops at a quote, a backslash, a fault or the end. */
static const char *scan_string(const char *p, const char *end)
{
    for (;;) {
        p = scan_ascii(p, end);
        if (p == end || (unsigned char)*p < 0x80)
            return p;
        do {
            uint32_t len = rp__utf8_valid(p, (size_t)(end - p));
            if (len == 0)
                return p;
            p += len;
        } while (p < end && (unsigned char)*p >= 0x80);
    }
}

static bool read_hex4(const char *p, uint32_t *out)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)p[i], letter = (unsigned char)(c | 0x20);
        if (c >= '0' && c <= '9')
            v = v << 4 | (uint32_t)(c - '0');
        else if (letter >= 'a' && letter <= 'f')
            v = v << 4 | (uint32_t)(letter - 'a' + 10);
        else
            return false;
    }
    *out = v;
    return true;
}

static const char bad_hex[] = "\\u must be followed by four hexadecimal digits";
static const char bad_pair[] = "a \\u surrogate stands without its pair";

/* p is at the backslash of \u. Writes the code point and returns the byte after, or NULL: a fault. */
static const char *read_unicode(rp__json *json, const char *p)
{
    uint32_t code, low;
    if (json->end - p < 6 || !read_hex4(p + 2, &code)) {
        malformed(json, bad_hex, p);
        return NULL;
    }
    const char *next = p + 6;
    if (code >= 0xD800 && code <= 0xDFFF) {
        if (code > 0xDBFF || json->end - next < 6 || next[0] != '\\' || next[1] != 'u' ||
            !read_hex4(next + 2, &low) || low < 0xDC00 || low > 0xDFFF) {
            malformed(json, bad_pair, p);
            return NULL;
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        next += 6;
    }
    uint8_t *out = rp__buf_room(&json->scratch, 4);
    if (out)
        json->scratch.n += rp__utf8_encode(code, (char *)out);
    return next;
}

/* What each character after a backslash stands for; 0: none. */
static const char escapes[128] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

/* p is at a backslash. Returns the byte after the escape, or NULL: a fault. */
static const char *read_escape(rp__json *json, const char *p)
{
    if (json->end - p < 2) {
        malformed(json, "", json->end);
        return NULL;
    }
    unsigned char c = (unsigned char)p[1];
    if (c == 'u')
        return read_unicode(json, p);
    if (c >= sizeof escapes || !escapes[c]) {
        malformed(json, "a backslash must be followed by one of \"\\/bfnrtu", p);
        return NULL;
    }
    rp__buf_put_byte(&json->scratch, (uint8_t)escapes[c]);
    return p + 2;
}

static rp_status bad_string(rp__json *json, const char *p)
{
    if (p == json->end)
        return malformed(json, "", p);
    if ((unsigned char)*p < 0x20)
        return malformed(json, "a control character in a string must be escaped", p);
    return malformed(json, "invalid UTF-8 in string", p);
}

/* The string from `begin` has an escape, or a fault, at p. */
static rp_status read_escaped(rp__json *json, const char *begin, const char *p)
{
    json->scratch.n = 0;
    while (p < json->end && *p == '\\') {
        rp__buf_put(&json->scratch, begin, (size_t)(p - begin));
        begin = read_escape(json, p);
        if (!begin)
            return RP_INPUT;
        p = scan_string(begin, json->end);
    }
    if (p == json->end || *p != '"')
        return bad_string(json, p);
    rp__buf_put(&json->scratch, begin, (size_t)(p - begin));
    if (json->scratch.failed)
        return fail(json, RP_NO_MEMORY, "out of memory", p);
    json->string = (const char *)json->scratch.at;
    json->string_bytes = json->scratch.n;
    json->at = p + 1;
    return RP_OK;
}

/* json->at is at the opening quote. */
static rp_status read_string(rp__json *json)
{
    const char *begin = json->at + 1, *p = scan_string(begin, json->end);
    if (p == json->end || *p != '"')
        return read_escaped(json, begin, p);
    json->string = begin;
    json->string_bytes = (size_t)(p - begin);
    json->at = p + 1;
    return RP_OK;
}

/* ---- Numbers and words ----------------------------------------------------------------------- */

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

static rp_status read_number(rp__json *json)
{
    const char *begin = json->at, *end = json->end, *p = begin;
    if (*p == '-')
        p++;
    const char *digits = p;
    p = skip_digits(p, end);
    if (p == digits || (*digits == '0' && p - digits > 1))
        return malformed(json, "a number has one digit, or begins with one from 1 to 9", digits);
    if (p < end && *p == '.') {
        digits = ++p;
        p = skip_digits(p, end);
        if (p == digits)
            return malformed(json, "a digit must follow the decimal point", p);
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        digits = p;
        p = skip_digits(p, end);
        if (p == digits)
            return malformed(json, "a digit must follow the exponent's sign", p);
    }
    json->string = begin;
    json->string_bytes = (size_t)(p - begin);
    json->at = p;
    return RP_OK;
}

static rp_status read_word(rp__json *json, const char *word, size_t n)
{
    size_t left = (size_t)(json->end - json->at), same = 0;
    while (same < n && same < left && json->at[same] == word[same])
        same++;
    if (same < n)
        return malformed(json, "expected true, false or null", json->at + same);
    json->at += n;
    return RP_OK;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

static rp_status read_scalar(rp__json *json, rp__json_type *type)
{
    switch (*json->at) {
    case '"':
        *type = RP_JSON_STRING;
        return read_string(json);
    case 't':
        *type = RP_JSON_TRUE;
        return read_word(json, "true", 4);
    case 'f':
        *type = RP_JSON_FALSE;
        return read_word(json, "false", 5);
    case 'n':
        *type = RP_JSON_NULL;
        return read_word(json, "null", 4);
    default:
        *type = RP_JSON_NUMBER;
        if (*json->at != '-' && (*json->at < '0' || *json->at > '9'))
            return malformed(json, "expected a value", json->at);
        return read_number(json);
    }
}

static rp_status read_value(rp__json *json, rp__json_type *type)
{
    if (*json->at == '{' || *json->at == '[')
        return open_container(json, *json->at == '{', type);
    rp_status status = read_scalar(json, type);
    if (status == RP_OK)
        end_value(json);
    return status;
}

static rp_status read_key(rp__json *json, rp__json_type *type)
{
    if (*json->at != '"')
        return malformed(json, "expected a key in quotes", json->at);
    rp_status status = read_string(json);
    if (status != RP_OK)
        return status;
    skip_blanks(json);
    if (json->at == json->end || *json->at != ':')
        return malformed(json, "expected ':' after a key", json->at);
    json->at++;
    json->state = EXPECT_VALUE;
    *type = RP_JSON_KEY;
    return RP_OK;
}

/* After a value inside a container: true if its end was there, otherwise past the comma. */
static rp_status read_separator(rp__json *json, bool *is_close)
{
    char c = *json->at;
    bool is_object = in_object(json);
    *is_close = c == (is_object ? '}' : ']');
    if (*is_close)
        return RP_OK;
    if (c != ',')
        return malformed(json, is_object ? "expected ',' or '}'" : "expected ',' or ']'", json->at);
    json->at++;
    json->state = is_object ? EXPECT_KEY : EXPECT_VALUE;
    skip_blanks(json);
    return json->at < json->end ? RP_OK : malformed(json, "", json->at);
}

rp_status rp__json_next(rp__json *json, rp__json_type *type)
{
    *type = RP_JSON_END;
    if (json->state == BROKEN)
        return RP_INPUT;
    skip_blanks(json);
    if (json->at == json->end)
        return json->state == EXPECT_NOTHING ? RP_OK : malformed(json, "", json->at);
    if (json->state == EXPECT_COMMA_OR_CLOSE) {
        bool is_close;
        rp_status status = read_separator(json, &is_close);
        if (status != RP_OK || is_close)
            return status != RP_OK ? status : close_container(json, type);
    }
    switch (json->state) {
    case EXPECT_NOTHING:
        return malformed(json, "more text follows the value", json->at);
    case EXPECT_FIRST_KEY:
        return *json->at == '}' ? close_container(json, type) : read_key(json, type);
    case EXPECT_KEY:
        return read_key(json, type);
    case EXPECT_FIRST_VALUE:
        return *json->at == ']' ? close_container(json, type) : read_value(json, type);
    default:
        return read_value(json, type);
    }
}

rp_status rp__json_skip(rp__json *json)
{
    uint32_t depth = json->depth;
    rp__json_type type;
    rp_status status;
    do
        status = rp__json_next(json, &type);
    while (status == RP_OK && json->depth > depth);
    return status;
}
