/* lrcseg_avx2.c: the docid codec lrcseg with AVX2: the kernel of lrc_avx2.c. */
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include "codec/lrc.h"

RP_LRC_ROW(rp__lrcseg_avx2, rp__lrcseg_open, rp__lrc_avx2_docids)
#endif
