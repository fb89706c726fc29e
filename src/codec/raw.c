/* raw.c: the docid codec raw: a list's docids as they are, little-endian words in order.
 *
 * The yardstick of size and speed, and the plainest row that owns a whole list: blocks need no
 * offsets, and any docid is at hand. */
#include <string.h>

#include "base/bits.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"
#include "codec/list.h"

size_t rp__raw_bound(const rp__codec *codec, size_t n)
{
    (void)codec;
    return n * sizeof(uint32_t);
}

rp_status rp__raw_encode(const rp__codec *codec, rp__encoding *e)
{
    e->used = rp__raw_bound(codec, e->n);
    memcpy(e->out, e->docids, e->used);
    return RP_OK;
}

rp_status rp__raw_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    uint32_t first = rp__list_begin(list, b), count = rp__list_count(list, b);
    if (((uint64_t)first + count) * sizeof(uint32_t) > list->docs_bytes)
        return RP_DAMAGED;
    memcpy(out, list->docs + (size_t)first * sizeof(uint32_t), count * sizeof(uint32_t));
    return rp__gaps_rising(out, count, b ? list->last[b - 1] : UINT32_MAX);
}

rp_status rp__raw_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    if (i >= list->n || ((uint64_t)i + 1) * sizeof(uint32_t) > list->docs_bytes)
        return RP_DAMAGED;
    *out = rp__load32(list->docs + (size_t)i * sizeof(uint32_t));
    return RP_OK;
}
