/* test_bisection.c: graph bisection on small sets of documents: an order is a permutation, costs no more
 * than the one before by a plain count of gaps, finds what was hidden, and is the same for any threads. */
#include "engine/bisection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/alloc.h"
#include "fault/sample.h"

enum { DOCS_MOST = 3000, TERMS_A_DOC = 24 };

typedef struct set {
    uint32_t n_docs, n_terms;
    uint32_t n[DOCS_MOST];
    uint32_t terms[DOCS_MOST][TERMS_A_DOC];
} set;

static set s;

static void add_term(uint32_t d, uint32_t term)
{
    for (uint32_t i = 0; i < s.n[d]; i++)
        if (s.terms[d][i] == term)
            return;
    if (s.n[d] < TERMS_A_DOC)
        s.terms[d][s.n[d]++] = term;
}

/* Documents of `topics` topics, shuffled; half of the terms come from the topic's own, half from all. */
static void draw(uint32_t n_docs, uint32_t topics, uint64_t seed)
{
    sample_random r = sample_seed(seed);
    s = (set){.n_docs = n_docs, .n_terms = topics * 20 + 50};
    for (uint32_t d = 0; d < n_docs; d++) {
        uint32_t topic = (uint32_t)sample_below(&r, topics);
        for (int i = 0; i < 16; i++)
            add_term(d, i % 2 ? topic * 20 + (uint32_t)sample_below(&r, 20)
                              : (uint32_t)sample_below(&r, s.n_terms));
    }
}

/* The reference: for each term, the logarithms of its gaps in the order. */
static double cost(const uint32_t *order)
{
    double sum = 0;
    uint32_t *last = calloc(s.n_terms, sizeof *last);
    for (uint32_t i = 0; i < s.n_docs; i++)
        for (uint32_t t = 0; t < s.n[order[i]]; t++) {
            uint32_t term = s.terms[order[i]][t];
            sum += log2(i + 1 - last[term]);
            last[term] = i + 1;
        }
    free(last);
    return sum;
}

typedef struct arrays {
    rp__bisection_doc docs[DOCS_MOST];
    uint32_t terms[DOCS_MOST * TERMS_A_DOC];
} arrays;

static arrays a;

static rp__bisection graph(uint32_t threads)
{
    rp__bisection b = {.n_docs = s.n_docs,
                       .n_terms = s.n_terms,
                       .docs = a.docs,
                       .terms = a.terms,
                       .threads = threads};
    for (uint32_t d = 0; d < s.n_docs; d++) {
        a.docs[d] = (rp__bisection_doc){b.postings, s.n[d], d};
        memcpy(a.terms + b.postings, s.terms[d], s.n[d] * sizeof *a.terms);
        b.postings += s.n[d];
    }
    return b;
}

static void expect_permutation(const uint32_t *order)
{
    static uint8_t seen[DOCS_MOST];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < s.n_docs; i++) {
        assert_true(order[i] < s.n_docs && !seen[order[i]]);
        seen[order[i]] = 1;
    }
}

static void identity(uint32_t *order)
{
    for (uint32_t i = 0; i < s.n_docs; i++)
        order[i] = i;
}

static void run(rp__bisection b, uint32_t *order)
{
    rp__bisection_stats stats;
    assert_int_equal(rp__bisection_run(&b, order, &stats), RP_OK);
    expect_permutation(order);
    assert_true(stats.passed_iterations >= stats.passed_levels || s.n_terms == 0);
}

static void test_costs_less(void **state)
{
    (void)state;
    static uint32_t before[DOCS_MOST], after[DOCS_MOST];
    static const uint32_t topics[] = {1, 2, 3, 10, 50};
    for (size_t i = 0; i < 5; i++)
        for (uint32_t n = 40; n <= DOCS_MOST; n = n * 3 + 7) {
            draw(n, topics[i], n + topics[i]);
            identity(before);
            run(graph(1), after);
            if (!(cost(after) <= cost(before)))
                fail_msg("%u documents, %u topics: %f -> %f", n, topics[i], cost(before),
                         cost(after));
            if (topics[i] > 2 && n > 1000)
                assert_true(cost(after) < 0.9 * cost(before));
        }
}

/* Two kinds of documents that share nothing, mixed: each kind ends up together. */
static void test_finds_two_kinds(void **state)
{
    (void)state;
    static const uint8_t *const kinds =
        (const uint8_t *)"1101001100010110111010000101110010110011010011010001011100101001";
    uint32_t order[64], changes = 0;
    s = (set){.n_docs = 64, .n_terms = 8};
    for (uint32_t d = 0; d < 64; d++)
        for (uint32_t t = 0; t < 4; t++)
            add_term(d, (kinds[d] - '0') * 4U + t);
    run(graph(1), order);
    for (uint32_t i = 1; i < 64; i++)
        changes += kinds[order[i]] != kinds[order[i - 1]];
    assert_in_range(changes, 1, 2); /* they are not half and half */
}

/* All documents alike, none with any term of another's, none with any term: no order is better. */
static void test_nothing_to_gain(void **state)
{
    (void)state;
    static uint32_t before[DOCS_MOST], after[DOCS_MOST];
    for (int kind = 0; kind < 3; kind++) {
        s = (set){.n_docs = 500, .n_terms = kind == 2 ? 0 : 500};
        for (uint32_t d = 0; d < 500 && kind < 2; d++)
            add_term(d, kind ? d : 0);
        identity(before);
        run(graph(1), after);
        assert_true(kind == 1 || cost(after) == cost(before));
        assert_true(kind == 0 || memcmp(before, after, 500 * sizeof *after) == 0);
    }
}

static void test_same_for_any_threads(void **state)
{
    (void)state;
    static uint32_t one[DOCS_MOST], many[DOCS_MOST];
    draw(DOCS_MOST, 20, 5);
    run(graph(1), one);
    for (uint32_t threads = 2; threads <= 16; threads *= 2) {
        run(graph(threads), many);
        assert_memory_equal(one, many, s.n_docs * sizeof *one);
    }
}

static void test_few_documents(void **state)
{
    (void)state;
    static uint32_t order[DOCS_MOST];
    for (uint32_t n = 0; n < 40; n++) {
        draw(n, 3, n);
        for (uint32_t leaf = 1; leaf < 5; leaf++) {
            rp__bisection b = graph(1 + n % 3);
            b.leaf = leaf;
            run(b, order);
        }
    }
}

/* Sums past what one number holds: documents with thousands of terms, all pulling one way. */
static void test_long_documents(void **state)
{
    (void)state;
    enum { N = 64, TERMS = 60000 };
    rp__bisection_doc *docs = malloc(N * sizeof *docs);
    uint32_t *terms = malloc((size_t)N * TERMS * sizeof *terms), order[N], changes = 0;
    rp__bisection b = {.n_docs = N,
                       .n_terms = 2 * TERMS,
                       .postings = (uint64_t)N * TERMS,
                       .docs = docs,
                       .terms = terms,
                       .threads = 2};
    for (uint32_t d = 0; d < N; d++) {
        docs[d] = (rp__bisection_doc){(uint64_t)d * TERMS, TERMS, d};
        for (uint32_t t = 0; t < TERMS; t++)
            terms[d * TERMS + t] = d / 3 % 2 * TERMS + t;
    }
    assert_int_equal(rp__bisection_run(&b, order, NULL), RP_OK);
    for (uint32_t i = 1; i < N; i++)
        changes += order[i] / 3 % 2 != order[i - 1] / 3 % 2;
    assert_in_range(changes, 1, 3); /* 33 of one kind, 31 of the other */
    free(docs);
    free(terms);
}

static bool stop_after(void *arg, uint64_t done, uint64_t of)
{
    int *calls = arg;
    assert_true(done <= of);
    return --*calls > 0;
}

static void test_interrupt(void **state)
{
    (void)state;
    static uint32_t order[DOCS_MOST];
    draw(DOCS_MOST, 20, 5);
    for (uint32_t threads = 1; threads < 4; threads += 2)
        for (int calls = 1; calls <= (threads == 1 ? 50 : 3); calls++) {
            int left = calls;
            rp__bisection b = graph(threads);
            b.on_progress = stop_after;
            b.progress_arg = &left;
            assert_int_equal(rp__bisection_run(&b, order, NULL), RP_INTERRUPTED);
        }
}

/* It holds no more than it says, and gives all back, where it fails too. */
static void test_memory(void **state)
{
    (void)state;
    static uint32_t order[DOCS_MOST];
    draw(DOCS_MOST, 20, 5);
    uint64_t held = rp__alloc_in_use();
    rp__bisection b = graph(3);
    rp__alloc_reset_peak();
    assert_int_equal(rp__bisection_run(&b, order, NULL), RP_OK);
    assert_true(rp__alloc_peak() - held <= rp__bisection_bytes(&b) + 4096);
    assert_int_equal(rp__alloc_in_use(), held);
    for (uint64_t n = 1;; n++) {
        b = graph(3);
        rp__alloc_fail_at(n, false);
        rp_status status = rp__bisection_run(&b, order, NULL);
        rp__alloc_fail_at(0, false);
        assert_int_equal(rp__alloc_in_use(), held);
        if (status == RP_OK)
            break;
        assert_int_equal(status, RP_NO_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs_less),      cmocka_unit_test(test_finds_two_kinds),
        cmocka_unit_test(test_nothing_to_gain), cmocka_unit_test(test_same_for_any_threads),
        cmocka_unit_test(test_few_documents),   cmocka_unit_test(test_long_documents),
        cmocka_unit_test(test_interrupt),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
