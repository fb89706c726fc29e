/* iiu_or_accumulate.cu: or_accumulate.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/fused/or_accumulate.cu"
