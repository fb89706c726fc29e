/* long_or_maxscore.cu: or_maxscore.cu for queries of more than KARG_OR_TERMS terms, and others
 * beside them. */
#define RP_KERNELS_LONG
#include "backend/gpu/kernels/fused/or_maxscore.cu"
