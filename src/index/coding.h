/* index/coding.h: interior of index: a codec with the frequencies that its lists have. */
#ifndef RP_INDEX_CODING_H
#define RP_INDEX_CODING_H

#include "index/index.h"
#include "index/manifest.h"

/* The codec's row, its frequencies in the code that is wanted. */
rp__codec rp__coding_row(const rp__coding *coding);
/* Puts the names into a manifest: the frequencies' one only where it is not the codec's own. */
void rp__coding_describe(const rp__coding *coding, rp__manifest *manifest);
/* The other way. RP_INCOMPATIBLE: a name is not known, or the two cannot go together. */
rp_status rp__coding_find(const rp__manifest *manifest, const char *dir, rp__coding *out,
                          rp_error *err);

#endif
