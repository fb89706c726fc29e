/* test_skip_list.c: a line a reason, the list beside the index, and a list that is out of date. */
#include "collect.h"

#include "engine/skip_list.h"

static void note(void *arg, const char *what)
{
    rp__buf_put_string(arg, what);
    rp__buf_put_byte(arg, '\n');
}

/* Finishes the list; its notes, without the temporary folder, and the file's text. */
static void expect(tempdir *t, rp__skip_list *list, const char *dir, const char *notes,
                   const char *file)
{
    rp__buf out;
    char path[300], text[512] = "";
    rp__buf_init(&out);
    snprintf(path, sizeof path, "%s/%s", t->path, dir);
    rp__skip_list to;
    rp__skip_list_init(&to, path);
    list->dir = to.dir;
    memcpy(list->path, to.path, sizeof to.path);
    rp__skip_list_finish(list, note, &out);
    rp__buf_put_byte(&out, 0);
    for (char *at; (at = strstr((char *)out.at, t->path));)
        memmove(at, at + strlen(t->path) + 1, strlen(at + strlen(t->path) + 1) + 1);
    assert_string_equal((char *)out.at, notes);
    FILE *f = fopen(tempdir_path(t, "ix.skipped"), "r");
    assert_int_equal(f != NULL, file != NULL);
    if (f) {
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
        assert_string_equal(text, file);
    }
    rp__buf_free(&out);
    rp__skip_list_free(list);
    rp__skip_list_init(list, NULL);
}

static void test_reasons(void **state)
{
    tempdir *t = *state;
    rp__skip_list list;
    rp__skip_list_init(&list, NULL);
    rp__skip_list_add(&list, "a.pdf", "PDF");
    rp__skip_list_remark(&list, "b", "read as UTF-16");
    rp__skip_list_add(&list, "c\nd", "a FIFO");
    rp__skip_list_add(&list, "e.pdf", "PDF");
    expect(t, &list, "ix/",
           "skipped 2 files: PDF (the first is a.pdf)\nskipped c\nd: a FIFO\n"
           "ix.skipped lists what was skipped\nb: read as UTF-16\n",
           "a.pdf\tPDF\nc\\x0Ad\ta FIFO\ne.pdf\tPDF\n");
    expect(t, &list, "ix", "", NULL); /* nothing skipped: the old list goes */
    rp__skip_list_add(&list, "x", "y");
    expect(t, &list, "no/such/ix",
           "skipped x: y\nthe list of what was skipped could not be written: no/such/ix.skipped: "
           "cannot create: No such file or directory\n",
           NULL);
}

static void test_records(void **state)
{
    tempdir *t = *state;
    rp__skip_list list, more;
    rp__skip_list_init(&list, NULL);
    rp__skip_list_init(&more, NULL);
    rp__skip_list_leave_out(&list, "a:1", "bad", false);
    rp__skip_list_leave_out(&more, "b:2", "bad", false);
    rp__skip_list_leave_out(&more, "b:3", "told", true);
    rp__skip_list_add(&list, "c.pdf", "PDF");
    rp__skip_list_merge(&list, &more);
    rp__skip_list_free(&more);
    assert_int_equal(list.left_out, 3);
    expect(t, &list, "ix",
           "skipped c.pdf: PDF\nleft out 2 records: bad (the first is a:1)\n"
           "ix.skipped lists what was skipped\n",
           "c.pdf\tPDF\na:1\tbad\nb:2\tbad\nb:3\ttold\n");
}

/* The lines of records are bounded; what is not in them is counted. */
static void test_many_records(void **state)
{
    tempdir *t = *state;
    rp__skip_list list;
    char path[300], last[64] = "";
    snprintf(path, sizeof path, "%s/ix", t->path);
    rp__skip_list_init(&list, path);
    for (int i = 0; i < 1 << 20; i++)
        rp__skip_list_leave_out(&list, "x:1", "bad", false);
    assert_true(list.records.n < RP_SKIP_RECORD_BYTES + 64);
    rp__skip_list_finish(&list, NULL, NULL);
    FILE *f = fopen(tempdir_path(t, "ix.skipped"), "r");
    assert_non_null(f);
    char *line = last;
    while (fgets(line, sizeof last, f))
        continue;
    fclose(f);
    assert_string_equal(last, "and 917,504 more records\n");
    rp__skip_list_free(&list);
}

static void test_many_reasons(void **state)
{
    (void)state;
    rp__skip_list list;
    rp__skip_list_init(&list, NULL);
    char reason[32];
    for (int i = 0; i < 100; i++) {
        snprintf(reason, sizeof reason, "reason %d", i);
        rp__skip_list_add(&list, "x", reason);
    }
    assert_int_equal(list.n, RP_SKIP_REASONS);
    assert_int_equal(list.skipped, 100);
    assert_string_equal(list.reasons[RP_SKIP_REASONS - 1].text, "other reasons");
    assert_int_equal(list.reasons[RP_SKIP_REASONS - 1].count, 100 - (RP_SKIP_REASONS - 1));
    rp__skip_list_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reasons, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_records, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_many_records, collect_make, collect_clean),
        cmocka_unit_test(test_many_reasons),
    };
    return cmocka_run_group_tests_name("skip_list", tests, NULL, NULL);
}
