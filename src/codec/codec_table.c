/* codec_table.c: every block code and every docid codec, one row per name and instruction set, the
 * best first. Ids are on disk: a new codec takes the next free one; none is ever given again. */
#include "codec/codec_table.h"

#include <string.h>

#include "base/cpu.h"

static const rp__block_code *const codes[] = {
#if defined(__x86_64__)
    &rp__bitpack_avx512_code, &rp__bitpack_avx2_code, &rp__vbyte_avx2_code, &rp__rice_avx512_code,
    &rp__rice_avx2_code,      &rp__ef128_avx512_code, &rp__ef128_avx2_code,
#endif
    &rp__bitpack_code,        &rp__vbyte_code,        &rp__rice_code,       &rp__ef128_code,
    &rp__interpolative_code,
};

/* A block code cut every RP_BLOCK, which codes the frequencies too; with its own way to decode whole
 * lists, or without. */
#define BLOCKS_BY(id_, name_, needs_, code_, decode_)                                              \
    {                                                                                              \
        .id = (id_), .name = (name_), .needs = (needs_), .code = (code_), .freqs = (code_),        \
        .has_offsets = true, .max_blocks_per_128 = 1, .bound = rp__blocks_bound,                   \
        .encode = rp__blocks_encode, .block = rp__blocks_block, .decode = (decode_)                \
    }
#define BLOCKS(id_, name_, needs_, code_) BLOCKS_BY(id_, name_, needs_, code_, rp__blocks_decode)

#define RAW(needs_, freqs_)                                                                        \
    {                                                                                              \
        .id = ID_RAW, .name = "raw", .needs = (needs_), .freqs = (freqs_),                         \
        .max_blocks_per_128 = 1, .bound = rp__raw_bound, .encode = rp__raw_encode,                 \
        .block = rp__raw_block, .at = rp__raw_at                                                   \
    }

#define QS(needs_, freqs_, block_, at_, find_)                                                     \
    {                                                                                              \
        .id = ID_QS, .name = "qs", .needs = (needs_), .freqs = (freqs_), .max_blocks_per_128 = 1,  \
        .bound = rp__qs_bound, .encode = rp__qs_encode, .block = (block_), .at = (at_),            \
        .find = (find_)                                                                            \
    }

enum {
    ID_RAW = 1,
    ID_VBYTE = 2,
    ID_BP128 = 3,
    ID_RICE = 10,
    ID_QS = 11,
    ID_EF128 = 12,
    ID_INTERPOLATIVE = 13
};

static const rp__codec codecs[] = {
#if defined(__x86_64__)
    BLOCKS(ID_BP128, "bp128", RP_CPU_AVX512, &rp__bitpack_avx512_code),
    BLOCKS(ID_BP128, "bp128", RP_CPU_AVX2, &rp__bitpack_avx2_code),
#endif
    BLOCKS(ID_BP128, "bp128", 0, &rp__bitpack_code),
#if defined(__x86_64__)
    BLOCKS(ID_VBYTE, "vbyte", RP_CPU_AVX2, &rp__vbyte_avx2_code),
#endif
    BLOCKS(ID_VBYTE, "vbyte", 0, &rp__vbyte_code),
#if defined(__x86_64__)
    RAW(RP_CPU_AVX512, &rp__bitpack_avx512_code),
    RAW(RP_CPU_AVX2, &rp__bitpack_avx2_code),
#endif
    RAW(0, &rp__bitpack_code),
#if defined(__x86_64__)
    BLOCKS(ID_RICE, "rice", RP_CPU_AVX512, &rp__rice_avx512_code),
    BLOCKS(ID_RICE, "rice", RP_CPU_AVX2, &rp__rice_avx2_code),
#endif
    BLOCKS(ID_RICE, "rice", 0, &rp__rice_code),
#if defined(__x86_64__)
    BLOCKS_BY(ID_EF128, "ef128", RP_CPU_AVX512, &rp__ef128_avx512_code, rp__ef128_avx512_list),
    BLOCKS(ID_EF128, "ef128", RP_CPU_AVX2, &rp__ef128_avx2_code),
#endif
    BLOCKS(ID_EF128, "ef128", 0, &rp__ef128_code),
#if defined(__x86_64__)
    QS(RP_CPU_AVX512, &rp__ef128_avx512_code, rp__qs_avx512_block, rp__qs_avx2_at,
       rp__qs_avx2_find),
    QS(RP_CPU_AVX2, &rp__ef128_avx2_code, rp__qs_block, rp__qs_avx2_at, rp__qs_avx2_find),
#endif
    QS(0, &rp__ef128_code, rp__qs_block, rp__qs_at, rp__qs_find),
    BLOCKS(ID_INTERPOLATIVE, "interpolative", 0, &rp__interpolative_code),
};

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

const rp__codec *rp__codec_by_id(uint8_t id, uint32_t features)
{
    for (size_t i = 0; i < N_CODECS; i++)
        if (can(codecs[i].needs, features) && codecs[i].id == id)
            return &codecs[i];
    return NULL;
}
