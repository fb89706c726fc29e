/* test_dictionary_writer.c: the bytes of the terms file. */
#include "index/dictionary.h"

#include "index/format.h"
#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;
static rp__folder folder;

static void add(rp__dictionary_writer *w, const char *term, const rp__term *entry)
{
    assert_int_equal(rp__dictionary_writer_add(w, term, (uint32_t)strlen(term), entry), RP_OK);
}

static const uint8_t *section(const rp__section_file *f, uint32_t id, size_t *n)
{
    const uint8_t *at;
    assert_int_equal(rp__section_file_get(f, id, &at, n, NULL), RP_OK);
    return at;
}

static void expect_section(const rp__section_file *f, uint32_t id, const void *bytes, size_t n)
{
    size_t got;
    const uint8_t *at = section(f, id, &got);
    assert_int_equal(got, n);
    assert_memory_equal(at, bytes, n);
}

static void check_bytes(bool has_positions)
{
    rp__dictionary_writer *w;
    rp__section_file *f;
    uint64_t bytes, checksum;
    static const uint8_t tiny[] = {4, 0, 9};
    rp__term in_entry = {.df = 1, .cf = 1, .tiny = tiny, .tiny_bytes = 3};
    rp__term list = {.df = 200, .cf = 500, .list_bytes = 320, .pos_bytes = has_positions ? 400 : 0};
    rp__term next = {.df = 9, .cf = 9, .list_bytes = 16, .pos_bytes = has_positions ? 10 : 0};
    assert_int_equal(rp__dictionary_writer_new(&folder, "f", has_positions, &w, NULL), RP_OK);
    add(w, "wing", &list);
    add(w, "wings", &in_entry);
    add(w, "word", &next);
    assert_int_equal(rp__dictionary_writer_terms(w), 3);
    assert_int_equal(rp__dictionary_writer_finish(w, &bytes, &checksum, NULL), RP_OK);
    rp__dictionary_writer_free(w);
    assert_int_equal(rp__section_file_open(&folder, "f", RP_FILE_TERMS, bytes, checksum, &f, NULL),
                     RP_OK);
    static const uint8_t with[] = {
        0, 0,                                                    /* both offsets */
        0, 4, 'w', 'i', 'n', 'g', 0x90, 3, 0xAC, 2, 80, 0x90, 3, /* 200 << 1; 300; 320 / 4; 400 */
        4, 1, 's', 3,   0,   3,   4,    0, 9,                    /* 1 << 1 | 1; 0; 3 bytes */
        1, 3, 'o', 'r', 'd', 18,  0,    4, 10};
    static const uint8_t without[] = {0,    0, 0,  4, 'w', 'i', 'n', 'g', 0x90, 3,
                                      0xAC, 2, 80, 4, 1,   's', 3,   0,   3,    4,
                                      0,    9, 1,  3, 'o', 'r', 'd', 18,  0,    4};
    uint64_t offsets[] = {0, has_positions ? sizeof with : sizeof without};
    uint64_t prefix = 0x77696E6700000000U; /* "wing" */
    expect_section(f, RP_SECTION_TERM_BLOCKS, has_positions ? with : without, offsets[1]);
    expect_section(f, RP_SECTION_TERM_OFFSETS, offsets, sizeof offsets);
    expect_section(f, RP_SECTION_TERM_PREFIXES, &prefix, sizeof prefix);
    rp__section_file_close(f);
    assert_int_equal(remove(tempdir_path(&dir, "f")), 0);
}

static void test_bytes(void **state)
{
    (void)state;
    check_bytes(true);
    check_bytes(false);
}

/* A block begins with a whole term and the sums of what came before. */
static void test_blocks(void **state)
{
    (void)state;
    rp__dictionary_writer *w;
    rp__section_file *f;
    uint64_t bytes, checksum;
    size_t n;
    rp__term entry = {.df = 9, .cf = 9, .list_bytes = 32, .pos_bytes = 11};
    assert_int_equal(rp__dictionary_writer_new(&folder, "f", true, &w, NULL), RP_OK);
    for (int i = 0; i < 33; i++) {
        char term[8];
        snprintf(term, sizeof term, "same%02d", i);
        add(w, term, &entry);
    }
    assert_int_equal(rp__dictionary_writer_finish(w, &bytes, &checksum, NULL), RP_OK);
    rp__dictionary_writer_free(w);
    assert_int_equal(rp__section_file_open(&folder, "f", RP_FILE_TERMS, bytes, checksum, &f, NULL),
                     RP_OK);
    const uint8_t *blocks = section(f, RP_SECTION_TERM_BLOCKS, &n);
    const uint64_t *offsets =
        (const uint64_t *)(const void *)section(f, RP_SECTION_TERM_OFFSETS, &n);
    assert_int_equal(n, 4 * sizeof *offsets);
    assert_int_equal(offsets[0], 0);
    static const uint8_t second[] = {0x80, 1, 0xB0, 1, 0, 6, 's', 'a', 'm', 'e', '1', '6'};
    static const uint8_t third[] = {0x80, 2, 0xE0, 2, 0, 6, 's', 'a', 'm', 'e', '3', '2'};
    assert_memory_equal(blocks + offsets[1], second, sizeof second); /* 16 lists: 512/4, 176 */
    assert_memory_equal(blocks + offsets[2], third, sizeof third);
    section(f, RP_SECTION_TERM_BLOCKS, &n);
    assert_int_equal(offsets[3], n);
    rp__section_file_close(f);
    assert_int_equal(remove(tempdir_path(&dir, "f")), 0);
}

static void test_no_terms(void **state)
{
    (void)state;
    rp__dictionary_writer *w;
    rp__section_file *f;
    uint64_t bytes, checksum, zero = 0;
    assert_int_equal(rp__dictionary_writer_new(&folder, "f", true, &w, NULL), RP_OK);
    assert_int_equal(rp__dictionary_writer_finish(w, &bytes, &checksum, NULL), RP_OK);
    rp__dictionary_writer_free(w);
    assert_int_equal(rp__section_file_open(&folder, "f", RP_FILE_TERMS, bytes, checksum, &f, NULL),
                     RP_OK);
    expect_section(f, RP_SECTION_TERM_BLOCKS, "", 0);
    expect_section(f, RP_SECTION_TERM_OFFSETS, &zero, sizeof zero);
    expect_section(f, RP_SECTION_TERM_PREFIXES, "", 0);
    rp__section_file_close(f);
    assert_int_equal(remove(tempdir_path(&dir, "f")), 0);
}

static void test_left_off(void **state)
{
    (void)state;
    rp__dictionary_writer *w;
    rp_error err;
    assert_int_equal(rp__dictionary_writer_new(&folder, "f", true, &w, NULL), RP_OK);
    add(w, "a", &(rp__term){.df = 9, .cf = 9, .list_bytes = 16});
    rp__dictionary_writer_free(w);
    assert_int_equal(files_count(dir.path), 0);
    rp__dictionary_writer_free(NULL);
    files_write(tempdir_path(&dir, "f"), "", 0);
    assert_int_equal(rp__dictionary_writer_new(&folder, "f", true, &w, &err), RP_IO);
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
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_no_terms),
        cmocka_unit_test(test_left_off),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
