/* index/doctable.h: interior of index: docids to external ids, lengths and stored text. */
#ifndef RP_INDEX_DOCTABLE_H
#define RP_INDEX_DOCTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/format.h"
#include "index/index.h"
#include "riposte/status.h"
#include "store/store.h"

/* ---- Writing: one thread at a time, but for lengths. ----------------------------------------- */

typedef struct rp__doctable_writer rp__doctable_writer;
rp_status rp__doctable_writer_new(rp__doctable_writer **out);
/* RP_INPUT: the id is there already, *docid is whose. RP_LIMIT: no more docids. */
rp_status rp__doctable_writer_add(rp__doctable_writer *w, const char *id, size_t bytes,
                                  uint32_t *docid);
/* A document without an id: it is called by its number, from 1, or by '#' and that where another
 * has that number for its id. */
rp_status rp__doctable_writer_add_number(rp__doctable_writer *w, uint32_t *docid);
uint32_t rp__doctable_writer_yielded(const rp__doctable_writer *w); /* those with a '#' */
/* Any thread that owns the document; the table must not grow meanwhile. */
void rp__doctable_writer_set_length(rp__doctable_writer *w, uint32_t docid, uint32_t length);
uint32_t rp__doctable_writer_docs(const rp__doctable_writer *w);
/* Makes the codes of all lengths; views of them are valid until free. */
rp_status rp__doctable_writer_code(rp__doctable_writer *w, rp__lengths *lengths, uint64_t *tokens);
rp_status rp__doctable_writer_write(rp__doctable_writer *w, const rp__folder *folder,
                                    const char *name, uint64_t *bytes, uint64_t *checksum,
                                    rp_error *err);
void rp__doctable_writer_free(rp__doctable_writer *w); /* NULL is fine */

/* ---- Reading. -------------------------------------------------------------------------------- */

typedef struct rp__doctable {
    uint32_t n_docs;
    const char *ids;
    size_t ids_bytes;
    const uint64_t *id_bases;
    const uint32_t *id_offsets;
    const uint32_t *id_buckets, *id_docids; /* id_table.c's; NULL: not there */
    rp__lengths lengths;
    const uint8_t *text; /* NULL: no text stored */
    size_t text_bytes, n_text_blocks;
    const rp__text_block *text_index;
} rp__doctable;

rp_status rp__doctable_open(rp__doctable *t, const rp__section_file *docs,
                            const rp__section_file *text, uint32_t n_docs, rp_error *err);
rp_status rp__doctable_id(const rp__doctable *t, uint32_t docid, const char **id, size_t *bytes);
/* It will be asked for soon: what tells where it is; later, the id itself. */
void rp__doctable_expect_place(const rp__doctable *t, uint32_t docid);
void rp__doctable_expect_id(const rp__doctable *t, uint32_t docid);
/* number of the block; reads the mapping */
size_t rp__doctable_find(const rp__doctable *t, uint32_t docid);
/* Title and text, at most max_bytes of each; both empty where nothing is stored. */
rp_status rp__doctable_text(const rp__doctable *t, uint32_t docid, rp__zblock *z,
                            uint64_t max_bytes, rp__doc_text *out);
void rp__doctable_text_free(rp__doc_text *text);

#endif
