/* long_count_or_maxscore.cu: long_or_maxscore.cu that also counts all documents that match. */
#define RP_KERNELS_LONG
#include "backend/gpu/kernels/fused/count_or_maxscore.cu"
