/* iiu_para_score.cu: para_score.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/para/para_score.cu"
