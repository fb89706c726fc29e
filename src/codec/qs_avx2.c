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

rp_status rp__qs_avx2_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid)
{
    return rp__qs_find_by(list, target, rank, docid, rp__unary_avx2_end);
}
#endif
