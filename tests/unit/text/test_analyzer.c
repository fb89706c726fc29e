/* test_analyzer.c: text to terms through the door: examples, and random text by plain paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libstemmer.h>
#include <unistring/version.h>
#include <uniwbrk.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "text/asciiscan.h"
#include "text/text.h"
#include "text/wordbreak.h"
#include "text/wordbreak_table.h"
#include "unit/text/plain_tokens.h"
#include "unit/text/samples.h"

typedef struct fixture {
    rp__analyzer *analyzer;
    rp__analyzer_state *state;
} fixture;

static fixture open_options(const rp__text_options *options)
{
    fixture f = {0};
    rp_error err;
    assert_int_equal(rp__analyzer_open(options, &f.analyzer, &err), RP_OK);
    assert_int_equal(rp__analyzer_state_new(f.analyzer, &f.state), RP_OK);
    return f;
}

static fixture open_words(const char *stem, const char *stop_words)
{
    rp__text_options options = {
        .stem = stem, .stop_words = stop_words, .stop_bytes = strlen(stop_words)};
    return open_options(&options);
}

static void close_words(fixture *f)
{
    rp__analyzer_state_free(f->state);
    rp__analyzer_close(f->analyzer);
}

/* Tokens as "term@position ", in a static buffer. */
static const char *tokens_of(const fixture *f, const char *text, size_t bytes)
{
    static char out[100000];
    size_t n = 0;
    rp__token t;
    out[0] = 0;
    rp__analyzer_begin(f->state, text, bytes);
    while (rp__analyzer_next(f->state, &t))
        n += (size_t)sprintf(out + n, "%.*s@%u ", (int)t.bytes, t.term, t.position);
    return out;
}

static void assert_tokens(const char *stem, const char *stop, const char *text,
                          const char *expected)
{
    fixture f = open_words(stem, rp__stopwords_get(stop));
    assert_string_equal(tokens_of(&f, text, strlen(text)), expected);
    close_words(&f);
}

/* By the steps that a new index has. */
static void assert_default_tokens(const char *stem, const char *stop, const char *text,
                                  const char *expected)
{
    const char *words = rp__stopwords_get(stop);
    rp__text_options options = {.stem = stem,
                                .stop_words = words,
                                .stop_bytes = strlen(words),
                                .tokens = "uax29",
                                .drops_possessive = true,
                                .folds_accents = true};
    fixture f = open_options(&options);
    assert_string_equal(tokens_of(&f, text, strlen(text)), expected);
    close_words(&f);
}

static void test_words_of_ascii(void **state)
{
    (void)state;
    assert_tokens("none", "none", "Hello, World!", "hello@0 world@1 ");
    assert_tokens("none", "none", "I can't. 3.14 1,000 foo_bar a.b U.S.A. foo-bar",
                  "i@0 can't@1 3.14@2 1,000@3 foo_bar@4 a.b@5 u.s.a@6 foo@7 bar@8 ");
    assert_tokens("none", "none", "x:y 1:2 a;b 1;2 'quoted' rock'n'roll ___ _x_ -- .net c++",
                  "x:y@0 1@1 2@2 a@3 b@4 1;2@5 quoted@6 rock'n'roll@7 _x_@8 net@9 c@10 ");
    assert_tokens("none", "none", "", "");
    assert_tokens("none", "none", " \t\r\n-- ", "");
}

static void test_words_of_other_scripts(void **state)
{
    (void)state;
    assert_tokens("none", "none", "Ünïcode STRASSE straße ﬁn ＡＢＣ",
                  "ünïcode@0 strasse@1 strasse@2 fin@3 abc@4 ");
    assert_tokens("none", "none", "東京 ひら カタカナ", "東@0 京@1 ひ@2 ら@3 カタカナ@4 ");
    assert_tokens("none", "none", "Привет, МИР!", "привет@0 мир@1 ");
    assert_tokens("none", "none", "l’été d'hiver—oui", "l’été@0 d'hiver@1 oui@2 ");
    assert_tokens("none", "none", "👍 a 🇺🇸 b ❤️‍🔥", "a@0 b@1 ");
    assert_tokens("none", "none", "צה\"ל", "צה\"ל@0 ");
    assert_tokens("none", "none", "co\xC2\xADop caf\x65\xCC\x81", "coop@0 café@1 ");
}

static void test_dropped_words_count_a_position(void **state)
{
    (void)state;
    assert_tokens("none", "lucene", "The cat and the HAT in it", "cat@1 hat@4 ");
    assert_tokens("none", "none", "a ㅤ b", "a@0 b@2 "); /* a filler folds to nothing */
    fixture f = open_words("none", rp__stopwords_get("lucene"));
    rp__token t;
    rp__analyzer_begin(f.state, "of the", 6);
    assert_false(rp__analyzer_next(f.state, &t));
    assert_false(rp__analyzer_next(f.state, &t));
    assert_int_equal(rp__analyzer_positions(f.state), 2);
    rp__analyzer_begin(f.state, "one of", 6);
    assert_true(rp__analyzer_next(f.state, &t));
    assert_false(rp__analyzer_next(f.state, &t));
    assert_int_equal(rp__analyzer_positions(f.state), 2);
    rp__analyzer_begin(f.state, NULL, 0);
    assert_false(rp__analyzer_next(f.state, &t));
    assert_int_equal(rp__analyzer_positions(f.state), 0);
    close_words(&f);
}

static void test_stop_words_go_before_stems(void **state)
{
    (void)state;
    assert_tokens("porter", "lucene", "These RUNNING wings were being flown",
                  "run@1 wing@2 were@3 be@4 flown@5 ");
    assert_tokens("english", "none", "generously dying skies cat's s",
                  "generous@0 die@1 sky@2 cat@3 s@4 ");
    fixture f = open_words("none", "Straße\nCAN'T\n東");
    assert_string_equal(tokens_of(&f, "STRASSE can't 東京 go", 23), "京@3 go@4 ");
    close_words(&f);
}

static void test_steps_of_a_new_index(void **state)
{
    (void)state;
    assert_default_tokens("none", "none", "Napoleon's Beyoncé’s cafés",
                          "napoleon@0 beyonce@1 cafes@2 ");
    assert_default_tokens("none", "lucene", "it's the boss's", "boss@2 ");
    assert_default_tokens("porter", "lucene", "the résumés' resumes", "resum@1 resum@2 ");
    assert_default_tokens("english", "none", "Napoleon's armies' café",
                          "napoleon@0 armi@1 cafe@2 ");
    assert_default_tokens("french", "french", "les forêts élevées", "foret@1 elev@2 ");
    assert_default_tokens("german", "german", "für Häuser Café cafe", "haus@1 caf@2 caf@3 ");
    assert_default_tokens("none", "none", "東京都 a 한국어", "東京@0 京都@1 a@2 한국@3 국어@4 ");
}

/* A possessive and a pair come from all the bytes that they stand for. */
static void test_places_of_new_steps(void **state)
{
    (void)state;
    rp__text_options options = {.stem = "porter",
                                .stop_words = "",
                                .tokens = "uax29",
                                .drops_possessive = true,
                                .folds_accents = true};
    const char *text = "Cat's é’s 東京都";
    static const size_t places[][2] = {{0, 5}, {6, 12}, {13, 19}, {16, 22}};
    fixture f = open_options(&options);
    rp__token t;
    rp__analyzer_begin(f.state, text, strlen(text));
    for (size_t i = 0; i < 4; i++) {
        assert_true(rp__analyzer_next(f.state, &t));
        assert_int_equal(t.begin, places[i][0]);
        assert_int_equal(t.end, places[i][1]);
        assert_int_equal(t.position, i);
    }
    assert_false(rp__analyzer_next(f.state, &t));
    assert_int_equal(rp__analyzer_positions(f.state), 4);
    close_words(&f);
}

static void test_places_in_the_source(void **state)
{
    (void)state;
    const char *text = "  The Straße, can't\xFF"
                       "end";
    static const size_t places[][2] = {{2, 5}, {6, 13}, {15, 20}, {21, 24}};
    fixture f = open_words("porter", "");
    rp__token t;
    rp__analyzer_begin(f.state, text, strlen(text));
    for (size_t i = 0; i < 4; i++) {
        assert_true(rp__analyzer_next(f.state, &t));
        assert_int_equal(t.begin, places[i][0]);
        assert_int_equal(t.end, places[i][1]);
    }
    assert_false(rp__analyzer_next(f.state, &t));
    close_words(&f);
}

static void test_invalid_bytes_break_words(void **state)
{
    (void)state;
    assert_tokens("none", "none",
                  "ab\xFF"
                  "cd \xC3 e\xE2\x82 \xED\xA0\x80 f'\xC0g",
                  "ab@0 cd@1 e@2 f@3 g@4 ");
    assert_tokens("none", "none", "\x80\x80\x80", "");
    assert_tokens("none", "none", "é\xC3", "é@0 ");
}

static void test_long_words_are_cut(void **state)
{
    (void)state;
    static char text[3 * RP_ASCIISCAN_MAX];
    memset(text, 'A', sizeof text);
    text[255] = ' ';
    text[600] = ' ';
    fixture f = open_words("none", "");
    rp__token t;
    static const size_t ends[] = {255, 600, sizeof text};
    rp__analyzer_begin(f.state, text, sizeof text);
    for (size_t i = 0; i < 3; i++) {
        assert_true(rp__analyzer_next(f.state, &t));
        assert_int_equal(t.end, ends[i]);
        assert_int_equal(t.bytes, 255);
        assert_int_equal(t.term[254], 'a');
    }
    assert_false(rp__analyzer_next(f.state, &t));
    close_words(&f);
}

/* Term, begin and end of every word by wordbreak.c and rp__analyzer_fold alone. */
static void assert_as_plain_path(const fixture *f, const fixture *other, const char *text, size_t n)
{
    uint32_t position = 0;
    rp__token t;
    rp__analyzer_begin(f->state, text, n);
    for (size_t at = 0; at < n;) {
        rp__wordbreak_segment segment = rp__wordbreak_next(text, n, at);
        size_t begin = at;
        at = segment.end;
        if (!segment.is_word)
            continue;
        char term[RP_TEXT_TERM_MAX];
        size_t bytes = rp__analyzer_fold(other->state, text + begin, at - begin, term);
        position++;
        if (bytes == 0)
            continue;
        assert_true(rp__analyzer_next(f->state, &t));
        assert_int_equal(t.begin, begin);
        assert_int_equal(t.end, at);
        assert_int_equal(t.position, position - 1);
        assert_int_equal(t.bytes, bytes);
        assert_memory_equal(t.term, term, bytes);
    }
    assert_false(rp__analyzer_next(f->state, &t));
    assert_int_equal(rp__analyzer_positions(f->state), position);
}

static void test_ascii_as_plain_path(void **state)
{
    (void)state;
    fixture f = open_words("none", ""), other = open_words("none", "");
    static const char often[] = "aZ09_.,:;' -\"\n";
    char text[200];
    for (int i = 0; i < 300000; i++) {
        size_t n = sample_random(i % 8 ? 12 : sizeof text);
        for (size_t k = 0; k < n; k++)
            text[k] = (char)(sample_random(8) ? often[sample_random(sizeof often - 1)]
                                              : (char)sample_random(128));
        assert_as_plain_path(&f, &other, text, n);
    }
    close_words(&f);
    close_words(&other);
}

static void test_any_text_as_plain_path(void **state)
{
    (void)state;
    fixture f = open_words("none", ""), other = open_words("none", "");
    char text[512];
    for (int i = 0; i < 200000; i++) {
        size_t n = 0;
        for (uint32_t k = sample_random(i % 8 ? 10 : 60); k > 0; k--)
            if (sample_random(3) == 0)
                n += sample_put(text + n, sample_code());
            else
                text[n++] =
                    sample_random(30) ? "abZ19_.,' -"[sample_random(11)] : (char)sample_random(256);
        assert_as_plain_path(&f, &other, text, n);
    }
    close_words(&f);
    close_words(&other);
}

static void assert_as_plain_tokens(const fixture *f, plain_tokens *p, const char *text, size_t n)
{
    rp__token t;
    plain_analyze(p, text, n);
    rp__analyzer_begin(f->state, text, n);
    for (size_t i = 0; i < p->n; i++) {
        const plain_token *want = &p->at[i];
        if (want->bytes == 0)
            continue;
        assert_true(rp__analyzer_next(f->state, &t));
        assert_int_equal(t.begin, want->begin);
        assert_int_equal(t.end, want->end);
        assert_int_equal(t.position, want->position);
        assert_int_equal(t.bytes, want->bytes);
        assert_memory_equal(t.term, want->term, t.bytes);
    }
    assert_false(rp__analyzer_next(f->state, &t));
    assert_int_equal(rp__analyzer_positions(f->state), p->n);
}

static size_t some_text(char *text, uint32_t characters)
{
    static const char *const often[] = {"'s", "'S", "’s", "＇s", "é", "東", "京", "か", "한", "'",
                                        "a",  "Z",  "1",  "_",   ".", " ",  " ",  "-",  "É",  "s"};
    size_t n = 0;
    for (; characters > 0; characters--)
        if (sample_random(4)) {
            const char *piece = often[sample_random(20)];
            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
        } else if (sample_random(8)) {
            n += sample_put(text + n, sample_code());
        } else {
            text[n++] = (char)sample_random(256);
        }
    return n;
}

/* Every rule with every step on and off, against the plain path. */
static void test_all_rules_as_plain_tokens(void **state)
{
    (void)state;
    static const char *const rules[] = {"plain", "uax29", "split", "whitespace", "bigram"};
    static char text[4 * RP_ASCIISCAN_MAX];
    rp__accents accents[2] = {{0}};
    rp__accents_init(&accents[1], "");
    for (size_t i = 0; i < 20; i++) {
        rp__text_options options = {.stem = "none",
                                    .stop_words = "",
                                    .tokens = rules[i / 4],
                                    .drops_possessive = i & 1,
                                    .folds_accents = i & 2};
        fixture f = open_options(&options);
        plain_tokens p = {.drops_possessive = i & 1, .accents = &accents[(i & 2) != 0]};
        assert_true(rp__tokens_find(rules[i / 4], &p.rule));
        for (int k = 0; k < 8000; k++)
            assert_as_plain_tokens(&f, &p, text, some_text(text, sample_random(k % 8 ? 10 : 60)));
        for (size_t before = RP_ASCIISCAN_MAX - 12; before < RP_ASCIISCAN_MAX + 2; before++) {
            memset(text, 'a', before);
            assert_as_plain_tokens(&f, &p, text, before + some_text(text + before, 20));
        }
        free(p.at);
        close_words(&f);
    }
}

/* Words, gaps, blanks, middles and other scripts across the end of a scan. */
static void test_ends_of_scans_as_plain_path(void **state)
{
    (void)state;
    fixture f = open_words("none", ""), other = open_words("none", "");
    static const char *const fills[] = {"a", " ", "-", "ab ", "_", ".", "\r\n", "a.", "1,", "é"};
    static const char *const middles[] = {"x",
                                          "don't",
                                          " ",
                                          "  \xE2\x80\x8D\xE2\x93\x82",
                                          "é",
                                          ".\xCC\x81z",
                                          "-\xE2\x80\x8D\xE2\x93\x82",
                                          "\xFF",
                                          "a,b",
                                          "1.2.3",
                                          "'",
                                          "\r\n"};
    static char text[2 * RP_ASCIISCAN_MAX + 64];
    for (size_t fill = 0; fill < 10; fill++)
        for (size_t middle = 0; middle < 12; middle++)
            for (size_t at = RP_ASCIISCAN_MAX - 10; at < RP_ASCIISCAN_MAX + 6; at++) {
                size_t step = strlen(fills[fill]);
                for (size_t i = 0; i + step <= sizeof text; i += step)
                    memcpy(text + i, fills[fill], step);
                memcpy(text + at, middles[middle], strlen(middles[middle]));
                assert_as_plain_path(&f, &other, text, sizeof text - at % 64);
            }
    close_words(&f);
    close_words(&other);
}

/* The words of random text are the segments of libunistring that hold a letter or a number. */
static void test_words_as_libunistring(void **state)
{
    (void)state;
    if (_libunistring_version >> 8 != 0x100)
        skip();
    fixture f = open_words("none", "");
    char text[256], breaks[256];
    for (int i = 0; i < 200000; i++) {
        size_t n = 0;
        for (uint32_t k = sample_random(i % 4 ? 8 : 40); k > 0;) {
            uint32_t code = sample_code();
            if (rp__wordbreak_table_get(code) & RP_WORDBREAK_PICT)
                continue; /* see test_wordbreak.c, is_unlike_standard */
            n += sample_put(text + n, code);
            k--;
        }
        u8_wordbreaks((const uint8_t *)text, n, breaks);
        rp__token t = {0};
        bool has_token = false;
        rp__analyzer_begin(f.state, text, n);
        for (size_t begin = 0, end; begin < n; begin = end) {
            bool is_word = false;
            for (end = begin; end < n && (end == begin || !breaks[end]);) {
                uint32_t length;
                uint32_t code = rp__utf8_decode(text + end, &length);
                is_word |= (rp__wordbreak_table_get(code) & RP_WORDBREAK_WORD) != 0;
                end += length;
            }
            char folded[RP_TEXT_TERM_MAX];
            if (!is_word || rp__analyzer_fold(f.state, text + begin, end - begin, folded) == 0)
                continue;
            has_token = rp__analyzer_next(f.state, &t);
            assert_true(has_token && t.begin == begin && t.end == end);
        }
        assert_false(rp__analyzer_next(f.state, &t));
    }
    close_words(&f);
}

static void test_stems_as_libstemmer(void **state)
{
    (void)state;
    const char *text =
        "Connections connecting, CONNECTED relational conditionally vietnamization hopping "
        "electricity electrical sky skies flying flies happiness naïveté running_man";
    fixture f = open_words("porter", ""), plain = open_words("none", "");
    struct sb_stemmer *stemmer = sb_stemmer_new("porter", NULL);
    assert_non_null(stemmer);
    for (int again = 0; again < 3; again++) {
        rp__token t, p;
        rp__analyzer_begin(f.state, text, strlen(text));
        rp__analyzer_begin(plain.state, text, strlen(text));
        while (rp__analyzer_next(plain.state, &p)) {
            const sb_symbol *stem =
                sb_stemmer_stem(stemmer, (const sb_symbol *)p.term, (int)p.bytes);
            assert_true(rp__analyzer_next(f.state, &t));
            assert_int_equal(t.bytes, sb_stemmer_length(stemmer));
            assert_memory_equal(t.term, stem, t.bytes);
        }
    }
    sb_stemmer_delete(stemmer);
    close_words(&f);
    close_words(&plain);
}

static void test_fold_of_a_prefix(void **state)
{
    (void)state;
    fixture f = open_words("porter", "the");
    char out[RP_TEXT_TERM_MAX];
    assert_int_equal(rp__analyzer_fold(f.state, "RUNNING", 7, out), 7);
    assert_memory_equal(out, "running", 7);
    assert_int_equal(rp__analyzer_fold(f.state, "The", 3, out), 3);
    assert_int_equal(rp__analyzer_fold(f.state, "É\xFF", 3, out), 2);
    assert_memory_equal(out, "é", 2);
    assert_int_equal(rp__analyzer_fold(f.state, "", 0, out), 0);
    assert_int_equal(rp__analyzer_fold(f.state, "ㅤ", 3, out), 0);
    rp__token t;
    rp__analyzer_begin(f.state, "Été", 5);
    assert_true(rp__analyzer_next(f.state, &t));
    rp__analyzer_fold(f.state, "Hiver", 5, out); /* the token stays */
    assert_memory_equal(t.term, "été", 5);
    close_words(&f);
}

static void test_unknown_stemmer(void **state)
{
    (void)state;
    rp__analyzer *analyzer = (rp__analyzer *)&analyzer;
    rp_error err;
    rp__text_options options = {.stem = "latin", .stop_words = ""};
    assert_int_equal(rp__analyzer_open(&options, &analyzer, &err), RP_USAGE);
    assert_null(analyzer);
    assert_string_equal(err.text, "unknown stemmer \"latin\"; use \"none\", \"porter\", "
                                  "\"english\" or another language of libstemmer");
    assert_int_equal(rp__analyzer_open(&options, &analyzer, NULL), RP_USAGE);
    rp__analyzer_close(NULL);
    rp__analyzer_state_free(NULL);
}

static void test_unknown_tokens(void **state)
{
    (void)state;
    rp__analyzer *analyzer;
    rp_error err;
    rp__text_options options = {.stem = "none", .stop_words = "", .tokens = "words"};
    assert_int_equal(rp__analyzer_open(&options, &analyzer, &err), RP_USAGE);
    assert_null(analyzer);
    assert_string_equal(err.text, "unknown tokens \"words\"; use \"uax29\", \"split\", "
                                  "\"whitespace\" or \"bigram\"");
    options = (rp__text_options){.stem = "porter", .stop_words = "", .tokens = "bigram"};
    assert_int_equal(rp__analyzer_open(&options, &analyzer, &err), RP_USAGE);
    assert_string_equal(err.text,
                        "pairs of letters have no stem; use --stem none with --tokens bigram");
}

static rp_status try_to_open(fixture *f)
{
    const char *stop = rp__stopwords_get("lucene");
    rp__text_options options = {.stem = "english", .stop_words = stop, .stop_bytes = strlen(stop)};
    rp_status status = rp__analyzer_open(&options, &f->analyzer, NULL);
    return status == RP_OK ? rp__analyzer_state_new(f->analyzer, &f->state) : status;
}

static void test_no_memory(void **state)
{
    (void)state;
    uint64_t before = rp__alloc_in_use();
    rp_status status = RP_NO_MEMORY;
    for (uint64_t n = 1; status != RP_OK; n++) {
        assert_in_range(n, 1, 100);
        fixture f = {0};
        rp__alloc_fail_at(n, false);
        status = try_to_open(&f);
        rp__alloc_fail_at(0, false);
        assert_true(status == RP_OK || status == RP_NO_MEMORY);
        close_words(&f);
        assert_int_equal(rp__alloc_in_use(), before);
    }
}

/* A run of lower-case letters and digits, taken at once, is the one word that it is when begun on, or none. */
static void test_runs_as_texts(void **state)
{
    (void)state;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    static const char *const stems[] = {"none", "porter", "english", "german"};
    for (size_t s = 0; s < sizeof stems / sizeof *stems; s++) {
        fixture f = open_words(stems[s], rp__stopwords_get("lucene"));
        for (int i = 0; i < 20000; i++) {
            char run[300], term[300];
            const size_t n = i == 0 ? 3 : 1 + sample_random(i % 100 ? 12 : sizeof run);
            for (size_t k = 0; k < n; k++)
                run[k] = i == 0 ? "the"[k] : letters[sample_random(sizeof letters - 1)];
            rp__token t, begun = {0};
            const bool is_taken = rp__analyzer_run(f.state, run, n, &t);
            assert_int_equal(is_taken, n <= RP_TEXT_TERM_MAX);
            if (!is_taken)
                continue;
            memcpy(term, t.term, t.bytes);
            rp__analyzer_begin(f.state, run, n);
            assert_int_equal(rp__analyzer_next(f.state, &begun), t.bytes > 0);
            if (t.bytes == 0)
                continue;
            assert_int_equal(begun.bytes, t.bytes);
            assert_memory_equal(begun.term, term, t.bytes);
            assert_false(rp__analyzer_next(f.state, &begun));
        }
        close_words(&f);
    }
    const rp__text_options options = {.stem = "none", .stop_words = "", .tokens = "split"};
    fixture f = open_options(&options);
    rp__token t;
    assert_false(rp__analyzer_run(f.state, "a1", 2, &t));
    close_words(&f);
}

static void test_tokens_allocate_nothing(void **state)
{
    (void)state;
    fixture f = open_words("porter", rp__stopwords_get("lucene"));
    uint64_t before = rp__alloc_count();
    char text[512];
    for (int i = 0; i < 1000; i++)
        tokens_of(&f, text, sample_text(text, 100));
    assert_int_equal(rp__alloc_count(), before);
    close_words(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_of_ascii),
        cmocka_unit_test(test_words_of_other_scripts),
        cmocka_unit_test(test_dropped_words_count_a_position),
        cmocka_unit_test(test_stop_words_go_before_stems),
        cmocka_unit_test(test_steps_of_a_new_index),
        cmocka_unit_test(test_places_of_new_steps),
        cmocka_unit_test(test_places_in_the_source),
        cmocka_unit_test(test_invalid_bytes_break_words),
        cmocka_unit_test(test_long_words_are_cut),
        cmocka_unit_test(test_ascii_as_plain_path),
        cmocka_unit_test(test_any_text_as_plain_path),
        cmocka_unit_test(test_ends_of_scans_as_plain_path),
        cmocka_unit_test(test_words_as_libunistring),
        cmocka_unit_test(test_stems_as_libstemmer),
        cmocka_unit_test(test_runs_as_texts),
        cmocka_unit_test(test_fold_of_a_prefix),
        cmocka_unit_test(test_all_rules_as_plain_tokens),
        cmocka_unit_test(test_unknown_stemmer),
        cmocka_unit_test(test_unknown_tokens),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_tokens_allocate_nothing),
    };
    return cmocka_run_group_tests_name("analyzer", tests, NULL, NULL);
}
