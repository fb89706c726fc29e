/* index/text_reader.h: interior of index: the documents of one block of stored text, unpacked as
 * they are read. It holds pieces of a block, so its memory does not depend on what a block
 * claims. */
#ifndef RP_INDEX_TEXT_READER_H
#define RP_INDEX_TEXT_READER_H

#include "index/doctable.h"

typedef struct rp__text_reader rp__text_reader;

/* Opens block number `block` of the table; seek before reading. `why`, if not NULL, gets what is
 * wrong with the block when this call or a later one returns RP_DAMAGED. Close what this
 * returns. */
rp_status rp__text_reader_open(const rp__doctable *t, rp__zblock *z, size_t block,
                               rp__text_reader **out, const char **why);
void rp__text_reader_close(rp__text_reader *r); /* NULL is fine */

uint32_t rp__text_reader_first(const rp__text_reader *r); /* docid of its first document */
/* Stands at the title of a document, behind which its text lies. RP_DAMAGED: not in this block. */
rp_status rp__text_reader_seek(rp__text_reader *r, uint32_t docid, uint64_t *title_bytes,
                               uint64_t *text_bytes);
/* The next n bytes; `to` may be NULL to pass over them. */
rp_status rp__text_reader_read(rp__text_reader *r, void *to, uint64_t n);
/* Unpacks what is left. RP_DAMAGED: the block does not end where its entry says. */
rp_status rp__text_reader_finish(rp__text_reader *r);

/* True: all of the block is in memory, and seeking in it reads neither the file nor z again. */
bool rp__text_reader_is_whole(const rp__text_reader *r);
size_t rp__text_reader_memory(const rp__text_reader *r); /* bytes that it holds */

#endif
