/* trec_rows.c: the lines of a judgment file or a run become rows; fields are cut in place. */
#include "engine/trec_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/store.h"

enum { COLUMNS_MAX = 6 };

/* How a kind of file is read. */
typedef struct form {
    size_t columns;
    const char *shape;
    rp_status (*take)(rp__trec_row *row, char *const *column, const char *path, rp_error *err);
} form;

static rp_status fault(const rp__trec_row *row, const char *path, const char *what, rp_error *err)
{
    return rp__error_set(err, RP_INPUT, "%s:%" PRIu64 ": %s", path, row->line, what);
}

static rp_status take_judgment(rp__trec_row *row, char *const *column, const char *path,
                               rp_error *err)
{
    char *end;
    errno = 0;
    long grade = strtol(column[3], &end, 10);
    if (*end || end == column[3] || errno || grade < INT32_MIN || grade > INT32_MAX)
        return fault(row, path, "the grade, column 4, is not a whole number", err);
    row->grade = (int32_t)grade;
    return RP_OK;
}

/* As trec_eval does: a double, then rounded to a float. */
static rp_status take_result(rp__trec_row *row, char *const *column, const char *path,
                             rp_error *err)
{
    char *end;
    double score = strtod(column[4], &end);
    if (*end || end == column[4] || isnan(score))
        return fault(row, path, "the score, column 5, is not a number", err);
    row->score = (float)score;
    return RP_OK;
}

static const form judgment_form = {4, "qid iter docno grade", take_judgment};
static const form run_form = {6, "qid Q0 docno rank score tag", take_result};

/* Cuts a line, NUL behind it, at its blanks; returns the number of columns, past COLUMNS_MAX too. */
static size_t cut_columns(char *line, char **column)
{
    size_t n = 0;
    for (char *p = line + strspn(line, " \t\r"); *p; p += strspn(p, " \t\r")) {
        if (n < COLUMNS_MAX)
            column[n] = p;
        n++;
        p += strcspn(p, " \t\r");
        if (*p)
            *p++ = 0;
    }
    return n;
}

static rp_status take_line(rp__trec_rows *rows, char *line, uint64_t number, const form *of,
                           const char *path, rp_error *err)
{
    char *column[COLUMNS_MAX];
    size_t n = cut_columns(line, column);
    if (n == 0)
        return RP_OK;
    if (n != of->columns)
        return rp__error_set(err, RP_INPUT, "%s:%" PRIu64 ": %zu columns; expected %zu: %s", path,
                             number, n, of->columns, of->shape);
    if (!rp__alloc_grow(&rows->at, &rows->cap, rows->n + 1, sizeof *rows->at))
        return rp__error_no_memory(err);
    rp__trec_row *row = &rows->at[rows->n++];
    *row = (rp__trec_row){.qid = column[0], .docno = column[2], .line = number};
    if (rows->n == 1 && n > 5)
        rows->tag = column[5];
    return of->take(row, column, path, err);
}

static int by_name(const void *a, const void *b)
{
    const rp__trec_row *x = a, *y = b;
    int order = strcmp(x->qid, y->qid);
    if (order == 0)
        order = strcmp(x->docno, y->docno);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_score(const void *a, const void *b)
{
    const rp__trec_row *x = a, *y = b;
    int order = strcmp(x->qid, y->qid);
    if (order == 0)
        order = (x->score < y->score) - (x->score > y->score);
    return order ? order : strcmp(y->docno, x->docno);
}

static rp_status refuse_repeats(const rp__trec_rows *rows, const char *path, rp_error *err)
{
    for (size_t i = 1; i < rows->n; i++) {
        const rp__trec_row *a = &rows->at[i - 1], *b = &rows->at[i];
        if (strcmp(a->qid, b->qid) == 0 && strcmp(a->docno, b->docno) == 0)
            return rp__error_set(err, RP_INPUT,
                                 "%s:%" PRIu64
                                 ": document \"%s\" again for topic \"%s\", which line "
                                 "%" PRIu64 " has",
                                 path, b->line, b->docno, b->qid, a->line);
    }
    return RP_OK;
}

uint64_t rp__trec_rows_memory(const rp__trec_rows *rows)
{
    return rows->text.n + 2 * rows->n * sizeof *rows->at;
}

static rp_status read_rows(rp__trec_rows *rows, const char *path, const form *of,
                           uint64_t max_memory, rp_error *err)
{
    *rows = (rp__trec_rows){0};
    rp__buf_init(&rows->text);
    rp_status s = rp__input_read_all(path, NULL, max_memory, &rows->text, err);
    char *line = (char *)rows->text.at, *end = line ? line + rows->text.n : NULL;
    for (uint64_t number = 1; s == RP_OK && line < end; number++) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        *next = 0;
        if (strlen(line) != (size_t)(next - line))
            s = rp__error_set(err, RP_INPUT, "%s:%" PRIu64 ": a zero byte", path, number);
        else
            s = take_line(rows, line, number, of, path, err);
        if (s == RP_OK && rp__trec_rows_memory(rows) > max_memory)
            s = rp__error_set(err, RP_NO_MEMORY, "%s:%" PRIu64 ": the lines before take %llu MiB",
                              path, number, (unsigned long long)(max_memory >> 20));
        line = next + 1;
    }
    if (s == RP_OK && rows->n > 1) {
        qsort(rows->at, rows->n, sizeof *rows->at, by_name);
        s = refuse_repeats(rows, path, err);
    }
    if (s != RP_OK)
        rp__trec_rows_free(rows);
    return s;
}

rp_status rp__trec_rows_read_judgments(rp__trec_rows *rows, const char *path, uint64_t max_memory,
                                       rp_error *err)
{
    return read_rows(rows, path, &judgment_form, max_memory, err);
}

rp_status rp__trec_rows_read_run(rp__trec_rows *rows, const char *path, uint64_t max_memory,
                                 rp_error *err)
{
    rp_status s = read_rows(rows, path, &run_form, max_memory, err);
    if (s == RP_OK && rows->n > 1)
        qsort(rows->at, rows->n, sizeof *rows->at, by_score);
    return s;
}

void rp__trec_rows_free(rp__trec_rows *rows)
{
    rp__buf_free(&rows->text);
    rp__free(rows->at);
    *rows = (rp__trec_rows){0};
}
