/* parity/format_codes.h: the block codes of the second reader of indexes, parity/format_reader.h. Plain and slow, written
 * from docs/format.md alone. For tests only. */
#ifndef RP_TESTS_FORMAT_CODES_H
#define RP_TESTS_FORMAT_CODES_H

#include <stddef.h>
#include <stdint.h>

/* Reads n values; where their bytes end. */
typedef const uint8_t *format_code(const uint8_t *p, size_t n, uint32_t *out);

format_code format_bp128, format_vbyte, format_rice, format_optpfd, format_ef128, format_efsum;

#endif
