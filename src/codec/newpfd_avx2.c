/* newpfd_avx2.c: the block code newpfd with AVX2: the kernels of patch_avx2.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/newpfd.h"

#if defined(__x86_64__)
#include "codec/patch_avx2.h"

static rp_status read_block(const uint8_t *in, size_t in_bytes, size_t n, rp__patch *p)
{
    return rp__newpfd_open_by(rp__simple16_read, in, in_bytes, n, p);
}

RP_PATCH_ROW(read_block, rp__patch_avx2_decode, rp__patch_avx2_docids)
RP_PATCH_ROW_AT(read_block)

rp_status rp__newpfd_avx2_list(const rp__list *list, uint32_t *out)
{
    return rp__patch_avx2_list(list, out, read_block);
}

const rp__block_code rp__newpfd_avx2_code = {
    .name = "newpfd",
    .needs = RP_CPU_AVX2,
    .bound = rp__newpfd_bound,
    .encode = rp__newpfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
#endif
