/* test_input.c: plain, gzip and zstd give the same bytes under short and interrupted reads; what is
 * cut off, damaged or expands too far is refused in little memory. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "store/store.h"
#include "tempdir.h"

static int make(void **state)
{
    static tempdir t;
    *state = &t;
    return tempdir_make(&t);
}

static int clean(void **state)
{
    rp__store_set_ops(NULL);
    tempdir_remove(*state);
    return 0;
}

/* ---- Makers ---------------------------------------------------------------------------------- */

static void put_gzip(rp__buf *out, const void *bytes, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t cap = deflateBound(&z, n);
    uint8_t *to = rp__buf_room(out, cap), *from = malloc(n + 1);
    memcpy(from, bytes, n);
    z.next_in = from;
    z.avail_in = (uInt)n;
    z.next_out = to;
    z.avail_out = (uInt)cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->n += z.total_out;
    deflateEnd(&z);
    free(from);
}

static void put_zstd(rp__buf *out, const void *bytes, size_t n)
{
    size_t cap = ZSTD_compressBound(n);
    uint8_t *to = rp__buf_room(out, cap);
    size_t used = ZSTD_compress(to, cap, bytes, n, 3);
    assert_false(ZSTD_isError(used));
    out->n += used;
}

/* Reads the whole file in steps of `step`; the bytes go to out. */
static rp_status slurp(const char *path, size_t step, uint64_t max_expand, rp__buf *out,
                       rp_error *err)
{
    rp__input *input = NULL;
    out->n = 0;
    rp_status status =
        rp__input_open(path, &(rp__input_options){.max_expand = max_expand}, &input, err);
    for (bool go_on = true; status == RP_OK && go_on;) {
        size_t got = 0;
        uint8_t *room = rp__buf_room(out, step);
        if (!room) {
            status = RP_NO_MEMORY;
            break;
        }
        status = rp__input_read(input, room, step, &got, err);
        out->n += status == RP_OK ? got : 0;
        go_on = got == step;
    }
    rp__input_close(input);
    return status;
}

static void expect(const char *path, const void *bytes, size_t n)
{
    static const size_t steps[] = {1, 7, 4096, 65536, 300000};
    rp__buf out;
    rp_error err = {0};
    rp__buf_init(&out);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (slurp(path, steps[i], 0, &out, &err) != RP_OK)
            fail_msg("%s", err.text);
        assert_int_equal(out.n, n);
        if (n)
            assert_memory_equal(out.at, bytes, n);
    }
    rp__buf_free(&out);
}

static void expect_refused(const char *path, rp_status status, const char *what)
{
    rp__buf out;
    rp_error err = {0};
    rp__buf_init(&out);
    assert_int_equal(slurp(path, 65536, 0, &out, &err), status);
    if (!strstr(err.text, what) || !strstr(err.text, path))
        fail_msg("\"%s\" has no \"%s\"", err.text, what);
    rp__buf_free(&out);
}

/* Text with enough entropy that its packed form passes the input's own buffer. */
static char *make_text(size_t n)
{
    char *text = malloc(n);
    uint64_t x = 88172645463325252U;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        text[i] = (char)('a' + x % 26);
    }
    return text;
}

/* ---- Forms ----------------------------------------------------------------------------------- */

enum { TEXT_BYTES = 300001 };

static void write_forms(tempdir *t, const char *text)
{
    rp__buf b;
    rp__buf_init(&b);
    tempdir_write(t, "plain", text, TEXT_BYTES);
    put_gzip(&b, text, TEXT_BYTES);
    tempdir_write(t, "one.gz", b.at, b.n);
    b.n = 0;
    put_gzip(&b, text, 1000);
    put_gzip(&b, text, 0);
    put_gzip(&b, text + 1000, TEXT_BYTES - 1000);
    tempdir_write(t, "members.gz", b.at, b.n);
    rp__buf_put_zeros(&b, 70000);
    tempdir_write(t, "padded.gz", b.at, b.n);
    b.n = 0;
    put_zstd(&b, text, TEXT_BYTES);
    tempdir_write(t, "one.zst", b.at, b.n);
    b.n = 0;
    rp__buf_put(&b, "\x50\x2A\x4D\x18\x04\x00\x00\x00skip", 12);
    put_zstd(&b, text, 1000);
    put_zstd(&b, text, 0);
    rp__buf_put(&b, "\x5F\x2A\x4D\x18\x00\x00\x00\x00", 8);
    put_zstd(&b, text + 1000, TEXT_BYTES - 1000);
    tempdir_write(t, "frames.zst", b.at, b.n);
    rp__buf_free(&b);
}

static const char *const forms[] = {"plain",     "one.gz",  "members.gz",
                                    "padded.gz", "one.zst", "frames.zst"};
enum { FORMS = sizeof forms / sizeof *forms };

static void test_forms(void **state)
{
    tempdir *t = *state;
    char *text = make_text(TEXT_BYTES);
    write_forms(t, text);
    for (size_t i = 0; i < FORMS; i++)
        expect(tempdir_path(t, forms[i]), text, TEXT_BYTES);
    free(text);
}

static void test_small(void **state)
{
    tempdir *t = *state;
    expect(tempdir_write(t, "empty", "", 0), "", 0);
    expect(tempdir_write(t, "one", "\x1F", 1), "\x1F", 1); /* too short to be gzip */
    expect(tempdir_write(t, "three", "\x28\xB5\x2F", 3), "\x28\xB5\x2F", 3);
    expect(tempdir_write(t, "binary", "\0\1\2\3", 4), "\0\1\2\3", 4);
    rp__buf b;
    rp__buf_init(&b);
    put_gzip(&b, "", 0);
    expect(tempdir_write(t, "empty.gz", b.at, b.n), "", 0);
    b.n = 0;
    put_zstd(&b, "", 0);
    expect(tempdir_write(t, "empty.zst", b.at, b.n), "", 0);
    rp__buf_free(&b);
}

static void test_one_layer(void **state)
{
    tempdir *t = *state;
    rp__buf inner, outer;
    rp__buf_init(&inner);
    rp__buf_init(&outer);
    put_gzip(&inner, "hello", 5);
    put_gzip(&outer, inner.at, inner.n);
    expect(tempdir_write(t, "twice.gz", outer.at, outer.n), inner.at, inner.n);
    rp__buf_free(&inner);
    rp__buf_free(&outer);
}

static void test_progress(void **state)
{
    tempdir *t = *state;
    char *text = make_text(TEXT_BYTES), *back = malloc(TEXT_BYTES);
    write_forms(t, text);
    for (size_t i = 0; i < FORMS; i++) {
        rp__input *input = NULL;
        size_t got;
        struct stat st;
        assert_int_equal(stat(tempdir_path(t, forms[i]), &st), 0);
        assert_int_equal(rp__input_open(t->file, NULL, &input, NULL), RP_OK);
        assert_int_equal(rp__input_size(input), st.st_size);
        assert_int_equal(rp__input_read(input, back, 1000, &got, NULL), RP_OK);
        assert_in_range(rp__input_consumed(input), 1, st.st_size - 1);
        assert_int_equal(rp__input_read(input, back, TEXT_BYTES, &got, NULL), RP_OK);
        assert_int_equal(got, TEXT_BYTES - 1000);
        assert_int_equal(rp__input_consumed(input), st.st_size);
        assert_int_equal(rp__input_read(input, back, 10, &got, NULL),
                         RP_OK); /* the end stays the end */
        assert_int_equal(got, 0);
        rp__input_close(input);
    }
    free(text);
    free(back);
}

static void test_standard_input(void **state)
{
    tempdir *t = *state;
    int saved = dup(STDIN_FILENO), fd = open(tempdir_write(t, "in", "from stdin", 10), O_RDONLY);
    rp__input *input = NULL;
    char text[20];
    size_t got;
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(rp__input_open("-", NULL, &input, NULL), RP_OK);
    assert_int_equal(rp__input_size(input), 0);
    assert_int_equal(rp__input_read(input, text, sizeof text, &got, NULL), RP_OK);
    rp__input_close(input);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), 0); /* not ours to close */
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(fd);
    assert_int_equal(got, 10);
    assert_memory_equal(text, "from stdin", 10);
}

/* ---- Waits ------------------------------------------------------------------------------------ */

typedef struct asked {
    int n, most; /* times, and when to stop */
} asked;

static bool goes_on(void *arg)
{
    asked *a = arg;
    return a->n++ < a->most;
}

static rp_status open_fifo(const char *path, bool waits, asked *a, rp_error *err)
{
    rp__input_options o = {.waits_for_writer = waits, .goes_on = goes_on, .goes_on_arg = a};
    rp__input *input;
    rp_status status = rp__input_open(path, &o, &input, err);
    if (status == RP_OK)
        rp__input_close(input);
    return status;
}

/* A FIFO without a writer: waited for until goes_on says no, or refused at once. */
static void test_no_writer(void **state)
{
    tempdir *t = *state;
    const char *path = tempdir_path(t, "fifo");
    rp_error err = {0};
    rp__input *input;
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(60);
    asked a = {.most = 2};
    assert_int_equal(open_fifo(path, true, &a, &err), RP_INTERRUPTED);
    assert_int_equal(a.n, 3);
    assert_int_equal(open_fifo(path, false, &a, &err), RP_IO);
    assert_non_null(strstr(err.text, "no program writes to"));
    assert_int_equal(rp__input_open_plain(path, &input, &err), RP_IO);
    assert_non_null(strstr(err.text, "FIFO"));
    alarm(0);
}

/* A writer that is silent, then writes a little, then is silent again. */
static void test_silent_writer(void **state)
{
    tempdir *t = *state;
    const char *path = tempdir_path(t, "fifo");
    char got[4];
    size_t n;
    rp__input *input;
    assert_int_equal(mkfifo(path, 0600), 0);
    int fd = open(path, O_RDWR);
    alarm(60);
    asked a = {.most = 1};
    assert_int_equal(open_fifo(path, false, &a, NULL), RP_INTERRUPTED);
    assert_int_equal(write(fd, "some text", 9), 9);
    a = (asked){.most = 3};
    rp__input_options o = {.goes_on = goes_on, .goes_on_arg = &a};
    assert_int_equal(rp__input_open(path, &o, &input, NULL), RP_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(rp__input_read(input, got, sizeof got, &n, NULL), RP_OK);
    assert_memory_equal(got, " tex", 4);
    assert_int_equal(rp__input_read(input, got, sizeof got, &n, NULL), RP_INTERRUPTED);
    rp__input_close(input);
    close(fd);
    alarm(0);
}

/* Bytes without end are no text for long: the first NUL stops the reading. */
static void test_no_text(void **state)
{
    (void)state;
    rp__buf text;
    rp__buf_init(&text);
    assert_int_equal(rp__input_read_all("/dev/zero", NULL, UINT64_MAX, &text, NULL), RP_OK);
    assert_true(text.n > 0 && text.n <= 1 << 20);
    rp__buf_free(&text);
}

/* ---- Faults of the system -------------------------------------------------------------------- */

static int fail_read_at, reads;

static ssize_t read_little(int fd, void *buf, size_t n)
{
    int what = rand() % 4;
    if (what == 0) {
        errno = EINTR;
        return -1;
    }
    if (what == 1 && rand() % 50 == 0) {
        errno = EAGAIN;
        return -1;
    }
    size_t most = what == 2 ? 5 : 5000;
    return read(fd, buf, 1 + (size_t)rand() % (n < most ? n : most));
}

static ssize_t read_failing(int fd, void *buf, size_t n)
{
    if (++reads == fail_read_at) {
        errno = EIO;
        return -1;
    }
    return read(fd, buf, n < 9000 ? n : 9000);
}

static void test_short_reads(void **state)
{
    tempdir *t = *state;
    rp__store_ops ops = rp__store_system;
    char *text = make_text(TEXT_BYTES);
    write_forms(t, text);
    ops.read = read_little;
    rp__store_set_ops(&ops);
    srand(6);
    for (size_t i = 0; i < FORMS; i++)
        expect(tempdir_path(t, forms[i]), text, TEXT_BYTES);
    free(text);
}

static void test_failing_reads(void **state)
{
    tempdir *t = *state;
    rp__store_ops ops = rp__store_system;
    char *text = make_text(TEXT_BYTES);
    rp__buf out;
    rp__buf_init(&out);
    write_forms(t, text);
    ops.read = read_failing;
    rp__store_set_ops(&ops);
    for (size_t i = 0; i < FORMS; i++)
        for (fail_read_at = 1;; fail_read_at++) {
            rp_error err = {0};
            reads = 0;
            rp_status status = slurp(tempdir_path(t, forms[i]), 65536, 0, &out, &err);
            if (reads < fail_read_at) {
                assert_int_equal(status, RP_OK);
                break;
            }
            assert_int_equal(status, RP_IO);
            assert_non_null(strstr(err.text, "cannot read: Input/output error"));
        }
    rp__buf_free(&out);
    free(text);
}

static void test_missing(void **state)
{
    tempdir *t = *state;
    expect_refused(tempdir_path(t, "nowhere"), RP_IO,
                   "nowhere: cannot open: No such file or directory");
    expect_refused(t->path, RP_IO, "cannot read: Is a directory");
}

static void test_no_memory(void **state)
{
    tempdir *t = *state;
    char *text = make_text(TEXT_BYTES);
    write_forms(t, text);
    uint64_t before = rp__alloc_in_use();
    for (size_t i = 0; i < FORMS; i++)
        for (uint64_t n = 1;; n++) {
            rp__buf out;
            rp__buf_init(&out);
            rp__alloc_fail_at(n, n % 2);
            rp_status status = slurp(tempdir_path(t, forms[i]), 65536, 0, &out, NULL);
            rp__alloc_fail_at(0, false);
            rp__buf_free(&out);
            assert_int_equal(rp__alloc_in_use(), before);
            if (status == RP_OK)
                break;
            assert_int_equal(status, RP_NO_MEMORY);
            assert_true(n < 100);
        }
    free(text);
}

/* ---- Faults of the data ---------------------------------------------------------------------- */

static void test_cut_off(void **state)
{
    tempdir *t = *state;
    rp__buf b;
    rp__buf_init(&b);
    char *text = make_text(2000);
    for (int form = 0; form < 2; form++) {
        b.n = 0;
        (form ? put_zstd : put_gzip)(&b, text, 2000);
        for (size_t n = 4; n < b.n; n += n < 40 || n + 40 > b.n ? 1 : 37)
            expect_refused(tempdir_write(t, "cut", b.at, n), RP_INPUT, "is cut off");
        size_t whole = b.n; /* a second member or frame, cut too */
        (form ? put_zstd : put_gzip)(&b, text, 2000);
        for (size_t n = whole + 1; n < b.n; n += 111)
            expect_refused(tempdir_write(t, "cut", b.at, n), RP_INPUT, "is cut off");
    }
    free(text);
    rp__buf_free(&b);
}

static void test_damaged(void **state)
{
    tempdir *t = *state;
    rp__buf b;
    rp__buf_init(&b);
    char *text = make_text(2000);
    put_gzip(&b, text, 2000);
    b.at[b.n / 2] ^= 0x10;
    expect_refused(tempdir_write(t, "bad.gz", b.at, b.n), RP_INPUT, "is damaged");
    b.at[b.n / 2] ^= 0x10;
    rp__buf_put_string(&b, "trailing");
    expect_refused(tempdir_write(t, "tail.gz", b.at, b.n), RP_INPUT, "is damaged");
    b.n = 0;
    put_zstd(&b, text, 2000);
    b.at[4] ^= 0x08; /* a reserved bit */
    expect_refused(tempdir_write(t, "bad.zst", b.at, b.n), RP_INPUT, "zstd data is damaged");
    b.at[4] ^= 0x08;
    rp__buf_put_string(&b, "trailing");
    expect_refused(tempdir_write(t, "tail.zst", b.at, b.n), RP_INPUT, "is damaged");
    free(text);
    rp__buf_free(&b);
}

static void test_mutations(void **state)
{
    tempdir *t = *state;
    rp__buf b, out;
    rp__buf_init(&b);
    rp__buf_init(&out);
    char *text = make_text(600);
    srand(7);
    for (int form = 0; form < 2; form++) {
        b.n = 0;
        (form ? put_zstd : put_gzip)(&b, text, 600);
        for (int round = 0; round < 1500; round++) {
            size_t at = (size_t)rand() % b.n;
            uint8_t old = b.at[at];
            b.at[at] = (uint8_t)rand();
            rp_error err = {0};
            rp_status status = slurp(tempdir_write(t, "m", b.at, b.n), 4096, 0, &out, &err);
            assert_true(status == RP_OK || status == RP_INPUT || status == RP_LIMIT);
            b.at[at] = old;
        }
    }
    free(text);
    rp__buf_free(&b);
    rp__buf_free(&out);
}

/* ---- Bombs ----------------------------------------------------------------------------------- */

enum { CHUNK = 1 << 20 };

/* Members of 16 MiB, all the same, so that it is made quickly. */
static void write_gzip_bomb(const char *path, size_t mib)
{
    uint8_t *zeros = calloc(16, CHUNK);
    FILE *f = fopen(path, "wb");
    rp__buf member;
    rp__buf_init(&member);
    put_gzip(&member, zeros, 16 * CHUNK);
    for (size_t i = 0; i < mib; i += 16)
        assert_int_equal(fwrite(member.at, 1, member.n, f), member.n);
    fclose(f);
    free(zeros);
    rp__buf_free(&member);
}

/* Streamed, with the window given; 0: the level's own. */
static void write_zstd_bomb(const char *path, size_t mib, int window_log)
{
    FILE *f = fopen(path, "wb");
    uint8_t *zeros = calloc(1, CHUNK), *packed = malloc(CHUNK);
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_windowLog, window_log);
    for (size_t i = 0; i <= mib; i++) {
        ZSTD_inBuffer in = {zeros, i < mib ? CHUNK : 0, 0};
        ZSTD_outBuffer out = {packed, CHUNK, 0};
        size_t left;
        do {
            left = ZSTD_compressStream2(ctx, &out, &in, i < mib ? ZSTD_e_continue : ZSTD_e_end);
            assert_false(ZSTD_isError(left));
        } while (i < mib ? in.pos < in.size : left > 0);
        fwrite(packed, 1, out.pos, f);
    }
    ZSTD_freeCCtx(ctx);
    fclose(f);
    free(zeros);
    free(packed);
}

/* Reads into one small buffer; how much came out before the end or the refusal. */
static rp_status drain(const char *path, uint64_t max_expand, uint64_t *made, rp_error *err)
{
    static uint8_t room[1 << 16];
    rp__input *input = NULL;
    size_t got = sizeof room;
    *made = 0;
    rp_status status =
        rp__input_open(path, &(rp__input_options){.max_expand = max_expand}, &input, err);
    while (status == RP_OK && got == sizeof room) {
        status = rp__input_read(input, room, sizeof room, &got, err);
        *made += status == RP_OK ? got : 0;
    }
    rp__input_close(input);
    return status;
}

static void expect_bomb(const char *path)
{
    uint64_t made;
    rp_error err = {0};
    uint64_t before = rp__alloc_in_use();
    rp__alloc_reset_peak();
    assert_int_equal(drain(path, 0, &made, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "--max-expand"));
    assert_in_range(made, (64 << 20) - (1 << 17), (64 << 20) + (1 << 18));
    assert_true(rp__alloc_peak() - before < 8 << 20);
}

static void test_bombs(void **state)
{
    tempdir *t = *state;
    uint64_t made;
    rp_error err;
    write_gzip_bomb(tempdir_path(t, "bomb.gz"), 1024);
    expect_bomb(t->file);
    write_gzip_bomb(tempdir_path(t, "meant.gz"), 80);
    expect_bomb(t->file);
    assert_int_equal(drain(t->file, 1100, &made, &err), RP_OK); /* gzip cannot pass 1,032:1 */
    assert_int_equal(made, 80 << 20);
    write_zstd_bomb(tempdir_path(t, "bomb.zst"), 1024, 0);
    expect_bomb(t->file);
    write_zstd_bomb(tempdir_path(t, "small.zst"), 64, 0); /* the first 64 MiB are free */
    assert_int_equal(drain(t->file, 0, &made, &err), RP_OK);
    assert_int_equal(made, 64 << 20);
    assert_int_equal(drain(t->file, 1, &made, &err), RP_OK);
}

static void test_windows(void **state)
{
    tempdir *t = *state;
    uint64_t made;
    rp_error err;
    write_zstd_bomb(tempdir_path(t, "w27.zst"), 1, 27);
    assert_int_equal(drain(t->file, 0, &made, &err), RP_OK);
    write_zstd_bomb(tempdir_path(t, "w28.zst"), 1, 28);
    assert_int_equal(drain(t->file, 0, &made, &err), RP_LIMIT);
    /* A frame header that asks for 2^31 bytes, then an empty last block. */
    static const uint8_t frame[] = {0x28, 0xB5, 0x2F, 0xFD, 0x00, (31 - 10) << 3, 0x01, 0x00, 0x00};
    uint64_t before = rp__alloc_in_use();
    rp__alloc_reset_peak();
    tempdir_write(t, "w31.zst", frame, sizeof frame);
    assert_int_equal(drain(t->file, 0, &made, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "window is over 2^27 bytes"));
    assert_true(rp__alloc_peak() - before < 1 << 20);
}

/* ---- Text -------------------------------------------------------------------------------------- */

/* What of `bytes` a reader of text gets, plain and packed, a byte at a time and all at once. */
static void expect_text(tempdir *t, const char *bytes, size_t n, const char *text,
                        size_t text_bytes)
{
    rp__buf packed;
    rp__buf_init(&packed);
    put_zstd(&packed, bytes, n);
    for (int i = 0; i < 4; i++) {
        rp__input *input = NULL;
        char got[64];
        size_t all = 0, step = i < 2 ? 1 : sizeof got, part = step;
        tempdir_write(t, "text", i % 2 ? packed.at : (const void *)bytes, i % 2 ? packed.n : n);
        assert_int_equal(rp__input_open_text(t->file, NULL, &input, NULL), RP_OK);
        for (; part == step; all += part)
            assert_int_equal(rp__input_read(input, got + all, step, &part, NULL), RP_OK);
        rp__input_close(input);
        assert_int_equal(all, text_bytes);
        assert_memory_equal(got, text, all);
    }
    rp__buf_free(&packed);
}

static void a_byte_order_mark_is_no_text(void **state)
{
    tempdir *t = *state;
    static const char *const texts[] = {"", "a", "ab", "abc", "a longer text\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char marked[64];
        int n = snprintf(marked, sizeof marked, "\xEF\xBB\xBF%s", texts[i]);
        expect_text(t, texts[i], strlen(texts[i]), texts[i], strlen(texts[i]));
        expect_text(t, marked, (size_t)n, texts[i], strlen(texts[i]));
    }
    expect_text(t, "\xEF\xBB\xBF\xEF\xBB\xBFx", 7, "\xEF\xBB\xBFx", 4); /* one mark, not two */
    expect_text(t, "\xEF\xBB", 2, "\xEF\xBB", 2);
    expect_text(t, "\xFF", 1, "\xFF", 1);
}

static void other_byte_order_marks_are_refused(void **state)
{
    tempdir *t = *state;
    static const struct {
        const char *bytes, *name;
        size_t n;
    } rows[] = {{"\xFF\xFE", "UTF-16", 2},
                {"\xFE\xFF\0x", "UTF-16", 4},
                {"\xFF\xFE\0\0x\0\0\0", "UTF-32", 8},
                {"\0\0\xFE\xFF\0\0\0x", "UTF-32", 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rp__input *input = NULL;
        rp_error err = {0};
        tempdir_write(t, "text", rows[i].bytes, rows[i].n);
        assert_int_equal(rp__input_open_text(t->file, NULL, &input, &err), RP_INPUT);
        assert_null(input);
        assert_non_null(strstr(err.text, rows[i].name));
        assert_int_equal(rp__input_open(t->file, NULL, &input, NULL), RP_OK); /* bytes are bytes */
        rp__input_close(input);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_forms, make, clean),
        cmocka_unit_test_setup_teardown(test_small, make, clean),
        cmocka_unit_test_setup_teardown(test_one_layer, make, clean),
        cmocka_unit_test_setup_teardown(test_progress, make, clean),
        cmocka_unit_test_setup_teardown(test_standard_input, make, clean),
        cmocka_unit_test_setup_teardown(test_no_writer, make, clean),
        cmocka_unit_test_setup_teardown(test_silent_writer, make, clean),
        cmocka_unit_test_setup_teardown(test_no_text, make, clean),
        cmocka_unit_test_setup_teardown(test_short_reads, make, clean),
        cmocka_unit_test_setup_teardown(test_failing_reads, make, clean),
        cmocka_unit_test_setup_teardown(test_missing, make, clean),
        cmocka_unit_test_setup_teardown(test_no_memory, make, clean),
        cmocka_unit_test_setup_teardown(test_cut_off, make, clean),
        cmocka_unit_test_setup_teardown(test_damaged, make, clean),
        cmocka_unit_test_setup_teardown(test_mutations, make, clean),
        cmocka_unit_test_setup_teardown(test_bombs, make, clean),
        cmocka_unit_test_setup_teardown(test_windows, make, clean),
        cmocka_unit_test_setup_teardown(a_byte_order_mark_is_no_text, make, clean),
        cmocka_unit_test_setup_teardown(other_byte_order_marks_are_refused, make, clean),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
