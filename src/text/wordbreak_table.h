/* text/wordbreak_table.h: interior to text. The Word_Break class of every code point.
 *
 * A value is a class and three flags in one byte. The tables are made by tools/gen_wordbreak.c. */
#ifndef RP_TEXT_WORDBREAK_TABLE_H
#define RP_TEXT_WORDBREAK_TABLE_H

#include <stdint.h>

/* UAX #29, table 3. Values are in the generated tables: run the generator after a change. */
enum {
    RP_WORDBREAK_OTHER,
    RP_WORDBREAK_ALETTER,
    RP_WORDBREAK_HEBREW,
    RP_WORDBREAK_NUMERIC,
    RP_WORDBREAK_KATAKANA,
    RP_WORDBREAK_EXTENDNUMLET,
    RP_WORDBREAK_MIDLETTER,
    RP_WORDBREAK_MIDNUM,
    RP_WORDBREAK_MIDNUMLET,
    RP_WORDBREAK_SINGLE_QUOTE,
    RP_WORDBREAK_DOUBLE_QUOTE,
    RP_WORDBREAK_REGIONAL,
    RP_WORDBREAK_SPACE, /* WSegSpace */
    RP_WORDBREAK_EXTEND,
    RP_WORDBREAK_FORMAT,
    RP_WORDBREAK_ZWJ,
    RP_WORDBREAK_CR,
    RP_WORDBREAK_LF,
    RP_WORDBREAK_NEWLINE,
};

enum {
    RP_WORDBREAK_CLASS = 0x1F, /* mask */
    RP_WORDBREAK_WORD = 0x20,  /* makes its segment a token: a letter, a number, Katakana */
    RP_WORDBREAK_PICT = 0x40,  /* Extended_Pictographic */
    RP_WORDBREAK_FOLDS = 0x80, /* folding may change it, join it or move it */
};

enum {
    RP_WORDBREAK_BLOCK_BITS = 4,
    RP_WORDBREAK_BLOCK = 1 << RP_WORDBREAK_BLOCK_BITS,
    RP_WORDBREAK_DENSE = 0x20000, /* code points below are in blocks, the others in ranges */
};

typedef struct rp__wordbreak_table_range {
    uint32_t first, last;
    uint8_t value;
} rp__wordbreak_table_range;

extern const uint16_t rp__wordbreak_table_index[RP_WORDBREAK_DENSE >> RP_WORDBREAK_BLOCK_BITS];
extern const uint8_t rp__wordbreak_table_blocks[];
extern const rp__wordbreak_table_range rp__wordbreak_table_ranges[]; /* ends with last = 0 */

static inline uint8_t rp__wordbreak_table_get(uint32_t code)
{
    if (code < RP_WORDBREAK_DENSE) {
        uint32_t block = rp__wordbreak_table_index[code >> RP_WORDBREAK_BLOCK_BITS];
        return rp__wordbreak_table_blocks[block * RP_WORDBREAK_BLOCK + code % RP_WORDBREAK_BLOCK];
    }
    for (const rp__wordbreak_table_range *r = rp__wordbreak_table_ranges; r->last; r++)
        if (code >= r->first && code <= r->last)
            return r->value;
    return RP_WORDBREAK_OTHER;
}

#endif
