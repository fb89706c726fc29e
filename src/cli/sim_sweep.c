/* sim_sweep.c: reads a list of configurations, runs those that have no result yet, and keeps the file
 * of results whole after each few of them, so that an interrupted sweep goes on where it was. Results
 * of other names stay in the file. */
#include "cli/sim_sweep.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/sim_configs.h"
#include "cli/sim_report.h"
#include "cli/sim_watch.h"
#include "cli/whole_file.h"

enum { NAME_BYTES = 64, TEXT_BYTES = 1 << 26, MAX_THREADS = 1024 };

typedef struct entry {
    char name[NAME_BYTES];
    rp__sim_config config;
    rp__buf line; /* of JSON, with its newline; empty: not run yet */
} entry;

typedef struct sweep {
    const rp__lab_sim *sim;
    entry *entries;
    size_t n, cap;
    rp__buf text;
    rp__buf others; /* lines of the results that no entry has */
} sweep;

static rp_status read_text(const char *path, bool may_miss, rp__buf *out, rp_error *err)
{
    FILE *file = fopen(path, "rb");
    char chunk[4096];
    size_t n;
    if (!file)
        return may_miss ? RP_OK : rp__error_set(err, RP_IO, "%s: cannot open", path);
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0 && out->n < TEXT_BYTES)
        rp__buf_put(out, chunk, n);
    fclose(file);
    rp__buf_put_byte(out, 0);
    return out->failed ? rp__error_no_memory(err) : RP_OK;
}

/* ---- The list -------------------------------------------------------------------------------- */

static rp_status add_entry(sweep *s, const rp__sim_config *base, char *line, rp_error *err)
{
    const size_t name = strcspn(line, " \t,");
    if (name >= NAME_BYTES || memchr(line, '"', name) || memchr(line, '\\', name))
        return rp__error_set(err, RP_USAGE, "a name of up to %d plain letters", NAME_BYTES - 1);
    if (!rp__alloc_grow(&s->entries, &s->cap, s->n + 1, sizeof *s->entries))
        return rp__error_no_memory(err);
    entry *e = &s->entries[s->n++];
    *e = (entry){.config = *base};
    rp__buf_init(&e->line);
    memcpy(e->name, line, name);
    for (size_t i = 0; i + 1 < s->n; i++)
        if (strcmp(s->entries[i].name, e->name) == 0)
            return rp__error_set(err, RP_USAGE, "the name %s is there twice", e->name);
    rp_status status = rp__sim_configs_set(line + name, &e->config, err);
    return status == RP_OK ? rp__sim_config_check(&e->config, err) : status;
}

static rp_status read_list(sweep *s, const rp__sim_config *base, const char *path, rp_error *err)
{
    rp_error why;
    rp_status status = read_text(path, false, &s->text, err);
    char *at = (char *)s->text.at;
    for (uint32_t number = 1; status == RP_OK && at && *at; number++) {
        char *end = at + strcspn(at, "\n");
        char *next = *end ? end + 1 : end;
        *end = 0;
        at[strcspn(at, "#\r")] = 0;
        at += strspn(at, " \t");
        if (*at && (status = add_entry(s, base, at, &why)) != RP_OK)
            rp__error_set(err, status, "%s:%u: %s", path, number, why.text);
        at = next;
    }
    return status == RP_OK && s->n == 0 ? rp__error_set(err, RP_USAGE, "%s: no configuration", path)
                                        : status;
}

/* ---- Results --------------------------------------------------------------------------------- */

static void begin_line(rp__json_writer *w, const sweep *s, const entry *e, rp__buf *out)
{
    rp__json_writer_init(w, out);
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "name", e->name);
    rp__sim_report_write_run(w, &e->config, rp__lab_sim_count(s->sim));
}

static entry *find_entry(const sweep *s, const char *name, size_t bytes)
{
    for (size_t i = 0; i < s->n; i++)
        if (strlen(s->entries[i].name) == bytes && memcmp(s->entries[i].name, name, bytes) == 0)
            return &s->entries[i];
    return NULL;
}

/* A line of an earlier run, of `n` bytes with its newline. An entry's must be of the same
 * configuration, and of as many queries. */
static rp_status take_line(sweep *s, const char *line, size_t n, rp_error *err)
{
    static const char head[] = "{\"name\":\"";
    const size_t at = sizeof head - 1;
    if (n < at || memcmp(line, head, at) != 0)
        return rp__error_set(err, RP_USAGE, "this is no result of a sweep; name another file");
    entry *e = find_entry(s, line + at, strcspn(line + at, "\""));
    if (!e) {
        rp__buf_put(&s->others, line, n);
        return s->others.failed ? rp__error_no_memory(err) : RP_OK;
    }
    rp__json_writer w;
    rp__buf begin;
    rp__buf_init(&begin);
    begin_line(&w, s, e, &begin);
    const bool is_same = !begin.failed && n > begin.n && memcmp(line, begin.at, begin.n) == 0;
    rp__buf_free(&begin);
    if (!is_same)
        return rp__error_set(err, RP_USAGE,
                             "%s has run with another configuration or other queries; remove the "
                             "line, or name another file",
                             e->name);
    e->line.n = 0;
    rp__buf_put(&e->line, line, n);
    return e->line.failed ? rp__error_no_memory(err) : RP_OK;
}

static rp_status read_results(sweep *s, const char *output, rp_error *err)
{
    rp__buf text;
    rp_error why;
    rp__buf_init(&text);
    rp_status status = read_text(output, true, &text, err);
    const char *at = (const char *)text.at;
    for (uint32_t number = 1; status == RP_OK && at && *at; number++) {
        const size_t n = strcspn(at, "\n");
        if (at[n] && (status = take_line(s, at, n + 1, &why)) != RP_OK)
            rp__error_set(err, status, "%s:%u: %s", output, number, why.text);
        at += n + (at[n] != 0);
    }
    rp__buf_free(&text);
    return status;
}

static rp_status write_results(const sweep *s, const char *output, rp_error *err)
{
    rp__whole_file file;
    rp_status status = rp__whole_file_open(&file, output, err);
    if (status != RP_OK)
        return status;
    if (file.out && s->others.n > 0)
        fwrite(s->others.at, 1, s->others.n, file.out);
    for (size_t i = 0; file.out && i < s->n; i++)
        if (s->entries[i].line.n > 0)
            fwrite(s->entries[i].line.at, 1, s->entries[i].line.n, file.out);
    status = rp__whole_file_commit(&file, err);
    rp__whole_file_close(&file);
    return status;
}

static rp_status take_result(entry *e, const rp__lab_sim *sim, rp__lab_sim_case *c, rp_error *err)
{
    rp__json_writer w;
    if (c->status != RP_OK)
        return rp__error_set(err, c->status, "%s: %s", e->name, c->err.text);
    const rp__sim_report_run run = {.config = e->config, .result = c->result};
    rp__json_writer_init(&w, &e->line);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "name", e->name);
    rp__sim_report_write(&w, sim, &run, false);
    rp__json_writer_end(&w, '}');
    rp__buf_put_byte(&e->line, '\n');
    return e->line.failed ? rp__error_no_memory(err) : RP_OK;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Takes what the cases gave; the status is that of the first one that failed. */
static rp_status take_results(sweep *s, const size_t *taken, rp__lab_sim_case *cases, size_t n,
                              rp__sim_watch *watch, rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < n; i++) {
        rp_error why;
        const rp_status one = take_result(&s->entries[taken[i]], s->sim, &cases[i], &why);
        if (one != RP_OK && status == RP_OK) {
            status = one;
            rp__error_set(err, status, "%s", why.text);
        }
        rp__sim_watch_next(watch, rp__lab_sim_count(s->sim), cases[i].result.report.cycles);
        rp__lab_sim_result_free(&cases[i].result);
    }
    return status;
}

/* The next few that have no result; *n: how many. */
static rp_status run_some(sweep *s, rp__lab_sim_case *cases, uint32_t threads, size_t *first,
                          size_t *n, rp__sim_watch *watch, rp_error *err)
{
    size_t taken[MAX_THREADS];
    for (*n = 0; *first < s->n && *n < threads; (*first)++)
        if (s->entries[*first].line.n == 0) {
            taken[*n] = *first;
            cases[(*n)++] = (rp__lab_sim_case){.config = s->entries[*first].config};
        }
    if (*n == 0)
        return RP_OK;
    rp_error why;
    const rp_status run =
        rp__lab_sim_sweep(s->sim, cases, *n, threads, rp__sim_watch_tick, watch, err);
    const rp_status status =
        take_results(s, taken, cases, *n, watch, run == RP_OK ? err : &why); /* of those that ran */
    return run == RP_OK ? status : run;
}

static uint64_t count_left(const sweep *s)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += s->entries[i].line.n == 0;
    return n;
}

static rp_status run_list(sweep *s, const char *output, uint32_t threads, rp__console *console,
                          rp_error *err)
{
    rp__lab_sim_case *cases = rp__alloc_zero(threads, sizeof *cases);
    size_t first = 0, n = 1;
    rp__sim_watch watch;
    rp_status status = cases ? RP_OK : rp__error_no_memory(err);
    rp__sim_watch_init(&watch, console, count_left(s) * rp__lab_sim_count(s->sim));
    while (status == RP_OK && n > 0) {
        rp_error unwritten;
        status = run_some(s, cases, threads, &first, &n, &watch, err);
        rp__sim_watch_end(&watch);
        if (n > 0 && output && write_results(s, output, &unwritten) != RP_OK && status == RP_OK)
            status = rp__error_set(err, RP_IO, "%s", unwritten.text);
        rp__console_note(console, "riposte: %zu of %zu configurations", first, s->n);
        if (status == RP_OK && rp__interrupt_seen())
            status = rp__error_set(err, RP_INTERRUPTED, "interrupted");
    }
    rp__free(cases);
    return status;
}

rp_status rp__sim_sweep_run(rp__console *console, const rp__lab_sim *sim,
                            const rp__sim_config *base, const char *path, const char *output,
                            uint32_t threads, rp_error *err)
{
    sweep s = {.sim = sim};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    rp__buf_init(&s.text);
    rp__buf_init(&s.others);
    if (threads == 0)
        threads = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (uint32_t)cores;
    rp_status status = read_list(&s, base, path, err);
    if (status == RP_OK && output)
        status = read_results(&s, output, err);
    if (status == RP_OK)
        status = run_list(&s, output, threads, console, err);
    for (size_t i = 0; i < s.n; i++) {
        if (status == RP_OK && !output)
            fwrite(s.entries[i].line.at, 1, s.entries[i].line.n, stdout);
        rp__buf_free(&s.entries[i].line);
    }
    rp__free(s.entries);
    rp__buf_free(&s.text);
    rp__buf_free(&s.others);
    return status;
}
