/* test_algorithms.c: every algorithm of the cpu against the oracle, document for document and score for
 * score.
 *
 * Random queries of all shapes go through every row that applies, in the codec of default and a sample of
 * the others (all of them with RIPOSTE_THOROUGH), at each level of instructions, for several k, with exact
 * totals and without, about the whole index and in parts that share what they know of the k best, with the
 * bounds of lists and without. Some collections are made so that thousands of documents tie.
 * RIPOSTE_ORACLE_QUERIES sets how many queries each level is asked, RIPOSTE_ORACLE_SEED where chance starts.
 * A failure prints what was asked, and the first difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_run.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/levels.h"
#include "oracle/question.h"

enum {
    QUERY_TEXT = 60000,
    PARTS = 4,
    MOST = 1000,
    COLLECTIONS = 7,
    QUERIES = 490,
    SAMPLE = 2,
    LARGE = 50000
};

static const size_t ks[] = {1, 10, 100, MOST, 0};

static const level *here;

static uint64_t from_env(const char *name, uint64_t fallback)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : fallback;
}

/* ---- One question ------------------------------------------------------------------------------ */

/* What is asked, then how. */
typedef struct ask {
    const collection *c;
    rp_mode mode;
    rp__rank rank;
    rp_search_options options;
    oracle_answer want; /* all documents that match */
    const char *codec;
    const rp__algorithm *row;
    rp__query query;
    uint64_t postings;        /* of all lists of the query */
    bool has_bounds;          /* what lists say of their best postings holds */
    uint32_t cuts[PARTS + 1]; /* of the docids */
    uint32_t n_parts;
    uint32_t floor; /* known when the first part starts */
    char text[QUERY_TEXT];
} ask;

static void tell(const ask *a, const char *what)
{
    fail_msg("%s, %s, %s by %s: k %zu, %s, k1 %g, b %g, mu %g, mode %s, %s bounds, total %s, "
             "%u parts at %u %u %u, floor %u\nquery: %s\n%s",
             here->name, a->c->name, a->codec, a->row ? a->row->name : "the engine", a->query.k,
             a->options.variant, a->rank.k1, a->rank.b, a->rank.mu,
             a->mode == RP_MODE_OR ? "or" : "and", a->query.has_bounds ? "with" : "without",
             a->query.exact_total ? "exact" : "at least", a->n_parts, a->cuts[1], a->cuts[2],
             a->cuts[3], a->floor, a->text, what);
}

static void choose_options(ask *a)
{
    size_t n_variants = 0;
    while (rp_variant_name(n_variants))
        n_variants++;
    rp_search_options *o = &a->options;
    a->mode = chance_below(3) ? RP_MODE_OR : RP_MODE_AND;
    o->variant = rp_variant_name(chance_below(2) ? chance_below(n_variants) : 0);
    const rp__ranking *row = rp__ranking_find(o->variant);
    a->rank = (rp__rank){.ranking = row, .k1 = row->k1, .b = row->b, .mu = row->mu};
    if (chance_below(4))
        return;
    o->has_k1 = o->has_b = o->has_mu = true;
    o->k1 = a->rank.k1 = (double)chance_below(30) / 10;
    o->b = a->rank.b = (double)chance_below(11) / 10;
    o->mu = a->rank.mu = (double)(1 + chance_below(5000));
}

/* ---- One answer -------------------------------------------------------------------------------- */

typedef struct merged {
    rp__scored at[PARTS * MOST];
    size_t n;
    uint64_t total;
    bool total_is_exact;
} merged;

static int best_first(const void *a, const void *b)
{
    const rp__scored *x = a, *y = b;
    if (x->fixed != y->fixed)
        return x->fixed > y->fixed ? -1 : 1;
    return x->docid < y->docid ? -1 : 1;
}

/* Cuts docids anywhere, parts without documents among them; or where words of bits begin. */
static void choose_parts(ask *a)
{
    uint32_t n_docs = a->query.lengths.n_docs, *cuts = a->cuts;
    memset(cuts, 0, sizeof a->cuts);
    a->n_parts = chance_below(2) ? 1 : 1 + (uint32_t)chance_below(PARTS);
    for (uint32_t i = 1; i < a->n_parts; i++) {
        uint32_t cut = (uint32_t)chance_below(n_docs + 1), j = i;
        cut -= chance_below(2) ? cut % 64 : 0;
        for (; j > 1 && cuts[j - 1] > cut; j--)
            cuts[j] = cuts[j - 1];
        cuts[j] = cut;
    }
    cuts[a->n_parts] = n_docs;
}

/* Nothing, or the score of the k-th best document, or of one after it: k documents have that. */
static void choose_floor(ask *a)
{
    size_t k = a->query.k;
    a->floor = 0;
    if (k == 0 || a->want.total < k || chance_below(2))
        return;
    size_t at = k - 1;
    if (chance_below(2))
        at += chance_below(a->want.total - at);
    a->floor = a->want.at[at].fixed;
}

static void run_part(ask *a, uint32_t part, _Atomic uint32_t *floor, rp__arena *arena, merged *m)
{
    rp__answer answer;
    rp_error err = {.text = ""};
    rp__query query = a->query;
    query.begin = a->cuts[part];
    query.end = a->cuts[part + 1];
    query.floor = floor;
    query.algorithm = a->row->name;
    rp__arena_clear(arena);
    if (rp__backend_find("cpu")->run(NULL, &query, arena, &answer, &err) != RP_OK)
        tell(a, err.text);
    if (answer.n > query.k || answer.n > MOST)
        tell(a, "more than k hits");
    for (size_t i = 0; i < answer.n; i++)
        m->at[m->n++] = answer.at[i];
    m->total += answer.total;
    m->total_is_exact &= answer.total_is_exact;
}

static void compare(const ask *a, const merged *m)
{
    char what[200];
    const oracle_answer *want = &a->want;
    size_t n = want->total < a->query.k ? (size_t)want->total : a->query.k;
    bool is_right = m->total_is_exact ? m->total == want->total
                                      : m->total <= want->total && !a->query.exact_total;
    if (m->n != n || !is_right) {
        snprintf(what, sizeof what, "%zu hits of %s%llu, oracle %zu of %llu", m->n,
                 m->total_is_exact ? "" : "at least ", (unsigned long long)m->total, n,
                 (unsigned long long)want->total);
        tell(a, what);
    }
    for (size_t i = 0; i < n; i++) {
        rp__scored x = m->at[i], y = want->at[i];
        if (x.docid == y.docid && x.fixed == y.fixed)
            continue;
        snprintf(what, sizeof what, "hit %zu: docid %u score %u, oracle docid %u score %u", i,
                 x.docid, x.fixed, y.docid, y.fixed);
        tell(a, what);
    }
}

/* Answers compared, those of them that knew bounds, and queries large enough for several threads. */
static uint64_t n_runs, n_bounded, n_large;

/* Parts in order, or the last first, so that a later one knows more than a walk in order would. */
static void check_run(ask *a, rp__arena *arena)
{
    static merged m;
    choose_parts(a);
    choose_floor(a);
    a->query.exact_total = a->query.k == 0 || chance_below(3) == 0;
    _Atomic uint32_t floor = a->floor;
    bool is_shared = a->query.k > 0 && (a->floor || a->n_parts > 1);
    bool is_backwards = chance_below(2);
    m = (merged){.total_is_exact = true};
    for (uint32_t i = 0; i < a->n_parts; i++) {
        uint32_t part = is_backwards ? a->n_parts - 1 - i : i;
        run_part(a, part, is_shared ? &floor : NULL, arena, &m);
    }
    qsort(m.at, m.n, sizeof *m.at, best_first);
    m.n = m.n > a->query.k ? a->query.k : m.n;
    compare(a, &m);
    n_runs++;
    n_bounded += a->query.has_bounds;
}

/* One row: all that can be asked of it, or a sample. */
static void check_row(ask *a, bool is_full, rp__arena *arena)
{
    const size_t n_ks = sizeof ks / sizeof ks[0];
    size_t only = chance_below(n_ks);
    for (size_t i = 0; i < n_ks; i++) {
        a->query.k = ks[i];
        if ((!is_full && i != only) || !a->row->applies(&a->query))
            continue;
        a->query.has_bounds = a->has_bounds && (is_full || chance_below(2));
        check_run(a, arena);
        if (is_full && a->query.has_bounds) {
            a->query.has_bounds = false;
            check_run(a, arena);
        }
    }
}

static void ask_codec(ask *a, size_t codec, rp__arena *arena)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    a->codec = a->c->codecs[codec];
    a->row = NULL;
    if (rp_searcher_new(a->c->indexes[codec], &a->options, &searcher, &err) != RP_OK)
        tell(a, err.text);
    rp_status status =
        rp__searcher_bind(searcher, a->text, strlen(a->text), a->mode, &a->query, &err);
    if (status != a->want.status)
        tell(a, status ? err.text : "the oracle is over a limit");
    if (status == RP_OK && a->query.n_ops == 0)
        assert_int_equal(a->want.total, 0);
    bool is_run = status == RP_OK && a->query.n_ops > 0;
    a->has_bounds = is_run && a->query.has_bounds;
    a->postings = 0;
    for (size_t i = 0; is_run && i < a->query.n_words; i++)
        a->postings += a->query.words[i].term.df;
    for (size_t i = 0; is_run && (a->row = rp__algorithm_at(i)); i++)
        check_row(a, codec == 0, arena);
    rp_searcher_free(searcher);
}

/* The engine's own threads, which queries of half a million postings wake. */
static void ask_threads(ask *a)
{
    n_large += a->postings >= 1 << 19;
    static merged m;
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    rp_hits hits;
    rp_search_options *o = &a->options;
    o->mode = a->mode;
    o->threads = 2 + chance_below(3);
    o->total = (rp_total)chance_below(3);
    o->k = ks[chance_below(4)];
    a->row = NULL;
    a->query.k = o->total == RP_TOTAL_ONLY ? 0 : o->k;
    a->query.exact_total = o->total != RP_TOTAL_AT_LEAST;
    if (rp_searcher_new(a->c->indexes[0], o, &searcher, &err) != RP_OK ||
        rp_searcher_search(searcher, a->text, strlen(a->text), &hits, &err) != RP_OK)
        tell(a, err.text);
    m = (merged){.n = hits.n, .total = hits.total, .total_is_exact = hits.total_is_exact};
    for (size_t i = 0; i < hits.n; i++)
        m.at[i] = (rp__scored){hits.at[i].fixed, hits.at[i].docid};
    compare(a, &m);
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
}

static uint64_t ask_once(const collection *c, rp__arena *arena)
{
    static ask a;
    memset(&a, 0, sizeof a);
    a.c = c;
    choose_options(&a);
    uint64_t shape = chance_below(8);
    oracle_node *query = shape < 5   ? question_make_flat(c->o)
                         : shape < 6 ? question_make_phrase(c->o)
                                     : question_make(c->o);
    oracle_print(query, a.text, sizeof a.text);
    oracle_search(c->o, query, &a.rank, a.mode, 0, c->n_docs, &a.want);
    for (size_t i = 0; i < c->n_codecs; i++)
        ask_codec(&a, i, arena);
    if (a.want.status == RP_OK && c->n_docs >= LARGE)
        ask_threads(&a);
    uint64_t total = a.want.total;
    oracle_answer_free(&a.want);
    oracle_node_free(query);
    return total;
}

/* ---- Collections ------------------------------------------------------------------------------- */

static size_t count_codecs(void)
{
    size_t n = 0;
    while (rp_codec_name(n))
        n++;
    return n;
}

/* The codec of default, and all others or those whose turn it is. */
static void begin(collection *c, uint32_t number)
{
    bool has_all = getenv("RIPOSTE_THOROUGH") != NULL;
    size_t others = count_codecs() - 1, n = has_all ? others : SAMPLE;
    size_t turn = (size_t)(here->number * COLLECTIONS + number) * SAMPLE;
    collection_add_codec(c, rp_codec_name(0));
    for (size_t i = 0; i < n; i++)
        collection_add_codec(c, rp_codec_name(1 + (turn + i) % others));
    chance_seed(number);
}

/* The oracle reads all documents for a query: large collections are asked fewer. */
static void end(collection *c, uint32_t number)
{
    uint64_t n = from_env("RIPOSTE_ORACLE_QUERIES", QUERIES) / COLLECTIONS;
    n = c->n_docs >= LARGE ? n / 4 : n;
    uint64_t matched = 0;
    n_runs = n_bounded = n_large = 0;
    rp__arena arena;
    collection_end(c);
    chance_seed(from_env("RIPOSTE_ORACLE_SEED", 1) * 1000003 + here->number * 101 + number);
    rp__arena_init(&arena, (size_t)256 << 20);
    for (uint64_t i = 0; i < n; i++)
        matched += ask_once(c, &arena) > 0;
    rp__arena_reset(&arena);
    print_message(
        "%s, %s: %llu documents, %llu queries with %zu codecs, %llu of them with matches, "
        "%llu answers, %llu of them with bounds\n",
        here->name, c->name, (unsigned long long)c->n_docs, (unsigned long long)n, c->n_codecs,
        (unsigned long long)matched, (unsigned long long)n_runs, (unsigned long long)n_bounded);
    bool is_fair = matched * 4 > n && n_bounded > 0 && (n_large > 0 || c->n_docs < LARGE);
    assert_true(is_fair || n < 10);
    collection_close(c);
}

static void many_words(void **state)
{
    (void)state;
    collection c = {.name = "many words", .stem = "none", .stop = "none"};
    begin(&c, 0);
    collection_fill(&c, 3000, 20000, 120);
    end(&c, 0);
}

static void long_lists(void **state)
{
    (void)state;
    collection c = {.name = "long lists", .stem = "none", .stop = "none"};
    begin(&c, 1);
    collection_fill(&c, 9000, 60, 12);
    end(&c, 1);
}

/* More than the windows of any algorithm, with lists from everywhere to nearly nowhere, and one that stands
 * in one place. */
static void many_documents(void **state)
{
    (void)state;
    static const uint32_t periods[] = {1, 2, 3, 8, 50, 700, 3000, 20000, 60000};
    collection c = {.name = "many documents", .stem = "none", .stop = "none"};
    begin(&c, 6);
    for (uint32_t d = 0; d < 150000; d++) {
        char text[512];
        size_t at = 0;
        for (uint32_t w = 0; w < sizeof periods / sizeof periods[0]; w++)
            for (uint64_t n = chance_below(periods[w]) ? 0 : 1 + chance_zipf(3); n > 0; n--)
                at += (size_t)sprintf(text + at, "%c ", 'a' + (char)w);
        if (d - 61234 < 300)
            at += (size_t)sprintf(text + at, "far ");
        collection_add(&c, "", 0, text, at);
    }
    end(&c, 6);
}

/* ---- Ties -------------------------------------------------------------------------------------- */

enum { LENGTH = 12 };

/* Adds a document of LENGTH words: those given, then as many rare ones as are missing, each once. */
static void add_padded(collection *c, char *text, size_t n_words)
{
    size_t at = strlen(text), rare = chance_below(500);
    for (; n_words < LENGTH; n_words++)
        at += (size_t)sprintf(text + at, "x%zu ", rare++);
    collection_add(c, "", 0, text, at);
}

static void all_documents_are_the_same(void **state)
{
    (void)state;
    collection c = {.name = "one document many times", .stem = "none", .stop = "none"};
    char text[] = "a b c d a e f b a";
    begin(&c, 2);
    for (uint32_t d = 0; d < 5000; d++)
        collection_add(&c, "", 0, text, strlen(text));
    end(&c, 2);
}

/* A score says which words a document has, and nothing else. */
static void lengths_and_frequencies_are_equal(void **state)
{
    (void)state;
    collection c = {.name = "equal lengths", .stem = "none", .stop = "none"};
    char text[LENGTH * 32];
    begin(&c, 3);
    for (uint32_t d = 0; d < 7000; d++) {
        size_t n = 0, at = 0;
        for (uint32_t w = 0; w < 24 && n < LENGTH; w++)
            if (chance_below(2 + w / 2) == 0) {
                collection_put_word(text + at, w);
                at += strlen(text + at);
                text[at++] = ' ';
                n++;
            }
        text[at] = 0;
        add_padded(&c, text, n);
    }
    end(&c, 3);
}

/* The list of each word is half of the one before. */
static void lists_are_parts_of_each_other(void **state)
{
    (void)state;
    collection c = {.name = "lists in lists", .stem = "none", .stop = "none"};
    char text[LENGTH * 32];
    begin(&c, 4);
    for (uint32_t d = 0; d < 8192; d++) {
        size_t n = 0, at = 0;
        for (; n < LENGTH && d % (1U << n) == 0; n++) {
            text[at++] = (char)('a' + n);
            text[at++] = ' ';
        }
        text[at] = 0;
        add_padded(&c, text, n);
    }
    end(&c, 4);
}

/* The best postings of a list are the last of a block, or the first; all of them tie. */
static void the_best_stand_where_blocks_end(void **state)
{
    (void)state;
    collection c = {.name = "ends of blocks", .stem = "none", .stop = "none"};
    char text[LENGTH * 32];
    begin(&c, 5);
    for (uint32_t d = 0; d < 7000; d++) {
        size_t n = 0, at = 0;
        for (uint32_t w = 1; w <= 5; w++) {
            uint32_t rank = d / w;
            bool is_best = rank % RP_BLOCK == RP_BLOCK - 1 || (w % 2 && rank % RP_BLOCK == 0);
            for (uint32_t i = d % w ? 2 : is_best ? 0 : 1; i < 2; i++, n++) {
                text[at++] = (char)('a' + w);
                text[at++] = ' ';
            }
        }
        text[at] = 0;
        add_padded(&c, text, n);
    }
    end(&c, 5);
}

/* ---- Levels ------------------------------------------------------------------------------------ */

static int run_level(const level *l)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_words),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(many_documents),
        cmocka_unit_test(all_documents_are_the_same),
        cmocka_unit_test(lengths_and_frequencies_are_equal),
        cmocka_unit_test(lists_are_parts_of_each_other),
        cmocka_unit_test(the_best_stand_where_blocks_end),
    };
    here = l;
    return cmocka_run_group_tests_name(l->name, tests, NULL, NULL);
}

int main(void)
{
    return levels_run(run_level);
}
