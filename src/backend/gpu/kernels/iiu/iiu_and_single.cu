/* iiu_and_single.cu: and_single.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/fused/and_single.cu"
