/* test_accents.c: which marks are accents, the table against the plain path, letters that stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "text/accents.h"
#include "text/folding.h"
#include "text/wordbreak_table.h"
#include "unit/text/samples.h"

static rp__folding folding;

static void assert_folds(const rp__accents *accents, const char *word, const char *expected)
{
    char term[RP_TEXT_TERM_MAX];
    size_t n = rp__folding_any(&folding, accents, word, strlen(word), term);
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(term, expected, n);
}

static void test_examples(void **state)
{
    (void)state;
    rp__accents all;
    rp__accents_init(&all, "");
    assert_folds(&all, "Beyoncé", "beyonce");
    assert_folds(&all, "NAÏVETÉ", "naivete");
    assert_folds(&all, "Dvořák", "dvorak");
    assert_folds(&all, "Việt", "viet");
    assert_folds(&all, "e\xCC\x81t\xCC\xA3\xCC\x81", "et");
    assert_folds(&all, "Ελλάδα", "ελλαδα");
    assert_folds(&all, "ёлка", "елка");
    assert_folds(&all, "Straße", "strasse");
    assert_folds(&all, "Łódź Ørsted", "łodz ørsted"); /* a stroke is no mark */
    assert_folds(&all, "שָׁלוֹם", "שלום");
    assert_folds(&all, "مُحَمَّد", "محمد");
}

static void test_marks_that_are_letters_stay(void **state)
{
    (void)state;
    rp__accents all;
    rp__accents_init(&all, "");
    assert_folds(&all, "हिन्दी", "हिन्दी");
    assert_folds(&all, "ภาษาไทยที่", "ภาษาไทยที่");
    assert_folds(&all, "が", "が");
    assert_folds(&all, "ｶﾞ", "ガ");
    assert_folds(&all, "한국", "한국");
    assert_folds(&all, "தமிழ்", "தமிழ்");
}

static void test_letters_that_keep_theirs(void **state)
{
    (void)state;
    rp__accents german;
    rp__accents_init(&german, "äöü");
    assert_int_equal(german.n_kept, 3);
    assert_folds(&german, "Müller", "müller");
    assert_folds(&german, "MU\xCC\x88LLER", "müller");
    assert_folds(&german, "Café Öl", "cafe öl");
    assert_folds(&german, "ǘ", "ü"); /* the other mark goes */
    rp__accents russian;
    rp__accents_init(&russian, "й");
    assert_folds(&russian, "Й Ё", "й е");
}

/* An accent is a mark by its category, and for Latin, Greek and Cyrillic the outcome is that of
 * utf8proc's STRIPMARK after case folding. */
static void test_as_stripmark(void **state)
{
    (void)state;
    rp__accents all;
    rp__accents_init(&all, "");
    for (int32_t code = 1; code < 0x110000; code++) {
        utf8proc_category_t category = utf8proc_category(code);
        if (rp__accents_is_mark(code))
            assert_in_range(category, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
        bool is_compared = (code >= 0xC0 && code < 0x530) || (code >= 0x1E00 && code < 0x2000);
        if (!is_compared)
            continue;
        char text[8], term[RP_TEXT_TERM_MAX];
        utf8proc_uint8_t *expected;
        size_t n = sample_put(text, (uint32_t)code);
        text[n] = 0;
        utf8proc_uint8_t *folded = utf8proc_NFKC_Casefold((const utf8proc_uint8_t *)text);
        utf8proc_ssize_t bytes =
            utf8proc_map(folded, (utf8proc_ssize_t)strlen((const char *)folded), &expected,
                         UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_STRIPMARK);
        free(folded);
        assert_true(bytes >= 0);
        assert_int_equal(rp__folding_unicode(&folding, &all, text, n, term), bytes);
        assert_memory_equal(term, expected, (size_t)bytes);
        free(expected);
    }
}

static uint32_t some_code(void)
{
    switch (sample_random(4)) {
    case 0:
        return (unsigned char)"abzAZ09_'."[sample_random(10)];
    case 1:
        return sample_code();
    default:
        return 0xC0 + sample_random(0x1C0);
    }
}

/* rp__folding_word takes short cuts; the plain path is rp__folding_unicode. */
static void test_short_cuts_as_plain_path(void **state)
{
    (void)state;
    static const char *const kept[] = {"", "äöü", "âàçëéêèïîôûù", "й"};
    for (size_t i = 0; i < 5; i++) {
        rp__accents accents = {0}; /* the last one keeps all */
        if (i < 4)
            rp__accents_init(&accents, kept[i]);
        for (int k = 0; k < 60000; k++) {
            char text[400], fast[RP_TEXT_TERM_MAX], plain[RP_TEXT_TERM_MAX];
            bool is_stable = true;
            size_t n = 0;
            for (uint32_t c = 1 + sample_random(k % 16 ? 6 : 60); c > 0; c--) {
                uint32_t code = some_code();
                is_stable &= (rp__wordbreak_table_get(code) & RP_WORDBREAK_FOLDS) == 0;
                n += sample_put(text + n, code);
            }
            size_t bytes = rp__folding_unicode(&folding, &accents, text, n, plain);
            assert_int_equal(rp__folding_word(&folding, &accents, text, n, is_stable, fast), bytes);
            assert_memory_equal(fast, plain, bytes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_marks_that_are_letters_stay),
        cmocka_unit_test(test_letters_that_keep_theirs),
        cmocka_unit_test(test_as_stripmark),
        cmocka_unit_test(test_short_cuts_as_plain_path),
    };
    return cmocka_run_group_tests_name("accents", tests, NULL, NULL);
}
