/* test_corpus_tsv.c: two, three and more columns, and what is no row. */
#include "collect.h"

static void test_columns(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.tsv",
                "1\ttext one\n"
                "2\ttitle\ttext two\r\n"
                "3\thttp://x\ttitle\tbody\n"
                "4\turl\ttitle\tbody\twith\ttabs\n"
                "\n \t \n"
                "5\t\n"
                "6\t\t\n"
                "7\tlast",
                NULL,
                "1||text one\n2|title|text "
                "two\n3|title|body\n4|title|body\twith\ttabs\n5||\n6||\n7||last\n");
}

static void test_faults(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.tsv", "no tab here\nx\tcaf\xE9\n\xFF\ty\nok\tgood\n", NULL,
                "!a.tsv:1:12: expected a tab after the id, then the text\n"
                "x||caf\xC3\xA9\n"
                "\xC3\xBF||y\n"
                "ok||good\n"
                "%1 not UTF-8, read as Windows-1252\n");
}

static void test_header(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.tsv", "docid\turl\tTitle\tbody\nD1\thttp\tT\tB\r\nD2\tx\n", NULL,
                "D1|T|B\nD2||\n");
    expect_docs(t, "a.tsv", "text\tlabel\nx\tA\nx, \"y\"\tB\textra\n", NULL,
                "*||x\n*||x, \"y\"\nextra\n");
    expect_docs(t, "a.tsv", "1\ttext\n2\tbody\n", NULL, "1||text\n2||body\n"); /* no header */
    rp_build_options o = {.id_field = "qid", .text_field = "query"};
    expect_docs(t, "a.tsv", "qid\tquery\n7\tcats\n", &o, "7||cats\n");
}

static void test_told_by_content(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "unknown", "1\ta\n2\tb\n\n3\tc", NULL, "1||a\n2||b\n3||c\n");
    expect_docs(t, "unknown", "1\tonly", NULL, "1||only\n");
    tempdir_write(t, "prose", "first line\na\tb\nc\td\n", 19);
    const char *path = t->file;
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_OK);
    assert_non_null(memmem(out.at, out.n, "prose||first line\na\tb", 21));
    rp__buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_columns, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_header, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_faults, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_told_by_content, collect_make, collect_clean),
    };
    return cmocka_run_group_tests_name("corpus_tsv", tests, NULL, NULL);
}
