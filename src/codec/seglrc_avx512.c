/* seglrc_avx512.c: the docid codec seglrc with AVX-512: the kernels of lrc_avx512.h. */
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include "codec/lrc_avx512.h"

RP_LRC_AVX512_ROW(rp__seglrc_avx512, rp__seglrc, RP_LRC_OWN, true, rp__lrc_avx512_of_slope)
#endif
