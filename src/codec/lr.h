/* codec/lr.h: interior of codec: the row of lr; what it means is in codec.h, chapter 5. */
#ifndef RP_CODEC_LR_H
#define RP_CODEC_LR_H

#include "codec/codec.h"

size_t rp__lr_bound(const rp__aux_kind *kind, uint32_t n);
size_t rp__lr_fit(const rp__aux_kind *kind, const uint32_t *docids, uint32_t n, uint32_t universe,
                  uint8_t *out);
rp_status rp__lr_open(const rp__aux_kind *kind, const uint8_t *in, size_t in_bytes, uint32_t n,
                      uint32_t universe, rp__aux *aux);
void rp__lr_find(const rp__aux *aux, uint32_t x, uint32_t *lo, uint32_t *hi);
bool rp__lr_is_sound(const rp__aux *aux, const uint32_t *docids);

#endif
