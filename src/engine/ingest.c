/* ingest.c: runs the analyzer over a document, gives its tokens to the segment builder, and packs its
 * text. Title and text are one sequence of positions with a hole between, so no phrase spans both. */
#include "engine/ingest.h"

#include "base/alloc.h"
#include "base/error.h"

rp_status rp__ingest_init(rp__ingest *in, rp__segment_builder *builder, uint32_t worker,
                          bool has_text, const rp__analyzer *analyzer)
{
    *in = (rp__ingest){.builder = builder, .worker = worker, .has_text = has_text};
    rp_status status = rp__analyzer_state_new(analyzer, &in->analyzer);
    return status == RP_OK && has_text ? rp__zblock_new(&in->zblock) : status;
}

void rp__ingest_reset(rp__ingest *in)
{
    rp__analyzer_state_free(in->analyzer);
    rp__zblock_free(in->zblock);
    rp__text_packer_reset(&in->open);
    rp__buf_free(&in->packed);
    rp__free(in->blocks);
    *in = (rp__ingest){0};
}

/* Returns through *position where the next field begins. */
static rp_status add_field(rp__ingest *in, uint32_t docid, const char *text, size_t bytes,
                           uint32_t *position, uint32_t *length)
{
    rp__token token;
    rp__analyzer_begin(in->analyzer, text, bytes);
    while (rp__analyzer_next(in->analyzer, &token)) {
        rp_status status = rp__segment_builder_token(in->builder, in->worker, docid, token.term,
                                                     token.bytes, *position + token.position);
        if (status != RP_OK)
            return status;
        ++*length;
    }
    uint32_t words = rp__analyzer_positions(in->analyzer);
    *position += words ? words + 1 : 0;
    return RP_OK;
}

static rp_status store_text(rp__ingest *in, uint32_t docid, const rp__doc *doc, rp_error *err)
{
    if (!rp__text_packer_add(&in->open, docid, doc->title, doc->title_bytes, doc->text,
                             doc->text_bytes))
        return rp__error_no_memory(err);
    return rp__text_packer_is_full(&in->open) ? rp__ingest_end_block(in, err) : RP_OK;
}

rp_status rp__ingest_add(rp__ingest *in, uint32_t docid, const rp__doc *doc, rp_error *err)
{
    uint32_t position = 0, length = 0;
    if (add_field(in, docid, doc->title, doc->title_bytes, &position, &length) != RP_OK ||
        add_field(in, docid, doc->text, doc->text_bytes, &position, &length) != RP_OK)
        return rp__error_no_memory(err);
    in->tokens += length;
    rp_status status = rp__segment_builder_doc_end(in->builder, in->worker, docid, length, err);
    return status == RP_OK && in->has_text ? store_text(in, docid, doc, err) : status;
}

rp_status rp__ingest_end_block(rp__ingest *in, rp_error *err)
{
    uint32_t first_docid = in->open.first_docid, raw_bytes;
    size_t before = in->packed.n;
    if (rp__text_packer_is_empty(&in->open))
        return RP_OK;
    if (!rp__alloc_grow(&in->blocks, &in->cap_blocks, in->n_blocks + 1, sizeof *in->blocks) ||
        rp__text_packer_pack(&in->open, in->zblock, &in->packed, &raw_bytes) != RP_OK)
        return rp__error_no_memory(err);
    in->blocks[in->n_blocks++] = (rp__packed_block){.first_docid = first_docid,
                                                    .raw_bytes = raw_bytes,
                                                    .offset = before,
                                                    .bytes = in->packed.n - before};
    return RP_OK;
}

rp_status rp__ingest_write_blocks(rp__ingest *in, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < in->n_blocks && status == RP_OK; i++) {
        const rp__packed_block *block = &in->blocks[i];
        status = rp__segment_builder_text(in->builder, block->first_docid, block->raw_bytes,
                                          in->packed.at + block->offset, block->bytes, err);
    }
    in->n_blocks = 0;
    in->packed.n = 0;
    return status;
}
