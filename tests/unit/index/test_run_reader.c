/* test_run_reader.c: runs read back, from files through windows of any size and from memory; a run file
 * that was cut or changed is an error. */
#include "index/run.h"
#include "index/term_sort.h"

#include "tempdir.h"
#include "unit/files.h"
#include "unit/index/streams.h"

enum { LEAST_WINDOW = 1 + 255 + 10 }; /* the longest term and two numbers */

static tempdir dir;
static rp__folder folder;

static void fill(both *b, bool has_positions, uint32_t docs, uint32_t tokens, uint32_t vocabulary)
{
    uint64_t seed = docs;
    b->plain = plain_new();
    assert_int_equal(rp__inverter_new(has_positions, &b->inv), RP_OK);
    for (uint32_t d = 0; d < docs; d++)
        plain_document(&seed, d * 3, tokens, vocabulary, both_token, b);
    assert_int_equal(sort_all(b->inv), RP_OK);
    plain_sort(b->plain);
}

static void spill(const both *b, const char *name, rp__run *run)
{
    rp__out *out;
    assert_int_equal(rp__out_create(&folder, name, 4096, &out, NULL), RP_OK);
    rp__out_write(out, "other", 5);
    assert_int_equal(rp__run_write(b->inv, out, name, run), RP_OK);
    rp__out_write(out, "\3abc", 4); /* what follows a run is not part of it */
    assert_int_equal(rp__out_finish(out, false, NULL), RP_OK);
}

static void drop(both *b)
{
    rp__inverter_free(b->inv);
    plain_free(b->plain);
}

static void expect_run(const rp__run *run, size_t window, const both *b, bool has_positions)
{
    rp__run_reader r;
    assert_int_equal(rp__run_reader_open(&r, run, &folder, window, NULL), RP_OK);
    for (size_t i = 0; i < b->plain->n; i++) {
        const plain_term *t = b->plain->terms[i];
        size_t n;
        uint8_t *stream = stream_of(t, has_positions, &n);
        const uint8_t *p = stream;
        assert_false(r.is_at_end);
        assert_int_equal(r.term_bytes, t->bytes);
        assert_memory_equal(r.term, t->term, t->bytes);
        assert_int_equal(r.prefix, rp__term_sort_prefix(t->term, t->bytes));
        while (p < stream + n) {
            uint32_t want = 0, got = 0;
            assert_true(rp__run_reader_has_more(&r));
            assert_true(rp__bits_varint32(&p, stream + n, &want));
            assert_int_equal(rp__run_reader_get(&r, &got, NULL), RP_OK);
            assert_int_equal(got, want);
        }
        assert_false(rp__run_reader_has_more(&r));
        assert_int_equal(rp__run_reader_next(&r, NULL), RP_OK);
        free(stream);
    }
    assert_true(r.is_at_end);
    rp__run_reader_close(&r);
    rp__run_reader_close(&r);
}

static void test_round_trip(void **state)
{
    (void)state;
    static const size_t windows[] = {LEAST_WINDOW, LEAST_WINDOW + 1, 300, 1000, 4096, 1 << 20};
    for (int has_positions = 0; has_positions < 2; has_positions++) {
        both b;
        rp__run run, in_memory;
        fill(&b, has_positions, 400, 50, 2000);
        spill(&b, "run.0.tmp", &run);
        for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
            expect_run(&run, windows[i], &b, has_positions);
        in_memory = (rp__run){.inverter = b.inv, .terms = b.plain->n};
        expect_run(&in_memory, 0, &b, has_positions);
        drop(&b);
        assert_int_equal(remove(tempdir_path(&dir, "run.0.tmp")), 0);
    }
}

static void test_no_terms(void **state)
{
    (void)state;
    both b;
    rp__run run;
    fill(&b, true, 0, 0, 1);
    spill(&b, "run.0.tmp", &run);
    expect_run(&run, LEAST_WINDOW, &b, true);
    expect_run(&(rp__run){.inverter = b.inv}, 0, &b, true);
    drop(&b);
    assert_int_equal(remove(tempdir_path(&dir, "run.0.tmp")), 0);
}

/* Reads all of a run in the way of merge.c; the first status that is not RP_OK. */
static rp_status read_all(const rp__run *run, rp_error *err)
{
    rp__run_reader r;
    rp_status status = rp__run_reader_open(&r, run, &folder, LEAST_WINDOW, err);
    while (status == RP_OK && !r.is_at_end) {
        uint32_t v;
        while (status == RP_OK && rp__run_reader_has_more(&r))
            status = rp__run_reader_get(&r, &v, err);
        if (status == RP_OK)
            status = rp__run_reader_next(&r, err);
    }
    rp__run_reader_close(&r);
    return status;
}

static void expect_refused(const rp__run *run)
{
    rp_error err = {0};
    assert_int_equal(read_all(run, &err), RP_IO);
    assert_non_null(strstr(err.text, run->file));
    assert_non_null(strstr(err.text, "check the disk"));
}

static void test_damage(void **state)
{
    (void)state;
    both b;
    rp__run run;
    size_t n;
    fill(&b, true, 12, 6, 100);
    spill(&b, "run.0.tmp", &run);
    uint8_t *at = files_read(tempdir_path(&dir, "run.0.tmp"), &n);
    assert_int_equal(read_all(&run, NULL), RP_OK);
    for (size_t cut = 0; cut < n - 4; cut++) {
        files_write(tempdir_path(&dir, "run.0.tmp"), at, cut);
        expect_refused(&run);
    }
    for (size_t bit = 5 * 8; bit < (n - 4) * 8; bit++) {
        at[bit / 8] ^= (uint8_t)(1U << bit % 8);
        files_write(tempdir_path(&dir, "run.0.tmp"), at, n);
        expect_refused(&run);
        at[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    free(at);
    drop(&b);
    assert_int_equal(remove(tempdir_path(&dir, "run.0.tmp")), 0);
}

static void test_not_there(void **state)
{
    (void)state;
    rp__run_reader r;
    rp_error err;
    rp__run run = {.file = "run.7.tmp", .terms = 1};
    assert_int_equal(rp__run_reader_open(&r, &run, &folder, LEAST_WINDOW, &err), RP_IO);
    assert_non_null(strstr(err.text, "run.7.tmp"));
    rp__run_reader_close(&r);
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
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_no_terms),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_not_there),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
