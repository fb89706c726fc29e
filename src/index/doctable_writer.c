/* doctable_writer.c: collects ids and lengths while a collection is read; refuses an id seen before.
 *
 * A document without an id is called by its number. Where another has that number for its id, before or
 * later, the number yields: it gets a '#' when all ids are known.
 * Lengths lie in pages that never move, because workers set them while ids are still being added. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/buf.h"
#include "base/error.h"
#include "index/doctable.h"
#include "index/id_table.h"

enum { PAGE = 65536, PAGES = (RP_MAX_DOCS + 1U) / PAGE };

typedef struct seen {
    uint32_t tag, docid; /* docid + 1; 0: free */
} seen;

enum { OWN, NUMBERED, YIELDS }; /* what an id is */

struct rp__doctable_writer {
    uint32_t n_docs, n_yielded;
    rp__buf ids, bases, offsets;
    rp__buf kinds; /* a byte a document; those behind the last have ids of their own */
    seen *seen;
    size_t n_seen; /* a power of two */
    uint32_t *pages[PAGES];
    uint8_t *codes;
    uint32_t code_bytes, n_table;
    uint32_t *table;
};

rp_status rp__doctable_writer_new(rp__doctable_writer **out)
{
    rp__doctable_writer *w = rp__alloc_zero(1, sizeof *w);
    if (!w)
        return RP_NO_MEMORY;
    w->n_seen = 1024;
    w->seen = rp__alloc_zero(w->n_seen, sizeof *w->seen);
    if (!w->seen) {
        rp__free(w);
        return RP_NO_MEMORY;
    }
    *out = w;
    return RP_OK;
}

static uint64_t id_begin(const rp__doctable_writer *w, uint32_t docid)
{
    return rp__load64(w->bases.at + docid / RP_DOC_ID_STRIDE * sizeof(uint64_t)) +
           rp__load32(w->offsets.at + (size_t)docid * sizeof(uint32_t));
}

static bool has_id(const rp__doctable_writer *w, uint32_t docid, const char *id, size_t bytes)
{
    uint64_t begin = id_begin(w, docid);
    uint64_t end = docid + 1 < w->n_docs ? id_begin(w, docid + 1) : w->ids.n;
    return end - begin == bytes && memcmp(w->ids.at + begin, id, bytes) == 0;
}

static bool grow_seen(rp__doctable_writer *w)
{
    size_t n = w->n_seen * 2;
    seen *table = rp__alloc_zero(n, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < w->n_seen; i++) {
        if (w->seen[i].docid == 0)
            continue;
        size_t at = w->seen[i].tag & (n - 1);
        while (table[at].docid != 0)
            at = (at + 1) & (n - 1);
        table[at] = w->seen[i];
    }
    rp__free(w->seen);
    w->seen = table;
    w->n_seen = n;
    return true;
}

/* The place for a new id, or that of an equal one. */
static size_t find(const rp__doctable_writer *w, uint32_t tag, const char *id, size_t bytes)
{
    size_t at = tag & (w->n_seen - 1);
    for (; w->seen[at].docid != 0; at = (at + 1) & (w->n_seen - 1)) {
        if (w->seen[at].tag == tag && has_id(w, w->seen[at].docid - 1, id, bytes))
            break;
    }
    return at;
}

/* False: no memory. The document is the next. */
static bool put_id(rp__doctable_writer *w, uint32_t docid, const void *id, size_t bytes)
{
    if (docid % RP_DOC_ID_STRIDE == 0)
        rp__buf_put_u64(&w->bases, w->ids.n);
    if (w->bases.failed)
        return false;
    uint64_t base = rp__load64(w->bases.at + w->bases.n - sizeof(uint64_t));
    rp__buf_put_u32(&w->offsets, (uint32_t)(w->ids.n - base));
    rp__buf_put(&w->ids, id, bytes);
    return !w->offsets.failed && !w->ids.failed;
}

static bool append(rp__doctable_writer *w, const char *id, size_t bytes)
{
    uint32_t docid = w->n_docs;
    if (!put_id(w, docid, id, bytes))
        return false;
    if (docid % PAGE == 0 && !w->pages[docid / PAGE])
        w->pages[docid / PAGE] = rp__alloc_zero(PAGE, sizeof(uint32_t));
    return w->pages[docid / PAGE];
}

static uint8_t kind_of(const rp__doctable_writer *w, uint32_t docid)
{
    return docid < w->kinds.n ? w->kinds.at[docid] : OWN;
}

static rp_status make_room(rp__doctable_writer *w)
{
    if (w->n_docs == RP_MAX_DOCS)
        return RP_LIMIT;
    bool is_full = (uint64_t)w->n_docs * 4 >= w->n_seen * 3;
    return is_full && !grow_seen(w) ? RP_NO_MEMORY : RP_OK;
}

rp_status rp__doctable_writer_add(rp__doctable_writer *w, const char *id, size_t bytes,
                                  uint32_t *docid)
{
    rp_status status = make_room(w);
    if (status != RP_OK)
        return status;
    uint32_t tag = (uint32_t)XXH3_64bits(id, bytes);
    size_t at = find(w, tag, id, bytes);
    uint32_t other = w->seen[at].docid - 1;
    bool is_seen = w->seen[at].docid != 0;
    if (is_seen && kind_of(w, other) == OWN) {
        *docid = other;
        return RP_INPUT;
    }
    if (!append(w, id, bytes))
        return RP_NO_MEMORY;
    if (is_seen) {
        w->kinds.at[other] = YIELDS;
        w->n_yielded++;
    }
    *docid = w->n_docs++;
    w->seen[at] = (seen){tag, w->n_docs};
    return RP_OK;
}

rp_status rp__doctable_writer_add_number(rp__doctable_writer *w, uint32_t *docid)
{
    char id[16];
    rp_status status = make_room(w);
    if (status != RP_OK)
        return status;
    size_t bytes = (size_t)snprintf(id, sizeof id, "%u", w->n_docs + 1);
    uint32_t tag = (uint32_t)XXH3_64bits(id, bytes);
    size_t at = find(w, tag, id, bytes);
    bool is_seen = w->seen[at].docid != 0;
    size_t others = w->n_docs - w->kinds.n;
    uint8_t *kinds = rp__buf_room(&w->kinds, others + 1);
    if (!kinds || !append(w, id, bytes))
        return RP_NO_MEMORY;
    memset(kinds, OWN, others);
    kinds[others] = is_seen ? YIELDS : NUMBERED;
    w->kinds.n += others + 1;
    w->n_yielded += is_seen;
    *docid = w->n_docs++;
    if (!is_seen)
        w->seen[at] = (seen){tag, w->n_docs};
    return RP_OK;
}

uint32_t rp__doctable_writer_yielded(const rp__doctable_writer *w)
{
    return w->n_yielded;
}

/* The id with so many '#' before it that no document has it. */
static bool put_new_id(rp__doctable_writer *w, const char *id, size_t bytes, rp__buf *out)
{
    size_t hashes = 1, at;
    do {
        out->n = 0;
        for (size_t i = 0; i < hashes; i++)
            rp__buf_put_byte(out, '#');
        rp__buf_put(out, id, bytes);
        hashes++;
        if (out->failed)
            return false;
        uint32_t tag = (uint32_t)XXH3_64bits(out->at, out->n);
        at = find(w, tag, (const char *)out->at, out->n);
    } while (w->seen[at].docid != 0);
    return true;
}

/* All ids are known: numbers that yield get their '#'. */
static rp_status settle_ids(rp__doctable_writer *w)
{
    rp__doctable_writer to = {0};
    rp__buf id;
    bool is_good = true;
    rp__buf_init(&id);
    for (uint32_t d = 0; is_good && d < w->n_docs; d++) {
        uint64_t begin = id_begin(w, d), end = d + 1 < w->n_docs ? id_begin(w, d + 1) : w->ids.n;
        const char *at = (const char *)w->ids.at + begin;
        size_t bytes = (size_t)(end - begin);
        if (kind_of(w, d) == YIELDS)
            is_good = put_new_id(w, at, bytes, &id) && put_id(&to, d, id.at, id.n);
        else
            is_good = put_id(&to, d, at, bytes);
    }
    rp__buf_free(&id);
    rp__buf *olds[] = {&w->ids, &w->bases, &w->offsets},
            *news[] = {&to.ids, &to.bases, &to.offsets};
    for (size_t i = 0; i < sizeof olds / sizeof *olds; i++) {
        rp__buf_free(is_good ? olds[i] : news[i]);
        if (is_good)
            *olds[i] = *news[i];
    }
    return is_good ? RP_OK : RP_NO_MEMORY;
}

void rp__doctable_writer_set_length(rp__doctable_writer *w, uint32_t docid, uint32_t length)
{
    w->pages[docid / PAGE][docid % PAGE] = length;
}

uint32_t rp__doctable_writer_docs(const rp__doctable_writer *w)
{
    return w->n_docs;
}

static uint32_t length_of(const rp__doctable_writer *w, uint32_t docid)
{
    return w->pages[docid / PAGE][docid % PAGE];
}

/* Distinct lengths, rising: small ones by a bit set, the few large ones by insertion. */
static rp_status make_table(rp__doctable_writer *w)
{
    enum { SMALL = 1 << 20 };
    uint64_t *is_there = rp__alloc_zero(SMALL / 64, sizeof *is_there);
    size_t cap = 0;
    rp_status status = is_there ? RP_OK : RP_NO_MEMORY;
    size_t n_large = 0, cap_large = 0;
    uint32_t *large = NULL, end = 0; /* of the small ones */
    for (uint32_t d = 0; status == RP_OK && d < w->n_docs; d++) {
        uint32_t length = length_of(w, d);
        if (length < SMALL) {
            is_there[length / 64] |= 1ULL << length % 64;
            end = length < end ? end : length + 1;
            continue;
        }
        size_t i = n_large;
        while (i > 0 && large[i - 1] > length)
            i--;
        if (i > 0 && large[i - 1] == length)
            continue;
        if (!rp__alloc_grow(&large, &cap_large, n_large + 1, sizeof *large)) {
            status = RP_NO_MEMORY;
            break;
        }
        memmove(large + i + 1, large + i, (n_large++ - i) * sizeof *large);
        large[i] = length;
    }
    for (uint32_t v = 0; status == RP_OK && v < end; v++) {
        if (!(is_there[v / 64] >> v % 64 & 1))
            continue;
        if (!rp__alloc_grow(&w->table, &cap, w->n_table + 1U, sizeof *w->table))
            status = RP_NO_MEMORY;
        else
            w->table[w->n_table++] = v;
    }
    if (status == RP_OK && n_large > 0) {
        if (!rp__alloc_grow(&w->table, &cap, w->n_table + n_large, sizeof *w->table)) {
            status = RP_NO_MEMORY;
        } else {
            memcpy(w->table + w->n_table, large, n_large * sizeof *large);
            w->n_table += (uint32_t)n_large;
        }
    }
    rp__free(is_there);
    rp__free(large);
    return status;
}

static uint32_t code_of(const rp__doctable_writer *w, uint32_t length)
{
    uint32_t low = 0, high = w->n_table;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (w->table[mid] <= length)
            low = mid;
        else
            high = mid;
    }
    return low;
}

rp_status rp__doctable_writer_code(rp__doctable_writer *w, rp__lengths *lengths, uint64_t *tokens)
{
    rp_status status = w->n_yielded > 0 ? settle_ids(w) : RP_OK;
    rp__free(w->seen); /* no id comes after this */
    w->seen = NULL;
    if (status == RP_OK)
        status = make_table(w);
    if (status != RP_OK)
        return status;
    w->code_bytes = w->n_table <= 256 ? 1 : w->n_table <= 65536 ? 2 : 4;
    w->codes = rp__alloc_zero(w->n_docs + RP_PAD, w->code_bytes);
    if (!w->codes)
        return RP_NO_MEMORY;
    *tokens = 0;
    for (uint32_t d = 0; d < w->n_docs; d++) {
        uint32_t code = code_of(w, length_of(w, d));
        memcpy(w->codes + (size_t)d * w->code_bytes, &code, w->code_bytes);
        *tokens += length_of(w, d);
    }
    *lengths = (rp__lengths){.codes = w->codes,
                             .code_bytes = w->code_bytes,
                             .n_docs = w->n_docs,
                             .n_table = w->n_table,
                             .table = w->table};
    return RP_OK;
}

static void put_section(rp__section_writer *out, uint32_t id, const void *bytes, size_t n)
{
    rp__section_writer_begin(out, id);
    rp__section_writer_put(out, bytes, n);
    rp__section_writer_end(out);
}

static rp_status put_id_table(const rp__doctable_writer *w, rp__section_writer *out)
{
    rp__id_table table;
    rp_status status = rp__id_table_init(&table, w->n_docs);
    for (uint32_t d = 0; status == RP_OK && d < w->n_docs; d++) {
        uint64_t begin = id_begin(w, d), end = id_begin(w, d + 1);
        rp__id_table_add(&table, (const char *)w->ids.at + begin, (size_t)(end - begin));
    }
    if (status == RP_OK)
        status = rp__id_table_write(&table, out);
    rp__id_table_reset(&table);
    return status;
}

rp_status rp__doctable_writer_write(rp__doctable_writer *w, const rp__folder *folder,
                                    const char *name, uint64_t *bytes, uint64_t *checksum,
                                    rp_error *err)
{
    rp__section_writer *out;
    rp_status status = rp__section_writer_new(folder, name, RP_FILE_DOCS, &out, err);
    if (status != RP_OK)
        return status;
    if (w->n_docs % RP_DOC_ID_STRIDE == 0) /* the entry behind the last needs a base too */
        rp__buf_put_u64(&w->bases, w->ids.n);
    uint64_t base = w->bases.failed ? 0 : rp__load64(w->bases.at + w->bases.n - sizeof(uint64_t));
    rp__buf_put_u32(&w->offsets, (uint32_t)(w->ids.n - base));
    if (w->bases.failed || w->offsets.failed) {
        rp__section_writer_abandon(out);
        return rp__error_no_memory(err);
    }
    rp__section_writer_offer(out, RP_OPTIONAL_ID_TABLE);
    put_section(out, RP_SECTION_DOC_IDS, w->ids.at, w->ids.n);
    put_section(out, RP_SECTION_DOC_ID_BASES, w->bases.at, w->bases.n);
    put_section(out, RP_SECTION_DOC_ID_OFFSETS, w->offsets.at, w->offsets.n);
    put_section(out, RP_SECTION_DOC_LENGTH_CODES, w->codes, (size_t)w->n_docs * w->code_bytes);
    put_section(out, RP_SECTION_DOC_LENGTHS, w->table, w->n_table * sizeof *w->table);
    if (put_id_table(w, out) != RP_OK) {
        rp__section_writer_abandon(out);
        return rp__error_no_memory(err);
    }
    return rp__section_writer_finish(out, bytes, checksum, err);
}

void rp__doctable_writer_free(rp__doctable_writer *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < PAGES && w->pages[i]; i++)
        rp__free(w->pages[i]);
    rp__buf_free(&w->ids);
    rp__buf_free(&w->bases);
    rp__buf_free(&w->offsets);
    rp__buf_free(&w->kinds);
    rp__free(w->seen);
    rp__free(w->codes);
    rp__free(w->table);
    rp__free(w);
}
