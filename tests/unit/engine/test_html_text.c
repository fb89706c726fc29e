/* test_html_text.c: what a reader sees of a page, and pages of any bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/html_text.h"

static void expect(const char *page, const char *title, const char *text)
{
    rp__buf a, b;
    rp__buf_init(&a);
    rp__buf_init(&b);
    char *exact = malloc(strlen(page) + 1); /* so that a sanitizer sees reads past its end */
    memcpy(exact, page, strlen(page));
    rp__html_text_put(exact, strlen(page), &a, &b);
    free(exact);
    rp__buf_put_byte(&a, 0);
    rp__buf_put_byte(&b, 0);
    assert_string_equal((char *)a.at, title);
    assert_string_equal((char *)b.at, text);
    rp__buf_free(&a);
    rp__buf_free(&b);
}

static void test_pages(void **state)
{
    (void)state;
    expect("", "", "");
    expect("plain", "", "plain");
    expect("<html><head><title>A &amp; B</title></head><body><p>one<p>two</body>", "A & B",
           "one\ntwo\n");
    expect("<b>H</b>ello <i class='x'>w</i>orld", "", "Hello world");
    expect("a<br>b<br/>c<BR >d", "", "a\nb\nc\nd");
    expect("<TITLE>T</TITLE>x<title>no second</title>", "T", "x\nno second\n");
    expect("<td>1</td><td>2</td>", "", "1\n2\n");
}

static void test_dropped(void **state)
{
    (void)state;
    expect("a<script>if (x < 1) { y(\"</p>\"); }</script>b", "", "a\nb");
    expect("a<STYLE type=text/css>p { x: y }</Style>b", "", "a\nb");
    expect("a<!-- no > <b> -->b", "", "ab");
    expect("a<script>never closed", "", "a");
    expect("a<script src=x></script>b<style/>c</style>d", "", "a\nb\nd");
}

static void test_entities(void **state)
{
    (void)state;
    expect("&lt;b&gt; caf&eacute; &#233; &#xE9; &euro;&nbsp;5", "",
           "<b> café é é €\xC2\xA0"
           "5");
    expect("AT&T &unknown; &; & &#; &#0; &#xD800; &#9999999;", "",
           "AT&T &unknown; &; & &#; &#0; &#xD800; &#9999999;");
    expect("&amp", "", "&amp");
    expect("&thetasym;&", "", "ϑ&");
}

static void test_not_tags(void **state)
{
    (void)state;
    expect("1 < 2 and 3 > 2", "", "1 < 2 and 3 > 2");
    expect("a <- b <", "", "a <- b <");
    expect("x <b", "", "x <b");
    expect("x <!-- open", "", "x <!-- open");
    expect("<a title=\"1 > 0\">x</a>", "", "x");
    expect("<a title='1 > 0\">x</a>", "", " 0\">x"); /* a quote that does not close */
}

/* Worst cases stay linear: half a million brackets. */
static void test_many_brackets(void **state)
{
    (void)state;
    static const char *const pieces[] = {"<", "<!--", "<a \"", "<script", "&", "<p>"};
    size_t n = 500000;
    char *page = malloc(n);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t m = strlen(pieces[i]);
        for (size_t k = 0; k < n; k++)
            page[k] = pieces[i][k % m];
        rp__buf a, b;
        rp__buf_init(&a);
        rp__buf_init(&b);
        rp__html_text_put(page, n, &a, &b);
        assert_true(a.n + b.n <= n);
        rp__buf_free(&a);
        rp__buf_free(&b);
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),         cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_entities),      cmocka_unit_test(test_not_tags),
        cmocka_unit_test(test_many_brackets),
    };
    return cmocka_run_group_tests_name("html_text", tests, NULL, NULL);
}
