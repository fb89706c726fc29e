/* iiu_step_and.cu: step_and.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/intersect/step_and.cu"
