/* test_doctable.c: ids, lengths and stored text read back, and refused where the parts do not fit.
 * What is written is test_doctable_writer.c. */
#include "index/doctable.h"

#include "unit/index/patch.h"
#include "unit/index/plain_index.h"

static tempdir dir;
static rp__folder folder;

typedef struct opened {
    rp__doctable t;
    rp__section_file *docs, *text;
} opened;

/* A table of n documents; document d has id "id<d>" and length_of(d). */
static void write_docs(uint32_t n, uint32_t (*length_of)(uint32_t d))
{
    rp__doctable_writer *w;
    rp__lengths lengths;
    uint64_t tokens, want = 0;
    uint32_t docid;
    assert_int_equal(rp__doctable_writer_new(&w), RP_OK);
    for (uint32_t d = 0; d < n; d++) {
        char id[32];
        int bytes = snprintf(id, sizeof id, "id%u", d);
        assert_int_equal(rp__doctable_writer_add(w, id, (size_t)bytes, &docid), RP_OK);
        assert_int_equal(docid, d);
        rp__doctable_writer_set_length(w, d, length_of(d));
        want += length_of(d);
    }
    assert_int_equal(rp__doctable_writer_docs(w), n);
    assert_int_equal(rp__doctable_writer_code(w, &lengths, &tokens), RP_OK);
    assert_int_equal(tokens, want);
    assert_int_equal(rp__doctable_writer_write(w, &folder, "docs", NULL, NULL, NULL), RP_OK);
    rp__doctable_writer_free(w);
}

static rp_status open_table(opened *o, uint32_t n_docs, bool has_text, rp_error *err)
{
    memset(o, 0, sizeof *o);
    assert_int_equal(rp__section_file_open(&folder, "docs", RP_FILE_DOCS, 0, 0, &o->docs, err),
                     RP_OK);
    if (has_text)
        assert_int_equal(rp__section_file_open(&folder, "text", RP_FILE_TEXT, 0, 0, &o->text, err),
                         RP_OK);
    return rp__doctable_open(&o->t, o->docs, o->text, n_docs, err);
}

static void close_table(opened *o)
{
    rp__section_file_close(o->docs);
    rp__section_file_close(o->text);
}

static void remove_files(void)
{
    remove(tempdir_path(&dir, "docs"));
    remove(tempdir_path(&dir, "text"));
}

static uint32_t length_small(uint32_t d)
{
    return d % 7;
}

static uint32_t length_many(uint32_t d)
{
    return d % 300 * 5;
}

static uint32_t length_more(uint32_t d)
{
    return d * 3 + (d > 70000 ? 1U << 21 : 0); /* some beyond what is sorted by bits */
}

static void expect_table(uint32_t n, uint32_t (*length_of)(uint32_t d), uint32_t code_bytes)
{
    opened o;
    const char *id;
    size_t bytes;
    write_docs(n, length_of);
    assert_int_equal(open_table(&o, n, false, NULL), RP_OK);
    assert_int_equal(o.t.lengths.code_bytes, code_bytes);
    for (uint32_t i = 1; i < o.t.lengths.n_table; i++)
        assert_true(o.t.lengths.table[i - 1] < o.t.lengths.table[i]);
    for (uint32_t d = 0; d < n; d++) {
        char want[32];
        snprintf(want, sizeof want, "id%u", d);
        assert_int_equal(rp__doctable_id(&o.t, d, &id, &bytes), RP_OK);
        assert_int_equal(bytes, strlen(want));
        assert_memory_equal(id, want, bytes);
        assert_int_equal(o.t.lengths.table[rp__lengths_code(&o.t.lengths, d)], length_of(d));
    }
    assert_int_equal(rp__doctable_id(&o.t, n, &id, &bytes), RP_NOT_FOUND);
    assert_int_equal(rp__doctable_id(&o.t, UINT32_MAX, &id, &bytes), RP_NOT_FOUND);
    close_table(&o);
    remove_files();
}

static void test_strides(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 2, 4095, 4096, 4097, 8191, 8192, 8193};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        expect_table(sizes[i], length_small, 1);
}

static uint32_t length_own(uint32_t d)
{
    return d;
}

static void test_codes(void **state)
{
    (void)state;
    expect_table(256, length_own, 1); /* distinct lengths at either side of each width */
    expect_table(257, length_own, 2);
    expect_table(5000, length_many, 2);
    expect_table(65536, length_own, 2);
    expect_table(65537, length_own, 4);
    expect_table(80000, length_more, 4);
}

static void test_other_number_of_documents(void **state)
{
    (void)state;
    opened o;
    rp_error err;
    write_docs(4096, length_small);
    for (uint32_t n = 4090; n < 4100; n++) {
        assert_int_equal(open_table(&o, n, false, &err), n == 4096 ? RP_OK : RP_DAMAGED);
        close_table(&o);
    }
    assert_non_null(strstr(err.text, "do not fit the number of documents"));
    remove_files();
}

/* Ids whose offsets go back, or past the end. */
static void test_damaged_ids(void **state)
{
    (void)state;
    opened o;
    const char *id;
    size_t bytes, n;
    write_docs(100, length_small);
    uint8_t *file = files_read(tempdir_path(&dir, "docs"), &n);
    for (uint32_t d = 0; d < 101; d += 10)
        for (int way = 0; way < 2; way++) {
            uint8_t *copy = malloc(n);
            memcpy(copy, file, n);
            uint32_t *offsets =
                (uint32_t *)(void *)reseal_section(copy, n, RP_SECTION_DOC_ID_OFFSETS, &bytes);
            offsets[d] = way ? UINT32_MAX : d < 50 ? 300 : 0;
            reseal_file(copy, n);
            files_write(tempdir_path(&dir, "docs"), copy, n);
            free(copy);
            size_t refused = 0;
            assert_int_equal(open_table(&o, 100, false, NULL), RP_OK);
            for (uint32_t i = 0; i < 100; i++)
                refused += rp__doctable_id(&o.t, i, &id, &bytes) == RP_DAMAGED;
            assert_true(refused == 1 || refused == 2);
            close_table(&o);
        }
    free(file);
    remove_files();
}

/* A code that names no length is read as one that there is. */
static void test_damaged_codes(void **state)
{
    (void)state;
    opened o;
    size_t bytes, n;
    write_docs(50, length_small);
    uint8_t *file = files_read(tempdir_path(&dir, "docs"), &n);
    reseal_section(file, n, RP_SECTION_DOC_LENGTH_CODES, &bytes)[3] = 200;
    reseal_file(file, n);
    files_write(tempdir_path(&dir, "docs"), file, n);
    free(file);
    assert_int_equal(open_table(&o, 50, false, NULL), RP_OK);
    assert_int_equal(rp__lengths_code(&o.t.lengths, 3), 6);
    close_table(&o);
    remove_files();
}

/* ---- Stored text ----------------------------------------------------------------------------- */

static const char *title_of(uint32_t d)
{
    return d % 3 == 0 ? "" : d % 3 == 1 ? "A title" : "Ein längerer Titel";
}

static size_t text_of(uint32_t d, char out[5000])
{
    size_t n = d % 5 == 0 ? 0 : d * 37 % 5000;
    for (size_t i = 0; i < n; i++)
        out[i] = (char)('a' + (i * d + i / 9) % 26);
    return n;
}

/* Documents of the block that begins with `first`: `per_block`, or fewer where it is full before. */
static uint32_t end_of_block(uint32_t first, uint32_t n_docs, uint32_t per_block)
{
    uint32_t end = first;
    char text[5000];
    for (size_t bytes = 0; end < n_docs && end - first < per_block && bytes < RP_TEXT_BLOCK; end++)
        bytes += strlen(title_of(end)) + text_of(end, text);
    return end;
}

/* Blocks of `per_block` documents at most, in the form that the builder's contract gives. */
static void write_text(uint32_t n_docs, uint32_t per_block)
{
    rp__section_writer *w;
    rp__zblock *z;
    rp__buf index, packed, raw;
    rp__buf_init(&index);
    rp__buf_init(&packed);
    rp__buf_init(&raw);
    assert_int_equal(rp__zblock_new(&z), RP_OK);
    assert_int_equal(rp__section_writer_new(&folder, "text", RP_FILE_TEXT, &w, NULL), RP_OK);
    rp__section_writer_begin(w, RP_SECTION_TEXT_BLOCKS);
    for (uint32_t first = 0, end; first < n_docs; first = end) {
        char text[5000];
        end = end_of_block(first, n_docs, per_block);
        raw.n = 0;
        for (uint32_t d = first; d < end; d++) {
            rp__buf_put_varint(&raw, strlen(title_of(d)));
            rp__buf_put_varint(&raw, text_of(d, text));
        }
        for (uint32_t d = first; d < end; d++) {
            rp__buf_put_string(&raw, title_of(d));
            rp__buf_put(&raw, text, text_of(d, text));
        }
        rp__text_block block = {packed.n, first, (uint32_t)raw.n};
        rp__buf_put(&index, &block, sizeof block);
        assert_int_equal(rp__zblock_pack(z, raw.at, raw.n, &packed), RP_OK);
    }
    rp__text_block end = {packed.n, n_docs, 0};
    rp__buf_put(&index, &end, sizeof end);
    rp__section_writer_put(w, packed.at, packed.n);
    rp__section_writer_end(w);
    rp__section_writer_begin(w, RP_SECTION_TEXT_INDEX);
    rp__section_writer_put(w, index.at, index.n);
    rp__section_writer_end(w);
    assert_int_equal(rp__section_writer_finish(w, NULL, NULL, NULL), RP_OK);
    rp__zblock_free(z);
    rp__buf_free(&index);
    rp__buf_free(&packed);
    rp__buf_free(&raw);
}

static void test_text(void **state)
{
    (void)state;
    static const uint32_t per_block[] = {1, 2, 7, 100, 1000};
    rp__zblock *z;
    assert_int_equal(rp__zblock_new(&z), RP_OK);
    for (size_t i = 0; i < sizeof per_block / sizeof *per_block; i++) {
        opened o;
        rp__doc_text got;
        write_docs(101, length_small);
        write_text(101, per_block[i]);
        assert_int_equal(open_table(&o, 101, true, NULL), RP_OK);
        for (uint32_t d = 101; d-- > 0;) {
            char text[5000];
            size_t bytes = text_of(d, text);
            assert_int_equal(rp__doctable_text(&o.t, d, z, UINT64_MAX, &got), RP_OK);
            assert_string_equal(got.title, title_of(d));
            assert_int_equal(got.title_bytes, strlen(title_of(d)));
            assert_int_equal(got.text_bytes, bytes);
            assert_memory_equal(got.text, text, bytes);
            assert_int_equal(got.text[bytes], 0);
            rp__doctable_text_free(&got);
            assert_int_equal(rp__doctable_text(&o.t, d, z, 9, &got), RP_OK);
            assert_int_equal(got.title_bytes, strnlen(title_of(d), 9));
            assert_int_equal(got.text_bytes, bytes < 9 ? bytes : 9);
            assert_memory_equal(got.text, text, got.text_bytes);
            rp__doctable_text_free(&got);
        }
        assert_int_equal(rp__doctable_text(&o.t, 101, z, 9, &got), RP_NOT_FOUND);
        close_table(&o);
        remove_files();
    }
    rp__zblock_free(z);
}

static void test_no_text(void **state)
{
    (void)state;
    opened o;
    rp__doc_text got;
    write_docs(3, length_small);
    assert_int_equal(open_table(&o, 3, false, NULL), RP_OK);
    assert_int_equal(rp__doctable_text(&o.t, 1, NULL, 9, &got), RP_OK);
    assert_string_equal(got.title, "");
    assert_string_equal(got.text, "");
    assert_int_equal(got.title_bytes + got.text_bytes, 0);
    rp__doctable_text_free(&got);
    close_table(&o);
    remove_files();
    write_docs(0, length_small);
    write_text(0, 1);
    assert_int_equal(open_table(&o, 0, true, NULL), RP_OK);
    assert_int_equal(rp__doctable_text(&o.t, 0, NULL, 9, &got), RP_NOT_FOUND);
    close_table(&o);
    remove_files();
}

/* Every field of the index of blocks set to nonsense: a status, never harm, and sound neighbours. */
static void test_damaged_text(void **state)
{
    (void)state;
    static const uint32_t odd[] = {0, 1, 49, 100, 101, 1000, 0x7FFFFFFF, UINT32_MAX};
    rp__zblock *z;
    size_t n, bytes;
    assert_int_equal(rp__zblock_new(&z), RP_OK);
    write_docs(100, length_small);
    write_text(100, 10);
    uint8_t *file = files_read(tempdir_path(&dir, "text"), &n);
    uint8_t *copy = malloc(n);
    size_t refused = 0;
    for (size_t field = 0; field < 11 * 4; field++)
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            opened o;
            memcpy(copy, file, n);
            uint8_t *index = reseal_section(copy, n, RP_SECTION_TEXT_INDEX, &bytes);
            memcpy(index + 4 * field, &odd[i], 4);
            reseal_file(copy, n);
            files_write(tempdir_path(&dir, "text"), copy, n);
            assert_int_equal(open_table(&o, 100, true, NULL), RP_OK);
            for (uint32_t d = 0; d < 100; d += 9) {
                rp__doc_text got;
                rp_status status = rp__doctable_text(&o.t, d, z, UINT64_MAX, &got);
                assert_true(status == RP_OK || status == RP_DAMAGED);
                refused += status == RP_DAMAGED;
                rp__doctable_text_free(&got);
            }
            close_table(&o);
        }
    assert_true(refused > 100);
    free(copy);
    free(file);
    rp__zblock_free(z);
    remove_files();
}

static int make(void **state)
{
    (void)state;
    return tempdir_make(&dir) != 0 || rp__folder_open(&folder, dir.path, NULL) != RP_OK;
}

static int clean(void **state)
{
    (void)state;
    rp__folder_close(&folder);
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_other_number_of_documents),
        cmocka_unit_test(test_damaged_ids),
        cmocka_unit_test(test_damaged_codes),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_no_text),
        cmocka_unit_test(test_damaged_text),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
