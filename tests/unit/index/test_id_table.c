/* test_id_table.c: every document is found by its id, and nothing else is, with the table and without. */
#include "index/id_table.h"

#include "base/alloc.h"
#include "tempdir.h"
#include "unit/files.h"

typedef struct table_case {
    tempdir dir;
    rp__folder folder;
    rp__section_file *file;
    rp__doctable docs;
} table_case;

static int put_id(char *out, uint32_t d)
{
    return snprintf(out, 64, d % 3 ? "doc-%x" : "path/of/a/file/%u.txt", d);
}

static void open_case(table_case *c, uint32_t n)
{
    rp__doctable_writer *w;
    rp__lengths lengths;
    uint64_t tokens, bytes, checksum;
    assert_int_equal(tempdir_make(&c->dir), 0);
    assert_int_equal(rp__folder_open(&c->folder, c->dir.path, NULL), RP_OK);
    assert_int_equal(rp__doctable_writer_new(&w), RP_OK);
    for (uint32_t d = 0; d < n; d++) {
        char id[64];
        uint32_t docid;
        size_t id_bytes = (size_t)put_id(id, d);
        assert_int_equal(rp__doctable_writer_add(w, id, id_bytes, &docid), RP_OK);
        rp__doctable_writer_set_length(w, docid, 1);
    }
    assert_int_equal(rp__doctable_writer_code(w, &lengths, &tokens), RP_OK);
    assert_int_equal(rp__doctable_writer_write(w, &c->folder, "f", &bytes, &checksum, NULL), RP_OK);
    rp__doctable_writer_free(w);
    assert_int_equal(
        rp__section_file_open(&c->folder, "f", RP_FILE_DOCS, bytes, checksum, &c->file, NULL),
        RP_OK);
    assert_int_equal(rp__doctable_open(&c->docs, c->file, NULL, n, NULL), RP_OK);
}

static void close_case(table_case *c)
{
    rp__section_file_close(c->file);
    rp__folder_close(&c->folder);
    tempdir_remove(&c->dir);
}

static void expect_all(const rp__doctable *docs, uint32_t step)
{
    char id[70];
    uint32_t docid;
    for (uint32_t d = 0; d < docs->n_docs; d += step) {
        size_t bytes = (size_t)put_id(id, d);
        assert_int_equal(rp__id_table_find(docs, id, bytes, &docid), RP_OK);
        assert_int_equal(docid, d);
        id[bytes] = '!';
        assert_int_equal(rp__id_table_find(docs, id, bytes + 1, &docid), RP_NOT_FOUND);
    }
    assert_int_equal(rp__id_table_find(docs, "", 0, &docid), RP_NOT_FOUND);
    assert_int_equal(rp__id_table_find(docs, "no such id", 10, &docid), RP_NOT_FOUND);
}

static void test_find(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 2, 3, 4, 5, 100, 4096, 20000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        table_case c;
        open_case(&c, sizes[i]);
        assert_non_null(c.docs.id_buckets);
        expect_all(&c.docs, 1);
        assert_int_equal(rp__id_table_check(&c.docs), RP_OK);
        c.docs.id_buckets = NULL; /* as in an index of an older program */
        expect_all(&c.docs, 1 + sizes[i] / 100);
        close_case(&c);
    }
}

/* Numbers that point nowhere are damage and no more; a check finds a table that has them. */
static void test_damage(void **state)
{
    (void)state;
    enum { N = 1000, BUCKETS = N / RP_DOC_ID_BUCKET + 1 };
    table_case c;
    open_case(&c, N);
    uint32_t copy[BUCKETS + 1 + N], docid;
    rp__doctable docs = c.docs;
    docs.id_buckets = copy;
    docs.id_docids = copy + BUCKETS + 1;
    for (size_t i = 0; i < BUCKETS + 1 + N; i += 7) {
        static const uint32_t bad[] = {UINT32_MAX, N, N + 1, 0x80000000U};
        for (size_t j = 0; j < sizeof bad / sizeof *bad; j++) {
            memcpy(copy, c.docs.id_buckets, sizeof copy);
            if (copy[i] == bad[j])
                continue;
            copy[i] = bad[j];
            assert_int_equal(rp__id_table_check(&docs), RP_DAMAGED);
            for (uint32_t d = 0; d < N; d += 13) {
                char id[64];
                size_t bytes = (size_t)put_id(id, d);
                rp_status status = rp__id_table_find(&docs, id, bytes, &docid);
                assert_true(status != RP_OK || docid == d);
            }
        }
    }
    close_case(&c);
}

/* An older program passes over the section; one that does not fit is damage. */
static void test_shape(void **state)
{
    (void)state;
    table_case c;
    rp__doctable docs;
    open_case(&c, 100);
    docs = (rp__doctable){.n_docs = 101};
    assert_int_equal(rp__id_table_open(&docs, c.file, NULL), RP_DAMAGED);
    assert_int_equal(rp__section_file_required(c.file), 0);
    close_case(&c);
}

static void test_no_memory(void **state)
{
    (void)state;
    rp__id_table t;
    rp__alloc_fail_at(1, false);
    assert_int_equal(rp__id_table_init(&t, 100), RP_NO_MEMORY);
    rp__alloc_fail_at(0, false);
    rp__id_table_reset(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
