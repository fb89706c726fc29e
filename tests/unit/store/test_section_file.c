/* test_section_file.c: what a section file's opener lets through, and what it says of the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "fault/reseal.h"
#include "tempdir.h"
#include "unit/files.h"

enum { KIND = 3 };

static tempdir dir;
static rp__folder folder;
static uint8_t sound[1024]; /* a sound file: sections 7 ("seven"), 8 (empty), 9 (100 bytes) */
static size_t bytes;
static uint64_t told_checksum;

static rp_status open_bytes(const uint8_t *at, size_t n, uint64_t want_bytes, uint64_t checksum,
                            rp_error *err)
{
    rp__section_file *f = NULL;
    files_write(tempdir_path(&dir, "f"), at, n);
    rp_status status = rp__section_file_open(&folder, "f", KIND, want_bytes, checksum, &f, err);
    rp__section_file_close(f);
    return status;
}

static void test_round_trip(void **state)
{
    (void)state;
    rp__section_file *f;
    const uint8_t *at;
    size_t n;
    rp_error err;
    files_write(tempdir_path(&dir, "f"), sound, bytes);
    assert_int_equal(rp__section_file_open(&folder, "f", KIND, bytes, told_checksum, &f, NULL),
                     RP_OK);
    assert_int_equal(rp__section_file_count(f), 3);
    assert_int_equal(rp__section_file_bytes(f), bytes);
    assert_non_null(strstr(rp__section_file_name(f), "/f"));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(rp__section_file_id(f, i), 7 + i);
        assert_int_equal(rp__section_file_verify(f, 7 + i, NULL), RP_OK);
        assert_int_equal(rp__section_file_get(f, 7 + i, &at, &n, NULL), RP_OK);
        assert_int_equal((uintptr_t)at % 64, 0);
        assert_int_equal(n, i == 0 ? 5 : i == 1 ? 0 : 100);
        for (size_t j = 0; j < RP_PAD; j++)
            assert_int_equal(at[n + j], 0);
    }
    assert_int_equal(rp__section_file_get(f, 7, &at, &n, NULL), RP_OK);
    assert_memory_equal(at, "seven", 5);
    assert_int_equal(rp__section_file_get(f, 10, &at, &n, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "missing"));
    assert_int_equal(rp__section_file_verify(f, 10, &err), RP_DAMAGED);
    rp__section_file_close(f);
    rp__section_file_close(NULL);
}

static void test_not_there(void **state)
{
    (void)state;
    rp__section_file *f;
    rp_error err;
    assert_int_equal(rp__section_file_open(&folder, "none", KIND, 0, 0, &f, &err), RP_NOT_FOUND);
    assert_int_equal(symlink("f", tempdir_path(&dir, "link")), 0);
    assert_int_equal(rp__section_file_open(&folder, "link", KIND, 0, 0, &f, &err), RP_IO);
    assert_int_equal(remove(tempdir_path(&dir, "link")), 0);
    assert_int_equal(rp__section_file_open(&folder, ".", KIND, 0, 0, &f, &err), RP_IO);
}

static void test_what_the_manifest_says(void **state)
{
    (void)state;
    rp_error err;
    assert_int_equal(open_bytes(sound, bytes, 0, 0, NULL), RP_OK); /* nothing said */
    assert_int_equal(open_bytes(sound, bytes, bytes + 1, 0, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "size"));
    assert_int_equal(open_bytes(sound, bytes, bytes, told_checksum ^ 1, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "checksum"));
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    rp_error err;
    for (size_t n = 0; n < bytes; n++) {
        assert_int_equal(open_bytes(sound, n, 0, 0, &err), RP_DAMAGED);
        assert_non_null(strstr(err.text, "build the index again"));
    }
    uint8_t longer[sizeof sound + 1] = {0};
    memcpy(longer, sound, bytes);
    assert_int_equal(open_bytes(longer, bytes + 1, 0, 0, &err), RP_DAMAGED);
}

/* Damage to what opening checks is found by opening, damage to sections and their padding by verify. */
static void test_every_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < bytes; i++) {
        rp__section_file *f = NULL;
        uint8_t at[sizeof sound];
        memcpy(at, sound, bytes);
        at[i] ^= 0x40;
        files_write(tempdir_path(&dir, "f"), at, bytes);
        rp_status status = rp__section_file_open(&folder, "f", KIND, 0, 0, &f, NULL);
        if (i < 64 || i >= bytes - 64 - 3 * 32) {
            assert_int_not_equal(status, RP_OK);
            continue;
        }
        assert_int_equal(status, RP_OK);
        size_t bad = 0;
        for (uint32_t id = 7; id < 10; id++)
            bad += rp__section_file_verify(f, id, NULL) == RP_DAMAGED;
        assert_int_equal(bad, 1);
        rp__section_file_close(f);
    }
}

/* One field of the header changed, its checksum made right. */
static rp_status open_header(size_t offset, uint64_t value, size_t width, rp_error *err)
{
    uint8_t at[sizeof sound];
    memcpy(at, sound, bytes);
    memcpy(at + offset, &value, width);
    reseal_file(at, bytes);
    return open_bytes(at, bytes, 0, 0, err);
}

static void test_versions_and_features(void **state)
{
    (void)state;
    rp_error err;
    assert_int_equal(open_header(8, KIND + 1, 4, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "another kind"));
    assert_int_equal(open_header(12, 2, 4, &err), RP_INCOMPATIBLE);
    assert_non_null(strstr(err.text, "format version 2, this program reads version 1"));
    assert_int_equal(open_header(12, 0, 4, &err), RP_INCOMPATIBLE);
    assert_int_equal(open_header(16, 0x100, 8, &err), RP_INCOMPATIBLE);
    assert_non_null(strstr(err.text, "features 0x100"));
    assert_non_null(strstr(err.text, "newer Riposte"));
    assert_int_equal(open_header(16, 0x100 | RP_FEATURE_FREQS, 8, &err), RP_INCOMPATIBLE);
    assert_non_null(strstr(err.text, "features 0x100 ")); /* those it knows are not complained of */
    assert_int_equal(open_header(16, RP_FEATURE_FREQS, 8, &err), RP_OK);
    assert_int_equal(open_header(16, 1ULL << 63, 8, &err), RP_INCOMPATIBLE);
    assert_int_equal(open_header(24, UINT64_MAX, 8, &err), RP_OK); /* optional: passed over */
    assert_int_equal(open_header(0, 'X', 1, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "no file of a Riposte index"));
}

static rp_status open_entry(size_t entry, size_t field, uint64_t value)
{
    uint8_t at[sizeof sound];
    size_t entries;
    memcpy(at, sound, bytes);
    uint8_t *table = (uint8_t *)reseal_table(at, bytes, &entries);
    memcpy(table + entry * 32 + 8 + 8 * field, &value, 8);
    reseal_file(at, bytes);
    return open_bytes(at, bytes, 0, 0, NULL);
}

static void test_tables_that_lie(void **state)
{
    (void)state;
    static const uint64_t odd[] = {
        0, 1, 63, 65, 129, 1000, 1ULL << 32, UINT64_MAX, UINT64_MAX - 63};
    static const uint64_t room[] = {128, 64, 192}; /* of each section with its padding */
    for (size_t e = 0; e < 3; e++)
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            bool fits = odd[i] <= 1000 && rp__bits_align(odd[i] + 64, 64) == room[e];
            assert_int_equal(open_entry(e, 0, odd[i]), RP_DAMAGED);                /* offset */
            assert_int_equal(open_entry(e, 1, odd[i]), fits ? RP_OK : RP_DAMAGED); /* bytes */
        }
}

static void test_footers_that_lie(void **state)
{
    (void)state;
    static const uint64_t odd[] = {0, 1, 2, 4, 64, 65, 1000, 1ULL << 59, UINT64_MAX};
    for (size_t field = 0; field < 2; field++) /* where the table lies, and how many entries */
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            uint8_t at[sizeof sound];
            memcpy(at, sound, bytes);
            memcpy(at + bytes - 64 + 8 * field, &odd[i], 8);
            uint64_t sum = rp__checksum(at + bytes - 64, 48);
            memcpy(at + bytes - 16, &sum, 8);
            assert_int_equal(open_bytes(at, bytes, 0, 0, NULL), RP_DAMAGED);
        }
}

static int make(void **state)
{
    (void)state;
    rp__section_writer *w;
    uint8_t hundred[100];
    uint64_t n;
    memset(hundred, 'h', sizeof hundred);
    if (tempdir_make(&dir) != 0 || rp__folder_open(&folder, dir.path, NULL) != RP_OK ||
        rp__section_writer_new(&folder, "f", KIND, &w, NULL) != RP_OK)
        return -1;
    rp__section_writer_begin(w, 7);
    rp__section_writer_put(w, "seven", 5);
    rp__section_writer_end(w);
    rp__section_writer_begin(w, 8);
    rp__section_writer_end(w);
    rp__section_writer_begin(w, 9);
    rp__section_writer_put(w, hundred, sizeof hundred);
    rp__section_writer_end(w);
    if (rp__section_writer_finish(w, &n, &told_checksum, NULL) != RP_OK || n > sizeof sound)
        return -1;
    uint8_t *at = files_read(tempdir_path(&dir, "f"), &bytes);
    memcpy(sound, at, bytes);
    free(at);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    rp__folder_close(&folder);
    tempdir_remove(&dir);
    return 0;
}

/* ---- Copying ----------------------------------------------------------------------------------- */

typedef struct copying {
    uint64_t bytes, calls, stop_at;
} copying;

static bool count_copied(void *arg, uint64_t n)
{
    copying *c = arg;
    c->bytes += n;
    return ++c->calls != c->stop_at;
}

static rp_status copy(const char *to, copying *c, rp_error *err)
{
    rp__section_file *f;
    assert_int_equal(rp__section_file_open(&folder, "f", KIND, 0, 0, &f, NULL), RP_OK);
    rp_status status = rp__section_file_copy(f, &folder, to, c ? count_copied : NULL, c, err);
    rp__section_file_close(f);
    return status;
}

static void expect_copy(const uint8_t *want, size_t n)
{
    size_t got;
    uint8_t *at = files_read(tempdir_path(&dir, "copy"), &got);
    assert_int_equal(got, n);
    assert_memory_equal(at, want, n);
    free(at);
    remove(tempdir_path(&dir, "copy"));
}

static void test_copy(void **state)
{
    (void)state;
    copying c = {0};
    rp_error err = {0};
    uint8_t at[sizeof sound];
    files_write(tempdir_path(&dir, "f"), sound, bytes);
    assert_int_equal(copy("copy", NULL, &err), RP_OK);
    expect_copy(sound, bytes);
    assert_int_equal(copy("copy", &c, &err), RP_OK);
    expect_copy(sound, bytes);
    assert_true(c.bytes > 100 && c.bytes <= bytes);
    for (uint64_t i = 1; i <= c.calls; i++) {
        copying stopped = {.stop_at = i};
        assert_int_equal(copy("copy", &stopped, &err), RP_INTERRUPTED);
        assert_false(files_exist(tempdir_path(&dir, "copy")));
    }
    files_write(tempdir_path(&dir, "copy"), "", 0); /* in the way */
    assert_int_equal(copy("copy", NULL, &err), RP_IO);
    remove(tempdir_path(&dir, "copy"));
    memcpy(at, sound, bytes);
    at[64 + 2] ^= 1; /* in section 7 */
    files_write(tempdir_path(&dir, "f"), at, bytes);
    assert_int_equal(copy("copy", NULL, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "section 7: checksum"));
    assert_false(files_exist(tempdir_path(&dir, "copy")));
    memcpy(at, sound, bytes);
    at[64 + 50] ^= 1; /* in the padding behind it, which is made anew */
    files_write(tempdir_path(&dir, "f"), at, bytes);
    assert_int_equal(copy("copy", NULL, &err), RP_OK);
    expect_copy(sound, bytes);
}

/* More than passes through memory at once. */
static void test_copy_of_a_large_file(void **state)
{
    (void)state;
    enum { LARGE = 600000 };
    rp__section_writer *w;
    copying c = {0};
    rp_error err = {0};
    size_t n;
    uint8_t *values = malloc(LARGE);
    for (size_t i = 0; i < LARGE; i++)
        values[i] = (uint8_t)(i * i >> 5);
    remove(tempdir_path(&dir, "f"));
    assert_int_equal(rp__section_writer_new(&folder, "f", KIND, &w, NULL), RP_OK);
    rp__section_writer_require(w, RP_FEATURE_FREQS);
    for (uint32_t id = 1; id < 3; id++) {
        rp__section_writer_begin(w, id);
        rp__section_writer_put(w, values, LARGE / id);
        rp__section_writer_end(w);
    }
    assert_int_equal(rp__section_writer_finish(w, NULL, NULL, NULL), RP_OK);
    assert_int_equal(copy("copy", &c, &err), RP_OK);
    assert_true(c.calls > 5);
    uint8_t *all = files_read(tempdir_path(&dir, "f"), &n);
    expect_copy(all, n);
    free(all);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_not_there),
        cmocka_unit_test(test_what_the_manifest_says),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_versions_and_features),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_copy_of_a_large_file),
        cmocka_unit_test(test_tables_that_lie),
        cmocka_unit_test(test_footers_that_lie),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
