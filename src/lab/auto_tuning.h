/* lab/auto_tuning.h: interior of lab: the thresholds of the processor `auto` as text, to try
 * others.
 *
 * "burst.and=512,lone.or=never,batch.k=1024,lone-us=5000": pace and shape, or pace and k, or a
 * number that is for all paces. */
#ifndef RP_LAB_AUTO_TUNING_H
#define RP_LAB_AUTO_TUNING_H

#include "base/buf.h"
#include "riposte/search.h"

typedef struct rp__auto_tuning rp__auto_tuning;

/* The default ones but for those that `text` names; NULL: none. Free it. RP_USAGE: a key or a value
 * is none. */
rp_status rp__auto_tuning_new(const char *text, rp__auto_tuning **out, rp_error *err);
void rp__auto_tuning_free(rp__auto_tuning *tuning); /* NULL is fine */
void rp__auto_tuning_put(const rp__auto_tuning *tuning, rp__buf *out);
/* They must outlive the searcher. */
void rp__auto_tuning_apply(const rp__auto_tuning *tuning, rp_searcher *searcher);

#endif
