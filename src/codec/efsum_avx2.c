/* efsum_avx2.c: the block code efsum with AVX2 and BMI2: ranks are decoded as blocks of ef128 are, and
 * one value is found by a deposit. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/efsum.h"

#if defined(__x86_64__)
#include "codec/unary_avx2.h"

RP_EFSUM_ROW(rp__efsum_avx2_code, RP_CPU_AVX2, rp__ef128_avx2_code, rp__efsum_scatter,
             rp__unary_avx2_first_word_end)
#endif
