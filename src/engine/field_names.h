/* engine/field_names.h: interior of engine: which fields of a record are its id, title and text. */
#ifndef RP_ENGINE_FIELD_NAMES_H
#define RP_ENGINE_FIELD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/index.h"

enum { RP_FIELD_ID, RP_FIELD_TITLE, RP_FIELD_TEXT, RP_FIELDS };

/* The usual names, or the one that the user gave; of several the first that is there counts. */
typedef struct rp__field_names {
    const char *at[RP_FIELDS][5]; /* NULL after the last */
    bool is_given[RP_FIELDS];     /* by the user */
} rp__field_names;

/* `options` may be NULL. */
void rp__field_names_init(rp__field_names *names, const rp_build_options *options);
/* The field of that name, and which of the field's names it is; RP_FIELDS: none. */
size_t rp__field_names_find(const rp__field_names *names, const char *name, size_t bytes,
                            uint8_t *rank);
/* The same in any case of ASCII, as a table's header may be written. */
size_t rp__field_names_find_folded(const rp__field_names *names, const char *name, size_t bytes,
                                   uint8_t *rank);

#endif
