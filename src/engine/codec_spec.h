/* engine/codec_spec.h: interior of engine: how lists are coded, as a user writes it. */
#ifndef RP_ENGINE_CODEC_SPEC_H
#define RP_ENGINE_CODEC_SPEC_H

#include "index/index.h"
#include "riposte/status.h"

/* `codec` is a name, perhaps followed by options: "pfd_rec:exceptions=0.1,level=2", or NULL: none
 * is chosen; `freqs` the name of a block code, or NULL: the codec's own. RP_USAGE says what there
 * is to choose from. */
rp_status rp__codec_spec_parse(const char *codec, const char *freqs, rp__coding *out,
                               rp_error *err);

#endif
