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
extern const rp__block_code rp__bp128t_code;
extern const rp__block_code rp__bp128v_code;
extern const rp__block_code rp__vbyte_code;
extern const rp__block_code rp__simple16_code;
extern const rp__block_code rp__pfd_code;
extern const rp__block_code rp__newpfd_code;
extern const rp__block_code rp__optpfd_code;
extern const rp__block_code rp__parapfor_code;
extern const rp__block_code rp__efsum_code;
extern const rp__block_code rp__mixed_code;
#if defined(__x86_64__)
extern const rp__block_code rp__bitpack_avx2_code;
extern const rp__block_code rp__bitpack_avx512_code;
extern const rp__block_code rp__ef128_avx2_code;
extern const rp__block_code rp__ef128_avx512_code;
extern const rp__block_code rp__rice_avx2_code;
extern const rp__block_code rp__rice_avx512_code;
extern const rp__block_code rp__bp128t_avx2_code;
extern const rp__block_code rp__bp128t_avx512_code;
extern const rp__block_code rp__bp128v_avx2_code;
extern const rp__block_code rp__vbyte_avx2_code;
extern const rp__block_code rp__simple16_avx512_code;
extern const rp__block_code rp__pfd_avx2_code;
extern const rp__block_code rp__newpfd_avx2_code;
extern const rp__block_code rp__optpfd_avx2_code;
extern const rp__block_code rp__parapfor_avx2_code;
extern const rp__block_code rp__pfd_avx512_code;
extern const rp__block_code rp__newpfd_avx512_code;
extern const rp__block_code rp__optpfd_avx512_code;
extern const rp__block_code rp__parapfor_avx512_code;
extern const rp__block_code rp__efsum_avx2_code;
extern const rp__block_code rp__efsum_avx512_code;
extern const rp__block_code rp__mixed_avx2_code;
extern const rp__block_code rp__mixed_avx512_code;
#endif

/* blocks.c: the functions of every docid codec that is a block code, cut every RP_BLOCK or, with
 * cut_largest, every RP_BLOCK_MAX. */
size_t rp__blocks_bound(const rp__codec *codec, size_t n);
size_t rp__blocks_cut_largest(const rp__codec *codec, const rp__encoding *e, uint32_t *ends);
rp_status rp__blocks_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__blocks_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__blocks_decode(const rp__list *list, uint32_t *out);
#if defined(__x86_64__)
rp_status rp__bitpack_avx2_list(const rp__list *list, uint32_t *out);
rp_status rp__vbyte_avx2_list(const rp__list *list, uint32_t *out);
rp_status rp__optpfd_avx2_list(const rp__list *list, uint32_t *out);
rp_status rp__pfd_avx2_list(const rp__list *list, uint32_t *out);
rp_status rp__newpfd_avx2_list(const rp__list *list, uint32_t *out);
rp_status rp__parapfor_avx2_list(const rp__list *list, uint32_t *out);
rp_status rp__rice_avx2_list(const rp__list *list, uint32_t *out);
#endif

/* bp128t.c: beside its block code, blocks without the order inside. */
rp_status rp__bp128t_unordered(const rp__list *list, uint32_t b, uint32_t n_blocks, uint32_t *out);
#if defined(__x86_64__)
rp_status rp__bp128t_avx2_unordered(const rp__list *list, uint32_t b, uint32_t n_blocks,
                                    uint32_t *out);
rp_status rp__bp128t_avx512_unordered(const rp__list *list, uint32_t b, uint32_t n_blocks,
                                      uint32_t *out);
#endif
extern const uint8_t rp__bp128t_ranks[RP_BLOCK]; /* by slot */

/* fastpfd.c: PForDelta, exceptions by width for groups of blocks. */
size_t rp__fastpfd_bound(const rp__codec *codec, size_t n);
rp_status rp__fastpfd_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__fastpfd_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__fastpfd_decode(const rp__list *list, uint32_t *out);
#if defined(__x86_64__)
rp_status rp__fastpfd_avx2_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__fastpfd_avx2_decode(const rp__list *list, uint32_t *out);
rp_status rp__fastpfd_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__fastpfd_avx512_decode(const rp__list *list, uint32_t *out);
#endif

/* bp128d4.c: differences of stride four. */
size_t rp__bp128d4_bound(const rp__codec *codec, size_t n);
rp_status rp__bp128d4_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__bp128d4_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__bp128d4_decode(const rp__list *list, uint32_t *out);
#if defined(__x86_64__)
rp_status rp__bp128d4_avx2_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__bp128d4_avx2_decode(const rp__list *list, uint32_t *out);
rp_status rp__bp128d4_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__bp128d4_avx512_decode(const rp__list *list, uint32_t *out);
#endif

/* ef128.c: beside its block code, whole lists and single docids. */
#if defined(__x86_64__)
rp_status rp__ef128_avx512_list(const rp__list *list, uint32_t *out);
rp_status rp__ef128_avx512_docid(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__ef128_avx2_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out);
rp_status rp__ef128_avx2_list(const rp__list *list, uint32_t *out);
rp_status rp__ef128_avx2_docid(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__ef128_avx2_seek(const rp__list *list, uint32_t b, uint32_t target, uint32_t *slot,
                              uint32_t *docid);
#endif
rp_status rp__ef128_docid(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__ef128_seek(const rp__list *list, uint32_t b, uint32_t target, uint32_t *slot,
                         uint32_t *docid);

/* Rows of PForDelta that decode a list by themselves. */
#if defined(__x86_64__)
rp_status rp__pfd_avx512_list(const rp__list *list, uint32_t *out);
rp_status rp__newpfd_avx512_list(const rp__list *list, uint32_t *out);
rp_status rp__optpfd_avx512_list(const rp__list *list, uint32_t *out);
rp_status rp__parapfor_avx512_list(const rp__list *list, uint32_t *out);
#endif

/* pfd_rec.c: one width a list, exceptions coded again. */
size_t rp__pfd_rec_bound(const rp__codec *codec, size_t n);
rp_status rp__pfd_rec_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__pfd_rec_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__pfd_rec_decode(const rp__list *list, uint32_t *out);
#if defined(__x86_64__)
rp_status rp__pfd_rec_avx2_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__pfd_rec_avx2_decode(const rp__list *list, uint32_t *out);
rp_status rp__pfd_rec_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__pfd_rec_avx512_decode(const rp__list *list, uint32_t *out);
#endif

/* raw.c: docids as they are. */
size_t rp__raw_bound(const rp__codec *codec, size_t n);
rp_status rp__raw_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__raw_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__raw_at(const rp__list *list, uint32_t i, uint32_t *out);

/* iiu.c: dynamic partitions, with their own directory and frequencies. */
size_t rp__iiu_bound(const rp__codec *codec, size_t n);
size_t rp__iiu_scratch(const rp__codec *codec, size_t n);
size_t rp__iiu_cut(const rp__codec *codec, const rp__encoding *e, uint32_t *ends);
rp_status rp__iiu_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__iiu_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__iiu_decode(const rp__list *list, uint32_t *out);
rp_status rp__iiu_tfs(const rp__list *list, uint32_t f, uint32_t *out);
#if defined(__x86_64__)
rp_status rp__iiu_avx2_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__iiu_avx2_decode(const rp__list *list, uint32_t *out);
rp_status rp__iiu_avx2_tfs(const rp__list *list, uint32_t f, uint32_t *out);
rp_status rp__iiu_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__iiu_avx512_decode(const rp__list *list, uint32_t *out);
rp_status rp__iiu_avx512_tfs(const rp__list *list, uint32_t f, uint32_t *out);
#endif

/* The regression family: lrc.c, lrcseg.c, seglrc.c, and hslrc.c, whose blocks are seglrc's. */
size_t rp__lrc_bound(const rp__codec *codec, size_t n);
rp_status rp__lrc_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__lrc_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__lrc_decode(const rp__list *list, uint32_t *out);
rp_status rp__lrc_at(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__lrc_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid);
rp_status rp__lrcseg_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__lrcseg_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__lrcseg_decode(const rp__list *list, uint32_t *out);
rp_status rp__lrcseg_at(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__lrcseg_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid);
rp_status rp__seglrc_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__seglrc_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__seglrc_decode(const rp__list *list, uint32_t *out);
rp_status rp__seglrc_at(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__seglrc_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid);
size_t rp__hslrc_cut256(const rp__codec *codec, const rp__encoding *e, uint32_t *ends);
size_t rp__hslrc_cut128(const rp__codec *codec, const rp__encoding *e, uint32_t *ends);
rp_status rp__hslrc_encode256(const rp__codec *codec, rp__encoding *e);
rp_status rp__hslrc_encode128(const rp__codec *codec, rp__encoding *e);
rp_status rp__hslrc_at(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__hslrc_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid);
#if defined(__x86_64__)
rp_status rp__lrc_avx2_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__lrc_avx2_decode(const rp__list *list, uint32_t *out);
rp_status rp__lrc_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__lrc_avx512_decode(const rp__list *list, uint32_t *out);
rp_status rp__lrcseg_avx2_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__lrcseg_avx2_decode(const rp__list *list, uint32_t *out);
rp_status rp__lrcseg_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__lrcseg_avx512_decode(const rp__list *list, uint32_t *out);
rp_status rp__seglrc_avx2_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__seglrc_avx2_decode(const rp__list *list, uint32_t *out);
rp_status rp__seglrc_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__seglrc_avx512_decode(const rp__list *list, uint32_t *out);
rp_status rp__hslrc_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__hslrc_avx512_decode(const rp__list *list, uint32_t *out);
#endif
/* auto.c: each list in the row that suits it. */
size_t rp__auto_bound(const rp__codec *codec, size_t n);
const rp__codec *rp__auto_choose(const rp__codec *codec, rp__encoding *e);
const rp__codec *rp__auto_named(const rp__codec *codec, uint8_t id);

/* bitmap.c: one bit a docid, where the list is dense enough. */
size_t rp__bitmap_bound(const rp__codec *codec, size_t n);
rp_status rp__bitmap_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__bitmap_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__bitmap_decode(const rp__list *list, uint32_t *out);
rp_status rp__bitmap_at(const rp__list *list, uint32_t i, uint32_t *out);
#if defined(__x86_64__)
rp_status rp__bitmap_avx2_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__bitmap_avx2_decode(const rp__list *list, uint32_t *out);
rp_status rp__bitmap_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__bitmap_avx512_decode(const rp__list *list, uint32_t *out);
#endif

/* qs.c: a whole list in Elias-Fano's way. */
size_t rp__qs_bound(const rp__codec *codec, size_t n);
rp_status rp__qs_encode(const rp__codec *codec, rp__encoding *e);
rp_status rp__qs_open(rp__list *list);
rp_status rp__qs_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__qs_at(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__qs_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid);
rp_status rp__qs_seek_block(const rp__list *list, uint32_t b, uint32_t target, uint32_t *slot,
                            uint32_t *docid);
#if defined(__x86_64__)
rp_status rp__qs_avx2_block(const rp__list *list, uint32_t b, uint32_t *out);
rp_status rp__qs_avx2_at(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__qs_avx2_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid);
rp_status rp__qs_avx2_seek_block(const rp__list *list, uint32_t b, uint32_t target, uint32_t *slot,
                                 uint32_t *docid);
rp_status rp__qs_avx512_at(const rp__list *list, uint32_t i, uint32_t *out);
rp_status rp__qs_avx512_block(const rp__list *list, uint32_t b, uint32_t *out);
#endif

#endif
