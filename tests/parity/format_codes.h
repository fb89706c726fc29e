/* parity/format_codes.h: the block codes, and the codecs, of the second reader of indexes, parity/format_reader.h. Plain and slow, written
 * from docs/format.md alone. For tests only. */
#ifndef RP_TESTS_FORMAT_CODES_H
#define RP_TESTS_FORMAT_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads n values; where their bytes end. */
typedef const uint8_t *format_code(const uint8_t *p, size_t n, uint32_t *out);

format_code format_bp128, format_vbyte, format_rice, format_optpfd, format_ef128, format_efsum;

/* What lists are coded by; docs NULL: not by blocks. */
typedef struct format_row {
    uint32_t id;
    const char *name;
    format_code *docs, *freqs;
} format_row;

enum { FORMAT_RAW = 1, FORMAT_BITMAP = 17, FORMAT_AUTO = 24 };

/* The row of that name, its frequencies in the code of the other. */
bool format_find_row(const char *name, const char *freqs, format_row *out);
/* In an index in auto, what the list at p names: its id too, 0 in others. */
bool format_name_row(const uint8_t *p, format_row *row, uint32_t *id);

#endif
