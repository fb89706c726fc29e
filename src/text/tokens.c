/* tokens.c: the rules by which text is cut into words, one segment at a time.
 * This is the plain path that has every rule; analyzer.c takes easy words of ASCII faster and must
 * agree with it. It does not fold, and drops nothing.
 * Source: UAX #29 (wordbreak.c); pairs of letters as in Lucene's CJKBigramFilter. */
#include "text/tokens.h"

#include <string.h>

#include "base/utf8.h"
#include "text/text.h"
#include "text/wordbreak_table.h"

/* In rp__tokens's order; the first is not for users. */
static const char *const names[] = {"plain", "uax29", "split", "whitespace", "bigram", NULL};

bool rp__tokens_find(const char *name, rp__tokens *out)
{
    for (size_t i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (rp__tokens)i;
            return true;
        }
    return false;
}

const char *rp__tokens_name(size_t i)
{
    return i < sizeof names / sizeof *names - 1 ? names[i + 1] : NULL;
}

/* ---- Characters ------------------------------------------------------------------------------ */

/* Han, Hiragana, Katakana, Hangul; the word-break table says which of them are letters. */
static const struct {
    uint32_t first, last;
} pair_scripts[] = {
    {0x1100, 0x11FF}, {0x2E80, 0x2FDF}, {0x3005, 0x3007},   {0x3021, 0x3029},   {0x3031, 0x3035},
    {0x3038, 0x303C}, {0x3041, 0x3096}, {0x309B, 0x309F},   {0x30A0, 0x30FF},   {0x3131, 0x318E},
    {0x31F0, 0x31FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF},   {0xA960, 0xA97C},   {0xAC00, 0xD7FB},
    {0xF900, 0xFAFF}, {0xFF66, 0xFFDC}, {0x1AFF0, 0x1B16F}, {0x20000, 0x3FFFF},
};

enum { FIRST_LEAD = 0xE1 }; /* of U+1100 in UTF-8: no lead byte of these scripts is less */

static bool is_in_pair_scripts(uint32_t code)
{
    for (size_t i = 0; i < sizeof pair_scripts / sizeof *pair_scripts; i++)
        if (code <= pair_scripts[i].last)
            return code >= pair_scripts[i].first;
    return false;
}

typedef struct character {
    uint32_t code, length; /* length 0: the end of the text, or an invalid byte */
    uint8_t value;         /* of the word-break table */
} character;

static character peek(const char *text, size_t bytes, size_t at)
{
    character c = {0};
    if (at >= bytes || rp__utf8_valid(text + at, bytes - at) == 0)
        return c;
    c.code = rp__utf8_decode(text + at, &c.length);
    c.value = rp__wordbreak_table_get(c.code);
    return c;
}

/* A mark or a format character: it belongs to the one before it. */
static bool is_mark(character c)
{
    uint32_t class = c.value & RP_WORDBREAK_CLASS;
    return c.length > 0 && (class == RP_WORDBREAK_EXTEND || class == RP_WORDBREAK_FORMAT ||
                            class == RP_WORDBREAK_ZWJ);
}

static bool is_letter(character c)
{
    return c.length > 0 && (c.value & RP_WORDBREAK_WORD) && !is_mark(c);
}

static bool goes_by_pairs(rp__tokens rule, character c)
{
    if (rule == RP_TOKENS_PLAIN || rule == RP_TOKENS_WHITESPACE || !is_letter(c))
        return false;
    return rule == RP_TOKENS_BIGRAM || is_in_pair_scripts(c.code);
}

/* Vowels and finals of Hangul, which complete the syllable before them. */
static bool is_syllable_part(uint32_t code)
{
    return (code >= 0x1160 && code <= 0x11FF) || (code >= 0xD7B0 && code <= 0xD7FB);
}

static bool is_hangul(uint32_t code)
{
    return (code >= 0x1100 && code <= 0x11FF) || (code >= 0xA960 && code <= 0xA97C) ||
           (code >= 0xAC00 && code <= 0xD7FB);
}

/* The White_Space property, and control characters. */
static bool is_blank(uint32_t code)
{
    return code <= ' ' || (code >= 0x7F && code <= 0xA0) || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
           code == 0x202F || code == 0x205F || code == 0x3000;
}

/* ---- Segments -------------------------------------------------------------------------------- */

static void add(rp__wordbreak_segment *s, character c)
{
    s->end += c.length;
    s->is_word |= (c.value & RP_WORDBREAK_WORD) != 0;
    s->is_ascii &= c.code < 0x80;
    s->is_folded &= (c.value & RP_WORDBREAK_FOLDS) == 0;
}

static rp__wordbreak_segment empty_at(size_t at)
{
    return (rp__wordbreak_segment){.end = at, .is_ascii = true, .is_folded = true};
}

rp__wordbreak_segment rp__tokens_letter(rp__tokens rule, const char *text, size_t bytes, size_t at)
{
    rp__wordbreak_segment s = empty_at(at);
    character c = peek(text, bytes, at);
    if (!goes_by_pairs(rule, c))
        return s;
    bool is_syllable = is_hangul(c.code);
    add(&s, c);
    for (c = peek(text, bytes, s.end);
         is_mark(c) || (is_syllable && c.length > 0 && is_syllable_part(c.code));
         c = peek(text, bytes, s.end))
        add(&s, c);
    return s;
}

bool rp__tokens_is_lone(rp__tokens rule, const char *term, size_t bytes, uint8_t *first)
{
    if (bytes == 0 || (unsigned char)term[0] < FIRST_LEAD)
        return false;
    character c = peek(term, bytes, 0);
    *first = rule == RP_TOKENS_BIGRAM ? 0 : FIRST_LEAD;
    return goes_by_pairs(rule, c) && is_in_pair_scripts(c.code) &&
           rp__tokens_letter(rule, term, bytes, 0).end == bytes;
}

/* A segment of wordbreak.c ends before the first letter that goes by pairs. */
static rp__wordbreak_segment next_uax29(rp__tokens rule, const char *text, size_t bytes, size_t at)
{
    rp__wordbreak_segment s = rp__wordbreak_next(text, bytes, at);
    if (s.is_ascii || rule == RP_TOKENS_PLAIN)
        return s;
    for (size_t i = at; i < s.end; i++) {
        if ((unsigned char)text[i] < FIRST_LEAD || !goes_by_pairs(rule, peek(text, bytes, i)))
            continue;
        rp__wordbreak_segment cut = empty_at(at);
        while (cut.end < i)
            add(&cut, peek(text, bytes, cut.end));
        return cut;
    }
    return s;
}

/* Bytes of the apostrophe at `at`; 0: there is none. */
static size_t apostrophe(const char *text, size_t bytes, size_t at)
{
    if (at < bytes && text[at] == '\'')
        return 1;
    if (at + 3 > bytes)
        return 0;
    return memcmp(text + at, "\xE2\x80\x99", 3) == 0 || memcmp(text + at, "\xEF\xBC\x87", 3) == 0
               ? 3
               : 0;
}

/* An apostrophe between letters is part of their word. */
static bool continues(rp__tokens rule, const char *text, size_t bytes, size_t at)
{
    size_t skipped = apostrophe(text, bytes, at);
    character c = peek(text, bytes, at + skipped);
    return (skipped == 0 && is_mark(c)) || (is_letter(c) && !goes_by_pairs(rule, c));
}

static rp__wordbreak_segment next_split(rp__tokens rule, const char *text, size_t bytes, size_t at)
{
    rp__wordbreak_segment s = empty_at(at);
    character c = peek(text, bytes, at);
    add(&s, c);
    if (is_letter(c))
        while (continues(rule, text, bytes, s.end))
            add(&s, peek(text, bytes, s.end));
    else
        s.is_word = false;
    return s;
}

static rp__wordbreak_segment next_whitespace(const char *text, size_t bytes, size_t at)
{
    rp__wordbreak_segment s = empty_at(at);
    for (character c = peek(text, bytes, at); c.length > 0 && !is_blank(c.code);
         c = peek(text, bytes, s.end))
        add(&s, c);
    bool is_word = s.end > at;
    if (!is_word)
        add(&s, peek(text, bytes, at));
    s.is_word = is_word;
    return s;
}

rp__wordbreak_segment rp__tokens_next(rp__tokens rule, const char *text, size_t bytes, size_t at)
{
    if (rule == RP_TOKENS_PLAIN || rule == RP_TOKENS_UAX29)
        return next_uax29(rule, text, bytes, at);
    rp__wordbreak_segment s = rule == RP_TOKENS_WHITESPACE ? next_whitespace(text, bytes, at)
                                                           : next_split(rule, text, bytes, at);
    if (s.end == at) /* an invalid byte */
        s = (rp__wordbreak_segment){.end = at + 1};
    return s;
}

size_t rp__tokens_trim(const char *text, size_t begin, size_t end)
{
    if (end - begin < 3 || (text[end - 1] | 0x20) != 's')
        return end;
    if (text[end - 2] == '\'')
        return end - 2;
    return end - begin > 4 && apostrophe(text, end, end - 4) == 3 ? end - 4 : end;
}
