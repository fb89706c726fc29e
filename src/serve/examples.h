/* serve/examples.h: words of an index that examples of the query language are made of. */
#ifndef RP_SERVE_EXAMPLES_H
#define RP_SERVE_EXAMPLES_H

#include "riposte/index.h"

enum { RP_EXAMPLE_BYTES = 32 };

/* Each is "" where the index gives none. */
typedef struct rp__examples {
    char words[3][RP_EXAMPLE_BYTES];  /* of a document, the one in the most documents first */
    char phrase[2][RP_EXAMPLE_BYTES]; /* two that follow each other in a document */
} rp__examples;

/* Looks at the beginnings of a few documents; without stored text there are no examples. */
void rp__examples_find(const rp_index *index, const rp_index_info *info, rp__examples *out);

#endif
