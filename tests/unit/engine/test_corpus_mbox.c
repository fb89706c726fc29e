/* test_corpus_mbox.c: messages, where they begin, parts and encodings, and a mailbox in Latin-1. */
#include "collect.h"

#define FROM "From ann@example.org Mon Jan  1 10:00:00 2024\n"

static void test_messages(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.mbox",
                FROM
                "Message-ID: <1@x>\nSubject: One\nFrom: Ann <ann@x>\n\nHello.\n>From here.\n\n" FROM
                "Subject: Two\n lines\nMessage-Id: 2@x\n\nFrom time to time,\n\nFrom here on.\n",
                NULL,
                "1@x|One|Ann <ann@x>\nHello.\nFrom here.\n"
                "2@x|Two lines|From time to time,\n\nFrom here on.\n");
    expect_docs(t, "a", FROM "Subject: x\r\n\r\nbody\r\n\r\n" FROM "Subject: y\r\n\r\nbody\r\n",
                NULL, "*|x|body\n*|y|body\n");
    expect_docs(t, "a.mbox", FROM, NULL, "*||\n");
    expect_docs(t, "a.mbox", "", NULL, "~1 an empty file\n");
}

static void test_not_a_mailbox(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.mbox", "Dear all,\n", NULL,
                "!a.mbox:1:1: expected a line that begins with \"From \", as a mailbox has\n");
}

static void test_headers(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.mbox",
                FROM
                "Subject: =?utf-8?Q?caf=C3=A9_x?= =?ISO-8859-1?B?6Q==?= and =?x?= =?a?b\n\n" FROM
                "Subject: =?utf-8?X?no?= a=b =? \n\n",
                NULL, "*|café xé and =?x?= =?a?b|\n*|=?utf-8?X?no?= a=b =?|\n");
}

static void test_parts(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.mbox",
                FROM
                "Subject: s\nContent-Type: multipart/mixed;\n boundary=\"b 1\"\n\npreamble\n"
                "--b 1\nContent-Type: multipart/alternative; boundary=b2\n\n"
                "--b2\nContent-Type: text/plain; charset=latin1\n"
                "Content-Transfer-Encoding: quoted-printable\n\ncaf=E9 =\nau lait=20\n"
                "--b2\nContent-Type: text/html\n\n<p>the same</p>\n--b2--\n"
                "--b 1\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAA\n"
                "--b 1\nContent-Type: text/plain\nContent-Disposition: attachment\n\nno\n"
                "--b 1\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\ndHdv\nIQ==\n"
                "--b 1--\nepilogue\n",
                NULL, "*|s|café au lait \n\ntwo!\n");
    expect_docs(t, "a.mbox",
                FROM "Content-Type: text/html\n\n<title>no</title><p>only a <b>p</b>age</p>\n",
                NULL, "*||no\nonly a page\n");
    expect_docs(
        t, "a.mbox",
        FROM "Content-Type: message/rfc822\n\nSubject: inner\nContent-Type: text/plain\n\nbody\n",
        NULL, "*||body\n");
    expect_docs(t, "a.mbox", FROM "Content-Type: multipart/mixed\n\nno boundary\n", NULL, "*||\n");
}

static void test_latin1(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.mbox", FROM "Subject: caf\xE9\n\nd\xE9j\xE0 vu \x80\n", NULL,
                "*|café|déjà vu €\n%1 not UTF-8, read as Windows-1252\n");
}

/* Parts in parts in parts: what is too deep is left out. */
static void test_deep(void **state)
{
    tempdir *t = *state;
    rp__buf text, out;
    rp_error err;
    rp__buf_init(&text);
    rp__buf_init(&out);
    rp__buf_put_string(&text, FROM "Subject: deep\n");
    for (int i = 0; i < 1000; i++)
        rp__buf_printf(&text, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i);
    const char *path = tempdir_write(t, "a.mbox", text.at, text.n);
    assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_OK);
    assert_memory_equal(out.at, "*|deep|", 7);
    rp__buf_free(&text);
    rp__buf_free(&out);
}

static void test_across_reads(void **state)
{
    tempdir *t = *state;
    char *text = malloc(200000);
    for (size_t gap = 131010; gap < 131080; gap++) {
        size_t n = (size_t)sprintf(text, FROM "Subject: a\n\n"), front = n;
        memset(text + n, 'x', gap - n);
        n = gap + (size_t)sprintf(text + gap, "\n\n" FROM "Subject: b\n\ny\n");
        rp__buf want;
        rp__buf_init(&want);
        rp__buf_put_string(&want, "*|a|");
        rp__buf_put(&want, text + front, gap - front);
        rp__buf_put_string(&want, "\n*|b|y\n");
        rp__buf_put_byte(&want, 0);
        expect_docs_of(t, "a.mbox", text, n, NULL, (char *)want.at);
        rp_build_options o = {.max_line = 1000, .on_error = RP_ON_ERROR_SKIP};
        expect_docs_of(t, "a.mbox", text, n, &o, "*|b|y\n");
        rp__buf_free(&want);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_messages, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_not_a_mailbox, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_headers, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_parts, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_latin1, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_deep, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_across_reads, collect_make, collect_clean),
    };
    return cmocka_run_group_tests_name("corpus_mbox", tests, NULL, NULL);
}
