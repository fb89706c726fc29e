/* test_wordbreak.c: word boundaries against libunistring, which has them from the same tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <unictype.h>
#include <unistring/version.h>
#include <uniwbrk.h>

#include "text/wordbreak.h"
#include "text/wordbreak_table.h"
#include "unit/text/samples.h"

static void skip_other_unicode(void)
{
    if (_libunistring_version >> 8 != 0x100)
        skip(); /* another Unicode than that of the tables */
}

/* Ours in the same form as the oracle's: 1 at the first byte of each segment but the first. */
static void mark_segments(const char *text, size_t n, char *breaks)
{
    memset(breaks, 0, n);
    for (size_t at = 0; at < n;) {
        size_t end = rp__wordbreak_next(text, n, at).end;
        assert_true(end > at && end <= n);
        breaks[at] = at > 0;
        at = end;
    }
}

static void assert_as_oracle(const char *text, size_t n)
{
    char ours[4096], oracle[4096];
    assert_true(n < sizeof ours);
    mark_segments(text, n, ours);
    u8_wordbreaks((const uint8_t *)text, n, oracle);
    assert_memory_equal(ours, oracle, n);
}

static bool is_word_code(uint32_t code)
{
    int p = uc_wordbreak_property(code);
    return p == WBP_ALETTER || p == WBP_HL || p == WBP_NUMERIC || p == WBP_KATAKANA ||
           uc_is_general_category_withtable(code, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N);
}

static void test_table_has_the_word_flag_of_every_code_point(void **state)
{
    (void)state;
    skip_other_unicode();
    for (uint32_t code = 0; code < 0x110000; code++) {
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        uint8_t value = rp__wordbreak_table_get(code);
        assert_int_equal((value & RP_WORDBREAK_WORD) != 0, is_word_code(code));
        assert_int_equal((value & RP_WORDBREAK_PICT) != 0,
                         uc_is_property_extended_pictographic(code));
    }
}

/* Two code points have the same class if and only if they do for libunistring. */
static void test_table_has_the_class_of_every_code_point(void **state)
{
    (void)state;
    skip_other_unicode();
    int property_of[RP_WORDBREAK_CLASS + 1];
    memset(property_of, -1, sizeof property_of);
    uint32_t seen = 0;
    for (uint32_t code = 0; code < 0x110000; code++) {
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        uint32_t class = rp__wordbreak_table_get(code) & RP_WORDBREAK_CLASS;
        int property = uc_wordbreak_property(code);
        if (property_of[class] < 0) {
            assert_false(seen >> property & 1);
            seen |= 1U << property;
            property_of[class] = property;
        }
        assert_int_equal(property_of[class], property);
    }
}

static void test_every_code_point_between_letters_and_digits(void **state)
{
    (void)state;
    skip_other_unicode();
    for (uint32_t code = 0; code < 0x110000; code++) {
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        char text[32];
        size_t n = 0;
        n += sample_put(text + n, 'a');
        n += sample_put(text + n, code);
        n += sample_put(text + n, 'b');
        n += sample_put(text + n, '1');
        n += sample_put(text + n, code);
        n += sample_put(text + n, '2');
        assert_as_oracle(text, n);
    }
}

/* Where libunistring 1.0 leaves the standard: a letter, a middle character, a joiner and a
 * pictograph that is a letter ("a'<U+200D><U+24C2>") are one word by WB6 and WB7. It applies WB3c
 * to the last of them first and then forgets to look back. */
static bool is_unlike_standard(const char *text, size_t n)
{
    uint32_t base = RP_WORDBREAK_OTHER, last = RP_WORDBREAK_OTHER;
    for (size_t at = 0; at < n;) {
        ucs4_t code;
        at += (size_t)u8_mbtouc(&code, (const uint8_t *)text + at, n - at);
        uint8_t value = rp__wordbreak_table_get(code);
        uint32_t class = value & RP_WORDBREAK_CLASS;
        if (last == RP_WORDBREAK_ZWJ && (value & RP_WORDBREAK_PICT) &&
            class == RP_WORDBREAK_ALETTER && base >= RP_WORDBREAK_MIDLETTER &&
            base <= RP_WORDBREAK_SINGLE_QUOTE)
            return true;
        last = class;
        if (class != RP_WORDBREAK_EXTEND && class != RP_WORDBREAK_FORMAT &&
            class != RP_WORDBREAK_ZWJ)
            base = class;
    }
    return false;
}

static void test_random_text_as_oracle(void **state)
{
    (void)state;
    skip_other_unicode();
    char text[256];
    for (int i = 0, compared = 0; compared < 400000; i++) {
        size_t n = sample_text(text, i % 4 == 0 ? 40 : 8);
        if (is_unlike_standard(text, n))
            continue;
        assert_as_oracle(text, n);
        compared++;
    }
}

static void test_joined_pictograph_that_is_a_letter(void **state)
{
    (void)state;
    const char *text = "a'\xE2\x80\x8D\xE2\x93\x82 b";
    assert_true(is_unlike_standard(text, strlen(text)));
    assert_int_equal(rp__wordbreak_next(text, strlen(text), 0).end, 8);
}

static void test_real_text_as_oracle(void **state)
{
    (void)state;
    skip_other_unicode();
    static const char *const texts[] = {
        "The quick (\"brown\") fox can't jump 32.3 feet, right? U.S.A. e.g. foo_bar x:y 1,000;2",
        "L’été à l'école: où est-ce que c’était, aujourd’hui?",
        "Straße, Äpfel und Übermut – „Größe“ 3,50 €",
        "Съешь ещё этих мягких французских булок, да выпей чаю.",
        "Ο Οδυσσέας: ξύπνησε νωρίς το πρωί· ΣΊΣΥΦΟΣ.",
        "שלום עולם צה\"ל ג'ירפה בע\"מ",
        "مرحبا بالعالم ١٢٣٫٤٥ كِتَاب",
        "नमस्ते दुनिया, हिन्दी में लिखा हुआ पाठ।",
        "สวัสดีชาวโลก ภาษาไทย",
        "东京都の人口は約１４００万人です。カタカナ・ひらがな ｶﾀｶﾅ",
        "안녕하세요 세계 한국어",
        "👨‍👩‍👧‍👦 🇺🇸🇩🇪🇫 1️⃣ ❤️‍🔥 Ⓜ️",
        "co\xC2\xADoperate zero\xE2\x80\x8Bwidth a\xCC\x81\xCC\xA3 \r\n\r\n\xE2\x80\xA9 x",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_as_oracle(texts[i], strlen(texts[i]));
}

static void assert_segment(const char *text, size_t at, size_t end, bool is_word)
{
    rp__wordbreak_segment segment = rp__wordbreak_next(text, strlen(text), at);
    assert_int_equal(segment.end, end);
    assert_int_equal(segment.is_word, is_word);
}

static void test_segments_of_ascii(void **state)
{
    (void)state;
    assert_segment("can't stop", 0, 5, true);
    assert_segment("can't stop", 5, 6, false);
    assert_segment("cats' tail", 0, 4, true);
    assert_segment("3.14", 0, 4, true);
    assert_segment("1,000", 0, 5, true);
    assert_segment("1,a", 0, 1, true);
    assert_segment("a.b", 0, 3, true);
    assert_segment("U.S.A.", 0, 5, true);
    assert_segment("foo-bar", 0, 3, true);
    assert_segment("foo_bar", 0, 7, true);
    assert_segment("___", 0, 3, false);
    assert_segment("_a", 0, 2, true);
    assert_segment("x:y", 0, 3, true);
    assert_segment("a..b", 0, 1, true);
    assert_segment("   a", 0, 3, false);
    assert_segment("\r\na", 0, 2, false);
}

static void test_invalid_bytes_are_segments_alone(void **state)
{
    (void)state;
    assert_segment("ab\xFFz", 0, 2, true);
    assert_segment("ab\xFFz", 2, 3, false);
    assert_segment("ab\xFFz", 3, 4, true);
    assert_segment("a'\xC3", 0, 1, true); /* a cut sequence is not looked through */
    assert_segment("\xE2\x82", 0, 1, false);
    assert_segment("\xE2\x82", 1, 2, false);
    assert_segment("\xED\xA0\x80", 0, 1, false); /* a surrogate */
    assert_segment("\xC0\x80", 0, 1, false);     /* overlong */
}

/* A line of 1 MB of marks is looked at twice, not a million times: this test then takes no time. */
static void test_long_lookahead_is_linear(void **state)
{
    (void)state;
    static char text[1 << 20];
    for (size_t i = 2; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xCC\x81", 2);
    memcpy(text, "a'", 2);
    size_t segments = 0;
    for (size_t at = 0; at < sizeof text; segments++)
        at = rp__wordbreak_next(text, sizeof text, at).end;
    assert_int_equal(segments, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_has_the_word_flag_of_every_code_point),
        cmocka_unit_test(test_table_has_the_class_of_every_code_point),
        cmocka_unit_test(test_every_code_point_between_letters_and_digits),
        cmocka_unit_test(test_random_text_as_oracle),
        cmocka_unit_test(test_joined_pictograph_that_is_a_letter),
        cmocka_unit_test(test_real_text_as_oracle),
        cmocka_unit_test(test_segments_of_ascii),
        cmocka_unit_test(test_invalid_bytes_are_segments_alone),
        cmocka_unit_test(test_long_lookahead_is_linear),
    };
    return cmocka_run_group_tests_name("wordbreak", tests, NULL, NULL);
}
