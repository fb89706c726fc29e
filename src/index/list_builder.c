/* list_builder.c: a segment of lists that are told, without text or positions.
 *
 * A batch holds the postings and the bytes of some lists whose terms follow each other. Its memory is had
 * before its first list, but for its text. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "index/aux_writer.h"
#include "index/coding.h"
#include "index/dictionary.h"
#include "index/doctable_given.h"
#include "index/draft.h"
#include "index/list_coder.h"
#include "index/norms.h"
#include "index/tiny.h"

struct rp__list_builder {
    rp__draft draft;
    rp__doctable_given docs;
    rp__coding coding;
    float *norms;
    rp__list_coder sizes; /* never encodes: it knows how large things get */
    rp__dictionary_writer *dictionary;
    rp__section_writer *lists;
    rp__aux_writer *aux; /* NULL: none */
    uint64_t postings;
    uint64_t begun; /* clock */
};

typedef struct item {
    rp__term entry;
    size_t text; /* where its term begins in the batch's text; a tiny list's bytes follow */
    uint32_t bytes;
} item;

struct rp__list_batch {
    rp__list_coder coder;
    uint64_t n_docs; /* of the index */
    uint32_t *docids, *tfs;
    uint8_t *encoded;
    uint64_t n;  /* postings so far */
    size_t used; /* of encoded */
    rp__buf text;
    item *items;
    size_t n_items;
};

/* ---- Beginning --------------------------------------------------------------------------------- */

static rp_status write_docs(rp__list_builder *b, const rp__doc_source *docs, rp_error *err)
{
    char name[RP_FILE_NAME_MAX];
    rp__meta *meta = &b->draft.manifest.meta;
    if (rp__doctable_given_init(&b->docs, docs) != RP_OK)
        return rp__error_no_memory(err);
    meta->docs = docs->n;
    meta->tokens = b->docs.tokens;
    meta->max_length = b->docs.table[b->docs.lengths.n_table - 1];
    rp__draft_name(&b->draft, RP_FILE_DOCS, name);
    return rp__doctable_given_write(&b->docs, &b->draft.folder, name, &meta->files[RP_FILE_DOCS],
                                    err);
}

static rp_status describe(rp__list_builder *b, rp_error *err)
{
    rp__manifest *m = &b->draft.manifest;
    m->stop_words = rp__alloc_zero(1, 1);
    if (!m->stop_words)
        return rp__error_no_memory(err);
    m->meta.flags = RP_META_GIVEN_LENGTHS;
    snprintf(m->meta.stem, sizeof m->meta.stem, "none");
    snprintf(m->meta.stop, sizeof m->meta.stop, "none");
    rp__coding_describe(&b->coding, m);
    rp__norms_choose(&m->meta);
    return rp__norms_new(m, &b->docs.lengths, &b->norms, err);
}

static rp_status open_outputs(rp__list_builder *b, uint32_t aux, rp_error *err)
{
    char name[RP_FILE_NAME_MAX];
    const rp__folder *folder = &b->draft.folder;
    rp__draft_name(&b->draft, RP_FILE_TERMS, name);
    rp_status status = rp__dictionary_writer_new(folder, name, false, &b->dictionary, err);
    rp__draft_name(&b->draft, RP_FILE_LISTS, name);
    if (status == RP_OK)
        status = rp__section_writer_new(folder, name, RP_FILE_LISTS, &b->lists, err);
    if (status == RP_OK)
        rp__section_writer_begin(b->lists, RP_SECTION_LISTS);
    if (status == RP_OK && aux)
        status = rp__aux_writer_new(folder, aux, b->docs.docs.n, &b->aux, err);
    return status;
}

rp_status rp__list_builder_new(const char *dir, const rp__list_builder_options *o,
                               rp__list_builder **out, rp_error *err)
{
    uint32_t aux = 0;
    rp__list_builder *b = rp__alloc_zero(1, sizeof *b);
    if (!b)
        return rp__error_no_memory(err);
    b->begun = rp__clock_now();
    b->coding = o->coding;
    rp_status status = rp__draft_begin(&b->draft, dir, err);
    if (status == RP_OK)
        status = rp__aux_writer_parse(o->aux, &aux, err);
    if (status == RP_OK)
        status = write_docs(b, &o->docs, err);
    if (status == RP_OK)
        status = describe(b, err);
    if (status == RP_OK)
        status = open_outputs(b, aux, err);
    if (status != RP_OK) {
        rp__list_builder_free(b);
        return status;
    }
    rp__list_coder_init(&b->sizes, &b->coding, &b->docs.lengths, b->norms);
    *out = b;
    return RP_OK;
}

/* ---- Batches ----------------------------------------------------------------------------------- */

void rp__list_builder_plan(const rp__list_builder *b, rp__list_plan *plan, uint32_t n)
{
    plan->postings += n;
    plan->encoded += rp__list_coder_bound(&b->sizes, n);
    plan->longest = n > plan->longest ? n : plan->longest;
    plan->terms++;
}

uint64_t rp__list_builder_need(const rp__list_builder *b, const rp__list_plan *plan)
{
    enum { AUX_BYTES_PER_POSTING = 2, TEXT = 2 * (255 + RP_TINY_BYTES), REST = 1 << 16 };
    uint64_t aux = b->aux ? AUX_BYTES_PER_POSTING * (uint64_t)plan->longest : 0;
    return plan->postings * 2 * sizeof(uint32_t) + plan->encoded + aux +
           rp__list_coder_bytes(&b->sizes, plan->longest) + plan->terms * (sizeof(item) + TEXT) +
           REST;
}

rp_status rp__list_builder_batch_new(const rp__list_builder *b, const rp__list_plan *plan,
                                     rp__list_batch **out)
{
    rp__list_batch *batch = rp__alloc_zero(1, sizeof *batch);
    if (!batch)
        return RP_NO_MEMORY;
    rp__list_coder_init(&batch->coder, &b->coding, &b->docs.lengths, b->norms);
    batch->n_docs = b->docs.docs.n;
    batch->docids =
        rp__alloc_array((size_t)plan->postings + RP_BLOCK_CAPACITY, sizeof *batch->docids);
    batch->tfs = rp__alloc_array((size_t)plan->postings + RP_BLOCK_CAPACITY, sizeof *batch->tfs);
    batch->encoded = rp__alloc((size_t)plan->encoded + RP_PAD);
    batch->items = rp__alloc_array(plan->terms, sizeof *batch->items);
    if (!batch->docids || !batch->tfs || !batch->encoded || !batch->items ||
        !rp__list_coder_reserve(&batch->coder, plan->longest)) {
        rp__list_builder_batch_free(batch);
        return RP_NO_MEMORY;
    }
    *out = batch;
    return RP_OK;
}

void rp__list_builder_batch_free(rp__list_batch *batch)
{
    if (!batch)
        return;
    rp__list_coder_reset(&batch->coder);
    rp__free(batch->docids);
    rp__free(batch->tfs);
    rp__free(batch->encoded);
    rp__buf_free(&batch->text);
    rp__free(batch->items);
    rp__free(batch);
}

void rp__list_builder_room(rp__list_batch *batch, uint32_t **docids, uint32_t **tfs)
{
    *docids = batch->docids + batch->n;
    *tfs = batch->tfs + batch->n;
}

static uint32_t put_tiny(rp__list_batch *batch, const uint32_t *docids, const uint32_t *tfs,
                         uint32_t n)
{
    uint8_t bytes[RP_TINY_BYTES];
    uint32_t used = rp__tiny_put(docids, tfs, n, NULL, batch->n_docs, bytes);
    rp__buf_put(&batch->text, bytes, used);
    return used;
}

rp_status rp__list_builder_add(rp__list_batch *batch, const char *term, size_t bytes, uint32_t n)
{
    const uint32_t *docids = batch->docids + batch->n, *tfs = batch->tfs + batch->n;
    item it = {.entry.df = n, .text = batch->text.n, .bytes = (uint32_t)bytes};
    for (uint32_t i = 0; i < n; i++)
        it.entry.cf += tfs[i];
    rp__buf_put(&batch->text, term, bytes);
    if (n <= RP_TINY_DF) {
        it.entry.tiny_bytes = put_tiny(batch, docids, tfs, n);
    } else {
        size_t used;
        rp_status status = rp__list_coder_encode(&batch->coder, docids, tfs, n, NULL,
                                                 batch->encoded + batch->used, &used);
        if (status != RP_OK)
            return status;
        it.entry.list_bytes = used;
        batch->used += used;
    }
    batch->n += n;
    batch->items[batch->n_items++] = it;
    return batch->text.failed ? RP_NO_MEMORY : RP_OK;
}

rp_status rp__list_builder_write(rp__list_builder *b, const rp__list_batch *batch, rp_error *err)
{
    const uint8_t *list = batch->encoded;
    const uint32_t *docids = batch->docids;
    for (size_t i = 0; i < batch->n_items; i++) {
        const item *it = &batch->items[i];
        const char *term = (const char *)batch->text.at + it->text;
        rp__term entry = it->entry;
        rp_status status = RP_OK;
        if (entry.df <= RP_TINY_DF)
            entry.tiny = (const uint8_t *)term + it->bytes;
        if (b->aux && entry.df > RP_BLOCK)
            status =
                rp__aux_writer_add(b->aux, rp__section_writer_offset(b->lists), docids, entry.df);
        rp__section_writer_put(b->lists, list, entry.list_bytes); /* none of a tiny one */
        if (status == RP_OK)
            status = rp__dictionary_writer_add(b->dictionary, term, it->bytes, &entry);
        if (status != RP_OK)
            return rp__error_no_memory(err);
        list += entry.list_bytes;
        docids += entry.df;
        b->postings += entry.df;
    }
    return RP_OK;
}

/* ---- Finishing --------------------------------------------------------------------------------- */

static rp_status finish_files(rp__list_builder *b, rp_error *err)
{
    rp__meta *meta = &b->draft.manifest.meta;
    rp__meta_file *terms = &meta->files[RP_FILE_TERMS], *lists = &meta->files[RP_FILE_LISTS];
    meta->terms = rp__dictionary_writer_terms(b->dictionary);
    meta->postings = b->postings;
    rp_status status =
        rp__dictionary_writer_finish(b->dictionary, &terms->bytes, &terms->checksum, err);
    if (status != RP_OK)
        return status;
    rp__section_writer_end(b->lists);
    if (b->aux)
        status = rp__aux_writer_finish(b->aux, b->lists, err);
    rp__aux_writer_free(b->aux); /* its files too */
    b->aux = NULL;
    if (status != RP_OK)
        return status;
    status = rp__section_writer_finish(b->lists, &lists->bytes, &lists->checksum, err);
    b->lists = NULL;
    return status;
}

rp_status rp__list_builder_finish(rp__list_builder *b, rp_build_stats *stats, rp_error *err)
{
    const rp__meta *meta = &b->draft.manifest.meta;
    rp_status status = finish_files(b, err);
    if (status == RP_OK)
        status = rp__draft_publish(&b->draft, err);
    if (status == RP_OK && stats)
        *stats = (rp_build_stats){.docs = meta->docs,
                                  .terms = meta->terms,
                                  .postings = meta->postings,
                                  .tokens = meta->tokens,
                                  .bytes_out = rp__draft_bytes(&b->draft),
                                  .memory_peak = rp__alloc_peak(),
                                  .seconds = (double)(rp__clock_now() - b->begun) * 1e-9};
    return status;
}

void rp__list_builder_free(rp__list_builder *b)
{
    if (!b)
        return;
    rp__dictionary_writer_free(b->dictionary);
    rp__section_writer_abandon(b->lists);
    rp__aux_writer_free(b->aux);
    rp__list_coder_reset(&b->sizes);
    rp__free(b->norms);
    rp__doctable_given_reset(&b->docs);
    rp__draft_end(&b->draft);
    rp__free(b);
}
