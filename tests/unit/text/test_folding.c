/* test_folding.c: worked examples of folding, cuts, and the words that need none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "text/folding.h"
#include "text/wordbreak_table.h"
#include "unit/text/samples.h"

static rp__folding folding;
static const rp__accents all_kept;
static char term[RP_TEXT_TERM_MAX];

static void assert_folds(const char *word, const char *expected)
{
    size_t n = rp__folding_any(&folding, &all_kept, word, strlen(word), term);
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(term, expected, n);
}

static void test_examples(void **state)
{
    (void)state;
    assert_folds("Hello_World's", "hello_world's");
    assert_folds("Straße", "strasse");
    assert_folds("ẞ", "ss");
    assert_folds("ﬁnd", "find");
    assert_folds("Ａｂｃ１２", "abc12");
    assert_folds("ＡＢＣ", "abc");
    assert_folds("ｶﾞ", "ガ");
    assert_folds("İ", "i\xCC\x87");
    assert_folds("ΣΊΣΥΦΟΣ", "σίσυφοσ");
    assert_folds("σίσυφος", "σίσυφοσ");
    assert_folds("e\xCC\x81t\xCC\xA3\xCC\x81", "éṭ\xCC\x81"); /* composed */
    assert_folds("t\xCC\x81\xCC\xA3", "ṭ\xCC\x81");           /* and put in order first */
    assert_folds("ᄒ\xE1\x85\xA1\xE1\x86\xAB", "한");
    assert_folds("Ⅷ", "viii");
    assert_folds("ﷺ", "صلى الله عليه وسلم");
    assert_folds("МОСКВА", "москва");
    assert_folds("½", "1⁄2");
    assert_folds("東京", "東京");
}

static void test_what_cannot_be_seen_is_left_out(void **state)
{
    (void)state;
    assert_folds("co\xC2\xADop", "coop");
    assert_folds("a\xE2\x80\x8D"
                 "b\xEF\xB8\x8F",
                 "ab");
    assert_folds("ㅤ", ""); /* Hangul filler, a letter */
    assert_folds("", "");
}

static void test_invalid_bytes_are_left_out(void **state)
{
    (void)state;
    assert_folds("\xFFhe\xC3llo\xE2\x82", "hello");
    assert_folds("\x80\xC9\xC9", "");
    assert_folds("\xED\xA0\x80É", "é");
}

static void test_long_words_are_cut_at_a_character(void **state)
{
    (void)state;
    static char word[3 * 4000 + 8];
    memset(word, 'X', 4000);
    assert_int_equal(rp__folding_ascii(word, 4000, term), 255);
    size_t n = 0;
    for (int i = 0; i < 4000; i++)
        n += sample_put(word + n, 0x4E00);
    assert_int_equal(rp__folding_unicode(&folding, &all_kept, word, n, term), 255);
    assert_int_equal(rp__folding_unicode(&folding, &all_kept, word, 254 + 4, term), 255);
    assert_int_equal(rp__folding_copy(word, n, term), 255);
    n = 1;
    word[0] = 'x';
    for (int i = 0; i < 300; i++)
        n += sample_put(word + n, 0x4E00);
    assert_int_equal(rp__folding_unicode(&folding, &all_kept, word, n, term), 253);
    assert_int_equal(rp__folding_copy(word, n, term), 253);
    assert_int_equal(rp__utf8_check(term, 253), 253);
}

/* The worst growth and the worst order fit the buffers and end soon. */
static void test_worst_words(void **state)
{
    (void)state;
    static char word[4096];
    size_t n = 0;
    while (n < 4000)
        n += sample_put(word + n, 0xFDFA);
    size_t bytes = rp__folding_unicode(&folding, &all_kept, word, n, term);
    assert_true(bytes >= 252 && bytes <= 255);
    assert_int_equal(rp__utf8_check(term, bytes), bytes);
    n = sample_put(word, 'a');
    while (n < 256)
        n += sample_put(word + n, 0x301);
    while (n < 4000)
        n += sample_put(word + n, 0x323);
    bytes = rp__folding_unicode(&folding, &all_kept, word, n, term);
    assert_true(bytes >= 254 && bytes <= 255);
    assert_memory_equal(term, "ạ", 3);
}

static void test_no_code_point_grows_past_the_buffer(void **state)
{
    (void)state;
    for (uint32_t code = 1; code < 0x110000; code++) {
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        char text[8];
        utf8proc_int32_t codes[64];
        size_t n = sample_put(text, code);
        utf8proc_ssize_t made =
            utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)n, codes, 64,
                               UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                   UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
        assert_true(made >= 0 && (size_t)made * RP_FOLDING_SOURCE <= RP_FOLDING_CODES * n);
    }
}

static void test_as_utf8proc(void **state)
{
    (void)state;
    char text[128];
    for (int i = 0; i < 50000; i++) {
        size_t n = 0;
        for (uint32_t k = sample_random(8); k > 0; k--) {
            uint32_t code = sample_code();
            n += sample_put(text + n, code ? code : 'q');
        }
        text[n] = 0;
        utf8proc_uint8_t *expected = utf8proc_NFKC_Casefold((const utf8proc_uint8_t *)text);
        assert_non_null(expected);
        size_t bytes = rp__folding_unicode(&folding, &all_kept, text, n, term);
        assert_int_equal(bytes, strlen((const char *)expected));
        assert_memory_equal(term, expected, bytes);
        free(expected);
    }
}

/* Words of characters without the flag RP_WORDBREAK_FOLDS are not given to utf8proc at all. */
static void test_words_that_are_their_own_folding(void **state)
{
    (void)state;
    char text[128];
    for (uint32_t code = 1; code < 0x110000; code++) {
        if ((code >= 0xD800 && code <= 0xDFFF) ||
            (rp__wordbreak_table_get(code) & RP_WORDBREAK_FOLDS))
            continue;
        size_t n = 0;
        n += sample_put(text + n, code);
        for (int i = 0; i < 3;) {
            uint32_t other = sample_code();
            if (rp__wordbreak_table_get(other) & RP_WORDBREAK_FOLDS || other == 0)
                continue;
            n += sample_put(text + n, other);
            i++;
        }
        n += sample_put(text + n, code);
        assert_int_equal(rp__folding_unicode(&folding, &all_kept, text, n, term), n);
        assert_memory_equal(term, text, n);
    }
    assert_int_equal(rp__wordbreak_table_get(0xE9) & RP_WORDBREAK_FOLDS, 0);
    assert_int_equal(rp__wordbreak_table_get(0x4E00) & RP_WORDBREAK_FOLDS, 0);
    assert_int_not_equal(rp__wordbreak_table_get('A') & RP_WORDBREAK_FOLDS, 0);
    assert_int_not_equal(rp__wordbreak_table_get(0x301) & RP_WORDBREAK_FOLDS, 0);
    assert_int_not_equal(rp__wordbreak_table_get(0x1161) & RP_WORDBREAK_FOLDS, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_what_cannot_be_seen_is_left_out),
        cmocka_unit_test(test_invalid_bytes_are_left_out),
        cmocka_unit_test(test_long_words_are_cut_at_a_character),
        cmocka_unit_test(test_worst_words),
        cmocka_unit_test(test_no_code_point_grows_past_the_buffer),
        cmocka_unit_test(test_as_utf8proc),
        cmocka_unit_test(test_words_that_are_their_own_folding),
    };
    return cmocka_run_group_tests_name("folding", tests, NULL, NULL);
}
