/* codec_table.c: every block code and every docid codec, one row per name and instruction set, the
 * best first. Ids are on disk: a new codec takes the next free one; none is ever given again. */
#include "codec/codec_table.h"

#include <string.h>

#include "base/cpu.h"

static const rp__block_code *const codes[] = {
#if defined(__x86_64__)
    &rp__bitpack_avx512_code, &rp__bitpack_avx2_code, &rp__vbyte_avx2_code, &rp__bp128t_avx512_code,
    &rp__bp128v_avx2_code,
#endif
    &rp__bitpack_code,        &rp__vbyte_code,        &rp__bp128t_code,     &rp__bp128v_code,
};

/* The functions of a row made of a block code. */
#define BY_BLOCKS(id_, name_, needs_, code_, freqs_)                                               \
    .id = (id_), .name = (name_), .needs = (needs_), .code = (code_), .freqs = (freqs_),           \
    .has_offsets = true, .max_blocks_per_128 = 1, .bound = rp__blocks_bound,                       \
    .encode = rp__blocks_encode, .block = rp__blocks_block, .decode = rp__blocks_decode

/* A block code cut every RP_BLOCK, which codes the frequencies too. */
#define BLOCKS(id_, name_, needs_, code_)                                                          \
    {                                                                                              \
        BY_BLOCKS(id_, name_, needs_, code_, code_)                                                \
    }

#define BP256(needs_, code_)                                                                       \
    {                                                                                              \
        BY_BLOCKS(ID_BP256, "bp256", needs_, code_, code_), .cut = rp__blocks_cut_largest          \
    }

#define BP128T(needs_, code_, freqs_, unordered_)                                                  \
    {                                                                                              \
        BY_BLOCKS(ID_BP128T, "bp128t", needs_, code_, freqs_), .unordered = (unordered_),          \
                                                               .ranks = rp__bp128t_ranks           \
    }

#define BP128V(needs_, code_, freqs_)                                                              \
    {                                                                                              \
        BY_BLOCKS(ID_BP128V, "bp128v", needs_, code_, freqs_)                                      \
    }

#define RAW(needs_, freqs_)                                                                        \
    {                                                                                              \
        .id = ID_RAW, .name = "raw", .needs = (needs_), .freqs = (freqs_),                         \
        .max_blocks_per_128 = 1, .bound = rp__raw_bound, .encode = rp__raw_encode,                 \
        .block = rp__raw_block, .at = rp__raw_at                                                   \
    }

#define BITMAP(needs_, rows_, freqs_)                                                              \
    {                                                                                              \
        .id = ID_BITMAP, .name = "bitmap", .needs = (needs_), .freqs = (freqs_),                   \
        .max_blocks_per_128 = 1, .bound = rp__bitmap_bound, .encode = rp__bitmap_encode,           \
        .block = rows_##_block, .decode = rows_##_decode, .at = rp__bitmap_at                      \
    }

#define IIU(needs_, rows_)                                                                         \
    {                                                                                              \
        .id = ID_IIU, .name = "iiu", .needs = (needs_), .limit = 1U << 31,                         \
        .max_blocks_per_128 = RP_BLOCK, .bound = rp__iiu_bound, .scratch = rp__iiu_scratch,        \
        .cut = rp__iiu_cut, .encode = rp__iiu_encode, .block = rows_##_block,                      \
        .decode = rows_##_decode, .tfs = rows_##_tfs                                               \
    }

enum {
    ID_RAW = 1,
    ID_VBYTE = 2,
    ID_BP128 = 3,
    ID_BP128T = 14,
    ID_BP256 = 15,
    ID_IIU = 16,
    ID_BITMAP = 17,
    ID_BP128V = 18,
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
    IIU(RP_CPU_AVX512, rp__iiu_avx512),
    IIU(RP_CPU_AVX2, rp__iiu_avx2),
#endif
    IIU(0, rp__iiu),
#if defined(__x86_64__)
    BP128T(RP_CPU_AVX512, &rp__bp128t_avx512_code, &rp__bitpack_avx512_code,
           rp__bp128t_avx512_unordered),
#endif
    BP128T(0, &rp__bp128t_code, &rp__bitpack_code, rp__bp128t_unordered),
#if defined(__x86_64__)
    BP256(RP_CPU_AVX512, &rp__bitpack_avx512_code),
    BP256(RP_CPU_AVX2, &rp__bitpack_avx2_code),
#endif
    BP256(0, &rp__bitpack_code),
#if defined(__x86_64__)
    BITMAP(RP_CPU_AVX512, rp__bitmap_avx512, &rp__bitpack_avx512_code),
#endif
    BITMAP(0, rp__bitmap, &rp__bitpack_code),
#if defined(__x86_64__)
    BP128V(RP_CPU_AVX2, &rp__bp128v_avx2_code, &rp__bitpack_avx2_code),
#endif
    BP128V(0, &rp__bp128v_code, &rp__bitpack_code),
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
