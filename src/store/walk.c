/* walk.c: the files below a folder, in the byte order of their paths, with one folder open at a time.
 *
 * Does not read them. What is waiting to be visited is a stack of paths in one buffer; a folder
 * taken from its top is replaced by its entries, last first. Symbolic links, dot files and whatever
 * is neither file nor folder are passed over below the path given; that path itself may be anything. */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"

/* One place to visit; its path is in `paths`, ended by a NUL. A folder's ends with '/', so that the
 * order of entries is the order of all that is below them. */
typedef struct item {
    size_t path;
    uint64_t bytes;
} item;

typedef struct walk {
    rp__buf paths;
    item *items;
    size_t n, cap;
} walk;

static rp_status cannot(const char *what, const char *path, const char *name, rp_error *err)
{
    return rp__error_set(err, RP_IO, "%s%s: cannot %s: %s", path, name, what, strerror(errno));
}

static rp_status push(walk *w, const char *folder, const char *name, const struct stat *st,
                      rp_error *err)
{
    if (!rp__alloc_grow(&w->items, &w->cap, w->n + 1, sizeof *w->items))
        return rp__error_no_memory(err);
    w->items[w->n++] = (item){.path = w->paths.n, .bytes = (uint64_t)st->st_size};
    rp__buf_put_string(&w->paths, folder);
    rp__buf_put_string(&w->paths, name);
    if (S_ISDIR(st->st_mode))
        rp__buf_put_byte(&w->paths, '/');
    rp__buf_put_byte(&w->paths, 0);
    return w->paths.failed ? rp__error_no_memory(err) : RP_OK;
}

static int by_path_falling(const void *a, const void *b, void *paths)
{
    const item *x = a, *y = b;
    return strcmp((char *)paths + y->path, (char *)paths + x->path);
}

/* An entry that has gone since it was listed is passed over like one that never was. */
static rp_status push_entry(walk *w, int fd, const char *folder, const char *name, rp_error *err)
{
    struct stat st;
    if (name[0] == '.')
        return RP_OK;
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? RP_OK : cannot("look at", folder, name, err);
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return RP_OK;
    return push(w, folder, name, &st, err);
}

static rp_status push_entries(walk *w, const char *folder, DIR *dir, rp_error *err)
{
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(dir);
        if (!entry)
            return errno ? cannot("list", folder, "", err) : RP_OK;
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
        return cannot("open", folder, "", err);
    DIR *dir = fdopendir(fd);
    if (!dir) {
        rp_status status = cannot("list", folder, "", err);
        rp__store_get_ops()->close(fd);
        return status;
    }
    size_t first = w->n;
    rp_status status = push_entries(w, folder, dir, err);
    closedir(dir);
    if (w->n > first)
        qsort_r(w->items + first, w->n - first, sizeof *w->items, by_path_falling, w->paths.at);
    return status;
}

/* Takes the topmost item; its path is copied to `path`. */
static rp_status visit_top(walk *w, rp__buf *path, rp__walk_fn *fn, void *arg, bool *go_on,
                           rp_error *err)
{
    item top = w->items[--w->n];
    size_t n = strlen((const char *)w->paths.at + top.path);
    path->n = 0;
    rp__buf_put(path, w->paths.at + top.path, n + 1);
    if (path->failed)
        return rp__error_no_memory(err);
    if (path->at[n - 1] == '/')
        return list_folder(w, (const char *)path->at, O_NOFOLLOW, err);
    *go_on = fn(arg, (const char *)path->at, top.bytes);
    return RP_OK;
}

static rp_status walk_folder(walk *w, const char *path, rp__walk_fn *fn, void *arg, rp_error *err)
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
        status = visit_top(w, &folder, fn, arg, &go_on, err);
    rp__buf_free(&folder);
    return status;
}

rp_status rp__walk(const char *path, rp__walk_fn *fn, void *arg, rp_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return cannot("open", path, "", err);
    if (!S_ISDIR(st.st_mode)) {
        fn(arg, path, S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0);
        return RP_OK;
    }
    walk w = {0};
    rp__buf_init(&w.paths);
    rp_status status = walk_folder(&w, path, fn, arg, err);
    rp__buf_free(&w.paths);
    rp__free(w.items);
    return status;
}
