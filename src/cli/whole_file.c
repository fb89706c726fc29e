/* whole_file.c: a file by temporary file, fsync and rename; every write is checked. */
#include "cli/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/interrupt.h"

static rp_status fail(const char *path, rp_error *err)
{
    return rp__error_set(err, RP_IO, "%s: %s; nothing is written", path,
                         errno ? strerror(errno) : "writing failed");
}

static void forget_temp(rp__whole_file *file)
{
    rp__interrupt_keep(file->temp);
    rp__free(file->temp);
    file->temp = NULL;
}

/* A temporary file beside `path`, with the rights that a plain open would have given. */
static rp_status open_temp(rp__whole_file *file, rp_error *err)
{
    static const char suffix[] = ".XXXXXX";
    size_t n = strlen(file->path);
    file->temp = rp__alloc(n + sizeof suffix);
    if (!file->temp)
        return rp__error_no_memory(err);
    memcpy(file->temp, file->path, n);
    memcpy(file->temp + n, suffix, sizeof suffix);
    rp__interrupt_unlink(file->temp);
    int fd = mkstemp(file->temp);
    if (fd < 0) {
        rp_status status = fail(file->path, err);
        forget_temp(file);
        return status;
    }
    mode_t mask = umask(0);
    umask(mask);
    file->out = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
    if (file->out)
        return RP_OK;
    rp_status status = fail(file->path, err);
    close(fd);
    return status;
}

/* A FIFO that no program reads would block the open, so it is refused. Writes may wait. */
static rp_status open_in_place(rp__whole_file *file, rp_error *err)
{
    int fd = open(file->path, O_WRONLY | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENXIO)
        return rp__error_set(err, RP_IO, "%s: no program reads from it; nothing is written",
                             file->path);
    if (fd < 0)
        return fail(file->path, err);
    file->out = fcntl(fd, F_SETFL, O_WRONLY) == 0 ? fdopen(fd, "w") : NULL;
    if (file->out)
        return RP_OK;
    rp_status status = fail(file->path, err);
    close(fd);
    return status;
}

rp_status rp__whole_file_open(rp__whole_file *file, const char *path, rp_error *err)
{
    struct stat there;
    *file = (rp__whole_file){.path = path};
    if (!path)
        return RP_OK;
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode))
        return open_temp(file, err);
    return open_in_place(file, err);
}

rp_status rp__whole_file_commit(rp__whole_file *file, rp_error *err)
{
    errno = 0;
    bool is_written = fflush(file->out) == 0 && !ferror(file->out) &&
                      (!file->temp || fsync(fileno(file->out)) == 0);
    rp_status status = is_written ? RP_OK : fail(file->path, err);
    if (fclose(file->out) != 0 && status == RP_OK)
        status = fail(file->path, err);
    file->out = NULL;
    if (status == RP_OK && file->temp && rename(file->temp, file->path) != 0)
        status = fail(file->path, err);
    if (status == RP_OK)
        forget_temp(file);
    return status;
}

rp_status rp__whole_file_write(rp__whole_file *file, const void *bytes, size_t n, rp_error *err)
{
    fwrite(bytes, 1, n, file->out);
    return rp__whole_file_commit(file, err);
}

void rp__whole_file_close(rp__whole_file *file)
{
    if (file->out)
        fclose(file->out);
    if (file->temp)
        unlink(file->temp);
    forget_temp(file);
    *file = (rp__whole_file){0};
}
