/* iiu_or_maxscore.cu: or_maxscore.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/fused/or_maxscore.cu"
