/* test_analyze.c: what becomes of a text by an index and by options; no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "codec/codec.h"
#include "index/index.h"
#include "riposte/riposte.h"
#include "tempdir.h"

static const char text[] = "The Napoleon's cafés 東京都";

/* Tokens as "term@position:begin-end ", in a static buffer. */
static const char *show(const rp_text_tokens *tokens)
{
    static char out[1000];
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; i < tokens->n; i++)
        n += (size_t)snprintf(out + n, sizeof out - n, "%s@%zu:%zu-%zu ", tokens->at[i].term,
                              tokens->at[i].position, tokens->at[i].begin, tokens->at[i].end);
    return out;
}

static void assert_analyzed(const rp_build_options *options, const char *expected)
{
    rp_text_tokens tokens;
    rp_error err;
    assert_int_equal(rp_analyze(options, text, strlen(text), &tokens, &err), RP_OK);
    assert_string_equal(show(&tokens), expected);
    rp_text_tokens_free(&tokens);
    assert_null(tokens.at);
}

static void test_by_options(void **state)
{
    (void)state;
    assert_analyzed(NULL, "the@0:0-3 napoleon@1:4-14 cafes@2:15-21 東京@3:22-28 京都@4:25-31 ");
    rp_build_options o = {.stem = "porter", .stop = "lucene"};
    assert_analyzed(&o, "napoleon@1:4-14 cafe@2:15-21 東京@3:22-28 京都@4:25-31 ");
    o = (rp_build_options){.keep_possessive = true, .no_fold = true, .tokens = "whitespace"};
    assert_analyzed(&o, "the@0:0-3 napoleon's@1:4-14 cafés@2:15-21 東京都@3:22-31 ");
}

static void test_nothing(void **state)
{
    (void)state;
    rp_text_tokens tokens;
    assert_int_equal(rp_analyze(NULL, "", 0, &tokens, NULL), RP_OK);
    assert_int_equal(tokens.n, 0);
    rp_text_tokens_free(&tokens);
    rp_build_options o = {.stop = "lucene"};
    assert_int_equal(rp_analyze(&o, "of the", 6, &tokens, NULL), RP_OK);
    assert_int_equal(tokens.n, 0);
    assert_int_equal(tokens.positions, 2);
    rp_text_tokens_free(&tokens);
}

static void test_unknown_names(void **state)
{
    (void)state;
    rp_text_tokens tokens;
    rp_error err;
    rp_build_options o = {.stem = "latin"};
    assert_int_equal(rp_analyze(&o, "a", 1, &tokens, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "unknown stemmer \"latin\""));
    o = (rp_build_options){.tokens = "letters"};
    assert_int_equal(rp_analyze(&o, "a", 1, &tokens, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "unknown tokens \"letters\""));
    o = (rp_build_options){.stop = "nosuchlist"};
    assert_int_equal(rp_analyze(&o, "a", 1, &tokens, &err), RP_IO);
    assert_non_null(strstr(err.text, "stop lists are lucene and languages"));
}

/* An index records its analysis; an index made from another's lists, unless told, the plain one. */
static void test_by_an_index(void **state)
{
    (void)state;
    tempdir dir;
    rp_error err;
    rp_builder *builder;
    rp_index *index;
    rp_index_info info;
    rp_text_tokens tokens;
    rp_build_options o = {.stem = "french", .stop = "french"};
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp_builder_new(dir.path, &o, &builder, &err), RP_OK);
    assert_int_equal(rp_builder_add(builder, "1", 1, NULL, 0, "les élections", 14, &err), RP_OK);
    assert_int_equal(rp_builder_finish(builder, NULL, &err), RP_OK);
    rp_builder_free(builder);
    assert_int_equal(rp_index_open(dir.path, NULL, &index, &err), RP_OK);
    rp_index_get_info(index, &info);
    assert_string_equal(info.token_rule, "uax29");
    assert_true(info.drops_possessive && info.folds_accents);
    assert_int_equal(rp_index_analyze(index, "les élections", 14, &tokens, &err), RP_OK);
    assert_string_equal(show(&tokens), "elect@1:4-14 ");
    rp_text_tokens_free(&tokens);
    rp_term_info term;
    assert_int_equal(rp_index_get_term(index, "Élection", &term, &err), RP_OK);
    assert_int_equal(term.df, 1);
    rp_index_close(index);
    tempdir_remove(&dir);
}

/* A rule of a later program is refused by its name, as a stemmer is. */
static void test_index_of_another_program(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"none", "later"}, {"latin", "uax29"}};
    for (size_t i = 0; i < 2; i++) {
        tempdir dir;
        rp_error err;
        rp_index *index;
        rp__segment_builder *builder;
        rp__segment_options o = {.coding.codec = rp__codec_find("bp128", rp__cpu_features()),
                                 .stem = names[i][0],
                                 .stop = "none",
                                 .stop_words = "",
                                 .tokens = names[i][1],
                                 .memory = 64 << 20,
                                 .workers = 1};
        assert_int_equal(tempdir_make(&dir), 0);
        assert_int_equal(rp__segment_builder_new(dir.path, &o, &builder, &err), RP_OK);
        assert_int_equal(rp__segment_builder_finish(builder, NULL, &err), RP_OK);
        rp__segment_builder_free(builder);
        assert_int_equal(rp_index_open(dir.path, NULL, &index, &err), RP_INCOMPATIBLE);
        assert_non_null(strstr(err.text, names[i][i == 0]));
        tempdir_remove(&dir);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    uint64_t before = rp__alloc_in_use();
    rp_status status = RP_NO_MEMORY;
    for (uint64_t n = 1; status != RP_OK; n++) {
        assert_in_range(n, 1, 100);
        rp_text_tokens tokens;
        rp__alloc_fail_at(n, false);
        status = rp_analyze(NULL, text, strlen(text), &tokens, NULL);
        rp__alloc_fail_at(0, false);
        assert_true(status == RP_OK || status == RP_NO_MEMORY);
        rp_text_tokens_free(&tokens);
        assert_int_equal(rp__alloc_in_use(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_options),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_by_an_index),
        cmocka_unit_test(test_index_of_another_program),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("analyze", tests, NULL, NULL);
}
