/* staging.c: a file or folder under a temporary name until it is whole.
 *
 * The temporary names of PATH are PATH.riposte.0.tmp to .15.tmp. A process holds a lock on the one that it
 * writes, which the system gives up when the process ends, however it ends. So whoever gets the lock knows
 * that the owner is dead, and may remove what it left; every create looks at all of the names.
 *
 * Invariants: 1 a name is removed only by who holds the lock of what it names, and has looked under the lock
 * whether it still does; 2 the lock is held until the name is given up or has become PATH; 3 of a folder that
 * is replaced no file goes before the new folder is durable under its name. On a file system without locks
 * nothing is taken for dead. */
#include "store/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { NAMES = 16, BASE_MOST = 200 /* a name of a file has at most 255 bytes */ };

static void set_temp(rp__staging *s, unsigned i)
{
    const char *slash = strrchr(s->path, '/'), *base = slash ? slash + 1 : s->path;
    size_t base_bytes = strlen(base);
    size_t n = (size_t)(base - s->path) + (base_bytes < BASE_MOST ? base_bytes : BASE_MOST);
    snprintf(s->temp, sizeof s->temp, "%.*s.riposte.%u.tmp", (int)n, s->path, i);
}

/* Whether the name is still that of the open file or folder. */
static bool is_named(int fd, const char *path)
{
    struct stat open, named;
    return fstat(fd, &open) == 0 && fstatat(AT_FDCWD, path, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/* ---- Removing ---------------------------------------------------------------------------------- */

static void remove_entry(void *folder, const char *name)
{
    rp__folder_remove(folder, name);
}

/* A folder goes with the files in it, but not with folders in it. */
static void remove_temp(int fd, bool is_folder, const char *temp)
{
    rp__folder folder = {.fd = fd};
    if (is_folder)
        rp__folder_list(&folder, remove_entry, &folder, NULL);
    rp__store_get_ops()->unlink(AT_FDCWD, temp, is_folder ? AT_REMOVEDIR : 0);
}

/* Removes what has the temporary name, if its owner is dead. */
static void sweep(const char *temp)
{
    const rp__store_ops *ops = rp__store_get_ops();
    struct stat st;
    int fd = rp__store_open(AT_FDCWD, temp, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    if (fd < 0 && errno == EISDIR)
        fd = rp__store_open(AT_FDCWD, temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0)
        return;
    bool is_ours = fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
    if (is_ours && ops->lock(fd) == 0 && is_named(fd, temp))
        remove_temp(fd, S_ISDIR(st.st_mode), temp);
    ops->close(fd);
}

/* ---- Making ------------------------------------------------------------------------------------ */

/* A new file or folder; -1 and errno. */
static int make(const rp__staging *s)
{
    if (!s->is_folder)
        return rp__store_open(AT_FDCWD, s->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                              0666);
    if (rp__store_get_ops()->mkdir(AT_FDCWD, s->temp, 0777) != 0)
        return -1;
    int fd = rp__store_open(AT_FDCWD, s->temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0) {
        int error = errno == ENOENT ? EEXIST : errno;
        rp__store_get_ops()->unlink(AT_FDCWD, s->temp, AT_REMOVEDIR);
        errno = error;
    }
    return fd;
}

/* Makes and locks it. Another process may have swept it in between; then errno is EEXIST. */
static bool claim(rp__staging *s)
{
    const rp__store_ops *ops = rp__store_get_ops();
    s->fd = make(s);
    if (s->fd < 0)
        return false;
    bool is_taken = ops->lock(s->fd) != 0 && errno == EWOULDBLOCK;
    if (!is_taken && is_named(s->fd, s->temp))
        return true;
    ops->close(s->fd);
    s->fd = -1;
    errno = EEXIST;
    return false;
}

/* Looks at all names, and claims the first that is free; -1 and errno. */
static int claim_first(rp__staging *s)
{
    unsigned claimed = NAMES;
    for (unsigned i = 0; i < NAMES; i++) {
        set_temp(s, i);
        sweep(s->temp);
        if (claimed < NAMES)
            continue;
        if (claim(s))
            claimed = i;
        else if (errno != EEXIST)
            break;
    }
    if (claimed < NAMES)
        set_temp(s, claimed);
    else
        s->temp[0] = 0;
    return claimed < NAMES ? 0 : -1;
}

rp_status rp__staging_create(rp__staging *s, const char *path, bool is_folder, rp_error *err)
{
    *s = (rp__staging){.fd = -1, .is_folder = is_folder};
    size_t n = strlen(path);
    if (n >= sizeof s->path)
        return rp__error_set(err, RP_USAGE, "a path has at most %d bytes",
                             RP_STAGING_PATH_BYTES - 1);
    memcpy(s->path, path, n + 1);
    while (is_folder && n > 1 && s->path[n - 1] == '/')
        s->path[--n] = 0;
    if (claim_first(s) == 0)
        return RP_OK;
    if (errno == EEXIST)
        return rp__error_set(err, RP_IO,
                             "%s: cannot create: %d programs are writing it; if none is, remove "
                             "the files that end in .riposte.*.tmp",
                             path, NAMES);
    return rp__error_set(err, RP_IO, "%s: cannot create: %s", path, strerror(errno));
}

/* ---- Publishing -------------------------------------------------------------------------------- */

static int sync_above(int folder)
{
    int fd = rp__store_open(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        return errno == EACCES ? 0 : errno; /* then it is as durable as its owner makes it */
    int error = rp__store_fsync(fd) == 0 ? 0 : errno;
    rp__store_get_ops()->close(fd);
    return error;
}

/* The folder that is there gets the temporary name. */
static int replace_folder(rp__staging *s)
{
    if (rp__store_get_ops()->exchange(AT_FDCWD, s->temp, s->path) != 0)
        return errno;
    int error = sync_above(s->fd);
    if (error == 0)
        sweep(s->temp);
    s->temp[0] = 0;
    return error;
}

int rp__staging_publish(rp__staging *s)
{
    const rp__store_ops *ops = rp__store_get_ops();
    if (rp__store_fsync(s->fd) != 0)
        return errno;
    int error = ops->rename(AT_FDCWD, s->temp, s->path) == 0 ? 0 : errno;
    if (error == 0)
        s->temp[0] = 0;
    else if (s->is_folder && (error == ENOTEMPTY || error == EEXIST))
        error = replace_folder(s);
    if (error == 0) {
        ops->close(s->fd); /* all is written and synced: nothing can fail that matters */
        s->fd = -1;
    }
    return error;
}

void rp__staging_abandon(rp__staging *s)
{
    if (s->temp[0] && s->fd >= 0)
        remove_temp(s->fd, s->is_folder, s->temp);
    s->temp[0] = 0;
    if (s->fd >= 0)
        rp__store_get_ops()->close(s->fd);
    s->fd = -1;
}
