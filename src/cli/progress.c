/* progress.c: the bar of a build (phase, share, rate, time left, memory), its plain twin for logs,
 * and the documents that were left out. Writes to standard error alone. */
#include "cli/progress.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "cli/figures.h"
#include "cli/interrupt.h"

enum {
    BAR_EVERY_MS = 100,
    LINE_EVERY_MS = 5000,
    SKIPS_SHOWN = 20, /* then silence: a damaged collection must not bury the summary */
    LINE_BYTES = 512,
};

void rp__progress_init(rp__progress *progress, const rp__console *console)
{
    progress->console = console;
    progress->begin = progress->shown = rp__clock_now();
    progress->skips = 0;
    progress->has_bar = false;
}

static double seconds_since(uint64_t begin)
{
    return (double)(rp__clock_now() - begin) / 1e9;
}

/* "12,345 docs, 4,321/s, 1.2 MiB memory, 0:12 min left"; without documents from the memory on */
static void describe(char out[LINE_BYTES], const rp__progress *progress, const rp_progress *now)
{
    char docs[RP_FIGURE_BYTES], rate[RP_FIGURE_BYTES], memory[RP_FIGURE_BYTES],
        left[RP_FIGURE_BYTES];
    double passed = seconds_since(progress->begin);
    int n = 0;
    if (now->docs > 0)
        n = snprintf(out, LINE_BYTES, "%s docs, %s/s, ", rp__figures_count(docs, now->docs),
                     rp__figures_count(rate, (uint64_t)((double)now->docs / (passed + 1e-9))));
    n += snprintf(out + n, LINE_BYTES - (size_t)n, "%s memory",
                  rp__figures_size(memory, now->memory));
    bool has_end = now->bytes > 0 && now->bytes_total > now->bytes && passed > 0.5;
    if (!has_end)
        return;
    double rest = passed * (double)(now->bytes_total - now->bytes) / (double)now->bytes;
    snprintf(out + n, LINE_BYTES - (size_t)n, ", %s left", rp__figures_time(left, rest));
}

static double share_of(const rp_progress *now)
{
    if (now->bytes_total == 0)
        return 0;
    double share = (double)now->bytes / (double)now->bytes_total;
    return share < 1 ? share : 1;
}

static void show_bar(rp__progress *progress, const rp_progress *now)
{
    char text[LINE_BYTES], bar[64];
    describe(text, progress, now);
    size_t width = rp__console_width(stderr), used = strlen(text) + strlen(now->phase) + 10;
    size_t cells = width > used + 4 ? width - used - 1 : 0;
    if (cells > sizeof bar - 1)
        cells = sizeof bar - 1;
    size_t full = (size_t)(share_of(now) * (double)cells);
    memset(bar, '-', cells);
    memset(bar, '#', full);
    char line[2 * LINE_BYTES];
    snprintf(line, sizeof line, "%s [%.*s] %3.0f%% %s", now->phase, (int)cells, bar,
             share_of(now) * 100, text);
    fprintf(stderr, "\r%.*s\033[K", (int)(width > 1 ? width - 1 : 1), line);
    fflush(stderr);
    progress->has_bar = true;
}

static void show_line(const rp__progress *progress, const rp_progress *now)
{
    char text[LINE_BYTES];
    describe(text, progress, now);
    if (now->bytes_total > 0)
        rp__console_note(progress->console, "%s: %.0f%%, %s", now->phase, share_of(now) * 100,
                         text);
    else
        rp__console_note(progress->console, "%s: %s", now->phase, text);
}

bool rp__progress_tick(void *arg, const rp_progress *now)
{
    rp__progress *progress = arg;
    bool has_terminal = progress->console->err_is_terminal;
    uint64_t every = (uint64_t)(has_terminal ? BAR_EVERY_MS : LINE_EVERY_MS) * 1000000;
    uint64_t clock = rp__clock_now();
    if (!progress->console->is_quiet && clock - progress->shown >= every) {
        progress->shown = clock;
        if (has_terminal)
            show_bar(progress, now);
        else
            show_line(progress, now);
    }
    return !rp__interrupt_seen();
}

void rp__progress_end(rp__progress *progress)
{
    if (progress->has_bar)
        fputs("\r\033[K", stderr);
    progress->has_bar = false;
}

void rp__progress_skip(void *arg, const char *where, const char *what)
{
    rp__progress *progress = arg;
    uint64_t seen = progress->skips++;
    if (progress->console->is_quiet || seen > SKIPS_SHOWN)
        return;
    rp__progress_end(progress);
    if (seen == SKIPS_SHOWN) {
        rp__console_note(progress->console, "riposte: more are left out; not listed here");
        return;
    }
    rp__buf line;
    rp__buf_init(&line);
    rp__buf_put_string(&line, "riposte: left out: ");
    if (strncmp(what, where, strlen(where)) != 0) { /* a message may name its place itself */
        rp__console_clean(&line, where, strlen(where));
        rp__buf_put_string(&line, ": ");
    }
    rp__console_clean(&line, what, strlen(what));
    rp__buf_put_byte(&line, '\n');
    if (!line.failed)
        fwrite(line.at, 1, line.n, stderr);
    rp__buf_free(&line);
}

static void say(rp__progress *progress, const char *front, const char *what)
{
    if (progress->console->is_quiet)
        return;
    rp__progress_end(progress);
    fputs(front, stderr);
    rp__console_put(stderr, what, strlen(what));
    fputc('\n', stderr);
}

void rp__progress_warn(void *arg, const char *what)
{
    say(arg, "riposte: warning: ", what);
}

void rp__progress_note(void *arg, const char *what)
{
    say(arg, "riposte: ", what);
}
