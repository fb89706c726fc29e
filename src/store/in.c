/* in.c: a file of the index folder read from front to back through a window of fixed size. */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

struct rp__in {
    const rp__folder *folder;
    int fd;
    uint64_t offset;        /* of the file: where the next read begins */
    size_t begin, end, cap; /* at[begin..end) is read and not yet passed */
    bool is_at_end;
    char name[64];
    uint8_t at[];
};

rp_status rp__in_open(const rp__folder *folder, const char *name, uint64_t at, size_t buffer,
                      rp__in **out, rp_error *err)
{
    rp__in *in = rp__alloc(sizeof *in + buffer);
    if (!in)
        return rp__error_no_memory(err);
    *in = (rp__in){.folder = folder, .offset = at, .cap = buffer};
    snprintf(in->name, sizeof in->name, "%s", name);
    rp_status status = rp__folder_open_file(folder, name, RP_IO, &in->fd, err);
    if (status != RP_OK) {
        rp__free(in);
        return status;
    }
    *out = in;
    return RP_OK;
}

static rp_status fill(rp__in *in, rp_error *err)
{
    memmove(in->at, in->at + in->begin, in->end - in->begin);
    in->end -= in->begin;
    in->begin = 0;
    while (in->end < in->cap && !in->is_at_end) {
        ssize_t got = rp__store_get_ops()->pread(in->fd, in->at + in->end, in->cap - in->end,
                                                 (off_t)in->offset);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got < 0)
            return rp__error_set(err, RP_IO, "%s/%s: cannot read: %s", in->folder->path, in->name,
                                 strerror(errno));
        in->is_at_end = got == 0;
        in->end += (size_t)got;
        in->offset += (uint64_t)got;
    }
    return RP_OK;
}

rp_status rp__in_view(rp__in *in, size_t n, const uint8_t **at, size_t *got, rp_error *err)
{
    if (in->end - in->begin < n && !in->is_at_end) {
        rp_status status = fill(in, err);
        if (status != RP_OK)
            return status;
    }
    *at = in->at + in->begin;
    *got = in->end - in->begin < n ? in->end - in->begin : n;
    return RP_OK;
}

void rp__in_skip(rp__in *in, size_t n)
{
    in->begin += n;
}

void rp__in_close(rp__in *in)
{
    if (!in)
        return;
    rp__store_get_ops()->close(in->fd);
    rp__free(in);
}
