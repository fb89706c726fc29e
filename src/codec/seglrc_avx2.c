/* seglrc_avx2.c: the docid codec seglrc with AVX2: the kernel of lrc_avx2.c. */
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include "codec/lrc.h"

RP_LRC_ROW(rp__seglrc_avx2, rp__seglrc_open, rp__lrc_avx2_docids)
#endif
