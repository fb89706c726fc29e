/* pfd_rec_avx2.c: the docid codec pfd_rec with AVX2: the kernels of patch_avx2.c on its
 * blocks. */
#include "codec/codec_table.h"
#include "codec/pfd_rec.h"

#if defined(__x86_64__)
rp_status rp__pfd_rec_avx2_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__pfd_rec_block_by(rp__patch_avx2_docids, list, b, out);
}

rp_status rp__pfd_rec_avx2_decode(const rp__list *list, uint32_t *out)
{
    return rp__pfd_rec_decode_by(rp__patch_avx2_docids, list, out);
}
#endif
