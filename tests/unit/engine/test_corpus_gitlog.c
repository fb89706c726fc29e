/* test_corpus_gitlog.c: what git log prints, plain, with decorations and with a diff. */
#include "collect.h"

#define HASH(digit) "012345678901234567890123456789012345678" digit

static void test_commits(void **state)
{
    tempdir *t = *state;
    expect_docs(
        t, "log",
        "commit " HASH("a") " (HEAD -> main)\nAuthor: Ann <a@x>\nDate:   Mon Jan 1 2024\n\n"
                            "    Subject line\n\n    Body of\n      it.\n\n"
                            "commit " HASH(
                                "b") "\nMerge: 012 345\nAuthor: Bob <b@x>\nDate:   Tue\n\n"
                                     "    Merge\n    commit " HASH("c") "\n\n file.c | 2 +-\n",
        NULL,
        HASH("a") "|Subject line|Ann <a@x>\nMon Jan 1 2024\n\n\nBody of\n  it.\n" HASH(
            "b") "|Merge|Bob <b@x>\nTue\n\ncommit " HASH("c") "\n\nfile.c | 2 +-\n");
    expect_docs(t, "log", "commit " HASH("a") "\nAuthor: x\n\ncommit " HASH("b"), NULL,
                HASH("a") "||x\n" HASH("b") "||\n");
}

static void test_faults(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.format = "gitlog"};
    expect_docs(t, "log", "no log\n\ncommit " HASH("b") "\nAuthor: x\n", &o,
                "!log:1:1: expected a line \"commit\" and a hash, as git log prints it\n" HASH(
                    "b") "||x\n");
}

static void test_across_reads(void **state)
{
    tempdir *t = *state;
    char *text = malloc(200000);
    for (size_t gap = 131000; gap < 131080; gap++) {
        size_t n = (size_t)sprintf(text, "commit " HASH("a") "\nAuthor: x\n\n    ");
        memset(text + n, 'y', gap - n);
        n = gap + (size_t)sprintf(text + gap, "\n\ncommit " HASH("b") "\nAuthor: z\n");
        rp_build_options o = {.max_line = 1000, .on_error = RP_ON_ERROR_SKIP};
        expect_docs_of(t, "log", text, n, &o, HASH("b") "||z\n");
        rp__buf out;
        rp_error err;
        rp__buf_init(&out);
        const char *path = tempdir_path(t, "log");
        assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_OK);
        rp__buf_put_byte(&out, 0);
        assert_non_null(strstr((char *)out.at, "\n" HASH("b") "||z\n"));
        rp__buf_free(&out);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_commits, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_faults, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_across_reads, collect_make, collect_clean),
    };
    return cmocka_run_group_tests_name("corpus_gitlog", tests, NULL, NULL);
}
