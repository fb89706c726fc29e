/* exchange_case.h: for fuzz targets: an index of another program goes in; what comes of it is an
 * error with a text and no folder, or an index that is sound, goes out and comes in again as the
 * same. Nothing is synced, because nothing here need outlive the process. */
#ifndef RP_FUZZ_EXCHANGE_CASE_H
#define RP_FUZZ_EXCHANGE_CASE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tests/tempdir.h"
#include "riposte/riposte.h"
#include "store/store.h"

static tempdir exchange_dir;

static inline void exchange_expect(int is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static inline int exchange_no_sync(int fd)
{
    (void)fd;
    return 0;
}

static inline void exchange_end(void)
{
    tempdir_remove(&exchange_dir);
}

static inline void exchange_begin(void)
{
    static rp__store_ops ops;
    if (ops.open)
        return;
    if (!getenv("TMPDIR"))
        setenv("TMPDIR", "/dev/shm", 1);
    exchange_expect(tempdir_make(&exchange_dir) == 0, "no folder");
    atexit(exchange_end);
    ops = rp__store_system;
    ops.fsync = exchange_no_sync;
    rp__store_set_ops(&ops);
}

static inline void exchange_write(const char *name, const uint8_t *bytes, size_t n)
{
    tempdir_write(&exchange_dir, name, bytes, n);
}

static inline void exchange_forget(const char *name)
{
    tempdir t = {0};
    snprintf(t.path, sizeof t.path, "%.200s/%.40s", exchange_dir.path, name);
    tempdir_remove(&t);
}

static inline void exchange_heed(void *arg, const char *what)
{
    exchange_expect(arg == NULL && what[0] != 0, "a warning without a text");
}

/* Folder `to` of the files `from`. */
static inline rp_status exchange_import(const char *format, const char *from, const char *to)
{
    char path[400], folder[400];
    rp_error err = {0};
    rp_import_options o = {.memory = 16 << 20, .on_warning = exchange_heed};
    snprintf(path, sizeof path, "%s/%s", exchange_dir.path, from);
    snprintf(folder, sizeof folder, "%s/%s", exchange_dir.path, to);
    rp_status status = rp_index_import(format, path, folder, &o, NULL, &err);
    exchange_expect(status == RP_OK || (err.code == status && err.text[0]), "no text");
    exchange_expect(status == RP_OK || status == RP_INPUT || status == RP_LIMIT ||
                        status == RP_NO_MEMORY,
                    "an odd status");
    exchange_expect(status == RP_OK || access(folder, F_OK) != 0, "something is left");
    exchange_expect(status != RP_OK || rp_index_check(folder, NULL, NULL, NULL) == RP_OK,
                    "an index that is not sound");
    return status;
}

static inline rp_status exchange_export(const char *format, const char *from, const char *to)
{
    char path[400], folder[400];
    snprintf(path, sizeof path, "%s/%s", exchange_dir.path, to);
    snprintf(folder, sizeof folder, "%s/%s", exchange_dir.path, from);
    return rp_index_export(format, folder, path, NULL, NULL);
}

static inline int exchange_is_same(const char *a, const char *b)
{
    char paths[2][400];
    FILE *f[2];
    int c, d;
    snprintf(paths[0], sizeof paths[0], "%s/%s", exchange_dir.path, a);
    snprintf(paths[1], sizeof paths[1], "%s/%s", exchange_dir.path, b);
    for (int i = 0; i < 2; i++)
        exchange_expect((f[i] = fopen(paths[i], "rb")) != NULL, "a file is not there");
    do {
        c = fgetc(f[0]);
        d = fgetc(f[1]);
    } while (c == d && c != EOF);
    fclose(f[0]);
    fclose(f[1]);
    return c == d;
}

#endif
