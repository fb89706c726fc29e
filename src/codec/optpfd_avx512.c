/* optpfd_avx512.c: the block code optpfd with AVX-512: the kernels of patch_avx512.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/optpfd.h"

#if defined(__x86_64__)
#include "codec/patch_avx512.h"

RP_PATCH_ROW(rp__optpfd_open, rp__patch_avx512_decode, rp__patch_avx512_docids)
RP_PATCH_AVX512_LIST(rp__optpfd_avx512_list, rp__optpfd_open)

const rp__block_code rp__optpfd_avx512_code = {
    .name = "optpfd",
    .needs = RP_CPU_AVX512,
    .bound = rp__optpfd_bound,
    .encode = rp__optpfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
#endif
