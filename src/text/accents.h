/* text/accents.h: interior to text. Accents of letters, dropped from folded words. */
#ifndef RP_TEXT_ACCENTS_H
#define RP_TEXT_ACCENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RP_ACCENTS_KEPT_MAX = 24, /* letters that keep their accent */
    RP_ACCENTS_FIRST = 0xC0,  /* the letters that the table has */
    RP_ACCENTS_CODES = 0x180 - RP_ACCENTS_FIRST,
};

/* Read only once filled; any thread may read. All zero keeps every accent. */
typedef struct rp__accents {
    bool drops;
    uint32_t n_kept;
    struct {
        int32_t base, mark;
    } kept[RP_ACCENTS_KEPT_MAX];
    /* What U+00C0 to U+017F fold to, case included; 0: the table does not say. */
    uint16_t table[RP_ACCENTS_CODES];
} rp__accents;

/* Drops all accents but those of `letters`: UTF-8, lower case, each a letter with one accent. */
void rp__accents_init(rp__accents *accents, const char *letters);

/* True of a mark that is an accent: one of Latin, Greek, Cyrillic, Hebrew, Arabic or Syriac. Marks
 * that are part of a letter or a vowel (kana, Indic scripts, Thai) are none. */
bool rp__accents_is_mark(int32_t code);

/* Takes accents out of decomposed code points in canonical order; returns how many are left. */
size_t rp__accents_drop(const rp__accents *accents, int32_t *codes, size_t n);

/* The fast path: a word of ASCII and of letters in the table, in lower case and without accents, to
 * `term`; its bytes are at most those of the word. 0: the table does not suffice. */
size_t rp__accents_by_table(const rp__accents *accents, const char *word, size_t bytes, char *term);

/* Whether valid UTF-8 that case folding does not change has no accents either, so that it is its
 * own folding. False if that is not certain. */
bool rp__accents_has_none(const char *word, size_t bytes);

#endif
