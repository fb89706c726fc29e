/* index/norms.h: interior of index: what lengths of documents do to the bounds of blocks. */
#ifndef RP_INDEX_NORMS_H
#define RP_INDEX_NORMS_H

#include "index/index.h"
#include "index/manifest.h"

/* Says in the meta that bounds hold for the default ranking. */
void rp__norms_choose(rp__meta *meta);
/* K of tf/(tf+K) for each code of a length, under the ranking and the figures that the manifest
 * names; `out` has n_table. RP_INCOMPATIBLE: that ranking is not known. Reads lengths, which may be
 * mapped. */
rp_status rp__norms_fill(const rp__manifest *manifest, const rp__lengths *lengths, float *out);
/* The same in memory of its own; free *out. */
rp_status rp__norms_new(const rp__manifest *manifest, const rp__lengths *lengths, float **out,
                        rp_error *err);

#endif
