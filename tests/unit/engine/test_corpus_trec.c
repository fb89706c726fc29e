/* test_corpus_trec.c: documents, tags, entities; what is not closed; records that fall across reads. */
#include "collect.h"

static void test_documents(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.trec",
                "<DOC>\n<DOCNO> FT-1 </DOCNO>\n<TEXT>\nhello <b>bold</b> world\n</TEXT>\n</DOC>\n"
                "between is left out\n"
                "<doc><docno>two</docno><title>A Title</title>rest</doc><Doc attr=\"x>\">\n<DocNo>3"
                "</DOCNO>x</dOC>",
                NULL, "FT-1||hello  bold  world\ntwo|A Title|rest\n3||\">\n  x\n");
}

static void test_title_tags(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.trec",
                "<DOC><DOCNO>1</DOCNO><HEADLINE>Head</HEADLINE><TITLE>second</TITLE>text</DOC>\n"
                "<DOC><DOCNO>2</DOCNO><HL>\n Hot\n</HL>t</DOC>\n"
                "<DOC><DOCNO>3</DOCNO><TITLE></TITLE></DOC>\n",
                NULL, "1|Head|second text\n2|Hot|t\n3||\n");
}

static void test_entities(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.trec",
                "<DOC><DOCNO>1</DOCNO>a&amp;b &lt;c&gt; &quot;d&quot; &apos; "
                "&#65;&#x42;&#X20ac;&#128512;</DOC>\n"
                "<DOC><DOCNO>2</DOCNO>& &; &amp &hyph; &#; &#x; &#0; &#xD800; &#1114112; "
                "&#99999999; &#12a; &#</DOC>"
                "<DOC><DOCNO>3</DOCNO>&amp;lt;</DOC>",
                NULL,
                "1||a&b <c> \"d\" ' AB\xE2\x82\xAC\xF0\x9F\x98\x80\n"
                "2||& &; &amp &hyph; &#; &#x; &#0; &#xD800; &#1114112; &#99999999; &#12a; &#\n"
                "3||&lt;\n");
}

static void test_brackets_that_are_no_tags(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.trec", "<DOC><DOCNO>1</DOCNO>a < b, 3<4 <> </> <!-- note --> <?pi?> x</DOC>",
                NULL, "1||a < b, 3<4 <> </>     x\n");
    rp__buf b;
    rp__buf_init(&b);
    rp__buf_put_string(&b, "<DOC><DOCNO>1</DOCNO><a");
    for (int i = 0; i < 2000; i++)
        rp__buf_put_byte(&b, 'a');
    size_t before = b.n;
    rp__buf_put_string(&b, "></DOC>");
    rp__buf want;
    rp__buf_init(&want);
    rp__buf_put_string(&want, "1||");
    rp__buf_put(&want, b.at + 21, before - 21 + 1);
    rp__buf_put(&want, "\n", 2);
    expect_docs_of(t, "a.trec", b.at, b.n, NULL, (char *)want.at);
    rp__buf_free(&b);
    rp__buf_free(&want);
}

static void test_faults(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.ids = "field"};
    expect_docs(t, "a.trec",
                "<DOC>\n<TEXT>no id</TEXT></DOC>\n"
                "<DOC><DOCNO> </DOCNO>x</DOC>\n"
                "<DOC><DOCNO>1</DOCNO>caf\xE9</DOC>\n"
                "<DOC><DOCNO>2</DOCNO>open\n  <DOC><DOCNO>3</DOCNO>x</DOC>\n"
                "<DOC><DOCNO>4</DOCNO>fine</DOC>\n"
                "<DOCS>  <DOC>\n<DOCNO>5</DOCNO> never closed </DO",
                &o,
                "!a.trec:1:1: this <DOC> has no <DOCNO>\n"
                "!a.trec:3:1: this <DOC> has no <DOCNO>\n"
                "1||caf\xC3\xA9\n"
                "!a.trec:6:3: a <DOC> in another: the one before has no </DOC>\n"
                "4||fine\n"
                "!a.trec:8:9: this <DOC> is not closed before the end of the file\n"
                "%1 not UTF-8, read as Windows-1252\n");
    expect_docs(t, "a.trec", "<DOC></DOC><DOC", NULL, "*||\n");
    expect_docs(t, "a.trec", "<DOC ", NULL,
                "!a.trec:1:1: this <DOC> is not closed before the end of the file\n");
    expect_docs(t, "a.trec", "no documents <DOCNO>1</DOCNO>", NULL, "");
}

static void test_told_by_content(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "data.txt", "\n <DOC>\n<DOCNO>1</DOCNO>x</DOC>", NULL, "1||x\n");
    expect_docs(t, "data.sgml", "<?xml?><DOC><DOCNO>1</DOCNO>x</DOC>", NULL, "1||x\n");
}

/* Gaps of every length before a document, so that tags fall on both sides of a read. */
static void test_across_reads(void **state)
{
    tempdir *t = *state;
    enum { READ = 128 << 10 };
    static const char doc[] = "<DOC><DOCNO>1</DOCNO>some text</DOC>\n";
    char *text = malloc(2 * READ);
    for (size_t gap = READ - sizeof doc - 3; gap < READ + 3; gap++) {
        memset(text, gap % 2 ? ' ' : '<', gap);
        memcpy(text + gap, doc, sizeof doc - 1);
        memcpy(text + gap + sizeof doc - 1, doc, sizeof doc - 1);
        expect_docs_of(t, "a.trec", text, gap + 2 * (sizeof doc - 1), NULL,
                       "1||some text\n1||some text\n");
    }
    free(text);
}

/* The same for the end of a document that is passed over because it is too long. */
static void test_passing_across_reads(void **state)
{
    tempdir *t = *state;
    enum { READ = 128 << 10 };
    static const char open[] = "<DOC><DOCNO>1</DOCNO>",
                      rest[] = "</DOC><DOC><DOCNO>2</DOCNO>x</DOC>";
    rp_build_options o = {.max_line = 1000, .on_error = RP_ON_ERROR_SKIP};
    char *text = malloc(3 * READ);
    for (size_t end = 2 * READ - 8; end < 2 * READ + 3; end++) {
        memset(text, 'x', end);
        memcpy(text, open, sizeof open - 1);
        memcpy(text + end, rest, sizeof rest - 1);
        expect_docs_of(t, "a.trec", text, end + sizeof rest - 1, &o, "2||x\n");
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_documents, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_title_tags, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_entities, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_brackets_that_are_no_tags, collect_make,
                                        collect_clean),
        cmocka_unit_test_setup_teardown(test_faults, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_told_by_content, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_across_reads, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_passing_across_reads, collect_make, collect_clean),
    };
    return cmocka_run_group_tests_name("corpus_trec", tests, NULL, NULL);
}
