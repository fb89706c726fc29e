/* test_doctable_told.c: the docs file of documents that are told is what doctable_writer.c makes of them. */
#include "index/doctable_given.h"

#include "base/alloc.h"
#include "index/doctable.h"
#include "tempdir.h"
#include "unit/files.h"

static size_t name_it(void *arg, uint32_t docid, char *out)
{
    (void)arg;
    return (size_t)snprintf(out, RP_GIVEN_ID_MAX, "doc-%x", docid * 7);
}

/* arg: how many lengths there are. */
static uint32_t measure_it(void *arg, uint32_t docid)
{
    uint32_t n = *(const uint32_t *)arg;
    return docid % 1000 == 999 ? RP_GIVEN_LENGTH_MAX : docid * 31 % (n - 1) * 2;
}

static void write_plain(const rp__folder *folder, const rp__doc_source *docs, rp__meta_file *file)
{
    rp__doctable_writer *w;
    rp__lengths lengths;
    uint64_t tokens;
    assert_int_equal(rp__doctable_writer_new(&w), RP_OK);
    for (uint32_t d = 0; d < docs->n; d++) {
        char id[RP_GIVEN_ID_MAX];
        uint32_t docid;
        size_t n = docs->id(docs->arg, d, id);
        assert_int_equal(rp__doctable_writer_add(w, id, n, &docid), RP_OK);
        rp__doctable_writer_set_length(w, docid, docs->length(docs->arg, d));
    }
    assert_int_equal(rp__doctable_writer_code(w, &lengths, &tokens), RP_OK);
    assert_int_equal(
        rp__doctable_writer_write(w, folder, "plain", &file->bytes, &file->checksum, NULL), RP_OK);
    rp__doctable_writer_free(w);
}

static void expect_same_file(uint32_t docs, uint32_t lengths)
{
    rp__doc_source told = {docs, name_it, measure_it, &lengths};
    rp__doctable_given t;
    rp__folder folder;
    rp__meta_file a = {0}, b = {0};
    tempdir dir;
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp__folder_open(&folder, dir.path, NULL), RP_OK);
    write_plain(&folder, &told, &a);
    assert_int_equal(rp__doctable_given_init(&t, &told), RP_OK);
    uint64_t tokens = 0;
    for (uint32_t d = 0; d < docs; d++) {
        uint32_t length = measure_it(&lengths, d);
        tokens += length;
        assert_int_equal(t.table[rp__lengths_code(&t.lengths, d)], length);
    }
    assert_true(t.tokens == tokens);
    assert_int_equal(rp__doctable_given_write(&t, &folder, "told", &b, NULL), RP_OK);
    rp__doctable_given_reset(&t);
    assert_true(a.bytes == b.bytes && a.checksum == b.checksum);
    size_t n_a, n_b;
    uint8_t *plain = files_read(tempdir_path(&dir, "plain"), &n_a);
    uint8_t *streamed = files_read(tempdir_path(&dir, "told"), &n_b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(plain, streamed, n_a);
    free(plain);
    free(streamed);
    rp__folder_close(&folder);
    tempdir_remove(&dir);
}

/* One byte or two for a length; a stride of bases that is full, begun, or one document. */
static void test_same_file(void **state)
{
    (void)state;
    expect_same_file(1, 10);
    expect_same_file(RP_DOC_ID_STRIDE, 255);
    expect_same_file(RP_DOC_ID_STRIDE - 1, 256);
    expect_same_file(RP_DOC_ID_STRIDE + 1, 257);
    expect_same_file(3 * RP_DOC_ID_STRIDE, 5000);
}

static void test_no_memory(void **state)
{
    (void)state;
    uint32_t lengths = 100;
    rp__doc_source told = {5000, name_it, measure_it, &lengths};
    for (uint64_t n = 1; n <= 3; n++) {
        rp__doctable_given t;
        uint64_t before = rp__alloc_in_use();
        rp__alloc_fail_at(n, false);
        assert_int_equal(rp__doctable_given_init(&t, &told), RP_NO_MEMORY);
        rp__alloc_fail_at(0, false);
        rp__doctable_given_reset(&t);
        assert_true(rp__alloc_in_use() == before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_file),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
