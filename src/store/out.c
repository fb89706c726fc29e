/* out.c: a file written from front to back. A short write is continued, EINTR repeated; the first
 * real failure is kept, later writes do nothing, and finish tells. */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

struct rp__out {
    const rp__folder *folder;
    int fd, error; /* error: errno of the first failure */
    uint64_t offset;
    size_t n, cap;
    char name[64];
    uint8_t at[];
};

rp_status rp__out_create(const rp__folder *folder, const char *name, size_t buffer, rp__out **out,
                         rp_error *err)
{
    rp__out *o = rp__alloc(sizeof *o + buffer);
    if (!o)
        return rp__error_no_memory(err);
    *o = (rp__out){.folder = folder, .cap = buffer};
    snprintf(o->name, sizeof o->name, "%s", name);
    o->fd = rp__store_open(folder->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           0666);
    if (o->fd < 0) {
        rp_status status = rp__error_set(err, RP_IO, "%s/%s: cannot create: %s", folder->path, name,
                                         strerror(errno));
        rp__free(o);
        return status;
    }
    *out = o;
    return RP_OK;
}

static void write_all(rp__out *o, const uint8_t *bytes, size_t n)
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

static void flush(rp__out *o)
{
    write_all(o, o->at, o->n);
    o->n = 0;
}

void rp__out_write(rp__out *o, const void *bytes, size_t n)
{
    o->offset += n;
    if (n > o->cap - o->n)
        flush(o);
    if (n >= o->cap) {
        write_all(o, bytes, n);
        return;
    }
    if (n)
        memcpy(o->at + o->n, bytes, n);
    o->n += n;
}

uint64_t rp__out_offset(const rp__out *o)
{
    return o->offset;
}

rp_status rp__out_finish(rp__out *o, bool sync, rp_error *err)
{
    const rp__store_ops *ops = rp__store_get_ops();
    flush(o);
    if (o->error == 0 && sync && rp__store_fsync(o->fd) != 0)
        o->error = errno;
    if (ops->close(o->fd) != 0 && o->error == 0 && errno != EINTR)
        o->error = errno;
    rp_status status = RP_OK;
    if (o->error != 0) {
        status = rp__error_set(err, RP_IO, "%s/%s: cannot write: %s%s", o->folder->path, o->name,
                               strerror(o->error),
                               o->error == ENOSPC ? "; make room and run again" : "");
        ops->unlink(o->folder->fd, o->name, 0);
    }
    rp__free(o);
    return status;
}

void rp__out_abandon(rp__out *o)
{
    if (!o)
        return;
    rp__store_get_ops()->close(o->fd);
    rp__store_get_ops()->unlink(o->folder->fd, o->name, 0);
    rp__free(o);
}
