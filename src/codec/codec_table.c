/* codec_table.c: every block code and every docid codec, one row per name and instruction set, the
 * best first. Ids are on disk: a new codec takes the next free one; none is ever given again. */
#include "codec/codec_table.h"

#include <stdatomic.h>
#include <string.h>

#include "base/cpu.h"

/* A row that only x86-64 has. */
#if defined(__x86_64__)
#define X86(...) __VA_ARGS__,
#else
#define X86(...)
#endif

/* The functions of a row made of a block code; without and with the one that decodes whole lists. */
#define BLOCKS_BUT_DECODE(id_, name_, needs_, code_, freqs_)                                       \
    .id = (id_), .name = (name_), .needs = (needs_), .code = (code_), .freqs = (freqs_),           \
    .has_offsets = true, .max_blocks_per_128 = 1, .bound = rp__blocks_bound,                       \
    .encode = rp__blocks_encode, .block = rp__blocks_block
#define BY_BLOCKS(id_, name_, needs_, code_, freqs_)                                               \
    BLOCKS_BUT_DECODE(id_, name_, needs_, code_, freqs_), .decode = rp__blocks_decode

/* A block code cut every RP_BLOCK, which codes the frequencies too. */
#define BLOCKS(id_, name_, needs_, code_)                                                          \
    {                                                                                              \
        BY_BLOCKS(id_, name_, needs_, code_, code_)                                                \
    }

/* The row of AVX-512 decodes a block as fast as it would seek in one. */
#define EF128(needs_, code_, decode_, at_, seek_)                                                  \
    {                                                                                              \
        BLOCKS_BUT_DECODE(12, "ef128", needs_, code_, code_), .decode = (decode_), .at = (at_),    \
                                                              .seek = (seek_)                      \
    }

/* The same, with a way of its own to decode a whole list. */
#define BLOCKS_BY(id_, name_, needs_, code_, decode_)                                              \
    {                                                                                              \
        BLOCKS_BUT_DECODE(id_, name_, needs_, code_, code_), .decode = (decode_)                   \
    }

/* PForDelta as the papers have it, in blocks of 128 or segments of 64. */
#define PFD(id_, name_, needs_, code_, decode_)                                                    \
    {                                                                                              \
        .id = (id_), .name = (name_), .needs = (needs_), .code = (code_), .freqs = (code_),        \
        .has_offsets = true, .max_blocks_per_128 = RP_BLOCK / 64, .segment = 64,                   \
        .bound = rp__blocks_bound, .encode = rp__blocks_encode, .block = rp__blocks_block,         \
        .decode = (decode_)                                                                        \
    }

#define PFD_REC(needs_, rows_, freqs_)                                                             \
    {                                                                                              \
        .id = 9, .name = "pfd_rec", .needs = (needs_), .freqs = (freqs_), .max_blocks_per_128 = 1, \
        .bound = rp__pfd_rec_bound, .encode = rp__pfd_rec_encode, .block = rows_##_block,          \
        .decode = rows_##_decode                                                                   \
    }

#define BP256(needs_, code_, decode_)                                                              \
    {                                                                                              \
        BLOCKS_BUT_DECODE(15, "bp256", needs_, code_, code_), .decode = (decode_),                 \
                                                              .cut = rp__blocks_cut_largest        \
    }

#define BP128T(needs_, code_, freqs_, unordered_)                                                  \
    {                                                                                              \
        BY_BLOCKS(14, "bp128t", needs_, code_, freqs_), .unordered = (unordered_),                 \
                                                        .ranks = rp__bp128t_ranks                  \
    }

#define BP128V(needs_, code_, freqs_)                                                              \
    {                                                                                              \
        BY_BLOCKS(18, "bp128v", needs_, code_, freqs_)                                             \
    }

#define BP128D4(needs_, rows_, freqs_)                                                             \
    {                                                                                              \
        .id = 26, .name = "bp128d4", .needs = (needs_), .freqs = (freqs_), .has_offsets = true,    \
        .max_blocks_per_128 = 1, .bound = rp__bp128d4_bound, .encode = rp__bp128d4_encode,         \
        .block = rows_##_block, .decode = rows_##_decode                                           \
    }

#define FASTPFD(needs_, rows_, freqs_)                                                             \
    {                                                                                              \
        .id = 27, .name = "fastpfd", .needs = (needs_), .freqs = (freqs_), .has_offsets = true,    \
        .max_blocks_per_128 = 1, .bound = rp__fastpfd_bound, .encode = rp__fastpfd_encode,         \
        .block = rows_##_block, .decode = rows_##_decode                                           \
    }

#define RAW(needs_, freqs_)                                                                        \
    {                                                                                              \
        .id = 1, .name = "raw", .needs = (needs_), .freqs = (freqs_), .max_blocks_per_128 = 1,     \
        .bound = rp__raw_bound, .encode = rp__raw_encode, .block = rp__raw_block, .at = rp__raw_at \
    }

#define QS(needs_, freqs_, block_, at_, rows_)                                                     \
    {                                                                                              \
        .id = 11, .name = "qs", .needs = (needs_), .freqs = (freqs_), .max_blocks_per_128 = 1,     \
        .bound = rp__qs_bound, .encode = rp__qs_encode, .open = rp__qs_open, .block = (block_),    \
        .at = (at_), .find = rows_##_find, .seek = rows_##_seek_block                              \
    }

#define BITMAP(needs_, rows_, freqs_)                                                              \
    {                                                                                              \
        .id = 17, .name = "bitmap", .needs = (needs_), .freqs = (freqs_), .max_blocks_per_128 = 1, \
        .bound = rp__bitmap_bound, .encode = rp__bitmap_encode, .block = rows_##_block,            \
        .decode = rows_##_decode, .at = rp__bitmap_at                                              \
    }

#define IIU(needs_, rows_)                                                                         \
    {                                                                                              \
        .id = 16, .name = "iiu", .needs = (needs_), .limit = 1U << 31,                             \
        .max_blocks_per_128 = RP_BLOCK, .bound = rp__iiu_bound, .scratch = rp__iiu_scratch,        \
        .cut = rp__iiu_cut, .encode = rp__iiu_encode, .block = rows_##_block,                      \
        .decode = rows_##_decode, .tfs = rows_##_tfs                                               \
    }

/* Of the regression family: `name_` is the row's, `rows_` those that decode it. */
#define REGRESSION(id_, name_, needs_, rows_, freqs_)                                              \
    {                                                                                              \
        .id = (id_), .name = #name_, .needs = (needs_), .freqs = (freqs_), .has_offsets = true,    \
        .max_blocks_per_128 = 1, .bound = rp__lrc_bound, .cut = rp__blocks_cut_largest,            \
        .encode = rp__##name_##_encode, .block = rows_##_block, .decode = rows_##_decode,          \
        .at = rp__##name_##_at, .find = rp__##name_##_find                                         \
    }

#define HSLRC(id_, size_, most_, needs_, rows_, freqs_)                                            \
    {                                                                                              \
        .id = (id_), .name = "hslrc" #size_, .needs = (needs_), .freqs = (freqs_),                 \
        .has_offsets = true, .max_blocks_per_128 = (most_), .bound = rp__lrc_bound,                \
        .cut = rp__hslrc_cut##size_, .encode = rp__hslrc_encode##size_, .block = rows_##_block,    \
        .decode = rows_##_decode, .at = rp__hslrc_at, .find = rp__hslrc_find                       \
    }

/* Offsets as its bound counts them; a list has them where the row that it names has. */
#define AUTO(needs_, freqs_)                                                                       \
    {                                                                                              \
        .id = 24, .name = "auto", .needs = (needs_), .freqs = (freqs_), .has_offsets = true,       \
        .max_blocks_per_128 = 1, .bound = rp__auto_bound, .choose = rp__auto_choose,               \
        .named = rp__auto_named                                                                    \
    }

/* A row a line. */
/* clang-format off */
static const rp__block_code *const codes[] = {
    X86(&rp__bitpack_avx512_code)
    X86(&rp__bitpack_avx2_code)
    &rp__bitpack_code,
    X86(&rp__vbyte_avx2_code)
    &rp__vbyte_code,
    X86(&rp__simple16_avx512_code)
    &rp__simple16_code,
    X86(&rp__pfd_avx512_code)
    X86(&rp__pfd_avx2_code)
    &rp__pfd_code,
    X86(&rp__newpfd_avx512_code)
    X86(&rp__newpfd_avx2_code)
    &rp__newpfd_code,
    X86(&rp__optpfd_avx512_code)
    X86(&rp__optpfd_avx2_code)
    &rp__optpfd_code,
    X86(&rp__parapfor_avx512_code)
    X86(&rp__parapfor_avx2_code)
    &rp__parapfor_code,
    X86(&rp__rice_avx512_code)
    X86(&rp__rice_avx2_code)
    &rp__rice_code,
    X86(&rp__ef128_avx512_code)
    X86(&rp__ef128_avx2_code)
    &rp__ef128_code,
    &rp__interpolative_code,
    X86(&rp__bp128t_avx512_code)
    X86(&rp__bp128t_avx2_code)
    &rp__bp128t_code,
    X86(&rp__bp128v_avx2_code)
    &rp__bp128v_code,
    X86(&rp__efsum_avx512_code)
    X86(&rp__efsum_avx2_code)
    &rp__efsum_code,
    X86(&rp__mixed_avx512_code)
    X86(&rp__mixed_avx2_code)
    &rp__mixed_code,
};

static const rp__codec codecs[] = {
    X86(AUTO(RP_CPU_AVX512, &rp__mixed_avx512_code))
    X86(AUTO(RP_CPU_AVX2, &rp__mixed_avx2_code))
    AUTO(0, &rp__mixed_code),
    X86(BLOCKS(3, "bp128", RP_CPU_AVX512, &rp__bitpack_avx512_code))
    X86(BLOCKS_BY(3, "bp128", RP_CPU_AVX2, &rp__bitpack_avx2_code, rp__bitpack_avx2_list))
    BLOCKS(3, "bp128", 0, &rp__bitpack_code),
    X86(BLOCKS_BY(2, "vbyte", RP_CPU_AVX2, &rp__vbyte_avx2_code, rp__vbyte_avx2_list))
    BLOCKS(2, "vbyte", 0, &rp__vbyte_code),
    X86(RAW(RP_CPU_AVX512, &rp__bitpack_avx512_code))
    X86(RAW(RP_CPU_AVX2, &rp__bitpack_avx2_code))
    RAW(0, &rp__bitpack_code),
    X86(BLOCKS(4, "simple16", RP_CPU_AVX512, &rp__simple16_avx512_code))
    BLOCKS(4, "simple16", 0, &rp__simple16_code),
    X86(PFD(5, "pfd", RP_CPU_AVX512, &rp__pfd_avx512_code, rp__pfd_avx512_list))
    X86(PFD(5, "pfd", RP_CPU_AVX2, &rp__pfd_avx2_code, rp__pfd_avx2_list))
    PFD(5, "pfd", 0, &rp__pfd_code, rp__blocks_decode),
    X86(PFD(6, "newpfd", RP_CPU_AVX512, &rp__newpfd_avx512_code, rp__newpfd_avx512_list))
    X86(PFD(6, "newpfd", RP_CPU_AVX2, &rp__newpfd_avx2_code, rp__newpfd_avx2_list))
    PFD(6, "newpfd", 0, &rp__newpfd_code, rp__blocks_decode),
    X86(BLOCKS_BY(7, "optpfd", RP_CPU_AVX512, &rp__optpfd_avx512_code, rp__optpfd_avx512_list))
    X86(BLOCKS_BY(7, "optpfd", RP_CPU_AVX2, &rp__optpfd_avx2_code, rp__optpfd_avx2_list))
    BLOCKS(7, "optpfd", 0, &rp__optpfd_code),
    X86(PFD(8, "parapfor", RP_CPU_AVX512, &rp__parapfor_avx512_code, rp__parapfor_avx512_list))
    X86(PFD(8, "parapfor", RP_CPU_AVX2, &rp__parapfor_avx2_code, rp__parapfor_avx2_list))
    PFD(8, "parapfor", 0, &rp__parapfor_code, rp__blocks_decode),
    X86(PFD_REC(RP_CPU_AVX512, rp__pfd_rec_avx512, &rp__optpfd_avx512_code))
    X86(PFD_REC(RP_CPU_AVX2, rp__pfd_rec_avx2, &rp__optpfd_avx2_code))
    PFD_REC(0, rp__pfd_rec, &rp__optpfd_code),
    X86(BLOCKS(10, "rice", RP_CPU_AVX512, &rp__rice_avx512_code))
    X86(BLOCKS_BY(10, "rice", RP_CPU_AVX2, &rp__rice_avx2_code, rp__rice_avx2_list))
    BLOCKS(10, "rice", 0, &rp__rice_code),
    X86(QS(RP_CPU_AVX512, &rp__ef128_avx512_code, rp__qs_avx512_block, rp__qs_avx512_at, rp__qs_avx2))
    X86(QS(RP_CPU_AVX2, &rp__ef128_avx2_code, rp__qs_avx2_block, rp__qs_avx2_at, rp__qs_avx2))
    QS(0, &rp__ef128_code, rp__qs_block, rp__qs_at, rp__qs),
    X86(EF128(RP_CPU_AVX512, &rp__ef128_avx512_code, rp__ef128_avx512_list, rp__ef128_avx512_docid, NULL))
    X86(EF128(RP_CPU_AVX2, &rp__ef128_avx2_code, rp__ef128_avx2_list, rp__ef128_avx2_docid, rp__ef128_avx2_seek))
    EF128(0, &rp__ef128_code, rp__blocks_decode, rp__ef128_docid, rp__ef128_seek),
    BLOCKS(13, "interpolative", 0, &rp__interpolative_code),
    X86(IIU(RP_CPU_AVX512, rp__iiu_avx512))
    X86(IIU(RP_CPU_AVX2, rp__iiu_avx2))
    IIU(0, rp__iiu),
    X86(BP128T(RP_CPU_AVX512, &rp__bp128t_avx512_code, &rp__bitpack_avx512_code, rp__bp128t_avx512_unordered))
    X86(BP128T(RP_CPU_AVX2, &rp__bp128t_avx2_code, &rp__bitpack_avx2_code, rp__bp128t_avx2_unordered))
    BP128T(0, &rp__bp128t_code, &rp__bitpack_code, rp__bp128t_unordered),
    X86(BP256(RP_CPU_AVX512, &rp__bitpack_avx512_code, rp__blocks_decode))
    X86(BP256(RP_CPU_AVX2, &rp__bitpack_avx2_code, rp__bitpack_avx2_list))
    BP256(0, &rp__bitpack_code, rp__blocks_decode),
    X86(BITMAP(RP_CPU_AVX512, rp__bitmap_avx512, &rp__bitpack_avx512_code))
    X86(BITMAP(RP_CPU_AVX2, rp__bitmap_avx2, &rp__bitpack_avx2_code))
    BITMAP(0, rp__bitmap, &rp__bitpack_code),
    X86(BP128V(RP_CPU_AVX2, &rp__bp128v_avx2_code, &rp__bitpack_avx2_code))
    BP128V(0, &rp__bp128v_code, &rp__bitpack_code),
    X86(REGRESSION(19, lrc, RP_CPU_AVX512, rp__lrc_avx512, &rp__bitpack_avx512_code))
    X86(REGRESSION(19, lrc, RP_CPU_AVX2, rp__lrc_avx2, &rp__bitpack_avx2_code))
    REGRESSION(19, lrc, 0, rp__lrc, &rp__bitpack_code),
    X86(REGRESSION(20, lrcseg, RP_CPU_AVX512, rp__lrcseg_avx512, &rp__bitpack_avx512_code))
    X86(REGRESSION(20, lrcseg, RP_CPU_AVX2, rp__lrcseg_avx2, &rp__bitpack_avx2_code))
    REGRESSION(20, lrcseg, 0, rp__lrcseg, &rp__bitpack_code),
    X86(REGRESSION(21, seglrc, RP_CPU_AVX512, rp__seglrc_avx512, &rp__bitpack_avx512_code))
    X86(REGRESSION(21, seglrc, RP_CPU_AVX2, rp__seglrc_avx2, &rp__bitpack_avx2_code))
    REGRESSION(21, seglrc, 0, rp__seglrc, &rp__bitpack_code),
    X86(HSLRC(22, 256, 2, RP_CPU_AVX512, rp__hslrc_avx512, &rp__bitpack_avx512_code))
    X86(HSLRC(22, 256, 2, RP_CPU_AVX2, rp__seglrc_avx2, &rp__bitpack_avx2_code))
    HSLRC(22, 256, 2, 0, rp__seglrc, &rp__bitpack_code),
    X86(HSLRC(23, 128, 3, RP_CPU_AVX512, rp__hslrc_avx512, &rp__bitpack_avx512_code))
    X86(HSLRC(23, 128, 3, RP_CPU_AVX2, rp__seglrc_avx2, &rp__bitpack_avx2_code))
    HSLRC(23, 128, 3, 0, rp__seglrc, &rp__bitpack_code),
    X86(BLOCKS(25, "mixed", RP_CPU_AVX512, &rp__mixed_avx512_code))
    X86(BLOCKS_BY(25, "mixed", RP_CPU_AVX2, &rp__mixed_avx2_code, rp__rice_avx2_list))
    BLOCKS(25, "mixed", 0, &rp__mixed_code),
    X86(BP128D4(RP_CPU_AVX512, rp__bp128d4_avx512, &rp__bitpack_avx512_code))
    X86(BP128D4(RP_CPU_AVX2, rp__bp128d4_avx2, &rp__bitpack_avx2_code))
    BP128D4(0, rp__bp128d4, &rp__bitpack_code),
    X86(FASTPFD(RP_CPU_AVX512, rp__fastpfd_avx512, &rp__pfd_avx512_code))
    X86(FASTPFD(RP_CPU_AVX2, rp__fastpfd_avx2, &rp__pfd_avx2_code))
    FASTPFD(0, rp__fastpfd, &rp__pfd_code),
};
/* clang-format on */

enum { N_CODES = sizeof codes / sizeof codes[0], N_CODECS = sizeof codecs / sizeof codecs[0] };

static bool can(uint32_t needs, uint32_t features)
{
    return (needs & ~features) == 0;
}

const rp__block_code *rp__block_code_at(size_t i)
{
    return i < N_CODES ? codes[i] : NULL;
}

const rp__block_code *rp__block_code_find(const char *name, uint32_t features)
{
    for (size_t i = 0; i < N_CODES; i++)
        if (can(codes[i]->needs, features) && strcmp(codes[i]->name, name) == 0)
            return codes[i];
    return NULL;
}

rp__codec rp__codec_with_freqs(const rp__codec *row, const rp__block_code *freqs)
{
    rp__codec copy = *row;
    copy.freqs = row->freqs ? freqs : NULL;
    return copy;
}

const rp__codec *rp__codec_at(size_t i)
{
    return i < N_CODECS ? &codecs[i] : NULL;
}

const rp__codec *rp__codec_find(const char *name, uint32_t features)
{
    for (size_t i = 0; i < N_CODECS; i++)
        if (can(codecs[i].needs, features) && strcmp(codecs[i].name, name) == 0)
            return &codecs[i];
    return NULL;
}

static const rp__codec *search_id(uint8_t id, uint32_t features)
{
    for (size_t i = 0; i < N_CODECS; i++)
        if (can(codecs[i].needs, features) && codecs[i].id == id)
            return &codecs[i];
    return NULL;
}

/* Each list that names its row asks, so that rows are kept once they are found. */
const rp__codec *rp__codec_by_id(uint8_t id, uint32_t features)
{
    enum { IDS = 64, ALL = RP_CPU_AVX2 | RP_CPU_AVX512 };
    static _Atomic(const rp__codec *) found[ALL + 1][IDS];
    if (id >= IDS)
        return search_id(id, features);
    _Atomic(const rp__codec *) *place = &found[features & ALL][id];
    const rp__codec *row = atomic_load_explicit(place, memory_order_relaxed);
    if (!row) {
        row = search_id(id, features);
        atomic_store_explicit(place, row, memory_order_relaxed);
    }
    return row;
}
