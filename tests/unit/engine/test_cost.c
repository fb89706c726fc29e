/* test_cost.c: logarithms by integers, trees that are sound or not, and rules fitted to costs whose law is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "engine/cost_fit.h"

enum { N = 3000 };

static void logarithms_are_close(void **state)
{
    (void)state;
    for (uint64_t x = 0; x < UINT64_C(1) << 40; x = x * 5 / 4 + 1) {
        assert_true(fabs(rp__cost_log(x) / 65536.0 - log((double)x + 1)) < 1e-4);
        const double back = (double)rp__cost_exp(rp__cost_log(x));
        if (x < UINT64_C(100000000000))
            assert_true(fabs(back - (double)(x + 1)) <= 1 + 1e-3 * (double)x);
        else
            assert_true(back <= 1e11);
    }
    assert_int_equal(rp__cost_exp(-5), 1);
    assert_int_equal(rp__cost_exp(INT64_MAX), UINT64_C(100000000000));
}

static rp__cost_rule leaf(int32_t bias)
{
    return (rp__cost_rule){.feature = RP_COST_LEAF, .bias = bias};
}

static void only_trees_are_sound(void **state)
{
    (void)state;
    rp__cost_tree tree = {.n = 0};
    assert_false(rp__cost_tree_is_sound(&tree));
    tree = (rp__cost_tree){.n = 1, .rules = {leaf(7)}};
    assert_true(rp__cost_tree_is_sound(&tree));
    const rp__cost_rule inner = {.feature = RP_COST_TOTAL, .low = 1, .high = 2, .threshold = 65536};
    tree = (rp__cost_tree){.n = 3, .rules = {inner, leaf(0), leaf(0)}};
    assert_true(rp__cost_tree_is_sound(&tree));
    tree.n = 2; /* a rule that is not there */
    assert_false(rp__cost_tree_is_sound(&tree));
    tree.n = 3;
    tree.rules[0].high = 1; /* one rule for both */
    assert_false(rp__cost_tree_is_sound(&tree));
    tree.rules[0].high = 0; /* a circle */
    assert_false(rp__cost_tree_is_sound(&tree));
    tree.rules[0] = inner;
    tree.rules[0].feature = RP_COST_FEATURES; /* no such feature */
    assert_false(rp__cost_tree_is_sound(&tree));
    tree = (rp__cost_tree){.n = 2, .rules = {leaf(0), leaf(0)}}; /* one that nobody asks */
    assert_false(rp__cost_tree_is_sound(&tree));
    tree.n = RP_COST_RULES + 1;
    assert_false(rp__cost_tree_is_sound(&tree));
}

/* 2,000 + 3 of each posting of the shortest list up to 10,000 in all, 1 for each of all lists above. */
static uint64_t law(uint64_t shortest, uint64_t total)
{
    return total < 10000 ? 2000 + 3 * shortest : 500 + total;
}

static void draw(rp__random *random, rp__cost_sample *s)
{
    const uint64_t shortest = rp__random_next(random) >> (46 + rp__random_below(random, 16));
    const uint64_t total =
        shortest + (rp__random_next(random) >> (44 + rp__random_below(random, 16)));
    *s = (rp__cost_sample){.ns = law(shortest, total)};
    s->features[RP_COST_SHORTEST] = rp__cost_log(shortest);
    s->features[RP_COST_SECOND] = rp__cost_log(total - shortest);
    s->features[RP_COST_TOTAL] = rp__cost_log(total);
    s->features[RP_COST_TERMS] = rp__cost_log(2);
}

static void rules_find_a_law(void **state)
{
    (void)state;
    static rp__cost_sample samples[N];
    rp__random random;
    rp__cost_tree tree, again;
    rp__random_init(&random, 5);
    for (size_t i = 0; i < N; i++)
        draw(&random, &samples[i]);
    assert_int_equal(rp__cost_fit(samples, N, RP_COST_DINGS, &tree), RP_OK);
    assert_true(rp__cost_tree_is_sound(&tree));
    assert_true(tree.n > 1);
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        rp__cost_sample s;
        draw(&random, &s);
        sum +=
            fabs((double)rp__cost_tree_estimate(&tree, s.features) - (double)s.ns) / (double)s.ns;
    }
    assert_true(sum / N < 0.05);
    assert_int_equal(rp__cost_fit(samples, N, RP_COST_DINGS, &again), RP_OK);
    assert_memory_equal(&tree, &again, sizeof tree);
    for (uint32_t i = 0; i < tree.n; i++)
        assert_int_equal(tree.rules[i].weights[RP_COST_READING], 0); /* it was not to be used */
}

/* One in ten took twenty times as long: rules are for the others. */
static void few_slow_samples_do_not_matter(void **state)
{
    (void)state;
    static rp__cost_sample samples[N];
    rp__random random;
    rp__cost_tree tree;
    rp__random_init(&random, 6);
    for (size_t i = 0; i < N; i++) {
        samples[i].features[RP_COST_SHORTEST] = rp__cost_log(rp__random_below(&random, 1 << 20));
        samples[i].ns = i % 10 == 0 ? 200000 : 10000;
    }
    assert_int_equal(rp__cost_fit(samples, N, RP_COST_DINGS, &tree), RP_OK);
    double sum = 0;
    for (size_t i = 0; i < N; i++)
        if (samples[i].ns == 10000)
            sum += fabs((double)rp__cost_tree_estimate(&tree, samples[i].features) - 10000) / 10000;
    assert_true(sum / N < 0.05); /* the mean of logarithms is off by a third */
}

static void few_samples_make_one_rule(void **state)
{
    (void)state;
    rp__cost_tree tree;
    rp__cost_sample one = {.ns = 5000};
    assert_int_equal(rp__cost_fit(&one, 0, RP_COST_ALL, &tree), RP_USAGE);
    assert_int_equal(rp__cost_fit(&one, 1, RP_COST_ALL, &tree), RP_OK);
    assert_int_equal(tree.n, 1);
    assert_in_range(rp__cost_tree_estimate(&tree, one.features), 4900, 5100);
}

/* What there is to know of an OR of words with so many postings, for the k best. */
static rp__cost_facts look_at_or(const uint32_t *dfs, size_t n, size_t k)
{
    static const rp__ranking ranking = {.kind = RP_RANK_BM25};
    const rp__rank rank = {.ranking = &ranking};
    rp__op ops[8] = {{.kind = RP_OP_OPEN}};
    rp__word words[6] = {0};
    rp__query query = {.rank = &rank, .ops = ops, .words = words, .n_words = n, .k = k};
    rp__cost_facts facts;
    for (size_t i = 0; i < n; i++) {
        words[i].term.df = dfs[i];
        ops[i + 1] = (rp__op){.kind = RP_OP_TERM, .role = RP_SHOULD};
    }
    ops[n + 1] = (rp__op){.kind = RP_OP_CLOSE};
    query.n_ops = n + 2;
    query.lengths.n_docs = 500000;
    rp__cost_look(&query, &facts);
    rp__cost_measure(&query, &facts);
    return facts;
}

static void unknown_words_of_an_or_do_not_count(void **state)
{
    (void)state;
    const rp__cost_facts known = look_at_or((const uint32_t[]){700, 90000}, 2, 10);
    const rp__cost_facts more = look_at_or((const uint32_t[]){0, 700, 0, 90000}, 4, 10);
    assert_int_equal(known.shape, RP_AUTO_OR);
    assert_memory_equal(&known.features, &more.features, sizeof known.features);
    assert_int_equal(more.shortest, 700);
    assert_int_equal(more.second, 90000);
    const rp__cost_facts one = look_at_or((const uint32_t[]){0, 40}, 2, 10);
    assert_int_equal(one.shortest, 40);
    assert_int_equal(one.second, 40);
    const rp__cost_facts none = look_at_or((const uint32_t[]){0, 0}, 2, 10);
    assert_int_equal(none.shortest, 0);
    assert_int_equal(none.second, 0);
}

/* Rules say nothing of a query that matches nothing: a core sees that at once. */
static void a_core_has_what_matches_nothing(void **state)
{
    (void)state;
    static rp__cost_model model;
    rp__policy_job job;
    for (int p = 0; p < RP_COST_PROCESSORS; p++)
        for (int s = 0; s < RP_AUTO_SHAPES; s++)
            model.trees[p][s] = (rp__cost_tree){
                .n = 1, .rules = {{.feature = RP_COST_LEAF, .bias = rp__cost_log(1000000)}}};
    rp__cost_facts facts = look_at_or((const uint32_t[]){700, 90000}, 2, 10);
    rp__cost_estimate(&model, &facts, &job);
    assert_in_range(job.cpu_ns, 990000, 1010000);
    facts = look_at_or((const uint32_t[]){0, 0}, 2, 10);
    facts.work = 1000000000;
    rp__cost_estimate(&model, &facts, &job);
    assert_in_range(job.cpu_ns, 1, 10000);
    assert_true(job.cpu_ns < job.gpu_ns);
}

static void lists_are_read_until_k_documents_are_found(void **state)
{
    (void)state;
    const struct {
        uint32_t dfs[4];
        size_t k;
        uint64_t fill;
    } cases[] = {
        {{2, 4, 102713, 108688}, 10, 102719}, /* too few in short lists: the next one is read */
        {{5, 6, 102713, 108688}, 10, 11},
        {{80, 4000, 102713, 108688}, 10, 80},
        {{1, 1, 2, 3}, 10, 7}, /* there are no k */
        {{1, 1, 2, 3}, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rp__cost_facts facts = look_at_or(cases[i].dfs, 4, cases[i].k);
        assert_int_equal(facts.features[RP_COST_FILL], rp__cost_log(cases[i].fill));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_are_close),
        cmocka_unit_test(only_trees_are_sound),
        cmocka_unit_test(rules_find_a_law),
        cmocka_unit_test(few_slow_samples_do_not_matter),
        cmocka_unit_test(few_samples_make_one_rule),
        cmocka_unit_test(unknown_words_of_an_or_do_not_count),
        cmocka_unit_test(a_core_has_what_matches_nothing),
        cmocka_unit_test(lists_are_read_until_k_documents_are_found),
    };
    return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
