/* dictionary.c: reads the terms file. Every number is checked where it is used, so opening costs
 * nothing and damaged bytes cost an error. */
#include "index/dictionary.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "index/format.h"
#include "index/term_sort.h"

static rp_status damaged(const rp__section_file *file, rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED,
                         "%s: the number of terms does not fit; build the index again",
                         rp__section_file_name(file));
}

static rp_status open_mosts(rp__dictionary *d, const rp__section_file *file, rp_error *err)
{
    const uint8_t *at;
    size_t bytes;
    if (!rp__section_file_has(file, RP_SECTION_TERM_MOST))
        return RP_OK;
    rp_status status = rp__section_file_get(file, RP_SECTION_TERM_MOST, &at, &bytes, err);
    if (status == RP_OK && bytes != d->n_blocks * sizeof *d->mosts)
        return damaged(file, err);
    d->mosts = (const uint32_t *)(const void *)at;
    return status;
}

rp_status rp__dictionary_open(rp__dictionary *d, const rp__section_file *file, uint64_t n_terms,
                              uint64_t n_docs, bool has_positions, rp_error *err)
{
    const uint8_t *offsets, *prefixes;
    size_t offsets_bytes, prefixes_bytes;
    rp_status status;
    *d = (rp__dictionary){.n_terms = n_terms, .n_docs = n_docs, .has_positions = has_positions};
    if ((status = rp__section_file_get(file, RP_SECTION_TERM_BLOCKS, &d->blocks, &d->blocks_bytes,
                                       err)) != RP_OK ||
        (status = rp__section_file_get(file, RP_SECTION_TERM_OFFSETS, &offsets, &offsets_bytes,
                                       err)) != RP_OK ||
        (status = rp__section_file_get(file, RP_SECTION_TERM_PREFIXES, &prefixes, &prefixes_bytes,
                                       err)) != RP_OK)
        return status;
    d->n_blocks = prefixes_bytes / sizeof(uint64_t);
    d->offsets = (const uint64_t *)(const void *)offsets;
    d->prefixes = (const uint64_t *)(const void *)prefixes;
    status = open_mosts(d, file, err);
    if (status == RP_OK &&
        (d->n_blocks != (n_terms + RP_TERMS_PER_BLOCK - 1) / RP_TERMS_PER_BLOCK ||
         offsets_bytes != (d->n_blocks + 1) * sizeof(uint64_t)))
        return damaged(file, err);
    return status;
}

/* The bytes of a block behind its two offsets. */
static bool view_block(const rp__dictionary *d, size_t block, const uint8_t **p,
                       const uint8_t **end, uint64_t *list_offset, uint64_t *pos_offset)
{
    uint64_t from = d->offsets[block], to = d->offsets[block + 1];
    if (from > to || to > d->blocks_bytes)
        return false;
    *p = d->blocks + from;
    *end = d->blocks + to;
    return rp__bits_varint(p, *end, list_offset) && *list_offset <= UINT64_MAX / 16 &&
           rp__bits_varint(p, *end, pos_offset);
}

/* Orders the first term of a block against `term`; *order < 0, 0, > 0. */
static bool compare_first(const rp__dictionary *d, size_t block, const char *term, size_t bytes,
                          uint64_t prefix, int *order)
{
    if (d->prefixes[block] != prefix) {
        *order = d->prefixes[block] < prefix ? -1 : 1;
        return true;
    }
    const uint8_t *p, *end;
    uint64_t list_offset, pos_offset;
    if (!view_block(d, block, &p, &end, &list_offset, &pos_offset) || end - p < 2 || p[0] != 0 ||
        end - p - 2 < p[1])
        return false;
    size_t n = p[1];
    *order = memcmp(p + 2, term, n < bytes ? n : bytes);
    if (*order == 0)
        *order = n < bytes ? -1 : n > bytes;
    return true;
}

rp_status rp__dictionary_find_block(const rp__dictionary *d, const char *term, size_t bytes,
                                    size_t *block)
{
    uint64_t prefix = rp__term_sort_prefix(term, bytes);
    size_t low = 0, high = d->n_blocks; /* first terms below low are <= term, from high on > term */
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order;
        if (!compare_first(d, mid, term, bytes, prefix, &order))
            return RP_DAMAGED;
        if (order <= 0)
            low = mid + 1;
        else
            high = mid;
    }
    *block = low > 0 ? low - 1 : 0;
    return RP_OK;
}

size_t rp__dictionary_pass(const rp__dictionary *d, size_t from, const char *prefix, size_t bytes)
{
    if (bytes > sizeof(uint64_t) || from >= d->n_blocks)
        return from;
    uint64_t last = bytes == 0 ? UINT64_MAX : rp__term_sort_prefix(prefix, bytes);
    if (bytes > 0 && bytes < sizeof last)
        last |= UINT64_MAX >> (8 * bytes);
    size_t low = from, high = from,
           step = 1; /* blocks below low are not above, high is or is the end */
    while (high < d->n_blocks && d->prefixes[high] <= last) {
        low = high + 1;
        high = d->n_blocks - high > step ? high + step : d->n_blocks;
        step *= 2;
    }
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (d->prefixes[mid] <= last)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

rp_status rp__dictionary_enter(const rp__dictionary *d, size_t block, rp__term_iter *iter)
{
    uint64_t before = (uint64_t)block * RP_TERMS_PER_BLOCK;
    if (!view_block(d, block, &iter->at, &iter->end, &iter->list_offset, &iter->pos_offset))
        return RP_DAMAGED;
    iter->list_offset *= 16;
    iter->block = block;
    iter->left_in_block =
        d->n_terms - before < RP_TERMS_PER_BLOCK ? d->n_terms - before : RP_TERMS_PER_BLOCK;
    iter->term_bytes = 0;
    return RP_OK;
}

static bool read_term(rp__term_iter *iter)
{
    if (iter->end - iter->at < 2)
        return false;
    size_t shared = iter->at[0], rest = iter->at[1];
    iter->at += 2;
    if (shared > iter->term_bytes || (size_t)(iter->end - iter->at) < rest || shared + rest > 255)
        return false;
    memcpy(iter->term + shared, iter->at, rest);
    iter->at += rest;
    iter->term_bytes = shared + rest;
    return true;
}

static bool read_tiny(rp__term_iter *iter)
{
    rp__term *e = &iter->entry;
    if (!rp__bits_varint32(&iter->at, iter->end, &e->tiny_bytes) ||
        (size_t)(iter->end - iter->at) < e->tiny_bytes || e->df > RP_TINY_DF)
        return false;
    e->tiny = iter->at;
    iter->at += e->tiny_bytes;
    return true;
}

static bool read_place(const rp__dictionary *d, rp__term_iter *iter)
{
    rp__term *e = &iter->entry;
    if (!rp__bits_varint(&iter->at, iter->end, &e->list_bytes) || e->list_bytes > UINT32_MAX ||
        (d->has_positions && !rp__bits_varint(&iter->at, iter->end, &e->pos_bytes)))
        return false;
    e->list_bytes *= 16;
    e->list_offset = iter->list_offset;
    e->pos_offset = iter->pos_offset;
    iter->list_offset += e->list_bytes;
    iter->pos_offset += e->pos_bytes;
    return true;
}

rp_status rp__dictionary_read(const rp__dictionary *d, rp__term_iter *iter)
{
    uint64_t df, more;
    iter->entry = (rp__term){0};
    if (!read_term(iter) || !rp__bits_varint(&iter->at, iter->end, &df) || df >> 1 > d->n_docs ||
        df >> 1 == 0 || !rp__bits_varint(&iter->at, iter->end, &more))
        return RP_DAMAGED;
    iter->entry.df = (uint32_t)(df >> 1);
    iter->entry.cf = iter->entry.df + more;
    iter->left_in_block--;
    return (df & 1 ? read_tiny(iter) : read_place(d, iter)) ? RP_OK : RP_DAMAGED;
}
