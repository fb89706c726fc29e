/* index/segment_writer.h: interior of index: postings in term order to dictionary, lists and
 * positions.
 *
 * Calls: term, then for each posting `posting` followed by its positions, then end_term. One
 * thread. */
#ifndef RP_INDEX_SEGMENT_WRITER_H
#define RP_INDEX_SEGMENT_WRITER_H

#include "index/format.h"
#include "index/index.h"

typedef struct rp__segment_writer rp__segment_writer;

rp_status rp__segment_writer_new(const rp__folder *folder, uint64_t generation,
                                 const rp__coding *coding, bool has_positions,
                                 const rp__lengths *lengths, const float *norms,
                                 rp__segment_writer **out, rp_error *err);
/* Also writes these kinds (rp__aux_writer_parse) for lists of more than RP_BLOCK postings; before
 * the first term. */
rp_status rp__segment_writer_aux(rp__segment_writer *w, const rp__folder *folder, uint32_t kinds,
                                 rp_error *err);
/* Takes all memory that lists of up to n postings need. RP_NO_MEMORY: with it more than `memory` is
 * in use. */
rp_status rp__segment_writer_reserve(rp__segment_writer *w, uint64_t n, uint64_t memory,
                                     rp_error *err);
void rp__segment_writer_term(rp__segment_writer *w, const char *term, uint32_t bytes);
/* Docids rise within a term. With positions tf is 0 and counted by the calls to positions.
 * RP_DAMAGED: there is no such document. */
rp_status rp__segment_writer_posting(rp__segment_writer *w, uint32_t docid, uint32_t tf);
/* More occurrences in the last posting. */
void rp__segment_writer_more(rp__segment_writer *w, uint32_t tf);
/* More positions of the last posting, rising: how far after the one before, less one (the first:
 * itself). */
void rp__segment_writer_positions(rp__segment_writer *w, const uint32_t *gaps, uint32_t n);
rp_status rp__segment_writer_end_term(rp__segment_writer *w, rp_error *err);
/* Fills in terms, postings and the three files. */
rp_status rp__segment_writer_finish(rp__segment_writer *w, rp__meta *meta, rp_error *err);
void rp__segment_writer_free(rp__segment_writer *w); /* NULL is fine */

#endif
