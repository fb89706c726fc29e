/* index/aux_writer.h: interior of index: the auxiliary sections of the lists file.
 *
 * A section file takes one section at a time, so what the lists yield goes to a temporary file
 * for each kind, and from there behind the lists. 8 bytes a list and kind stay in memory. One
 * thread. */
#ifndef RP_INDEX_AUX_WRITER_H
#define RP_INDEX_AUX_WRITER_H

#include "codec/codec.h"
#include "riposte/status.h"
#include "store/store.h"

typedef struct rp__aux_writer rp__aux_writer;

/* "lr,hs16" -> a bit for each kind's id. NULL or "": none. RP_USAGE: no such name. */
rp_status rp__aux_writer_parse(const char *names, uint32_t *kinds, rp_error *err);
/* The folder must outlive it; docids are below universe. */
rp_status rp__aux_writer_new(const rp__folder *folder, uint32_t kinds, uint32_t universe,
                             rp__aux_writer **out, rp_error *err);
/* The list that begins at list_offset; they come in rising order. RP_NO_MEMORY. */
rp_status rp__aux_writer_add(rp__aux_writer *w, uint64_t list_offset, const uint32_t *docids,
                             uint32_t n);
/* All its sections, between two others. */
rp_status rp__aux_writer_finish(rp__aux_writer *w, rp__section_writer *lists, rp_error *err);
void rp__aux_writer_free(rp__aux_writer *w); /* removes its files; NULL is fine */

#endif
