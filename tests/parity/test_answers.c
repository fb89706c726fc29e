/* test_answers.c: prefixes, wildcards, fuzzy words, signs and pages: the engine's answers against the oracle's,
 * document for document and score for score, in every codec on the cpu and, on the emulated GPU, alone and in
 * batches.
 *
 * RIPOSTE_THOROUGH asks 20,000 queries, RIPOSTE_ORACLE_QUERIES so many, RIPOSTE_ORACLE_SEED sets where chance
 * starts. */
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

enum { QUERY_TEXT = 60000, PAGES = 6, QUERIES = 200, THOROUGH = 20000, BATCH = 16 };

/* What is asked for. */
typedef struct page {
    rp_mode mode;
    rp_total total;
    size_t from, k;
} page;

static const page pages[PAGES] = {
    {RP_MODE_OR, RP_TOTAL_EXACT, 0, 10},        {RP_MODE_OR, RP_TOTAL_AT_LEAST, 3, 10},
    {RP_MODE_AND, RP_TOTAL_EXACT, 10, 10},      {RP_MODE_ANDOR, RP_TOTAL_AT_LEAST, 2, 5},
    {RP_MODE_OR, RP_TOTAL_AT_LEAST, 100, 1000}, {RP_MODE_AND, RP_TOTAL_ONLY, 7, 100},
};

static rp_searcher *open_searcher(const collection *c, size_t codec, const page *p, bool is_gpu)
{
    rp_error err;
    rp_searcher *searcher;
    rp_search_options o = {.mode = p->mode,
                           .total = p->total,
                           .from = p->from,
                           .k = p->k,
                           .processor = is_gpu ? "gpu" : "cpu",
                           .gpu = "emulated"};
    if (rp_searcher_new(c->indexes[codec], &o, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

/* ---- Comparison ------------------------------------------------------------------------------ */

typedef struct ask {
    const collection *c;
    size_t page;
    char text[QUERY_TEXT];
    oracle_answer want;
} ask;

static bool is_same(const ask *a, const rp_hits *got)
{
    const page *p = &pages[a->page];
    size_t n = p->total == RP_TOTAL_ONLY ? 0 : a->want.n;
    bool is_total = got->total_is_exact
                        ? got->total == a->want.total
                        : p->total == RP_TOTAL_AT_LEAST && got->total <= a->want.total;
    if (got->n != n || !is_total || got->is_or_fallback != a->want.is_or_fallback ||
        got->fraction_bits != a->want.fraction_bits)
        return false;
    for (size_t i = 0; i < n; i++)
        if (got->at[i].docid != a->want.at[i].docid || got->at[i].fixed != a->want.at[i].fixed)
            return false;
    return true;
}

static void compare(const ask *a, size_t codec, const char *what, rp_status status,
                    const rp_hits *got, const rp_error *err)
{
    const page *p = &pages[a->page];
    if (status == a->want.status && (status != RP_OK || is_same(a, got)))
        return;
    fail_msg("%s, %s, %s, mode %d, from %zu, k %zu: %zu hits of %llu, oracle %zu of %llu, %s\n"
             "query: %s",
             a->c->name, a->c->codecs[codec], what, (int)p->mode, p->from, p->k, got->n,
             (unsigned long long)got->total, a->want.n, (unsigned long long)a->want.total,
             status ? err->text : "", a->text);
}

static void ask_one(const ask *a, size_t codec, rp_searcher *searcher, const char *what)
{
    rp_error err = {.text = ""};
    rp_hits hits = {0};
    rp_status status = rp_searcher_search(searcher, a->text, strlen(a->text), &hits, &err);
    compare(a, codec, what, status, &hits, &err);
    rp_hits_free(&hits);
}

/* A query of the oracle's, printed and answered. */
static void make(const collection *c, ask *a, size_t p)
{
    static const rp__ranking *ranking;
    ranking = rp__ranking_at(0);
    rp__rank rank = {.ranking = ranking, .k1 = ranking->k1, .b = ranking->b, .mu = ranking->mu};
    oracle_node *query = question_make_patterns(c->o);
    a->c = c;
    a->page = p;
    a->text[0] = 0;
    oracle_print(query, a->text, sizeof a->text);
    oracle_search(c->o, query, &rank, pages[p].mode, pages[p].from, pages[p].k, &a->want);
    oracle_node_free(query);
}

/* One by one, and all at once. */
static void ask_searcher(const collection *c, const ask *asks, size_t codec, bool is_gpu)
{
    rp_batch_query queries[BATCH] = {{0}};
    rp_error err;
    rp_searcher *searcher = open_searcher(c, codec, &pages[asks[0].page], is_gpu);
    for (size_t i = 0; i < BATCH; i++) {
        ask_one(&asks[i], codec, searcher, is_gpu ? "gpu" : "cpu");
        queries[i] = (rp_batch_query){.query = asks[i].text, .query_bytes = strlen(asks[i].text)};
    }
    assert_int_equal(rp_searcher_batch(searcher, queries, BATCH, NULL, NULL, &err), RP_OK);
    for (size_t i = 0; i < BATCH; i++) {
        compare(&asks[i], codec, is_gpu ? "gpu, in a batch" : "cpu, in a batch", queries[i].status,
                &queries[i].hits, &queries[i].err);
        rp_hits_free(&queries[i].hits);
    }
    rp_searcher_free(searcher);
}

static uint64_t from_env(const char *name, uint64_t fallback)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : fallback;
}

static void ask_many(collection *c, uint64_t salt)
{
    static ask asks[BATCH];
    uint64_t most = getenv("RIPOSTE_THOROUGH") ? THOROUGH : QUERIES, matched = 0, n = 0;
    most = (from_env("RIPOSTE_ORACLE_QUERIES", most) + 2) / 3;
    collection_end(c);
    chance_seed(from_env("RIPOSTE_ORACLE_SEED", 1) * 1000003 + salt);
    while (n < most) {
        size_t p = chance_below(PAGES);
        for (size_t i = 0; i < BATCH; i++, n++) {
            make(c, &asks[i], p);
            matched += asks[i].want.total > 0;
        }
        for (size_t codec = 0; codec < c->n_codecs; codec++)
            ask_searcher(c, asks, codec, false);
        ask_searcher(c, asks, chance_below(c->n_codecs), true);
        for (size_t i = 0; i < BATCH; i++)
            oracle_answer_free(&asks[i].want);
    }
    print_message("%s: %llu queries with %zu codecs, %llu of them with matches\n", c->name,
                  (unsigned long long)n, c->n_codecs, (unsigned long long)matched);
    assert_true(matched * 3 > n);
    collection_close(c);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void synthetic_collection(void **state)
{
    (void)state;
    collection c = {.name = "synthetic", .stem = "none", .stop = "none"};
    chance_seed(21);
    collection_add_codecs(&c);
    collection_fill(&c, 1500, 20000, 60);
    ask_many(&c, 's');
}

static void cranfield_stemmed_and_stopped(void **state)
{
    (void)state;
    collection c = {.name = "cranfield", .stem = "porter", .stop = "lucene"};
    chance_seed(22);
    collection_add_codecs(&c);
    if (!collection_read(&c, "cranfield/docs.jsonl.gz", 700)) {
        c.name = "synthetic, small vocabulary";
        collection_fill(&c, 700, 60, 400);
    }
    ask_many(&c, 'c');
}

static void debian_packages(void **state)
{
    (void)state;
    collection c = {.name = "debian-packages", .stem = "none", .stop = "none"};
    chance_seed(23);
    collection_add_codecs(&c);
    if (!collection_read(&c, "debian-packages/docs.jsonl.zst", 2000)) {
        c.name = "synthetic, short documents";
        collection_fill(&c, 2000, 3000, 20);
    }
    ask_many(&c, 'd');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synthetic_collection),
        cmocka_unit_test(cranfield_stemmed_and_stopped),
        cmocka_unit_test(debian_packages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
