/* lookup_lists.c: the representations that batches look up: docids, frequencies, bits, or a list as it is stored.
 *
 * All lists of a launch go to the device together: one upload, one chain of launches (transcode.c), one wait. They are
 * found by others once that was seen to have ended. The host decodes tiny lists alone, which are in the dictionary. Lists
 * that are read as they are stored are checked first (list_checks.h). A list that turns out to be damaged is published
 * too, as none for kernels, and is not transcoded or checked again. */
#include "backend/gpu/residency/lookup_lists.h"

#include <string.h>

#include "backend/gpu/gpu_list.h"
#include "backend/gpu/residency/list_checks.h"
#include "backend/gpu/residency/stored_lists.h"
#include "backend/gpu/residency/transcode_term.h"
#include "base/bits.h"
#include "codec/codec.h"

enum {
    DENSE_GAP = 64,      /* docids to a posting up to which a list is looked up in bits */
    DENSE_MIN = 1 << 12, /* postings of such a list */
    ALIGN = 256,
    ALIGN_DECODED = 64, /* of which there are many, and short ones */
    WORD = 128,         /* bytes between karg_words */
    TABLE_MIN = 16,
    LISTS_MAX = 4096, /* that are brought together */
    /* postings of a list, less one: kernels count the bytes of docids in 32 bits */
    POSTINGS_MAX = 1 << 30,
};

/* A list on its way to the device. */
typedef struct rp__lookup_list {
    const rp__term *term;
    rp__list list;
    const uint32_t *decoded; /* docids, and as many frequencies behind them, of a tiny one */
    bool is_none;            /* it is damaged: kernels cannot have it */
    bool is_stored;          /* it is read as it is stored, or where the section is */
    rp__stored_list stored;  /* where lists come and go: of what it is made */
    uint8_t reads;           /* RP_READS_* as it is stored */
    uint8_t repr;
    karg_list at;            /* as it is stored; of one that is decoded, its numbers alone */
    karg_term own;           /* the same, as kernels of batches read it, if they do */
    rp__piece *piece;        /* of what is made of it, or decoded, if it has one of its own */
    rp__cu_ptr buffer, word; /* where that is, and its karg_term */
    bool is_admitted;
    bool is_alone; /* it is no part of the bundle */
    size_t made;   /* its index among those that are transcoded */
    rp__resident entry;
} fresh;

typedef rp__lookup_lists lists;

void rp__lookup_lists_begin(lists *l, rp__lease *lease, const rp__gpu_index *index,
                            rp__arena *arena)
{
    *l = (lists){.lease = lease,
                 .index = index,
                 .arena = arena,
                 .use = RP_USE_LOOKUP,
                 .has_slots = lease->residency->slots.slots};
}

void rp__lookup_lists_begin_plain(lists *l, rp__lease *lease, const rp__gpu_index *index,
                                  rp__arena *arena)
{
    *l = (lists){.lease = lease, .index = index, .arena = arena, .use = RP_USE_PLAIN};
}

static bool is_plain(const lists *l)
{
    return l->use == RP_USE_PLAIN;
}

/* ---- What is there ------------------------------------------------------------------------------ */

static size_t place_of(const lists *l, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (l->n_table - 1);
}

static const rp__resident *find_fresh(const lists *l, uint64_t key)
{
    size_t i = place_of(l, key);
    while (l->table[i] && l->table[i]->entry.key != key)
        i = (i + 1) & (l->n_table - 1);
    return l->table[i] ? &l->table[i]->entry : NULL;
}

const rp__resident *rp__lookup_lists_find(const lists *l, const rp__term *term)
{
    const rp__residency *r = l->lease->residency;
    const uint64_t key = rp__residency_key(term, l->use);
    const rp__resident *e = l->table ? find_fresh(l, key) : NULL;
    if (!e)
        e = rp__lease_find(l->lease, key, 0);
    if (e || r->is_whole || term->tiny || is_plain(l))
        return e;
    e = rp__lease_find(l->lease, rp__residency_key(term, RP_USE_STORED), 0);
    return e && e->reads & RP_READS_LOOKUP && rp__list_checks_find(r, term) == RP_VERDICT_SOUND
               ? e
               : NULL;
}

void rp__lookup_lists_expect(const lists *l, const rp__term *term, bool is_far)
{
    const uint64_t key = rp__residency_key(term, l->use);
    if (is_far)
        rp__residency_expect_bucket(l->lease->residency, key);
    else
        rp__residency_expect(l->lease->residency, key);
}

/* ---- Opening ------------------------------------------------------------------------------------ */

static rp_status decode(const rp__list *list, rp__arena *arena, const uint32_t **out)
{
    size_t buffer = list->n + (size_t)RP_BLOCK_CAPACITY;
    uint32_t *docids = rp__arena_array(arena, 2 * buffer, sizeof *docids);
    if (!docids)
        return RP_NO_MEMORY;
    rp_status status = rp__list_decode(list, docids, docids + buffer);
    memmove(docids + list->n, docids + buffer, list->n * sizeof *docids);
    *out = docids;
    return status;
}

/* Where it is: `at` but for its frequencies' code. */
static void point(fresh *f, karg_list at)
{
    f->at = at;
    f->at.freq_code = rp__transcode_freq_code(&f->list);
    f->reads = rp__gpu_list_reads(&f->list, &at, &f->own);
    if (!f->reads && rp__gpu_list_point(&f->list, &at, &f->own) != RP_OK)
        f->own = (karg_term){.list = f->at};
}

/* Whether it can be transcoded. Of a list that comes and goes addresses are not known yet: its own are those from 1
 * on. */
static bool is_stored(const lists *l, fresh *f)
{
    const rp__residency *r = l->lease->residency;
    karg_list at;
    if (!f->list.codec || (r->is_whole && !rp__gpu_index_list(l->index, &f->list, &at)))
        return false;
    point(f, r->is_whole ? at : rp__stored_lists_at(r, &f->list, f->term, 1));
    return rp__transcode_can(&f->at);
}

/* A dense list becomes bits, in which a docid is one look; a bitmap is, where it stays. */
static uint8_t repr_of(const lists *l, const fresh *f)
{
    bool is_dense = f->at.n >= DENSE_MIN && f->at.universe / f->at.n < DENSE_GAP;
    bool has_bits = l->lease->residency->is_whole && f->own.list.codec == KARG_CODEC_BITMAP &&
                    f->own.n_words > 0;
    if (is_plain(l))
        return RP_REPR_PLAIN;
    return has_bits ? RP_REPR_FREQS : is_dense ? RP_REPR_BITS : RP_REPR_DOCIDS;
}

static rp_status open_decoded(const lists *l, fresh *f)
{
    f->at = (karg_list){.n = f->list.n, .universe = f->list.universe};
    f->repr = is_plain(l) ? RP_REPR_PLAIN : RP_REPR_DOCIDS;
    rp__gpu_list_count_decoded(&f->list, &l->lease->device->counters);
    return decode(&f->list, l->arena, &f->decoded);
}

/* Counts that it is used, where that decides what stays. */
static void touch(rp__residency *r, const fresh *f)
{
    if (!r->is_scarce)
        return;
    rp__device_heap_touch(&r->heap, f->entry.key);
    rp__device_heap_touch(&r->heap, rp__residency_key(f->term, RP_USE_STORED));
}

/* RP_DAMAGED also: it was found to be. RP_NO_MEMORY also: it is too long. */
static rp_status open_list(const rp__residency *r, fresh *f, rp__arena *arena)
{
    rp_status status = rp__segment_list(r->segment, f->term, arena, &f->list);
    if (status != RP_OK || !f->list.codec)
        return status;
    if (f->list.n >= POSTINGS_MAX)
        return RP_NO_MEMORY;
    return rp__list_checks_find(r, f->term) == RP_VERDICT_DAMAGED ? RP_DAMAGED : RP_OK;
}

static rp_status open_one(const lists *l, fresh *f)
{
    rp__residency *r = l->lease->residency;
    rp_status status = open_list(r, f, l->arena);
    f->entry = (rp__resident){.key = rp__residency_key(f->term, l->use)};
    touch(r, f);
    if (status == RP_OK && f->list.kths)
        memcpy(f->entry.kths, f->list.kths, sizeof f->entry.kths);
    if (status == RP_OK && is_stored(l, f)) {
        f->repr = repr_of(l, f);
        f->stored = (rp__stored_list){.list = &f->list, .term = f->term, .whole = true};
    } else if (status == RP_OK) {
        status = open_decoded(l, f);
    }
    f->is_none = status == RP_DAMAGED;
    return f->is_none ? RP_OK : status;
}

rp_status rp__lookup_lists_open(lists *l, const rp__term *const *terms, size_t n)
{
    rp_status status = RP_OK;
    l->n_table = TABLE_MIN;
    while (l->n_table < 2 * n)
        l->n_table *= 2;
    l->n = 0;
    l->terms = terms;
    l->n_terms = n;
    l->fresh = rp__arena_array(l->arena, n, sizeof *l->fresh);
    l->table = rp__arena_zero(l->arena, l->n_table, sizeof(fresh *));
    l->made = rp__arena_array(l->arena, n, sizeof *l->made);
    l->checks = rp__arena_array(l->arena, n, sizeof *l->checks);
    if (!l->fresh || !l->table || !l->made || !l->checks)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < n && status == RP_OK; i++) {
        size_t at = place_of(l, rp__residency_key(terms[i], l->use));
        fresh *f = &l->fresh[l->n];
        if (rp__lookup_lists_find(l, terms[i]))
            continue;
        *f = (fresh){.term = terms[i]};
        status = l->n < LISTS_MAX ? open_one(l, f) : RP_NO_MEMORY;
        while (l->table[at])
            at = (at + 1) & (l->n_table - 1);
        l->table[at] = f;
        l->n += status == RP_OK;
    }
    if (status != RP_OK)
        l->table = NULL;
    return status;
}

/* ---- Memory ------------------------------------------------------------------------------------- */

/* What is there stays. RP_NOT_FOUND: it was evicted meanwhile. */
static rp_status find_all(const lists *l)
{
    for (size_t i = 0; i < l->n_terms; i++)
        if (!rp__lookup_lists_find(l, l->terms[i]))
            return RP_NOT_FOUND;
    return RP_OK;
}

/* Docids and frequencies of a list that is decoded. */
static uint64_t decoded_bytes(const fresh *f)
{
    return 2 * f->list.n * sizeof(uint32_t);
}

/* But for its karg_term. */
static uint64_t made_bytes(const lists *l, const fresh *f)
{
    if (f->is_none)
        return 0;
    return f->decoded ? rp__bits_align(decoded_bytes(f) + RP_PAD, ALIGN_DECODED)
                      : rp__reprs[f->repr].bytes(&f->at, l->lease->residency->n_docs);
}

typedef enum kind { DECODED, BITS, OTHERS } kind;

static kind kind_of(const fresh *f)
{
    return f->decoded ? DECODED : f->repr == RP_REPR_BITS && !f->is_none ? BITS : OTHERS;
}

/* Places lists of a kind from `at` on. Where they end. */
static uint64_t place(const lists *l, uint64_t at, kind what)
{
    for (size_t i = 0; i < l->n; i++) {
        fresh *f = &l->fresh[i];
        if (kind_of(f) != what || f->is_alone)
            continue;
        f->buffer = at;
        at += made_bytes(l, f);
    }
    return rp__bits_align(at, ALIGN);
}

/* Records, then lists that are decoded, which go by the same copy; bits, which are cleared at once; then the others. Where
 * they end. */
static uint64_t place_bundle(lists *l, uint64_t at)
{
    uint64_t words = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (l->fresh[i].is_alone)
            continue;
        l->fresh[i].word = at + words;
        words += WORD;
    }
    at += rp__bits_align(words, ALIGN);
    l->bits = place(l, at, DECODED);
    l->bits_end = place(l, l->bits, BITS);
    return place(l, l->bits_end, OTHERS);
}

/* Those that kernels read as they are stored stay so. Docids are made of the others, each by itself. */
static void read_as_stored(lists *l)
{
    for (size_t i = 0; i < l->n; i++) {
        fresh *f = &l->fresh[i];
        if (f->decoded || f->is_none)
            continue;
        f->is_stored = f->reads & RP_READS_LOOKUP;
        f->is_alone = !f->is_stored;
        f->repr = f->is_stored ? RP_REPR_RECORD : RP_REPR_DOCIDS;
    }
}

/* Where lists stay. One piece for all: of what is made of them, if there is plenty of memory, or else of records of
 * those that kernels read as they are stored. */
static rp_status take_bundle(lists *l)
{
    uint64_t bytes = place_bundle(l, 0);
    rp_status status = RP_NO_MEMORY;
    if (rp__lease_is_plenty(l->lease->residency, bytes))
        status = rp__lease_take(l->lease, bytes, RP_NEED_FREE, 0, 0, &l->bundle);
    if (status == RP_NO_MEMORY && !is_plain(l)) {
        read_as_stored(l);
        bytes = place_bundle(l, 0);
        status = bytes > 0 ? rp__lease_take(l->lease, bytes, RP_NEED_ALL, 0, 0, &l->bundle) : RP_OK;
    }
    for (size_t i = 0; i < l->n; i++) {
        fresh *f = &l->fresh[i];
        f->is_alone = f->is_alone || !l->bundle;
        f->is_admitted = !f->is_alone;
    }
    if (l->bundle)
        (void)place_bundle(l, l->bundle->at);
    return status == RP_NO_MEMORY ? RP_OK : status;
}

static bool is_made(const fresh *f)
{
    return !f->is_none && !f->decoded && !f->is_stored;
}

/* How it is transcoded, and its karg_term then. */
static void make(lists *l, fresh *f)
{
    const rp__cu_ptr tfs = f->buffer + made_bytes(l, f) - rp__transcode_term_array_bytes(f->at.n);
    karg_term *out = &f->entry.list.word;
    rp__transcode_list *made = &l->made[l->n_made];
    if (f->repr == RP_REPR_BITS)
        *made = rp__transcode_term_bits(&f->at, f->buffer, tfs, out);
    else if (f->repr == RP_REPR_DOCIDS || f->repr == RP_REPR_PLAIN)
        *made = rp__transcode_term_docids(&f->at, f->buffer, tfs, out);
    else
        *made = rp__transcode_term_tfs(&f->at, &f->own, tfs, out);
    f->made = l->n_made++;
}

/* Scratch of the chain, then a flag a list. What that needs does not depend on where lists are. */
static uint64_t plan_scratch(lists *l)
{
    l->n_made = 0;
    for (size_t i = 0; i < l->n; i++)
        if (is_made(&l->fresh[i]))
            make(l, &l->fresh[i]);
    l->needs = rp__transcode_needs(l->made, l->n_made);
    return rp__bits_align(l->needs.device + l->n_made * sizeof(uint32_t), RP_DEVICE_HEAP_GRAIN);
}

/* Of a list by itself: what is made of it, and its karg_term behind it. None of one that kernels read as it is stored,
 * which has that, unless it lies in the section. */
static uint64_t alone_bytes(const lists *l, const fresh *f)
{
    if (!f->is_alone || f->is_none || (f->is_stored && !l->lease->residency->is_whole))
        return 0;
    return rp__bits_align(made_bytes(l, f) + WORD, RP_DEVICE_HEAP_GRAIN);
}

/* What a list by itself becomes: docids, if kernels do not read it as it is stored. Those that are there are found. Where
 * it will lie is not known yet; an address of 0 would say that it is not wanted. */
static uint64_t plan_alone(lists *l, fresh *f)
{
    uint64_t bytes = 0;
    if (f->is_none || !f->is_alone)
        return 0;
    f->buffer = ALIGN;
    if (!f->decoded && !l->lease->residency->is_whole)
        bytes = rp__stored_lists_need(l->lease, &f->stored, 1);
    f->is_stored = !f->decoded && f->reads & RP_READS_LOOKUP && !is_plain(l);
    f->repr = f->is_stored ? RP_REPR_RECORD : is_plain(l) ? RP_REPR_PLAIN : RP_REPR_DOCIDS;
    return bytes + alone_bytes(l, f);
}

rp_status rp__lookup_lists_need(lists *l, uint64_t *transient)
{
    const bool is_whole = l->lease->residency->is_whole;
    rp_status status = l->lease->is_acquiring ? find_all(l) : RP_OK;
    l->bundle = NULL;
    for (size_t i = 0; i < l->n; i++)
        l->fresh[i].is_alone = !is_whole;
    if (status == RP_OK && is_whole)
        status = take_bundle(l);
    for (size_t i = 0; i < l->n && status == RP_OK; i++)
        *transient += plan_alone(l, &l->fresh[i]);
    *transient += plan_scratch(l);
    return status;
}

static rp_status take_one(lists *l, fresh *f, rp__cu_ptr *at)
{
    const uint64_t bytes = alone_bytes(l, f);
    rp_status status = RP_OK;
    if (f->is_none || !f->is_alone)
        return RP_OK;
    if (!f->decoded && !l->lease->residency->is_whole)
        status = rp__stored_lists_take(l->lease, &f->stored, 1, at);
    if (status != RP_OK || bytes == 0)
        return status;
    status = rp__lease_take_made(l->lease, bytes, f->entry.key, rp__reprs[f->repr].cost,
                                 is_plain(l), &f->piece);
    f->is_admitted = status == RP_OK;
    f->buffer = f->piece ? f->piece->at : *at;
    f->word = f->buffer + made_bytes(l, f);
    *at += f->piece ? 0 : bytes;
    return status == RP_NO_MEMORY ? RP_OK : status;
}

/* Long lists first, while there are long runs. */
rp_status rp__lookup_lists_take(lists *l, rp__cu_ptr *at)
{
    rp_status status = RP_OK;
    bool is_any_alone = false;
    for (size_t i = 0; i < l->n; i++)
        is_any_alone = is_any_alone || l->fresh[i].is_alone;
    for (uint32_t width = is_any_alone ? 33 : 0; width-- > 0;)
        for (size_t i = 0; i < l->n && status == RP_OK; i++)
            if (rp__bits_width64(l->fresh[i].list.n) == width)
                status = take_one(l, &l->fresh[i], at);
    l->scratch = *at;
    *at += plan_scratch(l);
    return status;
}

/* ---- To the device ------------------------------------------------------------------------------ */

/* What it is made of: of a list that comes and goes addresses are known now. */
static rp_status put_stored(lists *l, fresh *f)
{
    if (f->decoded || l->lease->residency->is_whole)
        return RP_OK;
    rp_status status = rp__stored_lists_put(l->lease, &f->stored, l->arena);
    if (status == RP_OK)
        point(f, f->stored.at);
    return status;
}

static void point_decoded(fresh *f)
{
    const uint64_t half = f->list.n * sizeof(uint32_t);
    f->entry.list.word = rp__gpu_list_copied(f->buffer, f->buffer + half, f->list.n);
    f->entry.list.word.list.universe = f->list.universe;
}

/* What one list is made of, and its entry. */
static rp_status put(lists *l, fresh *f)
{
    if (f->is_none)
        return RP_OK;
    rp_status status = put_stored(l, f);
    f->entry.n = f->list.n;
    f->entry.repr = f->repr;
    f->entry.piece = f->is_alone ? f->piece : l->bundle;
    f->entry.reads = f->is_stored ? f->reads : RP_READS_LOOKUP | RP_READS_TILES;
    f->entry.at = f->word ? f->word : f->stored.made.at;
    if (status == RP_OK && is_made(f))
        make(l, f);
    else if (status == RP_OK && f->decoded)
        point_decoded(f);
    else
        f->entry.list.word = f->own;
    const bool is_read = f->is_stored || (is_made(f) && f->repr == RP_REPR_FREQS); /* in place */
    if (status == RP_OK && is_read &&
        rp__list_checks_find(l->lease->residency, f->term) == RP_VERDICT_NONE)
        l->checks[l->n_checks++] = rp__list_checks_of(&f->list, f->term, &f->own, false);
    return status;
}

static rp_status put_all(lists *l)
{
    rp_status status = RP_OK;
    l->n_made = l->n_checks = 0;
    for (size_t i = 0; i < l->n && status == RP_OK; i++)
        status = put(l, &l->fresh[i]);
    return status;
}

static rp_status put_zeros(rp__uploader *uploader, uint64_t bytes)
{
    static const uint8_t zeros[ALIGN];
    rp_status status = RP_OK;
    for (uint64_t n; status == RP_OK && bytes > 0; bytes -= n) {
        n = bytes < sizeof zeros ? bytes : sizeof zeros;
        status = rp__uploader_put(uploader, zeros, n);
    }
    return status;
}

/* Then as many bytes as follow it up to `bytes`. */
static rp_status put_padded(rp__uploader *uploader, const void *from, uint64_t n, uint64_t bytes)
{
    rp_status status = rp__uploader_put(uploader, from, n);
    return status == RP_OK ? put_zeros(uploader, bytes - n) : status;
}

/* Those of a bundle are neighbours, and go by one copy: records, then lists that are decoded. */
static rp_status put_bundle(const lists *l, rp__uploader *uploader)
{
    uint64_t words = 0;
    rp_status status = RP_OK;
    rp__uploader_begin(uploader, l->bundle->at);
    for (size_t i = 0; i < l->n && status == RP_OK; i++) {
        if (l->fresh[i].is_alone)
            continue;
        status = put_padded(uploader, &l->fresh[i].entry.list.word, sizeof(karg_term), WORD);
        words += WORD;
    }
    if (status == RP_OK)
        status = put_zeros(uploader, rp__bits_align(words, ALIGN) - words);
    for (size_t i = 0; i < l->n && status == RP_OK; i++) {
        const fresh *f = &l->fresh[i];
        if (f->decoded && !f->is_none && !f->is_alone)
            status = put_padded(uploader, f->decoded, decoded_bytes(f), made_bytes(l, f));
    }
    return status == RP_OK ? rp__uploader_send(uploader) : status;
}

/* A list that has a piece of its own: its karg_term lies behind it. */
static rp_status put_piece(const lists *l, rp__uploader *uploader, const fresh *f)
{
    if (f->is_none || !f->is_alone || !f->word)
        return RP_OK;
    rp__uploader_begin(uploader, f->decoded ? f->buffer : f->word);
    rp_status status =
        f->decoded ? put_padded(uploader, f->decoded, decoded_bytes(f), made_bytes(l, f)) : RP_OK;
    if (status == RP_OK)
        status = rp__uploader_put(uploader, &f->entry.list.word, sizeof(karg_term));
    return status == RP_OK ? rp__uploader_send(uploader) : status;
}

static rp_status put_words(const lists *l, rp__uploader *uploader)
{
    rp_status status = l->bundle ? put_bundle(l, uploader) : RP_OK;
    for (size_t i = 0; i < l->n && status == RP_OK; i++)
        status = put_piece(l, uploader, &l->fresh[i]);
    return status;
}

/* Bits are made in a bundle alone. */
static rp_status clear_bits(const lists *l)
{
    rp__device *d = l->lease->device;
    if (!l->bundle || l->bits == l->bits_end)
        return RP_OK;
    return rp__device_check(d, d->driver->fill32(l->bits, 0,
                                                 (l->bits_end - l->bits) / sizeof(uint32_t),
                                                 l->lease->stream));
}

/* Transcodes. Flags come back to `host`, and behind them are the chain's records. */
static rp_status transcode(const lists *l, uint8_t *host)
{
    rp__device *d = l->lease->device;
    const size_t flags = l->n_made * sizeof(uint32_t);
    const rp__transcode to = {.device = d,
                              .stream = l->lease->stream,
                              .host = host + rp__bits_align(flags, RP_TRANSCODE_ALIGN),
                              .scratch = l->scratch,
                              .damaged = l->scratch + l->needs.device};
    if (l->n_made == 0)
        return RP_OK;
    rp_status status = rp__transcode_run(&to, l->made, l->n_made);
    if (status == RP_OK)
        status = rp__device_check(d, d->driver->copy_out(host, to.damaged, flags, to.stream));
    return status;
}

/* All that was put is there then, and what is made of it. */
static rp_status launch(const lists *l, uint8_t *host)
{
    rp_status status = rp__lease_upload(l->lease);
    if (status == RP_OK)
        status = clear_bits(l);
    if (status == RP_OK)
        status = transcode(l, host);
    if (status == RP_OK)
        status = rp__list_checks_run(l->lease, l->lease->stream, l->checks, l->n_checks);
    return status == RP_OK ? rp__device_wait_stream(l->lease->device, l->lease->stream) : status;
}

/* Those that are damaged: kernels cannot have them, nor as they are stored. Others that have no
 * check of their own are sound. */
static void take_back(lists *l, const uint32_t *damaged)
{
    rp__residency *r = l->lease->residency;
    (void)rp__list_checks_end(l->lease, l->checks, l->n_checks);
    for (size_t i = 0; i < l->n; i++) {
        fresh *f = &l->fresh[i];
        if (is_made(f) && (damaged[f->made] || !rp__gpu_list_has_docids(&f->list)))
            rp__list_checks_keep(r, f->term,
                                 damaged[f->made] ? RP_VERDICT_DAMAGED : RP_VERDICT_SOUND);
        if (f->decoded || f->is_none || rp__list_checks_find(r, f->term) != RP_VERDICT_DAMAGED)
            continue;
        f->is_none = true;
        f->entry.at = 0;
        f->entry.piece = NULL;
    }
}

static void publish_bundle(lists *l)
{
    const rp__resident **entries = rp__arena_array(l->arena, l->n, sizeof(rp__resident *));
    size_t n = 0;
    for (size_t i = 0; i < l->n && entries; i++)
        if (!l->fresh[i].is_none && !l->fresh[i].is_alone)
            entries[n++] = &l->fresh[i].entry;
    if (n > 0)
        (void)rp__lease_publish(l->lease, entries, n);
}

static void publish_all(lists *l)
{
    const bool is_whole = l->lease->residency->is_whole;
    uint64_t postings = 0;
    if (l->bundle)
        publish_bundle(l);
    for (size_t i = 0; i < l->n_made; i++)
        postings += l->made[i].list.n;
    for (size_t i = 0; i < l->n; i++) {
        const fresh *f = &l->fresh[i];
        if (!f->decoded && !is_whole && !f->is_none)
            rp__stored_lists_publish(l->lease, &f->stored, 1);
        if (f->is_none || (f->piece && f->is_admitted))
            (void)rp__lease_publish(l->lease, &(const rp__resident *){&f->entry}, 1);
    }
    l->lease->device->counters.transcoded_postings += postings;
}

rp_status rp__lookup_lists_fill(lists *l)
{
    rp__uploader *uploader;
    uint8_t *host;
    if (l->n == 0)
        return RP_OK;
    rp_status status = rp__lease_uploader(l->lease, &uploader);
    const size_t flags = rp__bits_align(l->n_made * sizeof(uint32_t), RP_TRANSCODE_ALIGN);
    if (status == RP_OK)
        status = rp__uploader_pin(uploader, flags + l->needs.host, &host);
    if (status == RP_OK)
        status = put_all(l);
    if (status == RP_OK)
        status = put_words(l, uploader);
    if (status == RP_OK)
        status = launch(l, host);
    if (status != RP_OK)
        return status;
    take_back(l, (const uint32_t *)(const void *)host);
    publish_all(l);
    return RP_OK;
}
