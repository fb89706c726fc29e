/* count_or_maxscore.cu: or_maxscore.cu that also counts all documents that match. */
#define RP_KERNELS_COUNT
#include "backend/gpu/kernels/fused/or_maxscore.cu"
