/* iiu_long_or_maxscore.cu: long_or_maxscore.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/fused/long_or_maxscore.cu"
