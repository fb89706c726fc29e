/* id_table.c: writes and reads the table that finds a document by its id. Every number is checked where
 * it is used; an index without the table is searched id by id. */
#include "index/id_table.h"

#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/error.h"

static uint32_t buckets_of(uint32_t n_docs)
{
    return n_docs / RP_DOC_ID_BUCKET + 1;
}

static uint32_t half_of(const char *id, size_t bytes)
{
    return (uint32_t)(XXH3_64bits(id, bytes) >> 32);
}

static uint32_t bucket_of(uint32_t half, uint32_t n_docs)
{
    return (uint32_t)((uint64_t)half * buckets_of(n_docs) >> 32);
}

/* ---- Writing --------------------------------------------------------------------------------- */

uint64_t rp__id_table_bytes(uint32_t n_docs)
{
    return ((uint64_t)2 * n_docs + buckets_of(n_docs) + 2) * sizeof(uint32_t);
}

rp_status rp__id_table_init(rp__id_table *t, uint32_t n_docs)
{
    *t = (rp__id_table){.n_docs = n_docs};
    t->halves = rp__alloc_array((size_t)n_docs + 1, sizeof *t->halves);
    return t->halves ? RP_OK : RP_NO_MEMORY;
}

void rp__id_table_add(rp__id_table *t, const char *id, size_t bytes)
{
    t->halves[t->n++] = half_of(id, bytes);
}

/* Docids by bucket: begins[b + 1] counts those of bucket b, then says where it begins, then where it
 * ends. */
static void sort(const rp__id_table *t, uint32_t *begins, uint32_t *docids)
{
    uint32_t n_buckets = buckets_of(t->n_docs), sum = 0;
    for (uint32_t d = 0; d < t->n; d++)
        begins[bucket_of(t->halves[d], t->n_docs) + 1]++;
    for (uint32_t b = 1; b <= n_buckets; b++) {
        uint32_t n = begins[b];
        begins[b] = sum;
        sum += n;
    }
    for (uint32_t d = 0; d < t->n; d++)
        docids[begins[bucket_of(t->halves[d], t->n_docs) + 1]++] = d;
}

rp_status rp__id_table_write(const rp__id_table *t, rp__section_writer *out)
{
    uint32_t n_buckets = buckets_of(t->n_docs);
    uint32_t *begins = rp__alloc_zero((size_t)n_buckets + 1, sizeof *begins);
    uint32_t *docids = rp__alloc_array((size_t)t->n_docs + 1, sizeof *docids);
    bool has_memory = begins && docids;
    if (has_memory) {
        sort(t, begins, docids);
        rp__section_writer_begin(out, RP_SECTION_DOC_ID_TABLE);
        rp__section_writer_put(out, begins, ((size_t)n_buckets + 1) * sizeof *begins);
        rp__section_writer_put(out, docids, (size_t)t->n * sizeof *docids);
        rp__section_writer_end(out);
    }
    rp__free(begins);
    rp__free(docids);
    return has_memory ? RP_OK : RP_NO_MEMORY;
}

void rp__id_table_reset(rp__id_table *t)
{
    rp__free(t->halves);
    *t = (rp__id_table){0};
}

/* ---- Reading --------------------------------------------------------------------------------- */

rp_status rp__id_table_open(rp__doctable *docs, const rp__section_file *file, rp_error *err)
{
    const uint8_t *at;
    size_t bytes, n_buckets = buckets_of(docs->n_docs);
    if (!rp__section_file_has(file, RP_SECTION_DOC_ID_TABLE))
        return RP_OK;
    rp_status status = rp__section_file_get(file, RP_SECTION_DOC_ID_TABLE, &at, &bytes, err);
    if (status != RP_OK)
        return status;
    if (bytes != (n_buckets + 1 + docs->n_docs) * sizeof(uint32_t))
        return rp__error_set(err, RP_DAMAGED,
                             "%s: its table of ids does not fit; build the index again",
                             rp__section_file_name(file));
    docs->id_buckets = (const uint32_t *)(const void *)at;
    docs->id_docids = docs->id_buckets + n_buckets + 1;
    return RP_OK;
}

static rp_status compare(const rp__doctable *docs, uint32_t docid, const char *id, size_t bytes)
{
    const char *own;
    size_t own_bytes;
    if (rp__doctable_id(docs, docid, &own, &own_bytes) != RP_OK)
        return RP_DAMAGED;
    return own_bytes == bytes && memcmp(own, id, bytes) == 0 ? RP_OK : RP_NOT_FOUND;
}

static rp_status find_by_reading(const rp__doctable *docs, const char *id, size_t bytes,
                                 uint32_t *docid)
{
    rp_status status = RP_NOT_FOUND;
    for (*docid = 0; *docid < docs->n_docs; ++*docid) {
        status = compare(docs, *docid, id, bytes);
        if (status != RP_NOT_FOUND)
            break;
    }
    return status;
}

rp_status rp__id_table_find(const rp__doctable *docs, const char *id, size_t bytes, uint32_t *docid)
{
    if (!docs->id_buckets)
        return find_by_reading(docs, id, bytes, docid);
    uint32_t bucket = bucket_of(half_of(id, bytes), docs->n_docs);
    uint32_t begin = docs->id_buckets[bucket], end = docs->id_buckets[bucket + 1];
    if (begin > end || end > docs->n_docs)
        return RP_DAMAGED;
    for (uint32_t i = begin; i < end; i++) {
        *docid = docs->id_docids[i];
        rp_status status = compare(docs, *docid, id, bytes);
        if (status != RP_NOT_FOUND)
            return status;
    }
    return RP_NOT_FOUND;
}

rp_status rp__id_table_check(const rp__doctable *docs)
{
    for (uint32_t d = 0; docs->id_buckets && d < docs->n_docs; d++) {
        const char *id;
        size_t bytes;
        uint32_t found;
        if (rp__doctable_id(docs, d, &id, &bytes) != RP_OK)
            continue; /* which is a fault of its own */
        if (rp__id_table_find(docs, id, bytes, &found) != RP_OK || found != d)
            return RP_DAMAGED;
    }
    return RP_OK;
}
