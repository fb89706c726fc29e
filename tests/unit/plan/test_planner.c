/* test_planner.c: words to terms, groups dissolved, prefixes expanded, limits on both sides. */
#include "unit/tiny_index.h"

#include <math.h>

#include "base/alloc.h"
#include "plan/plan.h"

static const char *const texts[] = {
    "the quick brown fox",
    "the lazy dog",
    "quick quick dog jumps over the lazy fox",
    "wi-fi router and a fox-trot",
    "alpha alpine alps altitude",
    "",
    "Na\xC3\xAFve caf\xC3\xA9 jumping jumped",
};
enum { N_TEXTS = sizeof texts / sizeof *texts };

typedef struct bench {
    tiny_index tiny;
    rp__analyzer_state *analyzer;
    rp__rank rank;
    rp__arena arena;
    rp__query query;
    rp_error err;
} bench;

static void set_up(bench *b, tiny_options options)
{
    memset(b, 0, sizeof *b);
    tiny_open(&b->tiny, texts, N_TEXTS, options);
    assert_int_equal(rp__analyzer_state_new(b->tiny.index.analyzer, &b->analyzer), RP_OK);
    const rp__ranking *row = rp__ranking_at(0);
    b->rank = (rp__rank){.ranking = row,
                         .k1 = row->k1,
                         .b = row->b,
                         .mu = row->mu,
                         .stats = rp__segment_get_info(b->tiny.index.segment)->stats};
    rp__arena_init(&b->arena, 8 << 20);
}

static void tear_down(bench *b)
{
    rp__arena_reset(&b->arena);
    rp__analyzer_state_free(b->analyzer);
    tiny_close(&b->tiny);
}

static rp_status bind(bench *b, const char *text, rp_mode mode, const rp_search_options *given)
{
    rp_search_options options = given ? *given : (rp_search_options){0};
    rp__plan_defaults(&options);
    rp__syntax syntax;
    rp__arena_clear(&b->arena);
    b->err = (rp_error){0};
    rp_status status =
        rp__query_parse(text, strlen(text), mode, &options, &b->arena, &syntax, &b->err);
    if (status != RP_OK)
        return status;
    const rp__bind_to to = {
        .segment = b->tiny.index.segment, .rank = &b->rank, .analyzer = b->analyzer};
    return rp__query_bind(&syntax, &to, mode, &options, &b->arena, &b->query, &b->err);
}

/* Checks what backend.h promises of ops; prints them: '?' before a word that the index lacks, '_' for
 * each empty place in a phrase. */
static char *print(const rp__query *q, char *out, size_t cap)
{
    static const char *const signs[] = {[RP_SHOULD] = "", [RP_MUST] = "+", [RP_NOT] = "-"};
    size_t n = 0;
    uint32_t depth = 0, deepest = 0;
    out[0] = 0;
    for (size_t i = 0; i < q->n_ops; i++) {
        const rp__op *op = &q->ops[i];
        bool is_outer = i == 0 || i + 1 == q->n_ops;
        assert_true(i == 0 ? op->kind == RP_OP_OPEN : depth > 0);
        if (op->kind == RP_OP_CLOSE) {
            assert_int_equal(q->ops[op->leaf].leaf, i);
            assert_int_equal(q->ops[op->leaf].role, op->role);
            depth--;
            n += (size_t)snprintf(out + n, cap - n, is_outer ? "" : ")");
            continue;
        }
        if (!is_outer)
            n += (size_t)snprintf(out + n, cap - n, "%s%s",
                                  i > 1 && q->ops[i - 1].kind != RP_OP_OPEN ? " " : "",
                                  signs[op->role]);
        if (op->kind == RP_OP_OPEN) {
            assert_int_equal(q->ops[op->leaf].kind, RP_OP_CLOSE);
            assert_int_equal(q->ops[op->leaf].leaf, i);
            deepest = ++depth > deepest ? depth : deepest;
            n += (size_t)snprintf(out + n, cap - n, is_outer ? "" : "(");
            continue;
        }
        const rp__leaf *leaf = &q->leaves[op->leaf];
        const char *quote = op->kind == RP_OP_PHRASE ? "\"" : "";
        assert_true(leaf->word + leaf->n_words <= q->n_words);
        assert_int_equal(leaf->n_words > 1, op->kind == RP_OP_PHRASE);
        n += (size_t)snprintf(out + n, cap - n, "%s", quote);
        bool is_known = true;
        for (uint32_t w = 0; w < leaf->n_words; w++) {
            const rp__word *word = &q->words[leaf->word + w];
            uint32_t before = w ? word[-1].offset + 1 : word->offset;
            for (uint32_t hole = before; hole < word->offset; hole++)
                n += (size_t)snprintf(out + n, cap - n, " _");
            n += (size_t)snprintf(out + n, cap - n, "%s%s%.*s", w ? " " : "",
                                  word->term.df ? "" : "?", (int)word->text_bytes, word->text);
            is_known = is_known && word->term.df > 0;
        }
        n += (size_t)snprintf(out + n, cap - n, "%s", quote);
        if (leaf->slop)
            n += (size_t)snprintf(out + n, cap - n, "~%u", leaf->slop);
        assert_true(is_known ? leaf->weight.bound >= 0 : leaf->weight.bound == 0);
        assert_true(is_known || leaf->weight.weight == 0);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(q->depth, deepest ? deepest : 1);
    return out;
}

typedef struct row {
    const char *query, *in_or, *in_and; /* NULL: the same */
} row;

static void check_rows(bench *b, const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int mode = RP_MODE_OR; mode <= RP_MODE_ANDOR; mode++) {
            char out[1024];
            if (bind(b, rows[i].query, (rp_mode)mode, NULL) != RP_OK)
                fail_msg("%s: %s", rows[i].query, b->err.text);
            const char *want =
                mode == RP_MODE_OR || !rows[i].in_and ? rows[i].in_or : rows[i].in_and;
            if (strcmp(print(&b->query, out, sizeof out), want) != 0)
                fail_msg("%s in mode %d:\n  got  %s\n  want %s", rows[i].query, mode, out, want);
        }
}

static void test_words(void **state)
{
    (void)state;
    static const row rows[] = {
        {"quick", "quick", "+quick"},
        {"QUICK Fox", "quick fox", "+quick +fox"},
        {"quick quick", "quick quick", "+quick +quick"},
        {"zebra", "?zebra", "+?zebra"},
        {"quick AND zebra", "+quick +?zebra", NULL},
        {"NA\xC3\x8FVE", "na\xC3\xAFve", "+na\xC3\xAFve"},
        {"wi-fi", "wi fi", "+wi +fi"},
        {"fox wi-fi", "fox wi fi", "+fox +wi +fi"},
        {"+wi-fi fox", "+(wi fi) fox", "+wi +fi +fox"},
        {"fox -wi-fi", "fox -(+wi +fi)", "+fox -(+wi +fi)"},
        {"fox AND NOT wi-fi", "+fox -(+wi +fi)", NULL},
        {"fox OR wi-fi", "fox wi fi", "fox (+wi +fi)"},
        {"f\\ox", "fox", "+fox"},
        {"\\-fox \\(dog\\)", "fox dog", "+fox +dog"},
        {"fox ...", "fox", "+fox"},
        {"...", "", NULL},
        {"fox -...", "fox", "+fox"},
        {"-fox ...", "", NULL},
        {"dog (-fox ...)", "dog", "+dog"},
        {"dog -(-fox ...)", "dog", "+dog"},
        {"dog AND (... OR fox)", "+dog +fox", NULL},
        {"(... ...) dog", "dog", "+dog"},
        {"... (quick AND fox)", "+quick +fox", NULL},
    };
    bench b;
    set_up(&b, (tiny_options){0});
    check_rows(&b, rows, sizeof rows / sizeof *rows);
    tear_down(&b);
}

static void test_dissolving(void **state)
{
    (void)state;
    static const row rows[] = {
        {"(quick OR fox) OR dog", "quick fox dog", NULL},
        {"(quick AND fox) AND dog", "+quick +fox +dog", NULL},
        {"(quick AND NOT fox) AND dog", "+quick -fox +dog", NULL},
        {"+(+quick fox) dog", "+quick fox dog", "+quick +fox +dog"},
        {"(quick AND fox) OR dog", "(+quick +fox) dog", NULL},
        {"(quick OR fox) AND dog", "+(quick fox) +dog", NULL},
        {"(quick OR NOT fox) OR dog", "(quick -fox) dog", NULL},
        {"(quick OR NOT fox) AND dog", "+(quick -fox) +dog", NULL},
        {"dog NOT (quick OR fox)", "dog -quick -fox", "+dog -quick -fox"},
        {"dog NOT (quick AND fox)", "dog -(+quick +fox)", "+dog -(+quick +fox)"},
        {"dog NOT (quick OR NOT fox)", "dog -(quick -fox)", "+dog -(quick -fox)"},
        {"dog NOT (lazy OR (quick AND fox))", "dog -lazy -(+quick +fox)",
         "+dog -lazy -(+quick +fox)"},
        {"((quick fox) (dog lazy)) the", "quick fox dog lazy the", "+quick +fox +dog +lazy +the"},
        {"(((quick OR fox) AND dog) OR lazy) OR the", "(+(quick fox) +dog) lazy the", NULL},
    };
    bench b;
    set_up(&b, (tiny_options){0});
    check_rows(&b, rows, sizeof rows / sizeof *rows);
    tear_down(&b);
}

static void test_prefixes(void **state)
{
    (void)state;
    static const row rows[] = {
        {"al*", "alpha alpine alps altitude", NULL},
        {"alp*", "alpha alpine alps", NULL},
        {"ALP* fox", "alpha alpine alps fox", "+(alpha alpine alps) +fox"},
        {"alph*", "alpha", "+alpha"},
        {"zz*", "?zz", "+?zz"},
        {"fox -alp*", "fox -alpha -alpine -alps", "+fox -alpha -alpine -alps"},
        {"fox AND alp*", "+fox +(alpha alpine alps)", NULL},
        {"alp\\h*", "alpha", "+alpha"},
        {"CAF*", "caf\xC3\xA9", "+caf\xC3\xA9"},
    };
    bench b;
    set_up(&b, (tiny_options){0});
    check_rows(&b, rows, sizeof rows / sizeof *rows);
    rp_search_options four = {.max_expansions = 4};
    assert_int_equal(bind(&b, "fox al*", RP_MODE_OR, &four), RP_OK);
    rp_search_options three = {.max_expansions = 3};
    assert_int_equal(bind(&b, "fox al*", RP_MODE_OR, &three), RP_LIMIT);
    assert_string_equal(b.err.text,
                        "column 5: \"al*\" stands for more than 3 terms; add letters or "
                        "raise --max-expansions");
    rp_search_options five = {.max_terms = 5};
    assert_int_equal(bind(&b, "fox al*", RP_MODE_OR, &five), RP_OK);
    rp_search_options four_terms = {.max_terms = 4};
    assert_int_equal(bind(&b, "fox al*", RP_MODE_OR, &four_terms), RP_LIMIT);
    assert_string_equal(b.err.text,
                        "column 5: more than 4 terms after expansion; raise --max-terms");
    tear_down(&b);
}

static void test_wildcards_and_fuzzy_words(void **state)
{
    (void)state;
    static const row rows[] = {
        {"f?x", "fox", "+fox"},
        {"f*x", "fox", "+fox"},
        {"al*e", "alpine altitude", NULL},
        {"ALP?* fox", "alpha alpine alps fox", "+(alpha alpine alps) +fox"},
        {"al?", "?al", "+?al"},
        {"al?s", "alps", "+alps"},
        {"z?z", "?z?z", "+?z?z"},
        {"fox -al*e", "fox -alpine -altitude", "+fox -alpine -altitude"},
        {"fox AND al*e", "+fox +(alpine altitude)", NULL},
        {"caf?", "?caf", "+?caf"},
        {"c?f\xC3\xA9", "caf\xC3\xA9", "+caf\xC3\xA9"},
        {"fix~1", "fi fox", NULL},
        {"FAX~1", "fox", "+fox"},
        {"Dug~1 fox", "dog fox", "+dog +fox"},
        {"jumpin~2", "jumped jumping jumps", NULL},
        {"jumpin~1", "jumping", "+jumping"},
        {"fox -jumpin~2", "fox -jumped -jumping -jumps", "+fox -jumped -jumping -jumps"},
        {"cafe~1", "caf\xC3\xA9", "+caf\xC3\xA9"},
        {"zzzzzz~2", "?zzzzzz", "+?zzzzzz"},
    };
    bench b;
    set_up(&b, (tiny_options){0});
    check_rows(&b, rows, sizeof rows / sizeof *rows);
    rp_search_options two = {.max_expansions = 2};
    assert_int_equal(bind(&b, "fox jumpin~2", RP_MODE_OR, &two), RP_LIMIT);
    assert_string_equal(b.err.text,
                        "column 5: \"jumpin~2\" stands for more than 2 terms; use ~1, add "
                        "letters or raise --max-expansions");
    assert_int_equal(bind(&b, "fox a*?e", RP_MODE_OR, &two), RP_OK);
    assert_int_equal(bind(&b, "fox a?*", RP_MODE_OR, &two), RP_LIMIT);
    assert_string_equal(b.err.text,
                        "column 5: \"a?*\" stands for more than 2 terms; add letters or "
                        "raise --max-expansions");
    char longest[80];
    memset(longest, 'a', sizeof longest);
    strcpy(longest + 62, "~2");
    assert_int_equal(bind(&b, longest, RP_MODE_OR, NULL), RP_OK);
    strcpy(longest + 62, "a~2");
    assert_int_equal(bind(&b, longest, RP_MODE_OR, NULL), RP_LIMIT);
    assert_string_equal(b.err.text, "column 1: a word before '~' has at most 62 letters");
    tear_down(&b);
}

static void test_phrases(void **state)
{
    (void)state;
    static const row rows[] = {
        {"\"quick brown fox\"", "\"quick brown fox\"", "+\"quick brown fox\""},
        {"\"lazy dog\"~3 fox", "\"lazy dog\"~3 fox", "+\"lazy dog\"~3 +fox"},
        {"\"over the lazy\"", "\"over _ lazy\"", "+\"over _ lazy\""},
        {"\"the lazy\"", "lazy", "+lazy"},
        {"\"the\" fox", "fox", "+fox"},
        {"\"\" fox", "fox", "+fox"},
        {"\"fox\"~4", "fox", "+fox"},
        {"\"wi-fi router\"", "\"wi fi router\"", "+\"wi fi router\""},
        {"\"quick zebra\"", "\"quick ?zebra\"", "+\"quick ?zebra\""},
        {"-\"quick fox\" dog", "-\"quick fox\" dog", "-\"quick fox\" +dog"},
        {"\"quick \\\" fox\"", "\"quick fox\"", "+\"quick fox\""},
        {"the fox", "fox", "+fox"},
        {"the", "", NULL},
        {"dog (the -fox)", "dog", "+dog"},
    };
    bench b;
    set_up(&b, (tiny_options){.stop = "lucene"});
    check_rows(&b, rows, sizeof rows / sizeof *rows);
    rp_search_options three = {.max_phrase = 3};
    assert_int_equal(bind(&b, "\"wi-fi router\"", RP_MODE_OR, &three), RP_OK);
    rp_search_options two = {.max_phrase = 2};
    assert_int_equal(bind(&b, "x \"wi-fi router\"", RP_MODE_OR, &two), RP_LIMIT);
    assert_string_equal(b.err.text, "column 3: a phrase of more than 2 words; raise --max-phrase");
    rp_search_options terms = {.max_terms = 2};
    assert_int_equal(bind(&b, "\"wi-fi router\"", RP_MODE_OR, &terms), RP_LIMIT);
    assert_non_null(strstr(b.err.text, "--max-terms"));
    tear_down(&b);
}

static void test_no_positions(void **state)
{
    (void)state;
    bench b;
    set_up(&b, (tiny_options){.no_positions = true});
    assert_int_equal(bind(&b, "\"fox\"", RP_MODE_OR, NULL), RP_OK);
    assert_int_equal(bind(&b, "dog \"quick fox\"", RP_MODE_OR, NULL), RP_USAGE);
    assert_string_equal(b.err.text,
                        "column 5: phrases need positions, and this index was made without them");
    tear_down(&b);
}

static void test_stems(void **state)
{
    (void)state;
    static const row rows[] = {
        {"jumps jumped", "jump jump", "+jump +jump"},
        {"jump*", "jump", "+jump"},
        {"jumpi*", "?jumpi", "+?jumpi"},
    };
    bench b;
    set_up(&b, (tiny_options){.stem = "porter"});
    check_rows(&b, rows, sizeof rows / sizeof *rows);
    tear_down(&b);
}

static void test_plain(void **state)
{
    (void)state;
    bench b;
    set_up(&b, (tiny_options){0});
    rp_search_options plain = {.plain = true};
    static const char *const rows[][2] = {
        {"-dog AND (fox", "dog and fox"},
        {"\"quick - fox", "quick fox"},
        {"f\\ox^2 + *", "?f ?ox ?2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[256];
        assert_int_equal(bind(&b, rows[i][0], RP_MODE_OR, &plain), RP_OK);
        assert_string_equal(print(&b.query, out, sizeof out), rows[i][1]);
    }
    assert_int_equal(bind(&b, " ", RP_MODE_OR, &plain), RP_USAGE);
    tear_down(&b);
}

/* Weights are rank's own; fraction bits follow from what can add up, and NOT cannot. */
static void test_weights(void **state)
{
    (void)state;
    bench b;
    set_up(&b, (tiny_options){0});
    assert_int_equal(bind(&b, "fox^2 -quick^1000000 \"lazy dog\"", RP_MODE_OR, NULL), RP_OK);
    assert_int_equal(b.query.fraction_bits, 20);
    const rp__leaf *leaves = b.query.leaves;
    const rp__term *fox = &b.query.words[leaves[0].word].term;
    assert_int_equal(fox->df, 3);
    assert_int_equal(fox->cf, 3);
    rp__weight weight = rp__rank_weight(&b.rank, &fox->df, &fox->cf, 1, 2);
    assert_memory_equal(&weight.weight, &leaves[0].weight.weight, sizeof weight.weight);
    assert_true(leaves[2].n_words == 2 && leaves[2].weight.bound > leaves[0].weight.bound / 2);
    assert_int_equal(bind(&b, "fox quick^1000000", RP_MODE_OR, NULL), RP_OK);
    assert_true(b.query.fraction_bits < 20);
    assert_int_equal(b.query.fraction_bits,
                     rp__rank_fraction_bits(RP_RANK_BM25, b.query.leaves[0].weight.bound +
                                                              b.query.leaves[1].weight.bound));
    assert_int_equal(bind(&b, "dog -(fox quick^1000000)", RP_MODE_AND, NULL), RP_OK);
    assert_int_equal(b.query.fraction_bits, 20);
    assert_int_equal(bind(&b, "fox^0", RP_MODE_OR, NULL), RP_OK);
    assert_true(b.query.leaves[0].weight.bound == 0);
    tear_down(&b);
}

/* Plain words bound at once are what they are when they are parsed first: queries, messages and all. */
static void expect_both_ways(bench *b, const char *text, size_t bytes, rp_mode mode,
                             rp_search_options options)
{
    const rp__bind_to to = {
        .segment = b->tiny.index.segment, .rank = &b->rank, .analyzer = b->analyzer};
    rp__syntax syntax;
    rp__query want;
    rp_error err = {0};
    rp__plan_defaults(&options);
    rp__arena_clear(&b->arena);
    b->err = (rp_error){0};
    rp_status status = rp__query_parse(text, bytes, mode, &options, &b->arena, &syntax, &err);
    if (status == RP_OK)
        status = rp__query_bind(&syntax, &to, mode, &options, &b->arena, &want, &err);
    assert_int_equal(
        rp__query_bind_plain(text, bytes, &to, mode, &options, &b->arena, &b->query, &b->err),
        status);
    assert_string_equal(b->err.text, err.text);
    if (status != RP_OK)
        return;
    char got_text[4096], want_text[4096];
    assert_string_equal(print(&b->query, got_text, sizeof got_text),
                        print(&want, want_text, sizeof want_text));
    assert_int_equal(b->query.n_words, want.n_words);
    assert_int_equal(b->query.n_leaves, want.n_leaves);
    assert_int_equal(b->query.fraction_bits, want.fraction_bits);
    assert_int_equal(b->query.end, want.end);
    for (size_t i = 0; i < want.n_leaves; i++)
        assert_memory_equal(&b->query.leaves[i].weight, &want.leaves[i].weight,
                            sizeof want.leaves[i].weight);
}

static void test_plain_at_once(void **state)
{
    (void)state;
    static const char *const queries[] = {
        "fox",
        "quick dog",
        "  the\tlazy dog\n",
        "wi-fi router fox-trot",
        "",
        " ",
        "nowhere fox",
        "\"fox\"",
        "(quick",
        "dog -fox +a al*",
        "... !? fox",
        "... !?",
        "fox^2 \\dog",
        "Na\xC3\xAFve CAF\xC3\xA9",
        "fox\xE3\x80\x80"
        "dog",
        "fox\xE2\x80\xAF"
        "dog",
        "a\x01"
        "fox\x7F"
        "dog",
        "fox \xFF dog",
        "\xC3",
        "the the the the the",
        "quick  dog ",
        "fox AND dog",
        "and or not fox",
        "wi fi 2 quick3 nowhere",
    };
    bench b;
    set_up(&b, (tiny_options){0});
    for (int mode = RP_MODE_OR; mode <= RP_MODE_ANDOR; mode++)
        for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
            for (size_t most = 0; most < 6; most++) {
                size_t bytes = strlen(queries[i]);
                const bool plain = most % 2;
                expect_both_ways(&b, queries[i], bytes, (rp_mode)mode,
                                 (rp_search_options){.max_terms = most, .plain = plain});
                expect_both_ways(&b, queries[i], bytes, (rp_mode)mode,
                                 (rp_search_options){.max_terms = most, .plain = !plain});
                expect_both_ways(&b, queries[i], bytes, (rp_mode)mode,
                                 (rp_search_options){.max_query = 3 * most, .plain = plain});
                expect_both_ways(&b, queries[i], bytes, (rp_mode)mode,
                                 (rp_search_options){.max_query = 3 * most, .plain = !plain});
            }
    tear_down(&b);
}

/* Texts that no operator can be in, and others. */
static void test_is_words(void **state)
{
    (void)state;
    static const char *const words[] = {"a", "fox dog", "and", "2 to5 ", "fox  z9"};
    static const char *const others[] = {
        "", " fox", "Fox", "fox\tdog", "fo*", "fox!", "caf\xC3\xA9", "`", "{", "/", ":"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_true(rp__query_is_words(words[i], strlen(words[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(rp__query_is_words(others[i], strlen(others[i])));
}

/* A cap on memory is an error, wherever it is met. */
static void test_memory(void **state)
{
    (void)state;
    bench b;
    set_up(&b, (tiny_options){0});
    size_t failed = 0;
    for (size_t cap = 0; cap <= 32768; cap += 64) {
        rp__arena_reset(&b.arena);
        rp__arena_init(&b.arena, cap);
        rp_status status = bind(&b, "al* \"quick fox\" (dog OR wi-fi)", RP_MODE_AND, NULL);
        assert_true(status == RP_OK || status == RP_NO_MEMORY);
        failed += status == RP_NO_MEMORY;
    }
    assert_true(failed > 20 && failed < 512);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),         cmocka_unit_test(test_dissolving),
        cmocka_unit_test(test_prefixes),      cmocka_unit_test(test_wildcards_and_fuzzy_words),
        cmocka_unit_test(test_phrases),       cmocka_unit_test(test_no_positions),
        cmocka_unit_test(test_stems),         cmocka_unit_test(test_plain),
        cmocka_unit_test(test_weights),       cmocka_unit_test(test_memory),
        cmocka_unit_test(test_plain_at_once), cmocka_unit_test(test_is_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
