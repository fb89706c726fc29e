/* parapfor_avx512.c: the block code parapfor with AVX-512: the kernels of patch_avx512.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/parapfor.h"

#if defined(__x86_64__)
#include "codec/patch_avx512.h"

RP_PATCH_ROW(rp__parapfor_open, rp__patch_avx512_decode, rp__patch_avx512_docids)
RP_PATCH_AVX512_LIST(rp__parapfor_avx512_list, rp__parapfor_open)

const rp__block_code rp__parapfor_avx512_code = {
    .name = "parapfor",
    .needs = RP_CPU_AVX512,
    .bound = rp__parapfor_bound,
    .encode = rp__parapfor_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
#endif
