/* cli/hit_fields.h: the fields of a hit in JSON: which there are, and how each is written. */
#ifndef RP_CLI_HIT_FIELDS_H
#define RP_CLI_HIT_FIELDS_H

#include "cli/answer.h"

/* The i-th name; NULL past the last. */
const char *rp__hit_fields_name(size_t i);
/* Bytes of title and text that the fields of an answer need. */
size_t rp__hit_fields_bytes(const rp__answer *answer);

/* A hit and its document. */
typedef struct rp__hit_view {
    const rp__answer *answer;
    const rp_hit *hit;
    const rp_document *document;
    size_t rank;
} rp__hit_view;

/* Those that the answer names, in its order, or all but the text, into the object that is open. */
rp_status rp__hit_fields_write(rp__json_writer *w, const rp__hit_view *view, rp_error *err);

#endif
