/* hslrc.c: the docid codecs hslrc256 and hslrc128: segments of seglrc (seglrc.c), but cut by hash: a
 * docid's bucket is its leading m bits of k, so that a docid is looked for in one bucket alone.
 *
 * k is the bits of the list's last docid (the encoder does not know the universe), m the least for which
 * 2^m buckets of 256 (128) hold all. A block is a bucket, or where that has more than RP_BLOCK_MAX
 * postings a piece of it; an empty bucket has none. After the blocks: for each of the d buckets up to the
 * last docid's, and one more, the first block that is not before it, in 2 bytes, or in 4 where there are
 * 2^16 blocks or more; nothing where d is 1. Then a u32: bits 0 to 5 are k - m, the others d. Source: Ao et
 * al. 2011, 4.4 and 5.3. */
#include "codec/codec_table.h"
#include "codec/lrc.h"

enum { TAIL = 4, SHIFT = 63, SHIFT_BITS = 6 };

/* ---- Encoding -------------------------------------------------------------------------------- */

/* k - m for buckets of `size`. */
static uint32_t shift_for(const rp__encoding *e, uint32_t size)
{
    uint32_t k = rp__bits_width(e->docids[e->n - 1]), m = 0;
    while (e->n > (uint64_t)size << m)
        m++;
    return k - m;
}

static uint64_t bucket_of(uint32_t docid, uint32_t shift)
{
    return (uint64_t)docid >> shift;
}

static size_t cut(const rp__encoding *e, uint32_t size, uint32_t *ends)
{
    uint32_t shift = shift_for(e, size);
    size_t n_blocks = 0, first = 0;
    for (size_t i = 1; i <= e->n; i++) {
        bool is_full = i - first == RP_BLOCK_MAX;
        if (i == e->n || is_full ||
            bucket_of(e->docids[i], shift) != bucket_of(e->docids[first], shift)) {
            ends[n_blocks++] = (uint32_t)i;
            first = i;
        }
    }
    return n_blocks;
}

static uint8_t *put_start(const rp__encoding *e, size_t block, uint8_t *p)
{
    size_t bytes = e->n_blocks > UINT16_MAX ? 4 : 2;
    uint8_t word[4];
    rp__store32(word, (uint32_t)block);
    memcpy(p, word, bytes);
    return p + bytes;
}

static rp_status encode(const rp__codec *codec, rp__encoding *e, uint32_t size)
{
    uint32_t shift = shift_for(e, size);
    uint64_t d = bucket_of(e->docids[e->n - 1], shift) + 1, next = 0;
    rp_status s = rp__seglrc_encode(codec, e);
    if (s)
        return s;
    uint8_t *p = e->out + e->used;
    for (size_t b = 0; d > 1 && b < e->n_blocks; b++)
        for (uint64_t bucket = bucket_of(e->docids[e->ends[b] - 1], shift); next <= bucket; next++)
            p = put_start(e, b, p);
    if (d > 1)
        p = put_start(e, e->n_blocks, p);
    rp__store32(p, shift | (uint32_t)d << SHIFT_BITS);
    e->used = (size_t)(p + TAIL - e->out);
    return RP_OK;
}

size_t rp__hslrc_cut256(const rp__codec *codec, const rp__encoding *e, uint32_t *ends)
{
    (void)codec;
    return cut(e, 256, ends);
}

size_t rp__hslrc_cut128(const rp__codec *codec, const rp__encoding *e, uint32_t *ends)
{
    (void)codec;
    return cut(e, 128, ends);
}

rp_status rp__hslrc_encode256(const rp__codec *codec, rp__encoding *e)
{
    return encode(codec, e, 256);
}

rp_status rp__hslrc_encode128(const rp__codec *codec, rp__encoding *e)
{
    return encode(codec, e, 128);
}

/* ---- One docid ------------------------------------------------------------------------------- */

rp_status rp__hslrc_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    uint32_t from = 0, to = list->n_blocks;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (rp__list_begin(list, middle) <= i)
            from = middle;
        else
            to = middle;
    }
    return rp__lrc_at_with(list, i, from, out, rp__seglrc_open);
}

/* The start of a bucket, at most n_blocks, of a table at p. */
static uint32_t start_at(const rp__list *list, const uint8_t *p, uint64_t bucket)
{
    uint32_t start;
    if (list->n_blocks > UINT16_MAX)
        start = rp__load32(p + 4 * bucket);
    else
        start = rp__load32(p + 2 * bucket) & UINT16_MAX;
    return start < list->n_blocks ? start : list->n_blocks;
}

/* The first block that may hold the target. */
static rp_status find_block(const rp__list *list, uint32_t target, uint32_t *b)
{
    if (list->docs_bytes < TAIL)
        return RP_DAMAGED;
    uint32_t tail = rp__load32(list->docs + list->docs_bytes - TAIL), shift = tail & SHIFT;
    uint64_t d = tail >> SHIFT_BITS, entry = list->n_blocks > UINT16_MAX ? 4 : 2;
    uint64_t table = d > 1 ? (d + 1) * entry : 0;
    if (d == 0 || shift > 32 || list->docs_bytes - TAIL < table || (d > 1 && !list->last))
        return RP_DAMAGED;
    const uint8_t *starts = list->docs + list->docs_bytes - TAIL - table;
    uint64_t bucket = bucket_of(target, shift);
    if (bucket >= d)
        *b = list->n_blocks;
    else if (d == 1)
        *b = rp__lrc_block_near(list, target);
    else
        *b = rp__lrc_block_geq(list, start_at(list, starts, bucket),
                               start_at(list, starts, bucket + 1), target);
    return RP_OK;
}

rp_status rp__hslrc_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid)
{
    uint32_t b = 0;
    rp_status s = find_block(list, target, &b);
    if (s) {
        *rank = list->n;
        *docid = RP_NO_DOC;
        return s;
    }
    return rp__lrc_find_with(list, b, target, rank, docid, rp__seglrc_open);
}
