/* test_json.c: the pull parser: grammar, strings, faults with their offsets, depth, and its fast scan
 * against a plain one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/utf8.h"

/* Runs over the text; every token becomes a letter, strings follow in <>. */
static rp_status trace(rp__json *json, const char *text, size_t bytes, uint32_t depth, rp__buf *out)
{
    rp__json_type type;
    rp_status status;
    out->n = 0;
    rp__json_start(json, text, bytes, depth);
    do {
        status = rp__json_next(json, &type);
        if (status != RP_OK)
            break;
        rp__buf_put_byte(out, (uint8_t) "E{}[]ksntf0"[type]);
        if (type == RP_JSON_KEY || type == RP_JSON_STRING || type == RP_JSON_NUMBER) {
            rp__buf_put_byte(out, '<');
            rp__buf_put(out, json->string, json->string_bytes);
            rp__buf_put_byte(out, '>');
        }
    } while (type != RP_JSON_END);
    rp__buf_put_byte(out, 0);
    return status;
}

/* The text is copied to a block of exactly its size, so that a sanitizer sees every byte too far. */
static rp_status trace_exact(const char *text, size_t bytes, uint32_t depth, rp__buf *out,
                             const char **fault, size_t *offset)
{
    rp__json json;
    rp__json_init(&json);
    char *copy = malloc(bytes ? bytes : 1);
    memcpy(copy, text, bytes);
    rp_status status = trace(&json, copy, bytes, depth, out);
    *fault = json.fault;
    *offset = json.fault_offset;
    if (status != RP_OK) {
        rp__json_type type;
        assert_int_not_equal(rp__json_next(&json, &type), RP_OK); /* a fault stays */
        assert_true(json.fault_offset <= bytes);
    }
    free(copy);
    rp__json_free(&json);
    return status;
}

static void expect_tokens(const char *text, const char *tokens)
{
    rp__buf out;
    const char *fault;
    size_t offset;
    rp__buf_init(&out);
    assert_int_equal(trace_exact(text, strlen(text), 64, &out, &fault, &offset), RP_OK);
    assert_string_equal((char *)out.at, tokens);
    rp__buf_free(&out);
}

static void expect_fault_bytes(const char *text, size_t bytes, size_t at, const char *what)
{
    rp__buf out;
    const char *fault;
    size_t offset;
    rp__buf_init(&out);
    assert_int_equal(trace_exact(text, bytes, 64, &out, &fault, &offset), RP_INPUT);
    if (offset != at || !strstr(fault, what))
        fail_msg("%s: \"%s\" at %zu, not \"%s\" at %zu", text, fault, offset, what, at);
    rp__buf_free(&out);
}

static void expect_fault(const char *text, size_t at, const char *what)
{
    expect_fault_bytes(text, strlen(text), at, what);
}

static void test_values(void **state)
{
    (void)state;
    expect_tokens("{}", "{}E");
    expect_tokens(" [ ] ", "[]E");
    expect_tokens("\t\r\n\"\"\n", "s<>E");
    expect_tokens("true", "tE");
    expect_tokens("false", "fE");
    expect_tokens("null", "0E");
    expect_tokens("{\"a\":1,\"b\":[true,{\"c\":null}],\"\":\"x\"}",
                  "{k<a>n<1>k<b>[t{k<c>0}]k<>s<x>}E");
    expect_tokens("[[],[[]],{}]", "[[][[]]{}]E");
    expect_tokens("[ 1 , 2 ,\n3 ]", "[n<1>n<2>n<3>]E");
    expect_tokens("{ \"a\" : \"b\" }", "{k<a>s<b>}E");
}

static void test_numbers(void **state)
{
    (void)state;
    expect_tokens("[0,-0,10,-1.5,1e5,1E+5,0.0e-12]",
                  "[n<0>n<-0>n<10>n<-1.5>n<1e5>n<1E+5>n<0.0e-12>]E");
    expect_tokens("123456789012345678901234567890", "n<123456789012345678901234567890>E");
    expect_fault("01", 0, "number");
    expect_fault("[-01]", 2, "number");
    expect_fault("[-]", 2, "number");
    expect_fault("[+1]", 1, "expected a value");
    expect_fault("[.5]", 1, "expected a value");
    expect_fault("[1.]", 3, "decimal point");
    expect_fault("[1.e5]", 3, "decimal point");
    expect_fault("[1e]", 3, "exponent");
    expect_fault("[1e+]", 4, "exponent");
    expect_fault("[0x10]", 2, "expected ','");
    expect_fault("1 2", 2, "more text");
    expect_fault("-", 1, "ends too soon");
    expect_fault("[NaN]", 1, "expected a value");
    expect_fault("[Infinity]", 1, "expected a value");
}

static void test_grammar_faults(void **state)
{
    (void)state;
    expect_fault("", 0, "ends too soon");
    expect_fault("  ", 2, "ends too soon");
    expect_fault("{", 1, "ends too soon");
    expect_fault("[1", 2, "ends too soon");
    expect_fault("[1,", 3, "ends too soon");
    expect_fault("{\"a\"", 4, "ends too soon");
    expect_fault("{\"a\":", 5, "ends too soon");
    expect_fault("{\"a\":1,", 7, "ends too soon");
    expect_fault("{\"a\":1,}", 7, "expected a key");
    expect_fault("{a:1}", 1, "expected a key");
    expect_fault("{,}", 1, "expected a key");
    expect_fault("{\"a\" 1}", 5, "':'");
    expect_fault("{\"a\":}", 5, "expected a value");
    expect_fault("[,]", 1, "expected a value");
    expect_fault("[1,]", 3, "expected a value");
    expect_fault("[1 2]", 3, "',' or ']'");
    expect_fault("[1}", 2, "',' or ']'");
    expect_fault("{\"a\":1]", 6, "',' or '}'");
    expect_fault("{\"a\":1 \"b\":2}", 7, "',' or '}'");
    expect_fault("]", 0, "expected a value");
    expect_fault("}", 0, "expected a value");
    expect_fault("{} {}", 3, "more text");
    expect_fault("[tru]", 4, "true, false or null");
    expect_fault("tru", 3, "ends too soon");
    expect_fault("nul", 3, "ends too soon");
    expect_fault("[nulx]", 4, "true, false or null");
    expect_fault("truex", 4, "more text");
    expect_fault("True", 0, "expected a value");
    expect_fault("'a'", 0, "expected a value");
    expect_fault("[1]// c", 3, "more text");
    expect_fault_bytes("[\0]", 3, 1, "expected a value");
    expect_fault("\xEF\xBB\xBF{}", 0, "expected a value");
}

static void test_escapes(void **state)
{
    (void)state;
    expect_tokens("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "s<\"\\/\b\f\n\r\t>E");
    expect_tokens("\"a\\u0041\\u00e9\\u20AC\\uD834\\udd1ez\"",
                  "s<aA\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9Ez>E");
    expect_tokens("\"\\u0080\\u07ff\\u0800\\uffff\\ud800\\udc00\\udbff\\udfff\"",
                  "s<\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF>E");
    expect_tokens("{\"k\\n\":\"v\\n\",\"p\":\"q\"}", "{k<k\n>s<v\n>k<p>s<q>}E");
    for (int c = 0; c < 256; c++) {
        char text[8] = {'"', '\\', (char)c, '"', 0};
        if (!strchr("\"\\/bfnrtu", c) || c == 0)
            expect_fault_bytes(text, 4, 1, "backslash");
    }
    expect_fault("\"\\u12\"", 1, "four hex");
    expect_fault("\"\\u12g4\"", 1, "four hex");
    expect_fault("\"\\u", 1, "four hex");
    expect_fault("\"\\", 2, "ends too soon");
    expect_fault("\"ab\\ud800\"", 3, "surrogate");
    expect_fault("\"ab\\ud800x\\udc00\"", 3, "surrogate");
    expect_fault("\"ab\\ud800\\n\"", 3, "surrogate");
    expect_fault("\"ab\\ud800\\ud800\"", 3, "surrogate");
    expect_fault("\"ab\\udc00\\ud800\"", 3, "surrogate");
    expect_fault("\"ab\\ud800\\ue000\"", 3, "surrogate");
    expect_fault("\"ab\\udc00\\udc00\"", 3, "surrogate");
    expect_fault("\"ab\\ud800\\u12", 3, "surrogate");
}

static void test_nul_by_escape(void **state)
{
    (void)state;
    rp__json json;
    rp__json_type type;
    rp__json_init(&json);
    rp__json_start(&json, "\"a\\u0000b\"", 10, 1);
    assert_int_equal(rp__json_next(&json, &type), RP_OK);
    assert_int_equal(json.string_bytes, 3);
    assert_memory_equal(json.string, "a\0b", 3);
    rp__json_free(&json);
}

static void test_controls_are_refused(void **state)
{
    (void)state;
    for (int c = 0; c < 0x20; c++)
        for (size_t at = 1; at < 20; at++) {
            char text[24] = "\"aaaaaaaaaaaaaaaaaaaa\"";
            text[at] = (char)c;
            expect_fault_bytes(text, 22, at, "control character");
        }
    expect_tokens("\"\x7F\"", "s<\x7F>E");
}

static void test_invalid_utf8(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\x80", /* a tail alone */
        "\xBF",
        "\xC0\x80",
        "\xC1\xBF", /* overlong, two bytes */
        "\xC3",
        "\xC3(",
        "\xE0\x80\x80",
        "\xE0\x9F\xBF", /* overlong, three */
        "\xE2\x82",
        "\xE2(\xA1",
        "\xED\xA0\x80",
        "\xED\xBF\xBF", /* surrogates */
        "\xF0\x80\x80\x80",
        "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", /* overlong; over U+10FFFF */
        "\xF0\x9D\x84",
        "\xF5\x80\x80\x80",
        "\xFE",
        "\xFF",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (size_t pad = 0; pad < 18; pad++) {
            char text[64];
            int n =
                snprintf(text, sizeof text, "\"%.*s%s\"", (int)pad, "abcdefghijklmnopqrst", bad[i]);
            expect_fault_bytes(text, (size_t)n, 1 + pad, "invalid UTF-8 in string");
            n = snprintf(text, sizeof text, "\"\\n%.*s%s\"", (int)pad, "abcdefghijklmnopqrst",
                         bad[i]);
            expect_fault_bytes(text, (size_t)n, 3 + pad, "invalid UTF-8 in string");
        }
    expect_tokens("\"\xC2\x80\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF\"",
                  "s<\xC2\x80\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF>E");
}

static void test_views(void **state)
{
    (void)state;
    const char text[] = "[\"plain \xC3\xA9 string\",\"esc\\naped\"]";
    rp__json json;
    rp__json_type type;
    rp__json_init(&json);
    uint64_t before = rp__alloc_count();
    rp__json_start(&json, text, sizeof text - 1, 2);
    assert_int_equal(rp__json_next(&json, &type), RP_OK);
    assert_int_equal(rp__json_next(&json, &type), RP_OK);
    assert_ptr_equal(json.string, text + 2);
    assert_int_equal(rp__alloc_count(), before);
    assert_int_equal(rp__json_next(&json, &type), RP_OK);
    assert_ptr_equal(json.string, json.scratch.at);
    rp__json_free(&json);
}

static void test_depth(void **state)
{
    (void)state;
    rp__buf out;
    const char *fault;
    size_t offset;
    rp__buf_init(&out);
    assert_int_equal(trace_exact("[[[]]]", 6, 3, &out, &fault, &offset), RP_OK);
    assert_int_equal(trace_exact("[[{}]]", 6, 2, &out, &fault, &offset), RP_LIMIT);
    assert_int_equal(offset, 2);
    assert_non_null(strstr(fault, "too deep"));
    assert_int_equal(trace_exact("1", 1, 0, &out, &fault, &offset), RP_OK);
    assert_int_equal(trace_exact("[]", 2, 0, &out, &fault, &offset), RP_LIMIT);
    /* A million levels: 1,024 are kept, however many are asked for. */
    size_t n = 1000000;
    char *text = malloc(2 * n);
    memset(text, '[', n);
    memset(text + n, ']', n);
    assert_int_equal(trace_exact(text, 2 * n, UINT32_MAX, &out, &fault, &offset), RP_LIMIT);
    assert_int_equal(offset, 1024);
    assert_int_equal(trace_exact(text + n - 1024, 2048, UINT32_MAX, &out, &fault, &offset), RP_OK);
    free(text);
    rp__buf_free(&out);
}

static void test_skip(void **state)
{
    (void)state;
    const char text[] = "{\"a\":{\"x\":[1,[2,{}]],\"y\":\"\\n\"},\"b\":5,\"c\":[1,2]}";
    rp__json json;
    rp__json_type type;
    rp__json_init(&json);
    rp__json_start(&json, text, sizeof text - 1, 8);
    rp__json_next(&json, &type);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rp__json_next(&json, &type), RP_OK);
        assert_int_equal(type, RP_JSON_KEY);
        assert_int_equal(*json.string, "abc"[i]);
        assert_int_equal(rp__json_skip(&json), RP_OK);
    }
    assert_int_equal(rp__json_next(&json, &type), RP_OK);
    assert_int_equal(type, RP_JSON_OBJECT_END);
    assert_int_equal(rp__json_skip(&json), RP_OK); /* the end may be passed too */
    rp__json_start(&json, "{\"a\":[1,", 8, 8);
    rp__json_next(&json, &type);
    rp__json_next(&json, &type);
    assert_int_equal(rp__json_skip(&json), RP_INPUT);
    rp__json_free(&json);
}

static void test_no_memory(void **state)
{
    (void)state;
    rp__json json;
    rp__json_type type;
    rp__json_init(&json);
    assert_int_equal(rp__json_next(&json, &type), RP_INPUT); /* not started */
    rp__json_start(&json, "\"\\n\"", 4, 1);
    rp__alloc_fail_at(1, true);
    assert_int_equal(rp__json_next(&json, &type), RP_NO_MEMORY);
    rp__alloc_fail_at(0, false);
    rp__json_start(&json, "\"\\n\"", 4, 1); /* a new start forgives */
    assert_int_equal(rp__json_next(&json, &type), RP_OK);
    rp__json_free(&json);
}

/* The byte at which a string that begins at text[0] stops being plain, by a plain loop. */
static size_t plain_stop(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n) {
        unsigned char c = (unsigned char)text[i];
        uint32_t len = rp__utf8_valid(text + i, n - i);
        if (c == '"' || c == '\\' || c < 0x20 || len == 0)
            break;
        i += len;
    }
    return i;
}

static void test_scan_agrees_with_plain(void **state)
{
    (void)state;
    static const char alphabet[] =
        "abc !#[]^~\x1F\x20\x21\x22\x23\x5B\x5C\x5D\x7F\x80\xC2\xC3\xA9\xFF\x00\x02";
    rp__json json;
    rp__json_type type;
    rp__json_init(&json);
    srand(1);
    for (int round = 0; round < 200000; round++) {
        char text[48];
        size_t n = 1 + (size_t)rand() % 40;
        text[0] = '"';
        for (size_t i = 1; i < n; i++)
            text[i] =
                rand() % 8 ? alphabet[rand() % 10] : alphabet[rand() % (int)(sizeof alphabet - 1)];
        size_t stop = 1 + plain_stop(text + 1, n - 1);
        rp__json_start(&json, text, n, 1);
        rp_status status = rp__json_next(&json, &type);
        if (stop < n && text[stop] == '"') {
            assert_int_equal(status, RP_OK);
            assert_int_equal(json.string_bytes, stop - 1);
        } else if (stop == n || text[stop] != '\\') {
            assert_int_equal(status, RP_INPUT);
            assert_int_equal(json.fault_offset, stop);
        }
    }
    rp__json_free(&json);
}

/* Any change of a few bytes is taken or refused, with the fault inside the text. */
static void test_mutations(void **state)
{
    (void)state;
    static const char seed[] =
        "{\"id\":\"a\\u00e9\\ud834\\udd1e\",\"n\":[-1.5e+3,0,true,false,null],"
        "\"t\":\"caf\xC3\xA9 \xE2\x82\xAC\",\"o\":{\"\":{}}}";
    rp__buf out;
    const char *fault;
    size_t offset;
    rp__buf_init(&out);
    srand(2);
    for (int round = 0; round < 20000; round++) {
        char text[sizeof seed];
        memcpy(text, seed, sizeof seed);
        size_t n = sizeof seed - 1;
        for (int k = rand() % 4; k >= 0; k--)
            text[(size_t)rand() % n] = rand() % 2 ? seed[(size_t)rand() % n] : (char)rand();
        if (rand() % 4 == 0)
            n = (size_t)rand() % n;
        rp_status status = trace_exact(text, n, 8, &out, &fault, &offset);
        assert_true(status == RP_OK || status == RP_INPUT || status == RP_LIMIT);
    }
    for (size_t n = 0; n < sizeof seed - 1; n++)
        assert_int_equal(trace_exact(seed, n, 8, &out, &fault, &offset), RP_INPUT);
    rp__buf_free(&out);
}

static void test_long_string(void **state)
{
    (void)state;
    size_t n = 100 << 20;
    char *text = malloc(n);
    memset(text, 'x', n);
    text[0] = text[n - 1] = '"';
    rp__json json;
    rp__json_type type;
    rp__json_init(&json);
    rp__json_start(&json, text, n, 1);
    assert_int_equal(rp__json_next(&json, &type), RP_OK);
    assert_int_equal(json.string_bytes, n - 2);
    text[n / 2] = '\n';
    rp__json_start(&json, text, n, 1);
    assert_int_equal(rp__json_next(&json, &type), RP_INPUT);
    assert_int_equal(json.fault_offset, n / 2);
    free(text);
    rp__json_free(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),         cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_grammar_faults), cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_nul_by_escape),  cmocka_unit_test(test_controls_are_refused),
        cmocka_unit_test(test_invalid_utf8),   cmocka_unit_test(test_views),
        cmocka_unit_test(test_depth),          cmocka_unit_test(test_skip),
        cmocka_unit_test(test_no_memory),      cmocka_unit_test(test_scan_agrees_with_plain),
        cmocka_unit_test(test_mutations),      cmocka_unit_test(test_long_string),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
