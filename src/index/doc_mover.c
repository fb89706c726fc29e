/* doc_mover.c: ids, lengths and stored text of documents in another order.
 *
 * Ids and lengths stream from the mapping to the new file. Text lies in packed blocks of several
 * documents, which an order may ask for one by one: blocks stay unpacked, first in, first out, as long as
 * memory lasts. A long document is unpacked straight into its new block.
 * Invariant: what is mapped is read under the guard, and nothing is written there. */
#include "index/doc_mover.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "index/id_table.h"
#include "index/text_reader.h"

enum { CHUNK = 1 << 18 }; /* bytes that are gathered before they are written */

static rp_status damaged(const rp__doc_mover *m, rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED, "%s: the index is damaged; run 'riposte check %s'",
                         m->from->folder.path, m->from->folder.path);
}

static rp_status tell(const rp__doc_mover *m, uint64_t bytes, rp_error *err)
{
    if (m->goes_on(m->arg, bytes))
        return RP_OK;
    return rp__error_set(err, RP_INTERRUPTED, "interrupted; nothing was changed");
}

/* ---- Ids and lengths --------------------------------------------------------------------------- */

typedef struct id_move {
    const rp__doc_mover *m;
    rp__buf chunk; /* ids, one after the other */
    rp__id_table table;
    rp__buf bases;
    uint32_t *offsets; /* one a document and one more */
    uint64_t written;  /* bytes of the ids before the chunk */
    uint64_t base;     /* of the documents that are being taken */
    uint32_t next;     /* document, in the new order */
} id_move;

uint64_t rp__doc_mover_bytes(uint32_t n_docs)
{
    return ((uint64_t)n_docs + 1) * sizeof(uint32_t) + rp__id_table_bytes(n_docs) + 4 * CHUNK;
}

static void begin_document(id_move *v)
{
    uint64_t at = v->written + v->chunk.n;
    if (v->next % RP_DOC_ID_STRIDE == 0) {
        rp__buf_put_u64(&v->bases, at);
        v->base = at;
    }
    v->offsets[v->next] = (uint32_t)(at - v->base);
}

static rp_status run_gather_ids(void *arg)
{
    id_move *v = arg;
    const rp__doctable *docs = &v->m->from->docs;
    for (; v->next < docs->n_docs && v->chunk.n < CHUNK; v->next++) {
        const char *id;
        size_t bytes;
        rp_status status = rp__doctable_id(docs, v->m->order[v->next], &id, &bytes);
        if (status != RP_OK || bytes > RP_DOC_ID_MAX)
            return RP_DAMAGED;
        begin_document(v);
        rp__id_table_add(&v->table, id, bytes);
        rp__buf_put(&v->chunk, id, bytes);
    }
    return RP_OK;
}

static rp_status move_ids(id_move *v, rp__section_writer *out, rp_error *err)
{
    uint32_t n = v->m->from->docs.n_docs;
    v->offsets = rp__alloc_array((size_t)n + 1, sizeof *v->offsets);
    if (!v->offsets || rp__id_table_init(&v->table, n) != RP_OK)
        return rp__error_no_memory(err);
    rp__section_writer_offer(out, RP_OPTIONAL_ID_TABLE);
    rp__section_writer_begin(out, RP_SECTION_DOC_IDS);
    while (v->next < n) {
        if (rp__mapping_guard(run_gather_ids, v) != RP_OK)
            return damaged(v->m, err);
        if (v->chunk.failed || v->bases.failed)
            return rp__error_no_memory(err);
        rp__section_writer_put(out, v->chunk.at, v->chunk.n);
        rp_status status = tell(v->m, v->chunk.n, err);
        if (status != RP_OK)
            return status;
        v->written += v->chunk.n;
        v->chunk.n = 0;
    }
    rp__section_writer_end(out);
    begin_document(v); /* the entry behind the last */
    rp__section_writer_begin(out, RP_SECTION_DOC_ID_BASES);
    rp__section_writer_put(out, v->bases.at, v->bases.n);
    rp__section_writer_end(out);
    rp__section_writer_begin(out, RP_SECTION_DOC_ID_OFFSETS);
    rp__section_writer_put(out, v->offsets, ((size_t)n + 1) * sizeof *v->offsets);
    rp__section_writer_end(out);
    return v->bases.failed ? rp__error_no_memory(err) : RP_OK;
}

/* A chunk of length codes after the other, then the table, which depends on no order. */
typedef struct length_move {
    const rp__doc_mover *m;
    rp__buf chunk;
    uint32_t next;
} length_move;

static rp_status run_gather_lengths(void *arg)
{
    length_move *v = arg;
    const rp__lengths *l = &v->m->from->docs.lengths;
    for (; v->next < l->n_docs && v->chunk.n < CHUNK; v->next++)
        rp__buf_put(&v->chunk,
                    (const uint8_t *)l->codes + (size_t)v->m->order[v->next] * l->code_bytes,
                    l->code_bytes);
    return RP_OK;
}

static rp_status run_gather_table(void *arg)
{
    length_move *v = arg;
    const rp__lengths *l = &v->m->from->docs.lengths;
    uint32_t left = l->n_table - v->next, most = CHUNK / sizeof *l->table;
    uint32_t n = left < most ? left : most;
    rp__buf_put(&v->chunk, l->table + v->next, n * sizeof *l->table);
    v->next += n;
    return RP_OK;
}

static rp_status put_gathered(length_move *v, rp_status (*gather)(void *), rp__section_writer *out,
                              rp_error *err)
{
    v->chunk.n = 0;
    if (rp__mapping_guard(gather, v) != RP_OK)
        return damaged(v->m, err);
    if (v->chunk.failed)
        return rp__error_no_memory(err);
    rp__section_writer_put(out, v->chunk.at, v->chunk.n);
    return tell(v->m, v->chunk.n, err);
}

static rp_status move_lengths(length_move *v, rp__section_writer *out, rp_error *err)
{
    rp_status status = RP_OK;
    rp__section_writer_begin(out, RP_SECTION_DOC_LENGTH_CODES);
    while (status == RP_OK && v->next < v->m->from->docs.n_docs)
        status = put_gathered(v, run_gather_lengths, out, err);
    rp__section_writer_end(out);
    rp__section_writer_begin(out, RP_SECTION_DOC_LENGTHS);
    v->next = 0;
    while (status == RP_OK && v->next < v->m->from->docs.lengths.n_table)
        status = put_gathered(v, run_gather_table, out, err);
    rp__section_writer_end(out);
    return status;
}

static rp_status finish_file(const rp__doc_mover *m, rp__file_kind kind, rp__section_writer *out,
                             rp_status status, rp_error *err)
{
    rp__meta_file *file = &m->draft->manifest.meta.files[kind];
    if (status == RP_OK)
        return rp__section_writer_finish(out, &file->bytes, &file->checksum, err);
    rp__section_writer_abandon(out);
    return status;
}

static rp_status begin_file(const rp__doc_mover *m, rp__file_kind kind, rp__section_writer **out,
                            rp_error *err)
{
    char name[RP_FILE_NAME_MAX];
    rp__draft_name(m->draft, kind, name);
    return rp__section_writer_new(&m->draft->folder, name, (uint32_t)kind, out, err);
}

static rp_status move_docs(const rp__doc_mover *m, rp_error *err)
{
    id_move ids = {.m = m};
    length_move lengths = {.m = m};
    rp__section_writer *out;
    rp_status status = begin_file(m, RP_FILE_DOCS, &out, err);
    if (status != RP_OK)
        return status;
    status = move_ids(&ids, out, err);
    if (status == RP_OK)
        status = move_lengths(&lengths, out, err);
    if (status == RP_OK && rp__id_table_write(&ids.table, out) != RP_OK)
        status = rp__error_no_memory(err);
    rp__id_table_reset(&ids.table);
    rp__buf_free(&ids.chunk);
    rp__buf_free(&ids.bases);
    rp__free(ids.offsets);
    rp__buf_free(&lengths.chunk);
    return finish_file(m, RP_FILE_DOCS, out, status, err);
}

/* ---- Text -------------------------------------------------------------------------------------- */

typedef struct text_move {
    const rp__doc_mover *m;
    rp__zblock *z;
    rp__text_reader **readers; /* by number of the block; NULL: not unpacked */
    uint32_t *kept;            /* a ring of the numbers of those that are, oldest first */
    size_t first, n_kept;
    uint64_t bytes, room; /* of unpacked blocks, and the most of them */
    rp__text_packer packer;
    rp__buf packed, index;
    uint64_t offset; /* bytes of packed blocks */
    size_t found;    /* by run_find */
    uint32_t docid;
} text_move;

static rp_status run_find(void *arg)
{
    text_move *v = arg;
    v->found = rp__doctable_find(&v->m->from->docs, v->docid);
    return RP_OK;
}

static void forget_oldest(text_move *v)
{
    rp__text_reader **reader = &v->readers[v->kept[v->first]];
    v->bytes -= rp__text_reader_memory(*reader);
    rp__text_reader_close(*reader);
    *reader = NULL;
    v->first = (v->first + 1) % v->m->from->docs.n_text_blocks;
    v->n_kept--;
}

/* The block of v->docid, unpacked before or now. */
static rp_status get_reader(text_move *v, rp__text_reader **out)
{
    const rp__doctable *docs = &v->m->from->docs;
    if (docs->n_text_blocks == 0 || rp__mapping_guard(run_find, v) != RP_OK)
        return RP_DAMAGED;
    *out = v->readers[v->found];
    return *out ? RP_OK : rp__text_reader_open(docs, v->z, v->found, out, NULL);
}

/* Keeps a block that is unpacked as a whole; of a larger one, few documents can be asked for again. */
static void keep_reader(text_move *v, rp__text_reader *reader)
{
    if (!reader || v->readers[v->found] == reader)
        return;
    if (!rp__text_reader_is_whole(reader)) {
        rp__text_reader_close(reader);
        return;
    }
    while (v->n_kept > 0 && v->bytes > v->room)
        forget_oldest(v);
    v->bytes += rp__text_reader_memory(reader);
    v->readers[v->found] = reader;
    v->kept[(v->first + v->n_kept++) % v->m->from->docs.n_text_blocks] = (uint32_t)v->found;
}

static bool has_room(const text_move *v, uint64_t bytes)
{
    return rp__alloc_in_use() + bytes + rp__alloc_slack(v->m->memory) <= v->m->memory;
}

/* A long document is in memory twice: as it is and packed. Blocks that are kept make way for it. */
static rp_status make_room(text_move *v, uint64_t bytes, rp_error *err)
{
    uint64_t need = 2 * (bytes + RP_TEXT_BLOCK), held = v->packer.text.cap + v->packed.cap;
    if (bytes < RP_TEXT_BLOCK || need <= held)
        return RP_OK;
    while (v->n_kept > 0 && !has_room(v, need - held))
        forget_oldest(v);
    if (has_room(v, need - held))
        return RP_OK;
    uint64_t enough = (rp__alloc_in_use() + need - held + rp__alloc_slack(0)) / 15 * 16;
    return rp__error_set(err, RP_NO_MEMORY,
                         "the text of document %u has %llu bytes, which do not fit in memory; give "
                         "--memory %lluM",
                         v->docid, (unsigned long long)bytes,
                         (unsigned long long)(enough >> 20) + 1);
}

static rp_status write_block(text_move *v, rp__section_writer *out, rp_error *err)
{
    rp__text_block block = {.offset = v->offset, .first_docid = v->packer.first_docid};
    if (rp__text_packer_is_empty(&v->packer))
        return RP_OK;
    v->packed.n = 0;
    if (rp__text_packer_pack(&v->packer, v->z, &v->packed, &block.raw_bytes) != RP_OK)
        return rp__error_no_memory(err);
    rp__section_writer_put(out, v->packed.at, v->packed.n);
    rp__buf_put(&v->index, &block, sizeof block);
    v->offset += v->packed.n;
    return v->index.failed ? rp__error_no_memory(err) : tell(v->m, v->packed.n, err);
}

static rp_status fail_to_read(const text_move *v, rp_status status, rp_error *err)
{
    return status == RP_NO_MEMORY ? rp__error_no_memory(err) : damaged(v->m, err);
}

/* Unpacks the document into the block that is being filled. */
static rp_status take_document(text_move *v, uint32_t i, rp__text_reader *reader, rp_error *err)
{
    uint64_t title, text;
    rp_status status = rp__text_reader_seek(reader, v->docid, &title, &text);
    if (status != RP_OK)
        return fail_to_read(v, status, err);
    status = make_room(v, title + text, err);
    if (status != RP_OK)
        return status;
    uint8_t *to = rp__text_packer_extend(&v->packer, i, title, text);
    if (!to)
        return rp__error_no_memory(err);
    status = rp__text_reader_read(reader, to, title + text);
    return status == RP_OK ? RP_OK : fail_to_read(v, status, err);
}

static rp_status move_document(text_move *v, uint32_t i, rp__section_writer *out, rp_error *err)
{
    rp__text_reader *reader = NULL;
    v->docid = v->m->order[i];
    rp_status status = get_reader(v, &reader);
    if (status != RP_OK)
        return fail_to_read(v, status, err);
    status = take_document(v, i, reader, err);
    keep_reader(v, reader);
    if (status != RP_OK)
        return status;
    return rp__text_packer_is_full(&v->packer) ? write_block(v, out, err) : RP_OK;
}

static rp_status move_documents(text_move *v, rp__section_writer *out, rp_error *err)
{
    uint32_t n = v->m->from->docs.n_docs;
    rp_status status = RP_OK;
    rp__section_writer_begin(out, RP_SECTION_TEXT_BLOCKS);
    for (uint32_t i = 0; i < n && status == RP_OK; i++)
        status = move_document(v, i, out, err);
    if (status == RP_OK)
        status = write_block(v, out, err);
    rp__section_writer_end(out);
    rp__text_block end = {v->offset, n, 0};
    rp__buf_put(&v->index, &end, sizeof end);
    rp__section_writer_begin(out, RP_SECTION_TEXT_INDEX);
    rp__section_writer_put(out, v->index.at, v->index.n);
    rp__section_writer_end(out);
    return status == RP_OK && v->index.failed ? rp__error_no_memory(err) : status;
}

/* Half of what is left keeps blocks; the rest is for what a long document needs. */
static rp_status begin_text(text_move *v, rp_error *err)
{
    size_t n = v->m->from->docs.n_text_blocks;
    if (!has_room(v, n * (sizeof *v->readers + sizeof *v->kept + 2 * sizeof(rp__text_block))))
        return rp__error_set(err, RP_NO_MEMORY,
                             "%zu blocks of stored text do not fit in memory; give more --memory",
                             n);
    v->readers = rp__alloc_zero(n, sizeof(rp__text_reader *));
    v->kept = rp__alloc_array(n, sizeof *v->kept);
    if (!v->readers || !v->kept || rp__zblock_new(&v->z) != RP_OK)
        return rp__error_no_memory(err);
    uint64_t taken = rp__alloc_in_use() + rp__alloc_slack(v->m->memory);
    v->room = v->m->memory > taken ? (v->m->memory - taken) / 2 : 0;
    return RP_OK;
}

static void end_text(text_move *v)
{
    while (v->n_kept > 0)
        forget_oldest(v);
    rp__zblock_free(v->z);
    rp__free(v->readers);
    rp__free(v->kept);
    rp__text_packer_reset(&v->packer);
    rp__buf_free(&v->packed);
    rp__buf_free(&v->index);
}

static rp_status move_text(const rp__doc_mover *m, rp_error *err)
{
    text_move v = {.m = m};
    rp__section_writer *out;
    rp_status status = begin_file(m, RP_FILE_TEXT, &out, err);
    if (status != RP_OK)
        return status;
    status = begin_text(&v, err);
    if (status == RP_OK)
        status = move_documents(&v, out, err);
    end_text(&v);
    return finish_file(m, RP_FILE_TEXT, out, status, err);
}

rp_status rp__doc_mover_run(const rp__doc_mover *m, rp_error *err)
{
    rp_status status = move_docs(m, err);
    return status == RP_OK && m->from->docs.text ? move_text(m, err) : status;
}
