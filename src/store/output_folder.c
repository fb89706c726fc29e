/* output_folder.c: files for other programs that belong together: a staged folder, which replaces the one
 * that is there in one step. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/output.h"

struct rp__output_folder {
    rp__staging staging;
    const char *const *names;
    size_t n;
    rp__output *files[];
};

/* ---- What is there ----------------------------------------------------------------------------- */

typedef struct look {
    const rp__output_folder *folder;
    bool has_others;
} look;

static void look_at(void *arg, const char *name)
{
    look *l = arg;
    size_t i = 0;
    while (i < l->folder->n && strcmp(l->folder->names[i], name) != 0)
        i++;
    l->has_others = l->has_others || i == l->folder->n;
}

/* Only a folder of ours is replaced, since what is replaced is removed. */
static rp_status check_replaced(const rp__output_folder *f, rp_error *err)
{
    const char *path = f->staging.path;
    struct stat st;
    rp__folder there;
    look l = {.folder = f};
    if (fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return RP_OK;
    if (!S_ISDIR(st.st_mode))
        return rp__error_set(err, RP_USAGE,
                             "%s: a folder is written, and this is none; give a new "
                             "name",
                             path);
    rp_status status = rp__folder_open(&there, path, NULL);
    if (status == RP_OK)
        status = rp__folder_list(&there, look_at, &l, NULL);
    rp__folder_close(&there);
    if (status != RP_OK)
        return rp__error_set(err, status, "%s: the folder cannot be listed", path);
    if (l.has_others)
        return rp__error_set(err, RP_USAGE, "%s: the folder holds other files; give a new one",
                             path);
    return RP_OK;
}

/* ---- The files --------------------------------------------------------------------------------- */

static rp_status create_files(rp__output_folder *f, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < f->n && status == RP_OK; i++) {
        char path[RP_STAGING_PATH_BYTES + 64];
        int n = snprintf(path, sizeof path, "%s/%s", f->staging.path, f->names[i]);
        status = n < (int)sizeof path
                     ? rp__output_create_in(f->staging.fd, f->names[i], path, &f->files[i], err)
                     : rp__error_set(err, RP_USAGE, "the path is too long");
    }
    return status;
}

rp_status rp__output_folder_create(const char *path, const char *const *names, size_t n,
                                   rp__output_folder **out, rp_error *err)
{
    *out = NULL;
    rp__output_folder *f = rp__alloc_zero(1, sizeof *f + n * sizeof *f->files);
    if (!f)
        return rp__error_no_memory(err);
    f->names = names;
    f->n = n;
    rp_status status = rp__staging_create(&f->staging, path, true, err);
    if (status == RP_OK)
        status = check_replaced(f, err);
    if (status == RP_OK)
        status = create_files(f, err);
    if (status == RP_OK)
        *out = f;
    else
        rp__output_folder_abandon(f);
    return status;
}

rp__output *rp__output_folder_file(rp__output_folder *f, size_t i)
{
    return f->files[i];
}

bool rp__output_folder_has_failed(const rp__output_folder *f)
{
    bool has_failed = false;
    for (size_t i = 0; i < f->n; i++)
        has_failed = has_failed || rp__output_has_failed(f->files[i]);
    return has_failed;
}

static rp_status publish(rp__output_folder *f, rp_error *err)
{
    const char *path = f->staging.path;
    int error = rp__staging_publish(&f->staging);
    if (error == EINVAL || error == ENOSYS)
        return rp__error_set(err, RP_IO,
                             "%s: this file system cannot replace a folder in one step; "
                             "remove it first",
                             path);
    return error == 0 ? RP_OK
                      : rp__error_set(err, RP_IO, "%s: cannot write: %s", path, strerror(error));
}

rp_status rp__output_folder_finish(rp__output_folder *f, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < f->n && status == RP_OK; i++) {
        status = rp__output_finish(f->files[i], err);
        f->files[i] = NULL;
    }
    if (status == RP_OK)
        status = check_replaced(f, err);
    if (status == RP_OK)
        status = publish(f, err);
    rp__output_folder_abandon(f);
    return status;
}

void rp__output_folder_abandon(rp__output_folder *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->n; i++)
        rp__output_abandon(f->files[i]);
    rp__staging_abandon(&f->staging);
    rp__free(f);
}
