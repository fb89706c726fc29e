/* sim_sweep.c: reads a list of configurations, runs those that have no result yet, and keeps the file
 * of results whole after each few of them, so that an interrupted sweep goes on where it was. */
#include "cli/sim_sweep.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/sim_configs.h"
#include "cli/sim_report.h"
#include "cli/whole_file.h"

enum { NAME_BYTES = 64, TEXT_BYTES = 1 << 26 };

typedef struct entry {
    char name[NAME_BYTES];
    rp__sim_config config;
    rp__buf line; /* of JSON, with its newline; empty: not run yet */
} entry;

typedef struct sweep {
    entry *entries;
    size_t n, cap;
    rp__buf text;
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

/* Lines of earlier runs, which begin with the name as we write it. */
static rp_status read_results(sweep *s, const char *output, rp_error *err)
{
    rp__buf text;
    rp__buf_init(&text);
    rp_status status = read_text(output, true, &text, err);
    for (const char *at = (const char *)text.at; status == RP_OK && at && *at;) {
        const size_t n = strcspn(at, "\n");
        for (size_t i = 0; i < s->n && at[n]; i++) {
            char head[NAME_BYTES + 16];
            snprintf(head, sizeof head, "{\"name\":\"%s\",", s->entries[i].name);
            if (strncmp(at, head, strlen(head)) == 0) {
                s->entries[i].line.n = 0;
                rp__buf_put(&s->entries[i].line, at, n + 1);
            }
        }
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

/* The next few that have no result; *n: how many. */
static rp_status run_some(sweep *s, const rp__lab_sim *sim, rp__lab_sim_case *cases,
                          uint32_t threads, size_t *first, size_t *n, rp_error *err)
{
    size_t taken[1024];
    for (*n = 0; *first < s->n && *n < threads; (*first)++)
        if (s->entries[*first].line.n == 0) {
            taken[*n] = *first;
            cases[(*n)++] = (rp__lab_sim_case){.config = s->entries[*first].config};
        }
    rp_status status = *n ? rp__lab_sim_sweep(sim, cases, *n, threads, err) : RP_OK;
    for (size_t i = 0; i < *n; i++) {
        if (status == RP_OK)
            status = take_result(&s->entries[taken[i]], sim, &cases[i], err);
        rp__lab_sim_result_free(&cases[i].result);
    }
    return status;
}

static rp_status run_list(sweep *s, const rp__lab_sim *sim, const char *output, uint32_t threads,
                          rp__console *console, rp_error *err)
{
    rp__lab_sim_case *cases = rp__alloc_zero(threads, sizeof *cases);
    size_t first = 0, n = 1;
    rp_status status = cases ? RP_OK : rp__error_no_memory(err);
    while (status == RP_OK && n > 0) {
        status = run_some(s, sim, cases, threads, &first, &n, err);
        if (status == RP_OK && n > 0 && output)
            status = write_results(s, output, err);
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
    sweep s = {0};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    rp__buf_init(&s.text);
    if (threads == 0)
        threads = cores < 1 ? 1 : cores > 1024 ? 1024 : (uint32_t)cores;
    rp_status status = read_list(&s, base, path, err);
    if (status == RP_OK && output)
        status = read_results(&s, output, err);
    if (status == RP_OK)
        status = run_list(&s, sim, output, threads, console, err);
    for (size_t i = 0; i < s.n; i++) {
        if (status == RP_OK && !output)
            fwrite(s.entries[i].line.at, 1, s.entries[i].line.n, stdout);
        rp__buf_free(&s.entries[i].line);
    }
    rp__free(s.entries);
    rp__buf_free(&s.text);
    return status;
}
