/* skip_list.c: counting skipped files by reason, and writing their list when the build has succeeded. */
#include "engine/skip_list.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/store.h"

enum { LINE_BYTES = 512 };

/* DIR without slashes at its end, and .skipped. */
static void name_list(rp__skip_list *list)
{
    size_t n = strlen(list->dir);
    while (n > 1 && list->dir[n - 1] == '/')
        n--;
    int length = snprintf(list->path, sizeof list->path, "%.*s.skipped", (int)n, list->dir);
    if ((size_t)length >= sizeof list->path)
        list->path[0] = 0;
}

void rp__skip_list_init(rp__skip_list *list, const char *dir)
{
    *list = (rp__skip_list){.dir = dir};
    rp__buf_init(&list->lines);
    if (dir)
        name_list(list);
}

void rp__skip_list_free(rp__skip_list *list)
{
    rp__buf_free(&list->lines);
    *list = (rp__skip_list){0};
}

static void copy_end(char *to, const char *path)
{
    size_t n = strlen(path), from = n < RP_SKIP_TEXT_BYTES ? 0 : n + 4 - RP_SKIP_TEXT_BYTES;
    snprintf(to, RP_SKIP_TEXT_BYTES, "%s%s", from ? "..." : "", path + from);
}

static void count(rp__skip_list *list, const char *path, const char *text, bool is_skip)
{
    size_t i = 0;
    while (i < list->n &&
           (list->reasons[i].is_skip != is_skip || strcmp(list->reasons[i].text, text) != 0))
        i++;
    if (i == RP_SKIP_REASONS)
        i--;
    rp__skip_reason *reason = &list->reasons[i];
    if (i == list->n) {
        list->n++;
        reason->is_skip = is_skip;
        bool is_last = list->n == RP_SKIP_REASONS;
        snprintf(reason->text, sizeof reason->text, "%s", is_last ? "other reasons" : text);
        copy_end(reason->first, path);
    }
    reason->files++;
}

/* Bytes that would break the list's lines are shown as \xNN. */
static void put_path(rp__buf *out, const char *path)
{
    for (const char *p = path; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7F)
            rp__buf_printf(out, "\\x%02X", (unsigned)*p);
        else
            rp__buf_put_byte(out, (uint8_t)*p);
}

void rp__skip_list_add(rp__skip_list *list, const char *path, const char *reason)
{
    count(list, path, reason, true);
    list->skipped++;
    put_path(&list->lines, path);
    rp__buf_printf(&list->lines, "\t%s\n", reason);
}

void rp__skip_list_remark(rp__skip_list *list, const char *path, const char *how)
{
    count(list, path, how, false);
}

static rp_status write_list(const rp__skip_list *list, rp_error *err)
{
    rp__output *out;
    if (!list->path[0])
        return rp__error_set(err, RP_LIMIT, "its path is too long");
    if (list->lines.failed)
        return rp__error_no_memory(err);
    rp_status status = rp__output_create(list->path, &out, err);
    if (status != RP_OK)
        return status;
    rp__output_write(out, list->lines.at, list->lines.n);
    return rp__output_finish(out, err);
}

static void tell_reason(const rp__skip_reason *reason, rp_warn_fn *on_note, void *arg)
{
    char line[LINE_BYTES];
    unsigned long long files = reason->files;
    if (files == 1)
        snprintf(line, sizeof line, "%s%s: %s", reason->is_skip ? "skipped " : "", reason->first,
                 reason->text);
    else
        snprintf(line, sizeof line, "%s%llu files: %s (the first is %s)",
                 reason->is_skip ? "skipped " : "", files, reason->text, reason->first);
    on_note(arg, line);
}

static void tell_reasons(const rp__skip_list *list, bool is_skip, rp_warn_fn *on_note, void *arg)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->reasons[i].is_skip == is_skip)
            tell_reason(&list->reasons[i], on_note, arg);
}

void rp__skip_list_finish(rp__skip_list *list, rp_warn_fn *on_note, void *arg)
{
    char line[RP_SKIP_PATH_BYTES + LINE_BYTES];
    rp_error err = {0};
    rp_status status = RP_OK;
    if (list->dir && list->skipped > 0)
        status = write_list(list, &err);
    else if (list->path[0])
        rp__store_get_ops()->unlink(AT_FDCWD, list->path, 0);
    if (!on_note)
        return;
    tell_reasons(list, true, on_note, arg);
    if (list->dir && list->skipped > 0) {
        if (status == RP_OK)
            snprintf(line, sizeof line, "%s lists what was skipped", list->path);
        else
            snprintf(line, sizeof line, "the list of what was skipped could not be written: %s",
                     err.text);
        on_note(arg, line);
    }
    tell_reasons(list, false, on_note, arg);
}
