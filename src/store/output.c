/* output.c: files for other programs. A plain file is staged beside its place, made durable and renamed;
 * a device or a pipe is written in place. */
#include "store/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/error.h"

enum { BUFFER_BYTES = 1 << 17 };

struct rp__output {
    char path[RP_STAGING_PATH_BYTES];
    rp__staging staging; /* its fd is -1 if the file is written in place */
    int fd, error;       /* error: errno of the first failure */
    bool is_synced;      /* at the end */
    bool is_packed;
    z_stream z;
    size_t n;
    uint8_t buffer[BUFFER_BYTES]; /* plain bytes */
    uint8_t packed[BUFFER_BYTES];
};

static rp_status fail(const rp__output *o, const char *what, int error, rp_error *err)
{
    return rp__error_set(err, RP_IO, "%s: %s: %s%s", o->path, what, strerror(error),
                         error == ENOSPC ? "; make room and run again" : "");
}

static void write_all(rp__output *o, const uint8_t *bytes, size_t n)
{
    while (n > 0 && o->error == 0) {
        ssize_t got = rp__store_get_ops()->write(o->fd, bytes, n);
        if (got > 0) {
            bytes += got;
            n -= (size_t)got;
        } else if (got == 0) {
            o->error = ENOSPC;
        } else if (errno != EINTR && errno != EAGAIN) {
            o->error = errno;
        }
    }
}

static void pack_all(rp__output *o, int flush)
{
    o->z.next_in = o->buffer;
    o->z.avail_in = (uInt)o->n;
    do {
        o->z.next_out = o->packed;
        o->z.avail_out = BUFFER_BYTES;
        int state = deflate(&o->z, flush);
        if (state == Z_STREAM_ERROR && o->error == 0)
            o->error = EIO;
        write_all(o, o->packed, BUFFER_BYTES - o->z.avail_out);
    } while (o->error == 0 && o->z.avail_out == 0);
}

static void empty_buffer(rp__output *o, bool is_last)
{
    if (o->is_packed)
        pack_all(o, is_last ? Z_FINISH : Z_NO_FLUSH);
    else
        write_all(o, o->buffer, o->n);
    o->n = 0;
}

static bool ends_in_gz(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

static rp_status open_file(rp__output *o, rp_error *err)
{
    struct stat there;
    if (strcmp(o->path, "-") == 0) {
        o->fd = STDOUT_FILENO;
        return RP_OK;
    }
    if (stat(o->path, &there) != 0 || S_ISREG(there.st_mode)) {
        rp_status status = rp__staging_create(&o->staging, o->path, false, err);
        o->fd = o->staging.fd;
        return status;
    }
    o->fd = rp__store_open_sink(o->path);
    if (o->fd < 0 && errno == ENXIO)
        return rp__error_set(err, RP_IO, "%s: no program reads from it", o->path);
    return o->fd >= 0 ? RP_OK : fail(o, "cannot open", errno, err);
}

static void *z_alloc(void *opaque, uInt n, uInt size)
{
    (void)opaque;
    return rp__alloc_array(n, size);
}

static void z_free(void *opaque, void *p)
{
    (void)opaque;
    rp__free(p);
}

/* *out is NULL where it fails. */
static rp_status new_output(const char *path, rp__output **out, rp_error *err)
{
    enum { GZIP = 16 + 15, LEVEL = 6, MEMORY = 8 };
    *out = NULL;
    if (strlen(path) >= RP_STAGING_PATH_BYTES)
        return rp__error_set(err, RP_USAGE, "a path has at most %d bytes",
                             RP_STAGING_PATH_BYTES - 1);
    rp__output *o = rp__alloc(sizeof *o);
    if (!o)
        return rp__error_no_memory(err);
    memset(o, 0, offsetof(rp__output, buffer));
    o->fd = o->staging.fd = -1;
    o->z = (z_stream){.zalloc = z_alloc, .zfree = z_free};
    memcpy(o->path, path, strlen(path) + 1);
    if (ends_in_gz(path)) {
        int made = deflateInit2(&o->z, LEVEL, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY);
        o->is_packed = made == Z_OK;
    }
    if (ends_in_gz(path) && !o->is_packed) {
        rp__free(o);
        return rp__error_no_memory(err);
    }
    *out = o;
    return RP_OK;
}

static rp_status end_create(rp__output *o, rp_status status, rp__output **out)
{
    *out = status == RP_OK ? o : NULL;
    if (status != RP_OK)
        rp__output_abandon(o);
    return status;
}

rp_status rp__output_create(const char *path, rp__output **out, rp_error *err)
{
    rp__output *o;
    rp_status status = new_output(path, &o, err);
    return end_create(o, o ? open_file(o, err) : status, out);
}

rp_status rp__output_create_in(int folder, const char *name, const char *path, rp__output **out,
                               rp_error *err)
{
    rp__output *o;
    rp_status status = new_output(path, &o, err);
    if (o) {
        o->is_synced = true;
        o->fd = rp__store_open(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                               0666);
        status = o->fd >= 0 ? RP_OK : fail(o, "cannot create", errno, err);
    }
    return end_create(o, status, out);
}

void rp__output_write(rp__output *o, const void *bytes, size_t n)
{
    if (n >= BUFFER_BYTES && !o->is_packed) { /* as it lies */
        empty_buffer(o, false);
        write_all(o, bytes, n);
        return;
    }
    for (const uint8_t *p = bytes; n > 0 && o->error == 0;) {
        size_t room = BUFFER_BYTES - o->n, part = n < room ? n : room;
        memcpy(o->buffer + o->n, p, part);
        o->n += part;
        p += part;
        n -= part;
        if (o->n == BUFFER_BYTES)
            empty_buffer(o, false);
    }
}

bool rp__output_has_failed(const rp__output *o)
{
    return o->error != 0;
}

/* A file that is staged is closed when it has its name: until then its lock says that it is in use. */
static int close_file(rp__output *o)
{
    int fd = o->fd;
    o->fd = -1;
    if (o->staging.fd >= 0)
        return rp__staging_publish(&o->staging);
    if (o->is_synced && rp__store_fsync(fd) != 0) {
        int error = errno;
        rp__store_get_ops()->close(fd);
        return error;
    }
    if (fd == STDOUT_FILENO || rp__store_get_ops()->close(fd) == 0 || errno == EINTR)
        return 0;
    return errno;
}

rp_status rp__output_finish(rp__output *o, rp_error *err)
{
    empty_buffer(o, true);
    if (o->error == 0)
        o->error = close_file(o);
    rp_status s = o->error == 0 ? RP_OK : fail(o, "cannot write", o->error, err);
    rp__output_abandon(o);
    return s;
}

void rp__output_abandon(rp__output *o)
{
    if (!o)
        return;
    if (o->staging.fd >= 0)
        rp__staging_abandon(&o->staging);
    else if (o->fd >= 0 && o->fd != STDOUT_FILENO)
        rp__store_get_ops()->close(o->fd);
    if (o->is_packed)
        deflateEnd(&o->z);
    rp__free(o);
}
