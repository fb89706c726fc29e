/* test_gpu_hold.c: lists that queries need on an emulated device: they are there with the bytes of the files, stay while
 * they are held, and give way otherwise; of sparse ones the blocks that matter; whatever call fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/emulated.h"
#include "backend/gpu/gpu_hold.h"
#include "base/arena.h"
#include "base/thread.h"
#include "oracle/chance.h"
#include "unit/tiny_index.h"

enum { DOCS = 12000, COMMON = 8, MEMORY = 66000 }; /* bytes: not enough for all and queries */

static tiny_index tiny;
static rp__arena arena;

/* Words c0 to c7 are in about half of the documents each, r0 to r7 in about one of 500. */
static int open_index(void **state)
{
    (void)state;
    static const char *texts[DOCS];
    static char room[DOCS][COMMON * 10 + 20];
    for (uint32_t i = 0; i < DOCS; i++) {
        char *at = room[i];
        uint32_t x = i * 2654435761U;
        for (uint32_t w = 0; w < COMMON; w++)
            for (uint32_t tf = (x >> (w + 8) & 1) + (x >> (w + 9) & x >> (w + 13) & 1); tf > 0;
                 tf--)
                at += sprintf(at, "c%u ", w);
        if (x >> 8 & 1 ? i % 61 == 0 : i % 67 == 0)
            at += sprintf(at, "r%u ", x >> 12 & 7);
        at += sprintf(at, "x");
        texts[i] = room[i];
    }
    tiny_open(&tiny, texts, DOCS, (tiny_options){0});
    rp__arena_init(&arena, (size_t)64 << 20);
    return 0;
}

static int close_index(void **state)
{
    (void)state;
    rp__arena_reset(&arena);
    tiny_close(&tiny);
    return 0;
}

static rp__list list_of(const char *word)
{
    rp__term term;
    rp__list list;
    assert_int_equal(rp__segment_find(tiny.index.segment, word, strlen(word), &term), RP_OK);
    assert_int_equal(rp__segment_list(tiny.index.segment, &term, &arena, &list), RP_OK);
    assert_non_null(list.codec);
    return list;
}

/* ---- A device with an index ---------------------------------------------------------------------- */

typedef struct card {
    rp__device device;
    rp__gpu_index index;
    rp__gpu_hold hold;
} card;

static void join_card(card *c, uint64_t most)
{
    rp_error err;
    rp__arena_clear(&arena);
    assert_int_equal(rp__device_open(&c->device, rp__emulated_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&c->index, &c->device, tiny.index.segment, most), RP_OK);
    rp__gpu_hold_open(&c->hold, &c->device, &c->index);
}

static void open_card(card *c, uint64_t most)
{
    rp__emulated_configure(&(rp__emulated_options){0});
    join_card(c, most);
}

static void leave_card(card *c)
{
    (void)rp__device_enter(&c->device);
    rp__gpu_hold_close(&c->hold);
    rp__gpu_index_close(&c->index);
    rp__device_close(&c->device);
}

static void close_card(card *c)
{
    leave_card(c);
    assert_int_equal(rp__emulated_in_use(), 0);
}

static void assert_bytes(card *c, uint64_t at, const void *host, size_t bytes)
{
    uint8_t *copy = malloc(bytes + 1);
    assert_int_not_equal(at, 0);
    assert_int_equal(rp__device_copy_out(&c->device, copy, at, bytes), RP_OK);
    assert_int_equal(rp__device_wait(&c->device), RP_OK);
    assert_memory_equal(copy, host, bytes);
    free(copy);
}

static void assert_there(card *c, const rp__gpu_want *want)
{
    const rp__list *list = want->list;
    assert_int_equal(want->at.n, list->n);
    assert_int_equal(want->at.n_blocks, list->n_blocks);
    assert_bytes(c, want->at.docs, list->docs, list->docs_bytes);
    assert_bytes(c, want->at.bounds, list->bounds, list->n_blocks);
    if (list->last)
        assert_bytes(c, want->at.last, list->last, list->n_blocks * sizeof(uint32_t));
    if (want->freqs)
        assert_bytes(c, want->at.freqs, list->freqs, list->freqs_bytes);
}

static rp_status want_word(card *c, const char *word, bool freqs, rp__gpu_want *want,
                           rp__list *list)
{
    assert_int_equal(rp__device_enter(&c->device), RP_OK);
    *list = list_of(word);
    *want = (rp__gpu_want){.list = list, .freqs = freqs};
    return rp__gpu_hold_want(&c->hold, want, 1, NULL, &arena);
}

/* False: it is not admitted. */
static bool try_word(card *c, const char *word)
{
    rp__gpu_want want;
    rp__list list;
    rp_status status = want_word(c, word, true, &want, &list);
    if (status == RP_OK)
        assert_there(c, &want);
    else
        assert_int_equal(status, RP_NO_MEMORY);
    rp__gpu_hold_done(&c->hold);
    return status == RP_OK;
}

static void ask_word(card *c, const char *word)
{
    assert_true(try_word(c, word));
}

/* ---- Tests --------------------------------------------------------------------------------------- */

static void of_a_whole_index_nothing_is_copied(void **state)
{
    (void)state;
    card c;
    rp__gpu_want want;
    rp__list list;
    open_card(&c, 0);
    assert_true(c.index.share->is_whole);
    uint64_t calls = rp__emulated_calls();
    assert_int_equal(want_word(&c, "c0", true, &want, &list), RP_OK);
    assert_int_equal(c.hold.n, 0);
    rp__gpu_hold_done(&c.hold);
    assert_int_equal(rp__emulated_calls(), calls + 1); /* to enter the device */
    assert_there(&c, &want);
    close_card(&c);
}

static void lists_come_as_they_are_needed(void **state)
{
    (void)state;
    card c;
    open_card(&c, MEMORY);
    const rp__gpu_share *share = c.index.share;
    assert_false(share->is_whole);
    assert_true(rp__emulated_in_use() <= MEMORY);
    ask_word(&c, "c0");
    uint64_t copied = share->copied;
    assert_true(copied > 0);
    ask_word(&c, "c0");
    assert_int_equal(share->copied, copied);
    assert_int_equal(share->lists.stats.hits, 2); /* docids, frequencies */
    ask_word(&c, "r0");                           /* a short list is one piece */
    assert_int_equal(share->lists.n, 3);
    close_card(&c);
}

static void docids_come_alone(void **state)
{
    (void)state;
    card c;
    rp__gpu_want want;
    rp__list list;
    open_card(&c, MEMORY);
    assert_int_equal(want_word(&c, "c1", false, &want, &list), RP_OK);
    assert_there(&c, &want);
    assert_int_equal(want.at.freqs, 0);
    rp__gpu_hold_done(&c.hold);
    uint64_t copied = c.index.share->copied;
    ask_word(&c, "c1");
    assert_int_equal(c.index.share->copied - copied, list.freqs_bytes + RP_PAD);
    close_card(&c);
}

static void lists_give_way(void **state)
{
    (void)state;
    card c;
    char word[8];
    uint32_t n = 0;
    open_card(&c, MEMORY);
    for (int times = 0; times < 6; times++)
        for (int i = 0; i < COMMON; i++) {
            snprintf(word, sizeof word, "c%d", (i + times) % COMMON);
            n += try_word(&c, word);
            assert_true(rp__emulated_in_use() <
                        MEMORY + (8U << 20)); /* what is pinned counts too */
            assert_true(c.index.share->lists.in_use <= c.index.share->lists.bytes);
        }
    assert_true(n > 6 * COMMON / 3);
    assert_true(c.index.share->lists.stats.evicted > 0);
    assert_true(c.index.share->lists.stats.hits > 0);
    assert_int_equal(c.index.share->guests.in_use, 0);
    close_card(&c);
}

static void all_of_a_query_or_nothing(void **state)
{
    (void)state;
    card c;
    char word[8];
    rp__list lists[COMMON];
    rp__gpu_want wants[COMMON];
    open_card(&c, MEMORY);
    for (int i = 0; i < COMMON; i++) {
        snprintf(word, sizeof word, "c%d", i);
        lists[i] = list_of(word);
        wants[i] = (rp__gpu_want){.list = &lists[i], .freqs = true};
    }
    assert_int_equal(rp__gpu_hold_want(&c.hold, wants, 1, NULL, &arena), RP_OK);
    size_t held = c.hold.n;
    assert_int_equal(rp__gpu_hold_want(&c.hold, wants, COMMON, NULL, &arena), RP_NO_MEMORY);
    assert_int_equal(c.hold.n, held);
    assert_there(&c, &wants[0]);
    rp__gpu_hold_done(&c.hold);
    assert_int_equal(c.hold.n, 0);
    assert_int_equal(rp__gpu_hold_want(&c.hold, wants, 2, NULL, &arena), RP_OK);
    assert_there(&c, &wants[0]);
    assert_there(&c, &wants[1]);
    close_card(&c);
}

static void a_word_may_be_there_twice(void **state)
{
    (void)state;
    card c;
    open_card(&c, MEMORY);
    rp__list list = list_of("c3");
    rp__gpu_want wants[2] = {{.list = &list, .freqs = true}, {.list = &list, .freqs = true}};
    assert_int_equal(rp__gpu_hold_want(&c.hold, wants, 2, NULL, &arena), RP_OK);
    assert_int_equal(wants[0].at.docs, wants[1].at.docs);
    assert_int_equal(wants[0].at.freqs, wants[1].at.freqs);
    assert_there(&c, &wants[1]);
    close_card(&c);
}

/* ---- Some blocks ---------------------------------------------------------------------------------- */

static void *fetch(card *c, uint64_t at, size_t bytes)
{
    void *copy = test_calloc(bytes + RP_PAD, 1);
    assert_int_equal(rp__device_copy_out(&c->device, copy, at, bytes), RP_OK);
    assert_int_equal(rp__device_wait(&c->device), RP_OK);
    return copy;
}

/* The list that kernels would see, in memory of the host. */
static rp__list copy_out(card *c, const rp__list *of, const karg_list *at)
{
    size_t by_block = at->n_blocks * sizeof(uint32_t);
    rp__list list = *of;
    list.n = at->n;
    list.n_blocks = at->n_blocks;
    list.docs_bytes = at->docs_bytes;
    list.freqs_bytes = at->freqs_bytes;
    list.last = fetch(c, at->last, by_block);
    list.offsets = fetch(c, at->offsets, by_block);
    list.freq_offsets = fetch(c, at->freq_offsets, by_block);
    list.bounds = fetch(c, at->bounds, at->n_blocks);
    list.docs = fetch(c, at->docs, at->docs_bytes);
    list.freqs = fetch(c, at->freqs, at->freqs_bytes);
    return list;
}

static void free_copy(const rp__list *list)
{
    const void *parts[] = {list->last,   list->offsets, list->freq_offsets,
                           list->bounds, list->docs,    list->freqs};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        union {
            const void *in;
            void *out;
        } p = {.in = parts[i]};
        test_free(p.out);
    }
}

/* How often the word is in the document: 0, not at all. */
static uint32_t tf_of(const rp__list *list, uint32_t docid)
{
    uint32_t docids[RP_BLOCK_ROOM], tfs[RP_BLOCK_ROOM], n, b = 0;
    while (b < list->n_blocks && list->last[b] < docid)
        b++;
    if (b == list->n_blocks)
        return 0;
    assert_int_equal(rp__list_block(list, b, docids, &n), RP_OK);
    assert_int_equal(rp__list_freqs(list, b, tfs), RP_OK);
    for (uint32_t i = 0; i < n; i++)
        if (docids[i] == docid)
            return tfs[i];
    return 0;
}

static void of_a_long_list_come_the_blocks_that_matter(void **state)
{
    (void)state;
    card c;
    char word[8];
    uint32_t found = 0;
    open_card(&c, MEMORY);
    for (int i = 0; i < COMMON; i++) {
        snprintf(word, sizeof word, "r%d", i);
        rp__list among = list_of(word);
        snprintf(word, sizeof word, "c%d", i);
        rp__list list = list_of(word);
        rp__gpu_want want = {.list = &list, .freqs = true};
        uint32_t docids[RP_BLOCK_ROOM + 128];
        assert_int_equal(rp__list_decode(&among, docids, NULL), RP_OK);
        assert_int_equal(rp__gpu_hold_want(&c.hold, &want, 1, &among, &arena), RP_OK);
        assert_true(want.at.n_blocks < list.n_blocks);
        rp__list copy = copy_out(&c, &list, &want.at);
        for (uint32_t d = 0; d < among.n; d++) {
            uint32_t tf = tf_of(&list, docids[d]);
            assert_int_equal(tf_of(&copy, docids[d]), tf);
            found += tf > 0;
        }
        free_copy(&copy);
        rp__gpu_hold_done(&c.hold);
    }
    assert_true(found > 50);
    assert_int_equal(c.index.share->sparse, COMMON);
    assert_int_equal(c.index.share->lists.n, 0);
    rp__list among = list_of("r0"), list = list_of("c0");
    rp__gpu_want again = {.list = &list, .freqs = true};
    assert_int_equal(rp__gpu_hold_want(&c.hold, &again, 1, &among, &arena), RP_OK);
    assert_there(&c, &again); /* now it is worth having it whole */
    close_card(&c);
}

/* What else there is of it is found by rank in the whole list. */
static void whole_lists_come_whole(void **state)
{
    (void)state;
    card c;
    open_card(&c, MEMORY);
    rp__list among = list_of("r0"), list = list_of("c0");
    rp__gpu_want want = {.list = &list, .freqs = false, .whole = true};
    assert_int_equal(rp__gpu_hold_want(&c.hold, &want, 1, &among, &arena), RP_OK);
    assert_int_equal(want.at.n_blocks, list.n_blocks);
    assert_there(&c, &want);
    assert_int_equal(c.index.share->sparse, 0);
    close_card(&c);
}

/* Any bytes: what cannot be is said, and nothing is read or written outside. */
static void damaged_lists_do_no_harm(void **state)
{
    (void)state;
    enum { TRIES = 2000 };
    card c;
    rp__term term;
    const uint8_t *lists;
    size_t bytes;
    uint32_t n_sparse = 0, n_damaged = 0;
    chance_seed(1);
    open_card(&c, MEMORY);
    rp__list among = list_of("r3"), sound = list_of("c5");
    assert_int_equal(rp__segment_find(tiny.index.segment, "c5", 2, &term), RP_OK);
    assert_true(rp__segment_section(tiny.index.segment, 0, &lists, &bytes));
    uint8_t *room = aligned_alloc(64, term.list_bytes / 64 * 64 + 192 + 64 * TRIES);
    for (size_t i = 0; i < TRIES; i++) {
        rp__list list;
        uint8_t *copy = room + 64 * i; /* a list that was never seen */
        memcpy(copy, lists + term.list_offset, term.list_bytes + RP_PAD);
        for (uint64_t n = 1 + chance_below(8); n > 0; n--)
            copy[chance_below(chance_below(2) ? 600 : term.list_bytes)] =
                (uint8_t)chance_below(256);
        if (rp__list_open(sound.codec, copy, term.list_bytes, sound.n, sound.universe, true, &list))
            continue;
        rp__gpu_want want = {.list = &list, .freqs = true};
        rp_status status = rp__gpu_hold_want(&c.hold, &want, 1, i % 4 ? &among : NULL, &arena);
        assert_true(status == RP_OK || status == RP_DAMAGED || status == RP_NO_MEMORY);
        n_damaged += status == RP_DAMAGED;
        n_sparse += status == RP_OK && want.at.n_blocks != list.n_blocks;
        assert_int_equal(rp__device_wait(&c.device), RP_OK);
        rp__gpu_hold_done(&c.hold);
    }
    free(room);
    assert_true(n_sparse > 0 && n_damaged > 0);
    close_card(&c);
}

/* ---- Several of them ------------------------------------------------------------------------------ */

static void an_index_is_there_once(void **state)
{
    (void)state;
    card a, b, other;
    open_card(&a, 0);
    size_t bytes = rp__emulated_in_use();
    join_card(&b, 0);
    assert_ptr_equal(a.index.share, b.index.share);
    assert_int_equal(rp__emulated_in_use(), bytes);
    join_card(&other, MEMORY); /* another limit is another matter */
    assert_ptr_not_equal(a.index.share, other.index.share);
    leave_card(&a);
    leave_card(&other);
    ask_word(&b, "c0");
    close_card(&b);
}

static void join_and_ask(void *arg, uint32_t worker)
{
    rp__gpu_share **shares = arg;
    rp_error err;
    rp__device device;
    rp__gpu_index index;
    if (rp__device_open(&device, rp__emulated_driver(), 0, &err) != RP_OK)
        return;
    if (rp__gpu_index_open(&index, &device, tiny.index.segment, MEMORY) == RP_OK)
        shares[worker] = index.share;
    for (volatile int i = 0; i < 100000; i++)
        ;
    rp__gpu_index_close(&index);
    rp__device_close(&device);
}

static void threads_find_each_other(void **state)
{
    (void)state;
    card c;
    open_card(&c, MEMORY);
    for (int round = 0; round < 20; round++) {
        rp__gpu_share *shares[4] = {0};
        assert_int_equal(rp__thread_run(4, join_and_ask, shares), RP_OK);
        for (int i = 0; i < 4; i++)
            assert_ptr_equal(shares[i], c.index.share);
    }
    close_card(&c);
    rp__gpu_share *shares[4] = {0}; /* with nobody there before */
    assert_int_equal(rp__thread_run(4, join_and_ask, shares), RP_OK);
    for (int i = 0; i < 4; i++)
        assert_non_null(shares[i]);
    assert_int_equal(rp__emulated_in_use(), 0);
}

/* One copies, the other finds it: its device waits for the copy. */
static void what_another_copies_is_waited_for(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        card a, b;
        rp__gpu_want first, second;
        rp__list list, same;
        rp__emulated_configure(&(rp__emulated_options){.seed = seed});
        join_card(&a, MEMORY);
        join_card(&b, MEMORY);
        assert_int_equal(want_word(&a, "c4", true, &first, &list), RP_OK);
        assert_int_equal(want_word(&b, "c4", true, &second, &same), RP_OK);
        assert_int_equal(first.at.docs, second.at.docs);
        assert_there(&b, &second);
        if (seed % 2) /* the copier goes first, with the event that the other one may wait for */
            leave_card(&a);
        assert_int_equal(rp__device_enter(&b.device), RP_OK);
        rp__gpu_hold_done(&b.hold);
        ask_word(&b, "c4");
        if (seed % 2 == 0)
            leave_card(&a);
        close_card(&b);
    }
}

/* ---- Failures ------------------------------------------------------------------------------------- */

static const char *const asked[] = {"c0", "c1", "c2", "c0", "r1", "c3", "c0", "c4"};

/* Asks for them one after the other. How many were there, with the right bytes. */
static uint32_t ask_all(card *c)
{
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        rp__gpu_want want;
        rp__list list, among = list_of("r2");
        list = list_of(asked[i]);
        want = (rp__gpu_want){.list = &list, .freqs = true};
        rp_status status = rp__gpu_hold_want(&c->hold, &want, 1, i % 2 ? &among : NULL, &arena);
        assert_true(status == RP_OK || status == RP_NO_MEMORY || status == RP_UNAVAILABLE);
        if (status == RP_OK && want.at.n_blocks == list.n_blocks) {
            uint8_t *copy = malloc(list.docs_bytes);
            status = rp__device_copy_out(&c->device, copy, want.at.docs, list.docs_bytes);
            if (status == RP_OK)
                status = rp__device_wait(&c->device);
            if (status == RP_OK)
                assert_memory_equal(copy, list.docs, list.docs_bytes);
            while (status != RP_OK && !c->device.is_lost) /* the copy is still to come */
                status = rp__device_wait(&c->device);
            free(copy);
            n += status == RP_OK;
        }
        rp__gpu_hold_done(&c->hold);
    }
    return n;
}

static void every_call_may_fail(void **state)
{
    (void)state;
    static const int codes[] = {RP_CU_NO_MEMORY, RP_CU_INVALID, RP_CU_ILLEGAL_ADDRESS};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        card c;
        open_card(&c, MEMORY);
        uint64_t first = rp__emulated_calls();
        assert_true(ask_all(&c) > 0);
        uint64_t last = rp__emulated_calls();
        close_card(&c);
        for (uint64_t at = first + 1; at <= last; at++) {
            rp__emulated_configure(&(rp__emulated_options){.fail_at = at, .fail_code = codes[i]});
            join_card(&c, MEMORY);
            (void)ask_all(&c);
            if (!c.device.is_lost) /* all is as before */
                assert_true(ask_all(&c) > 0);
            close_card(&c);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_whole_index_nothing_is_copied),
        cmocka_unit_test(lists_come_as_they_are_needed),
        cmocka_unit_test(docids_come_alone),
        cmocka_unit_test(lists_give_way),
        cmocka_unit_test(all_of_a_query_or_nothing),
        cmocka_unit_test(a_word_may_be_there_twice),
        cmocka_unit_test(of_a_long_list_come_the_blocks_that_matter),
        cmocka_unit_test(whole_lists_come_whole),
        cmocka_unit_test(damaged_lists_do_no_harm),
        cmocka_unit_test(an_index_is_there_once),
        cmocka_unit_test(threads_find_each_other),
        cmocka_unit_test(what_another_copies_is_waited_for),
        cmocka_unit_test(every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, open_index, close_index);
}
