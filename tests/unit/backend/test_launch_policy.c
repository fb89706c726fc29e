/* test_launch_policy.c: which row of the launch table answers a query, without a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backend/gpu/exec/launch_policy.h"

enum { SHORT = 100, LONG = 1 << 20 };

static const rp__launch_request plain = {
    .shape = RP_SHAPE_AND, .n_terms = 2, .shortest = SHORT, .k = 10, .is_whole = true};

/* The row's name, or the name of the reason. */
static const char *choose(rp__launch_request request)
{
    rp_fallback why;
    const rp__launch_row *row = rp__launch_policy_choose(&request, &why);
    assert_true(!row || !why);
    return row ? row->name : rp_fallback_name(why);
}

static rp__launch_request with(rp__shape shape, uint32_t n_terms, uint32_t shortest, size_t k)
{
    rp__launch_request r = plain;
    r.shape = shape;
    r.n_terms = n_terms;
    r.shortest = shortest;
    r.k = k;
    return r;
}

static rp__launch_request in_group(rp__launch_request r)
{
    r.in_group = true;
    return r;
}

static rp__launch_request exact(rp__launch_request r)
{
    r.exact_total = true;
    return r;
}

static rp__launch_request part(rp__launch_request r)
{
    r.is_part = true;
    return r;
}

static rp__launch_request cached(rp__launch_request r)
{
    r.is_whole = false;
    return r;
}

static void rows_are_where_their_ids_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < RP_LAUNCHES; i++) {
        const rp__launch_row *row = &rp__launch_table[i];
        assert_int_equal(row->id, i);
        assert_true(row->name && row->shapes && row->reads && row->max_queries && row->max_terms);
        assert_true(row->begin && row->scratch && row->find && row->launch && row->is_done);
        assert_true(row->wait && row->take && row->settle);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(row->name, rp__launch_table[k].name);
    }
}

static void single_ands(void **state)
{
    (void)state;
    const uint32_t from = rp__launch_policy_tuning.and_batch_from;
    assert_string_equal(choose(plain), "and-persistent");
    assert_string_equal(choose(exact(plain)), "and-persistent");
    assert_string_equal(choose(part(plain)), "and-persistent");
    assert_string_equal(choose(cached(plain)), "and-single");
    assert_string_equal(choose(with(RP_SHAPE_AND, 8, SHORT, 1024)), "and-persistent");
    assert_string_equal(choose(with(RP_SHAPE_AND, 9, SHORT, 10)), "and-single");
    assert_string_equal(choose(with(RP_SHAPE_AND, 2, SHORT, 1025)), "and-single");
    assert_string_equal(choose(with(RP_SHAPE_AND, 64, SHORT, 10)), "and-single");
    assert_string_equal(choose(with(RP_SHAPE_AND, 65, SHORT, 10)), "terms");
    assert_string_equal(choose(with(RP_SHAPE_AND, 2, from - 1, 10)), "and-persistent");
    assert_string_equal(choose(with(RP_SHAPE_AND, 2, from, 10)), "and-batch");
    assert_string_equal(choose(with(RP_SHAPE_AND, 64, LONG, 0)), "and-batch");
    assert_string_equal(choose(exact(part(with(RP_SHAPE_AND, 2, LONG, 32)))), "and-batch");
    assert_string_equal(choose(with(RP_SHAPE_AND, 2, LONG, 33)), "and-persistent");
    assert_string_equal(choose(with(RP_SHAPE_AND, 2, LONG, 2000)), "and-single");
    assert_string_equal(choose(cached(with(RP_SHAPE_AND, 2, LONG, 10))), "and-single");
    assert_string_equal(choose(with(RP_SHAPE_AND, 2, UINT32_MAX, 10)), "and-persistent");
}

static void single_terms(void **state)
{
    (void)state;
    const uint32_t from = rp__launch_policy_tuning.or_maxscore_from;
    assert_string_equal(choose(with(RP_SHAPE_AND, 1, SHORT, 10)), "and-persistent");
    assert_string_equal(choose(with(RP_SHAPE_AND, 1, from - 1, 10)), "and-persistent");
    assert_string_equal(choose(with(RP_SHAPE_AND, 1, from, 1)), "or-maxscore");
    assert_string_equal(choose(exact(with(RP_SHAPE_AND, 1, from, 32))), "or-maxscore");
    assert_string_equal(choose(with(RP_SHAPE_AND, 1, from, 33)), "and-persistent");
    assert_string_equal(choose(with(RP_SHAPE_AND, 1, from, 0)), "and-persistent");
    assert_string_equal(choose(part(with(RP_SHAPE_AND, 1, from, 10))), "and-persistent");
    assert_string_equal(choose(cached(with(RP_SHAPE_AND, 1, from, 10))), "and-single");
}

static rp__launch_request ranking(rp__launch_request r, size_t most)
{
    r.max_ranked = most;
    return r;
}

/* A block of the card ranks in its shared memory. */
static void cards_with_little_shared_memory(void **state)
{
    (void)state;
    assert_int_equal(rp__launch_policy_max_ranked(227 << 10), 16384);
    assert_int_equal(rp__launch_policy_max_ranked(99 << 10), 8192);
    assert_int_equal(rp__launch_policy_max_ranked(48 << 10), 4096);
    assert_string_equal(choose(ranking(in_group(with(RP_SHAPE_AND, 2, SHORT, 8192)), 8192)),
                        "and-batch");
    assert_string_equal(choose(ranking(in_group(with(RP_SHAPE_AND, 2, SHORT, 8193)), 8192)), "k");
    assert_string_equal(choose(ranking(in_group(with(RP_SHAPE_OR, 2, 0, 8193)), 8192)), "k");
    assert_string_equal(choose(ranking(with(RP_SHAPE_OR, 2, 0, 8192), 8192)), "or-maxscore");
    assert_string_equal(choose(ranking(with(RP_SHAPE_OR, 2, 0, 8193), 8192)), "or-accumulate");
    assert_string_equal(choose(ranking(with(RP_SHAPE_AND, 2, LONG, 8193), 8192)), "and-single");
}

static void single_ors(void **state)
{
    (void)state;
    rp__launch_request or = with(RP_SHAPE_OR, 2, 0, 10);
    assert_string_equal(choose(or), "or-maxscore");
    assert_string_equal(choose(cached(or)), "or-maxscore");
    assert_string_equal(choose(exact(or)), "or-maxscore");
    assert_string_equal(choose(part(or)), "or-accumulate");
    assert_string_equal(choose(exact(part(or))), "or-accumulate");
    assert_string_equal(choose(with(RP_SHAPE_OR, 2, 0, 0)), "or-maxscore");
    assert_string_equal(choose(with(RP_SHAPE_OR, 2, 0, 1024)), "or-maxscore");
    assert_string_equal(choose(with(RP_SHAPE_OR, 2, 0, 10000)), "or-maxscore");
    assert_string_equal(choose(with(RP_SHAPE_OR, 2, 0, 10001)), "or-accumulate");
    assert_string_equal(choose(with(RP_SHAPE_OR, 32, 0, 10)), "or-maxscore");
    assert_string_equal(choose(with(RP_SHAPE_OR, 33, 0, 10)), "or-long");
    assert_string_equal(choose(exact(with(RP_SHAPE_OR, 256, 0, 10000))), "or-long");
    assert_string_equal(choose(part(with(RP_SHAPE_OR, 33, 0, 10))), "or-accumulate");
    assert_string_equal(choose(part(with(RP_SHAPE_OR, 65, 0, 10))), "terms");
    assert_string_equal(choose(with(RP_SHAPE_OR, 64, 0, 10001)), "or-accumulate");
    assert_string_equal(choose(with(RP_SHAPE_OR, 65, 0, 10001)), "terms");
    assert_string_equal(choose(with(RP_SHAPE_OR, 257, 0, 10)), "terms");
}

static void groups(void **state)
{
    (void)state;
    rp__launch_request or = in_group(with(RP_SHAPE_OR, 2, 0, 10));
    assert_string_equal(choose(in_group(plain)), "and-batch");
    assert_string_equal(choose(in_group(with(RP_SHAPE_AND, 1, LONG, 10))), "and-batch");
    assert_string_equal(choose(in_group(cached(exact(part(plain))))), "and-batch");
    assert_string_equal(choose(in_group(with(RP_SHAPE_AND, 64, SHORT, 10000))), "and-batch");
    assert_string_equal(choose(in_group(with(RP_SHAPE_AND, 65, SHORT, 10))), "terms");
    assert_string_equal(choose(in_group(with(RP_SHAPE_AND, 2, SHORT, 10001))), "k");
    assert_string_equal(choose(in_group(with(RP_SHAPE_PHRASE, 2, SHORT, 10))), "phrase-batch");
    assert_string_equal(choose(in_group(with(RP_SHAPE_PHRASE, 65, SHORT, 10))), "terms");
    assert_string_equal(choose(or), "or-maxscore");
    assert_string_equal(choose(exact(or)), "or-maxscore");
    assert_string_equal(choose(part(or)), "range");
    assert_string_equal(choose(in_group(with(RP_SHAPE_OR, 2, 0, 0))), "or-maxscore");
    assert_string_equal(choose(in_group(with(RP_SHAPE_OR, 33, 0, 10))), "or-long");
    assert_string_equal(choose(in_group(part(with(RP_SHAPE_OR, 33, 0, 10)))), "range");
    assert_string_equal(choose(in_group(with(RP_SHAPE_OR, 257, 0, 10))), "terms");
    assert_string_equal(choose(in_group(with(RP_SHAPE_OR, 2, 0, 10000))), "or-maxscore");
    assert_string_equal(choose(in_group(with(RP_SHAPE_OR, 2, 0, 10001))), "k");
}

/* One number of tuning.h turns the row's totals off. */
static void ors_that_are_not_counted(void **state)
{
    (void)state;
    const rp__launch_tuning tuned = rp__launch_policy_tuning;
    const rp__launch_request or = with(RP_SHAPE_OR, 2, 0, 10), total = with(RP_SHAPE_OR, 2, 0, 0);
    rp__launch_policy_tuning.or_counts = false;
    assert_string_equal(choose(or), "or-maxscore");
    assert_string_equal(choose(exact(or)), "or-accumulate");
    assert_string_equal(choose(total), "or-accumulate");
    assert_string_equal(choose(in_group(exact(or))), "exact_total");
    assert_string_equal(choose(in_group(total)), "exact_total");
    rp__launch_policy_tuning = tuned;
}

static void other_shapes(void **state)
{
    (void)state;
    assert_string_equal(choose(with(RP_SHAPE_NOTHING, 2, 0, 10)), "none");
    assert_string_equal(choose(with(RP_SHAPE_OTHER, 2, 0, 10)), "form");
    assert_string_equal(choose(with(RP_SHAPE_PHRASE, 2, SHORT, 10)), "form");
    assert_string_equal(rp__launch_policy_last(RP_SHAPE_AND)->name, "and-single");
    assert_string_equal(rp__launch_policy_last(RP_SHAPE_OR)->name, "or-accumulate");
    assert_null(rp__launch_policy_last(RP_SHAPE_PHRASE));
}

/* ---- Queries ----------------------------------------------------------------------------------- */

/* A query of n terms whose lists have `df`, df + 1, ... postings. */
typedef struct made {
    rp__op ops[8];
    rp__leaf leaves[8];
    rp__word words[8];
    rp__query query;
} made;

static void make(made *m, size_t n, uint8_t role, uint32_t df)
{
    *m = (made){.query = {.ops = m->ops,
                          .leaves = m->leaves,
                          .words = m->words,
                          .n_ops = n + 2,
                          .n_leaves = n,
                          .n_words = n,
                          .k = 10,
                          .end = UINT32_MAX,
                          .lengths = {.n_docs = 1000}}};
    for (uint32_t i = 0; i < n; i++) {
        m->ops[i + 1] = (rp__op){.kind = RP_OP_TERM, .role = role, .leaf = i};
        m->leaves[i] = (rp__leaf){.word = i, .n_words = 1};
        m->words[i].term.df = df + i;
    }
}

static rp__launch_request request_of(const made *m)
{
    return rp__launch_policy_request(&m->query, true, false);
}

/* The short way says yes only where the choice is and-batch, and always for known terms that must be there. */
static void check_short_way(const made *m)
{
    uint32_t shortest = 0;
    rp_fallback why;
    const rp__launch_request r = rp__launch_policy_request(&m->query, true, true);
    const rp__launch_row *row = rp__launch_policy_choose(&r, &why);
    const bool is_batch = row && row->id == RP_LAUNCH_AND_BATCH;
    if (rp__launch_policy_is_group_and(&m->query, &shortest)) {
        assert_true(is_batch);
        assert_int_equal(shortest, r.shortest);
    } else {
        assert_true(!is_batch || m->query.n_ops == 3);
    }
}

static void the_short_way_is_the_policys(void **state)
{
    (void)state;
    static const uint8_t roles[] = {RP_MUST, RP_SHOULD, RP_NOT};
    made m;
    for (size_t i = 0; i < 3 * 6 * 2 * 7; i++) {
        make(&m, i / 3 % 6, roles[i % 3], (uint32_t)(i / 18 % 2));
        switch (i / 36) {
        case 1:
            m.query.k = 10001;
            break;
        case 2:
            m.query.begin = m.query.end;
            break;
        case 3:
            m.query.begin = 1000;
            break;
        case 4:
            m.query.algorithm = "para";
            break;
        case 5:
            m.ops[1].kind = RP_OP_PHRASE;
            break;
        case 6:
            m.ops[m.query.n_leaves].role = RP_SHOULD;
            break;
        default:
            break;
        }
        check_short_way(&m);
    }
    uint32_t shortest = 0;
    make(&m, 5, RP_MUST, 3);
    assert_true(rp__launch_policy_is_group_and(&m.query, &shortest));
    assert_int_equal(shortest, 3);
}

static void queries_have_shapes(void **state)
{
    (void)state;
    made m;
    make(&m, 3, RP_MUST, 5);
    rp__launch_request r = request_of(&m);
    assert_int_equal(r.shape, RP_SHAPE_AND);
    assert_int_equal(r.n_terms, 3);
    assert_int_equal(r.shortest, 5);
    assert_false(r.is_part);
    m.ops[2].role = RP_NOT;
    assert_int_equal(request_of(&m).shape, RP_SHAPE_OTHER);
    make(&m, 3, RP_SHOULD, 0);
    assert_int_equal(request_of(&m).shape, RP_SHAPE_OR);
    make(&m, 1, RP_SHOULD, 5);
    assert_int_equal(request_of(&m).shape, RP_SHAPE_AND);
    m.ops[1].kind = RP_OP_PHRASE;
    assert_int_equal(request_of(&m).shape, RP_SHAPE_PHRASE);
    m.query.begin = 1;
    assert_true(request_of(&m).is_part);
}

static void queries_may_match_nothing(void **state)
{
    (void)state;
    made m;
    make(&m, 3, RP_MUST, 0);
    assert_int_equal(request_of(&m).shape, RP_SHAPE_NOTHING);
    make(&m, 2, RP_SHOULD, 0);
    m.words[1].term.df = 0;
    assert_int_equal(request_of(&m).shape, RP_SHAPE_NOTHING);
    make(&m, 2, RP_MUST, 5);
    m.query.begin = 1000;
    assert_int_equal(request_of(&m).shape, RP_SHAPE_NOTHING);
    m.query.n_ops = 0;
    assert_int_equal(request_of(&m).shape, RP_SHAPE_NOTHING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_where_their_ids_are),
        cmocka_unit_test(single_ands),
        cmocka_unit_test(single_terms),
        cmocka_unit_test(cards_with_little_shared_memory),
        cmocka_unit_test(single_ors),
        cmocka_unit_test(groups),
        cmocka_unit_test(ors_that_are_not_counted),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(queries_have_shapes),
        cmocka_unit_test(the_short_way_is_the_policys),
        cmocka_unit_test(queries_may_match_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
