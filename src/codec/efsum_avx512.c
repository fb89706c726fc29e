/* efsum_avx512.c: the block code efsum with AVX-512: ranks are decoded as blocks of ef128 are. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/efsum.h"

#if defined(__x86_64__)
#include "codec/unary_avx2.h"

RP_EFSUM_ROW(rp__efsum_avx512_code, RP_CPU_AVX512, rp__ef128_avx512_code, rp__efsum_scatter,
             rp__unary_avx2_first_word_end)
#endif
