/* iiu_score_accumulate.cu: score_accumulate.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/score/score_accumulate.cu"
