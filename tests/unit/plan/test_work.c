/* test_work.c: the work of queries by hand; and that phrases, however their words repeat, take no more
 * positions and comparisons than it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "oracle/chance.h"
#include "plan/plan.h"

/* ---- Queries without an index ------------------------------------------------------------------ */

enum { DOCS = 4000, OPS = 4096, PHRASE = 64 };

static rp__op ops[OPS];
static rp__leaf leaves[OPS];
static rp__word words[OPS];
static rp__query query;

static void put(uint8_t kind, uint8_t role, uint32_t leaf)
{
    ops[query.n_ops++] = (rp__op){kind, role, leaf};
}

static void begin(uint32_t docs)
{
    query = (rp__query){.ops = ops, .leaves = leaves, .words = words, .depth = 2, .k = 10};
    query.lengths.n_docs = docs;
    put(RP_OP_OPEN, RP_MUST, 0);
}

static void add_word(uint32_t df, uint64_t cf)
{
    words[query.n_words++] = (rp__word){.term = {.df = df, .cf = cf}};
}

static void term(uint8_t role, uint32_t df)
{
    leaves[query.n_leaves] = (rp__leaf){.word = (uint32_t)query.n_words, .n_words = 1};
    add_word(df, df);
    put(RP_OP_TERM, role, (uint32_t)query.n_leaves++);
}

/* Of words that add_word is called for next. */
static void phrase(uint8_t role, uint32_t n, uint32_t slop)
{
    leaves[query.n_leaves] =
        (rp__leaf){.word = (uint32_t)query.n_words, .n_words = n, .slop = slop};
    put(RP_OP_PHRASE, role, (uint32_t)query.n_leaves++);
}

static uint64_t measure(void)
{
    rp__arena arena;
    uint64_t work = 0;
    rp__arena_init(&arena, 1 << 20);
    assert_int_equal(rp__work_bound(&query, &arena, &work), RP_OK);
    rp__arena_reset(&arena);
    return work;
}

static uint64_t end(void)
{
    put(RP_OP_CLOSE, RP_MUST, 0);
    return measure();
}

/* Terms of one role. */
static uint64_t flat(uint8_t role, size_t n, const uint32_t *dfs)
{
    begin(DOCS);
    for (size_t i = 0; i < n; i++)
        term(role, dfs[i]);
    return end();
}

/* ---- By hand ----------------------------------------------------------------------------------- */

static void an_or_is_its_lists(void **state)
{
    (void)state;
    assert_int_equal(flat(RP_SHOULD, 1, (const uint32_t[]){10}), 10 + 4);
    assert_int_equal(flat(RP_SHOULD, 3, (const uint32_t[]){10, 20, 30}), 60 + 3 * 4);
    assert_int_equal(flat(RP_SHOULD, 2, (const uint32_t[]){10, 0}), 10 + 4);
}

static void an_and_is_searches_for_its_shortest_list(void **state)
{
    (void)state;
    assert_int_equal(flat(RP_MUST, 3, (const uint32_t[]){12, 20, 4000}),
                     3 * 12 + 12 / 4 + 20 / 4 + 12 * 256 / 4);
    assert_int_equal(flat(RP_MUST, 2, (const uint32_t[]){4000, 0}), 0);
}

static void what_is_optional_or_excluded_is_searched_for_too(void **state)
{
    (void)state;
    for (uint8_t role = RP_SHOULD; role <= RP_NOT; role++) {
        begin(DOCS);
        term(RP_MUST, 8);
        term(role, 4000);
        assert_int_equal(end(), 8 + 8 / 4 + 8 + 8 * 256 / 4);
    }
}

static void many_hits_cost_by_the_match(void **state)
{
    (void)state;
    begin(DOCS);
    term(RP_SHOULD, 100);
    query.k = 64;
    assert_int_equal(end(), 104);
    query.k = 65;
    assert_int_equal(measure(), 104 + 200);
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What an OR's lists cost, and their windows. */
static uint64_t or_by_hand(uint32_t docs, size_t n, const uint32_t *dfs)
{
    uint64_t size = 0, work = 0;
    for (size_t i = 0; i < n; i++)
        size += dfs[i];
    size = least_of(size, docs);
    const uint64_t windows = least_of(size, docs / 4096 + 1);
    for (size_t i = 0; i < n; i++)
        work += dfs[i] + 4 * least_of(dfs[i], windows) + windows / 4;
    return work + (query.k > 64 ? 2 * size : 0);
}

/* An AND or an OR of words has a way of its own. Another word, excluded and in no document, sends an AND the
 * long way and costs a search for each candidate, and its visits. */
static void words_alone_weigh_as_among_others(void **state)
{
    (void)state;
    enum { TURNS = 3000, MOST = 8 };
    chance_seed(21);
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        uint32_t dfs[MOST], least = UINT32_MAX;
        const uint32_t docs = 1 + (uint32_t)chance_below(UINT64_C(2) << chance_below(24));
        const uint8_t role = turn % 2 ? RP_MUST : RP_SHOULD;
        const size_t n = 1 + chance_below(MOST);
        begin(docs);
        query.k = turn % 3 ? 10 : 1000;
        for (size_t i = 0; i < n; i++) {
            dfs[i] = (uint32_t)chance_below(docs + UINT64_C(1));
            least = dfs[i] < least ? dfs[i] : least;
            term(role, dfs[i]);
        }
        const uint64_t alone = end();
        if (role == RP_SHOULD) {
            assert_int_equal(alone, or_by_hand(docs, n, dfs));
            continue;
        }
        query.n_ops--;
        term(RP_NOT, 0);
        assert_int_equal(end(), alone + least + least_of(least, docs / 4096 + 1) / 4);
    }
}

/* Each group has accumulators in every window: few postings do not make it cheap. */
static void groups_cost_by_the_window(void **state)
{
    (void)state;
    enum { GROUPS = 500, MILLIONS = 40960000 };
    begin(MILLIONS);
    for (size_t i = 0; i < GROUPS; i++) {
        put(RP_OP_OPEN, RP_SHOULD, (uint32_t)query.n_ops + 3);
        term(RP_MUST, 10001);
        term(RP_MUST, 10001);
        put(RP_OP_CLOSE, RP_SHOULD, (uint32_t)query.n_ops - 3);
    }
    uint64_t work = end(), windows = MILLIONS / 4096 + 1;
    assert_true(work >= (GROUPS + 1) * windows * 128);
    assert_true(work <= (GROUPS + 1) * windows * 160);
}

/* The MUST of a group outside bounds the lists of one inside. */
static void a_lead_reaches_into_groups(void **state)
{
    (void)state;
    begin(1 << 24);
    term(RP_MUST, 10);
    put(RP_OP_OPEN, RP_MUST, (uint32_t)query.n_ops + 3);
    term(RP_SHOULD, 10000000);
    term(RP_SHOULD, 10000000);
    put(RP_OP_CLOSE, RP_MUST, (uint32_t)query.n_ops - 3);
    assert_true(end() < 2 * 10 * 4096 + 10 * 400);
}

static void sums_do_not_wrap(void **state)
{
    (void)state;
    begin(UINT32_MAX);
    for (uint32_t i = 0; i < 16; i++) {
        phrase(RP_SHOULD, PHRASE, 1);
        for (uint32_t w = 0; w < PHRASE; w++)
            add_word(UINT32_MAX, UINT64_MAX);
    }
    assert_int_equal(end(), UINT64_MAX);
}

static void the_limit_is_what_passes(void **state)
{
    (void)state;
    rp_search_options options = {.max_work = 7};
    rp_error err = {.text = ""};
    assert_int_equal(rp__work_limit(7, &options, &err), RP_OK);
    assert_int_equal(rp__work_limit(8, &options, &err), RP_LIMIT);
    assert_string_equal(err.text,
                        "the query's work is 8, more than 7; use rarer words, shorter phrases "
                        "or less slop, or raise --max-work");
}

static void no_memory_is_told(void **state)
{
    (void)state;
    rp__arena arena;
    uint64_t work;
    begin(DOCS);
    term(RP_MUST, 10);
    term(RP_SHOULD, 10);
    end();
    rp__arena_init(&arena, 8);
    assert_int_equal(rp__work_bound(&query, &arena, &work), RP_NO_MEMORY);
    rp__arena_reset(&arena);
}

/* ---- What phrases take ------------------------------------------------------------------------- */

enum { MOST = 200 }; /* positions of a word in a document */

typedef struct document {
    uint32_t at[PHRASE][MOST], n[PHRASE];
} document;

typedef struct taken {
    uint64_t positions, comparisons;
} taken;

static const uint32_t *at[PHRASE];
static uint32_t offsets[PHRASE], scratch[2 * PHRASE];

/* The definition of backend.h once more, counting. */
static uint32_t count_sloppy(const document *d, uint32_t n_words, uint32_t slop, taken *t)
{
    uint32_t count = 0, picks[PHRASE];
    for (uint32_t i = 0; i < d->n[0]; i++) {
        uint64_t left = slop;
        uint32_t w = 1;
        picks[0] = d->at[0][i];
        for (; w < n_words; w++) {
            uint64_t target = (uint64_t)picks[0] + offsets[w];
            uint32_t right = 0, lower, is_found = 0;
            while (right < d->n[w] && d->at[w][right] < target)
                right++;
            for (lower = right; !is_found && (lower > 0 || right < d->n[w]);) {
                uint64_t below = lower > 0 ? target - d->at[w][lower - 1] : UINT64_MAX;
                uint64_t above = right < d->n[w] ? d->at[w][right] - target : UINT64_MAX;
                uint32_t v = 0, position = below <= above ? d->at[w][--lower] : d->at[w][right++];
                while (v < w && picks[v] != position)
                    v++;
                t->comparisons += v < w ? v + 1 : w;
                is_found = v == w;
                picks[w] = position;
                left -= is_found && below <= above ? below : is_found ? above : 0;
            }
            if (!is_found || left > slop)
                break;
        }
        count += w == n_words;
    }
    return count;
}

/* Starts that the first word in `order` allows, then those that the next one does. */
static void narrow(const document *d, const uint32_t *order, uint32_t n_words, taken *t)
{
    uint32_t starts[MOST], n = d->n[order[0]];
    memcpy(starts, d->at[order[0]], sizeof starts);
    for (uint32_t i = 1; i < n_words; i++) {
        uint32_t kept = 0, j = 0, w = order[i];
        for (uint32_t s = 0; s < n; s++) {
            uint64_t target = (uint64_t)starts[s] + offsets[w] - offsets[order[0]];
            for (; j < d->n[w] && d->at[w][j] < target; j++)
                t->comparisons++;
            t->comparisons++;
            starts[kept] = starts[s];
            kept += j < d->n[w] && d->at[w][j] == target;
        }
        n = kept;
    }
}

/* Positions that rise; dense ones make words meet. */
static void fill(document *d, uint32_t n_words, uint32_t most, uint32_t step, bool is_one_word)
{
    for (uint32_t w = 0; w < n_words; w++) {
        uint32_t position = (uint32_t)chance_below(step);
        d->n[w] = 1 + (uint32_t)chance_below(most);
        for (uint32_t i = 0; i < d->n[w]; i++, position += 1 + (uint32_t)chance_below(step))
            d->at[w][i] = position;
        if (w > 0 && is_one_word)
            d->n[w] = d->n[0], memcpy(d->at[w], d->at[0], sizeof d->at[0]);
    }
}

/* Documents that all hold the phrase's words, and others that hold some. */
static void check_phrase(uint32_t n_words, uint32_t most, uint32_t step, uint32_t slop)
{
    static document d;
    uint32_t order[PHRASE], n_docs = 1 + (uint32_t)chance_below(8);
    uint64_t cfs[PHRASE] = {0};
    bool is_one_word = chance_below(2) == 0;
    taken sloppy = {0}, exact = {0}, backward = {0};
    for (uint32_t w = 0; w < n_words; w++)
        offsets[w] = w;
    for (uint32_t i = 0; i < n_docs; i++) {
        fill(&d, n_words, most, step, is_one_word);
        for (uint32_t w = 0; w < n_words; w++) {
            cfs[w] += d.n[w];
            at[w] = d.at[w];
        }
        assert_int_equal(count_sloppy(&d, n_words, slop, &sloppy),
                         rp__phrase_count(at, d.n, offsets, n_words, slop, scratch));
        for (uint32_t w = 0; w < n_words; w++)
            order[w] = w;
        narrow(&d, order, n_words, &exact);
        for (uint32_t w = 0; w < n_words; w++)
            order[w] = n_words - 1 - w;
        narrow(&d, order, n_words, &backward);
    }
    for (uint32_t is_sloppy = 0; is_sloppy < 2; is_sloppy++) {
        begin(DOCS);
        phrase(RP_MUST, n_words, is_sloppy ? slop : 0);
        for (uint32_t w = 0; w < n_words;
             w++) { /* once each in 50 more documents, but for one word */
            bool is_rarest = w == n_words / 2;
            add_word(n_docs + (is_rarest ? 0 : 50), cfs[w] + (is_rarest ? 0 : 50));
        }
        uint64_t work = end();
        if (is_sloppy)
            assert_true(sloppy.comparisons <= 16 * work);
        assert_true(exact.comparisons <= 8 * work && backward.comparisons <= 8 * work);
    }
}

static void phrases_take_no_more(void **state)
{
    (void)state;
    chance_seed(13);
    for (size_t i = 0; i < 2000; i++) {
        uint32_t n_words = 2 + (uint32_t)chance_below(i % 10 ? 8 : PHRASE - 1);
        uint32_t most = 1 + (uint32_t)chance_below(i % 10 ? 20 : MOST);
        check_phrase(n_words, most, 1 + (uint32_t)chance_below(4),
                     1 + (uint32_t)chance_below(10000));
    }
}

/* The worst: one word again and again, side by side. The bound is near what is taken. */
static void the_worst_phrase_is_near_its_bound(void **state)
{
    (void)state;
    static document d;
    taken t = {0};
    d.n[0] = MOST;
    for (uint32_t i = 0; i < MOST; i++)
        d.at[0][i] = i;
    for (uint32_t w = 0; w < PHRASE; w++) {
        offsets[w] = 0; /* all aim at the same place */
        d.n[w] = MOST;
        memcpy(d.at[w], d.at[0], sizeof d.at[0]);
    }
    count_sloppy(&d, PHRASE, 10000, &t);
    begin(DOCS);
    phrase(RP_MUST, PHRASE, 10000);
    for (uint32_t w = 0; w < PHRASE; w++)
        add_word(1, MOST);
    uint64_t work = end();
    assert_true(t.comparisons <= 16 * work);
    assert_true(t.comparisons >= 4 * work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_or_is_its_lists),
        cmocka_unit_test(an_and_is_searches_for_its_shortest_list),
        cmocka_unit_test(what_is_optional_or_excluded_is_searched_for_too),
        cmocka_unit_test(many_hits_cost_by_the_match),
        cmocka_unit_test(words_alone_weigh_as_among_others),
        cmocka_unit_test(groups_cost_by_the_window),
        cmocka_unit_test(a_lead_reaches_into_groups),
        cmocka_unit_test(sums_do_not_wrap),
        cmocka_unit_test(the_limit_is_what_passes),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(phrases_take_no_more),
        cmocka_unit_test(the_worst_phrase_is_near_its_bound),
    };
    return cmocka_run_group_tests_name("work", tests, NULL, NULL);
}
