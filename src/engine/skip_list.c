/* skip_list.c: counting skipped files and records by reason, and writing their list when the build has
 * succeeded. */
#include "engine/skip_list.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count_text.h"
#include "base/error.h"
#include "store/store.h"

enum { LINE_BYTES = 512 };

/* Whether the path's last component says nothing of the folder's own name. */
static bool is_dots(const char *path, size_t n)
{
    size_t from = n;
    while (from > 0 && path[from - 1] != '/')
        from--;
    return (n - from == 1 && path[from] == '.') ||
           (n - from == 2 && path[from] == '.' && path[from + 1] == '.');
}

/* DIR without slashes at its end, and .skipped: beside the folder, however it is called. */
static void name_list(rp__skip_list *list)
{
    char own[RP_SKIP_PATH_BYTES];
    const char *dir = list->dir;
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    if (is_dots(dir, n) && realpath(dir, own)) {
        dir = own;
        n = strlen(own);
    }
    int length = snprintf(list->path, sizeof list->path, "%.*s.skipped", (int)n, dir);
    if ((size_t)length >= sizeof list->path)
        list->path[0] = 0;
}

void rp__skip_list_init(rp__skip_list *list, const char *dir)
{
    *list = (rp__skip_list){.dir = dir};
    rp__buf_init(&list->lines);
    rp__buf_init(&list->records);
    if (dir)
        name_list(list);
}

void rp__skip_list_free(rp__skip_list *list)
{
    rp__buf_free(&list->lines);
    rp__buf_free(&list->records);
    *list = (rp__skip_list){0};
}

static void copy_end(char *to, const char *path)
{
    size_t n = strlen(path), from = n < RP_SKIP_TEXT_BYTES ? 0 : n + 4 - RP_SKIP_TEXT_BYTES;
    snprintf(to, RP_SKIP_TEXT_BYTES, "%s%s", from ? "..." : "", path + from);
}

static void count(rp__skip_list *list, const char *path, const char *text, rp__skip_kind kind,
                  uint64_t n)
{
    size_t i = 0;
    while (i < list->n &&
           (list->reasons[i].kind != kind || strcmp(list->reasons[i].text, text) != 0))
        i++;
    if (i == RP_SKIP_REASONS)
        i--;
    rp__skip_reason *reason = &list->reasons[i];
    if (i == list->n) {
        list->n++;
        reason->kind = kind;
        bool is_last = list->n == RP_SKIP_REASONS;
        snprintf(reason->text, sizeof reason->text, "%s", is_last ? "other reasons" : text);
        copy_end(reason->first, path);
    }
    reason->count += n;
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

static void put_line(rp__buf *out, const char *path, const char *reason)
{
    put_path(out, path);
    rp__buf_printf(out, "\t%s\n", reason);
}

void rp__skip_list_add(rp__skip_list *list, const char *path, const char *reason)
{
    count(list, path, reason, RP_SKIP_FILE, 1);
    list->skipped++;
    put_line(&list->lines, path, reason);
}

void rp__skip_list_leave_out(rp__skip_list *list, const char *where, const char *reason,
                             bool is_reported)
{
    if (!is_reported)
        count(list, where, reason, RP_SKIP_RECORD, 1);
    list->left_out++;
    if (list->records.n < RP_SKIP_RECORD_BYTES)
        put_line(&list->records, where, reason);
    else
        list->unlisted++;
}

void rp__skip_list_merge(rp__skip_list *to, const rp__skip_list *from)
{
    for (size_t i = 0; i < from->n; i++) {
        const rp__skip_reason *reason = &from->reasons[i];
        count(to, reason->first, reason->text, reason->kind, reason->count);
    }
    to->skipped += from->skipped;
    to->left_out += from->left_out;
    to->unlisted += from->unlisted;
    rp__buf_put(&to->lines, from->lines.at, from->lines.n);
    rp__buf_put(&to->records, from->records.at, from->records.n);
    to->lines.failed |= from->lines.failed;
    to->records.failed |= from->records.failed;
}

void rp__skip_list_remark(rp__skip_list *list, const char *path, const char *how)
{
    count(list, path, how, RP_SKIP_REMARK, 1);
}

static rp_status write_list(const rp__skip_list *list, rp_error *err)
{
    rp__output *out;
    if (!list->path[0])
        return rp__error_set(err, RP_LIMIT, "its path is too long");
    if (list->lines.failed || list->records.failed)
        return rp__error_no_memory(err);
    rp_status status = rp__output_create(list->path, &out, err);
    if (status != RP_OK)
        return status;
    char more[64] = "", number[RP_COUNT_TEXT_BYTES];
    if (list->unlisted > 0)
        snprintf(more, sizeof more, "and %s more records\n",
                 rp__count_text(number, list->unlisted));
    rp__output_write(out, list->lines.at, list->lines.n);
    rp__output_write(out, list->records.at, list->records.n);
    rp__output_write(out, more, strlen(more));
    return rp__output_finish(out, err);
}

static void tell_reason(const rp__skip_reason *reason, rp_warn_fn *on_note, void *arg)
{
    static const char *const fronts[] = {
        [RP_SKIP_FILE] = "skipped ", [RP_SKIP_RECORD] = "left out ", [RP_SKIP_REMARK] = ""};
    char line[LINE_BYTES], number[RP_COUNT_TEXT_BYTES];
    const char *front = fronts[reason->kind];
    if (reason->count == 1)
        snprintf(line, sizeof line, "%s%s: %s", front, reason->first, reason->text);
    else
        snprintf(line, sizeof line, "%s%s %s: %s (the first is %s)", front,
                 rp__count_text(number, reason->count),
                 reason->kind == RP_SKIP_RECORD ? "records" : "files", reason->text, reason->first);
    on_note(arg, line);
}

static void tell_reasons(const rp__skip_list *list, rp__skip_kind kind, rp_warn_fn *on_note,
                         void *arg)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->reasons[i].kind == kind)
            tell_reason(&list->reasons[i], on_note, arg);
}

void rp__skip_list_finish(rp__skip_list *list, rp_warn_fn *on_note, void *arg)
{
    char line[RP_SKIP_PATH_BYTES + LINE_BYTES];
    rp_error err = {0};
    rp_status status = RP_OK;
    bool has_list = list->dir && list->skipped + list->left_out > 0;
    if (has_list)
        status = write_list(list, &err);
    else if (list->path[0])
        rp__store_get_ops()->unlink(AT_FDCWD, list->path, 0);
    if (!on_note)
        return;
    tell_reasons(list, RP_SKIP_FILE, on_note, arg);
    tell_reasons(list, RP_SKIP_RECORD, on_note, arg);
    if (has_list) {
        if (status == RP_OK)
            snprintf(line, sizeof line, "%s lists what was skipped", list->path);
        else
            snprintf(line, sizeof line, "the list of what was skipped could not be written: %s",
                     err.text);
        on_note(arg, line);
    }
    tell_reasons(list, RP_SKIP_REMARK, on_note, arg);
}
