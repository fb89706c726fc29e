/* gpu_words.c: a table of lists that only grows: reading takes no lock.
 *
 * New lists are opened, and decoded where they must be, by the thread that asks for them: that reads mapped memory, so
 * it holds no lock. Then, under the lock, they get a place on the device, many at a time: one copy, one launch that makes
 * bits of dense ones and docids of those in codecs that kernels do not read (gpu_derive.c), one wait. They are in the
 * table once that is seen to have ended. */
#include "backend/gpu/gpu_words.h"

#include <string.h>

#include "backend/gpu/gpu_derive.h"
#include "backend/gpu/gpu_query.h"
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
    NEW_MOST = 1 << 12,    /* lists that are placed at a time */
    DENSE_GAP = 64,        /* docids to a posting up to which a list is looked up in bits */
    DENSE_LEAST = 1 << 12, /* postings of such a list */
};

/* What becomes of a list's docids. */
typedef enum form { FORM_NONE, FORM_DECODED, FORM_OWN, FORM_DOCIDS, FORM_BITS } form;

/* A list on its way into the table. */
typedef struct fresh {
    uint64_t key, at; /* as a slot has them */
    rp__gpu_word word;
    karg_word own; /* as the index has it */
    form form;
    bool is_read;            /* kernels of ANDs read it as it lies */
    uint64_t room;           /* of what is made of it */
    uint32_t made;           /* the how manieth it is of those made */
    const uint32_t *decoded; /* docids, and as many frequencies behind them */
} fresh;

/* ---- Memory ---------------------------------------------------------------------------------- */

rp_status rp__gpu_words_open(rp__gpu_words *w, const rp__gpu_index *index, uint64_t n_terms,
                             uint64_t most)
{
    *w = (rp__gpu_words){.index = index, .most = most, .n_slots = SLOTS_LEAST};
    pthread_mutex_init(&w->lock, NULL);
    while (w->n_slots < 2 * n_terms && w->n_slots < SLOTS_MOST)
        w->n_slots *= 2;
    w->slots = rp__alloc_random(w->n_slots, sizeof *w->slots);
    return w->slots ? RP_OK : RP_NO_MEMORY;
}

static void close_device(rp__gpu_words *w)
{
    if (!w->device.context)
        return;
    (void)rp__device_enter(&w->device);
    for (size_t i = 0; i < w->n_pieces; i++)
        rp__device_free(&w->device, w->pieces[i]);
    rp__device_free(&w->device, w->making);
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
    rp__free_random(w->slots, w->n_slots, sizeof *w->slots);
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
    if (status == RP_OK && !w->making)
        status = rp__device_alloc(&w->device, NEW_MOST * (sizeof(karg_made) + sizeof(karg_found)),
                                  &w->making);
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

/* Whether kernels know the list where it lies: as ANDs read it, or as others do. */
static bool is_known(const rp__gpu_words *w, const rp__list *list, fresh *out)
{
    uint32_t id = list->codec ? list->codec->id : 0;
    if (id == KARG_CODEC_RAW || id == KARG_CODEC_BP128 || id == KARG_CODEC_EF128 ||
        id == KARG_CODEC_BITMAP)
        return out->is_read = rp__gpu_and_word(w->index, list, &out->own) == RP_OK;
    return (id == KARG_CODEC_OPTPFD || id == KARG_CODEC_RICE) && rp__gpu_query_has_tfs(list) &&
           rp__gpu_query_word(w->index, list, &out->own) == RP_OK;
}

/* A dense list becomes bits, in which a docid is one look. */
static form form_of(const fresh *f)
{
    const karg_list *list = &f->own.list;
    bool is_dense = list->n >= DENSE_LEAST && list->universe / list->n < DENSE_GAP;
    if (is_dense && list->codec != KARG_CODEC_BITMAP)
        return FORM_BITS;
    return f->is_read ? FORM_OWN : FORM_DOCIDS;
}

/* A list that is damaged, or does not fit, is none for the device. */
static void look(const rp__gpu_words *w, const rp__segment *segment, const rp__term *term,
                 rp__arena *arena, fresh *out)
{
    rp__list list;
    *out = (fresh){.key = key_of(term)};
    rp_status status = rp__segment_list(segment, term, arena, &list);
    if (status != RP_OK)
        return;
    if (list.kths)
        memcpy(out->word.kths, list.kths, sizeof out->word.kths);
    if (is_known(w, &list, out)) {
        out->form = form_of(out);
        return;
    }
    if (decode(&list, arena, &out->decoded) != RP_OK)
        return;
    out->form = FORM_DECODED;
    out->own = rp__gpu_and_copied(0, 0, list.n);
    out->own.list.universe = list.universe;
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

/* ---- Lists that are made ----------------------------------------------------------------------- */

static size_t room_bytes(const fresh *f)
{
    const karg_list *list = &f->own.list;
    size_t words = rp__gpu_derive_words_bytes(list->n);
    return f->form == FORM_BITS     ? rp__gpu_derive_bits_bytes(list->universe) + words
           : f->form == FORM_DOCIDS ? 2 * words
                                    : 0;
}

/* Room of all lists of a form, side by side, so that it is cleared at once and records lie side by side too. None: they
 * are left what they are, if that can be read. */
static rp_status take_rooms(rp__gpu_words *w, fresh *new, size_t n, form which)
{
    uint64_t bytes = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        bytes += new[i].form == which ? room_bytes(&new[i]) : 0;
    if (bytes == 0)
        return RP_OK;
    rp_status status = take_place(w, bytes + RP_GPU_DERIVE_ALIGN, &at);
    at = rp__bits_align(at, RP_GPU_DERIVE_ALIGN);
    if (status == RP_OK && which == FORM_BITS)
        status = rp__device_fill(&w->device, at, 0, bytes / sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        if (new[i].form == which && status == RP_OK) {
            new[i].room = at;
            at += room_bytes(&new[i]);
        } else if (new[i].form == which) {
            new[i].form = new[i].is_read ? FORM_OWN : which == FORM_BITS ? FORM_DOCIDS : FORM_NONE;
        }
    return status == RP_NO_MEMORY ? RP_OK : status;
}

/* What the kernel is given. */
typedef struct making {
    karg_made *lists; /* in the arena */
    uint32_t n, n_blocks;
} making;

static void make(making *m, fresh *f)
{
    karg_made *made = &m->lists[m->n];
    uint64_t tfs = f->room + room_bytes(f) - rp__gpu_derive_words_bytes(f->own.list.n);
    if (f->form == FORM_BITS)
        *made = rp__gpu_derive_bits(&f->own, f->room, tfs, m->n_blocks, &f->word.word);
    else
        *made = rp__gpu_derive_docids(&f->own, f->room, tfs, m->n_blocks, &f->word.word);
    f->made = m->n++;
    m->n_blocks += f->own.list.n_blocks;
}

static uint64_t found_at(const rp__gpu_words *w)
{
    return w->making + NEW_MOST * sizeof(karg_made);
}

/* When all else is on its way. What was found comes to the stage. */
static rp_status run_making(rp__gpu_words *w, const making *m, stretch *s)
{
    size_t bytes = m->n * sizeof(karg_found);
    rp_status status = RP_OK;
    if (m->n > 0) {
        status = send(w, s, w->making, m->lists, m->n * sizeof *m->lists);
        if (status == RP_OK)
            status = rp__device_fill(&w->device, found_at(w), 0, bytes / sizeof(uint32_t));
    }
    if (status == RP_OK)
        status = flush(w, s);
    if (status == RP_OK && m->n > 0)
        status = rp__gpu_derive_make(&w->device, w->making, found_at(w), m->n, m->n_blocks);
    if (status == RP_OK)
        status = rp__device_copy_out(&w->device, w->stage, found_at(w), bytes);
    return status == RP_OK ? rp__device_wait(&w->device) : status;
}

/* Lists of which nothing could be made: they are what they were, or none for the device. */
static rp_status take_back(rp__gpu_words *w, fresh *new, size_t n)
{
    stretch s = {.from = NEW_MOST * sizeof(karg_found)};
    const karg_found *found = (const karg_found *)(const void *)w->stage;
    rp_status status = RP_OK;
    for (size_t i = 0; i < n && status == RP_OK; i++) {
        fresh *f = &new[i];
        bool is_made = f->form == FORM_BITS || f->form == FORM_DOCIDS;
        if (f->at == 0 || !is_made || !found[f->made].damaged)
            continue;
        f->word.word = f->own;
        if (f->is_read)
            status = send(w, &s, f->at, &f->own, sizeof f->own);
        else
            f->at = 0;
    }
    if (status == RP_OK)
        status = flush(w, &s);
    return status == RP_OK ? rp__device_wait(&w->device) : status;
}

/* ---- Lists that are new ------------------------------------------------------------------------ */

/* Record, then docids, then frequencies. No memory for them is no fault. */
static rp_status place(rp__gpu_words *w, fresh *f, making *m, stretch *s)
{
    karg_list *list = &f->word.word.list;
    uint64_t at, half = f->form == FORM_DECODED ? f->own.list.n * sizeof(uint32_t) : 0;
    rp_status status = f->form == FORM_NONE || f->own.list.n == 0 ? RP_NO_MEMORY : RP_OK;
    if (status == RP_OK)
        status = take_place(w, sizeof(karg_word) + 2 * half, &at);
    if (status != RP_OK)
        return status == RP_NO_MEMORY ? RP_OK : status;
    f->at = at;
    f->word.word = f->own;
    if (f->form == FORM_BITS || f->form == FORM_DOCIDS)
        make(m, f);
    if (f->form == FORM_DECODED) {
        list->docs = at + sizeof(karg_word);
        list->freqs = list->docs + half;
    }
    status = send(w, s, at, &f->word.word, sizeof(karg_word));
    if (status == RP_OK && f->form == FORM_DECODED)
        status = send(w, s, list->docs, f->decoded, 2 * half);
    return status;
}

/* Those that another thread placed meanwhile are left out. */
static void leave_out(const rp__gpu_words *w, fresh *new, size_t n)
{
    bool is_there;
    for (size_t i = 0; i < n; i++) {
        (void)slot_of(w, new[i].key, &is_there);
        new[i].form = is_there ? FORM_NONE : new[i].form;
    }
}

static rp_status place_all(rp__gpu_words *w, fresh *new, size_t n, making *m)
{
    stretch s = {0};
    rp_status status = enter(w);
    w->is_busy = w->is_busy || status == RP_OK;
    leave_out(w, new, n);
    if (status == RP_OK)
        status = take_rooms(w, new, n, FORM_BITS);
    if (status == RP_OK)
        status = take_rooms(w, new, n, FORM_DOCIDS);
    for (size_t i = 0; i < n && status == RP_OK; i++)
        status = place(w, &new[i], m, &s);
    if (status == RP_OK)
        status = run_making(w, m, &s);
    if (status == RP_OK)
        status = take_back(w, new, n);
    if (status != RP_OK)
        return status;
    w->is_busy = false;
    for (size_t i = 0; i < n && status == RP_OK; i++)
        status = publish(w, &new[i]);
    return status;
}

/* Those of the terms that are not known yet, each once: how many. */
static size_t look_at_all(const rp__gpu_words *w, const rp__segment *segment,
                          const rp__term *const *terms, size_t n, rp__arena *arena, fresh *new)
{
    size_t n_new = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_there = rp__gpu_words_find(w, terms[i]) != NULL;
        for (size_t j = 0; j < n_new && !is_there; j++)
            is_there = new[j].key == key_of(terms[i]);
        if (!is_there)
            look(w, segment, terms[i], arena, &new[n_new++]);
    }
    return n_new;
}

/* How many of them are placed together: their blocks can be counted. */
static size_t count_together(const fresh *new, size_t n)
{
    uint64_t postings = 0;
    size_t some = 0;
    while (some < n && some < NEW_MOST && postings <= INT32_MAX)
        postings += new[some++].own.list.n;
    return some;
}

rp_status rp__gpu_words_add(rp__gpu_words *w, const rp__segment *segment,
                            const rp__term *const *terms, size_t n, rp__arena *arena)
{
    fresh *new = rp__arena_array(arena, n, sizeof *new);
    karg_made *lists = rp__arena_array(arena, n < NEW_MOST ? n : NEW_MOST, sizeof *lists);
    if (!new || !lists)
        return RP_NO_MEMORY;
    size_t n_new = look_at_all(w, segment, terms, n, arena, new), some;
    rp_status status = RP_OK;
    for (size_t i = 0; i < n_new && status == RP_OK; i += some) {
        some = count_together(new + i, n_new - i);
        pthread_mutex_lock(&w->lock);
        status = place_all(w, new + i, some, &(making){.lists = lists});
        pthread_mutex_unlock(&w->lock);
    }
    return status;
}
