/* doctable.c: reads ids, lengths and stored text; checks each number where it is used. */
#include "index/doctable.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"

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
    if (begin > end || end > t->ids_bytes)
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

rp_status rp__doctable_cut(const rp__doctable_block *block, uint32_t docid, rp__buf *buf,
                           size_t *title_bytes)
{
    const uint8_t *p = block->raw, *end = p + block->raw_bytes;
    uint32_t skip = docid - block->first;
    uint64_t before = 0, title = 0, text = 0;
    for (uint32_t i = 0; i < block->n; i++) {
        uint64_t a, b;
        if (!rp__bits_varint(&p, end, &a) || !rp__bits_varint(&p, end, &b) ||
            a > block->raw_bytes || b > block->raw_bytes)
            return RP_DAMAGED;
        if (i < skip)
            before += a + b;
        if (i == skip) {
            title = a;
            text = b;
        }
    }
    if (before > (uint64_t)(end - p) || title + text > (uint64_t)(end - p) - before)
        return RP_DAMAGED;
    rp__buf_put(buf, p + before, (size_t)(title + text));
    *title_bytes = (size_t)title;
    return buf->failed ? RP_NO_MEMORY : RP_OK;
}

/* The packed bytes are copied out of the mapping first: zstd must not be left halfway by the guard. */
typedef struct fetch_job {
    const rp__doctable *t;
    uint32_t docid, first, n, raw_bytes;
    rp__buf packed;
} fetch_job;

static rp_status run_fetch(void *arg)
{
    fetch_job *job = arg;
    const rp__doctable *t = job->t;
    size_t b = rp__doctable_find(t, job->docid);
    rp__text_block block = t->text_index[b], next = t->text_index[b + 1];
    if (block.first_docid > job->docid || next.first_docid <= job->docid ||
        next.first_docid > t->n_docs || block.offset > next.offset || next.offset > t->text_bytes)
        return RP_DAMAGED;
    job->first = block.first_docid;
    job->n = next.first_docid - block.first_docid;
    job->raw_bytes = block.raw_bytes;
    /* A block packs by less than 33,000 to 1, so a size beyond that is damage, not a bomb to try. */
    if (block.raw_bytes / 40000 > next.offset - block.offset)
        return RP_DAMAGED;
    rp__buf_put(&job->packed, t->text + block.offset, (size_t)(next.offset - block.offset));
    return job->packed.failed ? RP_NO_MEMORY : RP_OK;
}

rp_status rp__doctable_load(const rp__doctable *t, uint32_t docid, rp__zblock *z,
                            rp__doctable_block *out)
{
    *out = (rp__doctable_block){0};
    if (t->n_text_blocks == 0)
        return RP_DAMAGED;
    fetch_job job = {.t = t, .docid = docid};
    rp_status status = rp__mapping_guard(run_fetch, &job);
    uint8_t *raw = status == RP_OK ? rp__alloc(job.raw_bytes) : NULL;
    if (status == RP_OK && !raw)
        status = RP_NO_MEMORY;
    if (status == RP_OK)
        status = rp__zblock_unpack(z, job.packed.at, job.packed.n, raw, job.raw_bytes);
    rp__buf_free(&job.packed);
    *out = (rp__doctable_block){job.first, job.n, job.raw_bytes, raw};
    return status;
}

rp_status rp__doctable_text(const rp__doctable *t, uint32_t docid, rp__zblock *z, rp__buf *buf,
                            size_t *title_bytes)
{
    rp__doctable_block block;
    *title_bytes = 0;
    if (docid >= t->n_docs)
        return RP_NOT_FOUND;
    if (!t->text)
        return RP_OK;
    rp_status status = rp__doctable_load(t, docid, z, &block);
    if (status == RP_OK)
        status = rp__doctable_cut(&block, docid, buf, title_bytes);
    rp__free(block.raw);
    return status;
}
