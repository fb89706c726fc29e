/* section_writer.c: writes a section file: header, sections, table, footer. */
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/section.h"
#include "store/store.h"

struct rp__section_writer {
    rp__out *out;
    uint64_t begin; /* of the open section */
    rp__section_header header;
    rp__section_entry table[RP_SECTION_MOST];
    size_t n;
    XXH3_state_t *hash;
};

enum { BUFFER = 256 * 1024 };

rp_status rp__section_writer_new(const rp__folder *folder, const char *name, uint32_t kind,
                                 rp__section_writer **out, rp_error *err)
{
    rp__section_writer *w = rp__alloc_zero(1, sizeof *w);
    if (!w)
        return rp__error_no_memory(err);
    w->hash = XXH3_createState();
    rp_status status =
        w->hash ? rp__out_create(folder, name, BUFFER, &w->out, err) : rp__error_no_memory(err);
    if (status != RP_OK) {
        rp__section_writer_abandon(w);
        return status;
    }
    w->header = (rp__section_header){.kind = kind, .version = RP_SECTION_VERSION};
    memcpy(w->header.magic, RP_SECTION_MAGIC, sizeof w->header.magic);
    *out = w;
    return RP_OK;
}

void rp__section_writer_require(rp__section_writer *w, uint64_t features)
{
    w->header.required |= features;
}

void rp__section_writer_offer(rp__section_writer *w, uint64_t features)
{
    w->header.optional |= features;
}

/* The header is written as late as can be, for what is still to be required. */
static void put_header(rp__section_writer *w)
{
    if (rp__out_offset(w->out) == 0)
        rp__out_write(w->out, &w->header, sizeof w->header);
}

static void pad_file(rp__section_writer *w, size_t n)
{
    static const uint8_t zeros[RP_PAD + RP_SECTION_ALIGN];
    rp__out_write(w->out, zeros, n);
}

void rp__section_writer_begin(rp__section_writer *w, uint32_t id)
{
    put_header(w);
    w->begin = rp__out_offset(w->out);
    w->table[w->n] = (rp__section_entry){.id = id, .offset = w->begin};
    XXH3_64bits_reset(w->hash);
}

void rp__section_writer_put(rp__section_writer *w, const void *bytes, size_t n)
{
    XXH3_64bits_update(w->hash, bytes, n);
    rp__out_write(w->out, bytes, n);
}

void rp__section_writer_align(rp__section_writer *w, size_t to)
{
    static const uint8_t zeros[RP_SECTION_ALIGN];
    uint64_t n = rp__section_writer_offset(w);
    rp__section_writer_put(w, zeros, (size_t)(rp__bits_align(n, to) - n));
}

uint64_t rp__section_writer_offset(const rp__section_writer *w)
{
    return rp__out_offset(w->out) - w->begin;
}

void rp__section_writer_end(rp__section_writer *w)
{
    rp__section_entry *entry = &w->table[w->n++];
    entry->bytes = rp__section_writer_offset(w);
    entry->checksum = XXH3_64bits_digest(w->hash);
    uint64_t end = rp__out_offset(w->out);
    pad_file(w, (size_t)(rp__bits_align(end + RP_PAD, RP_SECTION_ALIGN) - end));
}

rp_status rp__section_writer_finish(rp__section_writer *w, uint64_t *bytes, uint64_t *checksum,
                                    rp_error *err)
{
    put_header(w);
    rp__section_footer footer = {
        .table_offset = rp__out_offset(w->out),
        .n_sections = w->n,
        .header_checksum = rp__checksum(&w->header, sizeof w->header),
        .table_checksum = rp__checksum(w->table, w->n * sizeof *w->table),
    };
    memcpy(footer.magic, RP_SECTION_MAGIC_END, sizeof footer.magic);
    rp__out_write(w->out, w->table, w->n * sizeof *w->table);
    footer.file_bytes = rp__out_offset(w->out) + sizeof footer;
    footer.checksum = rp__checksum(&footer, offsetof(rp__section_footer, checksum));
    rp__out_write(w->out, &footer, sizeof footer);
    if (bytes)
        *bytes = footer.file_bytes;
    if (checksum)
        *checksum = footer.checksum;
    rp_status status = rp__out_finish(w->out, true, err);
    w->out = NULL;
    rp__section_writer_abandon(w);
    return status;
}

void rp__section_writer_abandon(rp__section_writer *w)
{
    if (!w)
        return;
    rp__out_abandon(w->out);
    XXH3_freeState(w->hash);
    rp__free(w);
}
