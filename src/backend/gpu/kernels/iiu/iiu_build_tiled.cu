/* iiu_build_tiled.cu: build_tiled.cu with IIU's integer scores. */
#define RP_KERNELS_IIU
#include "backend/gpu/kernels/transcode/build_tiled.cu"
