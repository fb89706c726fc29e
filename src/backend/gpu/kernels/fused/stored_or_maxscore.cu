/* stored_or_maxscore.cu: or_maxscore.cu that also reads lists as they are stored. */
#define RP_KERNELS_STORED
#include "backend/gpu/kernels/fused/or_maxscore.cu"
