/* doctable_given.c: the docs file of documents whose ids and lengths are given: the same bytes as doctable_writer.c makes,
 * without holding ids. They are asked for twice, once for themselves and once for where they begin. */
#include "index/doctable_given.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "index/id_table.h"

enum { LENGTHS = RP_GIVEN_LENGTH_MAX + 1 };

/* Distinct lengths, rising; code_of becomes each one's place among them. */
static bool make_table(rp__doctable_given *t, uint32_t *code_of)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < LENGTHS; v++)
        n += code_of[v];
    t->table = rp__alloc_array(n, sizeof *t->table);
    if (!t->table)
        return false;
    n = 0;
    for (uint32_t v = 0; v < LENGTHS; v++) {
        if (!code_of[v])
            continue;
        t->table[n] = v;
        code_of[v] = n++;
    }
    t->lengths.n_table = n;
    return true;
}

/* Lengths become codes where they are; bytes are never ahead of what they are made of. */
static void make_codes(rp__doctable_given *t, const uint32_t *code_of)
{
    uint8_t *bytes = (uint8_t *)t->codes;
    t->lengths.code_bytes = t->lengths.n_table <= 256 ? 1 : 2;
    for (uint32_t d = 0; d < t->docs.n; d++) {
        uint16_t code = (uint16_t)code_of[t->codes[d]];
        if (t->lengths.code_bytes == 1)
            bytes[d] = (uint8_t)code;
        else
            t->codes[d] = code;
    }
}

rp_status rp__doctable_given_init(rp__doctable_given *t, const rp__doc_source *docs)
{
    uint32_t *code_of = rp__alloc_zero(LENGTHS, sizeof *code_of);
    *t = (rp__doctable_given){.docs = *docs, .lengths.n_docs = docs->n};
    t->codes = rp__alloc_zero(docs->n + (size_t)RP_PAD, sizeof *t->codes);
    if (!code_of || !t->codes) {
        rp__free(code_of);
        return RP_NO_MEMORY;
    }
    for (uint32_t d = 0; d < docs->n; d++) {
        uint32_t length = docs->length(docs->arg, d);
        t->codes[d] = (uint16_t)length;
        t->tokens += length;
        code_of[length] = 1;
    }
    bool has_table = make_table(t, code_of);
    if (has_table)
        make_codes(t, code_of);
    t->lengths.codes = t->codes;
    t->lengths.table = t->table;
    rp__free(code_of);
    return has_table ? RP_OK : RP_NO_MEMORY;
}

void rp__doctable_given_reset(rp__doctable_given *t)
{
    rp__free(t->codes);
    rp__free(t->table);
    *t = (rp__doctable_given){0};
}

static void put_section(rp__section_writer *out, uint32_t id, const void *bytes, size_t n)
{
    rp__section_writer_begin(out, id);
    rp__section_writer_put(out, bytes, n);
    rp__section_writer_end(out);
}

static void put_ids(const rp__doctable_given *t, rp__id_table *table, rp__section_writer *out)
{
    char id[RP_GIVEN_ID_MAX];
    rp__section_writer_begin(out, RP_SECTION_DOC_IDS);
    for (uint32_t d = 0; d < t->docs.n; d++) {
        size_t bytes = t->docs.id(t->docs.arg, d, id);
        rp__id_table_add(table, id, bytes);
        rp__section_writer_put(out, id, bytes);
    }
    rp__section_writer_end(out);
}

/* Where ids begin: each from its base, and the bases. The one behind the last has both too. */
static bool put_begins(const rp__doctable_given *t, rp__section_writer *out)
{
    char id[RP_GIVEN_ID_MAX];
    uint32_t n_bases = t->docs.n / RP_DOC_ID_STRIDE + 1;
    uint64_t *bases = rp__alloc_array(n_bases, sizeof *bases), end = 0;
    if (!bases)
        return false;
    for (uint32_t d = 0; d < t->docs.n; d++) {
        if (d % RP_DOC_ID_STRIDE == 0)
            bases[d / RP_DOC_ID_STRIDE] = end;
        end += t->docs.id(t->docs.arg, d, id);
    }
    if (t->docs.n % RP_DOC_ID_STRIDE == 0)
        bases[n_bases - 1] = end;
    put_section(out, RP_SECTION_DOC_ID_BASES, bases, n_bases * sizeof *bases);
    rp__section_writer_begin(out, RP_SECTION_DOC_ID_OFFSETS);
    end = 0;
    for (uint32_t d = 0; d <= t->docs.n; d++) {
        uint32_t offset = (uint32_t)(end - bases[d / RP_DOC_ID_STRIDE]);
        rp__section_writer_put(out, &offset, sizeof offset);
        if (d < t->docs.n)
            end += t->docs.id(t->docs.arg, d, id);
    }
    rp__section_writer_end(out);
    rp__free(bases);
    return true;
}

static rp_status put_all(const rp__doctable_given *t, rp__id_table *table, rp__section_writer *out)
{
    const rp__lengths *l = &t->lengths;
    rp_status status = rp__id_table_init(table, t->docs.n);
    if (status != RP_OK)
        return status;
    rp__section_writer_offer(out, RP_OPTIONAL_ID_TABLE);
    put_ids(t, table, out);
    if (!put_begins(t, out))
        return RP_NO_MEMORY;
    put_section(out, RP_SECTION_DOC_LENGTH_CODES, t->codes, (size_t)l->n_docs * l->code_bytes);
    put_section(out, RP_SECTION_DOC_LENGTHS, t->table, l->n_table * sizeof *t->table);
    return rp__id_table_write(table, out);
}

rp_status rp__doctable_given_write(const rp__doctable_given *t, const rp__folder *folder,
                                   const char *name, rp__meta_file *file, rp_error *err)
{
    rp__section_writer *out;
    rp__id_table table = {0};
    rp_status status = rp__section_writer_new(folder, name, RP_FILE_DOCS, &out, err);
    if (status != RP_OK)
        return status;
    status = put_all(t, &table, out);
    rp__id_table_reset(&table);
    if (status == RP_OK)
        return rp__section_writer_finish(out, &file->bytes, &file->checksum, err);
    rp__section_writer_abandon(out);
    return rp__error_no_memory(err);
}
