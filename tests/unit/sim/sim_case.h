/* sim_case.h: images in memory, random queries on them, and what a plain reference answers. */
#ifndef RP_TESTS_SIM_CASE_H
#define RP_TESTS_SIM_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "rank/iiu_score.h"
#include "sim/sim.h"

/* A list with its place in the image. */
typedef struct case_list {
    uint32_t *docids, *tfs, n, n_blocks, idf_bar;
    uint64_t header_at, payload_bits;
} case_list;

typedef struct sim_image {
    uint8_t *bytes;
    size_t n, cap;
    uint64_t dl_at;
    uint32_t *dl, n_docs;
    uint32_t flags; /* of lists that are put from now on: RP_SIM_PAIRED, RP_SIM_BP128 */
} sim_image;

static inline uint64_t image_add(sim_image *image, size_t n_bytes, size_t align)
{
    size_t at = (image->n + align - 1) / align * align;
    if (at + n_bytes + 64 > image->cap) {
        image->cap = 2 * (at + n_bytes + 4096);
        image->bytes = realloc(image->bytes, image->cap);
        assert_non_null(image->bytes);
    }
    memset(image->bytes + image->n, 0, at + n_bytes + 64 - image->n);
    image->n = at + n_bytes;
    return at;
}

static inline void image_begin(sim_image *image, uint32_t n_docs, rp__random *random)
{
    *image = (sim_image){.n_docs = n_docs, .dl = malloc(4 * ((size_t)n_docs + 1))};
    image->dl_at = image_add(image, 4 * (size_t)n_docs, 64);
    for (uint32_t i = 0; i < n_docs; i++) {
        image->dl[i] = 1 + rp__random_below(random, 1 << 18);
        rp__store32(image->bytes + image->dl_at + 4 * i, image->dl[i]);
    }
}

static inline void image_free(sim_image *image)
{
    free(image->bytes);
    free(image->dl);
}

static inline void put_bits(uint8_t *bytes, uint64_t at, uint64_t value, uint32_t w)
{
    for (uint32_t i = 0; i < w; i++, at++)
        if (value >> i & 1)
            bytes[at / 8] |= (uint8_t)(1 << at % 8);
}

static inline uint32_t max_width(const uint32_t *values, uint32_t n)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= values[i];
    return rp__bits_width(any);
}

/* The largest tf / (tf + constant) of a block, in 1/255. */
static inline uint8_t case_bound(const sim_image *image, const case_list *list, uint32_t from,
                                 uint32_t n)
{
    uint64_t bound = 0;
    for (uint32_t i = from; i < from + n; i++) {
        uint64_t tf = (uint64_t)list->tfs[i] << 16, sum = tf + image->dl[list->docids[i]];
        uint64_t ratio = (255 * tf + sum - 1) / sum;
        bound = ratio > bound ? ratio : bound;
    }
    return (uint8_t)bound;
}

/* bp128 has frequencies less 1. */
static inline uint32_t case_tf_width(const uint32_t *tfs, uint32_t n, bool is_bp128)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= tfs[i] - is_bp128;
    return rp__bits_width(any);
}

/* A block of bp128 of values less `less`; returns where it ends. */
static inline uint64_t put_part(uint8_t *bytes, uint64_t at, const uint32_t *values, uint32_t n,
                                uint32_t width, uint32_t less)
{
    put_bits(bytes, at, width, 8);
    for (uint32_t i = 0; i < n; i++)
        put_bits(bytes, at + 8 + (uint64_t)i * width, values[i] - less, width);
    return at + 8 + ((uint64_t)n * width + 7) / 8 * 8;
}

/* Blocks of the sizes in `ends` (each the number of postings up to its end). Arrays lie at
 * multiples of `align`. */
static inline void image_put_list(sim_image *image, case_list *list, const uint32_t *ends,
                                  size_t align)
{
    uint32_t *gaps = malloc(4 * ((size_t)list->n + 1));
    uint64_t bits = 0;
    const bool is_paired = image->flags & RP_SIM_PAIRED, is_bp128 = image->flags & RP_SIM_BP128;
    const size_t n_blocks = list->n_blocks, skip = is_paired ? 16 : 4, step = is_paired ? 16 : 8;
    uint64_t skip_at =
        is_paired ? image_add(image, 16 * n_blocks, 16) : image_add(image, 5 * n_blocks, align);
    uint64_t meta_at = is_paired ? skip_at + 8 : image_add(image, 8 * n_blocks, align);
    uint64_t payload_at =
        image_add(image, 8 * (size_t)list->n + (is_bp128 ? 4 * n_blocks : 0) + 8, align);
    for (uint32_t b = 0, from = 0; b < list->n_blocks; from = ends[b++]) {
        uint32_t n = ends[b] - from;
        for (uint32_t i = 0; i < n; i++)
            gaps[i] = i ? list->docids[from + i] - list->docids[from + i - 1] : 0;
        uint64_t g = max_width(gaps, n), t = case_tf_width(list->tfs + from, n, is_bp128);
        rp__store32(image->bytes + skip_at + skip * b, list->docids[from]);
        rp__store64(image->bytes + meta_at + step * b, g | t << 5 | (uint64_t)n << 10 | bits << 21);
        image->bytes[skip_at + (is_paired ? skip * b + 4 : 4 * n_blocks + b)] =
            case_bound(image, list, from, n);
        uint8_t *payload = image->bytes + payload_at;
        if (is_bp128) {
            bits = put_part(payload, bits, gaps, n, (uint32_t)g, 0);
            bits = put_part(payload, bits, list->tfs + from, n, (uint32_t)t, 1);
        }
        for (uint32_t i = 0; i < n && !is_bp128; i++, bits += g + t)
            put_bits(payload, bits, gaps[i] | (uint64_t)list->tfs[from + i] << g,
                     (uint32_t)(g + t));
    }
    free(gaps);
    list->payload_bits = bits;
    list->header_at = image_add(image, 64, 64);
    rp__list_header header = {.magic = RP_SIM_MAGIC,
                              .flags = RP_SIM_HAS_BOUNDS | image->flags,
                              .n_postings = list->n,
                              .n_blocks = list->n_blocks,
                              .idf_bar = list->idf_bar,
                              .skip_at = skip_at,
                              .meta_at = meta_at,
                              .payload_at = payload_at,
                              .payload_bits = bits,
                              .last_doc = list->n ? list->docids[list->n - 1] : 0};
    memcpy(image->bytes + list->header_at, &header, sizeof header);
}

/* n docids out of the image's documents, in blocks of at most max_block. */
static inline void image_add_random(sim_image *image, case_list *list, uint32_t n,
                                    uint32_t max_block, uint32_t max_tf, size_t align,
                                    rp__random *random)
{
    *list = (case_list){.docids = malloc(4 * ((size_t)n + 1)),
                        .tfs = malloc(4 * ((size_t)n + 1)),
                        .idf_bar = rp__random_below(random, 1 << 20)};
    for (uint32_t doc = 0; doc < image->n_docs && list->n < n; doc++)
        if (rp__random_below(random, image->n_docs - doc) < n - list->n) {
            list->docids[list->n] = doc;
            list->tfs[list->n++] = 1 + rp__random_below(random, max_tf);
        }
    uint32_t *ends = malloc(4 * ((size_t)n + 1));
    for (uint32_t at = 0; at < list->n; ends[list->n_blocks++] = at) {
        at += 1 + rp__random_below(random, max_block);
        at = at < list->n ? at : list->n;
    }
    image_put_list(image, list, ends, align);
    free(ends);
}

static inline void case_list_free(case_list *list)
{
    free(list->docids);
    free(list->tfs);
}

/* ---- The plain reference --------------------------------------------------------------------- */

static inline uint32_t plain_score(const sim_image *image, const case_list *list, uint32_t i)
{
    return rp__iiu_score(list->idf_bar, list->tfs[i], image->dl[list->docids[i]]);
}

/* Returns the number of results. */
static inline uint32_t plain_answer(const sim_image *image, uint32_t type, const case_list *a,
                                    const case_list *b, rp__result_slot *out)
{
    uint32_t n = 0, i = 0, j = 0, n_b = type == RP_SIM_SINGLE ? 0 : b->n;
    while (i < a->n || j < n_b) {
        uint32_t x = i < a->n ? a->docids[i] : UINT32_MAX, y = j < n_b ? b->docids[j] : UINT32_MAX;
        rp__result_slot slot = {x < y ? x : y, 0};
        bool in_both = x == y;
        if (slot.doc == x)
            slot.score += plain_score(image, a, i++);
        if (slot.doc == y)
            slot.score += plain_score(image, b, j++);
        if (type != RP_SIM_AND || in_both)
            out[n++] = slot;
    }
    return n;
}

#endif
