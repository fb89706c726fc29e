/* test_wildcard.c: which terms fit, against a table of what fits what. */
#include "plan/wildcard.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

#include "base/utf8.h"
#include "oracle/chance.h"

static rp__analyzer *analyzer;
static rp__analyzer_state *state_of;

static int set_up(void **state)
{
    (void)state;
    rp__text_options options = {.stem = "none", .stop_words = ""};
    return rp__analyzer_open(&options, &analyzer, NULL) != RP_OK ||
           rp__analyzer_state_new(analyzer, &state_of) != RP_OK;
}

static int tear_down(void **state)
{
    (void)state;
    rp__analyzer_state_free(state_of);
    rp__analyzer_close(analyzer);
    return 0;
}

static bool fits(const char *word, const char *term)
{
    static rp__wildcard w;
    rp__wildcard_init(&w, state_of, word, strlen(word));
    return rp__wildcard_fits(&w, term, strlen(term));
}

/* The plain reference: fit[i][j], the first i bytes of the pattern fit the first j of the term. */
static bool fits_plainly(const char *word, const char *term)
{
    static bool fit[64][64];
    size_t n = strlen(word), m = strlen(term);
    memset(fit, 0, sizeof fit);
    fit[0][0] = true;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= m; j++) {
            uint32_t len = j < m ? rp__utf8_valid(term + j, m - j) : 0;
            if (!fit[i][j])
                continue;
            if (word[i] == '*')
                for (size_t k = j;; k += rp__utf8_valid(term + k, m - k)) {
                    fit[i + 1][k] = true;
                    if (k == m)
                        break;
                }
            else if (word[i] == '?' && j < m)
                fit[i + 1][j + len] = true;
            else if (j < m && word[i] == term[j])
                fit[i + 1][j + 1] = true;
        }
    return fit[n][m];
}

static void test_examples(void **state)
{
    (void)state;
    assert_true(fits("wor?d", "world"));
    assert_false(fits("wor?d", "word"));
    assert_false(fits("wor?d", "worlds"));
    assert_true(fits("w*d", "wd"));
    assert_true(fits("w*d", "wooded"));
    assert_false(fits("w*d", "woods"));
    assert_true(fits("W*D", "word"));
    assert_true(fits("n?ve", "n\xC3\xA9ve"));
    assert_false(fits("n??ve", "n\xC3\xA9ve"));
    assert_true(fits("a\\*b?", "a*bc"));
    assert_false(fits("a\\*b?", "axbc"));
    assert_true(fits("a?*", "ab"));
    assert_false(fits("a?*", "a"));
    assert_true(fits("a*b*c*d", "abbccbcd"));
}

static void test_against_a_table(void **state)
{
    (void)state;
    static const char *const letters[] = {"a", "b", "\xC3\xA9", "*", "?"};
    chance_seed(7);
    size_t n_fit = 0;
    for (int i = 0; i < 200000; i++) {
        char word[64] = "", term[64] = "";
        size_t n = 1 + chance_below(7), m = chance_below(9);
        for (size_t j = 0; j < n; j++)
            strcat(word, letters[chance_below(5)]);
        for (size_t j = 0; j < m; j++)
            strcat(term, letters[chance_below(3)]);
        bool want = fits_plainly(word, term);
        n_fit += want;
        if (fits(word, term) != want)
            fail_msg("%s %s %s", word, want ? "fits" : "does not fit", term);
    }
    assert_true(n_fit > 10000);
}

static void test_first_bytes(void **state)
{
    (void)state;
    rp__wildcard w;
    rp__wildcard_init(&w, state_of, "Wor?d*", 6);
    assert_int_equal(w.n_first, 3);
    assert_int_equal(w.n, 6);
    rp__wildcard_init(&w, state_of, "caf\xC3\xA9*x", 7);
    assert_int_equal(w.n_first, 5);
}

static void test_longer_than_any_term(void **state)
{
    (void)state;
    static char word[70000], term[256];
    rp__wildcard w;
    memset(word, 'a', sizeof word);
    word[0] = 'a';
    word[1] = '?';
    memset(term, 'a', 255);
    rp__wildcard_init(&w, state_of, word, sizeof word);
    assert_false(rp__wildcard_fits(&w, term, 255));
    memset(word + 1, '?', sizeof word - 1);
    rp__wildcard_init(&w, state_of, word, sizeof word);
    assert_false(rp__wildcard_fits(&w, term, 255));
    rp__wildcard_init(&w, state_of, word, 255);
    assert_true(rp__wildcard_fits(&w, term, 255));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_against_a_table),
        cmocka_unit_test(test_first_bytes),
        cmocka_unit_test(test_longer_than_any_term),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
