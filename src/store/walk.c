/* walk.c: the files below a folder, in the byte order of their paths, with one folder open at a time.
 *
 * Does not read them. What is waiting to be visited is a stack of paths in one buffer; a folder
 * taken from its top is replaced by its entries, last first. Symbolic links, dot files and whatever
 * is neither file nor folder are skipped below the path given, and so is what cannot be looked at or
 * listed; that path itself may be anything. */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"

enum { REASON_BYTES = 128 };

/* One place to visit; its path is in `paths`, ended by a NUL. A folder's ends with '/', so that the
 * order of entries is the order of all that is below them. */
typedef struct item {
    size_t path;
    uint64_t bytes;
    const char *skip; /* why it is skipped; NULL: it is not */
    int error;        /* of a file that could not be looked at */
} item;

typedef struct walk {
    rp__buf paths;
    item *items;
    size_t n, cap;
    const rp__walk_calls *calls;
    void *arg;
    int error;          /* of the last call that failed */
    struct stat own[2]; /* of calls->own; all zero: it is not there */
} walk;

static rp_status cannot(walk *w, const char *what, const char *path, rp_error *err)
{
    w->error = errno;
    return rp__error_set(err, RP_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static rp_status push(walk *w, const char *folder, const char *name, bool is_folder, item entry,
                      rp_error *err)
{
    if (!rp__alloc_grow(&w->items, &w->cap, w->n + 1, sizeof *w->items))
        return rp__error_no_memory(err);
    entry.path = w->paths.n;
    w->items[w->n++] = entry;
    rp__buf_put_string(&w->paths, folder);
    rp__buf_put_string(&w->paths, name);
    if (is_folder)
        rp__buf_put_byte(&w->paths, '/');
    rp__buf_put_byte(&w->paths, 0);
    return w->paths.failed ? rp__error_no_memory(err) : RP_OK;
}

static int by_path_falling(const void *a, const void *b, void *paths)
{
    const item *x = a, *y = b;
    return strcmp((char *)paths + y->path, (char *)paths + x->path);
}

/* Why an entry that is neither file nor folder is skipped. */
static const char *kind_reason(int fd, const char *name, mode_t mode)
{
    struct stat target;
    if (S_ISLNK(mode))
        return fstatat(fd, name, &target, 0) == 0 ? "a symbolic link, which is not followed"
                                                  : "a broken symbolic link";
    return rp__store_kind(mode);
}

static bool is_own(const walk *w, const struct stat *st)
{
    for (size_t i = 0; i < sizeof w->own / sizeof *w->own; i++)
        if (w->own[i].st_ino == st->st_ino && w->own[i].st_dev == st->st_dev && st->st_ino != 0)
            return true;
    return false;
}

/* An entry that has gone since it was listed is passed over like one that never was. */
static rp_status push_entry(walk *w, int fd, const char *folder, const char *name, rp_error *err)
{
    struct stat st;
    item entry = {0};
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return RP_OK;
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT)
            return RP_OK;
        entry.skip = "cannot be looked at";
        entry.error = errno;
        return push(w, folder, name, false, entry, err);
    }
    entry.bytes = (uint64_t)st.st_size;
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        entry.skip = kind_reason(fd, name, st.st_mode);
    else if (is_own(w, &st))
        entry.skip = "the index itself";
    else if (name[0] == '.')
        entry.skip = "hidden: the name begins with a dot";
    return push(w, folder, name, S_ISDIR(st.st_mode) && !entry.skip, entry, err);
}

static rp_status push_entries(walk *w, const char *folder, DIR *dir, rp_error *err)
{
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(dir);
        if (!entry)
            return errno ? cannot(w, "list", folder, err) : RP_OK;
        rp_status status = push_entry(w, dirfd(dir), folder, entry->d_name, err);
        if (status != RP_OK)
            return status;
    }
}

/* `folder` must not lie in w->paths, which moves. */
static rp_status list_folder(walk *w, const char *folder, int flags, rp_error *err)
{
    int fd = rp__store_open(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags, 0);
    if (fd < 0)
        return cannot(w, "open", folder, err);
    DIR *dir = fdopendir(fd);
    if (!dir) {
        rp_status status = cannot(w, "list", folder, err);
        rp__store_get_ops()->close(fd);
        return status;
    }
    size_t first = w->n;
    rp_status status = push_entries(w, folder, dir, err);
    closedir(dir);
    if (status == RP_OK && w->n > first)
        qsort_r(w->items + first, w->n - first, sizeof *w->items, by_path_falling, w->paths.at);
    return status;
}

/* With the reason of the system, if there is one. */
static bool skip(const walk *w, const char *path, const char *what, int error)
{
    char reason[REASON_BYTES];
    if (error == 0)
        return w->calls->skip(w->arg, path, what);
    snprintf(reason, sizeof reason, "%s: %s", what, strerror(error));
    return w->calls->skip(w->arg, path, reason);
}

/* A folder that cannot be listed is skipped; *go_on: the caller wants more. */
static rp_status enter_folder(walk *w, const char *path, bool *go_on, rp_error *err)
{
    rp_error why = {0};
    size_t first = w->n;
    rp_status status = list_folder(w, path, O_NOFOLLOW, &why);
    if (status == RP_IO) {
        w->n = first;
        *go_on = skip(w, path, "a folder that cannot be listed", w->error);
        return RP_OK;
    }
    if (status != RP_OK && err)
        *err = why;
    return status;
}

/* Takes the topmost item; its path is copied to `path`. */
static rp_status visit_top(walk *w, rp__buf *path, bool *go_on, rp_error *err)
{
    item top = w->items[--w->n];
    size_t n = strlen((const char *)w->paths.at + top.path);
    path->n = 0;
    rp__buf_put(path, w->paths.at + top.path, n + 1);
    if (path->failed)
        return rp__error_no_memory(err);
    if (path->at[n - 1] == '/')
        return enter_folder(w, (const char *)path->at, go_on, err);
    *go_on = top.skip ? skip(w, (const char *)path->at, top.skip, top.error)
                      : w->calls->file(w->arg, (const char *)path->at, top.bytes);
    return RP_OK;
}

static rp_status walk_folder(walk *w, const char *path, rp_error *err)
{
    rp__buf folder;
    rp__buf_init(&folder);
    rp__buf_put_string(&folder, path);
    if (path[strlen(path) - 1] != '/')
        rp__buf_put_byte(&folder, '/');
    rp__buf_put_byte(&folder, 0);
    rp_status status =
        folder.failed ? rp__error_no_memory(err) : list_folder(w, (const char *)folder.at, 0, err);
    for (bool go_on = true; status == RP_OK && go_on && w->n > 0;)
        status = visit_top(w, &folder, &go_on, err);
    rp__buf_free(&folder);
    return status;
}

rp_status rp__walk(const char *path, const rp__walk_calls *calls, void *arg, rp_error *err)
{
    struct stat st;
    walk w = {.calls = calls, .arg = arg};
    if (stat(path, &st) != 0)
        return cannot(&w, "open", path, err);
    if (!S_ISDIR(st.st_mode)) {
        calls->file(arg, path, S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0);
        return RP_OK;
    }
    for (size_t i = 0; i < sizeof w.own / sizeof *w.own; i++)
        if (calls->own[i] && stat(calls->own[i], &w.own[i]) != 0)
            w.own[i] = (struct stat){0};
    rp__buf_init(&w.paths);
    rp_status status = walk_folder(&w, path, err);
    rp__buf_free(&w.paths);
    rp__free(w.items);
    return status;
}
