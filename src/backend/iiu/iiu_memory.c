/* iiu_memory.c: lists where the machine finds them. A list in codec iiu is what the machine reads:
 * only its header is made. A tiny list of the dictionary becomes a list of one block. */
#include "backend/iiu/iiu_memory.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"

enum { PLAIN_BLOCK = 256 }; /* postings of a block of an intermediate list */

rp_status rp__iiu_memory_open(rp__iiu_memory *memory, const rp__segment *segment, rp_error *err)
{
    const rp__segment_info *info = rp__segment_get_info(segment);
    const uint8_t *lists;
    size_t bytes = 0;
    if (strcmp(info->codec, "iiu") != 0)
        return rp__error_set(err, RP_UNAVAILABLE,
                             "the processor iiu reads indexes in codec iiu, and this one is in %s; "
                             "run 'riposte recode %s -o NEW --codec iiu', then use NEW",
                             info->codec, rp__segment_get_path(segment));
    if (!rp__segment_section(segment, 0, &lists, &bytes))
        return rp__error_set(err, RP_DAMAGED, "the index has no lists");
    *memory = (rp__iiu_memory){.segment = segment, .lists_bytes = bytes};
    rp__buf_init(&memory->list);
    memory->dl_at = rp__bits_align(bytes + RP_PAD, RP_IMAGE_LINE);
    memory->dynamic_at = rp__bits_align(memory->dl_at + 4 * info->docs + RP_PAD, RP_IMAGE_LINE);
    memory->end = memory->dynamic_at;
    memory->cap = (size_t)memory->end + (1 << 16);
    memory->image = rp__alloc_zero(memory->cap, 1);
    return memory->image ? RP_OK : rp__error_no_memory(err);
}

void rp__iiu_memory_close(rp__iiu_memory *memory)
{
    rp__buf_free(&memory->list);
    rp__free(memory->image);
    *memory = (rp__iiu_memory){0};
}

rp_status rp__iiu_memory_set_dl(rp__iiu_memory *memory, const rp__rank *rank)
{
    if (memory->has_dl && memory->k1 == rank->k1 && memory->b == rank->b)
        return RP_OK;
    rp__lengths lengths;
    rp__segment_get_lengths(memory->segment, &lengths);
    memory->has_dl = false;
    for (uint32_t i = 0; i < lengths.n_docs; i++) {
        const uint32_t length = lengths.table[rp__lengths_code(&lengths, i)];
        rp__store32(memory->image + memory->dl_at + 4 * (uint64_t)i,
                    (uint32_t)(rp__rank_norm(rank, length) * 0x1p16F));
    }
    memory->k1 = rank->k1;
    memory->b = rank->b;
    memory->has_dl = true;
    return RP_OK;
}

void rp__iiu_memory_rewind(rp__iiu_memory *memory)
{
    memory->end = memory->dynamic_at;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static rp_status append(rp__iiu_memory *memory, const uint8_t *bytes, size_t n)
{
    if (!rp__alloc_grow(&memory->image, &memory->cap, (size_t)memory->end + n, 1))
        return RP_NO_MEMORY;
    memcpy(memory->image + memory->end, bytes, n);
    memory->end += n;
    return RP_OK;
}

static rp_status put_blocks(rp__iiu_memory *memory, const rp__iiu_blocks *blocks, uint32_t idf_bar,
                            rp__image_list *out)
{
    rp__buf_clear(&memory->list, SIZE_MAX);
    rp__image_writer_put_list(&memory->list, memory->end, blocks, NULL, 0, idf_bar, out);
    return memory->list.failed ? RP_NO_MEMORY : append(memory, memory->list.at, memory->list.n);
}

/* The last docid of a list; one block has no directory. */
static rp_status find_last(const rp__list *list, uint32_t *out)
{
    uint32_t docids[RP_BLOCK_CAPACITY], count = 0;
    if (list->last) {
        *out = list->last[list->n_blocks - 1];
        return RP_OK;
    }
    rp_status status = rp__list_block(list, 0, docids, &count);
    if (status == RP_OK)
        *out = docids[count - 1];
    return status;
}

static rp_status put_stored(rp__iiu_memory *memory, const rp__term *term, const rp__list *list,
                            uint32_t idf_bar, rp__image_list *out)
{
    const uint8_t *lists;
    size_t bytes;
    const uint64_t heads = 12 * (uint64_t)list->n_blocks;
    uint8_t header[RP_IMAGE_LINE];
    if (!rp__segment_section(memory->segment, 0, &lists, &bytes) || list->docs_bytes < heads ||
        bytes != memory->lists_bytes)
        return RP_DAMAGED;
    const uint64_t at = (uint64_t)(list->docs - lists);
    const uint64_t meta = rp__load64(list->docs + 8 * (uint64_t)(list->n_blocks - 1));
    memcpy(memory->image + term->list_offset, lists + term->list_offset, (size_t)term->list_bytes);
    *out = (rp__image_list){.at = memory->end,
                            .meta_at = at,
                            .skip_at = at + 8 * (uint64_t)list->n_blocks,
                            .payload_at = at + heads,
                            .payload_bits = (meta >> 21) +
                                            (meta >> 10 & 2047) * ((meta & 31) + (meta >> 5 & 31)),
                            .n_postings = list->n,
                            .n_blocks = list->n_blocks,
                            .idf_bar = idf_bar};
    if (out->payload_bits > 8 * (uint64_t)(list->docs_bytes - heads) ||
        find_last(list, &out->last_doc) != RP_OK)
        return RP_DAMAGED;
    rp__image_writer_put_header(out, 0, header);
    return append(memory, header, sizeof header);
}

rp_status rp__iiu_memory_put_term(rp__iiu_memory *memory, const rp__term *term, uint32_t idf_bar,
                                  rp__arena *arena, rp__image_list *out)
{
    rp__list list;
    rp_status status = rp__segment_list(memory->segment, term, arena, &list);
    if (status != RP_OK)
        return status;
    if (list.codec)
        return put_stored(memory, term, &list, idf_bar, out);
    for (uint32_t i = 0; i < list.n; i++)
        if (list.docids[i] > INT32_MAX || list.tfs[i] > INT32_MAX)
            return RP_DAMAGED;
    const rp__iiu_blocks blocks = {list.docids, list.tfs, &list.n, 1, RP_IIU_COST_FREE};
    return put_blocks(memory, &blocks, idf_bar, out);
}

rp_status rp__iiu_memory_put_docs(rp__iiu_memory *memory, const rp__result_slot *docs, uint32_t n,
                                  rp__arena *arena, rp__image_list *out)
{
    const rp__arena_mark mark = rp__arena_get_mark(arena);
    const uint32_t n_blocks = (n + PLAIN_BLOCK - 1) / PLAIN_BLOCK;
    uint32_t *docids = rp__arena_array(arena, n, sizeof *docids);
    uint32_t *tfs = rp__arena_array(arena, n, sizeof *tfs);
    uint32_t *ends = rp__arena_array(arena, n_blocks, sizeof *ends);
    rp_status status = RP_NO_MEMORY;
    if (docids && tfs && ends) {
        for (uint32_t i = 0; i < n; i++) {
            docids[i] = docs[i].doc;
            tfs[i] = 1;
        }
        for (uint32_t b = 0; b < n_blocks; b++)
            ends[b] = b + 1 < n_blocks ? (b + 1) * PLAIN_BLOCK : n;
        const rp__iiu_blocks blocks = {docids, tfs, ends, n_blocks, RP_IIU_COST_NONE};
        status = put_blocks(memory, &blocks, 0, out);
    }
    rp__arena_rewind(arena, mark);
    return status;
}
