/* replay_record.c: records of costs, as text. One table has the columns: their names, and where they belong. */
#include "engine/replay_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/store.h"

#define AT(field) offsetof(rp__replay_cost, field)

static const struct column {
    const char *name;
    size_t at;
    bool may_refuse; /* - is RP_POLICY_NEVER */
} columns[] = {
    {"cpu_ns", AT(cpu_ns), false},
    {"gpu_ns", AT(gpu_ns), true},
    {"batch_ns", AT(batch_ns), false},
    {"feed_ns", AT(feed_ns), false},
    {"shortest", AT(likely.shortest), false},
    {"second", AT(likely.second), false},
    {"likely_cpu_ns", AT(likely.cpu_ns), false},
    {"likely_gpu_ns", AT(likely.gpu_ns), true},
    {"likely_batch_ns", AT(likely.batch_ns), false},
    {"likely_feed_ns", AT(likely.feed_ns), false},
};
enum {
    COLUMNS = sizeof columns / sizeof *columns,
    FIELDS = 32, /* of a line, at most; names that are not known are passed over */
};
static const uint64_t max_value = 1000000000000; /* a thousand seconds */
static const uint64_t max_bytes = (uint64_t)256 << 20;

typedef struct reader {
    const char *name;
    uint64_t line;
    int column_of[FIELDS]; /* of columns[]; -1: another */
    size_t n_fields;
    rp__replay_cost *costs;
    size_t n, room;
    rp_error *err;
} reader;

static rp_status fault(const reader *r, size_t field, const char *what)
{
    return rp__error_set(r->err, RP_INPUT, "%s:%" PRIu64 ": column %zu: %s", r->name, r->line,
                         field + 1, what);
}

/* Cuts off the next field of a line; NULL: there is none. */
static char *next_field(char **rest)
{
    char *field = *rest;
    if (!field)
        return NULL;
    char *tab = strchr(field, '\t');
    *rest = tab ? tab + 1 : NULL;
    if (tab)
        *tab = 0;
    return field;
}

static int find_column(const char *name)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(columns[i].name, name) == 0)
            return i;
    return -1;
}

static rp_status read_names(reader *r, char *line)
{
    bool has[COLUMNS] = {false};
    for (char *field; (field = next_field(&line)); r->n_fields++) {
        if (r->n_fields == FIELDS)
            return fault(r, r->n_fields, "too many columns");
        const int c = find_column(field);
        if (c >= 0 && has[c])
            return fault(r, r->n_fields, "a column of this name came before");
        r->column_of[r->n_fields] = c;
        if (c >= 0)
            has[c] = true;
    }
    for (int i = 0; i < COLUMNS; i++)
        if (!has[i])
            return rp__error_set(r->err, RP_INPUT, "%s:%" PRIu64 ": no column is called %s",
                                 r->name, r->line, columns[i].name);
    return RP_OK;
}

static rp_status read_number(const reader *r, size_t field, const char *text, bool may_refuse,
                             uint64_t *out)
{
    *out = 0;
    if (may_refuse && strcmp(text, "-") == 0) {
        *out = RP_POLICY_NEVER;
        return RP_OK;
    }
    if (!*text)
        return fault(r, field, "empty; expected a number");
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return fault(r, field, "expected a whole number of at least 0");
        *out = *out * 10 + (uint64_t)(*text - '0');
        if (*out > max_value)
            return fault(r, field, "more than 10^12");
    }
    return RP_OK;
}

/* A job that the card takes, it takes in a batch too, and no slower. */
static rp_status check_cost(const reader *r, const rp__replay_cost *c)
{
    const bool has_card = c->gpu_ns != RP_POLICY_NEVER;
    if (has_card != (c->likely.gpu_ns != RP_POLICY_NEVER))
        return fault(r, 0, "gpu_ns and likely_gpu_ns are not both numbers, nor both -");
    return has_card && c->gpu_ns < c->batch_ns ? fault(r, 0, "batch_ns is more than gpu_ns")
                                               : RP_OK;
}

static rp_status read_cost(reader *r, char *line)
{
    rp__replay_cost cost = {0};
    size_t field = 0;
    for (char *text; (text = next_field(&line)); field++) {
        uint64_t value;
        if (field == r->n_fields)
            return fault(r, field, "more columns than names");
        const int c = r->column_of[field];
        if (c < 0)
            continue;
        rp_status status = read_number(r, field, text, columns[c].may_refuse, &value);
        if (status != RP_OK)
            return status;
        memcpy((char *)&cost + columns[c].at, &value, sizeof value);
    }
    if (field < r->n_fields)
        return fault(r, field, "missing");
    rp_status status = check_cost(r, &cost);
    if (status != RP_OK)
        return status;
    if (!rp__alloc_grow(&r->costs, &r->room, r->n + 1, sizeof *r->costs))
        return rp__error_no_memory(r->err);
    r->costs[r->n++] = cost;
    return RP_OK;
}

static rp_status read_line(reader *r, char *line)
{
    size_t n = strlen(line);
    r->line++;
    if (n > 0 && line[n - 1] == '\r')
        line[n - 1] = 0;
    if (*line == '#' || *line == 0)
        return RP_OK;
    return r->n_fields == 0 ? read_names(r, line) : read_cost(r, line);
}

rp_status rp__replay_record_parse(const char *name, char *text, size_t bytes, rp__replay_cost **out,
                                  size_t *n, rp_error *err)
{
    reader r = {.name = name, .err = err};
    rp_status status = RP_OK;
    *out = NULL;
    *n = 0;
    for (char *line = text, *end = text + bytes; line < end && status == RP_OK;) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        if (next)
            *next = 0;
        status = memchr(line, 0, (size_t)((next ? next : end) - line))
                     ? rp__error_set(err, RP_INPUT, "%s:%" PRIu64 ": a NUL", name, r.line + 1)
                     : read_line(&r, line);
        line = next ? next + 1 : end;
    }
    if (status == RP_OK && r.n == 0)
        status = rp__error_set(err, RP_INPUT, "%s: no query is recorded there", name);
    if (status != RP_OK) {
        rp__free(r.costs);
        return status;
    }
    *out = r.costs;
    *n = r.n;
    return RP_OK;
}

rp_status rp__replay_record_read(const char *path, rp__replay_cost **out, size_t *n, rp_error *err)
{
    rp__buf text = {0};
    *out = NULL;
    *n = 0;
    rp_status status = rp__input_read_all(path, NULL, max_bytes, &text, err);
    if (status == RP_OK)
        status = rp__replay_record_parse(path, (char *)text.at, text.n, out, n, err);
    rp__buf_free(&text);
    return status;
}

void rp__replay_record_begin(FILE *file, const char *machine)
{
    fprintf(file, "# What queries cost each processor, for riposte load --replay. %s\n", machine);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(file, "%s%s", i ? "\t" : "", columns[i].name);
    putc('\n', file);
}

void rp__replay_record_put(FILE *file, const rp__replay_cost *cost)
{
    for (int i = 0; i < COLUMNS; i++) {
        uint64_t value;
        memcpy(&value, (const char *)cost + columns[i].at, sizeof value);
        if (i)
            putc('\t', file);
        if (value == RP_POLICY_NEVER)
            putc('-', file);
        else
            fprintf(file, "%" PRIu64, value);
    }
    putc('\n', file);
}
