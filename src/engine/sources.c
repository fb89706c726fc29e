/* sources.c: which files paths mean, each once. */
#include "engine/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum { REAL_BYTES = 4096 }; /* as realpath wants it */

typedef struct finder {
    rp__sources *sources;
    rp__ids ids;
    rp__skip_list *skips;
    char real[REAL_BYTES]; /* a path that the user gave, without links, dots and repeated slashes */
    size_t given_bytes;    /* of the path as it was given */
    bool is_slashed;       /* which ends with '/' */
    rp_error *err;
    rp_status status;
} finder;

static bool skip_source(void *arg, const char *path, const char *reason)
{
    const finder *f = arg;
    rp__skip_list_add(f->skips, path, reason);
    return true;
}

static bool refuse_path(finder *f, const char *path, size_t n)
{
    char reason[64];
    size_t max = sizeof((rp__batch *)0)->path - 1;
    if (n > f->given_bytes) {
        snprintf(reason, sizeof reason, "a path of over %zu bytes", max);
        return skip_source(f, path, reason);
    }
    f->status = rp__error_set(f->err, RP_LIMIT, "...%s: a path of %zu bytes; at most %zu are taken",
                              path + n - 80, n, max);
    return false;
}

/* The list of skipped files of an index. */
static bool is_list(const char *path, size_t n)
{
    static const char suffix[] = ".skipped";
    const size_t bytes = sizeof suffix - 1;
    char dir[sizeof((rp__batch *)0)->path];
    rp_index *index = NULL;
    if (n <= bytes || strcmp(path + n - bytes, suffix) != 0)
        return false;
    snprintf(dir, sizeof dir, "%.*s", (int)(n - bytes), path);
    bool is_index = rp_index_open(dir, NULL, &index, NULL) == RP_OK;
    rp_index_close(index);
    return is_index;
}

static bool add_source(void *arg, const char *path, uint64_t bytes)
{
    finder *f = arg;
    rp__sources *s = f->sources;
    size_t n = strlen(path);
    if (n >= sizeof((rp__batch *)0)->path)
        return refuse_path(f, path, n);
    bool in_folder = n > f->given_bytes;
    if (in_folder && is_list(path, n))
        return skip_source(f, path, "a list of what an index skipped");
    bool is_relative = f->ids == RP_IDS_RELATIVE || (f->ids != RP_IDS_PATH && !s->has_many_paths);
    rp__source one = {
        .path = s->names.n, .real = s->reals.n, .bytes = bytes, .in_folder = in_folder};
    size_t below = f->given_bytes + !f->is_slashed; /* what lies below the folder given */
    one.path_id = in_folder && is_relative ? below : 0;
    rp__buf_put(&s->names, path, n + 1);
    if (s->has_many_paths) {
        rp__buf_printf(&s->reals, "%s%s%s", f->real, in_folder ? "/" : "",
                       path + (in_folder ? below : n));
        rp__buf_put_byte(&s->reals, 0);
    }
    if (s->names.failed || s->reals.failed ||
        !rp__alloc_grow(&s->at, &s->cap, s->n + 1, sizeof one)) {
        f->status = rp__error_no_memory(f->err);
        return false;
    }
    s->at[s->n++] = one;
    return true;
}

static rp_status find_files(finder *f, const char *path)
{
    rp__walk_calls calls = {add_source, skip_source, {f->skips->dir, f->skips->path}};
    size_t n = strlen(path);
    f->given_bytes = n;
    f->is_slashed = n > 0 && path[n - 1] == '/';
    bool is_stdin = strcmp(path, "-") == 0;
    if (!f->sources->has_many_paths || is_stdin ||
        !realpath(path, f->real)) /* it stands for itself alone */
        snprintf(f->real, sizeof f->real, "%s", path);
    if (strcmp(f->real, "/") == 0)
        f->real[0] = 0;
    if (is_stdin) {
        add_source(f, path, 0);
        return f->status;
    }
    rp_status status = rp__walk(path, &calls, f, f->err);
    return f->status != RP_OK ? f->status : status;
}

static const char *real_of(const rp__sources *s, size_t i)
{
    return (const char *)s->reals.at + s->at[i].real;
}

static int by_real_path(const void *a, const void *b, void *sources)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = strcmp(real_of(sources, x), real_of(sources, y));
    return order ? order : (x > y) - (x < y);
}

/* Of files that were reached twice the first stays. */
static rp_status drop_repeats(rp__sources *s, rp__skip_list *skips, rp_error *err)
{
    size_t kept = 0, *order = rp__alloc_array(s->n + 1, sizeof *order);
    if (!order)
        return rp__error_no_memory(err);
    for (size_t i = 0; i < s->n; i++)
        order[i] = i;
    if (s->n > 0)
        qsort_r(order, s->n, sizeof *order, by_real_path, s);
    for (size_t i = 1; i < s->n; i++)
        s->at[order[i]].is_repeat = strcmp(real_of(s, order[i]), real_of(s, order[i - 1])) == 0;
    rp__free(order);
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].is_repeat)
            rp__skip_list_remark(skips, rp__sources_path(s, i), "named or found twice, read once");
        else
            s->at[kept++] = s->at[i];
    s->n = kept;
    rp__buf_free(&s->reals);
    return RP_OK;
}

/* Not known where a file given by name has no size: standard input, a pipe. */
static uint64_t sum_bytes(const rp__sources *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->at[i].bytes == 0 && !s->at[i].in_folder)
            return 0;
        sum += s->at[i].bytes;
    }
    return sum;
}

rp_status rp__sources_find(const char *const *paths, size_t n, rp__ids ids, rp__skip_list *skips,
                           rp__sources *out, rp_error *err)
{
    finder f = {.sources = out, .ids = ids, .skips = skips, .err = err, .status = RP_OK};
    rp_status status = RP_OK;
    *out = (rp__sources){.has_many_paths = n > 1};
    for (size_t i = 0; i < n && status == RP_OK; i++)
        status = find_files(&f, paths[i]);
    if (status == RP_OK && out->has_many_paths)
        status = drop_repeats(out, skips, err);
    out->bytes = sum_bytes(out);
    return status;
}

const char *rp__sources_path(const rp__sources *s, size_t i)
{
    return (const char *)s->names.at + s->at[i].path;
}

void rp__sources_free(rp__sources *s)
{
    rp__buf_free(&s->names);
    rp__buf_free(&s->reals);
    rp__free(s->at);
}
