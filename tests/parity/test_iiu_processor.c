/* test_iiu_processor.c: the processor iiu against the oracle, document for document and score for
 * score: queries of all shapes, alone and in batches, under its own ranking; under others its documents
 * must be the CPU's, or the query fails.
 *
 * RIPOSTE_ORACLE_SEED sets where chance starts; RIPOSTE_THOROUGH=1 asks more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/question.h"
#include "riposte/riposte.h"

enum { QUERY_TEXT = 60000, IN_BATCH = 40 };

static bool is_thorough(void)
{
    const char *text = getenv("RIPOSTE_THOROUGH");
    return text && *text && *text != '0';
}

static uint64_t seed(void)
{
    const char *text = getenv("RIPOSTE_ORACLE_SEED");
    return text && *text ? strtoull(text, NULL, 10) : 1;
}

typedef struct ask {
    const collection *c;
    rp_search_options options;
    rp__rank rank;
    char text[QUERY_TEXT];
    oracle_answer want;
} ask;

static void compare(const ask *a, const rp_hits *got)
{
    const oracle_answer *want = &a->want;
    if (got->n != want->n || got->total != want->total || !got->total_is_exact)
        fail_msg("%s, mode %d\nquery: %s\n%zu hits of %llu, oracle %zu of %llu", a->options.variant,
                 (int)a->options.mode, a->text, got->n, (unsigned long long)got->total, want->n,
                 (unsigned long long)want->total);
    for (size_t i = 0; i < got->n; i++)
        if (got->at[i].docid != want->at[i].docid || got->at[i].fixed != want->at[i].fixed)
            fail_msg("%s, mode %d\nquery: %s\nhit %zu: docid %u score %u, oracle %u %u",
                     a->options.variant, (int)a->options.mode, a->text, i, got->at[i].docid,
                     got->at[i].fixed, want->at[i].docid, want->at[i].fixed);
}

static void choose_options(ask *a, rp_mode mode, const char *variant)
{
    static const size_t ks[] = {1, 10, 10, 100, 10000};
    const rp__ranking *row = rp__ranking_find(variant);
    a->options = (rp_search_options){.variant = row->name,
                                     .mode = mode,
                                     .total = RP_TOTAL_EXACT,
                                     .processor = "iiu",
                                     .k = ks[chance_below(sizeof ks / sizeof ks[0])]};
    a->rank = (rp__rank){.ranking = row, .k1 = row->k1, .b = row->b, .mu = row->mu};
}

static void draw(ask *a)
{
    oracle_node *query = chance_below(4) ? question_make_flat(a->c->o) : question_make(a->c->o);
    a->text[0] = 0;
    oracle_print(query, a->text, sizeof a->text);
    oracle_search(a->c->o, query, &a->rank, a->options.mode, 0, a->options.k, &a->want);
    oracle_node_free(query);
}

/* Boosts that its weights have no bits for are refused by name. */
static bool is_refused(rp_status status, const rp_error *err)
{
    return status == RP_USAGE && strstr(err->text, "boost");
}

/* ---- Alone ----------------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t answered, refused, matched, operations;
} tally;

static void ask_once(const collection *c, tally *t)
{
    static ask a;
    rp_searcher *searcher;
    rp_hits got;
    rp_error err = {.text = ""};
    a.c = c;
    size_t n_variants = 0;
    while (rp_variant_name(n_variants))
        n_variants++;
    choose_options(&a, (rp_mode)chance_below(3),
                   chance_below(4) ? "iiu" : rp_variant_name(chance_below(n_variants)));
    draw(&a);
    assert_int_equal(rp_searcher_new(c->indexes[0], &a.options, &searcher, &err), RP_OK);
    rp_status status = rp_searcher_search(searcher, a.text, strlen(a.text), &got, &err);
    if (status != a.want.status && !is_refused(status, &err))
        fail_msg("%s: %s\nquery: %s", a.options.variant, err.text, a.text);
    if (status == RP_OK) {
        compare(&a, &got);
        t->answered += strcmp(got.processor, "iiu") == 0;
        t->matched += got.total > 0;
        t->operations += got.iiu.operations;
        assert_true(got.iiu.operations == 0 || got.iiu.cycles > 0);
        assert_true(got.n == 0 || strcmp(got.processor, "iiu") != 0 ||
                    got.iiu.hits_are_cpus == (strcmp(a.options.variant, "iiu") != 0));
    }
    t->refused += is_refused(status, &err);
    rp_hits_free(&got);
    oracle_answer_free(&a.want);
    rp_searcher_free(searcher);
}

/* ---- In batches ------------------------------------------------------------------------------ */

static void ask_batch(const collection *c, rp_mode mode, const char *variant, size_t threads)
{
    static ask asks[IN_BATCH];
    static rp_batch_query queries[IN_BATCH];
    rp_searcher *searcher;
    rp_batch_report report;
    choose_options(&asks[0], mode, variant);
    for (size_t i = 0; i < IN_BATCH; i++) {
        asks[i].c = c;
        asks[i].options = asks[0].options;
        asks[i].rank = asks[0].rank;
        draw(&asks[i]);
        queries[i] = (rp_batch_query){.query = asks[i].text, .query_bytes = strlen(asks[i].text)};
    }
    assert_int_equal(rp_searcher_new(c->indexes[0], &asks[0].options, &searcher, NULL), RP_OK);
    const rp_batch_options options = {.threads = threads};
    assert_int_equal(rp_searcher_batch(searcher, queries, IN_BATCH, &options, &report, NULL),
                     RP_OK);
    assert_true(report.n_grouped > 0);
    for (size_t i = 0; i < IN_BATCH; i++) {
        if (!is_refused(queries[i].status, &queries[i].err))
            assert_int_equal(queries[i].status, asks[i].want.status);
        if (queries[i].status == RP_OK)
            compare(&asks[i], &queries[i].hits);
        rp_hits_free(&queries[i].hits);
        oracle_answer_free(&asks[i].want);
    }
    rp_searcher_free(searcher);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void ask_many(collection *c, uint64_t n)
{
    tally t = {0};
    chance_seed(seed() * 1000003 + c->n_docs);
    for (uint64_t i = 0; i < n; i++)
        ask_once(c, &t);
    for (size_t i = 0; i < (is_thorough() ? 30 : 3); i++)
        ask_batch(c, (rp_mode)(i % 3), i % 2 ? "lucene" : "iiu", 1 + i % 2);
    print_message("%s: %llu queries answered, %llu refused, %llu with matches, %llu operations\n",
                  c->name, (unsigned long long)t.answered, (unsigned long long)t.refused,
                  (unsigned long long)t.matched, (unsigned long long)t.operations);
    assert_true(t.answered * 2 > n && t.matched * 2 > n);
    collection_close(c);
}

static void synthetic_collection(void **state)
{
    (void)state;
    collection c = {.name = "synthetic", .stem = "none", .stop = "none"};
    chance_seed(21);
    collection_add_codec(&c, "iiu");
    collection_fill(&c, 2000, 8000, 80);
    collection_end(&c);
    ask_many(&c, is_thorough() ? 5000 : 150);
}

static void cranfield(void **state)
{
    (void)state;
    collection c = {.name = "cranfield", .stem = "porter", .stop = "lucene"};
    chance_seed(22);
    collection_add_codec(&c, "iiu");
    if (!collection_read(&c, "cranfield/docs.jsonl.gz", 1400)) {
        c.name = "synthetic, small vocabulary";
        collection_fill(&c, 1400, 60, 400);
    }
    collection_end(&c);
    ask_many(&c, is_thorough() ? 5000 : 150);
}

static void other_codecs_are_refused(void **state)
{
    (void)state;
    collection c = {.name = "synthetic", .stem = "none", .stop = "none"};
    rp_searcher *searcher;
    rp_error err;
    chance_seed(23);
    collection_add_codec(&c, "bp128");
    collection_fill(&c, 50, 60, 20);
    collection_end(&c);
    const rp_search_options options = {.processor = "iiu"};
    assert_int_equal(rp_searcher_new(c.indexes[0], &options, &searcher, &err), RP_UNAVAILABLE);
    assert_non_null(strstr(err.text, "riposte recode"));
    collection_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synthetic_collection),
        cmocka_unit_test(cranfield),
        cmocka_unit_test(other_codecs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
