/* fastpfd_avx512.c: the docid codec fastpfd with AVX-512: the kernels of patch_avx512.c for a block.
 * Whole lists are decoded by the row of AVX2. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/fastpfd.h"

#if defined(__x86_64__)
rp_status rp__fastpfd_avx512_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__fastpfd_block_by(rp__patch_avx512_docids, list, b, out);
}

rp_status rp__fastpfd_avx512_decode(const rp__list *list, uint32_t *out)
{
    return rp__fastpfd_avx2_decode(list, out);
}
#endif
