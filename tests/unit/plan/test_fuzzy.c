/* test_fuzzy.c: the automaton against the table of distances, over terms in order and in any order. */
#include "plan/fuzzy.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "oracle/chance.h"

enum { TERMS = 3000, WORDS = 150, CODES = 300 };

typedef struct term {
    char text[256];
    size_t bytes;
} term;

/* ---- The plain reference --------------------------------------------------------------------- */

static size_t decode(const char *text, size_t bytes, uint32_t *codes)
{
    size_t n = 0;
    for (size_t at = 0; at < bytes; n++) {
        uint32_t len = rp__utf8_valid(text + at, bytes - at);
        codes[n] = len ? rp__utf8_decode(text + at, &len) : 0x110000U + (unsigned char)text[at];
        at += len ? len : 1;
    }
    return n;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    static uint32_t x[CODES], y[CODES], table[CODES][CODES];
    size_t n = decode(a, a_bytes, x), m = decode(b, b_bytes, y);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++)
            table[i][j] = i == 0   ? (uint32_t)j
                          : j == 0 ? (uint32_t)i
                                   : least(least(table[i - 1][j], table[i][j - 1]) + 1,
                                           table[i - 1][j - 1] + (x[i - 1] != y[j - 1]));
    return table[n][m];
}

/* ---- Terms by chance ------------------------------------------------------------------------- */

/* Few letters, so that many words are near each other; some of several bytes, some that are none. */
static void make_term(term *t, size_t most, bool has_bad)
{
    static const char *const letters[] = {"a", "b", "c", "d", "\xC3\xA9", "\xE6\xBC\xA2", "z"};
    size_t n = 1 + chance_below(most);
    t->bytes = 0;
    for (size_t i = 0; i < n; i++) {
        const char *letter = letters[chance_below(sizeof letters / sizeof *letters)];
        if (has_bad && chance_below(10) == 0) {
            t->text[t->bytes++] = "\xC3\xA9\xE6\xBC\xFF"[chance_below(5)];
            continue;
        }
        memcpy(t->text + t->bytes, letter, strlen(letter));
        t->bytes += strlen(letter);
    }
}

static int by_bytes(const void *a, const void *b)
{
    const term *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->bytes < y->bytes ? x->bytes : y->bytes);
    return order ? order : x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Every term's distance is right, and no term that was ruled out is near. */
static void compare(const term *terms, const char *word, size_t bytes, uint32_t edits)
{
    static rp__fuzzy f;
    assert_true(rp__fuzzy_init(&f, word, bytes, edits));
    for (size_t i = 0; i < TERMS; i++) {
        size_t dead;
        uint32_t want = distance(word, bytes, terms[i].text, terms[i].bytes);
        uint32_t got = rp__fuzzy_distance(&f, terms[i].text, terms[i].bytes, &dead);
        assert_int_equal(got, want <= edits ? want : edits + 1);
        assert_true(dead <= terms[i].bytes);
        for (size_t j = 0; dead > 0 && i % 37 == 0 && j < TERMS; j++)
            if (terms[j].bytes >= dead && !memcmp(terms[j].text, terms[i].text, dead))
                assert_true(distance(word, bytes, terms[j].text, terms[j].bytes) > edits);
    }
}

static void compare_all(uint64_t seed, size_t most, bool has_bad, bool is_sorted)
{
    static term terms[TERMS];
    term word;
    chance_seed(seed);
    for (size_t i = 0; i < TERMS; i++)
        make_term(&terms[i], most, has_bad);
    if (is_sorted)
        qsort(terms, TERMS, sizeof *terms, by_bytes);
    for (size_t i = 0; i < WORDS; i++) {
        make_term(&word, most, has_bad);
        compare(terms, word.text, word.bytes, 1 + (uint32_t)(i % 2));
    }
}

static void test_sorted(void **state)
{
    (void)state;
    compare_all(1, 6, false, true);
    compare_all(2, 9, false, true);
}

static void test_any_order(void **state)
{
    (void)state;
    compare_all(3, 7, false, false);
}

static void test_bytes_that_are_no_characters(void **state)
{
    (void)state;
    compare_all(4, 6, true, true);
    compare_all(5, 6, true, false);
}

static void test_edges(void **state)
{
    (void)state;
    static rp__fuzzy f;
    char longest[RP_FUZZY_CODES + 1], terms[255];
    size_t dead;
    memset(longest, 'a', sizeof longest);
    memset(terms, 'a', sizeof terms);
    assert_false(rp__fuzzy_init(&f, longest, sizeof longest, 2));
    assert_true(rp__fuzzy_init(&f, longest, RP_FUZZY_CODES, 2));
    for (size_t n = 1; n <= sizeof terms; n++)
        assert_int_equal(rp__fuzzy_distance(&f, terms, n, &dead),
                         n < RP_FUZZY_CODES - 2 || n > RP_FUZZY_CODES + 2 ? 3
                         : n < RP_FUZZY_CODES                             ? RP_FUZZY_CODES - n
                                                                          : n - RP_FUZZY_CODES);
    assert_true(rp__fuzzy_init(&f, "a", 1, 2));
    assert_int_equal(rp__fuzzy_distance(&f, "b", 1, &dead), 1);
    assert_int_equal(rp__fuzzy_distance(&f, "bcd", 3, &dead), 3);
    assert_int_equal(rp__fuzzy_distance(&f, "bca", 3, &dead), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorted),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_bytes_that_are_no_characters),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
