/* memory_files.h: an index served from memory through the table of system calls: nothing is
 * written, and a read past the end of a file is seen by the address sanitizer. For tests and fuzz
 * targets only.
 *
 * The folder's path may be anything. A mapping is a copy of its own, as long as the file. */
#ifndef RP_TESTS_FAULT_MEMORY_FILES_H
#define RP_TESTS_FAULT_MEMORY_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/manifest.h"
#include "reseal.h"

enum { MEMORY_FD = 1 << 20 }; /* of the folder; files have those after it */

static const reseal_files *memory_files_now;

static inline int memory_files_open(int dirfd, const char *path, int flags, unsigned mode)
{
    (void)dirfd, (void)mode;
    if (flags & O_DIRECTORY)
        return MEMORY_FD;
    for (int kind = 0; kind < RP_FILE_KINDS; kind++) {
        char name[RP_FILE_NAME_MAX];
        rp__manifest_file_name((rp__file_kind)kind, 0, name);
        size_t n = strcspn(name, ".") + 1;
        if (memory_files_now->at[kind] && strncmp(name, path, n) == 0)
            return MEMORY_FD + 1 + kind;
    }
    errno = ENOENT;
    return -1;
}

static inline int memory_files_close(int fd)
{
    (void)fd;
    return 0;
}

static inline off_t memory_files_size(int fd)
{
    return (off_t)memory_files_now->bytes[fd - MEMORY_FD - 1];
}

static inline ssize_t memory_files_pread(int fd, void *buf, size_t n, off_t at)
{
    size_t kind = (size_t)(fd - MEMORY_FD - 1), bytes = memory_files_now->bytes[kind];
    if ((size_t)at >= bytes)
        return 0;
    n = n < bytes - (size_t)at ? n : bytes - (size_t)at;
    memcpy(buf, memory_files_now->at[kind] + at, n);
    return (ssize_t)n;
}

/* Page-aligned like the real one, with its last byte at the end of the block. */
static inline void *memory_files_map(int fd, size_t bytes)
{
    void *copy = NULL;
    if (posix_memalign(&copy, 4096, bytes) != 0)
        return NULL;
    memcpy(copy, memory_files_now->at[fd - MEMORY_FD - 1], bytes);
    return copy;
}

static inline int memory_files_unmap(void *at, size_t bytes)
{
    (void)bytes;
    free(at);
    return 0;
}

/* Serves `files` until NULL is given; they must stay. */
static inline void memory_files_serve(const reseal_files *files)
{
    static rp__store_ops ops;
    ops = rp__store_system;
    ops.open = memory_files_open;
    ops.close = memory_files_close;
    ops.size = memory_files_size;
    ops.pread = memory_files_pread;
    ops.map = memory_files_map;
    ops.unmap = memory_files_unmap;
    memory_files_now = files;
    rp__store_set_ops(files ? &ops : NULL);
}

/* Reads the one index in folder `dir` from disk into blocks of malloc; false: it is none. */
static inline bool memory_files_load(const char *dir, uint64_t generation, reseal_files *out)
{
    *out = (reseal_files){0};
    for (int kind = 0; kind < RP_FILE_KINDS; kind++) {
        char name[RP_FILE_NAME_MAX] = RP_MANIFEST_NAME, path[4096];
        if (kind != RP_FILE_MANIFEST)
            rp__manifest_file_name((rp__file_kind)kind, generation, name);
        snprintf(path, sizeof path, "%s/%s", dir, name);
        FILE *f = fopen(path, "rb");
        if (!f)
            continue;
        fseek(f, 0, SEEK_END);
        out->bytes[kind] = (size_t)ftell(f);
        rewind(f);
        out->at[kind] = malloc(out->bytes[kind] + 1);
        if (!out->at[kind] || fread(out->at[kind], 1, out->bytes[kind], f) != out->bytes[kind])
            abort();
        fclose(f);
    }
    return out->at[RP_FILE_MANIFEST] && out->at[RP_FILE_TERMS];
}

static inline void memory_files_free(reseal_files *files)
{
    for (int kind = 0; kind < RP_FILE_KINDS; kind++)
        free(files->at[kind]);
    *files = (reseal_files){0};
}

#endif
