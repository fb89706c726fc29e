/* test_corpus_mediawiki.c: pages of a dump. */
#include "collect.h"

static const char dump[] =
    "<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.10/\" xml:lang=\"en\">\n"
    "  <siteinfo><sitename>Wiki</sitename></siteinfo>\n"
    "  <page>\n    <title>Cats &amp; dogs</title>\n    <ns>0</ns>\n    <id>12</id>\n"
    "    <revision>\n      <id>99</id>\n      <text bytes=\"3\">old</text>\n    </revision>\n"
    "    <revision>\n      <id>100</id>\n      <text xml:space=\"preserve\">'''Cats''' like "
    "[[milk|warm milk]].&lt;ref&gt;x&lt;/ref&gt; &amp;lt;</text>\n    </revision>\n  </page>\n"
    "  <page>\n    <title>Empty</title>\n    <id>13</id>\n    <revision><text bytes=\"0\" "
    "/></revision>\n"
    "  </page>\n";

static void test_pages(void **state)
{
    tempdir *t = *state;
    static const char want[] = "12|Cats & dogs|Cats like warm milk.  <\n13|Empty|\n";
    char text[2048];
    snprintf(text, sizeof text, "%s</mediawiki>\n", dump);
    expect_docs(t, "a.xml", text, NULL, want);
    snprintf(text, sizeof text, "<?xml version=\"1.0\"?>\n%s", dump);
    expect_docs(t, "a", text, NULL, want);
}

static void test_faults(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.format = "mediawiki"};
    expect_docs(t, "a.xml", "<mediawiki>\n<page>\n<title>x</title>\n<id>1</id>", NULL,
                "!a.xml:2:1: this <page> is not closed before the end of the file\n");
    expect_docs(t, "a.xml", "<page></page><page><title/><id></id><text", &o,
                "*||\n!a.xml:1:14: this <page> is not closed before the end of the file\n");
    expect_docs(t, "a.xml", "<page><text>x</page>", &o, "*||x\n");
    expect_docs(t, "a.xml", "<page><text", &o,
                "!a.xml:1:1: this <page> is not closed before the end of the file\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pages, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_faults, collect_make, collect_clean),
    };
    return cmocka_run_group_tests_name("corpus_mediawiki", tests, NULL, NULL);
}
