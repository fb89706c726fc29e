/* console.c: standard output and standard error, what may pass to a terminal, and how the program
 * ends. Does not know verbs or options; results are laid out by the verbs. */
#include "cli/console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/interrupt.h"

enum { DEFAULT_WIDTH = 80 };

void rp__console_init(rp__console *console)
{
    *console = (rp__console){0};
    console->out_is_terminal = isatty(STDOUT_FILENO);
    console->err_is_terminal = isatty(STDERR_FILENO);
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    console->has_colour = console->out_is_terminal && !(no_colour && *no_colour) &&
                          !(term && strcmp(term, "dumb") == 0);
}

size_t rp__console_width(FILE *stream)
{
    struct winsize size = {0};
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return DEFAULT_WIDTH;
    return size.ws_col;
}

/* C0, DEL, C1, and the marks that reorder text or hide in it. */
static bool steers_terminal(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200E && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

void rp__console_clean(rp__buf *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        uint32_t len = rp__utf8_valid(text + i, bytes - i), n = len ? len : 1, used;
        if (text[i] == '\t' || text[i] == '\n' || text[i] == '\r')
            rp__buf_put_byte(out, ' ');
        else if (len > 0 && !steers_terminal(rp__utf8_decode(text + i, &used)))
            rp__buf_put(out, text + i, n);
        else
            for (uint32_t j = 0; j < n; j++)
                rp__buf_printf(out, "\\x%02X", (unsigned)(unsigned char)text[i + j]);
        i += n;
    }
}

void rp__console_put(FILE *out, const char *text, size_t bytes)
{
    rp__buf clean;
    rp__buf_init(&clean);
    rp__console_clean(&clean, text, bytes);
    if (clean.n > 0)
        fwrite(clean.at, 1, clean.n, out);
    rp__buf_free(&clean);
}

void rp__console_note(const rp__console *console, const char *format, ...)
{
    if (console->is_quiet)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

rp_status rp__console_usage(rp__console *console, rp_error *err, const char *remedy,
                            const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (remedy)
        snprintf(console->remedy, sizeof console->remedy, "%s", remedy);
    else
        snprintf(console->remedy, sizeof console->remedy, "riposte help %s", console->verb);
    return rp__error_set(err, RP_USAGE, "%s: %s", console->verb, n < 0 ? "" : text);
}

/* What JSON lets stand in a string but a terminal would obey is written as \uNNNN. */
static void put_json(const char *json, size_t bytes)
{
    uint32_t n;
    for (size_t i = 0; i < bytes; i += n) {
        uint32_t c = rp__utf8_decode(json + i, &n);
        if (steers_terminal(c))
            printf("\\u%04x", c);
        else
            fwrite(json + i, 1, n, stdout);
    }
}

rp_status rp__console_reply(rp__console *console, const rp__buf *json, rp_error *err)
{
    if (json->failed)
        return rp__error_no_memory(err);
    if (console->out_is_terminal)
        put_json((const char *)json->at, json->n);
    else
        fwrite(json->at, 1, json->n, stdout);
    fputc('\n', stdout);
    console->has_reply = true;
    return RP_OK;
}

static int exit_of(rp_status status)
{
    return status == RP_INTERRUPTED ? rp__interrupt_exit() : rp_status_exit(status);
}

static void put_error_object(rp__console *console, const rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp_error ignored;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.error/1");
    rp__json_writer_text(&w, "status", rp_status_name(err->code));
    rp__json_writer_uint(&w, "exit", (uint64_t)exit_of(err->code));
    rp__json_writer_text(&w, "message", err->text);
    if (console->remedy[0])
        rp__json_writer_text(&w, "try", console->remedy);
    rp__json_writer_end(&w, '}');
    (void)rp__console_reply(console, &out, &ignored); /* no memory: the line below still says why */
    rp__buf_free(&out);
}

void rp__console_fail(rp__console *console, const rp_error *err)
{
    rp__console_flush(console);
    fputs("riposte: ", stderr);
    rp__console_put(stderr, err->text, strlen(err->text));
    fputc('\n', stderr);
    fputs(console->place, stderr); /* harmless already */
    if (console->remedy[0]) {
        fputs("try: ", stderr);
        rp__console_put(stderr, console->remedy, strlen(console->remedy));
        fputc('\n', stderr);
    }
    if (console->wants_json && !console->has_reply)
        put_error_object(console, err);
}

#if defined(__has_feature)
#define SANITIZER(NAME) __has_feature(NAME)
#else
#define SANITIZER(NAME) 0
#endif

bool rp__console_may_leave(void)
{
#if defined(RP_COVERAGE) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||       \
    SANITIZER(address_sanitizer) || SANITIZER(thread_sanitizer)
    return false;
#else
    return true;
#endif
}

bool rp__console_is_closed(void)
{
    return ferror(stdout) != 0;
}

/* After a failed write stdio may have forgotten errno; a pipe or socket fails in one way only. */
static bool reader_is_gone(int code)
{
    struct stat out;
    return code == EPIPE ||
           (fstat(STDOUT_FILENO, &out) == 0 && (S_ISFIFO(out.st_mode) || S_ISSOCK(out.st_mode)));
}

void rp__console_flush(rp__console *console)
{
    if (fflush(stdout) != 0 && console->out_errno == 0)
        console->out_errno = errno;
}

int rp__console_finish(rp__console *console, rp_status status)
{
    rp_error err;
    rp__console_flush(console);
    int code = console->out_errno;
    if ((code || ferror(stdout)) && !reader_is_gone(code) && status == RP_OK) {
        status = rp__error_set(&err, RP_IO, "standard output: %s; the answer is not complete",
                               code ? strerror(code) : "a write failed");
        console->has_reply = true; /* standard output takes no object either */
        rp__console_fail(console, &err);
    }
    return exit_of(status);
}
