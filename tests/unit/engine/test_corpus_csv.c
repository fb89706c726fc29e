/* test_corpus_csv.c: headers, quotes, rows of any shape, and a plain twin on random tables. */
#include "collect.h"

static void test_header(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.csv", "id,title,text\r\n1,T,one\r\n2,,two\r\n", NULL, "1|T|one\n2||two\n");
    expect_docs(t, "a.csv", "Text,date,ID\n\"a, \"\"b\"\"\nc\",2020,7\n", NULL, "7||a, \"b\"\nc\n");
    expect_docs(t, "a.csv", "id,body,text\n1,no,yes\n", NULL,
                "1||yes\n"); /* the first name counts */
    expect_docs(t, "a.csv", "id,name,city\n1,Ann,Bonn\n2,,Rome\n", NULL, "1||Ann\nBonn\n2||Rome\n");
    expect_docs(t, "a.csv", "title,text\nA,b\n", NULL, "*|A|b\n");
    expect_docs(t, "a.csv", "id,text\n,x\n", NULL, "*||x\n"); /* an empty id is none */
    rp_build_options o = {.id_field = "key", .text_field = "words"};
    expect_docs(t, "a.csv", "key,text,words\nk,no,yes\n", &o, "k||yes\n");
    expect_docs(t, "a.csv", "id,text\n", NULL, "");
    expect_docs(t, "a.csv", "", NULL, "~1 an empty file\n");
}

#define NO_NAME                                                                                    \
    "%1 no name of its first row is known, so that row is read as a document; --text-field names " \
    "a column\n"

static void test_no_header(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.csv", "1,text\n2,more\n", NULL, "*||1\ntext\n*||2\nmore\n");
    expect_docs(t, "a.csv", "red,fox\n\n \nblue,fox", NULL, "*||red\nfox\n*||blue\nfox\n" NO_NAME);
}

/* Rows that are not as the header says lose nothing. */
static void test_ragged(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.csv", "id,text\n1,one, two, three\n2\n3,\"x\" y\n4,5\" disk\n", NULL,
                "1||one\n two\n three\n2||\n3||\"x\" y\n4||5\" disk\n");
    expect_docs(t, "a.csv", "id,text\n1,\"open\n2,x\n", NULL,
                "!a.csv:2:3: the quote that begins this cell is not closed\n");
}

/* ---- A plain twin ---------------------------------------------------------------------------- */

/* Writes a row of cells as RFC 4180 has it, and the document that it must become. */
static void put_row(rp__buf *csv, rp__buf *docs, const char *const *cells)
{
    for (int i = 0; i < 3; i++) {
        bool is_quoted = strpbrk(cells[i], ",\"\r\n") || rand() % 3 == 0;
        rp__buf_put_string(csv, i ? "," : "");
        rp__buf_put_string(csv, is_quoted ? "\"" : "");
        for (const char *p = cells[i]; *p; p++) {
            rp__buf_put(csv, "\"", is_quoted && *p == '"');
            rp__buf_put_byte(csv, (uint8_t)*p);
        }
        rp__buf_put_string(csv, is_quoted ? "\"" : "");
        rp__buf_printf(docs, "%s%s", i ? "|" : "", cells[i]);
    }
    rp__buf_put_string(csv, rand() % 2 ? "\r\n" : "\n");
    rp__buf_put_byte(docs, '\n');
}

static void test_random(void **state)
{
    tempdir *t = *state;
    static const char alphabet[] = "ab,\"\n\r x";
    srand(4180);
    for (int round = 0; round < 300; round++) {
        rp__buf csv, docs;
        rp__buf_init(&csv);
        rp__buf_init(&docs);
        rp__buf_put_string(&csv, "id,title,text\n");
        for (int row = rand() % 8; row >= 0; row--) {
            char cells[3][16];
            const char *at[3] = {cells[0], cells[1], cells[2]};
            snprintf(cells[0], sizeof cells[0], "%d", row);
            for (int i = 1; i < 3; i++) {
                size_t n = (size_t)rand() % 12;
                for (size_t k = 0; k < n; k++)
                    cells[i][k] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
                cells[i][n] = 0;
            }
            put_row(&csv, &docs, at);
        }
        rp__buf_put_byte(&docs, 0);
        expect_docs_of(t, "a.csv", csv.at, csv.n, NULL, (char *)docs.at);
        rp__buf_free(&csv);
        rp__buf_free(&docs);
    }
}

static void test_across_reads(void **state)
{
    tempdir *t = *state;
    char *text = malloc(400000);
    for (size_t gap = 131040; gap < 131080; gap++) {
        size_t n = (size_t)sprintf(text, "id,text\n0,\"");
        memset(text + n, ' ', gap - n);
        text[gap] = 'x';
        n = gap + 1;
        n += (size_t)sprintf(text + n, "\"\n1,\"a\n\"\"b\"\"\"\n2,c\n");
        rp__buf want;
        rp__buf_init(&want);
        rp__buf_put_string(&want, "0||");
        rp__buf_put(&want, text + 11, gap + 1 - 11);
        rp__buf_put_string(&want, "\n1||a\n\"b\"\n2||c\n");
        rp__buf_put_byte(&want, 0);
        expect_docs_of(t, "a.csv", text, n, NULL, (char *)want.at);
        rp__buf_free(&want);
    }
    free(text);
}

static void test_given_names(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.text_field = "review"};
    expect_docs(t, "a.csv", "review,score1\nx,5\n", &o, "*||x\n");
    o.on_error = RP_ON_ERROR_SKIP;
    expect_docs(t, "a.csv", "id,text\n1,x\n", &o,
                "~1 no column is named \"review\"; --text-field takes a name of the first row\n");
}

static void test_too_long(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.max_line = 1000, .on_error = RP_ON_ERROR_SKIP};
    size_t n = 300000;
    char *text = malloc(n + 100);
    size_t end = (size_t)sprintf(text, "id,text\n1,a\n2,\"");
    memset(text + end, '\n', n);
    end += n;
    end += (size_t)sprintf(text + end, "\"\n3,c\n");
    expect_docs_of(t, "a.csv", text, end, &o, "1||a\n3||c\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_header, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_no_header, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_ragged, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_random, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_across_reads, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_given_names, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_too_long, collect_make, collect_clean),
    };
    return cmocka_run_group_tests_name("corpus_csv", tests, NULL, NULL);
}
