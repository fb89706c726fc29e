/* iiu_score_probe.cu: score_probe.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/score/score_probe.cu"
