/* dictionary_writer.c: writes the terms file. Keeps 20 bytes a block in memory. */
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "index/dictionary.h"
#include "index/format.h"
#include "index/term_sort.h"

struct rp__dictionary_writer {
    rp__section_writer *out;
    bool has_positions;
    char last[256];
    uint32_t last_bytes;
    uint64_t n_terms, list_offset, pos_offset;
    uint32_t most; /* documents that a term of the block has */
    rp__buf block, offsets, prefixes, mosts;
};

rp_status rp__dictionary_writer_new(const rp__folder *folder, const char *name, bool has_positions,
                                    rp__dictionary_writer **out, rp_error *err)
{
    rp__dictionary_writer *w = rp__alloc_zero(1, sizeof *w);
    if (!w)
        return rp__error_no_memory(err);
    w->has_positions = has_positions;
    rp_status status = rp__section_writer_new(folder, name, RP_FILE_TERMS, &w->out, err);
    if (status != RP_OK) {
        rp__free(w);
        return status;
    }
    rp__section_writer_offer(w->out, RP_OPTIONAL_TERM_MOST);
    rp__section_writer_begin(w->out, RP_SECTION_TERM_BLOCKS);
    *out = w;
    return RP_OK;
}

static void end_block(rp__dictionary_writer *w)
{
    rp__section_writer_put(w->out, w->block.at, w->block.n);
    w->block.n = 0;
    if (w->n_terms > 0)
        rp__buf_put_u32(&w->mosts, w->most);
    w->most = 0;
}

static void begin_block(rp__dictionary_writer *w, const char *term, uint32_t bytes)
{
    end_block(w);
    rp__buf_put_u64(&w->offsets, rp__section_writer_offset(w->out));
    rp__buf_put_u64(&w->prefixes, rp__term_sort_prefix(term, bytes));
    rp__buf_put_varint(&w->block, w->list_offset / RP_LIST_UNIT);
    rp__buf_put_varint(&w->block, w->pos_offset);
    w->last_bytes = 0;
}

static uint32_t shared_bytes(const rp__dictionary_writer *w, const char *term, uint32_t bytes)
{
    uint32_t most = bytes < w->last_bytes ? bytes : w->last_bytes, n = 0;
    while (n < most && w->last[n] == term[n])
        n++;
    return n;
}

rp_status rp__dictionary_writer_add(rp__dictionary_writer *w, const char *term, uint32_t bytes,
                                    const rp__term *entry)
{
    if (w->n_terms % RP_TERMS_PER_BLOCK == 0)
        begin_block(w, term, bytes);
    uint32_t shared = shared_bytes(w, term, bytes);
    rp__buf_put_byte(&w->block, (uint8_t)shared);
    rp__buf_put_byte(&w->block, (uint8_t)(bytes - shared));
    rp__buf_put(&w->block, term + shared, bytes - shared);
    rp__buf_put_varint(&w->block, (uint64_t)entry->df << 1 | (entry->tiny != NULL));
    rp__buf_put_varint(&w->block, entry->cf - entry->df);
    if (entry->tiny) {
        rp__buf_put_varint(&w->block, entry->tiny_bytes);
        rp__buf_put(&w->block, entry->tiny, entry->tiny_bytes);
    } else {
        rp__buf_put_varint(&w->block, entry->list_bytes / RP_LIST_UNIT);
        if (w->has_positions)
            rp__buf_put_varint(&w->block, entry->pos_bytes);
        w->list_offset += entry->list_bytes;
        w->pos_offset += entry->pos_bytes;
    }
    memcpy(w->last, term, bytes);
    w->last_bytes = bytes;
    w->n_terms++;
    w->most = entry->df > w->most ? entry->df : w->most;
    return w->block.failed || w->offsets.failed || w->prefixes.failed || w->mosts.failed
               ? RP_NO_MEMORY
               : RP_OK;
}

uint64_t rp__dictionary_writer_terms(const rp__dictionary_writer *w)
{
    return w->n_terms;
}

rp_status rp__dictionary_writer_finish(rp__dictionary_writer *w, uint64_t *bytes,
                                       uint64_t *checksum, rp_error *err)
{
    end_block(w);
    rp__buf_put_u64(&w->offsets, rp__section_writer_offset(w->out));
    rp__section_writer_end(w->out);
    rp__section_writer_begin(w->out, RP_SECTION_TERM_OFFSETS);
    rp__section_writer_put(w->out, w->offsets.at, w->offsets.n);
    rp__section_writer_end(w->out);
    rp__section_writer_begin(w->out, RP_SECTION_TERM_PREFIXES);
    rp__section_writer_put(w->out, w->prefixes.at, w->prefixes.n);
    rp__section_writer_end(w->out);
    rp__section_writer_begin(w->out, RP_SECTION_TERM_MOST);
    rp__section_writer_put(w->out, w->mosts.at, w->mosts.n);
    rp__section_writer_end(w->out);
    if (w->offsets.failed || w->mosts.failed)
        return rp__error_no_memory(err);
    rp_status status = rp__section_writer_finish(w->out, bytes, checksum, err);
    w->out = NULL;
    return status;
}

void rp__dictionary_writer_free(rp__dictionary_writer *w)
{
    if (!w)
        return;
    rp__section_writer_abandon(w->out);
    rp__buf_free(&w->block);
    rp__buf_free(&w->offsets);
    rp__buf_free(&w->prefixes);
    rp__buf_free(&w->mosts);
    rp__free(w);
}
