/* codec_table.h: the rows that codec_table.c gathers, and the adapter that makes docid codecs of
 * block codes. Interior of the room. */
#ifndef RP_CODEC_CODEC_TABLE_H
#define RP_CODEC_CODEC_TABLE_H

#include "codec/codec.h"

/* Block codes. */
extern const rp__block_code rp__bitpack_code;
extern const rp__block_code rp__ef128_code;
extern const rp__block_code rp__interpolative_code;
extern const rp__block_code rp__rice_code;
extern const rp__block_code rp__vbyte_code;
#if defined(__x86_64__)
extern const rp__block_code rp__bitpack_avx2_code;
extern const rp__block_code rp__bitpack_avx512_code;
extern const rp__block_code rp__ef128_avx2_code;
extern const rp__block_code rp__ef128_avx512_code;
extern const rp__block_code rp__rice_avx2_code;
extern const rp__block_code rp__rice_avx512_code;
extern const rp__block_code rp__vbyte_avx2_code;
#endif

/* blocks.c: the functions of every docid codec that is a block code, cut every RP_BLOCK. */
size_t rp__blocks_bound(const rp__codec *codec, size_t n);
rp_status rp__blocks_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__blocks_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__blocks_decode(const rp__list *list, uint32_t *out);

#if defined(__x86_64__)
rp_status rp__ef128_avx512_list(const rp__list *list, uint32_t *out);
#endif

/* raw.c: docids as they are. */
size_t rp__raw_bound(const rp__codec *codec, size_t n);
rp_status rp__raw_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__raw_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__raw_at(const rp__list *list, uint32_t i, uint32_t *out);

/* qs.c: a whole list in Elias-Fano's way. */
size_t rp__qs_bound(const rp__codec *codec, size_t n);
rp_status rp__qs_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__qs_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__qs_at(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__qs_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid);
#if defined(__x86_64__)
rp_status rp__qs_avx2_at(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__qs_avx2_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid);
rp_status rp__qs_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
#endif

#endif
