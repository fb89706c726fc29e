/* test_query_parser.c: queries to ops, errors to columns, limits on both sides, soup and bombs. */
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "plan/plan.h"
#include "unit/plan/syntax_print.h"
#include "unit/tiny_index.h"

static rp_status parse(const char *text, size_t bytes, rp_mode mode, const rp_search_options *given,
                       rp__buf *printed, rp_error *err)
{
    rp_search_options options = given ? *given : (rp_search_options){0};
    rp__plan_defaults(&options);
    rp__arena arena;
    rp__arena_init(&arena, 8 << 20);
    rp__syntax syntax;
    rp_status status = rp__query_parse(text, bytes, mode, &options, &arena, &syntax, err);
    if (status == RP_OK) {
        const char *fault = syntax_fault(&syntax, bytes, &options);
        if (fault)
            fail_msg("%s: %.*s", fault, (int)bytes, text);
        if (printed)
            syntax_print(&syntax, printed);
    }
    rp__arena_reset(&arena);
    return status;
}

/* ---- What parses ----------------------------------------------------------------------------- */

static const struct {
    const char *query, *in_or, *in_and; /* in_and NULL: the same */
} good[] = {
    {"a", "a", "+a"},
    {"a b", "a b", "+a +b"},
    {"  a\t\nb  ", "a b", "+a +b"},
    {"a b a", "a b a", "+a +b +a"},
    {"a AND b", "+a +b", NULL},
    {"a OR b", "a b", NULL},
    {"a AND b AND c", "+a +b +c", NULL},
    {"a OR b OR c", "a b c", NULL},
    {"a b OR c d", "a (b c) d", "+a +(b c) +d"},
    {"a b AND c d", "a (+b +c) d", "+a +(+b +c) +d"},
    {"a OR b AND c", "a (+b +c)", NULL},
    {"a AND b OR c", "(+a +b) c", NULL},
    {"a AND b OR c AND d", "(+a +b) (+c +d)", NULL},
    {"a AND b OR c AND d OR e f", "((+a +b) (+c +d) e) f", "+((+a +b) (+c +d) e) +f"},
    {"a AND (b OR c)", "+a +(b c)", NULL},
    {"(a OR b) AND c", "+(a b) +c", NULL},
    {"(a OR b) AND (c OR d)", "+(a b) +(c d)", NULL},
    {"(a b) OR c", "(a b) c", "(+a +b) c"},
    {"(a b)", "a b", "+a +b"},
    {"((a b))", "a b", "+a +b"},
    {"(((a)))", "a", "+a"},
    {"((a) (b))", "a b", "+a +b"},
    {"(a AND b)", "+a +b", NULL},
    {"(a) AND (b)", "+a +b", NULL},
    {"x (a AND b)", "x (+a +b)", "+x +(+a +b)"},
    {"a NOT b", "a -b", "+a -b"},
    {"NOT b a", "-b a", "-b +a"},
    {"a -b", "a -b", "+a -b"},
    {"-b a", "-b a", "-b +a"},
    {"a AND NOT b", "+a -b", NULL},
    {"a OR NOT b", "a -b", NULL},
    {"a AND -b", "+a -b", NULL},
    {"NOT a AND b", "-a +b", NULL},
    {"NOT a OR b", "-a b", NULL},
    {"a AND NOT b OR c", "(+a -b) c", NULL},
    {"a OR b AND NOT c", "a (+b -c)", NULL},
    {"a OR NOT b AND c", "a (-b +c)", NULL},
    {"c NOT a AND b", "c (-a +b)", "+c +(-a +b)"},
    {"a NOT (b c)", "a -(b c)", "+a -(+b +c)"},
    {"a -(b OR c)", "a -(b c)", "+a -(b c)"},
    {"a -(b AND c)", "a -(+b +c)", "+a -(+b +c)"},
    {"a -(b)", "a -b", "+a -b"},
    {"a -(b -c)", "a -(b -c)", "+a -(+b -c)"},
    {"+a b", "+a b", "+a +b"},
    {"a +b", "a +b", "+a +b"},
    {"+a", "+a", NULL},
    {"+a +b -c d", "+a +b -c d", "+a +b -c +d"},
    {"+(a b) c", "+(a b) c", "+(+a +b) +c"},
    {"+(a OR b) c", "+(a b) c", "+(a b) +c"},
    {"(+a b) OR c", "(+a b) c", "(+a +b) c"},
    {"+\"a b\" c*", "+\"a b\" c*", "+\"a b\" +c*"},
    {"\"a b\"", "\"a b\"", "+\"a b\""},
    {"\"a b\"~2", "\"a b\"~2", "+\"a b\"~2"},
    {"\"a b\"~0", "\"a b\"", "+\"a b\""},
    {"\"a b\"~2^3", "\"a b\"~2^3", "+\"a b\"~2^3"},
    {"\"a b\"^0.5", "\"a b\"^0.5", "+\"a b\"^0.5"},
    {"\"(a OR b\"", "\"(a OR b\"", "+\"(a OR b\""},
    {"\"say \\\"hi\\\"\"", "\"say \\\"hi\\\"\"", "+\"say \\\"hi\\\"\""},
    {"\"\"", "\"\"", "+\"\""},
    {"a*", "a*", "+a*"},
    {"a* OR b*^2", "a* b*^2", NULL},
    {"-a* b", "-a* b", "-a* +b"},
    {"a^2.5", "a^2.5", "+a^2.5"},
    {"a^0", "a^0", "+a^0"},
    {"a^1", "a", "+a"},
    {"a^1000000", "a^1000000", "+a^1000000"},
    {"a^1e6", "a^1000000", "+a^1000000"},
    {"a^.5", "a^0.5", "+a^0.5"},
    {"a^5.", "a^5", "+a^5"},
    {"a^25e-1", "a^2.5", "+a^2.5"},
    {"a^0.00000000000000000000025E22", "a^2.5", "+a^2.5"},
    {"a^0000000000000000000000002.50000000000000000000", "a^2.5", "+a^2.5"},
    {"a^1e-400 b", "a^1e-300 b", "+a^1e-300 +b"},
    {"(a b)^2", "a^2 b^2", "+a^2 +b^2"},
    {"(a b^3)^2 c", "(a^2 b^6) c", "+(+a^2 +b^6) +c"},
    {"((a b)^2 c)^3", "(a^6 b^6) c^3", "+(+a^6 +b^6) +c^3"},
    {"(a)^2 OR (\"b c\"~1)^4", "a^2 \"b c\"~1^4", NULL},
    {"and or not", "and or not", "+and +or +not"},
    {"And Or Not", "And Or Not", "+And +Or +Not"},
    {"ANDY ORB NOTE", "ANDY ORB NOTE", "+ANDY +ORB +NOTE"},
    {"\\AND b", "\\AND b", "+\\AND +b"},
    {"AND*", "AND*", "+AND*"},
    {"AND~1 OR!~2", "AND~1 OR~2", "+AND~1 +OR~2"},
    {"state-of-the-art", "state-of-the-art", "+state-of-the-art"},
    {"c++ a+b", "c++ a+b", "+c++ +a+b"},
    {"\\+a \\-b \\(c\\) d\\*", "\\+a \\-b \\(c\\) d\\*", "+\\+a +\\-b +\\(c\\) +d\\*"},
    {"a\\ b", "a\\ b", "+a\\ b"},
    {"\\\\", "\\\\", "+\\\\"},
    {"a\"b c\"d", "a \"b c\" d", "+a +\"b c\" +d"},
    {"a(b)c", "a b c", "+a +b +c"},
    {"na\xC3\xAFve \xE6\xBC\xA2\xE5\xAD\x97*", "na\xC3\xAFve \xE6\xBC\xA2\xE5\xAD\x97*",
     "+na\xC3\xAFve +\xE6\xBC\xA2\xE5\xAD\x97*"},
    {"a\xE3\x80\x80OR\xC2\xA0"
     "b",
     "a b", NULL},
    {"it's e.g. don't!", "it's e.g. don't!", "+it's +e.g. +don't!"},
    {"a~1 b~2^3", "a~1 b~2^3", "+a~1 +b~2^3"},
    {"na\xC3\xAFve~2", "na\xC3\xAFve~2", "+na\xC3\xAFve~2"},
    {"a?~1 b!~2", "a~1 b~2", "+a~1 +b~2"},
    {"wor?d w*d a?* b*c*", "wor?d w*d a?* b*c*", "+wor?d +w*d +a?* +b*c*"},
    {"w?rd?! w*d? a*? b*!", "w?rd w*d a* b*", "+w?rd +w*d +a* +b*"},
    {"a\\?b what\\? a\\*b?c", "a\\?b what\\? a\\*b?c", "+a\\?b +what\\? +a\\*b?c"},
    {"what? why! really?! ? !! ?!", "what? why! really?! ? !! ?!",
     "+what? +why! +really?! +? +!! +?!"},
    {"a !b", "a -b", "+a -b"},
    {"a !(b c) !\"d e\"", "a -(b c) -\"d e\"", "+a -(+b +c) -\"d e\""},
    {"a ! b", "a ! b", "+a +! +b"},
    {"a != b!c", "a -= b!c", "+a -= +b!c"},
    {"a && b", "+a +b", "+a +b"},
    {"a&&b||c", "(+a +b) c", NULL},
    {"a || b", "a b", NULL},
    {"a & b | c", "a & b | c", "+a +& +b +| +c"},
    {"a&b|c", "a&b|c", "+a&b|c"},
    {"a AND !b", "+a -b", "+a -b"},
    {"std::vector a: b :c :d: 12:30 http://x a:/ :: a::",
     "std::vector a: b :c :d: 12:30 http://x a:/ :: a::",
     "+std::vector +a: +b +:c +:d: +12:30 +http://x +a:/ +:: +a::"},
    {"title\\:gcc a:, b:;", "title\\:gcc a:, b:;", "+title\\:gcc +a:, +b:;"},
    {"[1] [see TO] [a to b] {x}", "[1] [see TO] [a to b] {x}", "+[1] +[see +TO] +[a +to +b] +{x}"},
    {"(a OR b) (c OR d) NOT (e OR f)", "(a b) (c d) -(e f)", "+(a b) +(c d) -(e f)"},
};

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        for (int mode = RP_MODE_OR; mode <= RP_MODE_ANDOR; mode++) {
            rp__buf out;
            rp__buf_init(&out);
            rp_error err = {0};
            const char *query = good[i].query;
            rp_status status = parse(query, strlen(query), (rp_mode)mode, NULL, &out, &err);
            if (status != RP_OK)
                fail_msg("%s: %s", query, err.text);
            const char *want =
                mode == RP_MODE_OR || !good[i].in_and ? good[i].in_or : good[i].in_and;
            assert_string_equal((const char *)out.at, want);
            rp__buf_free(&out);
        }
}

/* ---- What does not --------------------------------------------------------------------------- */

static const struct {
    const char *query, *text;
} bad[] = {
    {"", "the query is empty"},
    {"  \t \xE3\x80\x80", "the query is empty"},
    {"AND", "column 1: expected a word, a phrase or '(' before AND"},
    {"OR a", "column 1: expected a word, a phrase or '(' before OR"},
    {"NOT", "column 4: expected a word, a phrase or '(' after NOT"},
    {"a AND", "column 6: expected a word, a phrase or '(' after AND"},
    {"a OR ", "column 6: expected a word, a phrase or '(' after OR"},
    {"a AND OR b", "column 7: expected a word, a phrase or '(' after AND"},
    {"a OR AND b", "column 6: expected a word, a phrase or '(' after OR"},
    {"a AND AND b", "column 7: expected a word, a phrase or '(' after AND"},
    {"a NOT", "column 6: expected a word, a phrase or '(' after NOT"},
    {"a NOT NOT b", "column 7: expected a word, a phrase or '(' after NOT"},
    {"a NOT -b", "column 7: expected a word, a phrase or '(' after NOT"},
    {"a --b", "column 4: expected a word, a phrase or '(' after '-'"},
    {"a ++b", "column 4: expected a word, a phrase or '(' after '+'"},
    {"a +-b", "column 4: expected a word, a phrase or '(' after '+'"},
    {"a -+b", "column 4: expected a word, a phrase or '(' after '-'"},
    {"a +NOT b", "column 4: expected a word, a phrase or '(' after '+'"},
    {"a +AND b", "column 4: expected a word, a phrase or '(' after '+'"},
    {"a +)", "column 4: ')' without a '(' before it"},
    {"(a AND)", "column 7: expected a word, a phrase or '(' after AND"},
    {"(AND a)", "column 2: expected a word, a phrase or '(' after '('"},
    {"(a NOT) b", "column 7: expected a word, a phrase or '(' after NOT"},
    {"-", "column 1: expected a word, a phrase or '(' right after '-'; '\\' takes it as it is"},
    {"a - b", "column 3: expected a word, a phrase or '(' right after '-'; '\\' takes it as it is"},
    {"a +", "column 3: expected a word, a phrase or '(' right after '+'; '\\' takes it as it is"},
    {"+a AND b", "column 1: '+' cannot stand beside AND or OR; use parentheses"},
    {"a AND +b", "column 7: '+' cannot stand beside AND or OR; use parentheses"},
    {"a OR +b", "column 6: '+' cannot stand beside AND or OR; use parentheses"},
    {"x +a OR b", "column 3: '+' cannot stand beside AND or OR; use parentheses"},
    {"x +(a) OR b", "column 3: '+' cannot stand beside AND or OR; use parentheses"},
    {"-a", "column 1: only excluded words here; add one to look for"},
    {"NOT a", "column 1: only excluded words here; add one to look for"},
    {"  -a -b", "column 3: only excluded words here; add one to look for"},
    {"a (-b)", "column 3: only excluded words here; add one to look for"},
    {"a (-b -c)", "column 3: only excluded words here; add one to look for"},
    {"a AND (NOT b)", "column 7: only excluded words here; add one to look for"},
    {"a NOT (-b)", "column 7: only excluded words here; add one to look for"},
    {"a OR NOT b AND NOT c", "column 6: only excluded words here; add one to look for"},
    {"x NOT a OR -b y", "column 3: only excluded words here; add one to look for"},
    {"()", "column 1: nothing between the parentheses"},
    {"a (  ) b", "column 3: nothing between the parentheses"},
    {"a ((b) ())", "column 8: nothing between the parentheses"},
    {"(a", "column 1: '(' is never closed"},
    {"a (b (c)", "column 3: '(' is never closed"},
    {"(", "column 2: expected a word, a phrase or '(' after '('"},
    {"a)", "column 2: ')' without a '(' before it"},
    {")", "column 1: ')' without a '(' before it"},
    {"(a))", "column 4: ')' without a '(' before it"},
    {"a \"b", "column 3: the quote is never closed"},
    {"\"", "column 1: the quote is never closed"},
    {"\"a\\\"", "column 1: the quote is never closed"},
    {"*", "column 1: '*' needs the start of a word right before it; '\\' takes it as it is"},
    {"a *", "column 3: '*' needs the start of a word right before it; '\\' takes it as it is"},
    {"(a)*", "column 4: '*' needs the start of a word right before it; '\\' takes it as it is"},
    {"a**", "column 3: one '*' is enough"},
    {"a*b**c", "column 5: one '*' is enough"},
    {"?a", "column 1: '?' needs the start of a word right before it; '\\' takes it as it is"},
    {"a ??b?", "column 3: '?' needs the start of a word right before it; '\\' takes it as it is"},
    {"a*~2", "column 3: '~' cannot stand beside '*' or '?'"},
    {"a?b~1", "column 4: '~' cannot stand beside '*' or '?'"},
    {"a~", "column 3: expected 1 or 2 after '~': how many letters of the word may differ"},
    {"a~0", "column 3: expected 1 or 2 after '~': how many letters of the word may differ"},
    {"a~3", "column 3: expected 1 or 2 after '~': how many letters of the word may differ"},
    {"a~99999999999",
     "column 3: expected 1 or 2 after '~': how many letters of the word may differ"},
    {"a~1.5", "column 3: expected 1 or 2 after '~': how many letters of the word may differ"},
    {"a~b", "column 3: expected 1 or 2 after '~': how many letters of the word may differ"},
    {"a~1~1", "column 4: '~' needs a word or a phrase right before it; '\\' takes it as it is"},
    {"?~1", "column 2: '~' needs a word or a phrase right before it; '\\' takes it as it is"},
    {"~2", "column 1: '~' needs a word or a phrase right before it; '\\' takes it as it is"},
    {"(a)~2", "column 4: '~' needs a word or a phrase right before it; '\\' takes it as it is"},
    {"title:gcc", "column 6: fields are not supported yet; put it in quotes: \"title:gcc\""},
    {"a title:\"b c\"", "column 8: fields are not supported yet; put it in quotes: \"title:\""},
    {"title:(b c)", "column 6: fields are not supported yet; put it in quotes: \"title:\""},
    {"date:[2020 TO 2021]",
     "column 5: fields are not supported yet; put it in quotes: \"date:[2020\""},
    {"size:>10", "column 5: fields are not supported yet; put it in quotes: \"size:>10\""},
    {"title:*", "column 6: fields are not supported yet; put it in quotes: \"title:*\""},
    {"a:\xC3\xA9", "column 2: fields are not supported yet; put it in quotes: \"a:\xC3\xA9\""},
    {"http://x/a:b", "column 11: fields are not supported yet; put it in quotes: \"http://x/a:b\""},
    {"[2020 TO 2021]", "column 1: ranges as in [a TO b] are not supported yet; put it in quotes"},
    {"a {b TO * }", "column 3: ranges as in [a TO b] are not supported yet; put it in quotes"},
    {"a [ b TO c]", "column 3: ranges as in [a TO b] are not supported yet; put it in quotes"},
    {"!a", "column 1: only excluded words here; add one to look for"},
    {"a !!b", "column 4: expected a word, a phrase or '(' after '!'"},
    {"a !-b", "column 4: expected a word, a phrase or '(' after '!'"},
    {"a NOT !b", "column 7: expected a word, a phrase or '(' after NOT"},
    {"a &&", "column 5: expected a word, a phrase or '(' after '&&'"},
    {"|| a", "column 1: expected a word, a phrase or '(' before '||'"},
    {"a && || b", "column 6: expected a word, a phrase or '(' after '&&'"},
    {"a||", "column 4: expected a word, a phrase or '(' after '||'"},
    {"+a && b", "column 1: '+' cannot stand beside AND or OR; use parentheses"},
    {"^2", "column 1: '^' needs a word, a phrase or ')' right before it; '\\' takes it as it is"},
    {"a ^2", "column 3: '^' needs a word, a phrase or ')' right before it; '\\' takes it as it is"},
    {"a AND^2 b",
     "column 6: '^' needs a word, a phrase or ')' right before it; '\\' takes it as it is"},
    {"\"a\"~", "column 5: expected a whole number of words after '~'"},
    {"\"a\"~x", "column 5: expected a whole number of words after '~'"},
    {"\"a\"~-1", "column 5: expected a whole number of words after '~'"},
    {"\"a\"~1.5", "column 5: expected a whole number of words after '~'"},
    {"\"a\"^2~1", "column 6: '~' cannot stand after a boost"},
    {"a^", "column 3: expected a number after '^'"},
    {"a^ 2", "column 3: expected a number after '^'"},
    {"a^^2", "column 3: expected a number after '^'"},
    {"a^2^3", "column 4: '^' cannot stand after a boost"},
    {"a^x", "column 3: a boost is a number from 0 to 1000000, not 'x'"},
    {"a^.", "column 3: a boost is a number from 0 to 1000000, not '.'"},
    {"a^1e", "column 3: a boost is a number from 0 to 1000000, not '1e'"},
    {"a^2x", "column 3: a boost is a number from 0 to 1000000, not '2x'"},
    {"a^0x10", "column 3: a boost is a number from 0 to 1000000, not '0x10'"},
    {"a^1.2.3", "column 3: a boost is a number from 0 to 1000000, not '1.2.3'"},
    {"a^NaN", "column 3: a boost is a number from 0 to 1000000, not 'NaN'"},
    {"a^inf", "column 3: a boost is a number from 0 to 1000000, not 'inf'"},
    {"a^1e308", "column 3: a boost is a number from 0 to 1000000, not '1e308'"},
    {"a^1e99999999999999999999",
     "column 3: a boost is a number from 0 to 1000000, not '1e99999999999999999999'"},
    {"a^1000000.1", "column 3: a boost is a number from 0 to 1000000, not '1000000.1'"},
    {"a^-1", "column 3: a boost is a number from 0 to 1000000, not '-1'"},
    {"(a^1000 b)^1001", "column 11: boosts multiply to more than 1000000"},
    {"a\\", "column 2: '\\' must have a character after it"},
    {"\"a\\", "column 3: '\\' must have a character after it"},
    {"na\xC3\xAFve AND", "column 10: expected a word, a phrase or '(' after AND"},
    {"\xE6\xBC\xA2\xE5\xAD\x97 )", "column 4: ')' without a '(' before it"},
    {"ab\xFF", "column 3: byte 0xFF is not UTF-8"},
    {"\xC3\xAF\xED\xA0\x80", "column 2: byte 0xED is not UTF-8"},
    {"\xC3", "column 1: byte 0xC3 is not UTF-8"},
};

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int mode = RP_MODE_OR; mode <= RP_MODE_ANDOR; mode++) {
            rp_error err = {0};
            const char *query = bad[i].query;
            rp_status status = parse(query, strlen(query), (rp_mode)mode, NULL, NULL, &err);
            if (status != RP_USAGE)
                fail_msg("%s: status %d", query, status);
            assert_int_equal(err.code, RP_USAGE);
            if (strcmp(err.text, bad[i].text) != 0)
                fail_msg("%s:\n  got  %s\n  want %s", query, err.text, bad[i].text);
        }
    assert_int_equal(parse("a AND", 5, RP_MODE_OR, NULL, NULL, NULL), RP_USAGE);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static char *repeat(const char *unit, size_t n, const char *middle, const char *end_unit)
{
    size_t bytes = n * (strlen(unit) + strlen(end_unit)) + strlen(middle) + 1;
    char *text = malloc(bytes), *at = text;
    assert_non_null(text);
    for (size_t i = 0; i < n; i++, at += strlen(unit))
        memcpy(at, unit, strlen(unit));
    memcpy(at, middle, strlen(middle));
    at += strlen(middle);
    for (size_t i = 0; i < n; i++, at += strlen(end_unit))
        memcpy(at, end_unit, strlen(end_unit));
    *at = 0;
    return text;
}

static void expect(char *query, const rp_search_options *options, rp_status want, const char *text)
{
    rp_error err = {0};
    rp_status status = parse(query, strlen(query), RP_MODE_OR, options, NULL, &err);
    if (status != want)
        fail_msg("%.60s: status %d, %s", query, status, err.text);
    if (text)
        assert_string_equal(err.text, text);
    free(query);
}

static void test_limits(void **state)
{
    (void)state;
    expect(repeat("(", 32, "a", ")"), NULL, RP_OK, NULL);
    expect(repeat("(", 33, "a", ")"), NULL, RP_LIMIT,
           "column 33: parentheses deeper than 32; raise --max-depth");
    rp_search_options two_deep = {.max_depth = 2};
    expect(strdup("((a) b)"), &two_deep, RP_OK, NULL);
    expect(strdup("((a) (b (c)))"), &two_deep, RP_LIMIT,
           "column 9: parentheses deeper than 2; raise --max-depth");
    expect(repeat("a ", 1024, "", ""), NULL, RP_OK, NULL);
    expect(repeat("a ", 1025, "", ""), NULL, RP_LIMIT,
           "column 2049: more than 1024 words; raise --max-terms");
    rp_search_options two = {.max_terms = 2};
    expect(strdup("a* \"b c\""), &two, RP_OK, NULL);
    expect(strdup("a* \"b c\" d"), &two, RP_LIMIT,
           "column 10: more than 2 words; raise --max-terms");
    expect(repeat("x ", 32, "\"", "x "), NULL, RP_USAGE, NULL);
    rp_search_options three = {.max_phrase = 3};
    expect(strdup("z \"a - b c\""), &three, RP_OK, NULL);
    expect(strdup("z \"a b c d\""), &three, RP_LIMIT,
           "column 3: a phrase of more than 3 words; raise --max-phrase");
    expect(strdup("\"a b\"~10000"), NULL, RP_OK, NULL);
    expect(strdup("\"a b\"~10001"), NULL, RP_LIMIT,
           "column 7: a slop of 10001 is over 10000; raise --max-slop");
    rp_search_options five = {.max_query = 5};
    expect(strdup("abcde"), &five, RP_OK, NULL);
    expect(strdup("abcdef"), &five, RP_LIMIT,
           "the query has 6 bytes, more than 5; raise --max-query");
}

static void test_defaults(void **state)
{
    (void)state;
    rp_search_options o = {0};
    rp__plan_defaults(&o);
    assert_int_equal(o.k, 10);
    assert_int_equal(o.max_k, 10000);
    assert_int_equal(o.max_query, 64 << 10);
    assert_int_equal(o.max_terms, 1024);
    assert_int_equal(o.max_expansions, 1024);
    assert_int_equal(o.max_phrase, 64);
    assert_int_equal(o.max_slop, 10000);
    assert_int_equal(o.max_depth, 32);
    assert_int_equal(o.max_memory, 64 << 20);
    assert_int_equal(o.max_work, 40000000);
    rp_search_options mine = {.k = 3, .max_depth = 7, .max_work = 1};
    rp__plan_defaults(&mine);
    assert_int_equal(mine.k, 3);
    assert_int_equal(mine.max_depth, 7);
    assert_int_equal(mine.max_work, 1);
}

/* ---- Bombs ----------------------------------------------------------------------------------- */

enum { BOMB_STACK = 64 << 10 };

typedef struct bomb {
    const char *unit;
    size_t n;
    const char *middle, *end_unit;
    bool is_past_size; /* with --max-query lifted */
} bomb;

static const bomb bombs[] = {
    {"(", 1000000, "a", ")", false},
    {"(", 1000000, "a", ")", true},
    {"(", 1000000, "", "", true},
    {")", 1000000, "", "", true},
    {"a ", 100000, "", "", true},
    {"a OR ", 100000, "b", "", true},
    {"-", 1000000, "", "", true},
    {"NOT ", 200000, "", "", true},
    {"\"", 60000, "", "", true},
    {"\"\"", 30000, "", "", true},
    {"a^2 ", 16000, "", "", true},
    {"\\", 60000, "", "", true},
    {"a AND (b OR ", 5000, "c", ")", false},
    {"((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))^2 ", 960, "", "", false},
    {"\xC3\xAF", 30000, "", "", false},
};

typedef struct bomb_run {
    char *text;
    bool is_past_size;
    size_t arena_bytes;
    rp_status status;
} bomb_run;

static void *run_bomb(void *arg)
{
    bomb_run *run = arg;
    rp_search_options options = {.max_query = run->is_past_size ? 16 << 20 : 0};
    rp__plan_defaults(&options);
    rp__arena arena;
    rp__arena_init(&arena, 8 << 20);
    rp__syntax syntax;
    rp_error err;
    run->status =
        rp__query_parse(run->text, strlen(run->text), RP_MODE_OR, &options, &arena, &syntax, &err);
    run->arena_bytes = arena.used;
    rp__arena_reset(&arena);
    return NULL;
}

/* aarch64 gives no thread less than 128 KiB. */
static size_t bomb_stack(void)
{
    size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);
    return least > BOMB_STACK ? least : BOMB_STACK;
}

static void test_bombs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        bomb_run run = {repeat(bombs[i].unit, bombs[i].n, bombs[i].middle, bombs[i].end_unit),
                        bombs[i].is_past_size, 0, RP_OK};
        pthread_attr_t attr;
        pthread_t thread;
        assert_int_equal(pthread_attr_init(&attr), 0);
        assert_int_equal(pthread_attr_setstacksize(&attr, bomb_stack()), 0);
        assert_int_equal(pthread_create(&thread, &attr, run_bomb, &run), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        pthread_attr_destroy(&attr);
        if (run.arena_bytes > 8 << 20 || run.status == RP_NO_MEMORY)
            fail_msg("bomb %zu: %zu bytes, status %d", i, run.arena_bytes, run.status);
        free(run.text);
    }
}

/* A query that the arena cannot hold is refused. */
static void test_no_memory(void **state)
{
    (void)state;
    rp_search_options options = {0};
    rp__plan_defaults(&options);
    size_t refused = 0;
    for (size_t cap = 0; cap < 4096; cap += 64) {
        rp__arena arena;
        rp__arena_init(&arena, cap);
        rp__syntax syntax;
        rp_error err = {0};
        rp_status status =
            rp__query_parse("a (b OR c)", 10, RP_MODE_OR, &options, &arena, &syntax, &err);
        assert_true(status == RP_OK || (status == RP_NO_MEMORY && err.text[0]));
        refused += status == RP_NO_MEMORY;
        rp__arena_reset(&arena);
    }
    assert_true(refused > 2 && refused < 32);
}

/* ---- Soup ------------------------------------------------------------------------------------ */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* What parses, printed and parsed again, prints the same. */
static void check_round(const char *query, size_t bytes, rp_mode mode)
{
    rp_search_options deep = {.max_depth = 1000, .max_terms = 100000};
    rp__buf once, twice;
    rp__buf_init(&once);
    rp__buf_init(&twice);
    rp_error err = {0};
    rp_status status = parse(query, bytes, mode, &deep, &once, &err);
    assert_true(status == RP_OK || (status == RP_USAGE && err.text[0]) || status == RP_LIMIT);
    if (status == RP_OK) {
        assert_false(once.failed);
        status = parse((const char *)once.at, once.n - 1, RP_MODE_OR, &deep, &twice, &err);
        if (status != RP_OK)
            fail_msg("%.*s\n%s\n%s", (int)bytes, query, once.at, err.text);
        assert_string_equal((const char *)once.at, (const char *)twice.at);
    }
    rp__buf_free(&once);
    rp__buf_free(&twice);
}

static void test_soup(void **state)
{
    (void)state;
    static const char *const tokens[] = {
        "a",       "b",  "word", "(",     "(",    ")",     ")",           " ",
        " ",       " ",  " ",    " AND ", " OR ", " NOT ", " -",          " +",
        "\"a b\"", "\"", "*",    "~2",    "^2",   "^0.5",  "\\",          "\xC3\xAF",
        "c*",      "-",  "+",    "AND",   "\xFF", "^1e9",  "\xE3\x80\x80"};
    uint64_t seed = 88172645463325252U;
    for (int round = 0; round < 200000; round++) {
        char query[256];
        size_t n = 0, want = next_random(&seed) % 14 + 1;
        for (size_t i = 0; i < want; i++) {
            const char *token = tokens[next_random(&seed) % (sizeof tokens / sizeof *tokens)];
            memcpy(query + n, token, strlen(token));
            n += strlen(token);
        }
        check_round(query, n, (rp_mode)(next_random(&seed) % 3));
    }
}

/* Queries made by the grammar, so that nearly all of them parse. */
static size_t grow_query(uint64_t *seed, char *query, size_t cap)
{
    size_t n = 0, depth = 0;
    bool wants_operand = true;
    while (n + 64 < cap && (wants_operand || depth > 0 || next_random(seed) % 12)) {
        uint64_t r = next_random(seed);
        const char *piece;
        if (wants_operand && r % 5 == 0 && depth < 20) {
            piece = "(";
            depth++;
        } else if (wants_operand) {
            static const char *const leaves[] = {"a", "b^2", "c*", "\"d e\"", "\"f g\"~3^0.5"};
            piece = leaves[r / 8 % 5];
            wants_operand = false;
        } else if (depth > 0 && r % 4 == 0) {
            piece = r % 8 == 0 ? ")^2" : ")";
            depth--;
        } else {
            static const char *const joins[] = {" ", " AND ", " OR ", " AND NOT ", " OR -", " "};
            piece = joins[r / 8 % 6];
            wants_operand = true;
        }
        memcpy(query + n, piece, strlen(piece));
        n += strlen(piece);
    }
    if (wants_operand)
        query[n++] = 'z';
    for (; depth > 0; depth--)
        query[n++] = ')';
    return n;
}

static void test_grown(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        char query[1024];
        size_t n = grow_query(&seed, query, 900);
        rp_search_options deep = {.max_depth = 100};
        rp_error err = {0};
        rp_status status = parse(query, n, RP_MODE_AND, &deep, NULL, &err);
        if (status != RP_OK && !strstr(err.text, "boosts multiply") &&
            !strstr(err.text, "only excluded"))
            fail_msg("%.*s: %s", (int)n, query, err.text);
        check_round(query, n, (rp_mode)(round % 3));
    }
}

/* The bytes may end anywhere: nothing past them is read. */
static void test_ends_anywhere(void **state)
{
    (void)state;
    static const char query[] = "+a (b OR \"c d\"~2^3 -\xE6\xBC\xA2*)^2.5 \\( AND";
    for (size_t n = 0; n < sizeof query; n++) {
        char *copy = malloc(n ? n : 1);
        assert_non_null(copy);
        memcpy(copy, query, n);
        rp_error err;
        parse(copy, n, RP_MODE_OR, NULL, NULL, &err);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),          cmocka_unit_test(test_bad),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_bombs),         cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_soup),          cmocka_unit_test(test_grown),
        cmocka_unit_test(test_ends_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
