/* files.h: whole files to and from memory, and what a folder holds. For tests only. */
#ifndef RP_TESTS_FILES_H
#define RP_TESTS_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Free what this returns; a NUL stands behind the bytes. */
static inline uint8_t *files_read(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s cannot be opened", path);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    uint8_t *at = calloc(*n + 1, 1);
    if (fread(at, 1, *n, f) != *n)
        fail_msg("%s cannot be read", path);
    fclose(f);
    return at;
}

/* A new file each time: some file systems sync one that was cut and written again. */
static inline void files_write(const char *path, const void *bytes, size_t n)
{
    remove(path);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        fail_msg("%s cannot be written", path);
}

static inline bool files_exist(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Entries of a folder, . and .. not counted; -1: there is no such folder. */
static inline int files_count(const char *dir)
{
    DIR *d = opendir(dir);
    int n = -2;
    if (!d)
        return -1;
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* The same names with the same bytes; a difference fails the test. */
static inline void files_expect_equal_folders(const char *a, const char *b)
{
    DIR *d = opendir(a);
    assert_non_null(d);
    assert_int_equal(files_count(a), files_count(b));
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path_a[4500], path_b[4500];
        size_t n_a, n_b, i = 0;
        if (e->d_name[0] == '.')
            continue;
        snprintf(path_a, sizeof path_a, "%s/%s", a, e->d_name);
        snprintf(path_b, sizeof path_b, "%s/%s", b, e->d_name);
        uint8_t *bytes_a = files_read(path_a, &n_a), *bytes_b = files_read(path_b, &n_b);
        while (i < n_a && i < n_b && bytes_a[i] == bytes_b[i])
            i++;
        if (i < n_a || i < n_b)
            fail_msg("%s (%zu bytes) and %s (%zu bytes) differ at byte %zu", path_a, n_a, path_b,
                     n_b, i);
        free(bytes_a);
        free(bytes_b);
    }
    closedir(d);
}

#endif
