/* engine/algorithm_choice.h: interior of engine: the algorithm that a searcher's user named. */
#ifndef RP_ENGINE_ALGORITHM_CHOICE_H
#define RP_ENGINE_ALGORITHM_CHOICE_H

#include "engine/searcher.h"
#include "plan/policy.h"

/* Whether it is one of a GPU; NULL is none. */
bool rp__algorithm_choice_is_gpu(const char *algorithm);
/* *algorithm becomes the searcher's own, or NULL for `auto`, once it is known and can answer
 * queries of the index on this processor. */
rp_status rp__algorithm_choice_make(rp_searcher *searcher, const rp__backend *backend,
                                    const char **algorithm, rp_error *err);
/* Whether one of a GPU can answer queries in the mode for the k best documents. */
rp_status rp__algorithm_choice_check(const rp_searcher *searcher, const rp__backend *backend,
                                     const char *algorithm, rp_mode mode, size_t k, rp_error *err);
/* RP_USAGE: it is one of a GPU, and the policy gives queries to cores as it likes. */
rp_status rp__algorithm_choice_place(const char *algorithm, const rp__policy *policy,
                                     rp_error *err);
/* RP_USAGE: a GPU's algorithm was named, and does not answer queries of this kind. RP_OK: another
 * one may answer instead. */
rp_status rp__algorithm_choice_refuse(const char *algorithm, rp_fallback why, rp_error *err);

#endif
