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
                              uint64_t n_docs, uint32_t unit, bool has_positions, rp_error *err)
{
    const uint8_t *offsets, *prefixes;
    size_t offsets_bytes, prefixes_bytes;
    rp_status status;
    *d = (rp__dictionary){
        .n_terms = n_terms, .n_docs = n_docs, .unit = unit, .has_positions = has_positions};
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
    return rp__bits_varint(p, *end, list_offset) && *list_offset <= UINT64_MAX / d->unit &&
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
    iter->list_offset *= d->unit;
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

static bool read_tiny(const uint8_t **p, const uint8_t *end, rp__term *e)
{
    if (!rp__bits_varint32(p, end, &e->tiny_bytes) || (size_t)(end - *p) < e->tiny_bytes ||
        e->df > RP_TINY_DF)
        return false;
    e->tiny = *p;
    *p += e->tiny_bytes;
    return true;
}

static bool read_place(const rp__dictionary *d, const uint8_t **p, const uint8_t *end,
                       uint64_t *list_offset, uint64_t *pos_offset, rp__term *e)
{
    if (!rp__bits_varint(p, end, &e->list_bytes) || e->list_bytes > UINT32_MAX / d->unit ||
        (d->has_positions && !rp__bits_varint(p, end, &e->pos_bytes)))
        return false;
    e->list_bytes *= d->unit;
    e->list_offset = *list_offset;
    e->pos_offset = *pos_offset;
    *list_offset += e->list_bytes;
    *pos_offset += e->pos_bytes;
    return true;
}

/* What stands behind a term, and where its list lies; the offsets become those of the next. */
static bool read_entry(const rp__dictionary *d, const uint8_t **p, const uint8_t *end,
                       uint64_t *list_offset, uint64_t *pos_offset, rp__term *e)
{
    uint64_t df, more;
    *e = (rp__term){0};
    if (!rp__bits_varint(p, end, &df) || df >> 1 > d->n_docs || df >> 1 == 0 ||
        !rp__bits_varint(p, end, &more))
        return false;
    e->df = (uint32_t)(df >> 1);
    e->cf = e->df + more;
    return df & 1 ? read_tiny(p, end, e) : read_place(d, p, end, list_offset, pos_offset, e);
}

rp_status rp__dictionary_read(const rp__dictionary *d, rp__term_iter *iter)
{
    if (!read_term(iter) ||
        !read_entry(d, &iter->at, iter->end, &iter->list_offset, &iter->pos_offset, &iter->entry))
        return RP_DAMAGED;
    iter->left_in_block--;
    return RP_OK;
}

/* ---- One term ------------------------------------------------------------------------------------ */

/* A place in a block: where the list of the next entry lies. */
typedef struct place {
    const uint8_t *at;
    uint64_t list_offset, pos_offset;
} place;

/* As read_entry, of an entry that is not wanted. */
static bool skip_entry(const rp__dictionary *d, place *p, const uint8_t *end)
{
    uint64_t df, more, bytes, pos_bytes = 0;
    if (!rp__bits_varint(&p->at, end, &df) || df >> 1 > d->n_docs || df >> 1 == 0 ||
        !rp__bits_varint(&p->at, end, &more) || !rp__bits_varint(&p->at, end, &bytes) ||
        bytes > UINT32_MAX)
        return false;
    if (df & 1) {
        if ((size_t)(end - p->at) < bytes || df >> 1 > RP_TINY_DF)
            return false;
        p->at += bytes;
        return true;
    }
    if (d->has_positions && !rp__bits_varint(&p->at, end, &pos_bytes))
        return false;
    p->list_offset += d->unit * bytes;
    p->pos_offset += pos_bytes;
    return true;
}

/* How many bytes two strings begin with alike. */
static size_t count_alike(const uint8_t *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    size_t n = 0, most = a_bytes < b_bytes ? a_bytes : b_bytes;
    while (n < most && a[n] == (uint8_t)b[n])
        n++;
    return n;
}

/* Terms of a block rise, and say how much of the term before they share: where that is more than the term that is looked
 * for shares with it, they are as far below; where it is less, they are above. So no term is put together. RP_OK: the
 * place is behind the term. */
static rp_status scan_block(const rp__dictionary *d, place *p, const uint8_t *end, uint64_t n,
                            const char *term, size_t bytes)
{
    size_t alike = 0, before = 0; /* bytes of the term before: as in `term`, and all */
    for (; n > 0; n--) {
        if (end - p->at < 2)
            return RP_DAMAGED;
        const size_t shared = p->at[0], rest = p->at[1];
        p->at += 2;
        if (shared > before || (size_t)(end - p->at) < rest || shared + rest > UINT8_MAX)
            return RP_DAMAGED;
        if (shared < alike)
            return RP_NOT_FOUND;
        if (shared == alike)
            alike += count_alike(p->at, rest, term + alike, bytes - alike);
        before = shared + rest;
        p->at += rest;
        if (alike == bytes)
            return before == bytes ? RP_OK : RP_NOT_FOUND;
        if (!skip_entry(d, p, end))
            return RP_DAMAGED;
    }
    return RP_NOT_FOUND;
}

rp_status rp__dictionary_find(const rp__dictionary *d, const char *term, size_t bytes,
                              rp__term *out)
{
    const uint8_t *end;
    place p;
    rp__term entry;
    size_t block;
    if (d->n_blocks == 0 || bytes > UINT8_MAX)
        return RP_NOT_FOUND;
    rp_status status = rp__dictionary_find_block(d, term, bytes, &block);
    if (status != RP_OK || !view_block(d, block, &p.at, &end, &p.list_offset, &p.pos_offset))
        return RP_DAMAGED;
    p.list_offset *= d->unit;
    const uint64_t left = d->n_terms - (uint64_t)block * RP_TERMS_PER_BLOCK;
    status =
        scan_block(d, &p, end, left < RP_TERMS_PER_BLOCK ? left : RP_TERMS_PER_BLOCK, term, bytes);
    if (status != RP_OK)
        return status;
    if (!read_entry(d, &p.at, end, &p.list_offset, &p.pos_offset, &entry))
        return RP_DAMAGED;
    *out = entry;
    return RP_OK;
}
