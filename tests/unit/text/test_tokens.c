/* test_tokens.c: worked examples of every rule, and what all segments have in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "text/tokens.h"
#include "unit/text/plain_tokens.h"
#include "unit/text/samples.h"

static const rp__accents all_kept;

/* The words of a text as "word|word|". */
static const char *words_of(const char *rule, bool drops_possessive, const char *text)
{
    static char out[4096];
    size_t n = 0;
    plain_tokens p = {.drops_possessive = drops_possessive, .accents = &all_kept};
    assert_true(rp__tokens_find(rule, &p.rule));
    plain_analyze(&p, text, strlen(text));
    out[0] = 0;
    for (size_t i = 0; i < p.n; i++)
        n += (size_t)sprintf(out + n, "%.*s|", (int)p.at[i].bytes, p.at[i].term);
    free(p.at);
    return out;
}

#define assert_words(rule, text, expected)                                                         \
    assert_string_equal(words_of(rule, false, text), expected)
#define assert_without_possessive(rule, text, expected)                                            \
    assert_string_equal(words_of(rule, true, text), expected)

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"uax29", "split", "whitespace", "bigram", NULL};
    rp__tokens rule;
    for (size_t i = 0; i < 5; i++)
        if (names[i])
            assert_string_equal(rp__tokens_name(i), names[i]);
        else
            assert_null(rp__tokens_name(i));
    assert_true(rp__tokens_find("plain", &rule) && rule == RP_TOKENS_PLAIN);
    assert_true(rp__tokens_find("bigram", &rule) && rule == RP_TOKENS_BIGRAM);
    assert_false(rp__tokens_find("", &rule));
    assert_false(rp__tokens_find("words", &rule));
}

static void test_plain(void **state)
{
    (void)state;
    assert_words("plain", "I can't 3.14 東京 カタカナ 한국어",
                 "i|can't|3.14|東|京|カタカナ|한국어|");
}

static void test_uax29(void **state)
{
    (void)state;
    assert_words("uax29", "I can't 3.14 foo_bar a.b", "i|can't|3.14|foo_bar|a.b|");
    assert_words("uax29", "東京都", "東京|京都|");
    assert_words("uax29", "東", "東|");
    assert_words("uax29", "日本語のテスト", "日本|本語|語の|のテ|テス|スト|");
    assert_words("uax29", "한국어 말", "한국|국어|말|");
    assert_words("uax29", "ラーメン", "ラー|ーメ|メン|");
    assert_words("uax29", "GPUで検索 v2版", "gpu|で検|検索|v2|版|");
    assert_words("uax29", "abc한국1", "abc|한국|1|");
    assert_words("uax29", "東京、大阪。", "東京|大阪|");
    assert_words("uax29", "か\xE3\x82\x99き", "がき|"); /* a mark belongs to its letter */
    assert_words("uax29", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB국",
                 "한국|"); /* parts of a syllable */
    assert_words("uax29", "東\xFF京", "東|京|");
    assert_words("uax29", "𠀀𠀁", "𠀀𠀁|");
    assert_words("uax29", "ภาษา", words_of("plain", false, "ภาษา"));
}

static void test_split(void **state)
{
    (void)state;
    assert_words("split", "I can't 3.14 foo_bar a.b e-mail", "i|can't|3|14|foo|bar|a|b|e|mail|");
    assert_words("split", "rock'n’roll 'x' a''b a'東", "rock'n’roll|x|a|b|a|東|");
    assert_words("split", "東京都x", "東京|京都|x|");
    assert_words("split", "caf\x65\xCC\x81 \xCC\x81 x", "café|x|");
    assert_words("split",
                 "a\xFF"
                 "b",
                 "a|b|");
    assert_words("split", "-- '", "");
}

static void test_whitespace(void **state)
{
    (void)state;
    assert_words("whitespace",
                 " C++ (x) it's,\t東京都\n--\xC2\xA0"
                 "a",
                 "c++|(x)|it's,|東京都|--|a|");
    assert_words("whitespace",
                 "a\xFF b\x01"
                 "c",
                 "a|b|c|");
}

static void test_bigram(void **state)
{
    (void)state;
    assert_words("bigram", "Hello a 12", "he|el|ll|lo|a|12|");
    assert_words("bigram", "ab-cd ภา", "ab|cd|ภา|");
    assert_words("bigram", "東京x", "東京|京x|");
    assert_without_possessive("bigram", "it's", "it|s|");
}

static void test_possessive(void **state)
{
    (void)state;
    static const char *const rules[] = {"plain", "uax29", "split"};
    for (size_t i = 0; i < 3; i++) {
        assert_without_possessive(rules[i], "Napoleon's", "napoleon|");
        assert_without_possessive(rules[i], "NAPOLEON’S ＢＯＳＳ＇s", "napoleon|boss|");
        assert_without_possessive(rules[i], "boss's, it's.", "boss|it|");
        assert_without_possessive(rules[i], "'s s' bosses'", "s|s|bosses|");
        assert_without_possessive(rules[i], "été's", "été|");
    }
    assert_without_possessive("uax29", "o'brien's rock'n'roll can't", "o'brien|rock'n'roll|can't|");
    assert_without_possessive("uax29", "'sample x's.y", "sample|x's.y|");
    assert_without_possessive("uax29", "1990's", "1990|s|"); /* UAX #29 breaks there */
    assert_without_possessive("split", "1990's x'sy x's\xCC\x81", "1990|x'sy|x'ś|");
    assert_without_possessive("whitespace", "cat's 's ’s --'s cat's,", "cat|'s|’s|--|cat's,|");
    assert_words("split", "cat's", "cat's|");
}

/* Segments and letters go forward and end where a character does, whatever the bytes. */
static void test_any_bytes(void **state)
{
    (void)state;
    char text[256];
    plain_tokens p = {.accents = &all_kept};
    for (int i = 0; i < 60000; i++) {
        size_t n = 0;
        for (uint32_t k = sample_random(20); k > 0; k--)
            if (sample_random(4))
                n += sample_put(text + n, sample_code());
            else
                text[n++] = (char)sample_random(256);
        p.rule = (rp__tokens)(i % 5);
        p.drops_possessive = i % 2;
        plain_analyze(&p, text, n); /* aborts where one does not go forward */
        for (size_t k = 0; k < p.n; k++) {
            assert_true(p.at[k].begin < p.at[k].end && p.at[k].end <= n);
            assert_true(k == 0 || p.at[k].begin > p.at[k - 1].begin);
            assert_true(k == 0 || p.at[k].end > p.at[k - 1].end);
        }
    }
    free(p.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),      cmocka_unit_test(test_plain),
        cmocka_unit_test(test_uax29),      cmocka_unit_test(test_split),
        cmocka_unit_test(test_whitespace), cmocka_unit_test(test_bigram),
        cmocka_unit_test(test_possessive), cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
