/* input.c: a collection's bytes from front to back, whether plain, gzip or zstd.
 *
 * The form is told by the first bytes, never by the name, and one layer is taken off: gzip inside
 * gzip comes out as gzip. Memory is one buffer and the decoder's window, at most 2^27 bytes. A file
 * that expands too far is refused after 64 MiB, so that a bomb costs neither memory nor time. */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_customMem: its memory is counted with ours */
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/alloc.h"
#include "base/error.h"

enum {
    BUFFER_BYTES = 1 << 17,
    HEAD_BYTES = 4,
    WINDOW_LOG_MAX = 27,
    DEFAULT_EXPAND = 1000,
    WAIT_MS = 100,
};
static const uint64_t expand_from = 64 << 20; /* bytes out before the ratio is looked at */

typedef struct decoder decoder;

struct rp__input {
    int fd;
    const decoder *decoder;
    rp__input_options options;
    rp_status missing; /* what comes back where there is no such file */
    uint64_t size;
    uint64_t taken, made;   /* bytes of the file handed on, and bytes out */
    size_t at, n;           /* buffer[at .. n) is read and not handed on */
    size_t head_at, head_n; /* head[head_at .. head_n) is unpacked and not handed on */
    bool at_end;            /* of the file */
    bool between;           /* no member or frame is open: the file may end here */
    z_stream z;
    ZSTD_DCtx *zstd;
    const char *path;
    uint8_t head[HEAD_BYTES];
    uint8_t buffer[BUFFER_BYTES];
};

/* One row a form. */
struct decoder {
    const char *name;
    bool (*match)(const uint8_t *head, size_t n);
    rp_status (*begin)(rp__input *input);
    /* Some bytes into out, cap > 0; *got 0: the end, or what is in the buffer is used up. */
    rp_status (*read)(rp__input *input, uint8_t *out, size_t cap, size_t *got, rp_error *err);
    void (*end)(rp__input *input);
};

/* ---- The file itself ------------------------------------------------------------------------- */

/* Waits in slices, so that whoever wants to stop is heard although nothing comes. The descriptor of a FIFO
 * does not wait itself: Linux reports it as readable only once it has, or had, a writer. */
static rp_status read_some(rp__input *input, uint8_t *out, size_t cap, size_t *got, rp_error *err)
{
    const rp__input_options *o = &input->options;
    struct pollfd ready = {.fd = input->fd, .events = POLLIN};
    for (;;) {
        if (o->goes_on && !o->goes_on(o->goes_on_arg))
            return rp__error_set(err, RP_INTERRUPTED, "interrupted; nothing was changed");
        if (poll(&ready, 1, o->goes_on ? WAIT_MS : -1) <= 0)
            continue;
        ssize_t n = rp__store_get_ops()->read(input->fd, out, cap);
        if (n >= 0) {
            *got = (size_t)n;
            input->at_end = n == 0;
            return RP_OK;
        }
        if (errno != EAGAIN && errno != EINTR)
            return rp__error_set(err, RP_IO, "%s: cannot read: %s", input->path, strerror(errno));
    }
}

/* Makes at least `want` bytes be in the buffer, fewer only at the end. */
static rp_status fill(rp__input *input, size_t want, rp_error *err)
{
    if (input->at == input->n)
        input->at = input->n = 0;
    while (input->n - input->at < want && !input->at_end) {
        size_t got = 0;
        rp_status status =
            read_some(input, input->buffer + input->n, BUFFER_BYTES - input->n, &got, err);
        if (status != RP_OK)
            return status;
        input->n += got;
    }
    return RP_OK;
}

static void take(rp__input *input, size_t n)
{
    input->at += n;
    input->taken += n;
}

static rp_status damaged(const rp__input *input, const char *what, rp_error *err)
{
    return rp__error_set(err, RP_INPUT, "%s: %s data %s near byte %llu; get the file again",
                         input->path, input->decoder->name, what, (unsigned long long)input->taken);
}

/* ---- Plain ----------------------------------------------------------------------------------- */

static bool match_plain(const uint8_t *head, size_t n)
{
    (void)head, (void)n;
    return true;
}

static rp_status begin_plain(rp__input *input)
{
    (void)input;
    return RP_OK;
}

static rp_status read_plain(rp__input *input, uint8_t *out, size_t cap, size_t *got, rp_error *err)
{
    size_t left = input->n - input->at;
    *got = 0;
    if (left == 0) {
        rp_status status = input->at_end ? RP_OK : read_some(input, out, cap, got, err);
        input->taken += status == RP_OK ? *got : 0;
        return status;
    }
    *got = left < cap ? left : cap;
    memcpy(out, input->buffer + input->at, *got);
    take(input, *got);
    return RP_OK;
}

static void end_plain(rp__input *input)
{
    (void)input;
}

/* ---- Gzip ------------------------------------------------------------------------------------ */

static bool match_gzip(const uint8_t *head, size_t n)
{
    return n >= 2 && head[0] == 0x1F && head[1] == 0x8B;
}

static voidpf zlib_alloc(voidpf unused, uInt n, uInt size)
{
    (void)unused;
    return rp__alloc_array(n, size);
}

static void zlib_free(voidpf unused, voidpf p)
{
    (void)unused;
    rp__free(p);
}

static rp_status begin_gzip(rp__input *input)
{
    input->z = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free};
    return inflateInit2(&input->z, 15 + 16) == Z_OK ? RP_OK : RP_NO_MEMORY; /* 16: gzip alone */
}

static void end_gzip(rp__input *input)
{
    inflateEnd(&input->z);
}

/* Between members, where zero bytes are padding, as gzip itself takes them. */
static void next_member(rp__input *input)
{
    while (input->at < input->n && input->buffer[input->at] == 0)
        take(input, 1);
    if (input->at < input->n) {
        inflateReset(&input->z);
        input->between = false;
    }
}

static rp_status read_gzip(rp__input *input, uint8_t *out, size_t cap, size_t *got, rp_error *err)
{
    *got = 0;
    if (input->between)
        next_member(input);
    if (input->between)
        return RP_OK;
    size_t left = input->n - input->at;
    input->z.next_in = input->buffer + input->at;
    input->z.avail_in = (uInt)left;
    input->z.next_out = out;
    input->z.avail_out = cap < BUFFER_BYTES ? (uInt)cap : BUFFER_BYTES;
    uInt room = input->z.avail_out;
    int code = inflate(&input->z, Z_NO_FLUSH);
    take(input, left - input->z.avail_in);
    *got = room - input->z.avail_out;
    if (code == Z_MEM_ERROR)
        return rp__error_no_memory(err);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return damaged(input, "is damaged", err);
    input->between = code == Z_STREAM_END;
    return RP_OK;
}

/* ---- Zstd ------------------------------------------------------------------------------------ */

static bool match_zstd(const uint8_t *head, size_t n)
{
    static const uint8_t frame[4] = {0x28, 0xB5, 0x2F, 0xFD}, skippable[3] = {0x2A, 0x4D, 0x18};
    if (n < 4)
        return false;
    return memcmp(head, frame, 4) == 0 ||
           (head[0] >> 4 == 5 && memcmp(head + 1, skippable, 3) == 0);
}

static void *zstd_alloc(void *unused, size_t bytes)
{
    (void)unused;
    return rp__alloc(bytes);
}

static void zstd_free(void *unused, void *p)
{
    (void)unused;
    rp__free(p);
}

static rp_status begin_zstd(rp__input *input)
{
    input->zstd = ZSTD_createDCtx_advanced((ZSTD_customMem){zstd_alloc, zstd_free, NULL});
    if (!input->zstd)
        return RP_NO_MEMORY;
    ZSTD_DCtx_setParameter(input->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    return RP_OK;
}

static void end_zstd(rp__input *input)
{
    ZSTD_freeDCtx(input->zstd);
}

static rp_status zstd_fault(const rp__input *input, size_t code, rp_error *err)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
        return rp__error_no_memory(err);
    case ZSTD_error_frameParameter_windowTooLarge:
        return rp__error_set(
            err, RP_LIMIT,
            "%s: its zstd window is over 2^%d bytes; compress it again without --long", input->path,
            WINDOW_LOG_MAX);
    default:
        return damaged(input, "is damaged", err);
    }
}

static rp_status read_zstd(rp__input *input, uint8_t *out, size_t cap, size_t *got, rp_error *err)
{
    *got = 0;
    if (input->between && input->at == input->n)
        return RP_OK;
    ZSTD_inBuffer in = {input->buffer + input->at, input->n - input->at, 0};
    ZSTD_outBuffer to = {out, cap < BUFFER_BYTES ? cap : BUFFER_BYTES, 0};
    size_t code = ZSTD_decompressStream(input->zstd, &to, &in);
    take(input, in.pos);
    *got = to.pos;
    if (ZSTD_isError(code))
        return zstd_fault(input, code, err);
    input->between = code == 0;
    return RP_OK;
}

/* ---- The table, and the calls ---------------------------------------------------------------- */

enum { PLAIN = 2 };

static const decoder decoders[] = {
    {"gzip", match_gzip, begin_gzip, read_gzip, end_gzip},
    {"zstd", match_zstd, begin_zstd, read_zstd, end_zstd},
    [PLAIN] = {"plain", match_plain, begin_plain, read_plain, end_plain},
};

static rp_status cannot_open(const rp__input *input, int error, rp_error *err)
{
    struct stat st;
    if (error == ENXIO && stat(input->path, &st) == 0)
        return rp__error_set(err, RP_IO, "%s: is %s, which cannot be read as a file", input->path,
                             rp__store_kind(st.st_mode));
    return rp__error_set(err, error == ENOENT ? input->missing : RP_IO, "%s: cannot open: %s",
                         input->path, strerror(error));
}

/* Of a FIFO: reading finds the end at once where no program has it open for writing. */
static rp_status expect_writer(rp__input *input, rp_error *err)
{
    ssize_t n = rp__store_get_ops()->read(input->fd, input->buffer, BUFFER_BYTES);
    if (n == 0)
        return rp__error_set(err, RP_IO, "%s: is a FIFO that no program writes to; give a file",
                             input->path);
    input->n = n > 0 ? (size_t)n : 0; /* a failure comes again when it is read */
    return RP_OK;
}

static rp_status open_file(rp__input *input, rp_error *err)
{
    if (strcmp(input->path, "-") == 0) {
        input->path = "standard input";
        input->fd = STDIN_FILENO;
        return RP_OK;
    }
    input->fd =
        rp__store_open(AT_FDCWD, input->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0);
    if (input->fd < 0)
        return cannot_open(input, errno, err);
    struct stat st = {0};
    if (fstat(input->fd, &st) == 0 && S_ISREG(st.st_mode))
        input->size = (uint64_t)st.st_size;
    bool needs_writer = S_ISFIFO(st.st_mode) && !input->options.waits_for_writer;
    return needs_writer ? expect_writer(input, err) : RP_OK;
}

static rp_status choose_decoder(rp__input *input, rp_error *err)
{
    rp_status status = fill(input, 4, err);
    if (status != RP_OK)
        return status;
    const decoder *row = decoders;
    while (!row->match(input->buffer, input->n))
        row++;
    if (row->begin(input) != RP_OK)
        return rp__error_no_memory(err);
    input->decoder = row;
    return RP_OK;
}

static rp_status new_input(const char *path, const rp__input_options *options, rp_status missing,
                           rp__input **out, rp_error *err)
{
    size_t path_bytes = strlen(path) + 1;
    rp__input *input = rp__alloc(sizeof *input + path_bytes);
    if (!input)
        return rp__error_no_memory(err);
    memset(input, 0, offsetof(rp__input, buffer));
    input->path = memcpy((char *)(input + 1), path, path_bytes);
    input->missing = missing;
    if (options)
        input->options = *options;
    if (input->options.max_expand == 0)
        input->options.max_expand = DEFAULT_EXPAND;
    input->fd = -1;
    input->between = true;
    *out = input;
    return open_file(input, err);
}

static rp_status end_open(rp__input *input, rp_status status, rp__input **out)
{
    *out = status == RP_OK ? input : NULL;
    if (status != RP_OK)
        rp__input_close(input);
    return status;
}

rp_status rp__input_open(const char *path, const rp__input_options *options, rp__input **out,
                         rp_error *err)
{
    rp__input *input = NULL;
    rp_status status = new_input(path, options, RP_IO, &input, err);
    if (status == RP_OK)
        status = choose_decoder(input, err);
    return end_open(input, status, out);
}

rp_status rp__input_open_plain(const char *path, rp__input **out, rp_error *err)
{
    struct stat st;
    rp__input *input = NULL;
    rp_status status = new_input(path, NULL, RP_NOT_FOUND, &input, err);
    if (status == RP_OK && fstat(input->fd, &st) == 0 && !S_ISREG(st.st_mode))
        status = rp__error_set(err, RP_IO, "%s: is %s; give a regular file", path,
                               rp__store_kind(st.st_mode));
    if (status == RP_OK)
        input->decoder = &decoders[PLAIN];
    return end_open(input, status, out);
}

static rp_status check_expansion(const rp__input *input, rp_error *err)
{
    uint64_t ratio = input->options.max_expand;
    uint64_t least = input->made / ratio + (input->made % ratio != 0);
    if (input->made <= expand_from || input->taken >= least)
        return RP_OK;
    return rp__error_set(
        err, RP_LIMIT,
        "%s: expands to over %llu times its size; if it is meant to, raise --max-expand",
        input->path, (unsigned long long)ratio);
}

/* One step of the decoder; *is_end where nothing more can come. */
static rp_status read_step(rp__input *input, uint8_t *out, size_t cap, size_t *got, bool *is_end,
                           rp_error *err)
{
    uint64_t taken = input->taken;
    rp_status status = input->decoder->read(input, out, cap, got, err);
    if (status != RP_OK)
        return status;
    input->made += *got;
    status = check_expansion(input, err);
    if (status != RP_OK || *got > 0 || input->taken > taken)
        return status;
    if (input->at < input->n)
        return damaged(input, "is damaged", err); /* it takes nothing and gives nothing */
    *is_end = input->at_end;
    if (!*is_end)
        return fill(input, 1, err);
    return input->between ? RP_OK : damaged(input, "is cut off", err);
}

rp_status rp__input_read(rp__input *input, void *buf, size_t cap, size_t *got, rp_error *err)
{
    uint8_t *out = buf;
    bool is_end = false;
    for (*got = 0; *got < cap && input->head_at < input->head_n; ++*got)
        out[*got] = input->head[input->head_at++];
    while (*got < cap && !is_end) {
        size_t n = 0;
        rp_status status = read_step(input, out + *got, cap - *got, &n, &is_end, err);
        if (status != RP_OK)
            return status;
        *got += n;
    }
    return RP_OK;
}

/* ---- Text ------------------------------------------------------------------------------------ */

rp_status rp__input_as_text(rp__input *input, rp_error *err)
{
    static const uint8_t utf8[] = {0xEF, 0xBB, 0xBF};
    static const struct {
        const char *name;
        size_t n;
        uint8_t mark[HEAD_BYTES];
    } others[] = {{"UTF-32", 4, {0xFF, 0xFE, 0, 0}},
                  {"UTF-32", 4, {0, 0, 0xFE, 0xFF}},
                  {"UTF-16", 2, {0xFF, 0xFE}},
                  {"UTF-16", 2, {0xFE, 0xFF}}};
    size_t n = 0;
    rp_status status = rp__input_read(input, input->head, HEAD_BYTES, &n, err);
    if (status != RP_OK)
        return status;
    bool has_mark = n >= sizeof utf8 && memcmp(input->head, utf8, sizeof utf8) == 0;
    input->head_at = has_mark ? sizeof utf8 : 0;
    input->head_n = n;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (n >= others[i].n && memcmp(input->head, others[i].mark, others[i].n) == 0)
            return rp__error_set(err, RP_INPUT,
                                 "%s: its byte order mark says %s; convert it to "
                                 "UTF-8: iconv -f %s -t UTF-8",
                                 input->path, others[i].name, others[i].name);
    return RP_OK;
}

rp_status rp__input_open_text(const char *path, const rp__input_options *options, rp__input **out,
                              rp_error *err)
{
    rp_status status = rp__input_open(path, options, out, err);
    return status == RP_OK ? end_open(*out, rp__input_as_text(*out, err), out) : status;
}

uint64_t rp__input_consumed(const rp__input *input)
{
    return input->taken;
}

uint64_t rp__input_size(const rp__input *input)
{
    return input->size;
}

void rp__input_close(rp__input *input)
{
    if (!input)
        return;
    if (input->decoder)
        input->decoder->end(input);
    if (input->fd >= 0 && input->fd != STDIN_FILENO)
        rp__store_get_ops()->close(input->fd);
    rp__free(input);
}

rp_status rp__input_read_all(const char *path, const rp__input_options *options, uint64_t max_bytes,
                             rp__buf *text, rp_error *err)
{
    enum { CHUNK = 1 << 16 };
    rp__input *input = NULL;
    size_t got = CHUNK;
    bool is_text = true;
    rp_status s = rp__input_open_text(path, options, &input, err);
    while (s == RP_OK && got == CHUNK && is_text) {
        uint8_t *room = rp__buf_room(text, CHUNK + 1);
        s = room ? rp__input_read(input, room, CHUNK, &got, err) : rp__error_no_memory(err);
        if (s == RP_OK) {
            is_text = !memchr(room, 0, got);
            text->n += got;
        }
        if (s == RP_OK && text->n > max_bytes)
            s = rp__error_set(err, RP_NO_MEMORY,
                              "%s: more than %llu MiB, which is the most that is kept in memory",
                              path, (unsigned long long)(max_bytes >> 20));
    }
    if (input)
        rp__input_close(input);
    if (s == RP_OK)
        text->at[text->n] = 0;
    return s;
}

const char *rp__input_zlib_version(void)
{
    return zlibVersion();
}
