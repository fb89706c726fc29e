/* test_snippet.c: which part of a document is shown, where it is cut and what is marked. */
#include "unit/tiny_index.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "riposte/search.h"

static const char *const texts[] = {
    "the common common word", "common rare", "common", "common fishing", "wing tips", "the",
};

typedef struct bench {
    tiny_index tiny;
    rp_searcher *searcher;
} bench;

static bench porter;

static int set_up(void **state)
{
    tiny_open(&porter.tiny, texts, sizeof texts / sizeof *texts,
              (tiny_options){.stem = "porter", .stop = "lucene", .tokens = "uax29"});
    *state = &porter;
    return rp_searcher_new(&porter.tiny.index, NULL, &porter.searcher, NULL) != RP_OK;
}

static int tear_down(void **state)
{
    (void)state;
    rp_searcher_free(porter.searcher);
    tiny_close(&porter.tiny);
    return 0;
}

/* Checks what search.h promises of any snippet. */
static void check_promises(const rp_snippet *s, size_t max_bytes)
{
    size_t n = strlen(s->text);
    assert_true(n <= (max_bytes ? max_bytes : 240));
    assert_int_equal(rp__utf8_check(s->text, n), n);
    for (size_t i = 0; i < s->n_marks; i++) {
        assert_true(s->marks[i].begin < s->marks[i].end && s->marks[i].end <= n);
        assert_true(i == 0 || s->marks[i].begin > s->marks[i - 1].end);
        assert_true(((unsigned char)s->text[s->marks[i].begin] & 0xC0) != 0x80);
        assert_true(((unsigned char)s->text[s->marks[i].end] & 0xC0) != 0x80);
    }
    assert_null(strstr(s->text, "  "));
    assert_null(strpbrk(s->text, "\n\t\r"));
    assert_true(n == 0 || (s->text[0] != ' ' && s->text[n - 1] != ' '));
}

/* The snippet with [ and ] around marks. */
static void expect(const char *query, const char *title, const char *text, size_t max_bytes,
                   const char *want)
{
    rp_document document = {.title = (char *)(uintptr_t)title,
                            .title_bytes = strlen(title),
                            .text = (char *)(uintptr_t)text,
                            .text_bytes = strlen(text)};
    rp_snippet s;
    rp_error err = {0};
    if (rp_searcher_snippet(porter.searcher, query, strlen(query), &document, max_bytes, &s,
                            &err) != RP_OK)
        fail_msg("%s: %s", query, err.text);
    check_promises(&s, max_bytes);
    rp__buf out;
    rp__buf_init(&out);
    size_t mark = 0;
    for (size_t i = 0; i <= strlen(s.text); i++) {
        if (mark < s.n_marks && i == s.marks[mark].end) {
            rp__buf_put_byte(&out, ']');
            mark++;
        }
        if (mark < s.n_marks && i == s.marks[mark].begin)
            rp__buf_put_byte(&out, '[');
        rp__buf_put_byte(&out, (uint8_t)s.text[i]);
    }
    assert_int_equal(mark, s.n_marks);
    if (strcmp((const char *)out.at, want) != 0)
        fail_msg("%s:\n  got  %s\n  want %s", query, (const char *)out.at, want);
    rp__buf_free(&out);
    rp_snippet_free(&s);
    assert_null(s.text);
}

static void test_marks(void **state)
{
    (void)state;
    expect("wing", "", "A wing, two wings and a prayer", 0, "A [wing], two [wings] and a prayer");
    expect("fished", "", "Fishing! FISHES? no fish.", 0, "[Fishing]! [FISHES]? no [fish].");
    expect("wi*", "", "wing wine tips", 0, "[wing] wine tips");
    expect("\"wing tips\"", "", "tips of a wing", 0, "[tips] of a [wing]");
    expect("wing -tips", "", "wing tips", 0, "[wing] tips");
    expect("wing -(tips fish)", "", "wing tips fish", 0, "[wing] tips fish");
    expect("the", "", "the wing", 0, "the wing");
    expect("absent", "", "nothing here", 0, "nothing here");
    expect("novel", "", "a novel word", 0, "a [novel] word");
    expect("\xE6\xBC\xA2 \xE5\xAD\x97", "", "\xE6\xBC\xA2,\xE5\xAD\x97\xE3\x80\x82", 0,
           "[\xE6\xBC\xA2],[\xE5\xAD\x97]\xE3\x80\x82");
}

/* All bytes that a term came from are marked; pairs of letters overlap, their marks are one. */
static void test_marks_of_what_is_dropped(void **state)
{
    (void)state;
    expect("wing", "", "the Wing's tip, WING’S", 0, "the [Wing's] tip, [WING’S]");
    expect("cafe", "", "Le Café, le cafe\xCC\x81.", 0, "Le [Café], le [cafe\xCC\x81].");
    expect("日本語", "", "これは日本語です。", 0, "これは[日本語]です。");
    expect("東京都 京都", "", "東京都京都東", 0, "[東京都京都]東");
    expect("東京 京都", "", "東京都、京", 0, "[東京都]、京");
    expect("東京 都の", "", "東京都の", 0, "[東京都の]"); /* they touch */
    expect("한국", "", "한국어 한국", 0, "[한국]어 [한국]");
}

static void test_white_space(void **state)
{
    (void)state;
    expect("wing", "", "  a \n\n\t wing\r\n  b ", 0, "a [wing] b");
    expect("wing", "", "wing\n", 0, "[wing]");
    expect("wing", "", " \n ", 0, "");
    expect("wing", "", "a\x01\x7Fwing", 0, "a [wing]");
    expect("wing", "", "bad \xFF wing \xC3", 0, "bad ? [wing] ?");
}

static void test_title_or_text(void **state)
{
    (void)state;
    expect("wing", "About a wing", "no such word", 0, "About a [wing]");
    expect("wing", "About a wing", "one wing", 0, "one [wing]");
    expect("wing", "Title", "", 0, "Title");
    expect("wing", "", "", 0, "");
    expect("absent", "Title", "the text", 0, "the text");
    expect("wing tips", "wing tips", "wing", 0, "[wing] [tips]");
}

#define DOTS "\xE2\x80\xA6"

static void test_cuts(void **state)
{
    (void)state;
    static const char text[] = "alpha bravo charlie delta echo foxtrot golf hotel wing india "
                               "juliett kilo lima mike november oscar papa";
    expect("wing", "", text, 48, DOTS " golf hotel [wing] india juliett kilo lima " DOTS);
    expect("absent", "", text, 40, "alpha bravo charlie delta echo " DOTS);
    expect("papa", "", text, 40, DOTS " lima mike november oscar [papa]");
    expect("alpha", "", text, 40, "[alpha] bravo charlie delta echo " DOTS);
    expect("wing", "", text, 12, "[wing] india");
    expect("wing", "", text, 4, "[wing]");
    expect("wing", "", text, 2, "[wi]");
    expect("\xC3\xA9t\xC3\xA9", "", "\xC3\xA9t\xC3\xA9", 3, "[\xC3\xA9t]");
    expect("\xC3\xA9t\xC3\xA9", "", "\xC3\xA9t\xC3\xA9", 4, "[\xC3\xA9t]");
    expect("absent", "", "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 5, "\xC3\xA9\xC3\xA9");
}

/* Rare words beat common ones, several beat many of one, the first beats its equals. */
static void test_best_stretch(void **state)
{
    (void)state;
    static const char gap[] = " xxxxx xxxxx xxxxx xxxxx xxxxx xxxxx xxxxx xxxxx ";
    char text[512];
    snprintf(text, sizeof text, "common%srare%scommon", gap, gap);
    expect("common rare", "", text, 32, DOTS " xxxxx [rare] xxxxx xxxxx " DOTS);
    snprintf(text, sizeof text, "common common%scommon wing%scommon common", gap, gap);
    expect("common wing", "", text, 32, DOTS " xxxxx [common] [wing] xxxxx " DOTS);
    snprintf(text, sizeof text, "a wing%sb wing wing%sc wing", gap, gap);
    expect("wing", "", text, 32, DOTS " b [wing] [wing] xxxxx xxxxx " DOTS);
    snprintf(text, sizeof text, "a wing%sb wing%sc wing", gap, gap);
    expect("wing", "", text, 32, "a [wing] xxxxx xxxxx xxxxx " DOTS);
}

static void test_errors(void **state)
{
    (void)state;
    rp_document document = {.title = "", .text = "wing", .text_bytes = 4};
    rp_snippet s;
    rp_error err;
    assert_int_equal(rp_searcher_snippet(porter.searcher, "(wing", 5, &document, 0, &s, &err),
                     RP_USAGE);
    assert_string_equal(err.text, "column 1: '(' is never closed");
    assert_null(s.text);
    rp_document none = {0};
    assert_int_equal(rp_searcher_snippet(porter.searcher, "wing", 4, &none, 0, &s, &err), RP_OK);
    assert_string_equal(s.text, "");
    rp_snippet_free(&s);
    rp_snippet_free(&s);
    rp_snippet_free(NULL);
}

/* Of a huge document the first mebibyte is looked at, and no more. */
static void test_huge(void **state)
{
    (void)state;
    size_t bytes = 32 << 20;
    char *text = malloc(bytes + 1);
    assert_non_null(text);
    for (size_t i = 0; i < bytes; i += 4)
        memcpy(text + i, i < 1 << 20 ? "abc " : "rib ", 4);
    text[bytes] = 0;
    rp_document document = {.title = "", .text = text, .text_bytes = bytes};
    rp_snippet s;
    assert_int_equal(rp_searcher_snippet(porter.searcher, "abc", 3, &document, 0, &s, NULL), RP_OK);
    check_promises(&s, 0);
    assert_true(s.n_marks > 10);
    rp_snippet_free(&s);
    assert_int_equal(rp_searcher_snippet(porter.searcher, "rib", 3, &document, 0, &s, NULL), RP_OK);
    check_promises(&s, 0);
    assert_int_equal(s.n_marks, 0);
    rp_snippet_free(&s);
    free(text);
}

static void test_any_text(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "wing",
        "wings",
        " ",
        "  ",
        "\n",
        "rare",
        "tips.",
        "abcdefghij",
        "-",
        "\xFF",
        "\xC3",
        "\xC3\xA9",
        "\xE6\xBC\xA2",
        "\xF0\x9F\x98\x80",
        "the",
        ", ",
        "\xE5\xAD\x97",
    };
    uint64_t seed = 99;
    for (int round = 0; round < 5000; round++) {
        char text[400], title[100];
        size_t n[2] = {0, 0};
        char *at[2] = {text, title};
        for (int part = 0; part < 2; part++)
            for (size_t i = 0; i < (part ? 8U : 40U); i++) {
                seed = seed * 6364136223846793005U + 1442695040888963407U;
                const char *piece = pieces[(seed >> 40) % (sizeof pieces / sizeof *pieces)];
                memcpy(at[part] + n[part], piece, strlen(piece));
                n[part] += strlen(piece);
            }
        rp_document document = {
            .title = title, .title_bytes = n[1], .text = text, .text_bytes = n[0]};
        size_t max_bytes = (seed >> 33) % 120;
        rp_snippet s;
        assert_int_equal(rp_searcher_snippet(porter.searcher,
                                             "wing r* \xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2", 17,
                                             &document, max_bytes, &s, NULL),
                         RP_OK);
        check_promises(&s, max_bytes);
        rp_snippet_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),       cmocka_unit_test(test_marks_of_what_is_dropped),
        cmocka_unit_test(test_white_space), cmocka_unit_test(test_title_or_text),
        cmocka_unit_test(test_cuts),        cmocka_unit_test(test_best_stretch),
        cmocka_unit_test(test_errors),      cmocka_unit_test(test_huge),
        cmocka_unit_test(test_any_text),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
