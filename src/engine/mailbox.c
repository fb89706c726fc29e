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

bool rp__mailbox_lose(rp__mailbox *box, uint32_t number, rp_status code, const char *why)
{
    uint32_t ready = word_of(number, RP_PHASE_READY), loading = word_of(number, RP_PHASE_LOADING);
    uint32_t down = word_of(number, RP_PHASE_DOWN);
    bool was_ready = atomic_compare_exchange_strong(&box->phase, &ready, down);
    if (!was_ready && !atomic_compare_exchange_strong(&box->phase, &loading, down))
        return false;
    rp__error_set(&box->fault, code, "%s", why);
    box->faults += was_ready;
    wake_all(box);
    return true;
}

/* ---- Questions ------------------------------------------------------------------------------- */

static size_t room_of(size_t n, size_t size)
{
    return rp__bits_align(n * size, ALIGN);
}

static size_t query_bytes(const rp__query *q)
{
    if (q->n_ops > RP_MAILBOX_ROOM || q->n_leaves > RP_MAILBOX_ROOM || q->n_words > RP_MAILBOX_ROOM)
        return RP_MAILBOX_ROOM + 1;
    return room_of(q->n_ops, sizeof *q->ops) + room_of(q->n_leaves, sizeof *q->leaves) +
           room_of(q->n_words, sizeof *q->words);
}

static void *put(rp__slot *slot, size_t *at, const void *from, size_t n, size_t size)
{
    void *to = slot->bytes + *at;
    if (n)
        memcpy(to, from, n * size);
    *at += room_of(n, size);
    return to;
}

/* What a process has to itself does not go along: the norms, which follow from the ranking, texts, the floor, the
 * trace. Of one query, the slot has a copy of what stops it. */
static void put_query(rp__slot *slot, size_t *at, const rp__query *query, rp__query *out)
{
    *out = *query;
    out->ops = put(slot, at, query->ops, query->n_ops, sizeof *query->ops);
    out->leaves = put(slot, at, query->leaves, query->n_leaves, sizeof *query->leaves);
    rp__word *words = put(slot, at, query->words, query->n_words, sizeof *query->words);
    for (size_t i = 0; i < query->n_words; i++)
        words[i].text = NULL;
    out->words = words;
    out->rank = &slot->rank;
    out->norms = NULL;
    out->floor = NULL;
    out->trace = NULL;
    out->stop = query->stop && slot->kind != RP_ASK_MANY ? &slot->stop : NULL;
}

static bool is_stopped(const rp__query *query)
{
    return query->stop && atomic_load(query->stop) != 0;
}

/* False: there is none that fits. */
static bool put_queries(rp__slot *slot, rp__batch_item *asked, size_t n)
{
    bool is_any = false;
    size_t most = RP_MAILBOX_ROOM / sizeof *asked, at = room_of(n < most ? n : 0, sizeof *asked);
    for (size_t i = 0; i < n; i++) {
        if (asked[i].status == RP_OK &&
            (n >= most || query_bytes(&asked[i].query) > RP_MAILBOX_ROOM - at)) {
            asked[i].status = RP_UNAVAILABLE;
            asked[i].answer = (rp__answer){.fallback = RP_FALLBACK_CHILD};
        }
        if (asked[i].status == RP_OK && slot->kind == RP_ASK_MANY && is_stopped(&asked[i].query)) {
            asked[i].status = RP_INTERRUPTED;
            asked[i].answer = (rp__answer){0};
        }
        if (n >= most)
            continue;
        rp__batch_item *to = &rp__mailbox_asked(slot)[i];
        *to = (rp__batch_item){.status = asked[i].status};
        if (asked[i].status != RP_OK)
            continue;
        slot->rank = *asked[i].query.rank;
        put_query(slot, &at, &asked[i].query, &to->query);
        is_any = true;
    }
    slot->used = at;
    return is_any;
}

void rp__mailbox_ring(rp__mailbox *box)
{
    atomic_fetch_add(&box->bell, 1);
    if (atomic_load(&box->n_asleep))
        rp__futex_wake_one(&box->bell);
}

bool rp__mailbox_ask(rp__mailbox *box, rp__slot *slot, uint32_t number, rp__batch_item *asked,
                     size_t n, rp__ask kind, size_t max_memory)
{
    slot->kind = kind;
    atomic_store(&slot->stop, 0);
    if (!put_queries(slot, asked, n))
        return false;
    slot->n = (uint32_t)n;
    slot->max_memory = max_memory;
    rp__mailbox_ask_step(box, slot, number, &(rp__step_mail){.kind = RP_MAIL_OPEN});
    return true;
}

void rp__mailbox_ask_step(rp__mailbox *box, rp__slot *slot, uint32_t number,
                          const rp__step_mail *step)
{
    slot->step = *step;
    slot->err = (rp_error){0};
    atomic_store(&slot->word, word_of(number, ASKED));
    rp__mailbox_ring(box);
}

bool rp__mailbox_is_asked(const rp__slot *slot, uint32_t number)
{
    return atomic_load_explicit(&slot->word, memory_order_acquire) == word_of(number, ASKED);
}

rp__slot *rp__mailbox_next(rp__mailbox *box, uint32_t number, uint32_t *at)
{
    uint32_t n = box->n_slots;
    while (*at < n) {
        rp__slot *slot = &box->slots[(*at)++];
        if (rp__mailbox_is_asked(slot, number))
            return slot;
    }
    return NULL;
}

void rp__mailbox_sleep(rp__mailbox *box, uint32_t bell)
{
    if (rp__futex_spin(&box->bell, bell, WORKER_SPIN))
        return;
    atomic_fetch_add(&box->n_asleep, 1);
    if (atomic_load(&box->bell) == bell)
        rp__futex_wait(&box->bell, bell, UINT64_C(1000000000));
    atomic_fetch_sub(&box->n_asleep, 1);
}

/* ---- Candidates ------------------------------------------------------------------------------ */

uint32_t rp__mailbox_piece_max(const rp__slot *slot)
{
    return (uint32_t)((RP_MAILBOX_ROOM - slot->used) / (2 * sizeof(uint32_t)));
}

void rp__mailbox_put_piece(rp__slot *slot, const rp__partial *from, uint32_t first, uint32_t last)
{
    uint32_t *at = (uint32_t *)(void *)(slot->bytes + slot->used);
    const uint32_t n = last - first;
    if (n == 0)
        return;
    memcpy(at, from->docids + first, n * sizeof *at);
    memcpy(at + n, from->scores + first, n * sizeof *at);
}

void rp__mailbox_get_piece(const rp__slot *slot, rp__partial *to, uint32_t first, uint32_t last)
{
    const uint32_t *at = (const uint32_t *)(const void *)(slot->bytes + slot->used);
    const uint32_t n = last - first;
    if (n == 0)
        return;
    memcpy(to->docids + first, at, n * sizeof *at);
    memcpy(to->scores + first, at + n, n * sizeof *at);
}

/* ---- Answers --------------------------------------------------------------------------------- */

void rp__mailbox_reply(rp__mailbox *box, rp__slot *slot, uint32_t number)
{
    size_t at = slot->kind == RP_ASK_STEP ? slot->used : room_of(slot->n, sizeof(rp__batch_item));
    for (uint32_t i = 0; i < slot->n; i++) {
        rp__batch_item *a = &rp__mailbox_asked(slot)[i];
        if (a->status != RP_OK || a->answer.n == 0)
            continue;
        if (a->answer.n <= (RP_MAILBOX_ROOM - at) / sizeof(rp__scored)) {
            a->answer.at = put(slot, &at, a->answer.at, a->answer.n, sizeof(rp__scored));
            continue;
        }
        a->answer.fallback = RP_FALLBACK_CHILD;
        a->status = rp__error_set(&slot->err, RP_UNAVAILABLE,
                                  "the hits are too many to be handed from one process to "
                                  "another");
    }
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

static void take_hits(const rp__answer *from, rp__arena *arena, rp__batch_item *to)
{
    rp__scored *hits = rp__arena_array(arena, from->n, sizeof *hits);
    if (!hits) {
        to->status = RP_NO_MEMORY;
        to->answer.fallback = RP_FALLBACK_HOST_MEMORY;
        return;
    }
    to->answer.at = hits;
    if (from->n)
        memcpy(hits, from->at, from->n * sizeof *hits);
}

void rp__mailbox_take(rp__slot *slot, rp__batch_item *asked, size_t n, rp__arena *arena)
{
    for (size_t i = 0; i < n; i++) {
        const rp__batch_item *from = &rp__mailbox_asked(slot)[i];
        if (asked[i].status != RP_OK)
            continue;
        asked[i].status = from->status;
        asked[i].answer = from->answer;
        if (from->status == RP_OK)
            take_hits(&from->answer, arena, &asked[i]);
    }
}
