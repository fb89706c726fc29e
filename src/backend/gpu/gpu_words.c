/* gpu_words.c: a table of lists that only grows: reading takes no lock.
 *
 * New lists are opened, and tiny ones decoded, by the thread that asks for them: that reads mapped
 * memory, so it holds no lock. Then they get places on the device, many at a time, and a maker
 * (gpu_maker.c) brings them there: bits of dense ones, docids of others, frequencies, all as they
 * are looked up fastest, while there is memory to spare for it; lists in codecs that kernels of
 * ANDs do not read in any case. They are in the table once that is seen to have ended. A list that
 * turns out to be damaged is in the table too, as none for the device, and is not looked at again.
 * */
#include "backend/gpu/gpu_words.h"

#include <string.h>

#include "backend/gpu/gpu_list.h"
#include "backend/gpu/transcode_word.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "codec/codec.h"

enum {
    SLOTS_LEAST = 1 << 10,
    SLOTS_MOST = 1 << 22,
    PIECE_LEAST =
        1 << 17, /* bytes of device memory that are taken at a time: as many as there are */
    PIECE_MOST = 1 << 28,
    BLOCK = 256, /* words */
    ALIGN = 16,
    DENSE_GAP = 64,        /* docids to a posting up to which a list is looked up in bits */
    DENSE_LEAST = 1 << 12, /* postings of such a list */
    POSTINGS = 1 << 26,    /* of lists that are transcoded together */
};

/* What becomes of a list's docids. */
typedef enum form { FORM_NONE, FORM_DECODED, FORM_OWN, FORM_DOCIDS, FORM_BITS, FORM_TFS } form;

/* A list on its way into the table. */
typedef struct fresh {
    uint64_t key, at; /* as a slot has them */
    rp__gpu_word word;
    karg_list stored; /* as the index stores it; of one that is decoded, its numbers alone */
    karg_word
        own; /* as kernels of ANDs read it as it lies, if they do; docids of a bitmap in any case */
    form form;
    rp_fallback fallback;    /* why it is none for the device, if that was seen by now */
    bool is_read;            /* kernels of ANDs read it as it lies */
    uint64_t room;           /* of what is made of it */
    uint32_t made;           /* its index among those transcoded */
    const uint32_t *decoded; /* docids, and as many frequencies behind them */
} fresh;

/* ---- Memory ---------------------------------------------------------------------------------- */

rp_status rp__gpu_words_open(rp__gpu_words *w, const rp__gpu_index *index, uint64_t n_terms,
                             uint64_t most)
{
    *w = (rp__gpu_words){.index = index, .most = most, .n_slots = SLOTS_LEAST};
    pthread_mutex_init(&w->lock, NULL);
    pthread_mutex_init(&w->table, NULL);
    for (size_t i = 0; i < RP_GPU_WORDS_MAKERS; i++)
        pthread_mutex_init(&w->makers[i].lock, NULL);
    while (w->n_slots < 2 * n_terms && w->n_slots < SLOTS_MOST)
        w->n_slots *= 2;
    w->slots = rp__alloc_random(w->n_slots, sizeof *w->slots);
    return w->slots ? RP_OK : RP_NO_MEMORY;
}

/* Pieces are of all makers: any that is open gives them back. */
static void free_pieces(rp__gpu_words *w)
{
    rp__device *device = NULL;
    for (size_t i = 0; i < RP_GPU_WORDS_MAKERS && !device; i++)
        device = w->makers[i].device.context ? &w->makers[i].device : NULL;
    if (!device)
        return;
    (void)rp__device_enter(device);
    for (size_t i = 0; i < w->n_pieces; i++)
        rp__device_free(device, w->pieces[i]);
}

void rp__gpu_words_close(rp__gpu_words *w)
{
    if (!w->index)
        return;
    free_pieces(w);
    for (size_t i = 0; i < RP_GPU_WORDS_MAKERS; i++) {
        rp__gpu_maker_close(&w->makers[i]);
        pthread_mutex_destroy(&w->makers[i].lock);
    }
    for (size_t i = 0; i < w->n_blocks; i++)
        rp__free(w->blocks[i]);
    rp__free(w->blocks);
    rp__free(w->pieces);
    rp__free_random(w->slots, w->n_slots, sizeof *w->slots);
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->table);
    *w = (rp__gpu_words){0};
}

static rp_status add_piece(rp__gpu_words *w, rp__device *device, uint64_t bytes)
{
    size_t unused, total;
    rp__cu_ptr at;
    rp_status status = rp__device_check(device, device->driver->memory_info(&unused, &total));
    if (status != RP_OK)
        return status;
    uint64_t most = w->most ? w->most : w->bytes + unused / 2;
    uint64_t left = most > w->bytes ? most - w->bytes : 0;
    uint64_t size = w->bytes < PIECE_LEAST ? PIECE_LEAST : w->bytes;
    size = size < PIECE_MOST ? size : PIECE_MOST;
    size = size < left ? size : left;
    size = size > bytes ? size : bytes;
    if (size > left || !rp__alloc_grow(&w->pieces, &w->cap_pieces, w->n_pieces + 1, sizeof at))
        return RP_NO_MEMORY;
    status = rp__device_alloc(device, size, &at);
    if (status != RP_OK) {
        rp__device_free(device, at); /* the card may have been lost meanwhile */
        return status;
    }
    w->pieces[w->n_pieces++] = w->at = at;
    w->left = size;
    w->bytes += size;
    return RP_OK;
}

/* What is left of the piece before is lost. */
static rp_status take_place(rp__gpu_words *w, rp__device *device, uint64_t bytes, uint64_t *at)
{
    bytes = rp__bits_align(bytes, ALIGN);
    rp_status status = bytes <= w->left ? RP_OK : add_piece(w, device, bytes);
    if (status != RP_OK)
        return status;
    *at = w->at;
    w->at += bytes;
    w->left -= bytes;
    return RP_OK;
}

static rp_status take_word(rp__gpu_words *w, rp__gpu_word **out)
{
    if (w->n_blocks == 0 || w->taken == BLOCK) {
        rp__gpu_word *block = rp__alloc_array(BLOCK, sizeof *block);
        if (!block ||
            !rp__alloc_grow(&w->blocks, &w->cap_blocks, w->n_blocks + 1, sizeof *w->blocks)) {
            rp__free(block);
            return RP_NO_MEMORY;
        }
        w->blocks[w->n_blocks++] = block;
        w->taken = 0;
    }
    *out = &w->blocks[w->n_blocks - 1][w->taken++];
    return RP_OK;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Not 0, and never that of another list: offsets have no highest bit, nor have addresses. */
static uint64_t key_of(const rp__term *term)
{
    return term->tiny ? (uint64_t)(uintptr_t)term->tiny : term->list_offset | UINT64_C(1) << 63;
}

static size_t place_of(const rp__gpu_words *w, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (w->n_slots - 1);
}

/* The slot where the key is, or goes. */
static rp__gpu_slot *slot_of(const rp__gpu_words *w, uint64_t key, bool *is_there)
{
    size_t i = place_of(w, key);
    uint64_t there;
    while ((there = atomic_load_explicit(&w->slots[i].key, memory_order_acquire)) != 0 &&
           there != key)
        i = (i + 1) & (w->n_slots - 1);
    *is_there = there != 0;
    return &w->slots[i];
}

const rp__gpu_slot *rp__gpu_words_find(const rp__gpu_words *w, const rp__term *term)
{
    bool is_there;
    const rp__gpu_slot *slot = slot_of(w, key_of(term), &is_there);
    return is_there ? slot : NULL;
}

void rp__gpu_words_expect(const rp__gpu_words *w, const rp__term *term)
{
    __builtin_prefetch(&w->slots[place_of(w, key_of(term))]);
}

/* Unless another thread was faster. */
static rp_status publish(rp__gpu_words *w, const fresh *f)
{
    bool is_there;
    rp__gpu_slot *slot = slot_of(w, f->key, &is_there);
    rp__gpu_word *word;
    if (is_there)
        return RP_OK;
    if (w->n >= w->n_slots / 2)
        return RP_NO_MEMORY;
    rp_status status = take_word(w, &word);
    if (status != RP_OK)
        return status;
    *word = f->word;
    slot->at = f->at;
    slot->word = word;
    slot->n = f->word.word.list.n;
    slot->fallback = f->at ? RP_FALLBACK_NONE : f->fallback ? f->fallback : RP_FALLBACK_MEMORY;
    atomic_store_explicit(&slot->key, f->key, memory_order_release);
    w->n++;
    return RP_OK;
}

/* ---- New lists ------------------------------------------------------------------------------- */

static rp_status decode(const rp__list *list, rp__arena *arena, const uint32_t **out)
{
    size_t room = list->n + (size_t)RP_BLOCK_ROOM;
    uint32_t *docids = rp__arena_array(arena, 2 * room, sizeof *docids);
    if (!docids)
        return RP_NO_MEMORY;
    rp_status status = rp__list_decode(list, docids, docids + room);
    memmove(docids + list->n, docids + room, list->n * sizeof *docids);
    *out = docids;
    return status;
}

/* Whether the list lies on the device, in a form from which it can be transcoded. */
static bool is_stored(const rp__gpu_words *w, const rp__list *list, fresh *out)
{
    if (!rp__gpu_index_list(w->index, list, &out->stored))
        return false;
    out->stored.freq_code = rp__transcode_freq_code(list);
    out->is_read = rp__gpu_and_word(w->index, list, &out->own) == RP_OK;
    if (!out->is_read && rp__gpu_list_word(w->index, list, &out->own) != RP_OK)
        out->own = (karg_word){.list = out->stored};
    return rp__transcode_can(&out->stored);
}

/* A dense list becomes bits, in which a docid is one look; a bitmap is. */
static form form_of(const fresh *f)
{
    const karg_list *list = &f->stored;
    bool is_dense = list->n >= DENSE_LEAST && list->universe / list->n < DENSE_GAP;
    bool has_bits = f->own.list.codec == KARG_CODEC_BITMAP && f->own.n_words > 0;
    return has_bits ? FORM_TFS : is_dense ? FORM_BITS : FORM_DOCIDS;
}

static rp_fallback reason_of(rp_status status)
{
    return status == RP_NO_MEMORY ? RP_FALLBACK_HOST_MEMORY : RP_FALLBACK_DAMAGED;
}

/* A list that is damaged, or does not fit, is none for the device. Tiny lists lie in the
 * dictionary: they alone are decoded here. */
static void look(const rp__gpu_words *w, const rp__segment *segment, const rp__term *term,
                 rp__arena *arena, fresh *out, rp_gpu_counters *counters)
{
    rp__list list;
    *out = (fresh){.key = key_of(term)};
    rp_status status = rp__segment_list(segment, term, arena, &list);
    if (status != RP_OK) {
        out->fallback = reason_of(status);
        return;
    }
    if (list.kths)
        memcpy(out->word.kths, list.kths, sizeof out->word.kths);
    if (is_stored(w, &list, out)) {
        out->form = form_of(out);
        return;
    }
    status = decode(&list, arena, &out->decoded);
    if (status != RP_OK) {
        out->fallback = reason_of(status);
        return;
    }
    rp__gpu_list_count_decoded(&list, counters);
    out->form = FORM_DECODED;
    out->own = rp__gpu_and_copied(0, 0, list.n);
    out->own.list.universe = list.universe;
    out->stored = out->own.list;
}

/* ---- Places ------------------------------------------------------------------------------------ */

/* What a maker is given. */
typedef struct work {
    rp__gpu_maker *maker;
    fresh *new;
    size_t n;
    rp__transcode_list *lists; /* n of them, in the arena */
    uint32_t n_lists;
    uint64_t postings;         /* of those lists */
    uint64_t bits, bits_bytes; /* what is to be cleared */
} work;

static bool is_made(const fresh *f)
{
    return f->form == FORM_BITS || f->form == FORM_DOCIDS || f->form == FORM_TFS;
}

static size_t room_bytes(const fresh *f)
{
    size_t words = rp__transcode_word_array_bytes(f->stored.n);
    if (f->form == FORM_BITS)
        return rp__transcode_word_bits_bytes(&f->stored) + words;
    return f->form == FORM_DOCIDS ? 2 * words : f->form == FORM_TFS ? words : 0;
}

/* Lists that can be read as they lie, where what is made of others like them does not fit. */
static void leave_own(work *k, form which)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->new[i].form == which && k->new[i].is_read)
            k->new[i].form = FORM_OWN;
}

/* Bytes of all rooms of a form; *spare: of those of lists that can be read as they lie. */
static uint64_t sum_rooms(const work *k, form which, uint64_t *spare)
{
    uint64_t sum = *spare = 0;
    for (size_t i = 0; i < k->n; i++) {
        size_t bytes = k->new[i].form == which ? room_bytes(&k->new[i]) : 0;
        sum += bytes;
        *spare += k->new[i].is_read ? bytes : 0;
    }
    return sum;
}

static rp_status take_stretch(rp__gpu_words *w, work *k, uint64_t bytes, uint64_t *at)
{
    rp_status status = RP_OK;
    *at = 0;
    if (bytes > 0)
        status = take_place(w, &k->maker->device, bytes + RP_TRANSCODE_WORD_ALIGN, at);
    *at = rp__bits_align(*at, RP_TRANSCODE_WORD_ALIGN);
    return status;
}

/* Rooms of all lists of a form, side by side, so that bits are cleared at once, and records lie
 * side by side too. Where there is no memory, those that can be read as they lie are; then bits
 * become docids, and docids nothing. */
static rp_status take_rooms(rp__gpu_words *w, work *k, form which)
{
    uint64_t spare, at, bytes = sum_rooms(k, which, &spare);
    rp_status status = spare > w->spare ? RP_NO_MEMORY : take_stretch(w, k, bytes, &at);
    if (status == RP_NO_MEMORY && spare > 0) {
        leave_own(k, which);
        bytes = sum_rooms(k, which, &spare);
        status = take_stretch(w, k, bytes, &at);
    }
    if (status != RP_OK && status != RP_NO_MEMORY)
        return status;
    w->spare -= status == RP_OK ? spare : 0;
    k->bits = which == FORM_BITS ? at : k->bits;
    k->bits_bytes = which == FORM_BITS && status == RP_OK ? bytes : k->bits_bytes;
    for (size_t i = 0; i < k->n; i++) {
        fresh *f = &k->new[i];
        if (f->form != which)
            continue;
        f->room = at;
        at += room_bytes(f);
        if (status != RP_OK)
            f->form = which == FORM_BITS ? FORM_DOCIDS : FORM_NONE;
    }
    return RP_OK;
}

/* Of the record, with docids and frequencies of a list that was decoded behind it. */
static size_t record_bytes(const fresh *f)
{
    return sizeof(karg_word) + (f->form == FORM_DECODED ? 2 * f->own.list.n * sizeof(uint32_t) : 0);
}

static rp_status measure(rp__gpu_words *w, rp__device *device)
{
    size_t unused, total;
    if (w->is_measured)
        return RP_OK;
    rp_status status = rp__device_check(device, device->driver->memory_info(&unused, &total));
    w->spare = (w->most ? w->most : unused / 2) / 2;
    w->is_measured = status == RP_OK;
    return status;
}

/* Places of all that are still new. No memory for one is no fault. */
static rp_status take_places(rp__gpu_words *w, work *k)
{
    static const form made[] = {FORM_BITS, FORM_DOCIDS, FORM_TFS};
    bool is_there;
    rp_status status = measure(w, &k->maker->device);
    for (size_t i = 0; i < k->n; i++) {
        fresh *f = &k->new[i];
        (void)slot_of(w, f->key, &is_there);
        f->form = is_there || f->own.list.n == 0 ? FORM_NONE : f->form;
    }
    for (size_t i = 0; i < sizeof made / sizeof *made && status == RP_OK; i++)
        status = take_rooms(w, k, made[i]);
    for (size_t i = 0; i < k->n && status == RP_OK; i++) {
        fresh *f = &k->new[i];
        if (f->form != FORM_NONE)
            status = take_place(w, &k->maker->device, record_bytes(f), &f->at);
        if (status == RP_NO_MEMORY) {
            f->form = FORM_NONE;
            f->at = 0;
            status = RP_OK;
        }
    }
    return status;
}

/* ---- To the device --------------------------------------------------------------------------- */

static void make(work *k, fresh *f)
{
    rp__transcode_list *made = &k->lists[k->n_lists];
    uint64_t tfs = f->room + room_bytes(f) - rp__transcode_word_array_bytes(f->stored.n);
    karg_word *word = &f->word.word;
    if (f->form == FORM_BITS)
        *made = rp__transcode_word_bits(&f->stored, f->room, tfs, word);
    else if (f->form == FORM_DOCIDS)
        *made = rp__transcode_word_docids(&f->stored, f->room, tfs, word);
    else
        *made = rp__transcode_word_tfs(&f->stored, &f->own, tfs, word);
    f->made = k->n_lists++;
    k->postings += f->stored.n;
}

/* Record, then docids, then frequencies. */
static rp_status send(work *k, fresh *f)
{
    uint64_t half = f->own.list.n * sizeof(uint32_t), docs = f->at + sizeof(karg_word);
    f->word.word = f->own;
    if (is_made(f))
        make(k, f);
    if (f->form == FORM_DECODED) {
        f->word.word.list.docs = docs;
        f->word.word.list.freqs = docs + half;
    }
    rp_status status = rp__gpu_maker_send(k->maker, f->at, &f->word.word, sizeof(karg_word));
    if (status == RP_OK && f->form == FORM_DECODED)
        status = rp__gpu_maker_send(k->maker, docs, f->decoded, 2 * half);
    return status;
}

/* A damaged list is none for the device: the CPU answers, and says so. */
static void leave_out(work *k, const uint32_t *damaged)
{
    for (size_t i = 0; i < k->n; i++) {
        fresh *f = &k->new[i];
        if (!is_made(f) || !damaged[f->made])
            continue;
        f->at = 0;
        f->fallback = RP_FALLBACK_DAMAGED;
    }
}

static rp_status bring(work *k)
{
    const uint32_t *damaged;
    rp_status status = rp__gpu_maker_clear(k->maker, k->bits, k->bits_bytes);
    for (size_t i = 0; i < k->n && status == RP_OK; i++)
        if (k->new[i].form != FORM_NONE)
            status = send(k, &k->new[i]);
    if (status == RP_OK)
        status = rp__gpu_maker_run(k->maker, k->lists, k->n_lists, &damaged);
    if (status != RP_OK)
        return status;
    k->maker->device.counters.transcoded_postings += k->postings;
    leave_out(k, damaged);
    return RP_OK;
}

/* With the maker's lock. */
static rp_status place_all(rp__gpu_words *w, work *k)
{
    rp_status status = rp__gpu_maker_enter(k->maker, w->index->device);
    if (status != RP_OK)
        return status;
    pthread_mutex_lock(&w->lock);
    status = take_places(w, k);
    pthread_mutex_unlock(&w->lock);
    if (status == RP_OK)
        status = bring(k);
    if (status != RP_OK)
        return status;
    pthread_mutex_lock(&w->table);
    for (size_t i = 0; i < k->n && status == RP_OK; i++)
        status = publish(w, &k->new[i]);
    pthread_mutex_unlock(&w->table);
    return status;
}

/* Those of the terms that are not known yet, each once: how many. */
static size_t look_at_all(const rp__gpu_words *w, const rp__segment *segment,
                          const rp__term *const *terms, size_t n, rp__arena *arena, fresh *new,
                          rp_gpu_counters *counters)
{
    size_t n_new = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_there = rp__gpu_words_find(w, terms[i]) != NULL;
        for (size_t j = 0; j < n_new && !is_there; j++)
            is_there = new[j].key == key_of(terms[i]);
        if (!is_there)
            look(w, segment, terms[i], arena, &new[n_new++], counters);
    }
    return n_new;
}

/* How many of them are placed together: what a chain needs beside stays small. */
static size_t count_together(const fresh *new, size_t n)
{
    uint64_t postings = 0;
    size_t some = 0;
    while (some < n && some < RP_GPU_MAKER_LISTS && postings <= POSTINGS)
        postings += new[some++].own.list.n;
    return some;
}

/* With the maker's lock. */
static rp_status place_and_count(rp__gpu_words *w, work *k, rp_gpu_counters *counters)
{
    rp_gpu_counters before = k->maker->device.counters;
    rp_status status = place_all(w, k);
    rp_gpu_counters spent = rp__device_count_since(&k->maker->device, &before);
    rp__answer_count(counters, &spent);
    return status;
}

rp_status rp__gpu_words_add(rp__gpu_words *w, const rp__segment *segment,
                            const rp__term *const *terms, size_t n, rp__arena *arena,
                            rp_gpu_counters *counters)
{
    size_t most = n < RP_GPU_MAKER_LISTS ? n : RP_GPU_MAKER_LISTS, some;
    fresh *new = rp__arena_array(arena, n, sizeof *new);
    rp__transcode_list *lists = rp__arena_array(arena, most, sizeof *lists);
    if (!new || !lists)
        return RP_NO_MEMORY;
    size_t n_new = look_at_all(w, segment, terms, n, arena, new, counters);
    rp__gpu_maker *maker = &w->makers[atomic_fetch_add(&w->next, 1) % RP_GPU_WORDS_MAKERS];
    rp_status status = RP_OK;
    for (size_t i = 0; i < n_new && status == RP_OK; i += some) {
        some = count_together(new + i, n_new - i);
        pthread_mutex_lock(&maker->lock);
        work k = {.maker = maker, .new = new + i, .n = some, .lists = lists};
        status = place_and_count(w, &k, counters);
        pthread_mutex_unlock(&maker->lock);
    }
    return status;
}
