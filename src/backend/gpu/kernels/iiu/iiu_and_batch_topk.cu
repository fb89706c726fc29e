/* iiu_and_batch_topk.cu: and_batch_topk.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/fused/and_batch_topk.cu"
