/* unary.h: numbers in unary, one after another, as rice, ef128 and qs keep the high parts of their
 * values. Interior of the room.
 *
 * A number is that many bits of one kind, then one of the other kind, its end. `flip` is all ones
 * where ends are zeros (rice, qs) and 0 where they are ones (ef128). Numbers 0 to i together are
 * the place of the i-th end less i, so their sum needs no chain of additions.
 * In rice and ef128 the n numbers of a block sum to less than 2n, since a wider low part would be
 * cheaper otherwise; more is damage. So they take less than 3n bits, and the sums of up to RP_BLOCK
 * numbers fit a byte. */
#ifndef RP_CODEC_UNARY_H
#define RP_CODEC_UNARY_H

#include "base/bits.h"
#include "codec/codec.h"

#define RP_UNARY_ENDS_ARE_ONES  0
#define RP_UNARY_ENDS_ARE_ZEROS UINT64_MAX

/* The bits in which the n numbers of a block must end, of n_bytes bytes. */
static inline uint64_t rp__unary_limit(size_t n_bytes, size_t n)
{
    uint64_t most = n ? 3 * n - 1 : 0;
    return n_bytes < (most + 7) / 8 ? 8 * (uint64_t)n_bytes : most;
}

/* Bits `from` to `to` hold n numbers: their running sums. RP_DAMAGED: fewer end before `to`. */
rp_status rp__unary_sums(const uint8_t *bits, uint64_t flip, uint64_t from, uint64_t to, size_t n,
                         uint32_t *sums);

/* The place of end number i, counted from bit `from`; `to` where it does not lie before that. */
typedef uint64_t rp__unary_end_fn(const uint8_t *bits, uint64_t flip, uint64_t from, uint64_t to,
                                  uint64_t i);
uint64_t rp__unary_end(const uint8_t *bits, uint64_t flip, uint64_t from, uint64_t to, uint64_t i);

/* Writes n numbers from bit `at` on, into zeros; returns the bit after. */
uint64_t rp__unary_put(uint8_t *bits, uint64_t flip, uint64_t at, const uint32_t *numbers,
                       size_t n);

#endif
