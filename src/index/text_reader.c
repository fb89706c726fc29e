/* text_reader.c: unpacks a block of stored text piece by piece.
 *
 * A block of ordinary size is one piece and stays in memory as a whole; of a larger one the reader
 * holds a piece at a time, and seeking backwards unpacks it from its beginning again.
 * Packed bytes are copied out of the mapping under the guard before zstd sees them: the guard must not
 * leave zstd halfway. */
#include "index/text_reader.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

enum { PIECE = 128 * 1024, SIZES = 20 /* the most bytes that the two sizes of a document take */ };

struct rp__text_reader {
    const rp__doctable *table;
    rp__zblock *z;
    rp__text_block block, next;
    uint64_t packed_next; /* of the section: packed bytes before it were copied */
    uint64_t made;        /* bytes unpacked so far */
    bool is_at_end;       /* of the frame */
    const char **why;     /* what is wrong with it; NULL: nobody asks */
    uint8_t *packed, *raw;
    size_t packed_cap, packed_begin, packed_end;
    size_t raw_cap, raw_begin, raw_end;
};

/* ---- Pieces ------------------------------------------------------------------------------------ */

static rp_status fill_packed(rp__text_reader *r)
{
    uint64_t left = r->next.offset - r->packed_next;
    size_t n = left < r->packed_cap ? (size_t)left : r->packed_cap;
    r->packed_begin = 0;
    r->packed_end = n;
    const uint8_t *from = r->table->text + r->packed_next;
    r->packed_next += n;
    return n ? rp__mapping_copy(r->packed, from, n) : RP_OK;
}

static rp_status fail(const rp__text_reader *r, const char *what)
{
    if (r->why)
        *r->why = what;
    return RP_DAMAGED;
}

/* One call of zstd: *made is how many bytes it has put behind those that are there. */
static rp_status step(rp__text_reader *r, size_t *made)
{
    if (r->packed_begin == r->packed_end && fill_packed(r) != RP_OK)
        return fail(r, "the file was cut short");
    size_t taken = r->packed_end - r->packed_begin;
    *made = r->raw_cap - r->raw_end;
    if (r->is_at_end || rp__zblock_unpack(r->z, r->packed + r->packed_begin, &taken,
                                          r->raw + r->raw_end, made, &r->is_at_end) != RP_OK)
        return fail(r, "zstd cannot unpack it");
    r->packed_begin += taken;
    r->raw_end += *made;
    r->made += *made;
    if (r->made > r->block.raw_bytes || (*made == 0 && taken == 0))
        return fail(r, "its entry has another size than it unpacks to");
    return RP_OK;
}

static bool is_one_piece(const rp__text_reader *r)
{
    return r->block.raw_bytes <= PIECE;
}

/* More bytes behind those that are there. */
static rp_status fill(rp__text_reader *r)
{
    rp_status status = RP_OK;
    if (!is_one_piece(r)) {
        memmove(r->raw, r->raw + r->raw_begin, r->raw_end - r->raw_begin);
        r->raw_end -= r->raw_begin;
        r->raw_begin = 0;
    }
    for (size_t made = 0; made == 0 && status == RP_OK;)
        status = step(r, &made);
    return status;
}

rp_status rp__text_reader_read(rp__text_reader *r, void *to, uint64_t n)
{
    uint8_t *p = to;
    while (n > 0) {
        rp_status status = r->raw_begin < r->raw_end ? RP_OK : fill(r);
        if (status != RP_OK)
            return status;
        size_t have = r->raw_end - r->raw_begin, some = n < have ? (size_t)n : have;
        if (p) {
            memcpy(p, r->raw + r->raw_begin, some);
            p += some;
        }
        r->raw_begin += some;
        n -= some;
    }
    return RP_OK;
}

bool rp__text_reader_is_whole(const rp__text_reader *r)
{
    return is_one_piece(r) && r->made == r->block.raw_bytes;
}

/* ---- Documents --------------------------------------------------------------------------------- */

static void rewind_block(rp__text_reader *r)
{
    r->raw_begin = 0;
    if (rp__text_reader_is_whole(r))
        return;
    r->packed_next = r->block.offset;
    r->packed_begin = r->packed_end = r->raw_end = 0;
    r->made = 0;
    r->is_at_end = false;
    rp__zblock_begin(r->z);
}

uint32_t rp__text_reader_first(const rp__text_reader *r)
{
    return r->block.first_docid;
}

static rp_status read_sizes(rp__text_reader *r, uint64_t *title, uint64_t *text)
{
    while (r->raw_end - r->raw_begin < SIZES && r->made < r->block.raw_bytes)
        if (fill(r) != RP_OK)
            return RP_DAMAGED;
    const uint8_t *p = r->raw + r->raw_begin, *end = r->raw + r->raw_end;
    if (!rp__bits_varint(&p, end, title) || !rp__bits_varint(&p, end, text) ||
        *title > r->block.raw_bytes || *text > r->block.raw_bytes)
        return fail(r, "the sizes of its documents make no sense");
    r->raw_begin = (size_t)(p - r->raw);
    return RP_OK;
}

/* Sizes of all documents stand before the first title. What stands before the last document's title is
 * little, so that no document is far from the beginning. */
rp_status rp__text_reader_seek(rp__text_reader *r, uint32_t docid, uint64_t *title_bytes,
                               uint64_t *text_bytes)
{
    uint64_t before = 0, all = 0, but_last = 0, title, text;
    if (docid < r->block.first_docid || docid >= r->next.first_docid)
        return fail(r, "it does not hold its document");
    rewind_block(r);
    for (uint32_t d = r->block.first_docid; d < r->next.first_docid; d++) {
        if (read_sizes(r, &title, &text) != RP_OK)
            return RP_DAMAGED;
        if (d == docid) {
            before = all;
            *title_bytes = title;
            *text_bytes = text;
        }
        but_last = all;
        all += title + text;
        if (but_last >= RP_TEXT_BLOCK)
            return fail(r, "it goes on after it was full");
    }
    uint64_t sizes = r->made - (r->raw_end - r->raw_begin);
    if (sizes + all != r->block.raw_bytes)
        return fail(r, "the sizes of its documents do not add up");
    return rp__text_reader_read(r, NULL, before);
}

rp_status rp__text_reader_finish(rp__text_reader *r)
{
    size_t made = 0;
    rp_status status =
        rp__text_reader_read(r, NULL, r->block.raw_bytes - r->made + (r->raw_end - r->raw_begin));
    while (status == RP_OK && !r->is_at_end)
        status = step(r, &made);
    bool is_all = r->packed_begin == r->packed_end && r->packed_next == r->next.offset;
    return status == RP_OK && !is_all ? fail(r, "there are bytes behind its end") : status;
}

/* ---- Opening ----------------------------------------------------------------------------------- */

static const char *find_fault(const rp__doctable *t, const rp__text_block *block,
                              const rp__text_block *next)
{
    if (block->first_docid >= next->first_docid || next->first_docid > t->n_docs)
        return "its documents do not follow each other";
    if (block->offset > next->offset || next->offset > t->text_bytes)
        return "it does not lie in its section";
    if (block->raw_bytes / RP_TEXT_RATIO > next->offset - block->offset)
        return "it claims more text than its bytes can hold";
    return NULL;
}

rp_status rp__text_reader_open(const rp__doctable *t, rp__zblock *z, size_t block,
                               rp__text_reader **out, const char **why)
{
    rp__text_block pair[2];
    *out = NULL;
    const char *fault = NULL;
    if (block >= t->n_text_blocks ||
        rp__mapping_copy(pair, t->text_index + block, sizeof pair) != RP_OK)
        fault = "it cannot be found";
    else
        fault = find_fault(t, &pair[0], &pair[1]);
    if (why)
        *why = fault;
    if (fault)
        return RP_DAMAGED;
    uint64_t packed = pair[1].offset - pair[0].offset;
    size_t packed_cap = packed < PIECE ? (size_t)packed : PIECE;
    size_t raw_cap = pair[0].raw_bytes < PIECE ? pair[0].raw_bytes : PIECE;
    rp__text_reader *r = rp__alloc(sizeof *r + raw_cap + packed_cap);
    if (!r)
        return RP_NO_MEMORY;
    *r = (rp__text_reader){.table = t,
                           .z = z,
                           .why = why,
                           .block = pair[0],
                           .next = pair[1],
                           .packed_cap = packed_cap,
                           .raw_cap = raw_cap};
    r->packed = (uint8_t *)(r + 1);
    r->raw = r->packed + packed_cap;
    *out = r;
    return RP_OK;
}

size_t rp__text_reader_memory(const rp__text_reader *r)
{
    return sizeof *r + r->raw_cap + r->packed_cap;
}

void rp__text_reader_close(rp__text_reader *r)
{
    rp__free(r);
}
