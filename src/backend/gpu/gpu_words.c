/* gpu_words.c: lists of queries, each looked at once in a while and sent once a batch.
 *
 * Tiny lists, which lie in the dictionary, and short ones in codecs that kernels do not read, are decoded here and go
 * with each batch. Reads mapped memory: where the guard leaves it, a slot is as it was, or empty. */
#include "backend/gpu/gpu_words.h"

#include <string.h>

#include "base/alloc.h"
#include "codec/codec.h"

enum { SLOTS = 4096 };

rp_status rp__gpu_words_open(rp__gpu_words *words, const rp__gpu_index *index)
{
    *words = (rp__gpu_words){.index = index};
    words->slots = rp__alloc_zero(SLOTS, sizeof *words->slots);
    return words->slots ? RP_OK : RP_NO_MEMORY;
}

void rp__gpu_words_close(rp__gpu_words *words)
{
    rp__free(words->slots);
    *words = (rp__gpu_words){0};
}

void rp__gpu_words_begin(rp__gpu_words *words)
{
    words->number++;
}

/* Not 0, and never that of another list: offsets have no highest bit, nor have addresses. */
static uint64_t key_of(const rp__term *term)
{
    return term->tiny ? (uint64_t)(uintptr_t)term->tiny : term->list_offset | UINT64_C(1) << 63;
}

static void look(const rp__gpu_words *words, const rp__list *list, rp__gpu_word *out)
{
    *out = (rp__gpu_word){.n = list->n};
    if (list->kths)
        memcpy(out->kths, list->kths, sizeof out->kths);
    out->status = list->codec ? rp__gpu_and_word(words->index, list, &out->word) : RP_UNAVAILABLE;
    if (out->status != RP_UNAVAILABLE)
        return;
    out->is_copied = list->n <= RP_GPU_WORDS_COPIED;
    out->status = out->is_copied ? RP_OK : RP_UNAVAILABLE;
}

rp_status rp__gpu_words_find(rp__gpu_words *words, const rp__segment *segment, const rp__term *term,
                             rp__arena *arena, rp__gpu_word **out)
{
    uint64_t key = key_of(term);
    rp__gpu_word *slot = &words->slots[key * UINT64_C(0x9E3779B97F4A7C15) >> 52];
    _Static_assert(SLOTS == 1 << 12, "the bits that are left");
    *out = slot;
    if (slot->key == key)
        return slot->status;
    rp__list list;
    rp_status status = rp__segment_list(segment, term, arena, &list);
    if (status != RP_OK)
        return status;
    rp__gpu_word new;
    look(words, &list, &new);
    new.key = key;
    *slot = new;
    return slot->status;
}

rp_status rp__gpu_words_decode(const rp__segment *segment, const rp__term *term, rp__arena *arena,
                               const uint32_t **out)
{
    rp__list list;
    rp_status status = rp__segment_list(segment, term, arena, &list);
    if (status != RP_OK)
        return status;
    size_t room = list.n + (size_t)RP_BLOCK_ROOM;
    uint32_t *docids = rp__arena_array(arena, 2 * room, sizeof *docids);
    if (!docids)
        return RP_NO_MEMORY;
    status = rp__list_decode(&list, docids, docids + room);
    memmove(docids + list.n, docids + room, list.n * sizeof *docids);
    *out = docids;
    return status;
}

static rp_status copy_list(const rp__segment *segment, const rp__term *term, rp__arena *arena,
                           rp__gpu_and *batch, rp__gpu_word *word)
{
    const uint32_t *docids;
    uint64_t at;
    size_t half = word->n * sizeof *docids;
    rp_status status = rp__gpu_words_decode(segment, term, arena, &docids);
    void *to = status == RP_OK ? rp__gpu_and_put(batch, 2 * half, &at) : NULL;
    if (!to)
        return status == RP_OK ? RP_NO_MEMORY : status;
    memcpy(to, docids, 2 * half);
    word->word = rp__gpu_and_copied(at, at + half, word->n);
    return RP_OK;
}

rp_status rp__gpu_words_put(const rp__gpu_words *words, const rp__segment *segment,
                            const rp__term *term, rp__arena *arena, rp__gpu_and *batch,
                            rp__gpu_word *word)
{
    uint64_t at;
    if (word->batch == batch && word->number == words->number)
        return RP_OK;
    rp_status status = RP_OK;
    if (word->is_copied)
        status = copy_list(segment, term, arena, batch, word);
    karg_word *to = status == RP_OK ? rp__gpu_and_put(batch, sizeof *to, &at) : NULL;
    if (!to)
        return status == RP_OK ? RP_NO_MEMORY : status;
    *to = word->word;
    word->batch = batch;
    word->number = words->number;
    word->at = at;
    return RP_OK;
}
