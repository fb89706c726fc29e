/* test_searcher.c: options, answers, modes, limits and score trees over a tiny index.
 *
 * What must match is decided here by reading every text for every query, without index or groups
 * dissolved; how a score adds up is checked by explain.c, which shares no code with the processor. */
#include "unit/tiny_index.h"

#include <math.h>

#include "base/alloc.h"
#include "engine/searcher.h"
#include "riposte/search.h"

enum { N_RANDOM = 300, WORDS_MAX = 24 };

static const char *const few[] = {
    "the quick brown fox",
    "the lazy dog",
    "quick quick dog jumps over the lazy fox",
    "wi fi router and a fox trot",
    "alpha alpine alps altitude",
    "",
    "dog dog dog",
};

/* ---- Helpers --------------------------------------------------------------------------------- */

static void search_as(const rp_index *index, const rp_search_options *options, const char *query,
                      rp_hits *hits)
{
    rp_error err = {0};
    rp_searcher *searcher;
    if (rp_searcher_new(index, options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    if (rp_searcher_search(searcher, query, strlen(query), hits, &err) != RP_OK)
        fail_msg("%s: %s", query, err.text);
    rp_searcher_free(searcher);
}

static rp_status refuse(const rp_index *index, const rp_search_options *options, const char *query,
                        rp_error *err)
{
    rp_searcher *searcher;
    rp_hits hits;
    *err = (rp_error){0};
    rp_status status = rp_searcher_new(index, options, &searcher, err);
    if (status == RP_OK)
        status = rp_searcher_search(searcher, query, strlen(query), &hits, err);
    rp_searcher_free(searcher);
    if (status == RP_OK)
        rp_hits_free(&hits);
    return status;
}

static void expect_docs(const rp_hits *hits, const uint32_t *docids, size_t n)
{
    assert_int_equal(hits->n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(hits->at[i].docid, docids[i]);
}

#define DOCS(...) (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4

/* ---- Answers --------------------------------------------------------------------------------- */

static void test_search(void **state)
{
    tiny_index *tiny = *state;
    rp_hits hits;
    rp_error err;
    assert_int_equal(rp_search(&tiny->index, "dog", 10, &hits, &err), RP_OK);
    expect_docs(&hits, DOCS(6, 1, 2));
    assert_string_equal(hits.at[0].name, "doc-6");
    assert_string_equal(hits.at[2].name, "doc-2");
    assert_int_equal(hits.total, 3);
    assert_true(hits.total_is_exact);
    assert_false(hits.is_or_fallback);
    assert_int_equal(hits.fraction_bits, 20);
    assert_string_equal(hits.processor, "cpu");
    assert_true(hits.postings >= 3 && hits.seconds >= 0);
    for (size_t i = 0; i < hits.n; i++)
        assert_true(hits.at[i].score == ldexp(hits.at[i].fixed, -20));
    assert_true(hits.at[0].fixed > hits.at[1].fixed && hits.at[1].fixed > hits.at[2].fixed);
    rp_hits_free(&hits);
    assert_null(hits.at);
    rp_hits_free(&hits);
    rp_hits_free(NULL);
    assert_int_equal(rp_search(&tiny->index, "dog fox", 1, &hits, NULL), RP_OK);
    assert_int_equal(hits.n, 1);
    assert_int_equal(hits.total, 5);
    rp_hits_free(&hits);
    assert_int_equal(rp_search(&tiny->index, "dog AND", 1, &hits, &err), RP_USAGE);
    assert_string_equal(err.text, "column 8: expected a word, a phrase or '(' after AND");
    assert_int_equal(hits.n, 0);
    assert_int_equal(rp_search(&tiny->index, "dog AND", 1, &hits, NULL), RP_USAGE);
}

static void test_shapes(void **state)
{
    tiny_index *tiny = *state;
    static const struct {
        const char *query;
        rp_mode mode;
        uint32_t mask; /* the documents, a bit each */
    } rows[] = {
        {"quick fox", RP_MODE_OR, 0x0D},
        {"quick fox", RP_MODE_AND, 0x05},
        {"\"lazy dog\"", RP_MODE_OR, 0x02},
        {"\"dog lazy\"~3", RP_MODE_OR, 0x06},
        {"\"quick fox\"~1", RP_MODE_OR, 0x01},
        {"fox -quick", RP_MODE_OR, 0x08},
        {"fox -(quick brown)", RP_MODE_OR, 0x08},
        {"fox -(quick brown)", RP_MODE_AND, 0x0C},
        {"+fox quick", RP_MODE_OR, 0x0D},
        {"al*", RP_MODE_OR, 0x10},
        {"al* OR tro*", RP_MODE_AND, 0x18},
        {"(quick OR lazy) AND (dog OR brown)", RP_MODE_OR, 0x07},
        {"zebra", RP_MODE_OR, 0x00},
        {"fox zebra", RP_MODE_AND, 0x00},
        {"fox -zebra", RP_MODE_AND, 0x0D},
        {"...", RP_MODE_OR, 0x00},
        {"\"quick zebra\"", RP_MODE_OR, 0x00},
        {"fox^0", RP_MODE_OR, 0x0D},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rp_hits hits;
        search_as(&tiny->index, &(rp_search_options){.mode = rows[i].mode, .total = RP_TOTAL_EXACT},
                  rows[i].query, &hits);
        uint32_t mask = 0;
        for (size_t h = 0; h < hits.n; h++)
            mask |= 1U << hits.at[h].docid;
        if (mask != rows[i].mask || hits.total != hits.n)
            fail_msg("%s: documents %x, not %x", rows[i].query, mask, rows[i].mask);
        rp_hits_free(&hits);
    }
}

static void test_andor(void **state)
{
    tiny_index *tiny = *state;
    rp_hits hits;
    search_as(&tiny->index,
              &(rp_search_options){.k = 2, .mode = RP_MODE_ANDOR, .total = RP_TOTAL_EXACT},
              "quick fox", &hits);
    assert_false(hits.is_or_fallback);
    assert_int_equal(hits.total, 2);
    rp_hits_free(&hits);
    search_as(&tiny->index,
              &(rp_search_options){.k = 3, .mode = RP_MODE_ANDOR, .total = RP_TOTAL_EXACT},
              "quick fox", &hits);
    assert_true(hits.is_or_fallback);
    assert_int_equal(hits.total, 3);
    rp_hits wanted;
    search_as(&tiny->index, &(rp_search_options){.k = 3, .mode = RP_MODE_OR}, "quick fox", &wanted);
    assert_int_equal(hits.n, wanted.n);
    for (size_t i = 0; i < hits.n; i++) {
        assert_int_equal(hits.at[i].docid, wanted.at[i].docid);
        assert_int_equal(hits.at[i].fixed, wanted.at[i].fixed);
    }
    rp_hits_free(&wanted);
    rp_hits_free(&hits);
}

/* Whichever of the two answered, the tree of a hit adds up to its score. */
static void test_andor_explained(void **state)
{
    tiny_index *tiny = *state;
    static const char *const queries[] = {"quick fox", "+fox quick lazy", "fox -(quick brown)",
                                          "dog OR (lazy fox)", "qui* \"lazy dog\""};
    for (size_t q = 0; q < sizeof queries / sizeof *queries; q++)
        for (size_t k = 1; k < 7; k++) {
            rp_searcher *searcher;
            rp_hits hits;
            rp_search_options options = {.k = k, .mode = RP_MODE_ANDOR};
            assert_int_equal(rp_searcher_new(&tiny->index, &options, &searcher, NULL), RP_OK);
            const char *query = queries[q];
            assert_int_equal(rp_searcher_search(searcher, query, strlen(query), &hits, NULL),
                             RP_OK);
            for (size_t i = 0; i < hits.n; i++) {
                rp_explanation tree;
                assert_int_equal(rp_searcher_explain(searcher, query, strlen(query),
                                                     hits.at[i].docid, &tree, NULL),
                                 RP_OK);
                assert_true(tree.at[0].matches);
                assert_int_equal(tree.at[0].fixed, hits.at[i].fixed);
                rp_explanation_free(&tree);
            }
            rp_hits_free(&hits);
            rp_searcher_free(searcher);
        }
}

/* Boosts count, and equal scores go by docid. */
static void test_order(void **state)
{
    tiny_index *tiny = *state;
    rp_hits hits;
    search_as(&tiny->index, NULL, "brown^100 dog", &hits);
    assert_int_equal(hits.at[0].docid, 0);
    rp_hits_free(&hits);
    search_as(&tiny->index, NULL, "fox^0 dog^0", &hits);
    expect_docs(&hits, DOCS(0, 1, 2, 3, 6));
    rp_hits_free(&hits);
    rp_hits once, twice;
    search_as(&tiny->index, NULL, "brown", &once);
    search_as(&tiny->index, NULL, "brown brown", &twice);
    assert_int_equal(twice.at[0].fixed, 2 * once.at[0].fixed);
    rp_hits_free(&once);
    rp_hits_free(&twice);
}

/* ---- Options --------------------------------------------------------------------------------- */

static void test_options(void **state)
{
    tiny_index *tiny = *state;
    rp_error err;
    static const struct {
        rp_search_options options;
        rp_status status;
        const char *part;
    } rows[] = {
        {{.k = 10000}, RP_OK, ""},
        {{.k = 10001}, RP_LIMIT, "k is 10001, more than 10000; raise --max-k"},
        {{.k = (size_t)1 << 63}, RP_LIMIT, "--max-k"},
        {{.k = 20000, .max_k = 20000}, RP_OK, ""},
        {{.mode = (rp_mode)7}, RP_USAGE, "choose from or, and, andor"},
        {{.has_k1 = true, .k1 = 0}, RP_OK, ""},
        {{.has_k1 = true, .k1 = -1}, RP_USAGE, "k1"},
        {{.has_k1 = true, .k1 = (double)INFINITY}, RP_USAGE, "k1"},
        {{.has_b = true, .b = 1}, RP_OK, ""},
        {{.has_b = true, .b = 1.01}, RP_USAGE, "b is 1.01"},
        {{.has_b = true, .b = (double)NAN}, RP_USAGE, "b is"},
        {{.variant = "nonesuch"},
         RP_USAGE,
         "no ranking is called 'nonesuch'; choose from lucene, "},
        {{.processor = "abacus"},
         RP_USAGE,
         "no processor is called 'abacus'; choose from auto, cpu"},
        {{.processor = "auto"}, RP_OK, ""},
        {{.processor = "cpu"}, RP_OK, ""},
        {{.processor = "gpu", .gpu = "7"}, RP_UNAVAILABLE, ""},
        {{.processor = "iiu"}, RP_UNAVAILABLE, "iiu"},
        {{.max_work = 1}, RP_LIMIT, "more than 1; use rarer words, shorter phrases or less slop"},
        {{.max_work = 1}, RP_LIMIT, "or raise --max-work"},
        {{.max_work = 100}, RP_OK, ""},
        {{.max_memory = 1024}, RP_NO_MEMORY, "raise --max-memory"},
        {{.max_query = 4}, RP_LIMIT, "--max-query"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rp_status status = refuse(&tiny->index, &rows[i].options, "fox dog", &err);
        if (status != rows[i].status || !strstr(err.text, rows[i].part))
            fail_msg("row %zu: status %d, %s", i, status, err.text);
    }
}

static void test_variants(void **state)
{
    tiny_index *tiny = *state;
    size_t n = 0;
    for (; rp_variant_name(n); n++) {
        rp_hits hits;
        search_as(&tiny->index, &(rp_search_options){.variant = rp_variant_name(n)}, "brown",
                  &hits);
        expect_docs(&hits, DOCS(0));
        rp_hits_free(&hits);
    }
    assert_true(n >= 5);
    assert_string_equal(rp_variant_name(0), "lucene");
    rp_error err;
    for (n = 0; rp_variant_name(n); n++) {
        rp_search_options bad_mu = {.variant = rp_variant_name(n), .has_mu = true, .mu = -1};
        if (refuse(&tiny->index, &bad_mu, "fox", &err) != RP_USAGE || !strstr(err.text, "mu"))
            fail_msg("%s", err.text);
    }
}

/* The strings of options are the caller's and may go. */
static void test_strings_not_kept(void **state)
{
    tiny_index *tiny = *state;
    char variant[] = "lucene", processor[] = "cpu";
    rp_search_options options = {.variant = variant, .processor = processor};
    rp_searcher *searcher;
    assert_int_equal(rp_searcher_new(&tiny->index, &options, &searcher, NULL), RP_OK);
    memset(variant, 'x', sizeof variant);
    memset(processor, 'x', sizeof processor);
    rp_hits hits;
    assert_int_equal(rp_searcher_search(searcher, "fox", 3, &hits, NULL), RP_OK);
    assert_string_equal(hits.processor, "cpu");
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
}

/* A searcher goes on after a query that fails, and its memory does not grow. */
static void test_reuse(void **state)
{
    tiny_index *tiny = *state;
    rp_searcher *searcher;
    rp_hits hits;
    rp_error err;
    assert_int_equal(rp_searcher_new(&tiny->index, NULL, &searcher, NULL), RP_OK);
    uint64_t settled = 0;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(rp_searcher_search(searcher, "(fox", 4, &hits, &err), RP_USAGE);
        assert_int_equal(rp_searcher_search(searcher, "al* \"lazy dog\" -fox", 19, &hits, &err),
                         RP_OK);
        rp_hits_free(&hits);
        if (i == 1)
            settled = rp__alloc_in_use();
        if (i > 1)
            assert_int_equal(rp__alloc_in_use(), settled);
    }
    rp_searcher_free(searcher);
    rp_searcher_free(NULL);
}

/* Every allocation may fail: an error, and nothing lost. */
static void test_no_memory(void **state)
{
    tiny_index *tiny = *state;
    uint64_t before = rp__alloc_in_use(), n = 1;
    for (bool done = false; !done && n < 1000; n++) {
        rp_hits hits;
        rp_explanation tree = {0};
        rp_snippet snippet = {0};
        rp_searcher *searcher;
        rp_error err = {0};
        rp_document document = {.title = "", .text = "a fox", .text_bytes = 5};
        static const char query[] = "fox \"lazy dog\" al*";
        rp__alloc_fail_at(n, false);
        rp_status status = rp_searcher_new(&tiny->index, NULL, &searcher, &err);
        if (status == RP_OK)
            status = rp_searcher_search(searcher, query, sizeof query - 1, &hits, &err);
        bool has_hits = status == RP_OK;
        if (status == RP_OK)
            status = rp_searcher_explain(searcher, query, sizeof query - 1, 0, &tree, &err);
        if (status == RP_OK)
            status = rp_searcher_snippet(searcher, query, sizeof query - 1, &document, 0, &snippet,
                                         &err);
        rp__alloc_fail_at(0, false);
        done = status == RP_OK;
        assert_true(done || (status == RP_NO_MEMORY && err.text[0]));
        if (has_hits)
            rp_hits_free(&hits);
        rp_explanation_free(&tree);
        rp_snippet_free(&snippet);
        rp_searcher_free(searcher);
        assert_int_equal(rp__alloc_in_use(), before);
    }
    assert_true(n > 5 && n < 1000);
}

/* ---- Explain --------------------------------------------------------------------------------- */

static void test_explain(void **state)
{
    tiny_index *tiny = *state;
    rp_searcher *searcher;
    rp_explanation tree;
    rp_error err;
    static const char query[] = "+(quick OR zebra) \"lazy fox\"~2 -brown dog";
    assert_int_equal(rp_searcher_new(&tiny->index, NULL, &searcher, NULL), RP_OK);
    assert_int_equal(rp_searcher_explain(searcher, query, sizeof query - 1, 2, &tree, &err), RP_OK);
    static const struct {
        uint32_t level;
        const char *label;
        bool matches;
        uint32_t tf, df;
    } want[] = {
        {0, "AND, others optional", true, 0, 0},
        {1, "OR", true, 0, 0},
        {2, "term quick", true, 2, 2},
        {2, "term zebra", false, 0, 0},
        {1, "phrase \"lazy fox\"~2", true, 1, 2},
        {1, "NOT term brown", false, 0, 1},
        {1, "term dog", true, 1, 3},
    };
    assert_int_equal(tree.n, sizeof want / sizeof *want);
    for (size_t i = 0; i < tree.n; i++) {
        assert_string_equal(tree.at[i].label, want[i].label);
        assert_int_equal(tree.at[i].level, want[i].level);
        assert_int_equal(tree.at[i].matches, want[i].matches);
        assert_int_equal(tree.at[i].tf, want[i].tf);
        assert_int_equal(tree.at[i].df, want[i].df);
    }
    assert_int_equal(tree.at[0].fixed, tree.at[1].fixed + tree.at[4].fixed + tree.at[6].fixed);
    assert_int_equal(tree.at[1].fixed, tree.at[2].fixed);
    assert_true(tree.at[2].weight > 0 && tree.at[2].norm > 0);
    rp_hits hits;
    assert_int_equal(rp_searcher_search(searcher, query, sizeof query - 1, &hits, &err), RP_OK);
    expect_docs(&hits, DOCS(2));
    assert_int_equal(hits.at[0].fixed, tree.at[0].fixed);
    assert_true(hits.at[0].score == tree.at[0].score);
    rp_hits_free(&hits);
    rp_explanation_free(&tree);
    rp_explanation_free(NULL);
    assert_int_equal(rp_searcher_explain(searcher, "fox", 3, 7, &tree, &err), RP_NOT_FOUND);
    assert_string_equal(err.text, "document 7: the index has only 7");
    assert_int_equal(rp_searcher_explain(searcher, "fox (", 5, 0, &tree, &err), RP_USAGE);
    assert_int_equal(rp_searcher_explain(searcher, "...", 3, 0, &tree, &err), RP_OK);
    assert_int_equal(tree.n, 0);
    rp_explanation_free(&tree);
    char word[300];
    for (size_t i = 0; i < sizeof word; i += 2)
        memcpy(word + i, "\xC3\xA9", 2);
    assert_int_equal(rp_searcher_explain(searcher, word, sizeof word, 0, &tree, &err), RP_OK);
    assert_int_equal(strlen(tree.at[1].label), 95);
    rp_explanation_free(&tree);
    rp_searcher_free(searcher);
}

/* ---- Any query: what matches, and how it adds up ------------------------------------------------ */

static uint64_t seed = 42;

static uint32_t pick(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20) % below;
}

typedef struct doc {
    uint32_t n;
    char words[WORDS_MAX]; /* a letter each */
} doc;

static bool has_phrase(const doc *d, const char *letters, uint32_t n)
{
    for (uint32_t i = 0; i + n <= d->n; i++)
        if (memcmp(d->words + i, letters, n) == 0)
            return true;
    return false;
}

/* A query in words of one letter, and whether a document matches it, by the rules as they are
 * written; recursion is fine in a test. */
typedef struct node {
    char kind;    /* 'w' word, 'p' phrase, 'g' group */
    uint8_t role; /* of a group's child */
    char letters[4];
    uint32_t n;
    struct node *kids;
} node;

static void make_node(node *x, uint32_t depth)
{
    *x = (node){.kind = depth && pick(3) == 0 ? 'g' : pick(4) ? 'w' : 'p'};
    if (x->kind == 'g') {
        x->n = 1 + pick(4);
        x->kids = calloc(x->n, sizeof *x->kids);
        assert_non_null(x->kids);
        for (uint32_t i = 0; i < x->n; i++) {
            make_node(&x->kids[i], depth - 1);
            x->kids[i].role = (uint8_t)(i == 0 ? pick(2) : pick(3));
        }
        return;
    }
    x->n = x->kind == 'w' ? 1 : 2 + pick(2);
    for (uint32_t i = 0; i < x->n; i++)
        x->letters[i] = (char)('a' + pick(12));
}

static void print_node(const node *x, rp__buf *out)
{
    if (x->kind == 'w') {
        rp__buf_put(out, x->letters, 1);
    } else if (x->kind == 'p') {
        for (uint32_t i = 0; i < x->n; i++)
            rp__buf_printf(out, "%s%c", i ? " " : "\"", x->letters[i]);
        rp__buf_put_string(out, "\"");
    } else {
        for (uint32_t i = 0; i < x->n; i++) {
            rp__buf_put_string(out, i ? " " : "(");
            static const char *const signs[] = {"", "+", "-"};
            rp__buf_put_string(out, signs[x->kids[i].role]);
            print_node(&x->kids[i], out);
        }
        rp__buf_put_string(out, ")");
    }
}

static bool node_matches(const node *x, const doc *d)
{
    if (x->kind != 'g')
        return has_phrase(d, x->letters, x->n);
    uint32_t musts = 0, shoulds = 0, must_hits = 0, should_hits = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        bool hit = node_matches(&x->kids[i], d);
        if (x->kids[i].role == RP_NOT && hit)
            return false;
        musts += x->kids[i].role == RP_MUST;
        shoulds += x->kids[i].role == RP_SHOULD;
        must_hits += x->kids[i].role == RP_MUST && hit;
        should_hits += x->kids[i].role == RP_SHOULD && hit;
    }
    return musts ? must_hits == musts : should_hits > 0;
}

static void free_node(node *x)
{
    for (uint32_t i = 0; x->kids && i < x->n; i++)
        free_node(&x->kids[i]);
    free(x->kids);
}

static void check_query(rp_searcher *searcher, const node *x, const doc *docs)
{
    rp__buf text;
    rp__buf_init(&text);
    print_node(x, &text);
    rp_hits hits;
    rp_error err = {0};
    const char *query = (const char *)text.at;
    if (rp_searcher_search(searcher, query, text.n, &hits, &err) != RP_OK)
        fail_msg("%.*s: %s", (int)text.n, query, err.text);
    uint32_t scores[N_RANDOM];
    bool is_hit[N_RANDOM] = {0};
    for (size_t i = 0; i < hits.n; i++) {
        is_hit[hits.at[i].docid] = true;
        scores[hits.at[i].docid] = hits.at[i].fixed;
        assert_true(
            i == 0 || hits.at[i].fixed < hits.at[i - 1].fixed ||
            (hits.at[i].fixed == hits.at[i - 1].fixed && hits.at[i].docid > hits.at[i - 1].docid));
    }
    for (uint32_t d = 0; d < N_RANDOM; d++) {
        if (is_hit[d] != node_matches(x, &docs[d]))
            fail_msg("%.*s: document %u is %sa hit", (int)text.n, query, d,
                     is_hit[d] ? "" : "not ");
        if (d % 8 != 0 && !is_hit[d])
            continue;
        rp_explanation tree;
        assert_int_equal(rp_searcher_explain(searcher, query, text.n, d, &tree, &err), RP_OK);
        assert_int_equal(tree.at[0].matches, is_hit[d]);
        if (tree.at[0].fixed != (is_hit[d] ? scores[d] : 0))
            fail_msg("%.*s: document %u: explained %u, scored %u", (int)text.n, query, d,
                     tree.at[0].fixed, scores[d]);
        rp_explanation_free(&tree);
    }
    rp_hits_free(&hits);
    rp__buf_free(&text);
}

static void test_any_query(void **state)
{
    (void)state;
    doc docs[N_RANDOM];
    char *texts[N_RANDOM];
    for (size_t d = 0; d < N_RANDOM; d++) {
        docs[d].n = pick(WORDS_MAX);
        texts[d] = calloc(1, 2 * WORDS_MAX + 1);
        assert_non_null(texts[d]);
        for (uint32_t i = 0; i < docs[d].n; i++) {
            uint32_t letter = pick(12) < 6 ? pick(4) : pick(12);
            docs[d].words[i] = (char)('a' + letter);
            texts[d][2 * i] = docs[d].words[i];
            texts[d][2 * i + 1] = ' ';
        }
    }
    tiny_index tiny;
    tiny_open(&tiny, (const char *const *)texts, N_RANDOM, (tiny_options){0});
    for (size_t v = 0; rp_variant_name(v); v++) {
        rp_searcher *searcher;
        rp_search_options options = {.k = N_RANDOM, .variant = rp_variant_name(v)};
        assert_int_equal(rp_searcher_new(&tiny.index, &options, &searcher, NULL), RP_OK);
        for (int round = 0; round < 60; round++) {
            node root;
            make_node(&root, 3);
            check_query(searcher, &root, docs);
            free_node(&root);
        }
        rp_searcher_free(searcher);
    }
    tiny_close(&tiny);
    for (size_t d = 0; d < N_RANDOM; d++)
        free(texts[d]);
}

/* ---- Bombs ----------------------------------------------------------------------------------- */

/* Whatever the query, an answer or a named limit, within 50 ms of CPU and 8 MiB. */
static void test_bombs(void **state)
{
    (void)state;
    enum { TERMS = 20000, EACH = 100 };
    char *texts[TERMS / EACH];
    for (size_t d = 0; d < TERMS / EACH; d++) {
        texts[d] = malloc(EACH * 8 + 1);
        assert_non_null(texts[d]);
        for (size_t i = 0; i < EACH; i++)
            snprintf(texts[d] + 8 * i, 9, "a%05zu  ", d * EACH + i);
    }
    tiny_index tiny;
    tiny_open(&tiny, (const char *const *)texts, TERMS / EACH, (tiny_options){0});
    static const struct {
        const char *head, *unit, *tail;
        size_t n;
        const char *names; /* part of the message; NULL: it is answered */
    } bombs[] = {
        {"", "(", "a", 1000000, "--max-query"},
        {"", "(", "a", 60000, "--max-depth"},
        {"", "b ", "", 100000, "--max-query"},
        {"", "b ", "", 30000, "--max-terms"},
        {"", "b ", "", 1024, NULL},
        {"", "a*", "", 1, "--max-expansions"},
        {"", "a0* ", "", 10, "--max-expansions"},
        {"", "a000* ", "", 10, NULL},
        {"", "a000* ", "", 11, "--max-terms"},
        {"\"", "the ", "\"", 1000, "--max-phrase"},
        {"\"", "the ", "\"", 64, NULL},
        {"\"a00001 a00002\"~1000000000", "", "", 0, "--max-slop"},
        {"a00001^NaN", "", "", 0, "a boost is a number"},
        {"a00001^1e308", "", "", 0, "a boost is a number"},
        {"a00001^1e6 ", "a00002^1e6 ", "", 1023, NULL},
    };
    rp_searcher *searcher;
    rp_search_options options = {.max_memory = 8 << 20};
    assert_int_equal(rp_searcher_new(&tiny.index, &options, &searcher, NULL), RP_OK);
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        rp__buf text;
        rp__buf_init(&text);
        rp__buf_put_string(&text, bombs[i].head);
        for (size_t n = 0; n < bombs[i].n; n++)
            rp__buf_put_string(&text, bombs[i].unit);
        rp__buf_put_string(&text, bombs[i].tail);
        rp_hits hits;
        rp_error err = {0};
        rp_status status = rp_searcher_search(searcher, (const char *)text.at, text.n, &hits, &err);
        if (bombs[i].names ? status == RP_OK || !strstr(err.text, bombs[i].names) : status != RP_OK)
            fail_msg("bomb %zu: status %d, %s", i, status, err.text);
        if (status == RP_OK)
            rp_hits_free(&hits);
        rp__buf_free(&text);
    }
    rp_searcher_free(searcher);
    tiny_close(&tiny);
    for (size_t d = 0; d < TERMS / EACH; d++)
        free(texts[d]);
}

/* ---- Odd indexes ----------------------------------------------------------------------------- */

static void test_empty_index(void **state)
{
    (void)state;
    static const char *const one[] = {""};
    for (size_t n = 0; n < 2; n++) {
        tiny_index tiny;
        tiny_open(&tiny, one, n, (tiny_options){0});
        rp_hits hits;
        rp_error err = {0};
        if (rp_search(&tiny.index, "fox \"a b\" c* -d", 10, &hits, &err) != RP_OK)
            fail_msg("%s", err.text);
        assert_int_equal(hits.n, 0);
        assert_int_equal(hits.total, 0);
        rp_hits_free(&hits);
        tiny_close(&tiny);
    }
}

static int open_few(void **state)
{
    static tiny_index tiny;
    tiny_open(&tiny, few, sizeof few / sizeof *few, (tiny_options){0});
    *state = &tiny;
    return 0;
}

static int close_few(void **state)
{
    tiny_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search),   cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_andor),    cmocka_unit_test(test_andor_explained),
        cmocka_unit_test(test_order),    cmocka_unit_test(test_options),
        cmocka_unit_test(test_variants), cmocka_unit_test(test_strings_not_kept),
        cmocka_unit_test(test_reuse),    cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_explain),  cmocka_unit_test(test_any_query),
        cmocka_unit_test(test_bombs),    cmocka_unit_test(test_empty_index),
    };
    return cmocka_run_group_tests(tests, open_few, close_few);
}
