/* optpfd_avx2.c: the block code optpfd with AVX2: the kernels of patch_avx2.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/optpfd.h"

#if defined(__x86_64__)
#include "codec/patch_avx2.h"

RP_PATCH_ROW(rp__optpfd_open, rp__patch_avx2_decode, rp__patch_avx2_docids)
RP_OPTPFD_ROW_AT

rp_status rp__optpfd_avx2_list(const rp__list *list, uint32_t *out)
{
    return rp__patch_avx2_list(list, out, rp__optpfd_open);
}

const rp__block_code rp__optpfd_avx2_code = {
    .name = "optpfd",
    .needs = RP_CPU_AVX2,
    .bound = rp__optpfd_bound,
    .encode = rp__optpfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
#endif
