/* gen_wordbreak.c: writes src/text/wordbreak_table.c from the properties that libunistring has, and
 * from what utf8proc's folding does to single characters.
 *
 * Run it only when the tables must follow a newer Unicode; its output is kept in the tree, so that
 * a build does not need libunistring.
 * Use: gcc -Isrc tools/gen_wordbreak.c -lunistring -lutf8proc -o gen
 *      ./gen >src/text/wordbreak_table.c */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <unictype.h>
#include <uninorm.h>
#include <unistring/version.h>
#include <uniwbrk.h>
#include <utf8proc.h>

#include "text/wordbreak_table.h"

enum { CODES = 0x110000, INDEX = RP_WORDBREAK_DENSE / RP_WORDBREAK_BLOCK, WIDTH = 98 };

static const uint8_t class_of[] = {
    [WBP_OTHER] = RP_WORDBREAK_OTHER,
    [WBP_ALETTER] = RP_WORDBREAK_ALETTER,
    [WBP_HL] = RP_WORDBREAK_HEBREW,
    [WBP_NUMERIC] = RP_WORDBREAK_NUMERIC,
    [WBP_KATAKANA] = RP_WORDBREAK_KATAKANA,
    [WBP_EXTENDNUMLET] = RP_WORDBREAK_EXTENDNUMLET,
    [WBP_MIDLETTER] = RP_WORDBREAK_MIDLETTER,
    [WBP_MIDNUM] = RP_WORDBREAK_MIDNUM,
    [WBP_MIDNUMLET] = RP_WORDBREAK_MIDNUMLET,
    [WBP_SQ] = RP_WORDBREAK_SINGLE_QUOTE,
    [WBP_DQ] = RP_WORDBREAK_DOUBLE_QUOTE,
    [WBP_RI] = RP_WORDBREAK_REGIONAL,
    [WBP_WSS] = RP_WORDBREAK_SPACE,
    [WBP_EXTEND] = RP_WORDBREAK_EXTEND,
    [WBP_FORMAT] = RP_WORDBREAK_FORMAT,
    [WBP_ZWJ] = RP_WORDBREAK_ZWJ,
    [WBP_CR] = RP_WORDBREAK_CR,
    [WBP_LF] = RP_WORDBREAK_LF,
    [WBP_NEWLINE] = RP_WORDBREAK_NEWLINE,
};

/* Characters that a composition takes to the one before them. */
static bool joins_back[CODES];

static void find_joining(void)
{
    for (uint32_t code = 0; code < CODES; code++) {
        ucs4_t parts[UC_DECOMPOSITION_MAX_LENGTH];
        if (uc_canonical_decomposition(code, parts) == 2)
            joins_back[parts[1]] = true;
    }
}

static bool is_own_folding(uint32_t code)
{
    utf8proc_int32_t out[32];
    utf8proc_option_t options =
        UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;
    int boundary = 0;
    utf8proc_ssize_t n =
        utf8proc_decompose_char((utf8proc_int32_t)code, out, 32, options, &boundary);
    if (n <= 0 || n > 32)
        return false;
    n = utf8proc_normalize_utf32(out, n, options);
    return n == 1 && out[0] == (utf8proc_int32_t)code && !joins_back[code] &&
           utf8proc_get_property((utf8proc_int32_t)code)->combining_class == 0;
}

static uint8_t value_of(uint32_t code)
{
    int property = uc_wordbreak_property(code);
    bool is_word = property == WBP_ALETTER || property == WBP_HL || property == WBP_NUMERIC ||
                   property == WBP_KATAKANA ||
                   uc_is_general_category_withtable(code, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N);
    bool is_pict = uc_is_property_extended_pictographic(code);
    return (uint8_t)(class_of[property] | (is_word ? RP_WORDBREAK_WORD : 0) |
                     (is_pict ? RP_WORDBREAK_PICT : 0) |
                     (is_own_folding(code) ? 0 : RP_WORDBREAK_FOLDS));
}

static int column;

static void put(unsigned v)
{
    char text[16];
    int n = snprintf(text, sizeof text, "%u,", v);
    if (column + n > WIDTH) {
        putchar('\n');
        column = 0;
    }
    fputs(text, stdout);
    column += n;
}

static void put_blocks(const uint8_t *values)
{
    static uint32_t index[INDEX], first_of[INDEX];
    uint32_t n = 0;
    for (uint32_t b = 0; b < INDEX; b++) {
        const uint8_t *block = values + b * RP_WORDBREAK_BLOCK;
        uint32_t k = 0;
        while (k < n && memcmp(values + first_of[k], block, RP_WORDBREAK_BLOCK) != 0)
            k++;
        if (k == n)
            first_of[n++] = b * RP_WORDBREAK_BLOCK;
        index[b] = k;
    }
    printf("const uint16_t rp__wordbreak_table_index[%u] = {\n", (unsigned)INDEX);
    for (uint32_t b = 0; b < INDEX; b++)
        put(index[b]);
    printf("\n};\n\nconst uint8_t rp__wordbreak_table_blocks[%u] = {\n", n * RP_WORDBREAK_BLOCK);
    column = 0;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < RP_WORDBREAK_BLOCK; i++)
            put(values[first_of[k] + i]);
    printf("\n};\n\n");
}

static void put_ranges(const uint8_t *values)
{
    printf("const rp__wordbreak_table_range rp__wordbreak_table_ranges[] = {\n");
    for (uint32_t code = RP_WORDBREAK_DENSE, last; code < CODES; code = last + 1) {
        last = code;
        while (last + 1 < CODES && values[last + 1] == values[code])
            last++;
        if (values[code] != RP_WORDBREAK_OTHER)
            printf("    {0x%X, 0x%X, %u},\n", code, last, values[code]);
    }
    printf("    {0, 0, 0},\n};\n");
}

int main(void)
{
    static uint8_t values[CODES];
    find_joining();
    for (uint32_t code = 0; code < CODES; code++)
        values[code] = code >= 0xD800 && code <= 0xDFFF ? RP_WORDBREAK_OTHER : value_of(code);
    printf("/* wordbreak_table.c: the Word_Break class of every code point, in two stages.\n"
           " * Made by tools/gen_wordbreak.c from libunistring %d.%d and utf8proc %s. */\n"
           "#include \"text/wordbreak_table.h\"\n\n/* clang-format off */\n",
           _libunistring_version >> 16, _libunistring_version >> 8 & 255, utf8proc_version());
    put_blocks(values);
    put_ranges(values);
    return 0;
}
