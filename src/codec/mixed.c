/* mixed.c: the block code mixed: each block in the one of four codes that suits it; all rows.
 *
 * Byte 0 tells which:
 *   0 to 31             a block of rice, which that byte begins.
 *   32                  a block of bp128 follows.
 *   33                  a block of efsum follows.
 *   64 to 96, 128 to 160, 192 to 224
 *                       a block of optpfd with exceptions (mode 1, 2 or 3), which that byte begins.
 * Others are damage. The two codes that are the smallest nearly always spend no byte on their name.
 * The encoder serves all rows. It takes the smallest block, or, by speed, the one that decodes fastest
 * among those that are not much larger; of equal ones always the faster. */
#include <string.h>

#include "base/cpu.h"
#include "codec/codec_table.h"

/* In the order of what a posting costs to decode, the least first. */
typedef enum kind { BP128, EFSUM, RICE, OPTPFD, N_KINDS } kind;

enum {
    NAME_BP128 = 32,
    NAME_EFSUM = 33,
    SLACK = 8, /* by speed, a block may be larger than the smallest by one part in so many */
    ROOM = 64 + 5 * RP_BLOCK_MAX + 1,
};

/* ---- Encoding -------------------------------------------------------------------------------- */

static size_t bound(size_t n)
{
    return 1 + rp__efsum_code.bound(n); /* optpfd, which may take more, only where it is smallest */
}

typedef struct choice {
    uint8_t bytes[ROOM];
    size_t used;
} choice;

/* The block as its kind writes it, behind a name where it needs one. */
static void encode_as(kind k, const rp__codec_options *options, const uint32_t *values, size_t n,
                      choice *out)
{
    static const rp__block_code *const codes[N_KINDS] = {&rp__bitpack_code, &rp__efsum_code,
                                                         &rp__rice_code, &rp__optpfd_code};
    static const uint8_t names[N_KINDS] = {[BP128] = NAME_BP128, [EFSUM] = NAME_EFSUM};
    size_t named = names[k] ? 1 : 0;
    out->bytes[0] = names[k];
    out->used = named + codes[k]->encode(options, values, n, out->bytes + named);
    if (k == OPTPFD && out->bytes[0] < 64) /* without exceptions it is bp128 */
        out->used = SIZE_MAX;
}

static size_t encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                     uint8_t *out)
{
    choice choices[N_KINDS];
    size_t least = SIZE_MAX;
    for (kind k = 0; k < N_KINDS; k++) {
        encode_as(k, options, values, n, &choices[k]);
        least = choices[k].used < least ? choices[k].used : least;
    }
    size_t most = options && options->by == RP_BY_SPEED ? least + least / SLACK : least;
    const choice *c = choices;
    while (c->used > most)
        c++;
    memcpy(out, c->bytes, c->used);
    return c->used;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

/* Rows of the four codes, by kind. */
typedef const rp__block_code *const codes_of_row[N_KINDS];

/* The code of a block, and its bytes; NULL: damage. */
static inline const rp__block_code *open_block(codes_of_row *codes, const uint8_t **in,
                                               size_t *in_bytes)
{
    if (*in_bytes == 0)
        return NULL;
    uint8_t name = **in;
    if (name < NAME_BP128)
        return (*codes)[RICE];
    if (name % 64 <= 32 && name >= 64)
        return (*codes)[OPTPFD];
    if (name > NAME_EFSUM)
        return NULL;
    ++*in;
    --*in_bytes;
    return (*codes)[name == NAME_BP128 ? BP128 : EFSUM];
}

static inline rp_status decode_by(codes_of_row *codes, const uint8_t *in, size_t in_bytes,
                                  uint32_t *out, size_t n)
{
    const rp__block_code *code = open_block(codes, &in, &in_bytes);
    return code ? code->decode(in, in_bytes, out, n) : RP_DAMAGED;
}

static inline rp_status docids_by(codes_of_row *codes, const uint8_t *in, size_t in_bytes,
                                  uint32_t base, uint32_t *out, size_t n)
{
    const rp__block_code *code = open_block(codes, &in, &in_bytes);
    return code ? code->decode_docids(in, in_bytes, base, out, n) : RP_DAMAGED;
}

static inline rp_status at_by(codes_of_row *codes, const uint8_t *in, size_t in_bytes, size_t n,
                              size_t i, uint32_t *out)
{
    const rp__block_code *code = open_block(codes, &in, &in_bytes);
    return code ? code->at(in, in_bytes, n, i, out) : RP_DAMAGED;
}

/* A row over rows of bp128, efsum, rice and optpfd. */
#define ROW(code, row, needs_, ...)                                                                \
    static codes_of_row row##_codes = {__VA_ARGS__};                                               \
    static rp_status row##_decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)     \
    {                                                                                              \
        return decode_by(&row##_codes, in, in_bytes, out, n);                                      \
    }                                                                                              \
    static rp_status row##_docids(const uint8_t *in, size_t in_bytes, uint32_t base,               \
                                  uint32_t *out, size_t n)                                         \
    {                                                                                              \
        return docids_by(&row##_codes, in, in_bytes, base, out, n);                                \
    }                                                                                              \
    static rp_status row##_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i,              \
                              uint32_t *out)                                                       \
    {                                                                                              \
        return at_by(&row##_codes, in, in_bytes, n, i, out);                                       \
    }                                                                                              \
    const rp__block_code code = {                                                                  \
        .name = "mixed",                                                                           \
        .needs = (needs_),                                                                         \
        .bound = bound,                                                                            \
        .encode = encode,                                                                          \
        .decode = row##_decode,                                                                    \
        .decode_docids = row##_docids,                                                             \
        .at = row##_at,                                                                            \
    };

ROW(rp__mixed_code, plain, 0, &rp__bitpack_code, &rp__efsum_code, &rp__rice_code, &rp__optpfd_code)
#if defined(__x86_64__)
ROW(rp__mixed_avx2_code, avx2, RP_CPU_AVX2, &rp__bitpack_avx2_code, &rp__efsum_avx2_code,
    &rp__rice_avx2_code, &rp__optpfd_avx2_code)
ROW(rp__mixed_avx512_code, avx512, RP_CPU_AVX512, &rp__bitpack_avx512_code, &rp__efsum_avx512_code,
    &rp__rice_avx512_code, &rp__optpfd_avx512_code)
#endif
