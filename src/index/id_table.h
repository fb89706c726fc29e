/* index/id_table.h: interior of index: external ids to docids, by buckets of a hash.
 *
 * With n documents there are n / RP_DOC_ID_BUCKET + 1 buckets. The section has u32 for each bucket
 * and one more: where its docids begin; then all docids, by bucket and rising. The bucket of an id
 * is the upper half of its XXH3 times the number of buckets, shifted right by 32. */
#ifndef RP_INDEX_ID_TABLE_H
#define RP_INDEX_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "index/doctable.h"
#include "riposte/status.h"
#include "store/store.h"

/* On its way to a file; all zero is empty. One thread at a time. */
typedef struct rp__id_table {
    uint32_t *halves; /* of the hash, by document */
    uint32_t n_docs, n;
} rp__id_table;

uint64_t rp__id_table_bytes(uint32_t n_docs); /* of memory, until it is written */
rp_status rp__id_table_init(rp__id_table *t, uint32_t n_docs);
/* In the order of docids, each of them. */
void rp__id_table_add(rp__id_table *t, const char *id, size_t bytes);
/* The whole section. RP_NO_MEMORY. */
rp_status rp__id_table_write(const rp__id_table *t, rp__section_writer *out);
void rp__id_table_reset(rp__id_table *t);

/* Views of the section, if there is one. */
rp_status rp__id_table_open(rp__doctable *docs, const rp__section_file *file, rp_error *err);
/* RP_NOT_FOUND, RP_DAMAGED. Reads mapped memory. */
rp_status rp__id_table_find(const rp__doctable *docs, const char *id, size_t bytes,
                            uint32_t *docid);
/* RP_DAMAGED: some document is not found by its id. Reads mapped memory. */
rp_status rp__id_table_check(const rp__doctable *docs);

#endif
