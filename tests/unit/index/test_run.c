/* test_run.c: the bytes of a spilled run. */
#include "index/run.h"

#include "tempdir.h"
#include "unit/files.h"
#include "unit/index/streams.h"

static tempdir dir;
static rp__folder folder;

static void token(both *b, uint32_t docid, const char *term, uint32_t position)
{
    both_token(b, docid, term, (uint32_t)strlen(term), position);
}

static void test_bytes(void **state)
{
    (void)state;
    both b = {.plain = plain_new()};
    rp__out *out;
    rp__run run;
    size_t n;
    assert_int_equal(rp__inverter_new(true, &b.inv), RP_OK);
    token(&b, 3, "wing", 0);
    token(&b, 3, "air", 1);
    token(&b, 3, "wing", 200);
    token(&b, 9, "wing", 5);
    assert_int_equal(sort_all(b.inv), RP_OK);
    assert_int_equal(rp__out_create(&folder, "run.0.tmp", 64, &out, NULL), RP_OK);
    rp__out_write(out, "before", 6);
    assert_int_equal(rp__run_write(b.inv, out, "run.0.tmp", &run), RP_OK);
    assert_int_equal(rp__out_finish(out, false, NULL), RP_OK);
    assert_int_equal(run.begin, 6);
    assert_int_equal(run.terms, 2);
    assert_null(run.inverter);
    assert_string_equal(run.file, "run.0.tmp");
    static const uint8_t want[] = {3, 'a', 'i', 'r', 3,   3, 2, 0, /* docid 3, position 1 */
                                   4, 'w', 'i', 'n', 'g', 8,       /* and its stream: */
                                   3, 1,   200, 1,   0,            /* 3: 0 and 200 */
                                   6, 6,   0};                     /* 9: 5 */
    uint8_t *at = files_read(tempdir_path(&dir, "run.0.tmp"), &n);
    assert_int_equal(n, 6 + sizeof want);
    assert_memory_equal(at + 6, want, sizeof want);
    free(at);
    assert_int_equal(remove(tempdir_path(&dir, "run.0.tmp")), 0);
    rp__inverter_free(b.inv);
    plain_free(b.plain);
}

/* Every term with its whole stream, however many slices it lies in, one run after another. */
static void test_random(void **state)
{
    (void)state;
    rp__out *out;
    uint64_t seed = 8;
    uint8_t *want = NULL;
    size_t n_want = 0, n;
    both b = {0};
    assert_int_equal(rp__inverter_new(false, &b.inv), RP_OK);
    assert_int_equal(rp__out_create(&folder, "run.1.tmp", 100, &out, NULL), RP_OK);
    for (int again = 0; again < 3; again++) {
        rp__run run;
        b.plain = plain_new();
        for (uint32_t d = 0; d < 3000; d += 1 + chance_below(&seed, 9))
            plain_document(&seed, d, 30, 400, both_token, &b);
        assert_int_equal(sort_all(b.inv), RP_OK);
        assert_int_equal(rp__run_write(b.inv, out, "run.1.tmp", &run), RP_OK);
        assert_int_equal(run.begin, n_want);
        assert_int_equal(run.terms, b.plain->n);
        plain_sort(b.plain);
        for (size_t i = 0; i < b.plain->n; i++) {
            const plain_term *t = b.plain->terms[i];
            uint8_t *stream = stream_of(t, false, &n);
            want = realloc(want, n_want + n + 300);
            want[n_want++] = (uint8_t)t->bytes;
            memcpy(want + n_want, t->term, t->bytes);
            n_want += t->bytes;
            n_want = (size_t)(rp__bits_put_varint(want + n_want, n) - want);
            memcpy(want + n_want, stream, n);
            n_want += n;
            free(stream);
        }
        plain_free(b.plain);
        rp__inverter_clear(b.inv);
    }
    assert_int_equal(rp__out_finish(out, false, NULL), RP_OK);
    uint8_t *at = files_read(tempdir_path(&dir, "run.1.tmp"), &n);
    assert_int_equal(n, n_want);
    assert_memory_equal(at, want, n);
    free(at);
    free(want);
    rp__inverter_free(b.inv);
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
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
