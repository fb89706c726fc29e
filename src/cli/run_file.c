/* run_file.c: a run by temporary file, fsync and rename; every write is checked. */
#include "cli/run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/console.h"
#include "cli/interrupt.h"

const char *const rp__run_file_formats[] = {"trec", "msmarco", NULL};

static rp_status fail(const char *path, rp_error *err)
{
    return rp__error_set(err, RP_IO, "%s: %s; nothing is written", path,
                         errno ? strerror(errno) : "writing failed");
}

static void forget_temp(rp__run_file *run)
{
    rp__interrupt_keep(run->temp);
    rp__free(run->temp);
    run->temp = NULL;
}

/* A temporary file beside `path`, with the rights that a plain open would have given. */
static rp_status open_temp(rp__run_file *run, rp_error *err)
{
    static const char suffix[] = ".XXXXXX";
    size_t n = strlen(run->path);
    run->temp = rp__alloc(n + sizeof suffix);
    if (!run->temp)
        return rp__error_no_memory(err);
    memcpy(run->temp, run->path, n);
    memcpy(run->temp + n, suffix, sizeof suffix);
    rp__interrupt_unlink(run->temp);
    int fd = mkstemp(run->temp);
    if (fd < 0) {
        rp_status status = fail(run->path, err);
        forget_temp(run);
        return status;
    }
    mode_t mask = umask(0);
    umask(mask);
    run->out = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
    if (run->out)
        return RP_OK;
    rp_status status = fail(run->path, err);
    close(fd);
    return status;
}

/* A FIFO that no program reads would block the open, so it is refused. Writes may wait. */
static rp_status open_in_place(rp__run_file *run, rp_error *err)
{
    int fd = open(run->path, O_WRONLY | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENXIO)
        return rp__error_set(err, RP_IO, "%s: no program reads from it; nothing is written",
                             run->path);
    if (fd < 0)
        return fail(run->path, err);
    run->out = fcntl(fd, F_SETFL, O_WRONLY) == 0 ? fdopen(fd, "w") : NULL;
    if (run->out)
        return RP_OK;
    rp_status status = fail(run->path, err);
    close(fd);
    return status;
}

rp_status rp__run_file_open(rp__run_file *run, const char *path, rp__run_format format,
                            rp_error *err)
{
    struct stat there;
    *run = (rp__run_file){.path = path, .format = format};
    if (!path || strcmp(path, "-") == 0) {
        run->path = "standard output";
        run->out = stdout;
        run->is_terminal = isatty(STDOUT_FILENO);
        return RP_OK;
    }
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode))
        return open_temp(run, err);
    return open_in_place(run, err);
}

rp_status rp__run_file_open_if(rp__run_file *run, const char *path, rp_error *err)
{
    return path ? rp__run_file_open(run, path, RP_RUN_TREC, err) : RP_OK;
}

/* A run's fields are cut at blanks, so a name has none. */
static void put_name(const rp__run_file *run, const char *name)
{
    if (run->is_terminal)
        rp__console_put(run->out, name, strlen(name));
    else
        for (; *name; name++)
            putc_unlocked((unsigned char)*name <= ' ' || *name == 0x7F ? '_' : *name, run->out);
}

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        putc_unlocked(*text, out);
}

/* At least `least` digits, at most 20. */
static void put_digits(FILE *out, uint64_t n, size_t least)
{
    char digits[20];
    size_t i = sizeof digits;
    for (; n > 0 || sizeof digits - i < least; n /= 10)
        digits[--i] = (char)('0' + n % 10);
    for (; i < sizeof digits; i++)
        putc_unlocked(digits[i], out);
}

/* As by %.7f, which took most of the time of a run: fixed / 2^fraction_bits is rounded to even at the seventh decimal. */
static void put_score(FILE *out, const rp_hit *hit, int32_t fraction_bits)
{
    const uint64_t unit = 10000000;
    if (fraction_bits < 1 || fraction_bits > 30) {
        fprintf(out, "%.7f", hit->score);
        return;
    }
    uint64_t n = hit->fixed * unit, rest = n & ((UINT64_C(1) << fraction_bits) - 1);
    uint64_t half = UINT64_C(1) << (fraction_bits - 1);
    n >>= fraction_bits;
    n += rest > half || (rest == half && n % 2);
    put_digits(out, n / unit, 1);
    putc_unlocked('.', out);
    put_digits(out, n % unit, 7);
}

rp_status rp__run_file_put(rp__run_file *run, const char *qid, const rp_hits *hits, const char *tag,
                           rp_error *err)
{
    bool is_trec = run->format == RP_RUN_TREC;
    for (size_t i = 0; i < hits->n; i++) {
        put_name(run, qid);
        put_text(run->out, is_trec ? " Q0 " : "\t");
        put_name(run, hits->at[i].name);
        putc_unlocked(is_trec ? ' ' : '\t', run->out);
        put_digits(run->out, i + 1, 1);
        if (is_trec) {
            putc_unlocked(' ', run->out);
            put_score(run->out, &hits->at[i], hits->fraction_bits);
            putc_unlocked(' ', run->out);
            put_text(run->out, tag);
        }
        putc_unlocked('\n', run->out);
    }
    return ferror(run->out) && run->out != stdout ? fail(run->path, err) : RP_OK;
}

rp_status rp__run_file_commit(rp__run_file *run, rp_error *err)
{
    if (run->out == stdout)
        return RP_OK; /* the console checks it at the end */
    errno = 0;
    bool is_written =
        fflush(run->out) == 0 && !ferror(run->out) && (!run->temp || fsync(fileno(run->out)) == 0);
    rp_status status = is_written ? RP_OK : fail(run->path, err);
    if (fclose(run->out) != 0 && status == RP_OK)
        status = fail(run->path, err);
    run->out = NULL;
    if (status == RP_OK && run->temp && rename(run->temp, run->path) != 0)
        status = fail(run->path, err);
    if (status == RP_OK)
        forget_temp(run);
    return status;
}

rp_status rp__run_file_write(rp__run_file *run, const void *bytes, size_t n, rp_error *err)
{
    fwrite(bytes, 1, n, run->out);
    return rp__run_file_commit(run, err);
}

void rp__run_file_close(rp__run_file *run)
{
    if (run->out && run->out != stdout)
        fclose(run->out);
    if (run->temp)
        unlink(run->temp);
    forget_temp(run);
    *run = (rp__run_file){0};
}
