/* accents.c: which marks are accents, and how they leave a word.
 * utf8proc's STRIPMARK drops every mark of Unicode. In Devanagari or Thai that takes the vowels out
 * of a word, and in kana it makes "ga" a "ka". So the marks of those scripts stay; for Latin, Greek
 * and Cyrillic the outcome is that of STRIPMARK. A stemmer may need some letters with their accent:
 * they keep it here and lose it from the stem (stemming.c).
 * Source: Unicode 14, general category M. */
#include "text/accents.h"

#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "text/folding.h"

static const struct {
    int32_t first, last;
} marks[] = {
    {0x0300, 0x036F}, /* combining diacritical marks */
    {0x0483, 0x0489}, /* Cyrillic */
    {0x0591, 0x05BD}, /* Hebrew accents and points */
    {0x05BF, 0x05BF}, {0x05C1, 0x05C2}, {0x05C4, 0x05C5}, {0x05C7, 0x05C7},
    {0x0610, 0x061A}, /* Arabic signs and vowels */
    {0x064B, 0x065F}, {0x0670, 0x0670}, {0x06D6, 0x06DC}, {0x06DF, 0x06E4},
    {0x06E7, 0x06E8}, {0x06EA, 0x06ED}, {0x0711, 0x0711}, /* Syriac */
    {0x0730, 0x074A}, {0x1AB0, 0x1ACE}, /* combining diacritical marks, extended */
    {0x1DC0, 0x1DFF}, {0x20D0, 0x20F0}, {0x2DE0, 0x2DFF}, /* Cyrillic, extended */
    {0xA66F, 0xA672}, {0xA674, 0xA67D}, {0xA69E, 0xA69F}, {0xFE20, 0xFE2F},
};

bool rp__accents_is_mark(int32_t code)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks && code >= marks[i].first; i++)
        if (code <= marks[i].last)
            return true;
    return false;
}

static bool is_kept(const rp__accents *a, int32_t base, int32_t mark)
{
    for (uint32_t i = 0; i < a->n_kept; i++)
        if (a->kept[i].base == base && a->kept[i].mark == mark)
            return true;
    return false;
}

size_t rp__accents_drop(const rp__accents *accents, int32_t *codes, size_t n)
{
    size_t out = 0;
    int32_t base = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t code = codes[i];
        if (!rp__accents_is_mark(code))
            base = code;
        else if (!is_kept(accents, base, code))
            continue;
        codes[out++] = code;
    }
    return out;
}

static void keep_letters(rp__accents *a, const char *letters)
{
    for (const char *at = letters; *at && a->n_kept < RP_ACCENTS_KEPT_MAX;) {
        uint32_t length;
        int32_t parts[4], last = 0;
        int32_t code = (int32_t)rp__utf8_decode(at, &length);
        utf8proc_ssize_t n = utf8proc_decompose_char(code, parts, 4, UTF8PROC_DECOMPOSE, &last);
        at += length;
        if (n != 2)
            continue;
        a->kept[a->n_kept].base = parts[0];
        a->kept[a->n_kept++].mark = parts[1];
    }
}

/* The table has what the plain path makes of each letter alone, where that is one code point that
 * takes no more bytes. */
static void fill_table(rp__accents *a)
{
    rp__folding folding;
    for (uint32_t i = 0; i < RP_ACCENTS_CODES; i++) {
        char letter[4], term[RP_TEXT_TERM_MAX];
        uint32_t length = rp__utf8_encode(RP_ACCENTS_FIRST + i, letter);
        size_t n = rp__folding_unicode(&folding, a, letter, length, term);
        if (n == 0 || n > length)
            continue;
        uint32_t code = rp__utf8_decode(term, &length);
        a->table[i] = (uint16_t)(length == n ? code : 0);
    }
}

void rp__accents_init(rp__accents *accents, const char *letters)
{
    *accents = (rp__accents){.drops = true};
    keep_letters(accents, letters);
    fill_table(accents);
}

size_t rp__accents_by_table(const rp__accents *accents, const char *word, size_t bytes, char *term)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)word[i];
        if (c < 0x80) {
            term[n++] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
            continue;
        }
        if (c < 0xC3 || c > 0xC5) /* the lead bytes of U+00C0 to U+017F */
            return 0;
        uint32_t code = (c & 0x1FU) << 6 | ((unsigned char)word[++i] & 0x3FU);
        uint32_t to = accents->table[code - RP_ACCENTS_FIRST];
        if (to == 0)
            return 0;
        n += rp__utf8_encode(to, term + n);
    }
    return n;
}

bool rp__accents_has_none(const char *word, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        uint32_t length = 1;
        if ((unsigned char)word[i] >= 0x80) {
            int32_t code = (int32_t)rp__utf8_decode(word + i, &length);
            if (rp__accents_is_mark(code) ||
                utf8proc_get_property(code)->decomp_seqindex != UINT16_MAX)
                return false;
        }
        i += length;
    }
    return true;
}
