/* corpus_format.c: the table of formats, how a file's format is told, and lines as records. */
#include "engine/corpus_format.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* In the order in which they are tried; the last takes everything. */
static const rp__corpus_format *const rows[] = {
    &rp__corpus_jsonl, &rp__corpus_json, &rp__corpus_trec,   &rp__corpus_mediawiki,
    &rp__corpus_html,  &rp__corpus_mbox, &rp__corpus_gitlog, &rp__corpus_csv,
    &rp__corpus_tsv,   &rp__corpus_text,
};
enum { ROWS = sizeof rows / sizeof *rows };

rp_status rp__corpus_format_find(const char *name, const rp__corpus_format **out, rp_error *err)
{
    char names[128] = "";
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i]->name, name) == 0) {
            *out = rows[i];
            return RP_OK;
        }
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", rows[i]->name);
    }
    return rp__error_set(err, RP_USAGE, "no format is named \"%.40s\"; there are %s", name, names);
}

static bool has_extension(const rp__corpus_format *row, const char *at, size_t n)
{
    for (const char *const *e = row->extensions; *e; e++)
        if (strlen(*e) == n && memcmp(*e, at, n) == 0)
            return true;
    return false;
}

/* The extension, that of a compressed file being the one before. */
static const char *find_extension(const char *path, size_t *n)
{
    static const char *const packed[] = {".gz", ".zst"};
    size_t end = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t bytes = strlen(packed[i]);
        if (end > bytes && strcmp(path + end - bytes, packed[i]) == 0) {
            end -= bytes;
            break;
        }
    }
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '.' && path[begin - 1] != '/')
        begin--;
    *n = begin > 0 && path[begin - 1] == '.' ? end - begin : 0;
    return path + begin;
}

const rp__corpus_format *rp__corpus_format_by_suffix(const char *path)
{
    size_t bytes;
    const char *extension = find_extension(path, &bytes);
    for (size_t i = 0; i < ROWS; i++)
        if (has_extension(rows[i], extension, bytes))
            return rows[i];
    return NULL;
}

const rp__corpus_format *rp__corpus_format_guess(const char *path, rp__sniff *s)
{
    const rp__corpus_format *named = rp__corpus_format_by_suffix(path);
    for (size_t i = 0; i < ROWS - 1; i++) {
        s->has_suffix = rows[i] == named;
        if (rows[i]->is_sure && rows[i]->sniff(s))
            return rows[i];
    }
    s->has_suffix = true;
    if (named && (!s->in_folder || named->sniff(s)))
        return named;
    s->has_suffix = false;
    for (size_t i = 0; i < ROWS - 1 && !s->in_folder; i++)
        if (!rows[i]->is_sure && rows[i]->sniff(s))
            return rows[i];
    return rows[ROWS - 1];
}

static bool is_blank(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r'))
        i++;
    return i == n;
}

bool rp__corpus_format_split_line(rp__split *s)
{
    s->used = 0;
    for (size_t begin = 0, from = s->scanned; begin < s->n; begin = from = s->used) {
        const char *newline = memchr(s->at + from, '\n', s->n - from);
        if (!newline && !s->is_end) {
            s->used = s->is_passing ? s->n : begin;
            s->scanned = s->n - s->used;
            return false;
        }
        s->begin = begin;
        s->end = newline ? (size_t)(newline - s->at) : s->n;
        s->used = s->end + (newline != NULL);
        s->scanned = 0;
        if (s->is_passing || !is_blank(s->at + begin, s->end - begin))
            return true;
    }
    return false;
}

bool rp__corpus_format_split_file(rp__split *s)
{
    s->begin = 0;
    s->end = s->n;
    s->used = s->is_end || s->is_passing ? s->n : 0;
    return s->is_end;
}
