/* run_file.c: a run by temporary file, fsync and rename; every write is checked. */
#include "cli/run_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/console.h"

const char *const rp__run_file_formats[] = {"trec", "msmarco", NULL};

static rp_status fail(const char *path, rp_error *err)
{
    return rp__error_set(err, RP_IO, "%s: %s; no run is written", path,
                         errno ? strerror(errno) : "writing failed");
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
    int fd = mkstemp(run->temp);
    if (fd < 0) {
        rp__free(run->temp);
        run->temp = NULL;
        return fail(run->path, err);
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
    run->out = fopen(path, "we");
    return run->out ? RP_OK : fail(path, err);
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

rp_status rp__run_file_put(rp__run_file *run, const char *qid, const rp_hits *hits, const char *tag,
                           rp_error *err)
{
    for (size_t i = 0; i < hits->n; i++) {
        put_name(run, qid);
        fputs(run->format == RP_RUN_TREC ? " Q0 " : "\t", run->out);
        put_name(run, hits->at[i].name);
        if (run->format == RP_RUN_TREC)
            fprintf(run->out, " %zu %.7f %s\n", i + 1, hits->at[i].score, tag);
        else
            fprintf(run->out, "\t%zu\n", i + 1);
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
    if (status == RP_OK) {
        rp__free(run->temp);
        run->temp = NULL;
    }
    return status;
}

void rp__run_file_close(rp__run_file *run)
{
    if (run->out && run->out != stdout)
        fclose(run->out);
    if (run->temp)
        unlink(run->temp);
    rp__free(run->temp);
    *run = (rp__run_file){0};
}
