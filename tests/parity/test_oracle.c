/* test_oracle.c: the engine's answers against the oracle's, document for document and score for
 * score: random queries of all shapes, several collections, every codec, every ranking, with or without an
 * exact total, by an algorithm of choice or by any, on one thread or several.
 *
 * RIPOSTE_ORACLE_QUERIES sets how many queries there are in all, RIPOSTE_ORACLE_SEED where chance
 * starts. A failure prints the query, its options and the first difference. */
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

enum { QUERY_TEXT = 60000 };

/* ---- Comparison ------------------------------------------------------------------------------ */

typedef struct ask {
    const collection *c;
    rp_search_options options;
    rp__rank rank;
    char text[QUERY_TEXT];
} ask;

static void tell(const ask *a, const char *codec, const char *what)
{
    static const char *const modes[] = {"or", "and", "andor"};
    static const char *const totals[] = {"at least", "exact", "only"};
    const rp_search_options *o = &a->options;
    fail_msg(
        "%s, %s, %s, mode %s, from %zu, k %zu, total %s, by %s, %zu threads, k1 %g, b %g, mu %g\n"
        "query: %s\n%s",
        a->c->name, codec, o->variant, modes[o->mode], o->from, o->k, totals[o->total],
        o->algorithm, o->threads, a->rank.k1, a->rank.b, a->rank.mu, a->text, what);
}

/* A total that need not be exact is at least the hits and at most the matches. */
static bool is_total_right(const ask *a, const rp_hits *got, const oracle_answer *want)
{
    if (got->total_is_exact || a->options.total != RP_TOTAL_AT_LEAST)
        return got->total_is_exact && got->total == want->total;
    return (got->n == 0 || a->options.from + got->n <= got->total) && got->total <= want->total;
}

static void compare(const ask *a, const char *codec, const rp_hits *got, const oracle_answer *want)
{
    char what[200];
    size_t n = a->options.total == RP_TOTAL_ONLY ? 0 : want->n;
    if (got->n != n || !is_total_right(a, got, want)) {
        snprintf(what, sizeof what, "%zu hits of %llu, oracle %zu of %llu", got->n,
                 (unsigned long long)got->total, n, (unsigned long long)want->total);
        tell(a, codec, what);
    }
    if (got->is_or_fallback != want->is_or_fallback)
        tell(a, codec, "is_or_fallback differs");
    if (got->fraction_bits != want->fraction_bits) {
        snprintf(what, sizeof what, "%d fraction bits, oracle %d", got->fraction_bits,
                 want->fraction_bits);
        tell(a, codec, what);
    }
    for (size_t i = 0; i < got->n; i++) {
        char name[32];
        snprintf(name, sizeof name, "d%u", want->at[i].docid);
        double score = rp__rank_score(want->at[i].fixed, want->fraction_bits);
        if (got->at[i].docid == want->at[i].docid && got->at[i].fixed == want->at[i].fixed &&
            got->at[i].score == score && !strcmp(got->at[i].name, name))
            continue;
        snprintf(what, sizeof what, "hit %zu: %s docid %u score %u, oracle docid %u score %u", i,
                 got->at[i].name, got->at[i].docid, got->at[i].fixed, want->at[i].docid,
                 want->at[i].fixed);
        tell(a, codec, what);
    }
}

static void choose_options(ask *a)
{
    static const size_t ks[] = {1, 3, 10, 10, 100, 1000, 10000};
    size_t n_variants = 0, n_algorithms = 0;
    while (rp_variant_name(n_variants))
        n_variants++;
    while (rp_algorithm_name(n_algorithms))
        n_algorithms++;
    rp_search_options *o = &a->options;
    o->variant = rp_variant_name(chance_below(2) ? chance_below(n_variants) : 0);
    o->mode = (rp_mode)chance_below(3);
    o->total = (rp_total)chance_below(3);
    o->threads = chance_below(2) ? 1 : 1 + chance_below(4);
    o->algorithm = rp_algorithm_name(chance_below(2) ? chance_below(n_algorithms) : 0);
    o->k = ks[chance_below(sizeof ks / sizeof ks[0])];
    if (o->k < 10000 && chance_below(3) == 0)
        o->from = chance_below(2) ? chance_below(5) : chance_below(1000);
    const rp__ranking *row = rp__ranking_find(o->variant);
    a->rank = (rp__rank){.ranking = row, .k1 = row->k1, .b = row->b, .mu = row->mu};
    if (chance_below(4))
        return;
    o->has_k1 = o->has_b = o->has_mu = true;
    o->k1 = a->rank.k1 = (double)chance_below(30) / 10;
    o->b = a->rank.b = (double)chance_below(11) / 10;
    o->mu = a->rank.mu = (double)(1 + chance_below(5000));
}

static rp_status search(const ask *a, size_t codec, rp_hits *hits, rp_error *err)
{
    rp_searcher *searcher;
    if (rp_searcher_new(a->c->indexes[codec], &a->options, &searcher, err) != RP_OK)
        tell(a, a->c->codecs[codec], err->text);
    rp_status status = rp_searcher_search(searcher, a->text, strlen(a->text), hits, err);
    rp_searcher_free(searcher);
    return status;
}

/* An algorithm that does not answer queries of this form says so; then any is asked. */
static void ask_codec(ask *a, size_t i, const oracle_answer *want)
{
    rp_error err = {.text = ""};
    rp_hits got = {0};
    rp_status status = search(a, i, &got, &err);
    if (status == RP_USAGE && strcmp(a->options.algorithm, "auto") != 0 &&
        strstr(err.text, "does not answer queries of this form")) {
        a->options.algorithm = "auto";
        status = search(a, i, &got, &err);
    }
    if (status != want->status)
        tell(a, a->c->codecs[i], status ? err.text : "the oracle is over a limit");
    if (status == RP_OK)
        compare(a, a->c->codecs[i], &got, want);
    rp_hits_free(&got);
}

/* Matches in all, so that a run in which nothing ever matched is noticed. */
static uint64_t ask_once(const collection *c)
{
    static ask a;
    memset(&a, 0, sizeof a);
    a.c = c;
    choose_options(&a);
    oracle_node *query = chance_below(4) ? question_make(c->o) : question_make_flat(c->o);
    oracle_print(query, a.text, sizeof a.text);
    oracle_answer want;
    oracle_search(c->o, query, &a.rank, a.options.mode, a.options.from, a.options.k, &want);
    for (size_t i = 0; i < c->n_codecs; i++)
        ask_codec(&a, i, &want);
    uint64_t total = want.total;
    oracle_answer_free(&want);
    oracle_node_free(query);
    return total;
}

static uint64_t from_env(const char *name, uint64_t fallback)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : fallback;
}

static void ask_many(collection *c, const char *salt)
{
    uint64_t n = (from_env("RIPOSTE_ORACLE_QUERIES", 1500) + 2) / 3, matched = 0;
    chance_seed(from_env("RIPOSTE_ORACLE_SEED", 1) * 1000003 + (unsigned char)*salt);
    for (uint64_t i = 0; i < n; i++)
        matched += ask_once(c) > 0;
    print_message("%s: %llu documents, %llu queries with %zu codecs, %llu of them with matches\n",
                  c->name, (unsigned long long)c->n_docs, (unsigned long long)n, c->n_codecs,
                  (unsigned long long)matched);
    assert_true(matched * 2 > n);
    collection_close(c);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void synthetic_collection(void **state)
{
    (void)state;
    collection c = {.name = "synthetic", .stem = "none", .stop = "none"};
    chance_seed(11);
    collection_add_codecs(&c);
    collection_fill(&c, 3000, 20000, 120);
    collection_end(&c);
    ask_many(&c, "s");
}

static void cranfield_stemmed_and_stopped(void **state)
{
    (void)state;
    collection c = {.name = "cranfield", .stem = "porter", .stop = "lucene"};
    chance_seed(12);
    collection_add_codecs(&c);
    if (!collection_read(&c, "cranfield/docs.jsonl.gz", 1400)) {
        c.name = "synthetic, small vocabulary";
        collection_fill(&c, 1400, 60, 400);
    }
    collection_end(&c);
    ask_many(&c, "c");
}

static void debian_packages(void **state)
{
    (void)state;
    collection c = {.name = "debian-packages", .stem = "none", .stop = "none"};
    chance_seed(13);
    collection_add_codecs(&c);
    if (!collection_read(&c, "debian-packages/docs.jsonl.zst", 6000)) {
        c.name = "synthetic, short documents";
        collection_fill(&c, 6000, 3000, 20);
    }
    collection_end(&c);
    ask_many(&c, "d");
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
