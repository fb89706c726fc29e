/* index/segment.h: interior of index: what an open segment is made of. */
#ifndef RP_INDEX_SEGMENT_H
#define RP_INDEX_SEGMENT_H

#include "index/dictionary.h"
#include "index/doctable.h"
#include "index/format.h"
#include "index/index.h"
#include "index/manifest.h"

struct rp__segment {
    rp__folder folder;
    rp__manifest manifest;
    rp__segment_info info;
    rp__section_file *files[RP_FILE_KINDS];
    rp__codec codec; /* of all lists, its frequencies in the code that the manifest names */
    rp__dictionary dictionary;
    rp__doctable docs;
    const uint8_t *lists, *positions;
    size_t lists_bytes, positions_bytes;
    const uint64_t *aux_lists; /* n_aux_lists rising offsets of lists; NULL: no auxiliary data */
    size_t n_aux_lists;
    const uint8_t *aux[RP_AUX_KINDS]; /* by id; NULL: not there */
    size_t aux_bytes[RP_AUX_KINDS];
};

/* Finds the auxiliary sections and checks their shape. */
rp_status rp__segment_aux_open(rp__segment *s, rp_error *err);

#endif
