/* newpfd_avx512.c: the block code newpfd with AVX-512: the kernels of patch_avx512.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/newpfd.h"

#if defined(__x86_64__)
static rp_status open_block(const uint8_t *in, size_t in_bytes, size_t n, rp__patch *p)
{
    return rp__newpfd_open_by(rp__simple16_read, in, in_bytes, n, p);
}

RP_PATCH_ROW(open_block, rp__patch_avx512_decode, rp__patch_avx512_docids)

const rp__block_code rp__newpfd_avx512_code = {
    .name = "newpfd",
    .needs = RP_CPU_AVX512,
    .bound = rp__newpfd_bound,
    .encode = rp__newpfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
#endif
