/* test_auto_processor.c: which processor `auto` chooses, fact by fact, with thresholds of the test; and what it sees of
 * a query. The default thresholds are held to what must be so whatever they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "plan/plan.h"

/* ---- The choice -------------------------------------------------------------------------------- */

static const rp__auto_tuning tuning = {
    .min_postings =
        {
            [RP_AUTO_BURST] = {1000, 100, 400, 600, RP_AUTO_NEVER, RP_AUTO_NEVER},
            [RP_AUTO_LONE] = {RP_AUTO_NEVER, 5000, 8000, 9000, RP_AUTO_NEVER, RP_AUTO_NEVER},
            [RP_AUTO_BATCH] = {0, 0, 0, RP_AUTO_NEVER, 10, RP_AUTO_NEVER},
        },
    .max_k = {[RP_AUTO_BURST] = 1000, [RP_AUTO_LONE] = 1000, [RP_AUTO_BATCH] = 32},
    .deep_k = 100,
    .deep_share = 4,
    .lone_us = 50,
    .work_ps = {50, 900, 160, 200, 1000, 1000},
};

static void expect(rp__auto_facts facts, const char *processor)
{
    facts.is_attached = true;
    assert_string_equal(rp__auto_processor_is_for_card(&facts, &tuning) ? "gpu" : "cpu", processor);
    facts.is_attached = false;
    assert_false(rp__auto_processor_is_for_card(&facts, &tuning));
}

static void by_postings(void **state)
{
    (void)state;
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 99, .postings = 1 << 30}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 100, .postings = 200}, "gpu");
    expect((rp__auto_facts){.shape = RP_AUTO_OR, .longest = 5120, .postings = 5120 + 379}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_OR, .longest = 5120, .postings = 5120 + 380}, "gpu");
    expect((rp__auto_facts){.shape = RP_AUTO_COUNTED_OR, .postings = 400}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_COUNTED_OR, .postings = 600}, "gpu");
    expect((rp__auto_facts){.shape = RP_AUTO_TERM, .in_blocks = 999, .postings = 999}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_TERM, .in_blocks = 1000, .postings = 1000}, "gpu");
    expect((rp__auto_facts){.shape = RP_AUTO_PHRASE, .in_blocks = 1 << 30}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_OTHER, .in_blocks = 1 << 30, .postings = 1 << 30},
           "cpu");
}

static void by_pace(void **state)
{
    (void)state;
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 200, .idle_us = 49}, "gpu");
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 200, .idle_us = 50}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 200, .idle_us = UINT64_MAX}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 5000, .idle_us = 50}, "gpu");
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .idle_us = 50, .in_batch = true}, "gpu");
    expect((rp__auto_facts){.shape = RP_AUTO_PHRASE, .in_blocks = 10, .in_batch = true}, "gpu");
    expect((rp__auto_facts){.shape = RP_AUTO_COUNTED_OR, .postings = 1 << 30, .in_batch = true},
           "cpu");
}

static void by_k_and_threads(void **state)
{
    (void)state;
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 100, .k = 1000}, "gpu");
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 99, .k = 1000}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 100, .k = 1001}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .k = 33, .in_batch = true}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_OR, .postings = 100, .k = 99}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_OR, .postings = 100, .k = 100}, "gpu");
    expect((rp__auto_facts){.shape = RP_AUTO_OR, .postings = 99, .k = 100}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 399, .threads = 4}, "cpu");
    expect((rp__auto_facts){.shape = RP_AUTO_AND, .in_pair = 400, .threads = 4}, "gpu");
}

static void estimates(void **state)
{
    (void)state;
    assert_int_equal(rp__auto_processor_estimate(RP_AUTO_AND, 1000, &tuning), 900);
    assert_int_equal(rp__auto_processor_estimate(RP_AUTO_OR, 0, &tuning), 0);
    assert_int_equal(rp__auto_processor_estimate(RP_AUTO_OR, UINT64_MAX, &tuning), 100000000000);
}

/* What a card refuses never goes to it; a lone query needs no fewer postings than one of a burst. */
static void defaults_make_sense(void **state)
{
    (void)state;
    const rp__auto_tuning *t = &rp__auto_processor_tuning;
    for (int pace = 0; pace < RP_AUTO_PACES; pace++)
        assert_true(t->min_postings[pace][RP_AUTO_OTHER] == RP_AUTO_NEVER);
    for (int shape = 0; shape < RP_AUTO_SHAPES; shape++) {
        /* a launch costs more after a pause; a core that reads many lists finds none in its caches */
        if (shape != RP_AUTO_OR)
            assert_true(t->min_postings[RP_AUTO_LONE][shape] >=
                        t->min_postings[RP_AUTO_BURST][shape]);
        assert_true(t->work_ps[shape] > 0);
    }
    assert_true(t->deep_share > 0 && t->attach_us > 0 && t->lone_us > 0);
}

/* ---- What is seen of a query --------------------------------------------------------------------- */

enum { OPS = 300 };

static rp__op ops[OPS];
static rp__word words[OPS];
static rp__ranking bm25 = {.kind = RP_RANK_BM25};
static rp__rank rank = {.ranking = &bm25};

/* So many leaves of one kind and role, with lists of 7, 8, ... postings. */
static rp__query make(size_t n, uint8_t kind, uint8_t role)
{
    ops[0] = (rp__op){RP_OP_OPEN, RP_MUST, 0};
    for (size_t i = 0; i < n; i++) {
        ops[i + 1] = (rp__op){kind, role, (uint32_t)i};
        words[i] = (rp__word){.term = {.df = (uint32_t)(7 + i)}};
    }
    ops[n + 1] = (rp__op){RP_OP_CLOSE, RP_MUST, 0};
    return (rp__query){
        .ops = ops, .n_ops = n + 2, .words = words, .n_words = n, .rank = &rank, .k = 10};
}

static rp__auto_shape shape_of(rp__query query)
{
    rp__auto_facts facts;
    rp__auto_processor_look(&query, &facts);
    return facts.shape;
}

static void shapes(void **state)
{
    (void)state;
    assert_int_equal(shape_of(make(1, RP_OP_TERM, RP_SHOULD)), RP_AUTO_TERM);
    assert_int_equal(shape_of(make(1, RP_OP_TERM, RP_MUST)), RP_AUTO_TERM);
    assert_int_equal(shape_of(make(1, RP_OP_TERM, RP_NOT)), RP_AUTO_OTHER);
    assert_int_equal(shape_of(make(1, RP_OP_PHRASE, RP_SHOULD)), RP_AUTO_PHRASE);
    assert_int_equal(shape_of(make(2, RP_OP_PHRASE, RP_SHOULD)), RP_AUTO_OTHER);
    assert_int_equal(shape_of(make(2, RP_OP_TERM, RP_MUST)), RP_AUTO_AND);
    assert_int_equal(shape_of(make(64, RP_OP_TERM, RP_SHOULD)), RP_AUTO_OR);
    assert_int_equal(shape_of(make(256, RP_OP_TERM, RP_SHOULD)), RP_AUTO_OR);
    assert_int_equal(shape_of(make(257, RP_OP_TERM, RP_SHOULD)), RP_AUTO_OTHER);
    assert_int_equal(shape_of(make(64, RP_OP_TERM, RP_MUST)), RP_AUTO_AND);
    assert_int_equal(shape_of(make(65, RP_OP_TERM, RP_MUST)), RP_AUTO_OTHER);
    rp__query mixed = make(3, RP_OP_TERM, RP_MUST);
    ops[2].role = RP_SHOULD;
    assert_int_equal(shape_of(mixed), RP_AUTO_OTHER);
    rp__query counted = make(2, RP_OP_TERM, RP_SHOULD);
    counted.exact_total = true;
    assert_int_equal(shape_of(counted), RP_AUTO_COUNTED_OR);
    counted.exact_total = false;
    counted.k = 0;
    assert_int_equal(shape_of(counted), RP_AUTO_COUNTED_OR);
    counted.algorithm = "wand";
    assert_int_equal(shape_of(counted), RP_AUTO_OTHER);
    static rp__ranking other = {.kind = RP_RANK_BM25 + 1};
    rp__query likelihood = make(2, RP_OP_TERM, RP_MUST);
    likelihood.rank = &(rp__rank){.ranking = &other};
    assert_int_equal(shape_of(likelihood), RP_AUTO_OTHER);
    assert_int_equal(shape_of((rp__query){.rank = &rank}), RP_AUTO_OTHER);
}

static void lists(void **state)
{
    (void)state;
    rp__auto_facts facts;
    rp__query query = make(3, RP_OP_TERM, RP_MUST);
    rp__auto_processor_look(&query, &facts);
    assert_int_equal(facts.in_blocks, 24);
    assert_int_equal(facts.in_pair, 7 + 8 + 8);
    words[0].term.df = 1;
    words[2].term.df = 1000;
    assert_int_equal(rp__auto_processor_count(&query), 1 + 8 + RP_BLOCK);
    assert_int_equal(rp__auto_processor_count_pair(&query), 1 + 8 + 8);
    words[1].term.df = 900;
    assert_int_equal(rp__auto_processor_count_pair(&query), 1 + RP_BLOCK + RP_BLOCK);
    words[1].term.df = 8;
    assert_int_equal(facts.longest, 9);
    assert_int_equal(facts.postings, 24);
    assert_int_equal(facts.k, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_postings),
        cmocka_unit_test(by_pace),
        cmocka_unit_test(by_k_and_threads),
        cmocka_unit_test(estimates),
        cmocka_unit_test(defaults_make_sense),
        cmocka_unit_test(shapes),
        cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests_name("auto_processor", tests, NULL, NULL);
}
