/* wordbreak.c: the word boundary rules, one segment at a time.
 * This is the plain path that knows every rule; asciiscan.c finds the easy words faster and must
 * agree with it. It does not fold, nor drop anything.
 * Source: UAX #29 for Unicode 14, section 4.1.1; the rules are cited by number.
 * Invariants: 1 `at` is after the last character taken; 2 `base` is the class of the last one that
 * WB4 does not look through, `last` that of the last one of all. */
#include "text/wordbreak.h"

#include <stdint.h>

#include "base/utf8.h"
#include "text/wordbreak_table.h"

#define BIT(name) (1U << RP_WORDBREAK_##name)

#define AHLETTER (BIT(ALETTER) | BIT(HEBREW))
#define NEWLINES (BIT(CR) | BIT(LF) | BIT(NEWLINE))
#define IGNORED  (BIT(EXTEND) | BIT(FORMAT) | BIT(ZWJ))
#define MIDDLES                                                                                    \
    (BIT(MIDLETTER) | BIT(MIDNUM) | BIT(MIDNUMLET) | BIT(SINGLE_QUOTE) | BIT(DOUBLE_QUOTE))

/* What never breaks after a class: WB5, 7a, 8, 9, 10, 13, 13a, 13b. */
static const uint32_t follows[32] = {
    [RP_WORDBREAK_ALETTER] = AHLETTER | BIT(NUMERIC) | BIT(EXTENDNUMLET),
    [RP_WORDBREAK_HEBREW] = AHLETTER | BIT(NUMERIC) | BIT(EXTENDNUMLET) | BIT(SINGLE_QUOTE),
    [RP_WORDBREAK_NUMERIC] = AHLETTER | BIT(NUMERIC) | BIT(EXTENDNUMLET),
    [RP_WORDBREAK_KATAKANA] = BIT(KATAKANA) | BIT(EXTENDNUMLET),
    [RP_WORDBREAK_EXTENDNUMLET] = AHLETTER | BIT(NUMERIC) | BIT(KATAKANA) | BIT(EXTENDNUMLET),
};

typedef struct walk {
    const char *text;
    size_t bytes, at;
    uint32_t last, base;
    uint8_t flags;     /* of all characters taken */
    bool is_half_flag; /* an odd number of regional indicators was taken */
    bool is_ascii;
} walk;

/* Length of the character at `at`, with its value; 0 at the end and at an invalid byte. */
static inline uint32_t peek(const walk *w, size_t at, uint8_t *value)
{
    if (at >= w->bytes)
        return 0;
    uint32_t code = (unsigned char)w->text[at], length = 1;
    if (code >= 0x80) {
        if (rp__utf8_valid(w->text + at, w->bytes - at) == 0)
            return 0;
        code = rp__utf8_decode(w->text + at, &length);
    }
    *value = rp__wordbreak_table_get(code);
    return length;
}

static bool take(walk *w, uint32_t length, uint8_t value)
{
    w->at += length;
    w->is_ascii &= length == 1;
    w->flags |= value;
    w->last = value & RP_WORDBREAK_CLASS;
    if ((1U << w->last & IGNORED) == 0)
        w->base = w->last;
    return true;
}

/* The classes of which one must come after `middle` for it not to break after `base`. */
static uint32_t needed_after(uint32_t base, uint32_t middle)
{
    uint32_t bit = 1U << middle;
    if ((1U << base & AHLETTER) && (bit & (BIT(MIDLETTER) | BIT(MIDNUMLET) | BIT(SINGLE_QUOTE))))
        return AHLETTER; /* WB6, 7 */
    if (base == RP_WORDBREAK_NUMERIC && (bit & (BIT(MIDNUM) | BIT(MIDNUMLET) | BIT(SINGLE_QUOTE))))
        return BIT(NUMERIC); /* WB11, 12 */
    if (base == RP_WORDBREAK_HEBREW && middle == RP_WORDBREAK_DOUBLE_QUOTE)
        return BIT(HEBREW); /* WB7b, 7c */
    return 0;
}

/* Takes a character between letters or between digits together with what must come after it. */
static bool take_middle(walk *w, uint32_t length, uint8_t value)
{
    uint32_t needed = needed_after(w->base, value & RP_WORDBREAK_CLASS);
    if (needed == 0)
        return false;
    bool is_ascii = length == 1;
    size_t at = w->at + length;
    uint8_t next = 0, flags = value;
    while ((length = peek(w, at, &next)) > 0) {
        at += length;
        is_ascii &= length == 1;
        flags |= next;
        if ((1U << (next & RP_WORDBREAK_CLASS) & IGNORED) == 0)
            break;
    }
    if (length == 0 || (1U << (next & RP_WORDBREAK_CLASS) & needed) == 0)
        return false;
    w->is_ascii &= is_ascii;
    w->flags |= flags;
    w->at = at - length;
    return take(w, length, next);
}

/* Takes the next character if there is no boundary before it. */
static bool take_next(walk *w)
{
    uint8_t value;
    uint32_t length = peek(w, w->at, &value);
    if (length == 0)
        return false;
    uint32_t class = value & RP_WORDBREAK_CLASS, bit = 1U << class;
    if ((bit | 1U << w->last) & NEWLINES) /* WB3, 3a, 3b */
        return w->last == RP_WORDBREAK_CR && class == RP_WORDBREAK_LF && take(w, length, value);
    if (bit & IGNORED) /* WB4 */
        return take(w, length, value);
    if ((bit & MIDDLES) && take_middle(w, length, value))
        return true;
    if (class == RP_WORDBREAK_REGIONAL && w->base == RP_WORDBREAK_REGIONAL && w->is_half_flag) {
        w->is_half_flag = false; /* WB15, 16 */
        return take(w, length, value);
    }
    if ((follows[w->base] & bit) ||
        (w->last == RP_WORDBREAK_ZWJ && (value & RP_WORDBREAK_PICT)) || /* WB3c */
        (w->last == RP_WORDBREAK_SPACE && class == RP_WORDBREAK_SPACE)) /* WB3d */
        return take(w, length, value);
    return false;
}

rp__wordbreak_segment rp__wordbreak_next(const char *text, size_t bytes, size_t at)
{
    walk w = {.text = text, .bytes = bytes, .at = at, .is_ascii = true};
    uint8_t value;
    uint32_t length = peek(&w, at, &value);
    if (length == 0)
        return (rp__wordbreak_segment){.end = at + 1};
    take(&w, length, value);
    w.base = w.last;
    w.is_half_flag = w.last == RP_WORDBREAK_REGIONAL;
    while (take_next(&w))
        ;
    return (rp__wordbreak_segment){
        .end = w.at,
        .is_word = (w.flags & RP_WORDBREAK_WORD) != 0,
        .is_ascii = w.is_ascii,
        .is_folded = (w.flags & RP_WORDBREAK_FOLDS) == 0,
    };
}
