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

static rp__batch_item question(void)
{
    rp__query query = {.ops = ops,
                       .leaves = leaves,
                       .words = words,
                       .n_ops = 3,
                       .n_leaves = 1,
                       .n_words = 1,
                       .rank = &rank,
                       .k = 10,
                       .end = 1000};
    return (rp__batch_item){.query = query};
}

static void what_is_asked_arrives(void **state)
{
    (void)state;
    rp__batch_item asked[3] = {question(), {.status = RP_USAGE}, question()};
    uint32_t at = 0, bell = box->bell;
    rp__slot *slot = &box->slots[1];
    asked[2].query.k = 77;
    assert_null(rp__mailbox_next(box, 1, &at));
    assert_true(rp__mailbox_ask(box, slot, 1, asked, 3, RP_ASK_MANY, 12345));
    assert_int_not_equal(box->bell, bell);
    rp__mailbox_sleep(box, bell); /* returns, since the bell was rung */
    at = 0;
    assert_ptr_equal(rp__mailbox_next(box, 1, &at), slot);
    assert_null(rp__mailbox_next(box, 1, &at));
    assert_true(slot->n == 3 && slot->kind == RP_ASK_MANY && slot->max_memory == 12345);
    for (size_t i = 0; i < 3; i += 2) {
        const rp__query *query = &rp__mailbox_asked(slot)[i].query;
        assert_memory_equal(query->ops, ops, sizeof ops);
        assert_memory_equal(query->leaves, leaves, sizeof leaves);
        assert_int_equal(query->words[0].term.df, 77);
        assert_null(query->words[0].text);
        assert_true(query->rank == &slot->rank && slot->rank.k1 == 1.5);
        assert_int_equal(query->end, 1000);
        assert_int_equal(query->k, i ? 77 : 10);
    }
    assert_int_equal(rp__mailbox_asked(slot)[1].status, RP_USAGE);
}

static void what_is_answered_arrives(void **state)
{
    (void)state;
    rp__batch_item asked[3] = {question(), question(), question()};
    rp__slot *slot = &box->slots[0];
    rp__scored hits[] = {{9, 1}, {8, 2}}, others[] = {{7, 3}};
    rp__arena arena;
    rp__arena_init(&arena, 1 << 20);
    assert_true(rp__mailbox_ask(box, slot, 4, asked, 3, RP_ASK_MANY, 0));
    assert_false(rp__mailbox_wait(slot, 4, 1000));
    assert_false(rp__mailbox_wait(slot, 4, 1000000)); /* long enough to sleep */
    rp__mailbox_asked(slot)[0].answer =
        (rp__answer){.at = hits, .n = 2, .total = 55, .total_is_exact = true, .postings = 66};
    rp__mailbox_asked(slot)[1].status = RP_LIMIT;
    rp__mailbox_asked(slot)[1].answer =
        (rp__answer){.fallback = RP_FALLBACK_MEMORY, .gpu = {.launches = 7}};
    rp__mailbox_asked(slot)[2].answer = (rp__answer){.at = others, .n = 1, .total = 1};
    rp__mailbox_reply(box, slot, 4);
    assert_true(rp__mailbox_wait(slot, 4, 0));
    rp__mailbox_take(slot, asked, 3, &arena);
    const rp__answer *got = &asked[0].answer;
    assert_int_equal(asked[0].status, RP_OK);
    assert_memory_equal(got->at, hits, sizeof hits);
    assert_true(got->n == 2 && got->total == 55 && got->total_is_exact && got->postings == 66);
    assert_int_equal(asked[1].status, RP_LIMIT);
    assert_int_equal(asked[1].answer.fallback, RP_FALLBACK_MEMORY);
    assert_int_equal(asked[1].answer.gpu.launches, 7);
    assert_int_equal(asked[2].status, RP_OK);
    assert_memory_equal(asked[2].answer.at, others, sizeof others);
    assert_int_equal(box->answered, 1);
    arena.cap = arena.used;
    asked[0].status = RP_OK;
    rp__mailbox_take(slot, asked, 1, &arena);
    assert_int_equal(asked[0].status, RP_NO_MEMORY);
    assert_int_equal(asked[0].answer.fallback, RP_FALLBACK_HOST_MEMORY);
    rp__arena_reset(&arena);
}

/* Neither a question that the last worker did not take, nor what it may have answered since. */
static void another_worker_is_not_meant(void **state)
{
    (void)state;
    rp__batch_item asked = question();
    uint32_t at = 0;
    assert_true(rp__mailbox_ask(box, &box->slots[0], 4, &asked, 1, RP_ASK_ONE, 0));
    assert_null(rp__mailbox_next(box, 5, &at));
}

/* Others of the same batch go nevertheless. */
static void what_is_too_long_is_not_asked(void **state)
{
    (void)state;
    enum { MANY = 100000, FEW = 1000 };
    rp__batch_item asked[3] = {question(), question(), question()};
    rp__slot *slot = &box->slots[0];
    rp__word *many = rp__alloc_zero(MANY, sizeof *many);
    asked[0].query.words = asked[1].query.words = many;
    asked[0].query.n_words = MANY;
    assert_false(rp__mailbox_ask(box, slot, 1, asked, 1, RP_ASK_ONE, 0));
    assert_int_equal(asked[0].status, RP_UNAVAILABLE);
    assert_int_equal(asked[0].answer.fallback, RP_FALLBACK_CHILD);
    asked[0].status = RP_OK;
    asked[0].query.n_words = SIZE_MAX / 8;
    asked[1].query.n_words = FEW;
    assert_true(rp__mailbox_ask(box, slot, 1, asked, 3, RP_ASK_MANY, 0));
    assert_int_equal(asked[0].status, RP_UNAVAILABLE);
    assert_int_equal(asked[1].status, RP_OK);
    rp__free(many);
    rp__batch_item *crowd = rp__alloc_zero(MANY, sizeof *crowd);
    assert_false(rp__mailbox_ask(box, slot, 1, crowd, MANY, RP_ASK_MANY, 0));
    assert_int_equal(crowd[MANY - 1].status, RP_UNAVAILABLE);
    rp__free(crowd);
}

static void hits_may_be_too_many(void **state)
{
    (void)state;
    enum { HITS = 300000 };
    rp__batch_item asked[2] = {question(), question()};
    rp__slot *slot = &box->slots[0];
    rp__scored *hits = rp__alloc_zero(HITS, sizeof *hits);
    rp__arena arena;
    rp__arena_init(&arena, 1 << 20);
    assert_true(rp__mailbox_ask(box, slot, 1, asked, 2, RP_ASK_MANY, 0));
    rp__mailbox_asked(slot)[0].answer = (rp__answer){.at = hits, .n = HITS};
    rp__mailbox_asked(slot)[1].answer = (rp__answer){.at = hits, .n = 10};
    rp__mailbox_reply(box, slot, 1);
    rp__mailbox_take(slot, asked, 2, &arena);
    assert_int_equal(asked[0].status, RP_UNAVAILABLE);
    assert_int_equal(asked[0].answer.fallback, RP_FALLBACK_CHILD);
    assert_non_null(strstr(slot->err.text, "too many"));
    assert_int_equal(asked[1].status, RP_OK);
    assert_int_equal(asked[1].answer.n, 10);
    rp__free(hits);
    rp__arena_reset(&arena);
}

/* Candidates of a query go both ways behind it, which stays; its hits too. */
static void steps_follow_a_query(void **state)
{
    (void)state;
    enum { CANDIDATES = 5 };
    _Atomic uint32_t stop = 0;
    rp__batch_item asked = question();
    rp__slot *slot = &box->slots[1];
    uint32_t docids[CANDIDATES] = {1, 5, 7, 8, 90}, scores[CANDIDATES] = {3, 1, 4, 1, 5};
    uint32_t got_docids[CANDIDATES] = {0}, got_scores[CANDIDATES] = {0}, at = 0;
    const rp__partial from = {.docids = docids, .scores = scores, .n = CANDIDATES};
    rp__partial to = {.docids = got_docids, .scores = got_scores, .n = CANDIDATES};
    rp__scored hits[] = {{9, 1}};
    rp__arena arena;
    rp__arena_init(&arena, 1 << 20);
    asked.query.stop = &stop;
    assert_true(rp__mailbox_ask(box, slot, 2, &asked, 1, RP_ASK_STEP, 0));
    const rp__query *query = &rp__mailbox_asked(slot)->query;
    assert_int_equal(slot->step.kind, RP_MAIL_OPEN);
    assert_ptr_equal(query->stop, &slot->stop);
    rp__mailbox_reply(box, slot, 2);
    assert_true(rp__mailbox_piece_max(slot) > CANDIDATES);
    for (uint32_t first = 0; first < CANDIDATES; first += 3) {
        const uint32_t last = first + 3 < CANDIDATES ? first + 3 : CANDIDATES;
        rp__mailbox_put_piece(slot, &from, first, last);
        rp__mailbox_ask_step(box, slot, 2,
                             &(rp__step_mail){.kind = RP_MAIL_PUT, .first = first, .last = last});
        at = 0;
        assert_ptr_equal(rp__mailbox_next(box, 2, &at), slot);
        assert_int_equal(slot->step.last, last);
        rp__mailbox_get_piece(slot, &to, first, last);
        rp__mailbox_reply(box, slot, 2);
    }
    assert_memory_equal(got_docids, docids, sizeof docids);
    assert_memory_equal(got_scores, scores, sizeof scores);
    rp__mailbox_ask_step(box, slot, 2, &(rp__step_mail){.kind = RP_MAIL_SELECT});
    rp__mailbox_asked(slot)->answer = (rp__answer){.at = hits, .n = 1};
    rp__mailbox_reply(box, slot, 2);
    assert_memory_equal(query->ops, ops, sizeof ops);
    assert_memory_equal(query->leaves, leaves, sizeof leaves);
    rp__mailbox_take(slot, &asked, 1, &arena);
    assert_memory_equal(asked.answer.at, hits, sizeof hits);
    rp__arena_reset(&arena);
}

/* What stops a query lies in another process. Of a batch it goes nowhere once it is to stop. */
static void what_stops_a_query_stays_here(void **state)
{
    (void)state;
    _Atomic uint32_t stop = 1, goes_on = 0;
    rp__trace trace = {0};
    rp__batch_item asked[2] = {question(), question()};
    rp__slot *slot = &box->slots[0];
    asked[0].query.stop = &stop;
    asked[1].query.stop = &goes_on;
    asked[1].query.trace = &trace;
    assert_true(rp__mailbox_ask(box, slot, 1, asked, 2, RP_ASK_MANY, 0));
    assert_int_equal(asked[0].status, RP_INTERRUPTED);
    assert_int_equal(rp__mailbox_asked(slot)[0].status, RP_INTERRUPTED);
    assert_null(rp__mailbox_asked(slot)[1].query.stop);
    assert_null(rp__mailbox_asked(slot)[1].query.trace);
}

static void a_worker_is_lost_once(void **state)
{
    (void)state;
    rp__mailbox_enter(box, 3, RP_PHASE_LOADING);
    assert_true(rp__mailbox_lose(box, 3, RP_UNAVAILABLE, "not loaded"));
    assert_int_equal(box->faults, 0); /* it was not there yet */
    rp__mailbox_enter(box, 4, RP_PHASE_READY);
    assert_false(rp__mailbox_lose(box, 3, RP_UNAVAILABLE, "the one before"));
    assert_int_equal(rp__mailbox_phase(box->phase), RP_PHASE_READY);
    assert_int_equal(rp__mailbox_number(box->phase), 4);
    assert_true(rp__mailbox_lose(box, 4, RP_UNAVAILABLE, "gone"));
    assert_false(rp__mailbox_lose(box, 4, RP_UNAVAILABLE, "again"));
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
        TEST(hits_may_be_too_many),        TEST(a_worker_is_lost_once),
        TEST(steps_follow_a_query),        TEST(what_stops_a_query_stays_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
