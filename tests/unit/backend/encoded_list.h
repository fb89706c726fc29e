/* encoded_list.h: the bytes of a list, for the tests of what lies on a device. */
#ifndef RP_TESTS_ENCODED_LIST_H
#define RP_TESTS_ENCODED_LIST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec/codec.h"

/* Aligned to 16, with RP_PAD zeros behind them, for the caller to free. options may be NULL. */
static inline uint8_t *encoded_list_as(const rp__codec *codec, const rp__codec_options *options,
                                       const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                                       size_t *used)
{
    size_t most = rp__list_blocks_bound(codec, n);
    uint32_t *ends = malloc(most * sizeof *ends);
    uint32_t *scratch = malloc((rp__list_scratch(codec, n) + 1) * sizeof *scratch);
    uint8_t *bounds = calloc(most, 1);
    rp__list_parts parts = {.ends = ends, .bounds = bounds, .options = options};
    uint8_t *bytes = aligned_alloc(16, (rp__list_bound(codec, n) + RP_PAD + 15) / 16 * 16);
    parts.n_blocks = rp__list_cut(codec, options, docids, tfs, n, scratch, ends);
    assert_int_equal(rp__list_encode(codec, docids, tfs, n, &parts, scratch, bytes, used), RP_OK);
    memset(bytes + *used, 0, RP_PAD);
    free(ends);
    free(scratch);
    free(bounds);
    return bytes;
}

static inline uint8_t *encoded_list(const rp__codec *codec, const uint32_t *docids,
                                    const uint32_t *tfs, uint32_t n, size_t *used)
{
    return encoded_list_as(codec, NULL, docids, tfs, n, used);
}

#endif
