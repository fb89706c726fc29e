/* doctable.c: reads ids, lengths and stored text; checks each number where it is used. */
#include "index/doctable.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "index/id_table.h"
#include "index/text_reader.h"

static rp_status damaged(const rp__section_file *file, rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED,
                         "%s: its parts do not fit the number of documents; build the index again",
                         rp__section_file_name(file));
}

static rp_status open_lengths(rp__doctable *t, const rp__section_file *docs, rp_error *err)
{
    const uint8_t *codes, *table;
    size_t codes_bytes, table_bytes;
    rp_status status;
    if ((status = rp__section_file_get(docs, RP_SECTION_DOC_LENGTH_CODES, &codes, &codes_bytes,
                                       err)) != RP_OK ||
        (status = rp__section_file_get(docs, RP_SECTION_DOC_LENGTHS, &table, &table_bytes, err)) !=
            RP_OK)
        return status;
    uint64_t n_table = table_bytes / sizeof(uint32_t);
    uint32_t code_bytes = n_table <= 256 ? 1 : n_table <= 65536 ? 2 : 4;
    if (codes_bytes != (size_t)t->n_docs * code_bytes || table_bytes % sizeof(uint32_t) != 0 ||
        n_table > t->n_docs || (n_table == 0 && t->n_docs > 0))
        return damaged(docs, err);
    t->lengths = (rp__lengths){.codes = codes,
                               .code_bytes = code_bytes,
                               .n_docs = t->n_docs,
                               .n_table = (uint32_t)n_table,
                               .table = (const uint32_t *)(const void *)table};
    return RP_OK;
}

static rp_status open_text(rp__doctable *t, const rp__section_file *text, rp_error *err)
{
    const uint8_t *index;
    size_t bytes;
    rp_status status;
    if ((status = rp__section_file_get(text, RP_SECTION_TEXT_BLOCKS, &t->text, &t->text_bytes,
                                       err)) != RP_OK ||
        (status = rp__section_file_get(text, RP_SECTION_TEXT_INDEX, &index, &bytes, err)) != RP_OK)
        return status;
    if (bytes < sizeof(rp__text_block) || bytes % sizeof(rp__text_block) != 0)
        return damaged(text, err);
    t->n_text_blocks = bytes / sizeof(rp__text_block) - 1;
    t->text_index = (const rp__text_block *)(const void *)index;
    return t->n_text_blocks <= t->n_docs ? RP_OK : damaged(text, err);
}

rp_status rp__doctable_open(rp__doctable *t, const rp__section_file *docs,
                            const rp__section_file *text, uint32_t n_docs, rp_error *err)
{
    const uint8_t *ids, *bases, *offsets;
    size_t bases_bytes, offsets_bytes;
    rp_status status;
    *t = (rp__doctable){.n_docs = n_docs};
    if ((status = rp__section_file_get(docs, RP_SECTION_DOC_IDS, &ids, &t->ids_bytes, err)) !=
            RP_OK ||
        (status = rp__section_file_get(docs, RP_SECTION_DOC_ID_BASES, &bases, &bases_bytes, err)) !=
            RP_OK ||
        (status = rp__section_file_get(docs, RP_SECTION_DOC_ID_OFFSETS, &offsets, &offsets_bytes,
                                       err)) != RP_OK)
        return status;
    t->ids = (const char *)ids;
    t->id_bases = (const uint64_t *)(const void *)bases;
    t->id_offsets = (const uint32_t *)(const void *)offsets;
    if (bases_bytes != (n_docs / RP_DOC_ID_STRIDE + 1) * sizeof(uint64_t) ||
        offsets_bytes != ((size_t)n_docs + 1) * sizeof(uint32_t))
        return damaged(docs, err);
    status = open_lengths(t, docs, err);
    if (status == RP_OK)
        status = rp__id_table_open(t, docs, err);
    return status == RP_OK && text ? open_text(t, text, err) : status;
}

static uint64_t id_begin(const rp__doctable *t, uint32_t docid)
{
    return t->id_bases[docid / RP_DOC_ID_STRIDE] + t->id_offsets[docid];
}

void rp__doctable_expect_place(const rp__doctable *t, uint32_t docid)
{
    if (docid < t->n_docs)
        __builtin_prefetch(&t->id_offsets[docid]);
}

void rp__doctable_expect_id(const rp__doctable *t, uint32_t docid)
{
    if (docid < t->n_docs && id_begin(t, docid) < t->ids_bytes)
        __builtin_prefetch(t->ids + id_begin(t, docid));
}

rp_status rp__doctable_id(const rp__doctable *t, uint32_t docid, const char **id, size_t *bytes)
{
    if (docid >= t->n_docs)
        return RP_NOT_FOUND;
    uint64_t begin = id_begin(t, docid), end = id_begin(t, docid + 1);
    if (begin > end || end > t->ids_bytes || end - begin > RP_DOC_ID_MAX)
        return RP_DAMAGED;
    *id = t->ids + begin;
    *bytes = (size_t)(end - begin);
    return RP_OK;
}

/* The block that holds a document: the last one whose first docid is not above it. */
size_t rp__doctable_find(const rp__doctable *t, uint32_t docid)
{
    size_t low = 0, high = t->n_text_blocks;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (t->text_index[mid].first_docid <= docid)
            low = mid;
        else
            high = mid;
    }
    return low;
}

typedef struct find_job {
    const rp__doctable *t;
    uint32_t docid;
    size_t block;
} find_job;

static rp_status run_find(void *arg)
{
    find_job *job = arg;
    job->block = rp__doctable_find(job->t, job->docid);
    return RP_OK;
}

/* n bytes of the block, with a NUL behind; NULL: no memory. */
static rp_status read_string(rp__text_reader *r, uint64_t n, char **out)
{
    *out = rp__alloc((size_t)n + 1);
    if (!*out)
        return RP_NO_MEMORY;
    (*out)[n] = 0;
    return rp__text_reader_read(r, *out, n);
}

static rp_status read_text(rp__text_reader *r, uint32_t docid, uint64_t max_bytes,
                           rp__doc_text *out)
{
    uint64_t title, text;
    rp_status status = rp__text_reader_seek(r, docid, &title, &text);
    if (status != RP_OK)
        return status;
    out->title_bytes = (size_t)(title < max_bytes ? title : max_bytes);
    out->text_bytes = (size_t)(text < max_bytes ? text : max_bytes);
    status = read_string(r, out->title_bytes, &out->title);
    if (status == RP_OK)
        status = rp__text_reader_read(r, NULL, title - out->title_bytes);
    return status == RP_OK ? read_string(r, out->text_bytes, &out->text) : status;
}

static rp_status no_text(rp__doc_text *out)
{
    out->title = rp__alloc_zero(1, 1);
    out->text = rp__alloc_zero(1, 1);
    return out->title && out->text ? RP_OK : RP_NO_MEMORY;
}

void rp__doctable_text_free(rp__doc_text *text)
{
    rp__free(text->title);
    rp__free(text->text);
    *text = (rp__doc_text){0};
}

rp_status rp__doctable_text(const rp__doctable *t, uint32_t docid, rp__zblock *z,
                            uint64_t max_bytes, rp__doc_text *out)
{
    find_job job = {.t = t, .docid = docid};
    rp__text_reader *r = NULL;
    *out = (rp__doc_text){0};
    if (docid >= t->n_docs)
        return RP_NOT_FOUND;
    rp_status status = t->text ? rp__mapping_guard(run_find, &job) : no_text(out);
    if (status == RP_OK && t->text)
        status = rp__text_reader_open(t, z, job.block, &r, NULL);
    if (r)
        status = read_text(r, docid, max_bytes, out);
    rp__text_reader_close(r);
    if (status != RP_OK)
        rp__doctable_text_free(out);
    return status;
}
