/* test_pisa_import.c: PISA's files to indexes: by hand and from the fixture; every fault with its place, and
 * nothing left then. */
#include "riposte/riposte.h"

#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;
static char base[300], to[300], warned[2000];

static void warn(void *arg, const char *what)
{
    (void)arg;
    size_t n = strlen(warned);
    snprintf(warned + n, sizeof warned - n, "%s\n", what);
}

static const rp_import_options quiet = {.on_warning = warn, .memory = 32 << 20};

static const char *part(const char *suffix)
{
    static char path[400];
    snprintf(path, sizeof path, "%s.%s", base, suffix);
    return path;
}

/* Numbers separated by blanks, as u32. */
static void put_words(const char *suffix, const char *words)
{
    uint32_t out[64];
    size_t n = 0;
    for (char *end; *words && n < 64; words = *end ? end + 1 : end)
        out[n++] = (uint32_t)strtoul(words, &end, 10);
    files_write(part(suffix), out, n * sizeof *out);
}

static void put_lines(const char *suffix, const char *lines)
{
    if (lines)
        files_write(part(suffix), lines, strlen(lines));
    else
        remove(part(suffix));
}

/* Three documents; b is in 0 and 2, a in 1. */
static void put_sound(void)
{
    put_words("docs", "1 3 2 0 2 1 1");
    put_words("freqs", "2 2 1 1 7");
    put_words("sizes", "3 2 7 1");
    put_lines("terms", "b\na\n");
    put_lines("documents", "x\ny\nz\n");
}

static rp_status import(rp_error *err)
{
    tempdir t = {0};
    snprintf(t.path, sizeof t.path, "%.250s", to);
    tempdir_remove(&t);
    warned[0] = 0;
    return rp_index_import("pisa", base, to, &quiet, NULL, err);
}

static rp_index *must_import(void)
{
    rp_error err = {0};
    rp_index *index = NULL;
    if (import(&err) != RP_OK || rp_index_check(to, NULL, NULL, &err) != RP_OK ||
        rp_index_open(to, NULL, &index, &err) != RP_OK)
        fail_msg("%s", err.text);
    return index;
}

static void expect_refusal(rp_status status, const char *what)
{
    rp_error err = {0};
    rp_status s = import(&err);
    if (s != status || !strstr(err.text, what))
        fail_msg("%d, \"%s\" instead of %d, \"%s\"", s, err.text, status, what);
    assert_int_equal(files_count(to), -1);
    put_sound();
}

static void test_sound(void **state)
{
    (void)state;
    rp_hits hits;
    rp_index_info info;
    put_sound();
    rp_index *index = must_import();
    assert_string_equal(warned, "");
    rp_index_get_info(index, &info);
    assert_true(info.docs == 3 && info.terms == 2 && info.postings == 3 && info.tokens == 10);
    assert_int_equal(rp_search(index, "a", 5, &hits, NULL), RP_OK);
    assert_true(hits.n == 1 && strcmp(hits.at[0].name, "y") == 0);
    rp_hits_free(&hits);
    rp_index_close(index);
}

/* Numbers stand for names, and are sorted as terms are. */
static void test_without_names(void **state)
{
    (void)state;
    char words[200] = "1 1", freqs[200] = "1 1";
    rp_term_info term;
    rp_document document;
    for (int i = 0; i < 12; i++) {
        strcat(words, " 1 0");
        strcat(freqs, i ? " 1 1" : "");
    }
    put_words("docs", words);
    put_words("freqs", freqs);
    put_words("sizes", "1 12");
    put_lines("terms", NULL);
    put_lines("documents", NULL);
    rp_index *index = must_import();
    assert_non_null(strstr(warned, ".terms: not there; numbers stand for its names\n"));
    assert_non_null(strstr(warned, ".documents: not there"));
    assert_int_equal(rp_index_get_term(index, "11", &term, NULL), RP_OK);
    assert_int_equal(rp_index_get_term(index, "12", &term, NULL), RP_NOT_FOUND);
    assert_int_equal(rp_index_get_document(index, 0, &document, NULL), RP_OK);
    assert_string_equal(document.id, "0");
    rp_document_free(&document);
    rp_index_close(index);
    put_sound();
}

static void test_left_out(void **state)
{
    (void)state;
    char lines[400] = {0};
    rp_index_info info;
    memset(lines, 'x', 256);
    strcat(lines, "\na\nb");
    put_words("docs", "1 3 2 0 2 1 1 0");
    put_words("freqs", "2 2 1 1 7 0");
    put_lines("terms", lines);
    rp_index *index = must_import();
    rp_index_get_info(index, &info);
    assert_true(info.terms == 1 && info.postings == 1);
    assert_non_null(strstr(warned, "1 term over 255 bytes left out with its list"));
    assert_non_null(strstr(warned, "1 term without a posting left out"));
    rp_index_close(index);
    put_sound();
}

/* The number of documents may look like the head of a gzip file. */
static void test_is_never_unpacked(void **state)
{
    (void)state;
    enum { N = 0x8B1F };
    uint32_t *words = calloc(N + 1, sizeof *words);
    rp_index_info info;
    words[0] = N;
    files_write(part("sizes"), words, (N + 1) * sizeof *words);
    free(words);
    put_words("docs", "1 35615 1 35614");
    put_words("freqs", "1 1");
    put_lines("terms", "a");
    put_lines("documents", NULL);
    rp_index *index = must_import();
    rp_index_get_info(index, &info);
    assert_int_equal(info.docs, N);
    rp_index_close(index);
    put_sound();
}

static void test_faults(void **state)
{
    (void)state;
    put_sound();
    put_words("docs", "2 3 3 2 0 2 1 1");
    expect_refusal(RP_INPUT, "base.docs: byte 0: it does not begin with the number of documents");
    put_words("docs", "1 2147483647");
    expect_refusal(RP_LIMIT, "2147483647 documents");
    put_words("docs", "1 3 2 0 2 2 1");
    expect_refusal(RP_INPUT, "base.docs: byte 20: a sequence of 2 numbers reaches beyond the file");
    put_words("docs", "1 3 4294967295");
    expect_refusal(RP_INPUT, "base.docs: byte 8: a sequence of 4294967295 numbers");
    put_words("docs", "1 3 2 0 0 1 1");
    expect_refusal(RP_INPUT, "base.docs: byte 16: docids do not rise");
    put_words("docs", "1 3 2 0 3 1 1");
    expect_refusal(RP_INPUT, "base.docs: byte 16: there is no document of that number");
    put_words("docs", "1 3 2 0 2");
    expect_refusal(RP_INPUT, "base.freqs: byte 12: there are more lists of frequencies");
    put_words("freqs", "2 2 0 1 7");
    expect_refusal(RP_INPUT, "base.freqs: byte 8: a frequency is zero, or 2^31 or more");
    put_words("freqs", "1 2 1 7");
    expect_refusal(RP_INPUT, "base.freqs: byte 0: 1 frequencies of a list of 2 docids");
    put_words("freqs", "2 2 1");
    expect_refusal(RP_INPUT, "base.freqs: byte 12: the file is cut short");
    files_write(part("freqs"), "\x02\0\0\0\x02\0\0", 7);
    expect_refusal(RP_INPUT, "base.freqs: byte 0: a sequence of 2 numbers reaches beyond the file");
    put_words("sizes", "2 2 7");
    expect_refusal(RP_INPUT, "base.sizes: byte 0: 2 lengths of 3 documents");
    put_words("sizes", "3 2 7 1 1");
    expect_refusal(RP_INPUT, "base.sizes: byte 16: something follows the last length");
    put_words("sizes", "3 2 7 2147483648");
    expect_refusal(RP_INPUT, "base.sizes: byte 12: a length is 2^31 or more");
    put_lines("terms", "b\n");
    expect_refusal(RP_INPUT, "base.terms: line 2: there are fewer names than numbers");
    put_lines("terms", "b\na\nc\n");
    expect_refusal(RP_INPUT, "base.terms: byte 4: there are more terms than lists");
    put_lines("terms", "b\n\n");
    expect_refusal(RP_INPUT, "base.terms: line 2: a name is empty");
    put_lines("terms", "b\n\xFF\n");
    expect_refusal(RP_INPUT, "base.terms: line 2: a name is not UTF-8");
    put_lines("terms", "b\nb\n");
    expect_refusal(RP_INPUT, "term \"b\" has two lists");
    put_lines("documents", "x\ny\n");
    expect_refusal(RP_INPUT, "base.documents: line 3: there are fewer names than numbers");
    put_lines("documents", "x\ny\nx\n");
    expect_refusal(RP_INPUT, "base.documents: line 3: id \"x\" was seen before");
    put_lines("documents", "x\ny\nz\nw\n");
    expect_refusal(RP_INPUT, "base.documents: byte 6: there are more names than documents");
    remove(part("freqs"));
    expect_refusal(RP_IO, "base.freqs: cannot open");
}

/* Cut anywhere, each file is a fault or, of the names, a sound file. */
static void test_cuts(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"docs", "freqs", "sizes", "terms", "documents"};
    for (size_t i = 0; i < 5; i++) {
        size_t n;
        put_sound();
        uint8_t *sound = files_read(part(suffixes[i]), &n);
        for (size_t cut = 0; cut < n; cut++) {
            rp_error err = {0};
            files_write(part(suffixes[i]), sound, cut);
            rp_status status = import(&err);
            bool is_last_break = i >= 3 && cut + 1 == n;
            assert_int_equal(status, is_last_break ? RP_OK : RP_INPUT);
        }
        free(sound);
    }
    put_sound();
}

static void test_fixture(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"docs", "freqs", "sizes", "terms", "documents"};
    const char *data = getenv("RIPOSTE_DATA");
    char toy[4200], path[4300];
    rp_error err = {0};
    snprintf(toy, sizeof toy, "%s/formats/pisa/toy", data ? data : "../shared/data");
    snprintf(path, sizeof path, "%s.docs", toy);
    if (!files_exist(path)) {
        print_message("no %s; set RIPOSTE_DATA\n", path);
        skip();
    }
    char folder[320];
    snprintf(folder, sizeof folder, "%s/folder", dir.path);
    if (rp_index_import("pisa", toy, to, &quiet, NULL, &err) != RP_OK ||
        rp_index_export("pisa", to, folder, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    strcat(folder, "/inv");
    for (size_t i = 0; i < 5; i++) {
        size_t n, m;
        snprintf(path, sizeof path, "%s.%s", toy, suffixes[i]);
        uint8_t *a = files_read(path, &n);
        snprintf(path, sizeof path, "%s.%s", folder, suffixes[i]);
        uint8_t *b = files_read(path, &m);
        assert_int_equal(n, m);
        assert_memory_equal(a, b, n);
        free(a);
        free(b);
    }
}

static int set_up(void **state)
{
    (void)state;
    if (tempdir_make(&dir) != 0)
        return -1;
    snprintf(base, sizeof base, "%s/base", dir.path);
    snprintf(to, sizeof to, "%s/index", dir.path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),    cmocka_unit_test(test_without_names),
        cmocka_unit_test(test_left_out), cmocka_unit_test(test_is_never_unpacked),
        cmocka_unit_test(test_faults),   cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_fixture),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
