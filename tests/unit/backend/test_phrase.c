/* test_phrase.c: phrase matches by hand, and against a search through all positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "backend/backend.h"

enum { WORDS = 5, MOST = 24 };

static uint32_t count(uint32_t (*at)[MOST], const uint32_t *n, const uint32_t *offsets,
                      uint32_t n_words, uint32_t slop)
{
    const uint32_t *rows[WORDS];
    uint32_t scratch[2 * WORDS];
    for (uint32_t w = 0; w < n_words; w++)
        rows[w] = at[w];
    return rp__phrase_count(rows, n, offsets, n_words, slop, scratch);
}

static void exact_phrases_stand_at_their_offsets(void **state)
{
    (void)state;
    /* a b a b x a . b */
    uint32_t at[2][MOST] = {{0, 2, 5}, {1, 3, 7}}, n[2] = {3, 3};
    assert_int_equal(count(at, n, (uint32_t[]){0, 1}, 2, 0), 2);
    assert_int_equal(count(at, n, (uint32_t[]){0, 2}, 2, 0), 1); /* a stop word between */
    assert_int_equal(count(at, n, (uint32_t[]){0, 4}, 2, 0), 0);
    assert_int_equal(count(at, n, (uint32_t[]){0}, 1, 0), 3);
}

static void a_missing_word_is_no_match(void **state)
{
    (void)state;
    uint32_t at[2][MOST] = {{0, 2}, {0}};
    assert_int_equal(count(at, (uint32_t[]){2, 0}, (uint32_t[]){0, 1}, 2, 0), 0);
    assert_int_equal(count(at, (uint32_t[]){2, 0}, (uint32_t[]){0, 1}, 2, 9), 0);
    assert_int_equal(count(at, (uint32_t[]){0, 1}, (uint32_t[]){0, 1}, 2, 9), 0);
}

static void slop_is_the_sum_of_distances(void **state)
{
    (void)state;
    /* a . b . . c: b is one late, c is three late */
    uint32_t at[3][MOST] = {{10}, {12}, {15}}, n[3] = {1, 1, 1};
    assert_int_equal(count(at, n, (uint32_t[]){0, 1, 2}, 3, 3), 0);
    assert_int_equal(count(at, n, (uint32_t[]){0, 1, 2}, 3, 4), 1);
    /* the other way round: "b a" where a b stands: two steps back */
    uint32_t swapped[2][MOST] = {{5}, {4}};
    assert_int_equal(count(swapped, n, (uint32_t[]){0, 1}, 2, 1), 0);
    assert_int_equal(count(swapped, n, (uint32_t[]){0, 1}, 2, 2), 1);
}

static void a_position_serves_one_word_only(void **state)
{
    (void)state;
    /* "a a" over one a, and over two that stand apart */
    uint32_t once[2][MOST] = {{3}, {3}};
    assert_int_equal(count(once, (uint32_t[]){1, 1}, (uint32_t[]){0, 1}, 2, 100), 0);
    uint32_t twice[2][MOST] = {{3, 6}, {3, 6}};
    assert_int_equal(count(twice, (uint32_t[]){2, 2}, (uint32_t[]){0, 1}, 2, 1), 0);
    assert_int_equal(count(twice, (uint32_t[]){2, 2}, (uint32_t[]){0, 1}, 2, 2), 1); /* 3, then 6 */
    assert_int_equal(count(twice, (uint32_t[]){2, 2}, (uint32_t[]){0, 1}, 2, 4), 2);
}

static void positions_at_the_end_of_their_range_do_not_wrap(void **state)
{
    (void)state;
    uint32_t at[2][MOST] = {{UINT32_MAX - 1}, {0}}, n[2] = {1, 1};
    assert_int_equal(count(at, n, (uint32_t[]){0, 2}, 2, 0), 0);
    assert_int_equal(count(at, n, (uint32_t[]){0, 2}, 2, 10000), 0);
}

/* The definition of backend.h, word for word, with no thought for time. */
static uint32_t count_slowly(uint32_t (*at)[MOST], const uint32_t *n, const uint32_t *offsets,
                             uint32_t n_words, uint32_t slop)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n[0]; i++) {
        int64_t sum = 0;
        uint32_t picks[WORDS] = {at[0][i]};
        for (uint32_t w = 1; w < n_words && sum <= slop; w++) {
            int64_t best = INT32_MAX, target = (int64_t)at[0][i] + offsets[w];
            for (uint32_t j = 0; j < n[w]; j++) {
                int is_free = 1;
                for (uint32_t p = 0; p < w; p++)
                    is_free &= picks[p] != at[w][j];
                if (is_free && llabs((int64_t)at[w][j] - target) < best) {
                    best = llabs((int64_t)at[w][j] - target);
                    picks[w] = at[w][j]; /* overwritten by nearer ones only */
                }
            }
            sum += best;
        }
        found += sum <= slop;
    }
    return found;
}

/* An exact phrase by its words in another order. */
static uint32_t count_by_words(uint32_t (*at)[MOST], const uint32_t *n, const uint32_t *offsets,
                               uint32_t n_words)
{
    uint32_t starts[MOST], first = (uint32_t)rand() % n_words;
    uint32_t left = rp__phrase_begin(at[first], n[first], offsets[first], starts);
    for (uint32_t i = 1; i < n_words; i++) {
        uint32_t w = (first + i) % n_words;
        left = rp__phrase_narrow(starts, left, at[w], n[w], offsets[w]);
    }
    return left;
}

static void agrees_with_a_search_through_all_positions(void **state)
{
    (void)state;
    srand(3);
    uint64_t matches = 0;
    for (int round = 0; round < 50000; round++) {
        uint32_t at[WORDS][MOST], n[WORDS], offsets[WORDS] = {0};
        uint32_t n_words = 1 + (uint32_t)rand() % WORDS, slop = (uint32_t)rand() % 12;
        uint32_t span =
            8 + (uint32_t)rand() % 32; /* few positions, or more than are compared at once */
        for (uint32_t w = 0; w < n_words; w++) {
            n[w] = 0;
            for (uint32_t p = 0; p < span && n[w] < MOST; p++)
                if (rand() % 3)
                    at[w][n[w]++] = p;
            if (w && rand() % 4 == 0) /* the same word again */
                for (n[w] = 0; n[w] < n[w - 1]; n[w]++)
                    at[w][n[w]] = at[w - 1][n[w]];
            if (w)
                offsets[w] = offsets[w - 1] + 1 + (uint32_t)rand() % 2;
        }
        slop *= rand() % 2 != 0;
        uint32_t want = count_slowly(at, n, offsets, n_words, slop);
        assert_int_equal(count(at, n, offsets, n_words, slop), want);
        if (slop == 0)
            assert_int_equal(count_by_words(at, n, offsets, n_words), want);
        matches += want;
    }
    assert_true(matches > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_phrases_stand_at_their_offsets),
        cmocka_unit_test(a_missing_word_is_no_match),
        cmocka_unit_test(slop_is_the_sum_of_distances),
        cmocka_unit_test(a_position_serves_one_word_only),
        cmocka_unit_test(positions_at_the_end_of_their_range_do_not_wrap),
        cmocka_unit_test(agrees_with_a_search_through_all_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
