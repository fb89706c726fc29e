/* test_cpu_run.c: the algorithms of the cpu against a plain evaluation of every document, on a
 * collection made by rule: wide enough for many windows, with lists from rare to everywhere.
 *
 * Queries are programs built by hand from a short notation: words are letters; + and - give a role,
 * parentheses a group, a_b a phrase. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cpu/cpu_run.h"
#include "riposte/index.h"

enum { DOCS = 30000, LETTERS = 8, MOST = 64 };

/* Letter l stands in one of so many documents; the last letter in a far stretch only. */
static const uint32_t periods[LETTERS] = {1, 2, 3, 10, 100, 1000, 9000, 1};
static const uint32_t far_begin = 20000, far_end = 20400;

static char dir[] = "/tmp/riposte-cpu-run-XXXXXX";
static rp__segment *segment;
static rp__rank rank;
static float *norms;
static rp__lengths lengths;

/* ---- The rule -------------------------------------------------------------------------------- */

static uint32_t mix(uint32_t doc, uint32_t letter)
{
    uint32_t h = (doc * 8 + letter) * 2654435761U;
    return (h ^ (h >> 15)) * 2246822519U >> 4;
}

static uint32_t tf_of(uint32_t doc, uint32_t letter)
{
    if (letter == LETTERS - 1)
        return doc >= far_begin && doc < far_end;
    uint32_t h = mix(doc, letter);
    return h % periods[letter] == 0 ? 1 + h / periods[letter] % 3 : 0;
}

/* a a b d: each letter as often as its tf, in order; returns the number of words. */
static uint32_t write_text(uint32_t doc, char *out)
{
    uint32_t n = 0;
    for (uint32_t l = 0; l < LETTERS; l++)
        for (uint32_t i = tf_of(doc, l); i > 0; i--, n++) {
            *out++ = (char)('a' + l);
            *out++ = ' ';
        }
    *out = 0;
    return n;
}

/* "x y" stands where x is the last letter before y: once, or not. */
static uint32_t phrase_tf(uint32_t doc, uint32_t x, uint32_t y)
{
    if (x == y)
        return tf_of(doc, x) > 1 ? tf_of(doc, x) - 1 : 0;
    for (uint32_t l = x + 1; l < y; l++)
        if (tf_of(doc, l))
            return 0;
    return x < y && tf_of(doc, x) && tf_of(doc, y);
}

static int open_collection(void **state)
{
    (void)state;
    rp_error err;
    rp_builder *builder;
    char text[256], id[16];
    if (!mkdtemp(dir) || rp_builder_new(dir, NULL, &builder, &err) != RP_OK)
        return -1;
    for (uint32_t d = 0; d < DOCS; d++) {
        write_text(d, text);
        int n = snprintf(id, sizeof id, "%u", d);
        if (rp_builder_add(builder, id, (size_t)n, "", 0, text, strlen(text), &err) != RP_OK)
            return -1;
    }
    rp_status status = rp_builder_finish(builder, NULL, &err);
    rp_builder_free(builder);
    if (status != RP_OK || rp__segment_open(dir, true, &segment, &err) != RP_OK)
        return -1;
    const rp__ranking *row = rp__ranking_at(0);
    rank = (rp__rank){row, row->k1, row->b, row->mu, rp__segment_get_info(segment)->stats};
    rp__segment_get_lengths(segment, &lengths);
    norms = calloc(lengths.n_table, sizeof *norms);
    for (uint32_t i = 0; i < lengths.n_table; i++)
        norms[i] = rp__rank_norm(&rank, lengths.table[i]);
    return 0;
}

static int close_collection(void **state)
{
    (void)state;
    char command[64];
    rp__segment_close(segment);
    free(norms);
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

/* ---- Programs -------------------------------------------------------------------------------- */

typedef struct program {
    rp__query query;
    rp__op ops[MOST];
    rp__leaf leaves[MOST];
    rp__word words[MOST];
} program;

static void put_word(program *p, const char *letter, uint32_t offset)
{
    rp__word *word = &p->words[p->query.n_words++];
    *word = (rp__word){.offset = offset, .text = letter, .text_bytes = 1};
    rp_status status = rp__segment_find(segment, letter, 1, &word->term);
    if (status == RP_NOT_FOUND)
        word->term.df = 0;
    else
        assert_int_equal(status, RP_OK);
}

static const char *put_leaf(program *p, const char *at, uint8_t role)
{
    uint32_t first = (uint32_t)p->query.n_words, n = 0;
    put_word(p, at, n++);
    for (; at[1] == '_'; at += 2)
        put_word(p, at + 2, n++);
    uint32_t df[MOST];
    uint64_t cf[MOST];
    bool is_known = true;
    for (uint32_t i = 0; i < n; i++) {
        df[i] = p->words[first + i].term.df;
        cf[i] = p->words[first + i].term.cf;
        is_known = is_known && df[i];
    }
    rp__leaf *leaf = &p->leaves[p->query.n_leaves];
    *leaf = (rp__leaf){.word = first, .n_words = n};
    if (is_known)
        leaf->weight = rp__rank_weight(&rank, df, cf, n, 1);
    p->ops[p->query.n_ops++] =
        (rp__op){n > 1 ? RP_OP_PHRASE : RP_OP_TERM, role, (uint32_t)p->query.n_leaves++};
    return at;
}

static void compile(program *p, const char *text, size_t k)
{
    uint32_t open[MOST], depth = 1;
    memset(p, 0, sizeof *p);
    p->query = (rp__query){.segment = segment, .rank = &rank, .norms = norms, .lengths = lengths};
    p->query.fraction_bits = 20;
    p->query.k = k;
    p->query.end = lengths.n_docs;
    p->ops[p->query.n_ops++] = (rp__op){RP_OP_OPEN, RP_MUST, 0};
    open[0] = 0;
    p->query.depth = 1;
    for (uint8_t role = RP_SHOULD; *text; text++) {
        uint32_t n = (uint32_t)p->query.n_ops;
        if (*text == '+' || *text == '-') {
            role = *text == '+' ? RP_MUST : RP_NOT;
            continue;
        }
        if (*text == '(') {
            open[depth++] = n;
            p->ops[p->query.n_ops++] = (rp__op){RP_OP_OPEN, role, 0};
            p->query.depth = depth > p->query.depth ? depth : p->query.depth;
        } else if (*text == ')') {
            rp__op *opener = &p->ops[open[--depth]];
            opener->leaf = n;
            p->ops[p->query.n_ops++] = (rp__op){RP_OP_CLOSE, opener->role, open[depth]};
        } else if (*text != ' ') {
            text = put_leaf(p, text, role);
        }
        role = RP_SHOULD;
    }
    p->ops[0].leaf = (uint32_t)p->query.n_ops;
    p->ops[p->query.n_ops++] = (rp__op){RP_OP_CLOSE, RP_MUST, 0};
    p->query.ops = p->ops;
    p->query.leaves = p->leaves;
    p->query.words = p->words;
}

/* ---- The plain evaluation -------------------------------------------------------------------- */

typedef struct state_of_group {
    bool has_must, all_must, any_should, any_not;
    uint32_t fixed;
} state_of_group;

static void fold(state_of_group *g, uint8_t role, bool matches, uint32_t fixed)
{
    if (role == RP_NOT) {
        g->any_not |= matches;
        return;
    }
    if (role == RP_MUST) {
        g->has_must = true;
        g->all_must &= matches;
    } else {
        g->any_should |= matches;
    }
    g->fixed += matches ? fixed : 0;
}

static bool matches_doc(const program *p, uint32_t doc, uint32_t *fixed)
{
    state_of_group groups[MOST];
    size_t n = 0;
    char text[256];
    float norm = rp__rank_norm(&rank, write_text(doc, text));
    for (size_t i = 0; i < p->query.n_ops; i++) {
        const rp__op *op = &p->ops[i];
        if (op->kind == RP_OP_OPEN) {
            groups[n++] = (state_of_group){.all_must = true};
            continue;
        }
        if (op->kind == RP_OP_CLOSE) {
            const state_of_group *g = &groups[--n];
            bool matches = !g->any_not && (g->has_must ? g->all_must : g->any_should);
            *fixed = g->fixed;
            if (n == 0)
                return matches;
            fold(&groups[n - 1], op->role, matches, g->fixed);
            continue;
        }
        const rp__leaf *leaf = &p->leaves[op->leaf];
        uint32_t x = (uint32_t)(p->words[leaf->word].text[0] - 'a'), tf = 0;
        uint32_t y = leaf->n_words > 1 ? (uint32_t)(p->words[leaf->word + 1].text[0] - 'a') : x;
        if (x < LETTERS && y < LETTERS)
            tf = leaf->n_words > 1 ? phrase_tf(doc, x, y) : tf_of(doc, x);
        fold(&groups[n - 1], op->role, tf > 0,
             rp__rank_contribution(RP_RANK_BM25, &leaf->weight, norm, tf, 20));
    }
    return false;
}

/* Every row that applies gives the plain answer; returns how many did. */
static size_t check(const char *text, size_t k)
{
    program p;
    compile(&p, text, k);
    rp__scored *room = calloc(rp__topk_room(k) + 1, sizeof *room);
    rp__topk want;
    uint64_t total = 0;
    rp__topk_init(&want, room, k);
    for (uint32_t d = 0; d < DOCS; d++) {
        uint32_t fixed;
        if (!matches_doc(&p, d, &fixed))
            continue;
        rp__topk_push(&want, fixed, d);
        total++;
    }
    rp__topk_finish(&want);
    const rp__algorithm *row;
    size_t n_rows = 0;
    for (size_t i = 0; (row = rp__algorithm_at(i)); i++) {
        if (!row->applies(&p.query))
            continue;
        rp_error err = {.text = ""};
        rp__arena arena;
        rp__answer got;
        rp__arena_init(&arena, 64 << 20);
        n_rows++;
        if (rp__cpu_run_by(row, &p.query, &arena, &got, &err) != RP_OK)
            fail_msg("%s by %s: %s", text, row->name, err.text);
        bool is_right =
            got.total_is_exact ? got.total == total : got.total <= total && got.total >= got.n;
        if (!is_right || got.n != want.n || (got.total_is_exact && row->prunes))
            fail_msg("%s by %s: %zu of %d, not %zu of %d", text, row->name, got.n, (int)got.total,
                     want.n, (int)total);
        for (size_t j = 0; j < got.n; j++)
            if (got.at[j].docid != want.at[j].docid || got.at[j].fixed != want.at[j].fixed)
                fail_msg("%s by %s: hit %zu is %u scoring %u, not %u scoring %u", text, row->name,
                         j, got.at[j].docid, got.at[j].fixed, want.at[j].docid, want.at[j].fixed);
        rp__arena_reset(&arena);
    }
    free(room);
    return n_rows;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void flat_queries_have_two_algorithms(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a",     "g",     "h",        "b c",   "f g",      "a b c d e f", "g h", "b b",  "h z",
        "+a +b", "+f +a", "+e +c +b", "+g +h", "+b +b +c", "+h +z",       "+a",  "d d d"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t k = 1; k <= 1000; k *= 10)
            assert_true(check(texts[i], k) >= 2);
}

static void trees_match_the_plain_evaluation(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "+b c -d",
        "b c -a",
        "+a +(f g)",
        "+(b c) +(d e) -f",
        "(+b +c) (+d +e)",
        "+h b c",
        "+(+g b) a",
        "-f (b -(c d)) +d",
        "+a -h",
        "f -(+b +c)",
        "+e (f (g (h (+b +c))))",
        "+(e z) -z",
        "+z a",
        "-z f",
        "+d +(a -(b -(c -d)))",
        "h (f +h)",
        "+f b c d e",
        "(a b) (a b)",
        "+g -(a)",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t k = 1; k <= 1000; k *= 10)
            assert_true(check(texts[i], k) >= 1);
}

static void flat_groups_have_two_algorithms(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "+b c -d",     "+h b c",           "+a -h",       "+z a",
        "-z f",        "+f b c d e",       "+c -z d",     "b -b",
        "+b -b a",     "+a_b +c",          "+f -a_b",     "+h +a_b e_h",
        "-a_b b",      "+a_a +b_b",        "+c a_b d_e",  "+z_a b",
        "+b -a_z z_a", "+a_b +c_d -e_f g", "a_b -c -d_e", "+a_b +b_c +c_d",
        "+h_a +b",     "+b_h -a_b"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t k = 0; k <= 1000; k = k ? 10 * k : 1)
            assert_int_equal(check(texts[i], k), 2);
}

static void phrases_match_the_plain_evaluation(void **state)
{
    (void)state;
    static const char *const texts[] = {"d a_b", "+(a_b c_d) b", "a_b c_d -e", "+(+a_b c) d"};
    static const char *const alone[] = {"a_b", "b_a", "a_a", "a_h", "g_h", "+c_b", "a_z", "z_z"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(check(texts[i], 10), 1);
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
        for (size_t k = 0; k <= 1000; k = k ? 10 * k : 1)
            assert_int_equal(check(alone[i], k), 3);
}

static void no_hits_wanted_still_counts(void **state)
{
    (void)state;
    check("b c", 0);
    check("+b +c", 0);
    check("+b -c", 0);
}

static rp_status run(const program *p, size_t arena_bytes, rp__answer *answer, rp_error *err)
{
    rp__arena arena;
    rp__arena_init(&arena, arena_bytes);
    rp_status status = rp__backend_find("cpu")->run(NULL, &p->query, &arena, answer, err);
    rp__arena_reset(&arena);
    return status;
}

static void rare_words_keep_lists_from_being_read(void **state)
{
    (void)state;
    program p;
    rp__answer answer;
    compile(&p, "+h +a", 10);
    assert_int_equal(run(&p, 64 << 20, &answer, NULL), RP_OK);
    assert_true(answer.postings < DOCS / 10);
    compile(&p, "+h +(a b) c", 10);
    assert_int_equal(run(&p, 64 << 20, &answer, NULL), RP_OK);
    assert_true(answer.postings < DOCS / 2);
}

static void any_lack_of_memory_is_told(void **state)
{
    (void)state;
    static const char *const texts[] = {"a b", "+a +b", "+a_b -(c d)", "+a_b -c d_e", "a_b"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        program p;
        rp__answer answer;
        rp_status status = RP_NO_MEMORY;
        compile(&p, texts[i], 10);
        for (size_t bytes = 64; status != RP_OK; bytes += 192) {
            rp_error err = {.text = ""};
            status = run(&p, bytes, &answer, &err);
            assert_true(status == RP_OK || (status == RP_NO_MEMORY && err.text[0]));
            assert_true(bytes < 1 << 20);
        }
    }
}

static void damage_names_the_word(void **state)
{
    (void)state;
    static const char *const texts[] = {"a b", "+a +b", "+a -b", "a_b", "+a b -c", "+(a b) c"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        program p;
        rp__answer answer;
        rp_error err = {.text = ""};
        compile(&p, texts[i], 10);
        p.words[1].term.list_offset = UINT64_MAX / 2;
        assert_int_equal(run(&p, 64 << 20, &answer, &err), RP_DAMAGED);
        assert_non_null(strstr(err.text, "\"b\""));
        compile(&p, texts[i], 10);
        p.words[1].term.list_offset = p.words[0].term.list_offset; /* the bytes of another list */
        p.words[1].term.list_bytes = p.words[0].term.list_bytes;
        rp_status status = run(&p, 64 << 20, &answer, &err);
        assert_true(status == RP_OK || status == RP_DAMAGED);
    }
}

static void nothing_matches_an_empty_program(void **state)
{
    (void)state;
    program p;
    rp__answer answer;
    compile(&p, "a", 10);
    p.query.n_ops = 0;
    assert_int_equal(run(&p, 64 << 20, &answer, NULL), RP_OK);
    assert_int_equal(answer.n, 0);
    assert_int_equal(answer.total, 0);
    assert_true(answer.total_is_exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_queries_have_two_algorithms),
        cmocka_unit_test(trees_match_the_plain_evaluation),
        cmocka_unit_test(flat_groups_have_two_algorithms),
        cmocka_unit_test(phrases_match_the_plain_evaluation),
        cmocka_unit_test(no_hits_wanted_still_counts),
        cmocka_unit_test(rare_words_keep_lists_from_being_read),
        cmocka_unit_test(any_lack_of_memory_is_told),
        cmocka_unit_test(damage_names_the_word),
        cmocka_unit_test(nothing_matches_an_empty_program),
    };
    return cmocka_run_group_tests(tests, open_collection, close_collection);
}
