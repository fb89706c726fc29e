/* query_lexer.c: cuts a query into words, phrases and operators, with slop, edits and boost read along.
 *
 * '+', '-' and '!' are operators only where a token starts, so "state-of-the-art" is one word. '^' and
 * '~' touch what they belong to. A '?' or '!' that ends a word is punctuation, and so is a ':' unless a
 * word follows it, which would be a field. A backslash takes the next character as it is; it stays in
 * the token's bytes and is removed by planner.c. Knows nothing of how tokens combine (query_parser.c). */
#include "plan/query_lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

const double rp__query_lexer_boost_max = 1e6;

/* ---- Errors ---------------------------------------------------------------------------------- */

size_t rp__query_lexer_column(const char *text, size_t at)
{
    size_t column = 1;
    for (size_t i = 0; i < at; i++)
        column += ((unsigned char)text[i] & 0xC0) != 0x80;
    return column;
}

rp_status rp__query_lexer_fail(const char *text, size_t at, rp_error *err, rp_status code,
                               const char *format, ...)
{
    char what[sizeof err->text];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return rp__error_set(err, code, "column %zu: %s", rp__query_lexer_column(text, at),
                         n < 0 ? "the query is malformed" : what);
}

#define FAIL(lexer, offset, code, ...)                                                             \
    rp__query_lexer_fail((lexer)->text, offset, (lexer)->err, code, __VA_ARGS__)

/* ---- Characters ------------------------------------------------------------------------------ */

static bool is_unicode_space(uint32_t c)
{
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
           c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/* Bytes of the white space at `at`, 0 where there is none. Control characters count as such. */
static uint32_t space_at(const rp__query_lexer *lexer, uint32_t at)
{
    unsigned char c = (unsigned char)lexer->text[at];
    if (c < 0x80)
        return c <= 0x20 || c == 0x7F;
    uint32_t len;
    return is_unicode_space(rp__utf8_decode(lexer->text + at, &len)) ? len : 0;
}

static bool is_at(const rp__query_lexer *lexer, char c)
{
    return lexer->at < lexer->bytes && lexer->text[lexer->at] == c;
}

static bool is_alnum(char c)
{
    const char lower = (char)(c | 0x20);
    return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z');
}

/* "&&" or "||". */
static bool is_pair(const rp__query_lexer *lexer)
{
    return lexer->bytes - lexer->at >= 2 && (is_at(lexer, '&') || is_at(lexer, '|')) &&
           lexer->text[lexer->at] == lexer->text[lexer->at + 1];
}

/* The characters that end a word wherever they stand. */
static bool ends_word(const rp__query_lexer *lexer)
{
    return lexer->at >= lexer->bytes || strchr("()\"^~", lexer->text[lexer->at]) ||
           is_pair(lexer) || space_at(lexer, lexer->at);
}

/* Passes over one character, or a backslash and the character it protects. */
static rp_status skip_char(rp__query_lexer *lexer)
{
    uint32_t len = 1, at = lexer->at;
    if (lexer->text[at] == '\\' && ++lexer->at >= lexer->bytes)
        return FAIL(lexer, at, RP_USAGE, "'\\' must have a character after it");
    rp__utf8_decode(lexer->text + lexer->at, &len);
    lexer->at += len;
    return RP_OK;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static bool is_digit(const rp__query_lexer *lexer)
{
    return lexer->at < lexer->bytes && lexer->text[lexer->at] >= '0' &&
           lexer->text[lexer->at] <= '9';
}

/* Digits into a saturated number; false where there is none. */
static bool read_digits(rp__query_lexer *lexer, uint32_t cap, uint32_t *out)
{
    uint32_t begin = lexer->at;
    uint64_t v = 0;
    for (; is_digit(lexer); lexer->at++)
        if (v <= cap)
            v = v * 10 + (uint64_t)(lexer->text[lexer->at] - '0');
    *out = v > cap ? cap : (uint32_t)v;
    return lexer->at > begin;
}

/* digits [. digits] [e [+-] digits], whatever the locale: 15 digits count, so the mantissa is exact
 * and one operation with a power of ten gives the same double everywhere. */
static bool read_decimal(rp__query_lexer *lexer, double *out)
{
    uint64_t mantissa = 0;
    int32_t exponent = 0;
    uint32_t digits = 0, n = 0;
    for (bool is_fraction = false;; lexer->at++) {
        if (!is_fraction && is_at(lexer, '.')) {
            is_fraction = true;
            continue;
        }
        if (!is_digit(lexer))
            break;
        n++;
        if (digits < 15) {
            mantissa = mantissa * 10 + (uint64_t)(lexer->text[lexer->at] - '0');
            digits += mantissa != 0;
            exponent -= is_fraction;
        } else {
            exponent += !is_fraction;
        }
    }
    if (n == 0)
        return false;
    if (is_at(lexer, 'e') || is_at(lexer, 'E')) {
        lexer->at++;
        int32_t sign = is_at(lexer, '-') ? -1 : 1;
        lexer->at += is_at(lexer, '-') || is_at(lexer, '+');
        uint32_t e;
        if (!read_digits(lexer, 9999, &e))
            return false;
        exponent += sign * (int32_t)e;
    }
    double v = (double)mantissa, power = 1;
    for (int32_t e = exponent < 0 ? -exponent : exponent; e > 0 && power < 1e300; e--)
        power *= 10;
    *out = mantissa == 0 ? 0 : exponent < 0 ? v / power : v * power;
    return true;
}

/* Bytes of what a person would take for the number, for messages. */
static int number_length(const rp__query_lexer *lexer, uint32_t begin)
{
    rp__query_lexer probe = *lexer;
    probe.at = begin;
    for (uint32_t len; probe.at - begin < 24 && !ends_word(&probe); probe.at += len)
        rp__utf8_decode(probe.text + probe.at, &len);
    return (int)(probe.at - begin);
}

/* `^number` after a word, a phrase or ')'. */
static rp_status read_boost(rp__query_lexer *lexer, rp__query_lexer_token *token)
{
    if (!is_at(lexer, '^'))
        return RP_OK;
    token->boost_at = lexer->at++;
    uint32_t begin = lexer->at;
    if (number_length(lexer, begin) == 0)
        return FAIL(lexer, begin, RP_USAGE, "expected a number after '^'");
    bool is_number = read_decimal(lexer, &token->boost) && number_length(lexer, lexer->at) == 0;
    if (!is_number || !(token->boost <= rp__query_lexer_boost_max))
        return FAIL(lexer, begin, RP_USAGE, "a boost is a number from 0 to 1000000, not '%.*s'",
                    number_length(lexer, begin), lexer->text + begin);
    if (is_at(lexer, '^') || is_at(lexer, '~'))
        return FAIL(lexer, lexer->at, RP_USAGE, "'%c' cannot stand after a boost",
                    lexer->text[lexer->at]);
    return RP_OK;
}

/* `~number` after a phrase. */
static rp_status read_slop(rp__query_lexer *lexer, rp__query_lexer_token *token)
{
    if (!is_at(lexer, '~'))
        return RP_OK;
    uint32_t begin = ++lexer->at;
    if (!read_digits(lexer, UINT32_MAX - 1, &token->slop) || number_length(lexer, lexer->at) != 0)
        return FAIL(lexer, begin, RP_USAGE, "expected a whole number of words after '~'");
    if (token->slop > lexer->options->max_slop)
        return FAIL(lexer, begin, RP_LIMIT, "a slop of %.*s is over %zu; raise --max-slop",
                    number_length(lexer, begin), lexer->text + begin, lexer->options->max_slop);
    return RP_OK;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* A '*', and a '?' that does not end its word, mean something outside a phrase alone. */
static rp_status check_phrase_mark(const rp__query_lexer *lexer)
{
    rp__query_lexer probe = *lexer;
    while (is_at(&probe, '?') || is_at(&probe, '!'))
        probe.at++;
    if (!is_at(lexer, '*') && (!is_at(lexer, '?') || ends_word(&probe)))
        return RP_OK;
    return FAIL(
        lexer, lexer->at, RP_USAGE,
        "'%c' means nothing inside a phrase: put its word outside the quotes; '\\' takes it as "
        "it is",
        lexer->text[lexer->at]);
}

static rp_status read_phrase(rp__query_lexer *lexer, rp__query_lexer_token *token)
{
    token->kind = RP_TOKEN_PHRASE;
    token->begin = ++lexer->at;
    while (lexer->at < lexer->bytes && lexer->text[lexer->at] != '"') {
        rp_status status = check_phrase_mark(lexer);
        if (status == RP_OK)
            status = skip_char(lexer);
        if (status != RP_OK)
            return status;
    }
    if (lexer->at >= lexer->bytes)
        return FAIL(lexer, token->at, RP_USAGE, "the quote is never closed");
    token->end = lexer->at++;
    rp_status status = read_slop(lexer, token);
    return status == RP_OK ? read_boost(lexer, token) : status;
}

/* Operators are words in capitals, and nothing but the word. */
static rp__query_lexer_kind keyword(const rp__query_lexer *lexer,
                                    const rp__query_lexer_token *token)
{
    static const struct {
        const char *name;
        rp__query_lexer_kind kind;
    } rows[] = {{"AND", RP_TOKEN_AND}, {"OR", RP_TOKEN_OR}, {"NOT", RP_TOKEN_NOT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == token->end - token->begin &&
            memcmp(rows[i].name, lexer->text + token->begin, token->end - token->begin) == 0)
            return rows[i].kind;
    return RP_TOKEN_WORD;
}

/* What a word is made of beside letters. */
typedef struct word_marks {
    uint32_t solid;     /* byte behind the last one that is not '?' or '!' at its end */
    uint32_t n_stars;   /* of '*' */
    uint32_t question;  /* byte of the first '?' */
    uint32_t last_star; /* byte of the last '*' */
} word_marks;

/* Whether what follows a ':' is a word, a phrase, a parenthesis or a range, so that a field is meant. */
static bool is_field_value(const rp__query_lexer *lexer, uint32_t at)
{
    if (at >= lexer->bytes || space_at(lexer, at))
        return false;
    unsigned char c = (unsigned char)lexer->text[at], lower = c | 0x20;
    return c >= 0x80 || (lower >= 'a' && lower <= 'z') || strchr("_\"([{*<>\\", c) != NULL;
}

/* At a ':' inside a word: one of several, or one that is not before a word, is punctuation. */
static rp_status check_colon(rp__query_lexer *lexer, uint32_t begin)
{
    uint32_t at = lexer->at;
    if (at == begin || lexer->text[at - 1] == ':' || !is_field_value(lexer, at + 1))
        return RP_OK;
    return FAIL(lexer, at, RP_USAGE, "fields are not supported yet; put it in quotes: \"%.*s\"",
                number_length(lexer, begin), lexer->text + begin);
}

static rp_status read_star(rp__query_lexer *lexer, uint32_t begin, word_marks *marks)
{
    if (lexer->at == begin)
        return FAIL(lexer, begin, RP_USAGE,
                    "'*' needs the start of a word right before it; '\\' takes it as it is");
    if (marks->n_stars > 0 && marks->last_star + 1 == lexer->at)
        return FAIL(lexer, lexer->at, RP_USAGE, "one '*' is enough");
    marks->n_stars++;
    marks->last_star = lexer->at++;
    return RP_OK;
}

/* ASCII's letters and digits, which most words have alone, are nothing else. */
static void skip_ascii(rp__query_lexer *lexer, word_marks *marks)
{
    uint32_t at = lexer->at;
    while (at < lexer->bytes && is_alnum(lexer->text[at]))
        at++;
    marks->solid = at > lexer->at ? at : marks->solid;
    lexer->at = at;
}

static rp_status scan_word(rp__query_lexer *lexer, word_marks *marks)
{
    uint32_t begin = lexer->at;
    *marks = (word_marks){.solid = begin, .question = UINT32_MAX};
    for (skip_ascii(lexer, marks); !ends_word(lexer); skip_ascii(lexer, marks)) {
        char c = lexer->text[lexer->at];
        rp_status status = c == ':' ? check_colon(lexer, begin) : RP_OK;
        if (c == '?' && lexer->at < marks->question)
            marks->question = lexer->at;
        if (status == RP_OK)
            status = c == '*' ? read_star(lexer, begin, marks) : skip_char(lexer);
        if (status != RP_OK)
            return status;
        if (c != '?' && c != '!')
            marks->solid = lexer->at;
    }
    if (marks->question == begin && marks->solid > begin)
        return FAIL(lexer, begin, RP_USAGE,
                    "'?' needs the start of a word right before it; '\\' takes it as it is");
    return RP_OK;
}

/* `~1` or `~2` after a word. */
static rp_status read_edits(rp__query_lexer *lexer, rp__query_lexer_token *token,
                            const word_marks *marks)
{
    if (!is_at(lexer, '~'))
        return RP_OK;
    if (token->kind != RP_TOKEN_WORD)
        return FAIL(lexer, lexer->at, RP_USAGE, "'~' cannot stand beside '*' or '?'");
    if (marks->solid == token->begin)
        return FAIL(lexer, lexer->at, RP_USAGE,
                    "'~' needs a word or a phrase right before it; '\\' takes it as it is");
    uint32_t begin = ++lexer->at;
    if (!read_digits(lexer, UINT32_MAX - 1, &token->slop) || number_length(lexer, lexer->at) != 0 ||
        token->slop < 1 || token->slop > 2)
        return FAIL(lexer, begin, RP_USAGE,
                    "expected 1 or 2 after '~': how many letters of the word may differ");
    token->kind = RP_TOKEN_FUZZY;
    token->end = marks->solid;
    return RP_OK;
}

/* What the marks make of a word. */
static void classify(const rp__query_lexer *lexer, const word_marks *marks,
                     rp__query_lexer_token *token)
{
    bool has_question = marks->question < marks->solid;
    bool is_prefix = marks->n_stars == 1 && !has_question && marks->last_star + 1 == marks->solid;
    token->end = lexer->at;
    if (!has_question && marks->n_stars == 0)
        token->kind = is_at(lexer, '~') ? RP_TOKEN_WORD : keyword(lexer, token);
    else if (is_prefix)
        token->kind = RP_TOKEN_PREFIX;
    else
        token->kind = RP_TOKEN_WILDCARD;
    if (token->kind == RP_TOKEN_PREFIX)
        token->end = marks->last_star;
    else if (token->kind == RP_TOKEN_WILDCARD)
        token->end = marks->solid;
}

static rp_status read_word(rp__query_lexer *lexer, rp__query_lexer_token *token)
{
    word_marks marks;
    token->begin = lexer->at;
    rp_status status = scan_word(lexer, &marks);
    if (status != RP_OK)
        return status;
    if (token->begin == lexer->at)
        return FAIL(lexer, lexer->at, RP_USAGE,
                    "'%c' needs %s right before it; '\\' takes it as it is", lexer->text[lexer->at],
                    is_at(lexer, '~') ? "a word or a phrase" : "a word, a phrase or ')'");
    classify(lexer, &marks, token);
    if (token->kind == RP_TOKEN_AND || token->kind == RP_TOKEN_OR || token->kind == RP_TOKEN_NOT)
        return RP_OK;
    status = read_edits(lexer, token, &marks);
    return status == RP_OK ? read_boost(lexer, token) : status;
}

enum { RANGE_WORD = 64 }; /* bytes of a range's end; so looking for one costs little anywhere */

static uint32_t skip_spaces(const rp__query_lexer *lexer, uint32_t at)
{
    uint32_t len = 1;
    for (uint32_t begin = at; at < lexer->bytes && at - begin < RANGE_WORD; at += len) {
        len = space_at(lexer, at);
        if (len == 0)
            break;
    }
    return at;
}

static uint32_t skip_letters(const rp__query_lexer *lexer, uint32_t at)
{
    uint32_t len = 1;
    for (uint32_t begin = at; at < lexer->bytes && at - begin < RANGE_WORD; at += len) {
        if (space_at(lexer, at))
            break;
        rp__utf8_decode(lexer->text + at, &len);
    }
    return at;
}

/* "[a TO b]", with one or the other kind of bracket. */
static bool is_range(const rp__query_lexer *lexer)
{
    uint32_t to = skip_spaces(lexer, skip_letters(lexer, skip_spaces(lexer, lexer->at + 1)));
    uint32_t last = skip_spaces(lexer, skip_letters(lexer, to));
    uint32_t end = skip_letters(lexer, last);
    if (skip_letters(lexer, to) - to != 2 || memcmp(lexer->text + to, "TO", 2) != 0)
        return false;
    for (; last < end; last++)
        if (lexer->text[last] == ']' || lexer->text[last] == '}')
            return true;
    end = skip_spaces(lexer, end);
    return end < lexer->bytes && (lexer->text[end] == ']' || lexer->text[end] == '}');
}

static rp_status read_bracket(rp__query_lexer *lexer, rp__query_lexer_token *token)
{
    if (is_range(lexer))
        return FAIL(lexer, lexer->at, RP_USAGE,
                    "ranges as in [a TO b] are not supported yet; put it in quotes");
    return read_word(lexer, token);
}

/* '!' before a word, a phrase or '(' is NOT; any other is punctuation. */
static rp_status read_bang(rp__query_lexer *lexer, rp__query_lexer_token *token)
{
    rp__query_lexer probe = *lexer;
    while (is_at(&probe, '!') || is_at(&probe, '?'))
        probe.at++;
    if (!is_at(&probe, '(') && !is_at(&probe, '"') && ends_word(&probe))
        return read_word(lexer, token);
    token->kind = RP_TOKEN_NOT;
    lexer->at++;
    return RP_OK;
}

/* An operator character must touch what it is for. */
static rp_status read_sign(rp__query_lexer *lexer, rp__query_lexer_token *token)
{
    token->kind = lexer->text[lexer->at++] == '+' ? RP_TOKEN_PLUS : RP_TOKEN_MINUS;
    if (lexer->at >= lexer->bytes || space_at(lexer, lexer->at))
        return FAIL(lexer, token->at, RP_USAGE,
                    "expected a word, a phrase or '(' right after '%c'; '\\' takes it as it is",
                    lexer->text[token->at]);
    return RP_OK;
}

static void read_plain(rp__query_lexer *lexer, rp__query_lexer_token *token)
{
    token->kind = RP_TOKEN_WORD;
    token->begin = lexer->at;
    for (uint32_t len = 1; lexer->at < lexer->bytes; lexer->at += len, len = 1) {
        unsigned char c = (unsigned char)lexer->text[lexer->at];
        if (c > 0x20 && c < 0x7F)
            continue;
        if (space_at(lexer, lexer->at))
            break;
        rp__utf8_decode(lexer->text + lexer->at, &len);
    }
    token->end = lexer->at;
}

rp_status rp__query_lexer_next(rp__query_lexer *lexer, rp__query_lexer_token *token)
{
    for (uint32_t len = 1; lexer->at < lexer->bytes; lexer->at += len) {
        len = space_at(lexer, lexer->at);
        if (len == 0)
            break;
    }
    *token = (rp__query_lexer_token){.kind = RP_TOKEN_END, .at = lexer->at, .boost = 1};
    if (lexer->at >= lexer->bytes)
        return RP_OK;
    if (lexer->options->plain) {
        read_plain(lexer, token);
        return RP_OK;
    }
    switch (lexer->text[lexer->at]) {
    case '(':
        token->kind = RP_TOKEN_LEFT;
        lexer->at++;
        return RP_OK;
    case ')':
        token->kind = RP_TOKEN_RIGHT;
        lexer->at++;
        return read_boost(lexer, token);
    case '"':
        return read_phrase(lexer, token);
    case '+':
    case '-':
        return read_sign(lexer, token);
    case '!':
        return read_bang(lexer, token);
    case '[':
    case '{':
        return read_bracket(lexer, token);
    default:
        break;
    }
    if (!is_pair(lexer))
        return read_word(lexer, token);
    token->kind = is_at(lexer, '&') ? RP_TOKEN_AND : RP_TOKEN_OR;
    lexer->at += 2;
    return RP_OK;
}
