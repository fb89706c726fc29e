/* bytes_check.h: do all rows of a code, or of a codec, make the same of any bytes? */
#ifndef RP_TESTS_BYTES_CHECK_H
#define RP_TESTS_BYTES_CHECK_H

#include "families.h"

/* The first difference: what, in which row, at which place. */
typedef struct bytes_check {
    const char *what, *name;
    uint32_t needs, place;
} bytes_check;

/* `in` has n_bytes, and RP_PAD after them. The same status, and where it is RP_OK the same values;
 * as docids they rise; where `at` is there it gives them one by one. n <= RP_BLOCK_MAX. */
bool bytes_check_code(bytes_check *bc, const code_family *f, const uint8_t *in, size_t n_bytes,
                      size_t n, uint32_t base);

/* `in` is 16-byte aligned. The same status of open, validate, decode, and of every block, frame of
 * frequencies, docid alone and find, and where it is RP_OK the same values. Blocks rise, and
 * without order hold the same. */
bool bytes_check_list(bytes_check *bc, const codec_family *f, const uint8_t *in, size_t n_bytes,
                      uint32_t n, uint32_t universe, bool has_positions);

#endif
