/* folder.c: the folder of an index: made, locked, listed, and the moment of publishing.
 *
 * Invariants: 1 only one process writes in a folder (a lock on the folder itself, given up by the
 * system when the process ends); 2 publish syncs the folder and the one above it before the rename,
 * and the folder again after it, so a name is durable before the manifest that uses it is. */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static rp_status fail(const rp__folder *folder, const char *what, rp_error *err)
{
    return rp__error_set(err, RP_IO, "%s: cannot %s: %s", folder->path, what, strerror(errno));
}

static rp_status set_path(rp__folder *folder, const char *path, rp_error *err)
{
    *folder = (rp__folder){.fd = -1};
    if (strlen(path) == 0 || strlen(path) >= sizeof folder->path)
        return rp__error_set(err, RP_USAGE, "the index folder's path is %s",
                             path[0] ? "too long" : "empty");
    memcpy(folder->path, path, strlen(path) + 1);
    return RP_OK;
}

static int open_folder(const char *path)
{
    return rp__store_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
}

rp_status rp__folder_open(rp__folder *folder, const char *path, rp_error *err)
{
    rp_status status = set_path(folder, path, err);
    if (status != RP_OK)
        return status;
    folder->fd = open_folder(path);
    return folder->fd < 0 ? fail(folder, "open the index folder", err) : RP_OK;
}

rp_status rp__folder_create(rp__folder *folder, const char *path, rp_error *err)
{
    rp_status status = set_path(folder, path, err);
    if (status != RP_OK)
        return status;
    const rp__store_ops *ops = rp__store_get_ops();
    if (ops->mkdir(AT_FDCWD, path, 0777) == 0)
        folder->is_new = true;
    else if (errno != EEXIST)
        return fail(folder, "make the index folder", err);
    folder->fd = open_folder(path);
    if (folder->fd < 0) {
        status = fail(folder, "open the index folder", err);
    } else if (ops->lock(folder->fd) != 0) {
        status =
            errno == EWOULDBLOCK
                ? rp__error_set(err, RP_IO, "%s: another build is writing here; wait for it", path)
                : fail(folder, "lock the index folder", err);
    }
    if (status != RP_OK)
        rp__folder_close(folder);
    return status;
}

static rp_status refuse_kind(const rp__folder *folder, const char *name, mode_t mode, rp_error *err)
{
    return rp__error_set(
        err, RP_IO,
        "%s/%s: is %s, and an index consists of regular files; restore the file or "
        "build the index again",
        folder->path, name, rp__store_kind(mode));
}

/* A socket or a symbolic link does not open at all, and errno does not say which it is. */
rp_status rp__folder_open_file(const rp__folder *folder, const char *name, rp_status missing,
                               int *fd, rp_error *err)
{
    struct stat st;
    *fd = rp__store_open(folder->fd, name,
                         O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0);
    int error = errno;
    bool is_known =
        *fd >= 0 ? fstat(*fd, &st) == 0 : fstatat(folder->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    bool is_odd = is_known && !S_ISREG(st.st_mode);
    if (*fd >= 0 && !is_odd)
        return RP_OK;
    if (*fd >= 0)
        rp__store_get_ops()->close(*fd);
    *fd = -1;
    if (is_odd)
        return refuse_kind(folder, name, st.st_mode, err);
    return rp__error_set(err, error == ENOENT ? missing : RP_IO, "%s/%s: cannot open: %s",
                         folder->path, name, strerror(error));
}

void rp__folder_close(rp__folder *folder)
{
    const rp__store_ops *ops = rp__store_get_ops();
    if (folder->is_new)
        ops->unlink(AT_FDCWD, folder->path, AT_REMOVEDIR);
    if (folder->fd >= 0)
        ops->close(folder->fd);
    folder->fd = -1;
    folder->is_new = false;
}

/* The folder's own entry is durable once the folder above is synced. That is so whoever made it: a
 * build that was killed may have left it unsynced. A folder above that may not be read cannot be
 * synced by us; it is then as durable as its owner made it. */
static rp_status sync_above(const rp__folder *folder, rp_error *err)
{
    const rp__store_ops *ops = rp__store_get_ops();
    int fd = rp__store_open(folder->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        return errno == EACCES ? RP_OK : fail(folder, "open the folder above", err);
    rp_status status = RP_OK;
    if (rp__store_fsync(fd) != 0)
        status = fail(folder, "sync the folder above", err);
    ops->close(fd);
    return status;
}

rp_status rp__folder_publish(rp__folder *folder, const char *from, const char *to, rp_error *err)
{
    const rp__store_ops *ops = rp__store_get_ops();
    if (rp__store_fsync(folder->fd) != 0)
        return fail(folder, "sync the index folder", err);
    rp_status status = sync_above(folder, err);
    if (status != RP_OK)
        return status;
    folder->has_tried = true;
    if (ops->rename(folder->fd, from, to) != 0)
        return fail(folder, "publish the index", err);
    folder->is_new = false;
    if (rp__store_fsync(folder->fd) != 0)
        return fail(folder, "sync the published index", err);
    return RP_OK;
}

void rp__folder_remove(const rp__folder *folder, const char *name)
{
    rp__store_get_ops()->unlink(folder->fd, name, 0);
}

rp_status rp__folder_list(rp__folder *folder, void (*fn)(void *arg, const char *name), void *arg,
                          rp_error *err)
{
    int fd = rp__store_open(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        rp_status status = fail(folder, "list the index folder", err);
        if (fd >= 0)
            rp__store_get_ops()->close(fd);
        return status;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            fn(arg, entry->d_name);
    }
    closedir(dir);
    return RP_OK;
}
