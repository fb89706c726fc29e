/* parapfor_avx2.c: the block code parapfor with AVX2: the kernels of patch_avx2.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/parapfor.h"

#if defined(__x86_64__)
#include "codec/patch_avx2.h"

RP_PATCH_ROW(rp__parapfor_open, rp__patch_avx2_decode, rp__patch_avx2_docids)
RP_PATCH_ROW_AT(rp__parapfor_open)

rp_status rp__parapfor_avx2_list(const rp__list *list, uint32_t *out)
{
    return rp__patch_avx2_list(list, out, rp__parapfor_open);
}

const rp__block_code rp__parapfor_avx2_code = {
    .name = "parapfor",
    .needs = RP_CPU_AVX2,
    .bound = rp__parapfor_bound,
    .encode = rp__parapfor_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
#endif
