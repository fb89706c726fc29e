/* bitmap.c: the docid codec bitmap, plain reference: one bit for each docid from the list's first to
 * its last (bitmap.h gives the bytes).
 *
 * For dense lists: below about one docid in 34 it writes words of 4 bytes instead. Blocks of RP_BLOCK
 * are found by the last docid of the one before; single docids by counts of bits. */
#include "codec/bitmap.h"

#include "codec/codec_table.h"

size_t rp__bitmap_bound(const rp__codec *codec, size_t n)
{
    (void)codec;
    return RP_BITMAP_HEAD + n * sizeof(uint32_t);
}

static rp_status encode_sparse(rp__encoding *e)
{
    rp__store32(e->out, RP_BITMAP_SPARSE);
    rp__store32(e->out + 4, 0);
    memcpy(e->out + RP_BITMAP_HEAD, e->docids, e->n * sizeof(uint32_t));
    e->used = RP_BITMAP_HEAD + e->n * sizeof(uint32_t);
    return RP_OK;
}

rp_status rp__bitmap_encode(const rp__codec *codec, rp__encoding *e)
{
    uint32_t base = e->docids[0] / RP_BITMAP_SPAN * RP_BITMAP_SPAN;
    size_t n_words = (e->docids[e->n - 1] - base) / RP_BITMAP_SPAN + 1;
    size_t n_hints = (n_words + RP_BITMAP_GROUP - 1) / RP_BITMAP_GROUP;
    e->used = RP_BITMAP_HEAD + 8 * n_words + 4 * n_hints;
    if (e->used > rp__bitmap_bound(codec, e->n))
        return encode_sparse(e);
    rp__store32(e->out, base);
    rp__store32(e->out + 4, (uint32_t)n_words);
    size_t i = 0;
    for (size_t k = 0; k < n_words; k++) {
        uint64_t word = 0;
        if (k % RP_BITMAP_GROUP == 0)
            rp__store32(e->out + RP_BITMAP_HEAD + 8 * n_words + k / RP_BITMAP_GROUP * 4,
                        (uint32_t)i);
        for (; i < e->n && (e->docids[i] - base) / RP_BITMAP_SPAN == k; i++)
            word |= 1ULL << e->docids[i] % RP_BITMAP_SPAN;
        rp__store64(e->out + RP_BITMAP_HEAD + 8 * k, word);
    }
    return RP_OK;
}

static rp_status extract(const rp__bitmap_view *v, uint64_t from, uint32_t count, uint32_t *out)
{
    uint32_t k = 0;
    uint64_t mask = ~0ULL << from % RP_BITMAP_SPAN;
    for (uint64_t i = from / RP_BITMAP_SPAN; i < v->n_words && k < count; i++) {
        uint64_t word = rp__load64(v->words + 8 * i) & mask;
        for (; word && k < count; word &= word - 1)
            out[k++] = v->base + (uint32_t)(RP_BITMAP_SPAN * i) + rp__bits_lowest64(word);
        mask = ~0ULL;
    }
    return k == count ? RP_OK : RP_DAMAGED;
}

rp_status rp__bitmap_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__bitmap_block_with(list, b, out, extract);
}

rp_status rp__bitmap_decode(const rp__list *list, uint32_t *out)
{
    return rp__bitmap_decode_with(list, out, extract);
}

bool rp__bitmap_bits(const rp__list *list, rp__bitmap_view *view)
{
    bool is_bitmap = list->codec && list->codec->encode == rp__bitmap_encode;
    return is_bitmap && rp__bitmap_open(list, view) == RP_OK && view->base != RP_BITMAP_SPARSE;
}

/* ---- One docid ------------------------------------------------------------------------------- */

/* Where the bit of that rank is; the word has more than `rank` bits. */
static uint32_t select64(uint64_t word, uint32_t rank)
{
    uint32_t at = 0;
    for (uint32_t half = 32; half > 0; half /= 2) {
        uint32_t low = rp__bits_count64(word >> at & ((1ULL << half) - 1));
        if (rank >= low) {
            rank -= low;
            at += half;
        }
    }
    return at;
}

/* The last group that has at most i docids before it. */
static uint32_t find_group(const rp__bitmap_view *v, uint32_t i)
{
    uint32_t from = 0, to = (v->n_words + RP_BITMAP_GROUP - 1) / RP_BITMAP_GROUP;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (rp__load32(v->hints + 4 * (size_t)middle) <= i)
            from = middle;
        else
            to = middle;
    }
    return from;
}

rp_status rp__bitmap_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    rp__bitmap_view v;
    if (i >= list->n || rp__bitmap_open(list, &v))
        return RP_DAMAGED;
    if (v.base == RP_BITMAP_SPARSE) {
        *out = rp__load32(v.words + 4 * (size_t)i);
        return RP_OK;
    }
    if (v.n_words == 0)
        return RP_DAMAGED;
    uint32_t group = find_group(&v, i), rank = i - rp__load32(v.hints + 4 * (size_t)group);
    uint32_t word_at = group * RP_BITMAP_GROUP;
    for (uint32_t k = 0; k < RP_BITMAP_GROUP && word_at < v.n_words; k++, word_at++) {
        uint64_t word = rp__load64(v.words + 8 * (size_t)word_at);
        uint32_t bits = rp__bits_count64(word);
        if (rank < bits) {
            *out = v.base + RP_BITMAP_SPAN * word_at + select64(word, rank);
            return RP_OK;
        }
        rank -= bits;
    }
    return RP_DAMAGED;
}
