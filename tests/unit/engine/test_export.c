/* test_export.c: indexes to files of other programs and back: the same postings, ids, lengths and answers,
 * the same bytes the second time, and nothing where it fails. */
#include "riposte/riposte.h"

#include "fault/memory_files.h"
#include "index/manifest.h"
#include "tempdir.h"
#include "unit/engine/ciff_file.h"
#include "unit/files.h"

static tempdir dir;
static char ours[300], theirs[300], back[300], again[300];

static void forget(const char *path)
{
    tempdir t = {0};
    snprintf(t.path, sizeof t.path, "%.250s", path);
    tempdir_remove(&t);
}

static void must(rp_status status, const rp_error *err)
{
    if (status != RP_OK)
        fail_msg("%s", err->text);
}

/* Words by chance, skewed, so that there are lists of every length. */
static void build(unsigned docs, const char *codec)
{
    rp_build_options o = {.codec = codec};
    rp_builder *b;
    rp_error err = {0};
    uint64_t seed = 9;
    forget(ours);
    must(rp_builder_new(ours, &o, &b, &err), &err);
    for (unsigned d = 0; d < docs; d++) {
        char id[24], text[2000];
        size_t n = 0;
        int id_bytes = snprintf(id, sizeof id, "doc/%u-\xC3\xA9", d * 7919);
        for (unsigned i = 0, words = d % 17 == 0 ? 0 : d % 97; i < words; i++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            unsigned r = (unsigned)(seed >> 40);
            n += (size_t)snprintf(text + n, sizeof text - n, "w%x ", r % (1 + r % (1 + r % 999)));
        }
        must(rp_builder_add(b, id, (size_t)id_bytes, "", 0, text, n, &err), &err);
    }
    must(rp_builder_finish(b, NULL, &err), &err);
    rp_builder_free(b);
}

static void expect_same_answers(const char *a, const char *b)
{
    static const char *const queries[] = {"w0",     "w1 w2 w3",       "+w0 +w1",    "w5 -w0",
                                          "w1* w7", "(w2 w3) AND w4", "w9^3 wa wb", "nothing"};
    const char *paths[] = {a, b};
    rp_index *index[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(rp_index_open(paths[i], NULL, &index[i], NULL), RP_OK);
    for (size_t v = 0; rp_variant_name(v); v++)
        for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
            rp_hits hits[2];
            rp_searcher *s[2];
            rp_search_options o = {.variant = rp_variant_name(v), .k = 20, .total = RP_TOTAL_EXACT};
            for (int i = 0; i < 2; i++) {
                assert_int_equal(rp_searcher_new(index[i], &o, &s[i], NULL), RP_OK);
                assert_int_equal(
                    rp_searcher_search(s[i], queries[q], strlen(queries[q]), &hits[i], NULL),
                    RP_OK);
            }
            assert_int_equal(hits[0].n, hits[1].n);
            assert_int_equal(hits[0].total, hits[1].total);
            for (size_t h = 0; h < hits[0].n; h++) {
                assert_int_equal(hits[0].at[h].docid, hits[1].at[h].docid);
                assert_int_equal(hits[0].at[h].fixed, hits[1].at[h].fixed);
                assert_string_equal(hits[0].at[h].name, hits[1].at[h].name);
            }
            for (int i = 0; i < 2; i++) {
                rp_hits_free(&hits[i]);
                rp_searcher_free(s[i]);
            }
        }
    for (int i = 0; i < 2; i++)
        rp_index_close(index[i]);
}

static void expect_same_files(const char *a, const char *b)
{
    size_t n, m;
    uint8_t *x = files_read(a, &n), *y = files_read(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

static void there_and_back(const char *format)
{
    rp_error err = {0};
    forget(back);
    forget(theirs);
    forget(again);
    must(rp_index_export(format, ours, theirs, NULL, &err), &err);
    must(rp_index_import(format, theirs, back, NULL, NULL, &err), &err);
    must(rp_index_check(back, NULL, NULL, &err), &err);
    must(rp_index_export(format, back, again, NULL, &err), &err);
}

static void test_ciff(void **state)
{
    (void)state;
    static const unsigned docs[] = {0, 1, 300, 5000};
    for (size_t i = 0; i < 4; i++) {
        build(docs[i], i % 2 ? "bp128" : "vbyte");
        there_and_back("ciff");
        expect_same_files(theirs, again);
        expect_same_answers(ours, back);
    }
}

static void test_pisa(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"docs", "freqs", "sizes", "terms", "documents"};
    static const unsigned docs[] = {0, 1, 300, 5000};
    for (size_t i = 0; i < 4; i++) {
        build(docs[i], i % 2 ? "bp128" : "vbyte");
        there_and_back("pisa");
        for (size_t f = 0; f < 5; f++) {
            char a[320], b[320];
            snprintf(a, sizeof a, "%s/inv.%s", theirs, suffixes[f]);
            snprintf(b, sizeof b, "%s/inv.%s", again, suffixes[f]);
            expect_same_files(a, b);
        }
        expect_same_answers(ours, back);
    }
}

/* Makes "x\ny" of the id "x_y", which no builder takes. */
static void break_id(const char *index)
{
    reseal_files files;
    char name[RP_FILE_NAME_MAX], path[400];
    assert_true(memory_files_load(index, 1, &files));
    uint8_t *id = memmem(files.at[RP_FILE_DOCS], files.bytes[RP_FILE_DOCS], "x_y", 3);
    assert_non_null(id);
    id[1] = '\n';
    reseal_all(&files);
    rp__manifest_file_name(RP_FILE_DOCS, 1, name);
    snprintf(path, sizeof path, "%s/%s", index, name);
    files_write(path, files.at[RP_FILE_DOCS], files.bytes[RP_FILE_DOCS]);
    snprintf(path, sizeof path, "%s/%s", index, RP_MANIFEST_NAME);
    files_write(path, files.at[RP_FILE_MANIFEST], files.bytes[RP_FILE_MANIFEST]);
    memory_files_free(&files);
}

/* A name with a line break has no place in a file of lines; then there is no file at all. */
static void test_line_break(void **state)
{
    (void)state;
    rp_builder *b;
    rp_error err = {0};
    char path[320];
    forget(ours);
    must(rp_builder_new(ours, NULL, &b, &err), &err);
    must(rp_builder_add(b, "x_y", 3, "", 0, "ant", 3, &err), &err);
    must(rp_builder_finish(b, NULL, &err), &err);
    rp_builder_free(b);
    break_id(ours);
    snprintf(path, sizeof path, "%s/new", dir.path);
    assert_int_equal(rp_index_export("pisa", ours, path, NULL, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "has a line break"));
    assert_false(files_exist(path));
    assert_int_equal(rp_index_export("pisa", ours, "-", NULL, &err), RP_USAGE);
}

/* Packed by its name; the bytes inside are the same. */
static void test_gzip(void **state)
{
    (void)state;
    rp_error err = {0};
    char packed[310];
    size_t n;
    build(300, "bp128");
    there_and_back("ciff");
    snprintf(packed, sizeof packed, "%s.gz", theirs);
    must(rp_index_export("ciff", ours, packed, NULL, &err), &err);
    uint8_t *bytes = files_read(packed, &n);
    assert_true(n > 20 && bytes[0] == 0x1F && bytes[1] == 0x8B);
    free(bytes);
    forget(again);
    must(rp_index_import("ciff", packed, again, NULL, NULL, &err), &err);
    files_expect_equal_folders(again, back);
    forget(again);
}

/* To the byte: docid 0 and a length of 0 are left out, gaps follow. */
static void test_ciff_bytes(void **state)
{
    (void)state;
    rp__buf want = {0}, m = {0};
    rp_builder *b;
    rp_error err = {0};
    size_t n;
    double average = 5.0 / 3;
    forget(ours);
    forget(theirs);
    must(rp_builder_new(ours, NULL, &b, &err), &err);
    must(rp_builder_add(b, "x", 1, "", 0, "ant ant", 7, &err), &err);
    must(rp_builder_add(b, "y", 1, "", 0, "", 0, &err), &err);
    must(rp_builder_add(b, "z", 1, "", 0, "ant bee ant", 11, &err), &err);
    must(rp_builder_finish(b, NULL, &err), &err);
    rp_builder_free(b);
    must(rp_index_export("ciff", ours, theirs, NULL, &err), &err);
    for (unsigned field = 1; field <= 6; field++)
        ciff_number(&m, field, (const uint64_t[]){0, 1, 2, 3, 2, 3, 5}[field]);
    ciff_double(&m, 7, average);
    ciff_bytes(&m, 8, "exported by Riposte", 19);
    ciff_end(&want, &m);
    ciff_list(&want, "ant", "0:2 2:2");
    ciff_list(&want, "bee", "2:1");
    ciff_doc(&want, 0, "x", 2);
    ciff_doc(&want, 1, "y", 0);
    ciff_doc(&want, 2, "z", 3);
    uint8_t *bytes = files_read(theirs, &n);
    assert_int_equal(n, want.n);
    assert_memory_equal(bytes, want.at, n);
    free(bytes);
    rp__buf_free(&want);
    rp__buf_free(&m);
}

/* An index of a part keeps the figures of the whole. */
static void test_part(void **state)
{
    (void)state;
    rp__buf file = {0};
    rp_error err = {0};
    rp_index *index;
    rp_index_info info;
    forget(theirs);
    ciff_header(&file, 1, 2, 9, 50, 700, 14);
    ciff_list(&file, "a", "1:90");
    ciff_doc(&file, 0, "x", 0);
    ciff_doc(&file, 1, "y", 30);
    files_write(theirs, file.at, file.n);
    rp__buf_free(&file);
    forget(ours);
    must(rp_index_import("ciff", theirs, ours, NULL, NULL, &err), &err);
    there_and_back("ciff");
    expect_same_files(theirs, again);
    files_expect_equal_folders(ours, back);
    must(rp_index_open(back, NULL, &index, &err), &err);
    rp_index_get_info(index, &info);
    assert_true(info.docs == 2 && info.total_docs == 50 && info.total_tokens == 700);
    rp_index_close(index);
}

static bool stop_at_once(void *arg, const rp_progress *p)
{
    (void)arg, (void)p;
    return false;
}

static void test_failures(void **state)
{
    (void)state;
    rp_error err = {0};
    rp_export_options o = {.on_progress = stop_at_once};
    char path[320];
    build(8000, "bp128");
    forget(theirs);
    assert_int_equal(rp_index_export("ciff", ours, theirs, &o, &err), RP_INTERRUPTED);
    assert_false(files_exist(theirs));
    assert_int_equal(rp_index_export("xml", ours, theirs, NULL, &err), RP_USAGE);
    assert_int_equal(rp_index_export("ciff", "/nowhere", theirs, NULL, &err), RP_IO);
    snprintf(path, sizeof path, "%s/no/such/folder", theirs);
    assert_int_equal(rp_index_export("ciff", ours, path, NULL, &err), RP_IO);
    assert_false(files_exist(theirs));
    /* One byte of the lists: the checksum tells. */
    size_t n;
    snprintf(path, sizeof path, "%s/lists.00000001.rp", ours);
    uint8_t *bytes = files_read(path, &n);
    bytes[n / 2] ^= 1;
    files_write(path, bytes, n);
    free(bytes);
    assert_int_equal(rp_index_export("ciff", ours, theirs, NULL, &err), RP_DAMAGED);
    assert_false(files_exist(theirs));
}

static int set_up(void **state)
{
    (void)state;
    if (tempdir_make(&dir) != 0)
        return -1;
    snprintf(ours, sizeof ours, "%s/ours", dir.path);
    snprintf(theirs, sizeof theirs, "%s/theirs", dir.path);
    snprintf(back, sizeof back, "%s/back", dir.path);
    snprintf(again, sizeof again, "%s/again", dir.path);
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
        cmocka_unit_test(test_ciff),       cmocka_unit_test(test_pisa),
        cmocka_unit_test(test_line_break), cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_ciff_bytes), cmocka_unit_test(test_part),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
