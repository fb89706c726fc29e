/* list_case.h: random lists and their bytes, for the tests of codec. */
#ifndef RP_TESTS_LIST_CASE_H
#define RP_TESTS_LIST_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/cpu.h"
#include "codec/codec.h"
#include "random_docids.h"

/* A list as arrays and as bytes in memory of exactly its size and pad. */
typedef struct list_case {
    uint32_t n, universe;
    uint32_t *docids, *tfs;
    uint8_t *bounds;
    uint8_t kths[RP_LIST_KTHS];
    uint32_t *pos_offsets;
    bool is_close; /* parts, of rows that do not cut */
    uint8_t *bytes;
    size_t n_bytes;
} list_case;

static inline void list_case_make(list_case *lc, uint64_t *state, shape kind, uint32_t n,
                                  uint32_t universe)
{
    memset(lc, 0, sizeof *lc);
    lc->n = n;
    lc->universe = universe;
    lc->docids = malloc((n + 1) * sizeof(uint32_t));
    lc->tfs = malloc((n + 1) * sizeof(uint32_t));
    lc->pos_offsets = malloc((n / RP_BLOCK + 1) * sizeof(uint32_t));
    for (uint8_t i = 0; i < RP_LIST_KTHS; i++)
        lc->kths[i] = (uint8_t)(201 - 50 * i);
    make_docids(state, kind, n, universe, lc->docids);
    uint32_t most = random64(state) & 1 ? UINT32_MAX : INT32_MAX;
    for (uint32_t i = 0; i < n; i++)
        lc->tfs[i] = make_tf(state) & most;
    for (uint32_t f = 0; f <= n / RP_BLOCK; f++)
        lc->pos_offsets[f] = f * 7;
}

/* Whether a codec takes such docids and frequencies. */
static inline bool list_case_fits(const list_case *lc, const rp__codec *codec)
{
    uint32_t largest = lc->docids[lc->n - 1];
    for (uint32_t i = 0; i < lc->n; i++)
        largest = lc->tfs[i] > largest ? lc->tfs[i] : largest;
    return codec->limit == 0 || largest < codec->limit;
}

/* Makes the frequencies such that it does. */
static inline void list_case_trim(list_case *lc, const rp__codec *codec)
{
    for (uint32_t i = 0; codec->limit && i < lc->n; i++)
        lc->tfs[i] = lc->tfs[i] % codec->limit | 1;
}

/* (Re)encodes with this codec and what it is told (may be NULL). */
static inline rp_status list_case_encode_as(list_case *lc, const rp__codec *codec, bool positions,
                                            const rp__codec_options *options)
{
    size_t bound = rp__list_bound(codec, lc->n), blocks = rp__list_blocks_bound(codec, lc->n);
    uint32_t *ends = malloc(blocks * sizeof *ends);
    uint32_t *scratch = malloc((rp__list_scratch(codec, lc->n) + 1) * sizeof *scratch);
    uint8_t *out = malloc(bound);
    size_t n_blocks = rp__list_cut(codec, options, lc->docids, lc->tfs, lc->n, scratch, ends);
    lc->bounds = realloc(lc->bounds, n_blocks);
    for (size_t b = 0; b < n_blocks; b++)
        lc->bounds[b] = (uint8_t)(b * 31 + 1);
    memset(out, 0xA5, bound);
    rp__list_parts parts = {.ends = ends,
                            .n_blocks = n_blocks,
                            .bounds = lc->bounds,
                            .kths = lc->kths,
                            .pos_offsets = positions ? lc->pos_offsets : NULL,
                            .options = options,
                            .is_close = lc->is_close && !codec->cut};
    rp_status s =
        rp__list_encode(codec, lc->docids, lc->tfs, lc->n, &parts, scratch, out, &lc->n_bytes);
    assert_true(n_blocks <= blocks);
    free(lc->bytes);
    lc->bytes = NULL;
    if (s == RP_OK) {
        assert_true(lc->n_bytes <= bound);
        assert_int_equal(lc->n_bytes % (parts.is_close ? 4 : 16), 0);
        lc->bytes = malloc(lc->n_bytes + RP_PAD);
        memcpy(lc->bytes, out, lc->n_bytes);
        memset(lc->bytes + lc->n_bytes, 0x5A, RP_PAD);
    }
    free(out);
    free(scratch);
    free(ends);
    return s;
}

static inline rp_status list_case_encode(list_case *lc, const rp__codec *codec, bool positions)
{
    return list_case_encode_as(lc, codec, positions, NULL);
}

static inline void list_case_free(list_case *lc)
{
    free(lc->docids);
    free(lc->tfs);
    free(lc->bounds);
    free(lc->pos_offsets);
    free(lc->bytes);
    memset(lc, 0, sizeof *lc);
}

/* The i-th docid codec that this CPU can run; NULL past the last. */
static inline const rp__codec *codec_here(size_t i)
{
    for (size_t row = 0;; row++) {
        const rp__codec *codec = rp__codec_at(row);
        if (!codec || ((codec->needs & ~rp__cpu_features()) == 0 && i-- == 0))
            return codec;
    }
}

static inline const rp__block_code *code_here(size_t i)
{
    for (size_t row = 0;; row++) {
        const rp__block_code *code = rp__block_code_at(row);
        if (!code || ((code->needs & ~rp__cpu_features()) == 0 && i-- == 0))
            return code;
    }
}

/* Walks the list with all ways of a cursor, checking its promise (rising, below the universe, tf at
 * least 1) whatever the bytes are; returns the status it ended with. */
static inline rp_status walk_cursor(const rp__list *list, uint64_t *state)
{
    rp__cursor *c = aligned_alloc(64, sizeof *c);
    rp__cursor_open(c, list);
    uint64_t above = 0;
    for (uint64_t steps = 0; c->docid != RP_NO_DOC; steps++) {
        const uint32_t *rest;
        uint32_t count = rp__cursor_block(c, &rest), docid = c->docid;
        assert_true(docid >= above && docid < list->universe);
        assert_true(count >= 1 && count <= RP_BLOCK_MAX && rest[0] == docid);
        assert_true(rp__cursor_rank(c) < list->n && steps < list->n);
        above = (uint64_t)docid + 1;
        uint64_t way = random64(state);
        if (way % 4 == 0)
            assert_true(rp__cursor_tf(c) >= 1);
        if (way % 7 == 0 && c->docid != RP_NO_DOC) {
            for (uint32_t i = 1; i < count; i++)
                assert_true(rest[i] > rest[i - 1] && rest[i] < list->universe);
            above = (uint64_t)rest[count - 1] + 1;
            rp__cursor_next_block(c);
        } else if (way % 3 == 0 && above < RP_NO_DOC) {
            uint64_t target = above + random_below(state, 1ULL << (way >> 32) % 32);
            above = target < RP_NO_DOC ? target : RP_NO_DOC - 1;
            rp__cursor_next_geq(c, (uint32_t)above);
        } else {
            rp__cursor_next(c);
        }
    }
    rp_status s = c->status;
    assert_true(s == RP_OK || s == RP_DAMAGED);
    assert_int_equal(rp__cursor_next(c), RP_NO_DOC);
    assert_int_equal(rp__cursor_next_geq(c, 5), RP_NO_DOC);
    assert_int_equal(rp__cursor_next_block(c), RP_NO_DOC);
    assert_int_equal(c->status, s);
    free(c);
    return s;
}

#endif
