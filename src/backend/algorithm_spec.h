/* backend/algorithm_spec.h: interior of backend: an algorithm with options, as a user writes it:
 * "operators:intersect=bs,select=sort".
 *
 * An algorithm has a table of its options. A value is one of some names, or a whole number. Each
 * option may be given once; what is not given has its default. */
#ifndef RP_BACKEND_ALGORITHM_SPEC_H
#define RP_BACKEND_ALGORITHM_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

enum { RP_ALGORITHM_OPTIONS = 16 }; /* of one algorithm, at most */

typedef struct rp__algorithm_option {
    const char *name;
    /* (optional) The names that it may have, NULL past the last; without it, it is a number */
    const char *(*value_at)(size_t i);
    uint32_t min, max; /* of a number */
    uint32_t initial;  /* the number, or which name */
} rp__algorithm_option;

typedef struct rp__algorithm_spec {
    uint32_t values[RP_ALGORITHM_OPTIONS]; /* by option: the number, or which name */
    bool is_given[RP_ALGORITHM_OPTIONS];
} rp__algorithm_spec;

/* Whether `spec` is the algorithm `name`, with or without options. */
bool rp__algorithm_spec_is(const char *spec, const char *name);
/* Reads the options of `spec`. RP_USAGE: one is unknown, given twice, or has a value that it may
 * not have; the message lists what there is. */
rp_status rp__algorithm_spec_parse(const char *spec, const rp__algorithm_option *options, size_t n,
                                   rp__algorithm_spec *out, rp_error *err);

#endif
