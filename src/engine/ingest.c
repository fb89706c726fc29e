/* ingest.c: runs the analyzer over a document, gives its tokens to the segment builder, and packs its
 * text. Title and text are one sequence of positions with a hole between, so no phrase spans both. The
 * text is packed first: what that takes of the budget is known when the inverter asks for its share. */
#include "engine/ingest.h"

#include "base/alloc.h"
#include "base/error.h"

enum { KEEP_BYTES = 256 << 10 }; /* packed text of more is given back when it is written */

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

uint64_t rp__ingest_store_bytes(uint64_t bytes)
{
    enum { PACKER_BYTES = 1 << 20 }; /* what zstd takes for itself, for a large block */
    return 2 * bytes + bytes / 128 + PACKER_BYTES;
}

/* A token that waits until there is room for it. */
static rp_status add_later(rp__ingest *in, uint32_t docid, const rp__token *token,
                           uint32_t position, rp_error *err)
{
    rp_status status = rp__segment_builder_make_room(in->builder, in->worker, err);
    return status != RP_OK ? status
                           : rp__segment_builder_token(in->builder, in->worker, docid, token->term,
                                                       token->bytes, position);
}

/* Returns through *position where the next field begins. */
static rp_status add_field(rp__ingest *in, uint32_t docid, const char *text, size_t bytes,
                           uint32_t *position, uint32_t *length, rp_error *err)
{
    rp__token token;
    rp__analyzer_begin(in->analyzer, text, bytes);
    while (rp__analyzer_next(in->analyzer, &token)) {
        rp_status status = rp__segment_builder_token(in->builder, in->worker, docid, token.term,
                                                     token.bytes, *position + token.position);
        if (status != RP_OK)
            status = add_later(in, docid, &token, *position + token.position, err);
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
    uint64_t bytes = doc->title_bytes + doc->text_bytes;
    if (rp__segment_builder_is_large(in->builder, bytes)) {
        rp_status status =
            rp__segment_builder_reserve(in->builder, rp__ingest_store_bytes(bytes), bytes, err);
        if (status != RP_OK)
            return status;
    }
    if (!rp__text_packer_add(&in->open, docid, doc->title, doc->title_bytes, doc->text,
                             doc->text_bytes))
        return rp__error_no_memory(err);
    return rp__text_packer_is_full(&in->open) ? rp__ingest_end_block(in, err) : RP_OK;
}

rp_status rp__ingest_add(rp__ingest *in, uint32_t docid, const rp__doc *doc, rp_error *err)
{
    uint32_t position = 0, length = 0;
    rp_status status = in->has_text ? store_text(in, docid, doc, err) : RP_OK;
    if (status == RP_OK)
        status = add_field(in, docid, doc->title, doc->title_bytes, &position, &length, err);
    if (status == RP_OK)
        status = add_field(in, docid, doc->text, doc->text_bytes, &position, &length, err);
    in->tokens += length;
    return status == RP_OK ? rp__segment_builder_doc_end(in->builder, docid, length, err) : status;
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
    rp__buf_clear(&in->packed, KEEP_BYTES);
    return status;
}
