/* test_stemming.c: stems with their table against libstemmer alone. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <libstemmer.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "text/folding.h"
#include "text/stemming.h"
#include "text/term_hash.h"
#include "text/text.h"
#include "unit/text/samples.h"

typedef struct fixture {
    rp__stemming *ours;
    struct sb_stemmer *plain;
} fixture;

static const rp__accents no_accents;

static fixture open_both(const char *name)
{
    fixture f = {0};
    const char *algorithm = NULL;
    assert_true(rp__stemming_find(name, &algorithm));
    assert_int_equal(rp__stemming_new(algorithm, &no_accents, &f.ours), RP_OK);
    f.plain = sb_stemmer_new(name, "UTF_8");
    assert_non_null(f.plain);
    return f;
}

static void close_both(fixture *f)
{
    rp__stemming_free(f->ours);
    sb_stemmer_delete(f->plain);
}

static const char *stem(const fixture *f, const char *word, uint32_t *bytes)
{
    static char term[RP_TEXT_TERM_MAX + RP_TERM_HASH_SLACK];
    memcpy(term, word, *bytes);
    return rp__stemming_get(f->ours, term, bytes, rp__term_hash_of(term, *bytes));
}

static void assert_as_plain(const fixture *f, const char *word, uint32_t bytes)
{
    uint32_t n = bytes;
    const char *ours = stem(f, word, &n);
    const sb_symbol *plain = sb_stemmer_stem(f->plain, (const sb_symbol *)word, (int)bytes);
    size_t expected = (size_t)sb_stemmer_length(f->plain);
    if (expected == 0) { /* an empty stem leaves the word */
        plain = (const sb_symbol *)word;
        expected = bytes;
    }
    expected = rp__folding_cut((const char *)plain, expected, RP_TEXT_TERM_MAX);
    assert_int_equal(n, expected);
    assert_memory_equal(ours, plain, n);
}

static void assert_stem(const fixture *f, const char *word, const char *expected)
{
    for (int again = 0; again < 3; again++) {
        uint32_t n = (uint32_t)strlen(word);
        const char *out = stem(f, word, &n);
        assert_int_equal(n, strlen(expected));
        assert_memory_equal(out, expected, n);
    }
}

static void test_names(void **state)
{
    (void)state;
    const char *algorithm = "x";
    assert_true(rp__stemming_find("none", &algorithm));
    assert_null(algorithm);
    assert_false(rp__stemming_find("latin", &algorithm));
    assert_false(rp__stemming_find("", &algorithm));
    rp__stemming_free(NULL);
}

static void test_examples(void **state)
{
    (void)state;
    fixture f = open_both("porter");
    assert_stem(&f, "running", "run");
    assert_stem(&f, "happily", "happili");
    assert_stem(&f, "hoping", "hope");
    assert_stem(&f, "relational", "relat");
    assert_stem(&f, "s", "s");
    assert_stem(&f, "internationalizationalizations", "internationalization");
    assert_stem(&f, "été", "été");
    close_both(&f);
    f = open_both("english");
    assert_stem(&f, "dying", "die");
    assert_stem(&f, "generously", "generous");
    assert_stem(&f, "cat's", "cat");
    close_both(&f);
}

/* All that libstemmer has can be opened, and stems as libstemmer does. */
static void test_all_algorithms(void **state)
{
    (void)state;
    assert_string_equal(rp__stemming_name(0), "none");
    for (size_t i = 1; rp__stemming_name(i); i++) {
        fixture f = open_both(rp__stemming_name(i));
        for (int k = 0; k < 3000; k++) {
            char word[200];
            uint32_t n = 0;
            for (uint32_t c = 1 + sample_random(12); c > 0; c--) {
                uint32_t code =
                    sample_random(3) ? 'a' + sample_random(26) : 0xC0 + sample_random(0x1000);
                n += (uint32_t)sample_put(word + n, code);
            }
            assert_as_plain(&f, word, n);
        }
        close_both(&f);
    }
}

/* Words come with the letters that the rules mention; stems have no accents. */
static void test_stems_lose_accents(void **state)
{
    (void)state;
    assert_string_equal(rp__stemming_letters("english"), "");
    assert_string_equal(rp__stemming_letters("porter"), "");
    assert_string_equal(rp__stemming_letters("german"), "äöü");
    rp__accents all;
    rp__accents_init(&all, "");
    fixture f = {0};
    assert_int_equal(rp__stemming_new("french", &all, &f.ours), RP_OK);
    assert_stem(&f, "mangées", "mang");
    assert_stem(&f, "élections", "elect");
    assert_stem(&f, "forêt", "foret");
    rp__stemming_free(f.ours);
    assert_int_equal(rp__stemming_new("russian", &all, &f.ours), RP_OK);
    assert_stem(&f, "красивый", "красив");
    assert_stem(&f, "йод", "иод");
    rp__stemming_free(f.ours);
}

static uint32_t make_word(char *word)
{
    static const char *const roots[] = {"run",  "hop", "relat", "connect", "univers",
                                        "happ", "d",   "fl",    "vari",    "été",
                                        "日本", "x",   "",      "cat'"};
    static const char *const ends[] = {"",     "s",    "es",  "ing",  "ed",   "ation", "ational",
                                       "ally", "ness", "ies", "y",    "yed",  "ful",   "izer",
                                       "'s",   "s'",   "ion", "ment", "able", "eed",   "iviti"};
    uint32_t n = 0;
    for (uint32_t i = sample_random(3); i > 0; i--)
        word[n++] = (char)('a' + sample_random(26));
    const char *parts[] = {roots[sample_random(14)], ends[sample_random(21)],
                           ends[sample_random(21)]};
    for (size_t i = 0; i < 3; i++) {
        memcpy(word + n, parts[i], strlen(parts[i]));
        n += (uint32_t)strlen(parts[i]);
    }
    if (n == 0)
        word[n++] = 's';
    return n;
}

/* More words than the table holds, each of them often: hits, moves and replacements. */
static void test_as_libstemmer(void **state)
{
    (void)state;
    static const char *const names[] = {"porter", "english"};
    for (size_t i = 0; i < 2; i++) {
        fixture f = open_both(names[i]);
        for (int k = 0; k < 300000; k++) {
            char word[64];
            assert_as_plain(&f, word, make_word(word));
        }
        close_both(&f);
    }
}

static void test_long_words(void **state)
{
    (void)state;
    fixture f = open_both("porter");
    char word[RP_TEXT_TERM_MAX];
    for (uint32_t n = 1; n <= RP_TEXT_TERM_MAX; n++) {
        memset(word, 'b', n);
        memcpy(word + (n > 5 ? n - 5 : 0), "ating", n > 5 ? 5 : n);
        for (int again = 0; again < 3; again++)
            assert_as_plain(&f, word, n);
    }
    close_both(&f);
}

/* find_stem relies on it: once warm, libstemmer asks for no memory. */
static void test_stemming_allocates_nothing(void **state)
{
    (void)state;
    fixture f = open_both("english");
    size_t before = mallinfo2().uordblks;
    for (int k = 0; k < 20000; k++) {
        char word[RP_TEXT_TERM_MAX];
        uint32_t n = 1 + sample_random(RP_TEXT_TERM_MAX);
        for (uint32_t i = 0; i < n; i++)
            word[i] = "aeiouystlngdbcr'"[sample_random(16)];
        stem(&f, word, &n);
    }
    assert_int_equal(mallinfo2().uordblks, before);
    close_both(&f);
}

static void test_no_memory(void **state)
{
    (void)state;
    uint64_t before = rp__alloc_in_use();
    for (uint64_t n = 1; n <= 2; n++) {
        rp__stemming *s = NULL;
        rp__alloc_fail_at(n, false);
        assert_int_equal(rp__stemming_new("porter", &no_accents, &s), RP_NO_MEMORY);
        rp__alloc_fail_at(0, false);
        assert_null(s);
    }
    assert_int_equal(rp__alloc_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_all_algorithms),
        cmocka_unit_test(test_stems_lose_accents),
        cmocka_unit_test(test_as_libstemmer),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_stemming_allocates_nothing),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("stemming", tests, NULL, NULL);
}
