/* test_output.c: files for other programs: whole or not at all, packed by their name. */
#include "store/store.h"

#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;

static void put_numbers(rp__output *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char line[16];
        rp__output_write(out, line, (size_t)snprintf(line, sizeof line, "%u\n", i));
    }
}

static void expect_numbers(const char *path, unsigned n)
{
    rp__input *in;
    static char got[1 << 20];
    size_t bytes, at = 0;
    assert_int_equal(rp__input_open(path, NULL, &in, NULL), RP_OK);
    assert_int_equal(rp__input_read(in, got, sizeof got, &bytes, NULL), RP_OK);
    rp__input_close(in);
    for (unsigned i = 0; i < n; i++) {
        char line[16];
        size_t m = (size_t)snprintf(line, sizeof line, "%u\n", i);
        assert_true(at + m <= bytes);
        assert_memory_equal(got + at, line, m);
        at += m;
    }
    assert_int_equal(at, bytes);
}

static void test_whole(void **state)
{
    (void)state;
    static const unsigned sizes[] = {0, 1, 100000};
    static const char *const names[] = {"plain", "packed.gz"};
    for (size_t i = 0; i < 6; i++) {
        rp__output *out;
        char path[300];
        snprintf(path, sizeof path, "%s/%s", dir.path, names[i % 2]);
        remove(path);
        assert_int_equal(rp__output_create(path, &out, NULL), RP_OK);
        put_numbers(out, sizes[i / 2]);
        assert_false(files_exist(path));
        assert_false(rp__output_has_failed(out));
        assert_int_equal(rp__output_finish(out, NULL), RP_OK);
        expect_numbers(path, sizes[i / 2]);
        if (i % 2 && sizes[i / 2]) {
            size_t n;
            uint8_t *bytes = files_read(path, &n);
            assert_true(bytes[0] == 0x1F && bytes[1] == 0x8B);
            free(bytes);
        }
        remove(path);
        assert_int_equal(files_count(dir.path), 0);
    }
}

/* The old file stays until the new one is whole, and for good where it never is. */
static void test_old_file(void **state)
{
    (void)state;
    rp__output *out, *other;
    char path[300];
    snprintf(path, sizeof path, "%s/file", dir.path);
    files_write(path, "0\n1\n", 4);
    assert_int_equal(rp__output_create(path, &out, NULL), RP_OK);
    put_numbers(out, 100000);
    expect_numbers(path, 2);
    rp__output_abandon(out);
    expect_numbers(path, 2);
    assert_int_equal(files_count(dir.path), 1);
    assert_int_equal(rp__output_create(path, &out, NULL), RP_OK); /* two at once do not meet */
    assert_int_equal(rp__output_create(path, &other, NULL), RP_OK);
    put_numbers(out, 3);
    put_numbers(other, 4);
    assert_int_equal(rp__output_finish(out, NULL), RP_OK);
    expect_numbers(path, 3);
    assert_int_equal(rp__output_finish(other, NULL), RP_OK);
    expect_numbers(path, 4);
    remove(path);
}

static void test_cannot(void **state)
{
    (void)state;
    rp__output *out;
    rp_error err = {0};
    char path[300];
    snprintf(path, sizeof path, "%s/no/such", dir.path);
    assert_int_equal(rp__output_create(path, &out, &err), RP_IO);
    assert_non_null(strstr(err.text, "cannot create"));
    assert_int_equal(rp__output_create("/dev/full", &out, &err),
                     RP_OK); /* in place: it is no file */
    put_numbers(out, 100000);
    assert_true(rp__output_has_failed(out));
    assert_int_equal(rp__output_finish(out, &err), RP_IO);
    assert_non_null(strstr(err.text, "make room"));
    rp__output_abandon(NULL);
    assert_int_equal(files_count(dir.path), 0);
}

/* ---- The way back that never unpacks ----------------------------------------------------------- */

static void test_plain_input(void **state)
{
    (void)state;
    static const char head[] = "\x1F\x8B\x08 no gzip";
    char path[300], got[32];
    size_t n;
    rp__input *in;
    rp_error err = {0};
    snprintf(path, sizeof path, "%s/in", dir.path);
    assert_int_equal(rp__input_open_plain(path, &in, &err), RP_NOT_FOUND);
    assert_int_equal(err.code, RP_NOT_FOUND);
    assert_int_equal(rp__input_open(path, NULL, &in, &err), RP_IO);
    files_write(path, head, sizeof head);
    assert_int_equal(rp__input_open_plain(path, &in, NULL), RP_OK);
    assert_int_equal(rp__input_size(in), sizeof head);
    assert_int_equal(rp__input_read(in, got, sizeof got, &n, NULL), RP_OK);
    assert_int_equal(n, sizeof head);
    assert_memory_equal(got, head, n);
    rp__input_close(in);
    remove(path);
}

static int set_up(void **state)
{
    (void)state;
    return tempdir_make(&dir);
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
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_old_file),
        cmocka_unit_test(test_cannot),
        cmocka_unit_test(test_plain_input),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
