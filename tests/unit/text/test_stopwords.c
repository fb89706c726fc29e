/* test_stopwords.c: named lists, and lists of any bytes as sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "text/stopwords.h"
#include "text/term_hash.h"
#include "text/text.h"

static const rp__accents all_kept;

static bool has(const rp__stopwords *set, const char *word)
{
    char term[300] = {0};
    size_t n = strlen(word);
    memcpy(term, word, n);
    return rp__stopwords_may_have(set, term, n) &&
           rp__stopwords_has(set, term, n, rp__term_hash_of(term, n));
}

static rp__stopwords set_of(const char *list)
{
    rp__stopwords set = {0};
    assert_int_equal(rp__stopwords_init(&set, &all_kept, list, strlen(list)), RP_OK);
    return set;
}

static void test_named_lists(void **state)
{
    (void)state;
    assert_string_equal(rp__stopwords_get("none"), "");
    assert_null(rp__stopwords_get("klingon"));
    assert_null(rp__stopwords_get(""));
    rp__stopwords set = set_of(rp__stopwords_get("lucene"));
    assert_int_equal(set.n, 33);
    assert_true(has(&set, "a") && has(&set, "the") && has(&set, "these") && has(&set, "with"));
    assert_false(has(&set, "th") || has(&set, "wing") || has(&set, "from") || has(&set, "i"));
    rp__stopwords_reset(&set);
}

/* Every language that can be stemmed has a list; its words are many, distinct, and UTF-8. */
static void test_lists_of_languages(void **state)
{
    (void)state;
    assert_string_equal(rp__stopwords_name(0), "none");
    assert_string_equal(rp__stopwords_name(1), "lucene");
    for (size_t i = 1; rp__stemming_name(i); i++) {
        const char *name = rp__stemming_name(i);
        const char *words = rp__stopwords_get(name);
        if (strcmp(name, "porter") == 0)
            continue;
        if (!words)
            fail_msg("no stop list for %s", name);
        size_t lines = 1;
        for (const char *at = words; *at; at++)
            lines += *at == '\n';
        assert_int_equal(rp__utf8_check(words, strlen(words)), strlen(words));
        rp__stopwords set = set_of(words);
        if (set.n < 40 || set.n != lines)
            fail_msg("%s: %zu words, %zu lines", name, set.n, lines);
        rp__stopwords_reset(&set);
    }
    rp__stopwords set = set_of(rp__stopwords_get("german"));
    assert_true(has(&set, "und") && has(&set, "für") && !has(&set, "haus"));
    rp__stopwords_reset(&set);
}

/* As words of a text lose their accents, so do those of the list. */
static void test_words_lose_accents(void **state)
{
    (void)state;
    rp__accents accents;
    rp__accents_init(&accents, "ü");
    rp__stopwords set = {0};
    const char *list = "für\nété";
    assert_int_equal(rp__stopwords_init(&set, &accents, list, strlen(list)), RP_OK);
    assert_true(has(&set, "für") && has(&set, "ete") && !has(&set, "été"));
    rp__stopwords_reset(&set);
}

static void test_empty_set(void **state)
{
    (void)state;
    rp__stopwords zero = {0};
    assert_false(has(&zero, "a"));
    rp__stopwords set = set_of("\n\n \n\t\r\n");
    assert_int_equal(set.n, 0);
    assert_false(has(&set, "a"));
    rp__stopwords_reset(&set);
    rp__stopwords_reset(&set);
}

static void test_words_are_folded_and_trimmed(void **state)
{
    (void)state;
    rp__stopwords set = set_of("The\r\n  \tSTRASSE \nÉTÉ\nthe\no\xFFgh\nlast");
    assert_int_equal(set.n, 5);
    assert_true(has(&set, "the") && has(&set, "strasse") && has(&set, "été"));
    assert_true(has(&set, "ogh") && has(&set, "last"));
    rp__stopwords_reset(&set);
}

static void test_long_words_and_many(void **state)
{
    (void)state;
    static char list[200000];
    size_t n = 0;
    for (int i = 0; i < 10000; i++)
        n += (size_t)sprintf(list + n, "word%d\n", i * 7);
    memset(list + n, 'x', 400);
    rp__stopwords set = {0};
    assert_int_equal(rp__stopwords_init(&set, &all_kept, list, n + 400), RP_OK);
    assert_int_equal(set.n, 10001);
    for (int i = 0; i < 70000; i++) {
        char word[32];
        sprintf(word, "word%d", i);
        assert_int_equal(has(&set, word), i % 7 == 0);
    }
    char longest[256];
    memset(longest, 'x', 255);
    longest[255] = 0;
    assert_true(has(&set, longest));
    rp__stopwords_reset(&set);
}

static void test_no_memory(void **state)
{
    (void)state;
    const char *list = rp__stopwords_get("lucene");
    uint64_t before = rp__alloc_in_use();
    rp_status status = RP_NO_MEMORY;
    for (uint64_t n = 1; status != RP_OK; n++) {
        assert_in_range(n, 1, 50);
        rp__stopwords set = {0};
        rp__alloc_fail_at(n, true);
        status = rp__stopwords_init(&set, &all_kept, list, strlen(list));
        rp__alloc_fail_at(0, false);
        assert_true(status == RP_OK || status == RP_NO_MEMORY);
        rp__stopwords_reset(&set);
        assert_int_equal(rp__alloc_in_use(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named_lists),
        cmocka_unit_test(test_lists_of_languages),
        cmocka_unit_test(test_words_lose_accents),
        cmocka_unit_test(test_empty_set),
        cmocka_unit_test(test_words_are_folded_and_trimmed),
        cmocka_unit_test(test_long_words_and_many),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("stopwords", tests, NULL, NULL);
}
