/* test_section_writer.c: the bytes that a section file is made of, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/bits.h"
#include "store/section.h"
#include "store/store.h"
#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;
static rp__folder folder;

/* Sections of these sizes with ids 10, 11, ...; byte j of section i is i + j. */
static uint8_t *write_file(const size_t *sizes, size_t n, size_t piece, size_t *bytes)
{
    rp__section_writer *w;
    uint64_t told_bytes, told_checksum;
    assert_int_equal(rp__section_writer_new(&folder, "f", 5, &w, NULL), RP_OK);
    for (size_t i = 0; i < n; i++) {
        rp__section_writer_begin(w, 10 + (uint32_t)i);
        for (size_t at = 0; at < sizes[i]; at += piece) {
            uint8_t part[4096];
            size_t now = sizes[i] - at < piece ? sizes[i] - at : piece;
            for (size_t j = 0; j < now; j++)
                part[j] = (uint8_t)(i + at + j);
            assert_int_equal(rp__section_writer_offset(w), at);
            rp__section_writer_put(w, part, now);
        }
        rp__section_writer_end(w);
    }
    assert_int_equal(rp__section_writer_finish(w, &told_bytes, &told_checksum, NULL), RP_OK);
    uint8_t *at = files_read(tempdir_path(&dir, "f"), bytes);
    assert_int_equal(told_bytes, *bytes);
    assert_int_equal(told_checksum, rp__load64(at + *bytes - 16));
    assert_int_equal(remove(tempdir_path(&dir, "f")), 0);
    return at;
}

static bool are_zeros(const uint8_t *at, size_t n)
{
    uint8_t all = 0;
    for (size_t i = 0; i < n; i++)
        all |= at[i];
    return all == 0;
}

static void test_bytes(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1000};
    enum { N = sizeof sizes / sizeof *sizes };
    size_t bytes;
    uint8_t *at = write_file(sizes, N, 1000, &bytes);
    rp__section_header header;
    rp__section_footer footer;
    memcpy(&header, at, sizeof header);
    memcpy(&footer, at + bytes - sizeof footer, sizeof footer);
    assert_memory_equal(at, "\x89RIP\r\n\x1a\n", 8);
    assert_int_equal(header.kind, 5);
    assert_int_equal(header.version, 1);
    assert_true(are_zeros(at + 16, 48)); /* no features, and nothing else */
    uint64_t next = 64;
    for (size_t i = 0; i < N; i++) {
        rp__section_entry e;
        memcpy(&e, at + footer.table_offset + i * sizeof e, sizeof e);
        assert_int_equal(e.id, 10 + i);
        assert_int_equal(e.zero, 0);
        assert_int_equal(e.offset, next);
        assert_int_equal(e.bytes, sizes[i]);
        assert_int_equal(e.checksum, rp__checksum(at + e.offset, sizes[i]));
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(at[e.offset + j], (uint8_t)(i + j));
        uint64_t end = (e.bytes + 64 + 63) / 64 * 64; /* at least 64 zeros, up to a multiple */
        assert_true(are_zeros(at + e.offset + e.bytes, end - e.bytes));
        next += end;
    }
    assert_int_equal(footer.table_offset, next);
    assert_int_equal(footer.n_sections, N);
    assert_int_equal(footer.header_checksum, rp__checksum(at, 64));
    assert_int_equal(footer.table_checksum, rp__checksum(at + next, N * 32));
    assert_int_equal(footer.file_bytes, bytes);
    assert_int_equal(bytes, next + N * 32 + 64);
    assert_int_equal(footer.zero, 0);
    assert_int_equal(footer.checksum, rp__checksum(at + bytes - 64, 48));
    assert_memory_equal(at + bytes - 8, "\n\x1a\n\rPIR\x89", 8);
    free(at);
}

static void test_pieces_do_not_matter(void **state)
{
    (void)state;
    static const size_t sizes[] = {3000, 5}, pieces[] = {1, 7, 512, 4096};
    size_t bytes, first_bytes;
    uint8_t *first = write_file(sizes, 2, 3000, &first_bytes);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        uint8_t *at = write_file(sizes, 2, pieces[i], &bytes);
        assert_int_equal(bytes, first_bytes);
        assert_memory_equal(at, first, bytes);
        free(at);
    }
    free(first);
}

static void test_no_section(void **state)
{
    (void)state;
    size_t bytes;
    free(write_file(NULL, 0, 1, &bytes));
    assert_int_equal(bytes, 128);
}

static void test_checksum_stands_for_all(void **state)
{
    (void)state;
    static const size_t sizes[] = {10, 20}, others[] = {10, 21};
    size_t n_a, n_b;
    uint8_t *a = write_file(sizes, 2, 100, &n_a), *b = write_file(others, 2, 100, &n_b);
    assert_int_equal(n_a, n_b); /* padding hides the difference in size */
    assert_int_not_equal(rp__load64(a + n_a - 16), rp__load64(b + n_b - 16));
    free(a);
    free(b);
}

static void test_align(void **state)
{
    (void)state;
    rp__section_writer *w;
    rp__section_file *f;
    const uint8_t *at;
    size_t bytes;
    assert_int_equal(rp__section_writer_new(&folder, "f", 5, &w, NULL), RP_OK);
    rp__section_writer_begin(w, 1);
    rp__section_writer_align(w, 16);
    assert_int_equal(rp__section_writer_offset(w), 0);
    rp__section_writer_put(w, "abc", 3);
    rp__section_writer_align(w, 16);
    assert_int_equal(rp__section_writer_offset(w), 16);
    rp__section_writer_align(w, 16);
    rp__section_writer_put(w, "d", 1);
    rp__section_writer_align(w, 64);
    rp__section_writer_end(w);
    assert_int_equal(rp__section_writer_finish(w, NULL, NULL, NULL), RP_OK);
    assert_int_equal(rp__section_file_open(&folder, "f", 5, 0, 0, &f, NULL), RP_OK);
    assert_int_equal(rp__section_file_get(f, 1, &at, &bytes, NULL), RP_OK);
    assert_int_equal(bytes, 64);
    assert_memory_equal(at, "abc\0\0\0\0\0\0\0\0\0\0\0\0\0d\0\0\0", 20);
    assert_int_equal(rp__section_file_verify(f, 1, NULL), RP_OK);
    rp__section_file_close(f);
    assert_int_equal(remove(tempdir_path(&dir, "f")), 0);
}

static void test_abandon(void **state)
{
    (void)state;
    rp__section_writer *w;
    rp_error err;
    rp__section_writer_abandon(NULL);
    assert_int_equal(rp__section_writer_new(&folder, "f", 5, &w, NULL), RP_OK);
    rp__section_writer_begin(w, 1);
    rp__section_writer_put(w, "abc", 3);
    rp__section_writer_abandon(w);
    assert_false(files_exist(tempdir_path(&dir, "f")));
    files_write(tempdir_path(&dir, "f"), "x", 1);
    assert_int_equal(rp__section_writer_new(&folder, "f", 5, &w, &err), RP_IO);
    assert_int_equal(remove(tempdir_path(&dir, "f")), 0);
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
        cmocka_unit_test(test_bytes),      cmocka_unit_test(test_pieces_do_not_matter),
        cmocka_unit_test(test_no_section), cmocka_unit_test(test_checksum_stands_for_all),
        cmocka_unit_test(test_align),      cmocka_unit_test(test_abandon),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
