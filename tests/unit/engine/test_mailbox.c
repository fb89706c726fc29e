/* test_mailbox.c: questions and answers keep what is in them; a slot listens to one worker only. */
#include "engine/mailbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/alloc.h"

static rp__mailbox *box;

static int open_box(void **state)
{
    (void)state;
    box = rp__mailbox_new();
    assert_non_null(box);
    box->n_slots = 2;
    return 0;
}

static int close_box(void **state)
{
    (void)state;
    rp__mailbox_free(box);
    rp__mailbox_free(NULL);
    return 0;
}

static const rp__op ops[] = {
    {RP_OP_OPEN, RP_MUST, 2}, {RP_OP_TERM, RP_MUST, 0}, {RP_OP_CLOSE, RP_MUST, 0}};
static const rp__leaf leaves[] = {{.weight = {.weight = 2.5F}, .n_words = 1}};
static const rp__word words[] = {{.term = {.df = 77}, .text = "word", .text_bytes = 4}};
static const rp__rank rank = {.k1 = 1.5};

static rp__query question(void)
{
    return (rp__query){.ops = ops,
                       .leaves = leaves,
                       .words = words,
                       .n_ops = 3,
                       .n_leaves = 1,
                       .n_words = 1,
                       .rank = &rank,
                       .k = 10,
                       .end = 1000};
}

static void what_is_asked_arrives(void **state)
{
    (void)state;
    rp__query query = question();
    uint32_t at = 0, bell = box->bell;
    rp__slot *slot = &box->slots[1];
    assert_null(rp__mailbox_next(box, 1, &at));
    assert_true(rp__mailbox_ask(box, slot, 1, &query, 12345));
    assert_int_not_equal(box->bell, bell);
    rp__mailbox_sleep(box, bell); /* returns, since the bell was rung */
    at = 0;
    assert_ptr_equal(rp__mailbox_next(box, 1, &at), slot);
    assert_null(rp__mailbox_next(box, 1, &at));
    assert_memory_equal(slot->query.ops, ops, sizeof ops);
    assert_memory_equal(slot->query.leaves, leaves, sizeof leaves);
    assert_int_equal(slot->query.words[0].term.df, 77);
    assert_null(slot->query.words[0].text);
    assert_true(slot->query.rank == &slot->rank && slot->rank.k1 == 1.5);
    assert_int_equal(slot->query.end, 1000);
    assert_int_equal(slot->max_memory, 12345);
}

static void what_is_answered_arrives(void **state)
{
    (void)state;
    rp__query query = question();
    rp__slot *slot = &box->slots[0];
    rp__scored hits[] = {{9, 1}, {8, 2}};
    rp__answer sent = {.at = hits, .n = 2, .total = 55, .total_is_exact = true, .postings = 66},
               got;
    rp_error err = {.text = ""};
    rp__arena arena;
    rp__arena_init(&arena, 1 << 20);
    assert_true(rp__mailbox_ask(box, slot, 4, &query, 0));
    assert_false(rp__mailbox_wait(slot, 4, 1000));
    assert_false(rp__mailbox_wait(slot, 4, 1000000)); /* long enough to sleep */
    rp__mailbox_reply(box, slot, 4, RP_OK, &sent, &err);
    assert_true(rp__mailbox_wait(slot, 4, 0));
    assert_int_equal(rp__mailbox_take(slot, &arena, &got, &err), RP_OK);
    assert_memory_equal(got.at, hits, sizeof hits);
    assert_true(got.n == 2 && got.total == 55 && got.total_is_exact && got.postings == 66);
    assert_int_equal(box->answered, 1);
    err = (rp_error){RP_LIMIT, "too much"};
    rp__mailbox_reply(box, slot, 4, RP_LIMIT, &sent, &err);
    err = (rp_error){0};
    assert_int_equal(rp__mailbox_take(slot, &arena, &got, &err), RP_LIMIT);
    assert_string_equal(err.text, "too much");
    rp__arena_reset(&arena);
}

/* Neither a question that the last worker did not take, nor what it may have answered since. */
static void another_worker_is_not_meant(void **state)
{
    (void)state;
    rp__query query = question();
    uint32_t at = 0;
    assert_true(rp__mailbox_ask(box, &box->slots[0], 4, &query, 0));
    assert_null(rp__mailbox_next(box, 5, &at));
}

static void what_is_too_long_is_not_asked(void **state)
{
    (void)state;
    enum { MANY = 4000, HITS = 40000 };
    rp__query query = question();
    rp__word *many = rp__alloc_zero(MANY, sizeof *many);
    query.words = many;
    query.n_words = MANY;
    assert_false(rp__mailbox_ask(box, &box->slots[0], 1, &query, 0));
    query.n_words = SIZE_MAX / 8;
    assert_false(rp__mailbox_ask(box, &box->slots[0], 1, &query, 0));
    query.n_words = 1000;
    assert_true(rp__mailbox_ask(box, &box->slots[0], 1, &query, 0));
    rp__free(many);
    rp__scored *hits = rp__alloc_zero(HITS, sizeof *hits);
    rp_error err = {.text = ""};
    rp__answer sent = {.at = hits, .n = HITS}, got;
    rp__mailbox_reply(box, &box->slots[0], 1, RP_OK, &sent, &err);
    assert_int_equal(rp__mailbox_take(&box->slots[0], NULL, &got, &err), RP_UNAVAILABLE);
    assert_non_null(strstr(err.text, "too many"));
    rp__free(hits);
}

static void a_worker_is_lost_once(void **state)
{
    (void)state;
    rp__mailbox_enter(box, 3, RP_PHASE_LOADING);
    assert_true(rp__mailbox_lose(box, 3, "not loaded"));
    assert_int_equal(box->faults, 0); /* it was not there yet */
    rp__mailbox_enter(box, 4, RP_PHASE_READY);
    assert_false(rp__mailbox_lose(box, 3, "the one before"));
    assert_int_equal(rp__mailbox_phase(box->phase), RP_PHASE_READY);
    assert_int_equal(rp__mailbox_number(box->phase), 4);
    assert_true(rp__mailbox_lose(box, 4, "gone"));
    assert_false(rp__mailbox_lose(box, 4, "again"));
    assert_int_equal(rp__mailbox_phase(box->phase), RP_PHASE_DOWN);
    assert_int_equal(box->faults, 1);
    assert_string_equal(box->fault.text, "gone");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_box, close_box)
    const struct CMUnitTest tests[] = {
        TEST(what_is_asked_arrives),       TEST(what_is_answered_arrives),
        TEST(another_worker_is_not_meant), TEST(what_is_too_long_is_not_asked),
        TEST(a_worker_is_lost_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
