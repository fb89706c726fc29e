/* iiu_count_or_maxscore.cu: count_or_maxscore.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/fused/count_or_maxscore.cu"
