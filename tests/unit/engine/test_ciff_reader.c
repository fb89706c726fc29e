/* test_ciff_reader.c: a CIFF file posting by posting, and every fault with the byte where it stands. */
#include "engine/ciff_reader.h"

#include "tempdir.h"
#include "unit/engine/ciff_file.h"

static tempdir dir;
static rp__buf file;

/* Reads all of it. */
static rp_status read_all(const char *path, rp_error *err)
{
    rp__ciff_reader *r;
    rp__ciff_list list;
    rp__ciff_doc doc;
    uint32_t docids[5], tfs[5];
    size_t n = 1;
    rp_status s = rp__ciff_reader_open(path, NULL, NULL, &r, err);
    if (s != RP_OK)
        return s;
    const rp__ciff_header *h = rp__ciff_reader_header(r);
    for (uint64_t i = 0; i < h->lists && s == RP_OK; i++) {
        s = rp__ciff_reader_list(r, &list, err);
        for (n = 1; s == RP_OK && n > 0;)
            s = rp__ciff_reader_postings(r, docids, tfs, 5, &n, err);
    }
    for (uint64_t i = 0; i < h->docs && s == RP_OK; i++)
        s = rp__ciff_reader_doc(r, &doc, err);
    if (s == RP_OK)
        s = rp__ciff_reader_end(r, err);
    rp__ciff_reader_close(r);
    return s;
}

static const char *save(void)
{
    return tempdir_write(&dir, "in.ciff", file.at, file.n);
}

static void expect_fault(rp_status status, const char *what)
{
    rp_error err = {0};
    rp_status s = read_all(save(), &err);
    if (s != status || !strstr(err.text, what))
        fail_msg("%d, \"%s\" instead of %d, \"%s\"", s, err.text, status, what);
    file.n = 0;
}

static void test_small(void **state)
{
    (void)state;
    rp__ciff_reader *r;
    rp__ciff_list list;
    rp__ciff_doc doc;
    uint32_t docids[8], tfs[8];
    size_t n;
    ciff_small(&file);
    assert_int_equal(rp__ciff_reader_open(save(), NULL, NULL, &r, NULL), RP_OK);
    const rp__ciff_header *h = rp__ciff_reader_header(r);
    assert_true(h->lists == 2 && h->docs == 3 && h->total_tokens == 10);
    assert_true(h->average_length > 3.33 && h->average_length < 3.34);
    assert_int_equal(rp__ciff_reader_list(r, &list, NULL), RP_OK);
    assert_true(list.term_bytes == 3 && memcmp(list.term, "ant", 3) == 0);
    assert_true(list.df == 2 && list.cf == 3);
    assert_int_equal(rp__ciff_reader_postings(r, docids, tfs, 8, &n, NULL), RP_OK);
    assert_true(n == 2 && docids[0] == 0 && tfs[0] == 2 && docids[1] == 2 && tfs[1] == 1);
    assert_int_equal(rp__ciff_reader_postings(r, docids, tfs, 8, &n, NULL), RP_OK);
    assert_int_equal(n, 0);
    assert_int_equal(rp__ciff_reader_list(r, &list, NULL), RP_OK);
    assert_int_equal(rp__ciff_reader_postings(r, docids, tfs, 1, &n, NULL), RP_OK);
    assert_true(n == 1 && docids[0] == 1 && tfs[0] == 7);
    assert_int_equal(rp__ciff_reader_postings(r, docids, tfs, 1, &n, NULL), RP_OK);
    assert_int_equal(n, 0);
    for (uint32_t d = 0; d < 3; d++) {
        assert_int_equal(rp__ciff_reader_doc(r, &doc, NULL), RP_OK);
        assert_true(doc.id_bytes == 1 && doc.id[0] == (char)('x' + d));
        assert_int_equal(doc.length, d == 0 ? 2 : d == 1 ? 7 : 1);
    }
    assert_int_equal(rp__ciff_reader_end(r, NULL), RP_OK);
    rp__ciff_reader_close(r);
    file.n = 0;
}

/* Numbers of every width, through windows and batches of every place; also forms that are rare. */
static void test_long_list(void **state)
{
    (void)state;
    enum { N = 100000 };
    static uint32_t want[N], want_tfs[N], docids[777], tfs[777];
    rp__buf list = {0};
    rp__ciff_reader *r;
    rp__ciff_list head;
    uint64_t docid = 0;
    size_t n = 1, at = 0;
    ciff_header(&file, 1, 2000000000, 1, 2000000000, 1, 1);
    ciff_bytes(&list, 1, "a", 1);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t gap = i == 0 ? 0 : i % 1000 == 7 ? 300000 + i : i % 50 == 3 ? 20000 : 1 + i % 127;
        uint32_t tf = i % 999 == 5 ? INT32_MAX - i : i % 77 == 1 ? 16384 + i : 1 + i % 127;
        docid += gap;
        want[i] = (uint32_t)docid;
        want_tfs[i] = tf;
        if (i % 1234 == 1000) { /* the frequency first, and a field that nobody knows */
            rp__buf m = {0};
            ciff_number(&m, 2, tf);
            ciff_bytes(&m, 9, "?", 1);
            ciff_number(&m, 1, gap);
            ciff_bytes(&list, 4, m.at, m.n);
            ciff_number(&list, 13, 5);
            rp__buf_free(&m);
        } else {
            ciff_posting(&list, gap, tf);
        }
    }
    ciff_end(&file, &list);
    rp__buf_free(&list);
    assert_int_equal(rp__ciff_reader_open(save(), NULL, NULL, &r, NULL), RP_OK);
    assert_int_equal(rp__ciff_reader_list(r, &head, NULL), RP_OK);
    while (n > 0) {
        assert_int_equal(rp__ciff_reader_postings(r, docids, tfs, 777, &n, NULL), RP_OK);
        assert_memory_equal(docids, want + at, n * sizeof *docids);
        assert_memory_equal(tfs, want_tfs + at, n * sizeof *tfs);
        at += n;
    }
    assert_int_equal(at, N);
    rp__ciff_reader_close(r);
    file.n = 0;
}

static void test_header_faults(void **state)
{
    (void)state;
    expect_fault(RP_INPUT, "byte 0: the file ends where the header should begin");
    rp__buf_put_byte(&file, 0);
    expect_fault(RP_INPUT, "byte 0: no CIFF of version 1");
    rp__buf_put(&file, "\x02\x08\x02", 3);
    expect_fault(RP_INPUT, "byte 0: no CIFF of version 1");
    ciff_header(&file, UINT64_C(1) << 31, 1, 1, 1, 1, 1);
    expect_fault(RP_LIMIT, "2147483648 lists");
    ciff_header(&file, 1, UINT64_MAX, 1, 1, 1, 1);
    expect_fault(RP_LIMIT, "documents");
    rp__buf_put(&file, "\xFF\xFF\xFF\xFF\x0F", 5);
    expect_fault(RP_INPUT, "byte 0: a message is over 2 GiB");
    rp__buf_put(&file, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", 10);
    expect_fault(RP_INPUT, "byte 0: a number has more than 64 bits");
    rp__buf_put(&file, "\x02\x08\xFF", 3);
    expect_fault(RP_INPUT, "byte 2: a number is cut short");
}

/* One list of postings that are given, in an index of three documents. */
static void expect_list_fault(const char *term, const char *postings, const char *what)
{
    ciff_header(&file, 1, 3, 1, 3, 1, 1);
    size_t at = file.n;
    ciff_list(&file, term, postings);
    char text[100];
    snprintf(text, sizeof text, what, at);
    expect_fault(RP_INPUT, text);
}

static void test_list_faults(void **state)
{
    (void)state;
    expect_list_fault("", "0:1", "byte %zu: a list without a term");
    expect_list_fault("a\xFF", "0:1", "a string is not UTF-8");
    expect_list_fault("a", "0:1 0:1", "docids do not rise");
    expect_list_fault("a", "0:0", "a frequency is zero");
    expect_list_fault("a", "0:2147483648", "a frequency is negative");
    expect_list_fault("a", "0:18446744073709551615", "a frequency is negative");
    expect_list_fault("a", "18446744073709551615:1", "a docid is negative");
    expect_list_fault("a", "3:1", "leaves no room for");
    expect_list_fault("a", "1:1 2:1", "leaves no room for");
    ciff_header(&file, 1, 0, 1, 0, 0, 0);
    rp__buf_put(&file, "\x05\x0A\x01\x61\x22\x7F", 6); /* a posting of 127 bytes in a list of 5 */
    expect_fault(RP_INPUT, "a field reaches beyond its message");
    ciff_header(&file, 1, 0, 1, 0, 0, 0);
    rp__buf_put(&file, "\x04\x0A\x01\x61\x23", 5); /* a group */
    expect_fault(RP_INPUT, "a field has a type that there is not");
}

static void test_doc_faults(void **state)
{
    (void)state;
    ciff_header(&file, 0, 2, 0, 2, 0, 0);
    ciff_doc(&file, 0, "a", 1);
    size_t at = file.n;
    ciff_doc(&file, 2, "b", 1);
    char text[100];
    snprintf(text, sizeof text, "byte %zu: documents do not stand in the order", at);
    expect_fault(RP_INPUT, text);
    ciff_header(&file, 0, 1, 0, 1, 0, 0);
    ciff_doc(&file, 0, "a", UINT64_MAX);
    expect_fault(RP_INPUT, "a document's length is negative");
    ciff_small(&file);
    rp__buf_put_byte(&file, 0);
    expect_fault(RP_INPUT, "something follows the last document");
}

/* Cut anywhere it is a fault, and no byte that is changed makes it anything but a fault or a file. */
static void test_any_bytes(void **state)
{
    (void)state;
    rp_error err;
    ciff_small(&file);
    uint8_t sound[400];
    size_t n = file.n;
    memcpy(sound, file.at, n);
    for (size_t cut = 0; cut < n; cut++) {
        file.n = cut;
        err = (rp_error){0};
        rp_status s = read_all(save(), &err);
        assert_int_equal(s, RP_INPUT);
        assert_non_null(strstr(err.text, "byte "));
    }
    file.n = n;
    for (size_t at = 0; at < n; at++)
        for (unsigned to = 0; to < 256; to += at % 3 ? 15 : 1) {
            memcpy(file.at, sound, n);
            file.at[at] = (uint8_t)to;
            rp_status s = read_all(save(), &err);
            assert_true(s == RP_OK || s == RP_INPUT || s == RP_LIMIT);
        }
    file.n = 0;
}

static int set_up(void **state)
{
    (void)state;
    rp__buf_init(&file);
    return tempdir_make(&dir);
}

static int tear_down(void **state)
{
    (void)state;
    rp__buf_free(&file);
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),         cmocka_unit_test(test_long_list),
        cmocka_unit_test(test_header_faults), cmocka_unit_test(test_list_faults),
        cmocka_unit_test(test_doc_faults),    cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
