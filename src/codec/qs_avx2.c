/* qs_avx2.c: the docid codec qs with BMI2: one docid, or the first of at least a target, by selecting
 * a bit of a word at once. Blocks are decoded by the plain row. */
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include "codec/qs.h"
#include "codec/unary_avx2.h"

rp_status rp__qs_avx2_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    return rp__qs_at_by(list, i, out, rp__unary_avx2_end);
}

/* rp__qs_search where the few docids of the high part, and the gap after them, lie in the next 57
 * bits; false: they do not. No branch on what they are. */
static inline bool search_near(const rp__list *list, const rp__qs_parts *p,
                               const rp__qs_place *place, uint32_t *rank, uint32_t *docid)
{
    enum { WINDOW = 57 };
    uint64_t window = rp__load64(p->high + place->bit / 8) >> place->bit % 8;
    uint64_t count = _tzcnt_u64(window), gap = _tzcnt_u64(~(window >> count % 64));
    if (count > RP_QS_FEW || count + gap >= WINDOW || place->bit + count + gap >= p->bits ||
        place->rank + count >= list->n)
        return false;
    uint64_t less = rp__qs_few_less(p, place->rank, count, place->low), i = place->rank + less;
    uint64_t high = place->high + (gap & (0 - (uint64_t)(less == count)));
    *rank = (uint32_t)i;
    *docid = (uint32_t)(high << p->l) | rp__lowbits_at(p->low, p->l, i);
    return true;
}

rp_status rp__qs_avx2_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid)
{
    rp__qs_parts p;
    rp__qs_place place;
    *rank = list->n;
    *docid = RP_NO_DOC;
    if (rp__qs_open(list, &p))
        return RP_DAMAGED;
    if (rp__qs_seek(list, &p, target, &place, rp__unary_avx2_end) &&
        !search_near(list, &p, &place, rank, docid))
        rp__qs_search(list, &p, &place, rank, docid, rp__unary_avx2_end);
    return RP_OK;
}
#endif
