/* tempdir.h: a folder for a test's files, removed with all that is in it. For tests only. */
#ifndef RP_TESTS_TEMPDIR_H
#define RP_TESTS_TEMPDIR_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct tempdir {
    char path[256];
    char file[2048]; /* of the last tempdir_path */
} tempdir;

static inline int tempdir_make(tempdir *t)
{
    const char *root = getenv("TMPDIR");
    snprintf(t->path, sizeof t->path, "%s/riposte-test-XXXXXX", root ? root : "/tmp");
    return mkdtemp(t->path) ? 0 : -1;
}

/* The path of `name` in the folder, valid until the next call. */
static inline const char *tempdir_path(tempdir *t, const char *name)
{
    snprintf(t->file, sizeof t->file, "%s/%s", t->path, name);
    return t->file;
}

static inline const char *tempdir_write(tempdir *t, const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(tempdir_path(t, name), "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        abort();
    return t->file;
}

static inline int tempdir_remove_one(const char *path, const struct stat *st, int flag,
                                     struct FTW *at)
{
    (void)st, (void)flag, (void)at;
    return remove(path);
}

static inline void tempdir_remove(tempdir *t)
{
    nftw(t->path, tempdir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
