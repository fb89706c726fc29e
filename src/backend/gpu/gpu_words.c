/* gpu_words.c: a table of lists that only grows: reading takes no lock.
 *
 * New lists are opened, and decoded where they must be, by the thread that asks for them: that reads mapped memory, so
 * it holds no lock. Then, under the lock, they get a place on the device and are copied; they are in the table once
 * the copy is seen to have ended. */
#include "backend/gpu/gpu_words.h"

#include <string.h>

#include "backend/gpu/gpu_derive.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "codec/codec.h"

enum {
    SLOTS_LEAST = 1 << 10,
    SLOTS_MOST = 1 << 22,
    STAGE = 1 << 20, /* bytes that are copied at a time */
    PIECE_LEAST =
        1 << 17, /* bytes of device memory that are taken at a time: as many as there are */
    PIECE_MOST = 1 << 24,
    BLOCK = 256, /* words */
    ALIGN = 16,
    ROOM_ALIGN = 256,      /* of what is derived */
    DENSE_GAP = 64,        /* docids to a posting up to which a list is looked up in bits */
    DENSE_LEAST = 1 << 12, /* postings of such a list */
};

/* A list on its way into the table. */
typedef struct fresh {
    rp__gpu_word word;
    const uint32_t
        *decoded; /* docids, and as many frequencies behind them; NULL: it is read where it lies */
} fresh;

/* ---- Memory ---------------------------------------------------------------------------------- */

rp_status rp__gpu_words_open(rp__gpu_words *w, const rp__gpu_index *index, uint64_t n_terms,
                             uint64_t most)
{
    *w = (rp__gpu_words){.index = index, .most = most, .n_slots = SLOTS_LEAST};
    pthread_mutex_init(&w->lock, NULL);
    while (w->n_slots < 2 * n_terms && w->n_slots < SLOTS_MOST)
        w->n_slots *= 2;
    w->slots = rp__alloc_zero(w->n_slots, sizeof *w->slots);
    return w->slots ? RP_OK : RP_NO_MEMORY;
}

static void close_device(rp__gpu_words *w)
{
    if (!w->device.context)
        return;
    (void)rp__device_enter(&w->device);
    for (size_t i = 0; i < w->n_pieces; i++)
        rp__device_free(&w->device, w->pieces[i]);
    if (w->stage)
        w->device.driver->host_free(w->stage);
    rp__device_close(&w->device);
}

void rp__gpu_words_close(rp__gpu_words *w)
{
    if (!w->index)
        return;
    close_device(w);
    for (size_t i = 0; i < w->n_blocks; i++)
        rp__free(w->blocks[i]);
    rp__free(w->blocks);
    rp__free(w->pieces);
    rp__free(w->slots);
    pthread_mutex_destroy(&w->lock);
    *w = (rp__gpu_words){0};
}

/* The device of the index, by a stream of our own, with nothing in work. */
static rp_status enter(rp__gpu_words *w)
{
    rp_error err;
    void *stage = NULL;
    const rp__device *of = w->index->device;
    rp_status status = RP_OK;
    if (!w->device.context)
        status = rp__device_twin(&w->device, of, &err);
    if (status == RP_OK)
        status = rp__device_enter(&w->device);
    if (status == RP_OK && w->is_busy)
        status = rp__device_wait(&w->device);
    if (status == RP_OK && !w->stage) {
        status = rp__device_check(&w->device, w->device.driver->host_alloc(&stage, STAGE, 0));
        w->stage = status == RP_OK ? stage : NULL;
    }
    w->is_busy = w->is_busy && status != RP_OK;
    return status;
}

static rp_status add_piece(rp__gpu_words *w, uint64_t bytes)
{
    size_t unused, total;
    rp__cu_ptr at;
    rp_status status = rp__device_check(&w->device, w->device.driver->memory_info(&unused, &total));
    if (status != RP_OK)
        return status;
    uint64_t most = w->most ? w->most : w->bytes + unused / 2;
    uint64_t size = w->bytes < PIECE_LEAST ? PIECE_LEAST : w->bytes;
    size = size < PIECE_MOST ? size : PIECE_MOST;
    size = size > bytes ? size : bytes;
    if (size > most || w->bytes > most - size ||
        !rp__alloc_grow(&w->pieces, &w->cap_pieces, w->n_pieces + 1, sizeof at))
        return RP_NO_MEMORY;
    status = rp__device_alloc(&w->device, size, &at);
    if (status != RP_OK)
        return status;
    w->pieces[w->n_pieces++] = w->at = at;
    w->left = size;
    w->bytes += size;
    return RP_OK;
}

/* What is left of the piece before is lost. */
static rp_status take_place(rp__gpu_words *w, uint64_t bytes, uint64_t *at)
{
    bytes = rp__bits_align(bytes, ALIGN);
    rp_status status = bytes <= w->left ? RP_OK : add_piece(w, bytes);
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

/* The slot where the key is, or goes. */
static _Atomic(rp__gpu_word *) *slot_of(const rp__gpu_words *w, uint64_t key, rp__gpu_word **there)
{
    size_t mask = w->n_slots - 1, i = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask;
    while ((*there = atomic_load_explicit(&w->slots[i], memory_order_acquire)) != NULL &&
           (*there)->key != key)
        i = (i + 1) & mask;
    return &w->slots[i];
}

const rp__gpu_word *rp__gpu_words_find(const rp__gpu_words *w, const rp__term *term)
{
    rp__gpu_word *there;
    (void)slot_of(w, key_of(term), &there);
    return there;
}

/* Unless another thread was faster. */
static rp_status publish(rp__gpu_words *w, const rp__gpu_word *word)
{
    rp__gpu_word *there;
    _Atomic(rp__gpu_word *) *slot = slot_of(w, word->key, &there);
    if (there)
        return RP_OK;
    if (w->n >= w->n_slots / 2)
        return RP_NO_MEMORY;
    rp_status status = take_word(w, &there);
    if (status != RP_OK)
        return status;
    *there = *word;
    there->n = word->word.list.n;
    atomic_store_explicit(slot, there, memory_order_release);
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

/* Whether the kernels of ANDs read the list where it lies. */
static bool is_read(const rp__gpu_words *w, const rp__list *list, karg_word *out)
{
    uint32_t id = list->codec ? list->codec->id : 0;
    return (id == KARG_CODEC_RAW || id == KARG_CODEC_BP128 || id == KARG_CODEC_EF128 ||
            id == KARG_CODEC_BITMAP) &&
           rp__gpu_and_word(w->index, list, out) == RP_OK;
}

/* A list that is damaged, or does not fit, is none for the device. */
static void look(const rp__gpu_words *w, const rp__segment *segment, const rp__term *term,
                 rp__arena *arena, fresh *out)
{
    rp__list list;
    *out = (fresh){.word.key = key_of(term)};
    rp_status status = rp__segment_list(segment, term, arena, &list);
    if (status == RP_OK && list.kths)
        memcpy(out->word.kths, list.kths, sizeof out->word.kths);
    if (status == RP_OK && is_read(w, &list, &out->word.word))
        return;
    out->word.word = (karg_word){0};
    if (status == RP_OK)
        status = decode(&list, arena, &out->decoded);
    if (status == RP_OK)
        out->word.word = rp__gpu_and_copied(0, 0, list.n);
    else
        out->decoded = NULL;
    out->word.word.list.universe = list.universe;
}

/* ---- To the device --------------------------------------------------------------------------- */

/* Bytes of the stage that go to one stretch of device memory. */
typedef struct stretch {
    size_t from, n;
    uint64_t to;
} stretch;

static rp_status flush(rp__gpu_words *w, stretch *s)
{
    rp_status status = rp__device_copy_in(&w->device, s->to, w->stage + s->from, s->n);
    s->from += s->n;
    s->to += s->n;
    s->n = 0;
    return status;
}

/* Waits where the stage is full. Places rise, but for those in another piece. */
static rp_status send(rp__gpu_words *w, stretch *s, uint64_t to, const void *from, size_t bytes)
{
    const uint8_t *at = from;
    uint64_t gap = to - (s->to + s->n);
    rp_status status = RP_OK;
    if (gap < ALIGN && gap < STAGE - s->from - s->n) {
        s->n += gap;
    } else {
        status = flush(w, s);
        s->to = to;
    }
    while (bytes > 0 && status == RP_OK) {
        if (s->from + s->n == STAGE) {
            status = flush(w, s);
            if (status == RP_OK)
                status = rp__device_wait(&w->device);
            s->from = 0;
        }
        size_t room = STAGE - s->from - s->n, n = bytes < room ? bytes : room;
        memcpy(w->stage + s->from + s->n, at, n);
        s->n += n;
        at += n;
        bytes -= n;
    }
    return status;
}

/* A dense list becomes bits, in which a docid is one look; where that cannot be it stays as it is. */
static rp_status derive(rp__gpu_words *w, karg_word *word)
{
    const karg_list *list = &word->list;
    bool is_dense = list->n >= DENSE_LEAST && list->universe / list->n < DENSE_GAP;
    uint64_t at;
    karg_word bits;
    if (!is_dense || list->codec == KARG_CODEC_BITMAP)
        return RP_OK;
    rp_status status = take_place(w, rp__gpu_derive_bits_bytes(list->universe) + ROOM_ALIGN, &at);
    if (status == RP_OK)
        status = rp__gpu_derive_bits(&w->device, word, rp__bits_align(at, ROOM_ALIGN), &bits);
    if (status == RP_OK)
        *word = bits;
    return status == RP_NO_MEMORY || status == RP_DAMAGED ? RP_OK : status;
}

/* Record, then docids, then frequencies. No memory for them is no fault. */
static rp_status place(rp__gpu_words *w, fresh *f, stretch *s)
{
    karg_list *list = &f->word.word.list;
    uint64_t at, half = f->decoded ? list->n * sizeof(uint32_t) : 0;
    if (list->n == 0)
        return RP_OK;
    rp_status status = f->decoded ? RP_OK : derive(w, &f->word.word);
    if (status == RP_OK)
        status = take_place(w, sizeof(karg_word) + 2 * half, &at);
    if (status != RP_OK)
        return status == RP_NO_MEMORY ? RP_OK : status;
    f->word.at = at;
    if (f->decoded) {
        list->docs = at + sizeof(karg_word);
        list->freqs = list->docs + half;
    }
    status = send(w, s, at, &f->word.word, sizeof(karg_word));
    if (status == RP_OK && f->decoded)
        status = send(w, s, list->docs, f->decoded, 2 * half);
    return status;
}

static rp_status place_all(rp__gpu_words *w, fresh *new, size_t n)
{
    stretch s = {0};
    rp__gpu_word *there;
    rp_status status = enter(w);
    w->is_busy = w->is_busy || status == RP_OK;
    for (size_t i = 0; i < n && status == RP_OK; i++) {
        (void)slot_of(w, new[i].word.key, &there);
        if (!there)
            status = place(w, &new[i], &s);
    }
    if (status == RP_OK)
        status = flush(w, &s);
    if (status == RP_OK)
        status = rp__device_wait(&w->device);
    if (status != RP_OK)
        return status;
    w->is_busy = false;
    for (size_t i = 0; i < n && status == RP_OK; i++)
        status = publish(w, &new[i].word);
    return status;
}

rp_status rp__gpu_words_add(rp__gpu_words *w, const rp__segment *segment,
                            const rp__term *const *terms, size_t n, rp__arena *arena)
{
    size_t n_new = 0;
    fresh *new = rp__arena_array(arena, n, sizeof *new);
    if (!new)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        bool is_known = rp__gpu_words_find(w, terms[i]) != NULL;
        for (size_t j = 0; j < n_new && !is_known; j++)
            is_known = new[j].word.key == key_of(terms[i]);
        if (!is_known)
            look(w, segment, terms[i], arena, &new[n_new++]);
    }
    if (n_new == 0)
        return RP_OK;
    pthread_mutex_lock(&w->lock);
    rp_status status = place_all(w, new, n_new);
    pthread_mutex_unlock(&w->lock);
    return status;
}
