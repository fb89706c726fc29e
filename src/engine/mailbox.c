/* mailbox.c: questions to another process and answers from it, by shared memory.
 *
 * Both sides look for a while before they sleep: the wake of a sleeper costs more than most answers.
 * Invariant: `word` is written last, by whoever hands the slot over. */
#include "engine/mailbox.h"

#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/futex.h"

enum {
    ASKED = 1,
    ANSWERED = 2,
    CLIENT_SPIN = 200000, /* nanoseconds that a searcher looks before it sleeps */
    WORKER_SPIN = 100000,
    ALIGN = 64,
};

static uint32_t word_of(uint32_t number, uint32_t what)
{
    return number << 2 | what;
}

rp__mailbox *rp__mailbox_new(void)
{
    void *at = mmap(NULL, sizeof(rp__mailbox), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void rp__mailbox_free(rp__mailbox *box)
{
    if (box)
        munmap(box, sizeof *box);
}

/* ---- The worker's state ---------------------------------------------------------------------- */

/* Who sleeps on its slot looks at the phase again. */
static void wake_all(rp__mailbox *box)
{
    uint32_t n = box->n_slots;
    for (uint32_t i = 0; i < n; i++)
        rp__futex_wake(&box->slots[i].word);
    rp__futex_wake(&box->phase);
}

void rp__mailbox_enter(rp__mailbox *box, uint32_t number, rp__phase phase)
{
    box->phase = word_of(number, phase);
    wake_all(box);
}

bool rp__mailbox_lose(rp__mailbox *box, uint32_t number, const char *why)
{
    uint32_t ready = word_of(number, RP_PHASE_READY), loading = word_of(number, RP_PHASE_LOADING);
    uint32_t down = word_of(number, RP_PHASE_DOWN);
    bool was_ready = atomic_compare_exchange_strong(&box->phase, &ready, down);
    if (!was_ready && !atomic_compare_exchange_strong(&box->phase, &loading, down))
        return false;
    rp__error_set(&box->fault, RP_UNAVAILABLE, "%s", why);
    box->faults += was_ready;
    wake_all(box);
    return true;
}

/* ---- Questions ------------------------------------------------------------------------------- */

static size_t room_of(size_t n, size_t size)
{
    return rp__bits_align(n * size, ALIGN);
}

static void *put(rp__slot *slot, size_t *at, const void *from, size_t n, size_t size)
{
    void *to = slot->bytes + *at;
    if (n)
        memcpy(to, from, n * size);
    *at += room_of(n, size);
    return to;
}

/* What a process has to itself does not go along: the norms, which follow from the ranking, texts, the floor. */
bool rp__mailbox_ask(rp__mailbox *box, rp__slot *slot, uint32_t number, const rp__query *query,
                     size_t max_memory)
{
    size_t at = 0;
    if (query->n_ops > RP_MAILBOX_ROOM || query->n_leaves > RP_MAILBOX_ROOM ||
        query->n_words > RP_MAILBOX_ROOM ||
        room_of(query->n_ops, sizeof *query->ops) +
                room_of(query->n_leaves, sizeof *query->leaves) +
                room_of(query->n_words, sizeof *query->words) >
            RP_MAILBOX_ROOM)
        return false;
    slot->query = *query;
    slot->rank = *query->rank;
    slot->max_memory = max_memory;
    slot->query.ops = put(slot, &at, query->ops, query->n_ops, sizeof *query->ops);
    slot->query.leaves = put(slot, &at, query->leaves, query->n_leaves, sizeof *query->leaves);
    rp__word *words = put(slot, &at, query->words, query->n_words, sizeof *query->words);
    for (size_t i = 0; i < query->n_words; i++)
        words[i].text = NULL;
    slot->query.words = words;
    slot->query.rank = &slot->rank;
    slot->query.norms = NULL;
    slot->query.floor = NULL;
    atomic_store(&slot->word, word_of(number, ASKED));
    atomic_fetch_add(&box->bell, 1);
    if (atomic_load(&box->is_asleep))
        rp__futex_wake(&box->bell);
    return true;
}

rp__slot *rp__mailbox_next(rp__mailbox *box, uint32_t number, uint32_t *at)
{
    uint32_t n = box->n_slots, asked = word_of(number, ASKED);
    while (*at < n) {
        rp__slot *slot = &box->slots[(*at)++];
        if (atomic_load_explicit(&slot->word, memory_order_acquire) == asked)
            return slot;
    }
    return NULL;
}

void rp__mailbox_sleep(rp__mailbox *box, uint32_t bell)
{
    if (rp__futex_spin(&box->bell, bell, WORKER_SPIN))
        return;
    atomic_store(&box->is_asleep, 1);
    if (atomic_load(&box->bell) == bell)
        rp__futex_wait(&box->bell, bell, UINT64_C(1000000000));
    atomic_store(&box->is_asleep, 0);
}

/* ---- Answers --------------------------------------------------------------------------------- */

void rp__mailbox_reply(rp__mailbox *box, rp__slot *slot, uint32_t number, rp_status status,
                       const rp__answer *answer, const rp_error *err)
{
    slot->answer = status == RP_OK ? *answer : (rp__answer){0};
    slot->status = status;
    slot->err = *err;
    if (slot->answer.n * sizeof(rp__scored) > RP_MAILBOX_ROOM)
        slot->status = rp__error_set(&slot->err, RP_UNAVAILABLE,
                                     "the hits are too many to be handed from one process to "
                                     "another");
    else if (slot->answer.n)
        memcpy(slot->bytes, answer->at, answer->n * sizeof(rp__scored));
    atomic_fetch_add_explicit(&box->answered, 1, memory_order_relaxed);
    atomic_store(&slot->word, word_of(number, ANSWERED));
    if (atomic_load(&slot->is_awaited))
        rp__futex_wake(&slot->word);
}

bool rp__mailbox_wait(rp__slot *slot, uint32_t number, uint64_t ns)
{
    uint32_t asked = word_of(number, ASKED);
    if (rp__futex_spin(&slot->word, asked, ns < CLIENT_SPIN ? ns : CLIENT_SPIN))
        return true;
    atomic_store(&slot->is_awaited, 1);
    if (atomic_load(&slot->word) == asked && ns > CLIENT_SPIN)
        rp__futex_wait(&slot->word, asked, ns - CLIENT_SPIN);
    atomic_store(&slot->is_awaited, 0);
    return atomic_load(&slot->word) != asked;
}

rp_status rp__mailbox_take(const rp__slot *slot, rp__arena *arena, rp__answer *answer,
                           rp_error *err)
{
    if (slot->status != RP_OK)
        return rp__error_set(err, slot->status, "%s", slot->err.text);
    rp__answer got = slot->answer;
    got.at = rp__arena_array(arena, got.n, sizeof *got.at);
    if (!got.at)
        return rp__error_no_memory(err);
    if (got.n)
        memcpy(got.at, slot->bytes, got.n * sizeof *got.at);
    *answer = got;
    return RP_OK;
}
