/* test_oracle.c: the engine's answers against the oracle's, document for document and score for
 * score: random queries of all shapes, several collections, every codec, every ranking.
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
#include <unistd.h>

#include "engine/corpus.h"
#include "oracle/oracle.h"
#include "riposte/riposte.h"

enum { CODECS = 64, QUERY_TEXT = 16384 };

/* ---- Chance ---------------------------------------------------------------------------------- */

static uint64_t chance = 1;

static uint64_t rnd(uint64_t below)
{
    chance += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = chance;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % below;
}

/* Small numbers often, numbers near `below` rarely: like ranks of words in text. */
static uint64_t rnd_zipf(uint64_t below)
{
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < below)
        bits++;
    uint64_t v = rnd(UINT64_C(1) << rnd(bits + 1));
    return v < below ? v : below - 1;
}

/* ---- Collections ----------------------------------------------------------------------------- */

typedef struct collection {
    const char *name, *stem, *stop;
    oracle *o;
    rp_index *indexes[CODECS]; /* by codec */
    size_t n_codecs;
    rp_builder *builders[CODECS];
    uint64_t n_docs;
    char folder[64];
} collection;

static void fail_with(const char *what, const rp_error *err)
{
    fail_msg("%s: %s", what, err->text);
}

static void begin_collection(collection *c)
{
    rp_error err;
    c->o = oracle_new(c->stem, c->stop);
    snprintf(c->folder, sizeof c->folder, "/tmp/riposte-oracle-XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    const char *codec;
    for (size_t i = 0; (codec = rp_codec_name(i)); i++) {
        char dir[128];
        snprintf(dir, sizeof dir, "%s/%s", c->folder, codec);
        rp_build_options options = {.codec = codec, .stem = c->stem, .stop = c->stop};
        options.no_store = true;
        assert_true(i < CODECS);
        if (rp_builder_new(dir, &options, &c->builders[i], &err) != RP_OK)
            fail_with("builder_new", &err);
        c->n_codecs = i + 1;
    }
}

static void add_document(collection *c, const char *title, size_t title_bytes, const char *text,
                         size_t text_bytes)
{
    rp_error err;
    char id[32];
    int id_bytes = snprintf(id, sizeof id, "d%llu", (unsigned long long)c->n_docs++);
    oracle_add(c->o, title, title_bytes, text, text_bytes);
    for (size_t i = 0; i < c->n_codecs; i++)
        if (rp_builder_add(c->builders[i], id, (size_t)id_bytes, title, title_bytes, text,
                           text_bytes, &err) != RP_OK)
            fail_with("builder_add", &err);
}

static void end_collection(collection *c)
{
    rp_error err;
    oracle_finish(c->o);
    for (size_t i = 0; i < c->n_codecs; i++) {
        char dir[128];
        snprintf(dir, sizeof dir, "%s/%s", c->folder, rp_codec_name(i));
        if (rp_builder_finish(c->builders[i], NULL, &err) != RP_OK)
            fail_with("builder_finish", &err);
        rp_builder_free(c->builders[i]);
        if (rp_index_open(dir, &(rp_index_options){.verify = true}, &c->indexes[i], &err) != RP_OK)
            fail_with("index_open", &err);
        rp_index_info info;
        rp_index_get_info(c->indexes[i], &info);
        assert_int_equal(info.docs, oracle_docs(c->o));
        assert_int_equal(info.terms, oracle_terms(c->o));
    }
}

static void close_collection(collection *c)
{
    char command[128];
    for (size_t i = 0; i < c->n_codecs; i++)
        rp_index_close(c->indexes[i]);
    oracle_free(c->o);
    snprintf(command, sizeof command, "rm -rf '%s'", c->folder);
    assert_int_equal(system(command), 0);
}

/* Words are numbers in letters, so that they share prefixes; low numbers are frequent. */
static void put_word(char *out, uint64_t v)
{
    size_t n = 0;
    do
        out[n++] = (char)('a' + v % 7);
    while ((v /= 7) > 0 && n < 20);
    out[n] = 0;
}

static void make_documents(collection *c, uint64_t n_docs, uint64_t n_words, uint64_t most_words)
{
    char text[8192];
    for (uint64_t d = 0; d < n_docs; d++) {
        size_t at = 0, n = rnd(20) ? 1 + rnd_zipf(most_words) : 0;
        for (size_t i = 0; i < n && at + 32 < sizeof text; i++) {
            put_word(text + at, rnd_zipf(n_words));
            at += strlen(text + at);
            text[at++] = rnd(9) ? ' ' : '.';
        }
        size_t cut = rnd(4) ? 0 : at / 2;
        add_document(c, text, cut, text + cut, at - cut);
    }
}

/* The first documents of a file; false if it is not there. */
static bool read_documents(collection *c, const char *file, uint64_t most)
{
    const char *data = getenv("RIPOSTE_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", data ? data : "../shared/data", file);
    if (access(path, R_OK) != 0)
        return false;
    rp_error err;
    rp__corpus *corpus;
    rp__batch batch;
    rp__doc_parser *parser;
    rp__doc doc;
    const char *paths[] = {path};
    rp_build_options options = {0};
    assert_int_equal(rp__corpus_open(paths, 1, &options, &corpus, &err), RP_OK);
    assert_int_equal(rp__batch_init(&batch), RP_OK);
    assert_int_equal(rp__doc_parser_new(&options, &parser), RP_OK);
    while (c->n_docs < most && rp__corpus_next(corpus, &batch, &err) == RP_OK && batch.n > 0)
        for (size_t i = 0; i < batch.n && c->n_docs < most; i++) {
            if (rp__doc_parser_parse(parser, &batch, i, &doc, &err) != RP_OK)
                fail_with("parse", &err);
            add_document(c, doc.title, doc.title_bytes, doc.text, doc.text_bytes);
        }
    rp__doc_parser_free(parser);
    rp__batch_free(&batch);
    rp__corpus_close(corpus);
    return true;
}

/* ---- Queries --------------------------------------------------------------------------------- */

static const char *some_token(const collection *c)
{
    const char *text = NULL;
    while (!text)
        text = oracle_token(c->o, rnd(oracle_docs(c->o)), rnd(1 << 20));
    return text;
}

/* Terms with nothing in them that the query language reads as its own. */
static bool is_simple(const char *text)
{
    for (; *text; text++)
        if (!((*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9')))
            return false;
    return true;
}

/* By how often they stand in the text, or each as likely as another, or one nobody has. */
static void put_term(const collection *c, char *out, size_t cap)
{
    const char *text;
    do
        text = rnd(3) ? some_token(c) : oracle_term(c->o, rnd(oracle_terms(c->o)));
    while (!is_simple(text));
    snprintf(out, cap, "%s%s", text, rnd(25) ? "" : "zqxj");
}

/* Words that stand together in some document, or not quite. */
static void put_phrase(const collection *c, oracle_node *node)
{
    size_t doc = rnd(oracle_docs(c->o)), from = rnd(1 << 20), n = 1 + rnd(rnd(4) ? 3 : 6);
    size_t step = rnd(6) ? 1 : 2;
    for (size_t i = 0; i < n; i++) {
        const char *token = oracle_token(c->o, doc, from + i * step);
        char word[128];
        if (token && is_simple(token) && rnd(15))
            snprintf(word, sizeof word, "%s", token);
        else
            put_term(c, word, sizeof word);
        size_t at = strlen(node->text);
        snprintf(node->text + at, sizeof node->text - at, "%s%s", i ? " " : "", word);
    }
    if (rnd(2))
        node->slop = (uint32_t)(rnd(10) ? 1 + rnd(6) : rnd(10000));
}

/* Powers of two: their products are the same in any order. */
static double some_boost(void)
{
    static const double boosts[] = {0, 0.125, 0.5, 2, 4, 16};
    return rnd(5) ? 1 : boosts[rnd(sizeof boosts / sizeof boosts[0])];
}

static oracle_node *new_node(oracle_kind kind, oracle_role role)
{
    oracle_node *node = calloc(1, sizeof *node);
    assert_non_null(node);
    node->kind = kind;
    node->role = role;
    node->boost = some_boost();
    return node;
}

static oracle_node *make_leaf(const collection *c, oracle_role role)
{
    uint64_t kind = rnd(12);
    oracle_node *node = new_node(kind == 0   ? ORACLE_PREFIX
                                 : kind <= 2 ? ORACLE_PHRASE
                                             : ORACLE_WORD,
                                 role);
    if (node->kind == ORACLE_PHRASE) {
        put_phrase(c, node);
        return node;
    }
    put_term(c, node->text, sizeof node->text / 2);
    size_t n = strlen(node->text);
    if (node->kind == ORACLE_PREFIX)
        node->text[1 + n / 2 + rnd((n + 1) / 2)] = 0;
    if (node->kind == ORACLE_WORD && rnd(30) == 0) { /* one word that is two terms */
        node->text[n++] = '/';
        put_term(c, node->text + n, sizeof node->text / 2);
    }
    return node;
}

static oracle_role role_in(oracle_kind group, bool is_first)
{
    if (!is_first && rnd(7) == 0)
        return ORACLE_NOT;
    if (group == ORACLE_AND)
        return ORACLE_MUST;
    if (group == ORACLE_OR)
        return ORACLE_SHOULD;
    return rnd(4) ? ORACLE_DEFAULT : ORACLE_MUST;
}

/* Now and then a kid is the one before it again. */
static oracle_node *make_group(const collection *c, oracle_kind kind, oracle_role role, int depth)
{
    oracle_node *node = new_node(kind, role);
    size_t n = 1 + rnd(rnd(5) ? 3 : ORACLE_KIDS);
    for (size_t i = 0; i < n; i++) {
        oracle_role kid_role = role_in(kind, i == 0);
        oracle_kind inner = ORACLE_AND + (oracle_kind)rnd(3);
        oracle_node *kid = depth > 0 && rnd(3) == 0 ? make_group(c, inner, kid_role, depth - 1)
                                                    : make_leaf(c, kid_role);
        if (i > 0 && kid->kind == ORACLE_WORD && node->kids[i - 1]->kind == ORACLE_WORD &&
            rnd(12) == 0)
            memcpy(kid->text, node->kids[i - 1]->text, sizeof kid->text);
        node->kids[node->n_kids++] = kid;
    }
    return node;
}

/* Flat queries, which are most of what people ask, and trees. Huge boosts are for the outermost kids
 * alone, so that products stay within a million. */
static oracle_node *make_query(const collection *c)
{
    uint64_t shape = rnd(10);
    oracle_kind kind = shape < 4 ? ORACLE_SIDE : ORACLE_AND + (oracle_kind)rnd(3);
    oracle_node *node = make_group(c, kind, ORACLE_MUST, shape < 5 ? 0 : 1 + (int)rnd(3));
    node->boost = 1;
    for (size_t i = 0; i < node->n_kids && rnd(15) == 0; i++)
        if (node->kids[i]->kind < ORACLE_AND)
            node->kids[i]->boost = rnd(2) ? 1000000 : 4096;
    return node;
}

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
    fail_msg("%s, %s, %s, mode %s, k %zu, k1 %g, b %g, mu %g, query: %s\n%s", a->c->name, codec,
             a->options.variant, modes[a->options.mode], a->options.k, a->rank.k1, a->rank.b,
             a->rank.mu, a->text, what);
}

static void compare(const ask *a, const char *codec, const rp_hits *got, const oracle_answer *want)
{
    char what[200];
    if (got->total != want->total || got->n != want->n || !got->total_is_exact) {
        snprintf(what, sizeof what, "%zu hits of %llu, oracle %zu of %llu", got->n,
                 (unsigned long long)got->total, want->n, (unsigned long long)want->total);
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
    size_t n_variants = 0;
    while (rp_variant_name(n_variants))
        n_variants++;
    rp_search_options *o = &a->options;
    o->variant = rp_variant_name(rnd(2) ? rnd(n_variants) : 0);
    o->mode = (rp_mode)rnd(3);
    o->total = RP_TOTAL_EXACT;
    o->k = ks[rnd(sizeof ks / sizeof ks[0])];
    const rp__ranking *row = rp__ranking_find(o->variant);
    a->rank = (rp__rank){.ranking = row, .k1 = row->k1, .b = row->b, .mu = row->mu};
    if (rnd(4))
        return;
    o->has_k1 = o->has_b = o->has_mu = true;
    o->k1 = a->rank.k1 = (double)rnd(30) / 10;
    o->b = a->rank.b = (double)rnd(11) / 10;
    o->mu = a->rank.mu = (double)(1 + rnd(5000));
}

/* Matches in all, so that a run in which nothing ever matched is noticed. */
static uint64_t ask_once(const collection *c)
{
    static ask a;
    memset(&a, 0, sizeof a);
    a.c = c;
    choose_options(&a);
    oracle_node *query = make_query(c);
    oracle_print(query, a.text, sizeof a.text);
    oracle_answer want;
    oracle_search(c->o, query, &a.rank, a.options.mode, a.options.k, &want);
    for (size_t i = 0; i < c->n_codecs; i++) {
        rp_error err = {.text = ""};
        rp_hits got = {0};
        rp_searcher *searcher;
        if (rp_searcher_new(c->indexes[i], &a.options, &searcher, &err) != RP_OK)
            tell(&a, rp_codec_name(i), err.text);
        rp_status status = rp_searcher_search(searcher, a.text, strlen(a.text), &got, &err);
        if (status != want.status)
            tell(&a, rp_codec_name(i), status ? err.text : "the oracle is over a limit");
        if (status == RP_OK)
            compare(&a, rp_codec_name(i), &got, &want);
        rp_hits_free(&got);
        rp_searcher_free(searcher);
    }
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
    chance = from_env("RIPOSTE_ORACLE_SEED", 1) * 1000003 + (unsigned char)*salt;
    for (uint64_t i = 0; i < n; i++)
        matched += ask_once(c) > 0;
    print_message("%s: %llu documents, %llu queries with %zu codecs, %llu of them with matches\n",
                  c->name, (unsigned long long)c->n_docs, (unsigned long long)n, c->n_codecs,
                  (unsigned long long)matched);
    assert_true(matched * 2 > n);
    close_collection(c);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void synthetic_collection(void **state)
{
    (void)state;
    collection c = {.name = "synthetic", .stem = "none", .stop = "none"};
    chance = 11;
    begin_collection(&c);
    make_documents(&c, 3000, 20000, 120);
    end_collection(&c);
    ask_many(&c, "s");
}

static void cranfield_stemmed_and_stopped(void **state)
{
    (void)state;
    collection c = {.name = "cranfield", .stem = "porter", .stop = "lucene"};
    chance = 12;
    begin_collection(&c);
    if (!read_documents(&c, "cranfield/docs.jsonl.gz", 1400)) {
        c.name = "synthetic, small vocabulary";
        make_documents(&c, 1400, 60, 400);
    }
    end_collection(&c);
    ask_many(&c, "c");
}

static void debian_packages(void **state)
{
    (void)state;
    collection c = {.name = "debian-packages", .stem = "none", .stop = "none"};
    chance = 13;
    begin_collection(&c);
    if (!read_documents(&c, "debian-packages/docs.jsonl.zst", 6000)) {
        c.name = "synthetic, short documents";
        make_documents(&c, 6000, 3000, 20);
    }
    end_collection(&c);
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
