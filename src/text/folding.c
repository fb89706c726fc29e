/* folding.c: folds a word: ASCII by lower case, anything else by NFKC casefold; then accents go.
 * NFKC casefold also leaves out what cannot be seen (soft hyphens, joiners). utf8proc does the work
 * in our buffers and allocates nothing. Only the first bytes of a very long word are folded: the
 * library sorts combining marks in quadratic time. Does not find words (wordbreak.c).
 * Source: Unicode 14, section 3.13, toNFKC_Casefold. */
#include "text/folding.h"

#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"

enum {
    OPTIONS =
        UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE,
};

size_t rp__folding_cut(const char *word, size_t bytes, size_t max)
{
    if (bytes <= max)
        return bytes;
    while (max > 0 && ((unsigned char)word[max] & 0xC0) == 0x80)
        max--;
    return max;
}

size_t rp__folding_copy(const char *word, size_t bytes, char *term)
{
    size_t n = rp__folding_cut(word, bytes, RP_TEXT_TERM_MAX);
    memcpy(term, word, n);
    return n;
}

size_t rp__folding_ascii(const char *word, size_t bytes, char *term)
{
    size_t n = bytes < RP_TEXT_TERM_MAX ? bytes : RP_TEXT_TERM_MAX;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)word[i];
        term[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    return n;
}

size_t rp__folding_unicode(rp__folding *folding, const rp__accents *accents, const char *word,
                           size_t bytes, char *term)
{
    size_t n = rp__folding_cut(word, bytes, RP_FOLDING_SOURCE);
    utf8proc_ssize_t codes =
        utf8proc_decompose((const utf8proc_uint8_t *)word, (utf8proc_ssize_t)n, folding->codes,
                           RP_FOLDING_CODES, (utf8proc_option_t)OPTIONS);
    if (codes <= 0 || codes > RP_FOLDING_CODES)
        return 0;
    if (accents->drops)
        codes = (utf8proc_ssize_t)rp__accents_drop(accents, folding->codes, (size_t)codes);
    utf8proc_ssize_t out = utf8proc_reencode(folding->codes, codes, (utf8proc_option_t)OPTIONS);
    if (out <= 0)
        return 0;
    n = rp__folding_cut((const char *)folding->codes, (size_t)out, RP_TEXT_TERM_MAX);
    memcpy(term, folding->codes, n);
    return n;
}

size_t rp__folding_word(rp__folding *folding, const rp__accents *accents, const char *word,
                        size_t bytes, bool is_stable, char *term)
{
    if (accents->drops && bytes <= RP_TEXT_TERM_MAX) {
        size_t n = rp__accents_by_table(accents, word, bytes, term);
        if (n > 0)
            return n;
    }
    if (is_stable && (!accents->drops || rp__accents_has_none(word, bytes)))
        return rp__folding_copy(word, bytes, term);
    return rp__folding_unicode(folding, accents, word, bytes, term);
}

size_t rp__folding_any(rp__folding *folding, const rp__accents *accents, const char *word,
                       size_t bytes, char *term)
{
    char valid[RP_FOLDING_SOURCE];
    size_t n = 0, n_high = 0;
    for (size_t at = 0; at < bytes;) {
        uint32_t length = rp__utf8_valid(word + at, bytes - at);
        if (n + length > sizeof valid)
            break;
        memcpy(valid + n, word + at, length);
        n += length;
        n_high += length > 1;
        at += length > 0 ? length : 1;
    }
    return n_high > 0 ? rp__folding_unicode(folding, accents, valid, n, term)
                      : rp__folding_ascii(valid, n, term);
}
