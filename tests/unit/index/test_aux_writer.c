/* test_aux_writer.c: names of kinds; sections whose bytes are what the kinds fit; no file left behind. */
#include "index/aux_writer.h"

#include "base/alloc.h"
#include "index/format.h"
#include "tempdir.h"
#include "unit/files.h"
#include "unit/index/plain_index.h"

static tempdir dir;
static rp__folder folder;

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *names;
        uint32_t kinds;
    } good[] = {{NULL, 0},        {"", 0},         {"lr", 1},
                {"hs8", 2},       {"lr,hs16", 5},  {"hs16,lr", 5},
                {"hs16,hs16", 4}, {"hs1024", 256}, {"hs512,hs8", 130}};
    static const char *const wrong[] = {",", "lr,", ",lr", "lr,,hs8", "hs", "Lr", "lr ", "hs2048"};
    uint32_t kinds;
    rp_error err = {0};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(rp__aux_writer_parse(good[i].names, &kinds, &err), RP_OK);
        assert_int_equal(kinds, good[i].kinds);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(rp__aux_writer_parse(wrong[i], &kinds, &err), RP_USAGE);
        assert_non_null(strstr(err.text, "hs1024"));
    }
}

enum { LISTS = 40, KINDS = 0x107 }; /* lr, hs8, hs16, hs1024 */

static uint32_t length_of(size_t list)
{
    return (uint32_t)(129 + list * list * 7);
}

static void make_list(size_t list, uint32_t *docids)
{
    uint64_t seed = list;
    uint32_t next = 0;
    for (uint32_t i = 0; i < length_of(list); i++)
        docids[i] = next += 1 + chance_below(&seed, 5);
}

static rp__section_file *write_file(size_t n_lists)
{
    rp__section_writer *out;
    rp__section_file *file;
    rp__aux_writer *w;
    uint32_t docids[20000];
    uint64_t bytes, checksum;
    assert_int_equal(rp__section_writer_new(&folder, "lists", RP_FILE_LISTS, &out, NULL), RP_OK);
    assert_int_equal(rp__aux_writer_new(&folder, KINDS, 1 << 20, &w, NULL), RP_OK);
    for (size_t i = 0; i < n_lists; i++) {
        make_list(i, docids);
        assert_int_equal(rp__aux_writer_add(w, 16 + 32 * i, docids, length_of(i)), RP_OK);
    }
    assert_int_equal(rp__aux_writer_finish(w, out, NULL), RP_OK);
    rp__aux_writer_free(w);
    assert_int_equal(rp__section_writer_finish(out, &bytes, &checksum, NULL), RP_OK);
    assert_int_equal(
        rp__section_file_open(&folder, "lists", RP_FILE_LISTS, bytes, checksum, &file, NULL),
        RP_OK);
    return file;
}

static void expect_section(const rp__section_file *file, const rp__aux_kind *kind, size_t n_lists)
{
    const uint8_t *at;
    size_t bytes, end = (8 * (n_lists + 1) + 15) / 16 * 16;
    uint32_t docids[20000];
    assert_int_equal(rp__section_file_get(file, RP_SECTION_AUX + kind->id, &at, &bytes, NULL),
                     RP_OK);
    assert_int_equal(rp__section_file_verify(file, RP_SECTION_AUX + kind->id, NULL), RP_OK);
    for (size_t i = 0; i < n_lists; i++) {
        uint8_t *want = malloc(kind->bound(kind, length_of(i)));
        make_list(i, docids);
        size_t used = kind->fit(kind, docids, length_of(i), 1 << 20, want);
        assert_int_equal(rp__load64(at + 8 * i), end);
        assert_memory_equal(at + end, want, used);
        end += used;
        free(want);
    }
    assert_int_equal(rp__load64(at + 8 * n_lists), end);
    assert_int_equal(bytes, end);
}

static void test_sections(void **state)
{
    (void)state;
    for (size_t n_lists = 0; n_lists <= LISTS; n_lists = n_lists * 3 + 1) {
        rp__section_file *file = write_file(n_lists);
        const uint8_t *lists;
        size_t bytes;
        assert_int_equal(rp__section_file_count(file), 5);
        assert_int_equal(rp__section_file_get(file, RP_SECTION_AUX_LISTS, &lists, &bytes, NULL),
                         RP_OK);
        assert_int_equal(bytes, 8 * n_lists);
        for (size_t i = 0; i < n_lists; i++)
            assert_int_equal(rp__load64(lists + 8 * i), 16 + 32 * i);
        for (size_t id = 0; id < RP_AUX_KINDS; id++)
            if (KINDS >> id & 1)
                expect_section(file, rp__aux_kind_at(id), n_lists);
        rp__section_file_close(file);
        for (size_t id = 0; id < RP_AUX_KINDS; id++) {
            char name[16];
            snprintf(name, sizeof name, "aux.%zu.tmp", id);
            assert_false(files_exist(tempdir_path(&dir, name)));
        }
        assert_int_equal(remove(tempdir_path(&dir, "lists")), 0);
    }
}

/* A temporary file that changed on the disk is found, not copied. */
static void test_changed_file(void **state)
{
    (void)state;
    rp__section_writer *out;
    rp__aux_writer *w;
    rp_error err = {0};
    uint32_t docids[20000];
    assert_int_equal(rp__section_writer_new(&folder, "lists", RP_FILE_LISTS, &out, NULL), RP_OK);
    assert_int_equal(rp__aux_writer_new(&folder, 2, 1 << 16, &w, NULL), RP_OK);
    for (size_t i = 0; i < LISTS; i++) { /* more than its buffer holds */
        make_list(LISTS - 1, docids);
        assert_int_equal(rp__aux_writer_add(w, 16 * i, docids, length_of(LISTS - 1)), RP_OK);
    }
    FILE *f = fopen(tempdir_path(&dir, "aux.1.tmp"), "r+");
    assert_non_null(f);
    assert_int_equal(fputc(0xC3, f), 0xC3);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(rp__aux_writer_finish(w, out, &err), RP_IO);
    assert_non_null(strstr(err.text, "aux.1.tmp"));
    rp__aux_writer_free(w);
    rp__section_writer_abandon(out);
    assert_false(files_exist(tempdir_path(&dir, "aux.1.tmp")));
}

static void test_abandoned(void **state)
{
    (void)state;
    rp__aux_writer *w;
    assert_int_equal(rp__aux_writer_new(&folder, KINDS, 100, &w, NULL), RP_OK);
    assert_true(files_exist(tempdir_path(&dir, "aux.0.tmp")));
    rp__aux_writer_free(w);
    assert_false(files_exist(tempdir_path(&dir, "aux.0.tmp")));
    assert_false(files_exist(tempdir_path(&dir, "aux.8.tmp")));
    rp__aux_writer_free(NULL);
}

static int make(void **state)
{
    (void)state;
    return tempdir_make(&dir) == 0 && rp__folder_create(&folder, dir.path, NULL) == RP_OK ? 0 : -1;
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
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_changed_file),
        cmocka_unit_test(test_abandoned),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
