/* index/dictionary.h: interior of index: the terms file: front-coded blocks and two flat arrays.
 *
 * A block: varint list offset / unit and varint position offset of its first term's list, then
 * entries: u8 bytes shared with the term before, u8 bytes of the rest, the rest, varint df << 1 |
 * is_tiny, varint cf - df, then for a tiny list varint bytes and the bytes, else varint list bytes
 * / unit and, with positions, varint position bytes. Lists lie in term order without holes, so
 * offsets are sums. */
#ifndef RP_INDEX_DICTIONARY_H
#define RP_INDEX_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/index.h"
#include "riposte/status.h"
#include "store/store.h"

typedef struct rp__dictionary_writer rp__dictionary_writer;
rp_status rp__dictionary_writer_new(const rp__folder *folder, const char *name, bool has_positions,
                                    rp__dictionary_writer **out, rp_error *err);
/* Terms in byte order, each once. Offsets of `entry` are ignored: they follow from the order. */
rp_status rp__dictionary_writer_add(rp__dictionary_writer *w, const char *term, uint32_t bytes,
                                    const rp__term *entry);
uint64_t rp__dictionary_writer_terms(const rp__dictionary_writer *w);
rp_status rp__dictionary_writer_finish(rp__dictionary_writer *w, uint64_t *bytes,
                                       uint64_t *checksum, rp_error *err);
void rp__dictionary_writer_free(rp__dictionary_writer *w); /* NULL is fine */

/* Views of the three sections. */
typedef struct rp__dictionary {
    const uint8_t *blocks;
    size_t blocks_bytes, n_blocks;
    const uint64_t *offsets, *prefixes;
    const uint32_t *mosts; /* NULL: not there */
    uint64_t n_terms, n_docs;
    uint32_t unit; /* of which lists are multiples: RP_LIST_UNIT or RP_LIST_UNIT_OLD */
    bool has_positions;
} rp__dictionary;

rp_status rp__dictionary_open(rp__dictionary *d, const rp__section_file *file, uint64_t n_terms,
                              uint64_t n_docs, uint32_t unit, bool has_positions, rp_error *err);
/* The last block whose first term is <= term; 0 if there is none such. RP_DAMAGED. */
rp_status rp__dictionary_find_block(const rp__dictionary *d, const char *term, size_t bytes,
                                    size_t *block);
/* The first block from `from` on whose first term is above all that begin with these bytes:
 * n_blocks if there is none. Of more than 8 bytes `from` itself. */
size_t rp__dictionary_pass(const rp__dictionary *d, size_t from, const char *prefix, size_t bytes);
/* The entry of a term. RP_NOT_FOUND, or RP_DAMAGED. */
rp_status rp__dictionary_find(const rp__dictionary *d, const char *term, size_t bytes,
                              rp__term *out);
/* A walk over entries, for term_iter.c. */
rp_status rp__dictionary_enter(const rp__dictionary *d, size_t block, rp__term_iter *iter);
/* RP_DAMAGED also where a term is said to be in more documents than there are. */
rp_status rp__dictionary_read(const rp__dictionary *d, rp__term_iter *iter);

#endif
