/* vbyte.h: what all rows of the block code vbyte share. Interior of the room.
 *
 * First the control bytes, one for four values: bits 2j and 2j + 1 of byte i are the length of
 * value 4i + j in bytes, less one; what is left of the last one is zero. Then the values, lowest
 * byte first, each in its length. Lengths apart from data is what lets one shuffle place four
 * values. */
#ifndef RP_CODEC_VBYTE_H
#define RP_CODEC_VBYTE_H

#include "codec/codec.h"

size_t rp__vbyte_bound(size_t n);
size_t rp__vbyte_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                        uint8_t *out);
/* Writes values i (a multiple of 4) to n - 1 of a block of n that starts at *out, their data from
 * *p on; returns the byte after. */
uint8_t *rp__vbyte_put(const uint32_t *values, size_t i, size_t n, uint8_t *out, uint8_t *p);

#endif
