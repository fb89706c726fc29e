/* row_check.h: is an open list, read in every way its row has, the plain arrays it was made of? */
#ifndef RP_TESTS_ROW_CHECK_H
#define RP_TESTS_ROW_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/codec.h"

/* Room for lists of up to `most` postings, and what was found. One thread at a time. */
typedef struct row_check {
    uint32_t most;
    uint32_t *docids, *tfs, *scratch;
    rp__cursor *cursor;
    uint64_t rng;
    uint64_t compared; /* values so far */
    /* Of the first difference: */
    const char *what;
    uint32_t rank, want, got;
} row_check;

void row_check_init(row_check *rc, uint32_t most, uint64_t seed);
void row_check_free(row_check *rc);

/* Decode, validate, a walk by docids and one by blocks, skips of all lengths, and where the row has
 * them every docid alone, frequencies alone, finds, and blocks without order. tfs NULL: frequencies
 * are not looked at. False: what, rank, want and got tell the first difference. */
bool row_check_list(row_check *rc, const rp__list *list, const uint32_t *docids,
                    const uint32_t *tfs);

#endif
