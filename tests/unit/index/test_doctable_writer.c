/* test_doctable_writer.c: ids are given out in order and once; the bytes of the docs file. */
#include "index/doctable.h"

#include "base/alloc.h"
#include "tempdir.h"
#include "unit/files.h"

static void expect_section(const rp__section_file *f, uint32_t id, const void *bytes, size_t n)
{
    const uint8_t *at;
    size_t got;
    assert_int_equal(rp__section_file_get(f, id, &at, &got, NULL), RP_OK);
    assert_int_equal(got, n);
    assert_memory_equal(at, bytes, n);
}

/* A writer, and the file of its documents. */
typedef struct written {
    tempdir dir;
    rp__folder folder;
    rp__doctable_writer *writer;
    rp__lengths coded;
    uint64_t tokens;
    rp__section_file *file;
} written;

static void begin(written *w)
{
    assert_int_equal(tempdir_make(&w->dir), 0);
    assert_int_equal(rp__folder_open(&w->folder, w->dir.path, NULL), RP_OK);
    assert_int_equal(rp__doctable_writer_new(&w->writer), RP_OK);
}

static void code(written *w)
{
    assert_int_equal(rp__doctable_writer_code(w->writer, &w->coded, &w->tokens), RP_OK);
}

/* The writer becomes a file. */
static void put(written *w)
{
    uint64_t bytes, checksum;
    assert_int_equal(rp__doctable_writer_write(w->writer, &w->folder, "f", &bytes, &checksum, NULL),
                     RP_OK);
    rp__doctable_writer_free(w->writer);
    assert_int_equal(
        rp__section_file_open(&w->folder, "f", RP_FILE_DOCS, bytes, checksum, &w->file, NULL),
        RP_OK);
}

static void end(written *w)
{
    rp__section_file_close(w->file);
    rp__folder_close(&w->folder);
    tempdir_remove(&w->dir);
}

static void test_bytes(void **state)
{
    (void)state;
    static const char *const ids[] = {"a", "bc", "dé", "f"};
    static const uint32_t lengths[] = {5, 0, 70000, 5};
    written w;
    uint32_t docid;
    begin(&w);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(rp__doctable_writer_add(w.writer, ids[i], strlen(ids[i]), &docid), RP_OK);
        rp__doctable_writer_set_length(w.writer, docid, lengths[i]);
    }
    code(&w);
    assert_int_equal(w.tokens, 70010);
    assert_int_equal(w.coded.n_docs, 4);
    assert_int_equal(w.coded.n_table, 3);
    assert_int_equal(rp__lengths_code(&w.coded, 2), 2);
    put(&w);
    static const uint64_t bases[] = {0};
    static const uint32_t offsets[] = {0, 1, 3, 6, 7}, table[] = {0, 5, 70000};
    expect_section(w.file, RP_SECTION_DOC_IDS,
                   "abcd\xC3\xA9"
                   "f",
                   7);
    expect_section(w.file, RP_SECTION_DOC_ID_BASES, bases, sizeof bases);
    expect_section(w.file, RP_SECTION_DOC_ID_OFFSETS, offsets, sizeof offsets);
    expect_section(w.file, RP_SECTION_DOC_LENGTH_CODES, "\1\0\2\1", 4);
    expect_section(w.file, RP_SECTION_DOC_LENGTHS, table, sizeof table);
    end(&w);
}

/* A number yields to an id, whichever comes first, and never to another number. */
static void test_numbers(void **state)
{
    (void)state;
    static const char *const ids[] = {"2", NULL, NULL, "3", "##2", "#3", NULL};
    static const char want[] = "2"
                               "#2"
                               "##3"
                               "3"
                               "##2"
                               "#3"
                               "7";
    written w;
    uint32_t docid;
    begin(&w);
    for (uint32_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        rp_status status = ids[i]
                               ? rp__doctable_writer_add(w.writer, ids[i], strlen(ids[i]), &docid)
                               : rp__doctable_writer_add_number(w.writer, &docid);
        assert_int_equal(status, RP_OK);
        assert_int_equal(docid, i);
    }
    assert_int_equal(rp__doctable_writer_yielded(w.writer), 2);
    assert_int_equal(rp__doctable_writer_add(w.writer, "3", 1, &docid), RP_INPUT);
    assert_int_equal(docid, 3);
    code(&w);
    put(&w);
    expect_section(w.file, RP_SECTION_DOC_IDS, want, sizeof want - 1);
    end(&w);
}

/* Ids that are equal are found at any distance, across growths of the table that remembers them. */
static void test_seen_before(void **state)
{
    (void)state;
    enum { N = 20000 };
    rp__doctable_writer *w;
    uint32_t docid;
    assert_int_equal(rp__doctable_writer_new(&w), RP_OK);
    for (uint32_t i = 0; i < N; i++) {
        char id[32];
        int bytes = snprintf(id, sizeof id, "%x", i * 2654435761U);
        assert_int_equal(rp__doctable_writer_add(w, id, (size_t)bytes, &docid), RP_OK);
        assert_int_equal(docid, i);
        uint32_t before = i / 2;
        bytes = snprintf(id, sizeof id, "%x", before * 2654435761U);
        docid = UINT32_MAX;
        assert_int_equal(rp__doctable_writer_add(w, id, (size_t)bytes, &docid), RP_INPUT);
        assert_int_equal(docid, before);
    }
    assert_int_equal(rp__doctable_writer_docs(w), N);
    rp__doctable_writer_free(w);
    rp__doctable_writer_free(NULL);
}

/* A beginning, a longer one, another case: other ids. */
static void test_alike_but_different(void **state)
{
    (void)state;
    static const char *const ids[] = {"doc", "doc1", "do", "DOC", "doc ", "\xC3\xA9", "\xC3\xA8"};
    rp__doctable_writer *w;
    uint32_t docid;
    assert_int_equal(rp__doctable_writer_new(&w), RP_OK);
    for (int again = 0; again < 2; again++)
        for (uint32_t i = 0; i < sizeof ids / sizeof *ids; i++) {
            assert_int_equal(rp__doctable_writer_add(w, ids[i], strlen(ids[i]), &docid),
                             again ? RP_INPUT : RP_OK);
            assert_int_equal(docid, i);
        }
    assert_int_equal(rp__doctable_writer_add(w, "d\0c", 3, &docid), RP_OK); /* any bytes */
    assert_int_equal(rp__doctable_writer_add(w, "d\0d", 3, &docid), RP_OK);
    rp__doctable_writer_free(w);
}

static void test_no_memory(void **state)
{
    (void)state;
    uint64_t before = rp__alloc_in_use();
    for (uint64_t fail_at = 1;; fail_at++) {
        rp__doctable_writer *w = NULL;
        rp__lengths lengths;
        uint64_t tokens;
        uint32_t docid;
        rp__alloc_fail_at(fail_at, false);
        rp_status status = rp__doctable_writer_new(&w);
        for (uint32_t i = 0; i < 3000 && status == RP_OK; i++) {
            char id[16];
            int bytes = snprintf(id, sizeof id, "%u", i);
            status = rp__doctable_writer_add(w, id, (size_t)bytes, &docid);
            if (status == RP_OK)
                rp__doctable_writer_set_length(w, docid, i % 100 ? i : (1U << 20) + i);
        }
        if (status == RP_OK)
            status = rp__doctable_writer_code(w, &lengths, &tokens);
        rp__alloc_fail_at(0, false);
        rp__doctable_writer_free(w);
        assert_int_equal(rp__alloc_in_use(), before);
        if (status == RP_OK)
            break;
        assert_int_equal(status, RP_NO_MEMORY);
        assert_true(fail_at < 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),       cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_seen_before), cmocka_unit_test(test_alike_but_different),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
