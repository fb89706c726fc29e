/* test_wikitext.c: each kind of markup, nesting without end, and what is never closed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/wikitext.h"

static void expect(const char *wiki, const char *text)
{
    rp__buf out;
    rp__buf_init(&out);
    char *exact = malloc(strlen(wiki) + 1);
    memcpy(exact, wiki, strlen(wiki));
    rp__wikitext_put(exact, strlen(wiki), &out);
    free(exact);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((char *)out.at, text);
    rp__buf_free(&out);
}

static void test_links(void **state)
{
    (void)state;
    expect("a [[cat]] and [[cat|cats]]s", "a cat and catss");
    expect("[[File:x.jpg|thumb|200px|A [[big|large]] cat]]", "A large cat");
    expect("[[:Category:Cats]] [[Category:Cats]]", "Category:Cats Category:Cats");
    expect("[https://example.org the site] [https://example.org]", " the site ");
    expect("an [array] of ]] and [[open", "an [array] of ]] and open");
    expect("[[open\n| x ]]", "open\n| x ]]");
}

static void test_templates(void **state)
{
    (void)state;
    expect("a{{info|x={{y|z}}|[[link|l]]}}b", "ab");
    expect("{{Infobox\n| name = x\n| y = [[z]]\n}}\nText", "\nText");
    expect("never {{closed | x", "never closed | x");
    expect("closed }} only", "closed }} only");
    expect("{{a [[b }} c]]", " c]]");
}

static void test_lines(void **state)
{
    (void)state;
    expect("== History ==\n=== Old === \nx = y == z\n", " History \n Old  \nx = y == z\n");
    expect("* one\n** two\n# three\n: four\n;five", " one\n two\n three\n four\nfive");
    expect("----\nx", "\nx");
    expect("'''bold''' and ''it's''", "bold and it's");
    expect("__NOTOC__a __x__ b_c", "a __x__ b_c");
}

static void test_tables(void **state)
{
    (void)state;
    expect("{| class=\"wikitable\"\n|+ Cats\n|-\n! Name !! Age\n|-\n| Tom || 3\n| style=\"x\" | "
           "Kit\n|}\nx",
           "\n Cats\n\n Name !! Age\n\n Tom  3\n Kit\n\nx");
    expect("a | b\n| c", "a | b\n| c"); /* no table is open */
}

static void test_tags(void **state)
{
    (void)state;
    expect("a<!-- [[no]] -->b", "ab");
    expect("fact<ref name=\"x\">Book, p. 5</ref>. More<ref name=x />.", "fact . More .");
    expect("a<br>b <nowiki>x</nowiki> 1 < 2", "a b x  1 < 2");
    expect("5&nbsp;m &amp; more", "5\xC2\xA0m & more");
    expect("open <ref>note", "open note");
    expect("open <!-- comment", "open <!-- comment");
}

/* Deeper than the stack of places: text, no crash, linear. */
static void test_deep(void **state)
{
    (void)state;
    static const char *const pieces[] = {"{{", "[[", "[[a|",  "{{[[",    "{|\n",
                                         "}}", "]]", "<ref>", "[http://"};
    size_t n = 500000;
    char *wiki = malloc(n);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t m = strlen(pieces[i]);
        for (size_t k = 0; k < n; k++)
            wiki[k] = pieces[i][k % m];
        rp__buf out;
        rp__buf_init(&out);
        rp__wikitext_put(wiki, n, &out);
        assert_true(out.n <= n);
        rp__buf_free(&out);
    }
    free(wiki);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links), cmocka_unit_test(test_templates),
        cmocka_unit_test(test_lines), cmocka_unit_test(test_tables),
        cmocka_unit_test(test_tags),  cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests_name("wikitext", tests, NULL, NULL);
}
