/* cmd_doctor.c: riposte doctor: what this machine has for the program, and what it lacks, with the reason.
 *
 * 1 the rows, each of which looks at one thing; 2 how findings are shown. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/bench_machine.h"
#include "cli/environment.h"
#include "cli/figures.h"
#include "cli/verbs.h"
#include "riposte/executor.h"
#include "riposte/riposte.h"

typedef struct doctor_args {
    rp__common_args common;
    const char *gpu, *costs, *config;
    bool settings;
} doctor_args;

static const rp__option option_rows[] = {
    {.name = "gpu",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     .at = offsetof(doctor_args, gpu),
     .help = "ask about the emulated GPU too: emulated"},
    {.name = "costs",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     .at = offsetof(doctor_args, costs),
     .help = "whether this file of cost rules is for this machine; otherwise RIPOSTE_COSTS"},
    {.name = "settings",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(doctor_args, settings),
     .help = "show each option of riposte serve, its value and where that comes from"},
    {.name = "config",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     .at = offsetof(doctor_args, config),
     .help = "with --settings: the file of settings; otherwise RIPOSTE_CONFIG"},
    {0},
};

static const rp__option_group groups[] = {
    {"doctor", option_rows, 0},
    {"general", rp__options_common, offsetof(doctor_args, common)},
    {0},
};

typedef enum state { FINE, ABSENT, WRONG } state;
static const char *const state_names[] = {"ok", "absent", "error"};

typedef struct doctor {
    const rp__console *console;
    const doctor_args *args;
    rp__json_writer w;
    rp_error *err; /* of the first thing that is wrong */
    rp_status status;
} doctor;

/* A finding is a line of the table, or an object in the JSON array "rows". */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
put(doctor *d, const char *name, state is, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (!d->console->wants_json) {
        printf("%-15s  ", name);
        rp__console_put(stdout, text, strlen(text));
        putchar('\n');
        return;
    }
    rp__json_writer_begin(&d->w, NULL, '{');
    rp__json_writer_text(&d->w, "name", name);
    rp__json_writer_text(&d->w, "state", state_names[is]);
    rp__json_writer_text(&d->w, "text", text);
    rp__json_writer_end(&d->w, '}');
}

/* ---- 1. The rows ----------------------------------------------------------------------------- */

static void look_at_version(doctor *d)
{
    put(d, "riposte", FINE, "%s", rp_version());
}

static void look_at_libraries(doctor *d)
{
    rp_linked linked;
    char text[256];
    int n = 0;
    for (size_t i = 0; rp_linked_get(i, &linked); i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s%s%s", i ? ", " : "", linked.name,
                      linked.version[0] ? " " : "",
                      linked.version[0] ? linked.version : " (names no version)");
    put(d, "libraries", FINE, "%s", text);
}

static void look_at_cpu(doctor *d)
{
    rp__bench_machine machine;
    char cores[RP_FIGURE_BYTES];
    rp__bench_machine_get(&machine);
    put(d, "cpu", FINE, "%s, %s", machine.cpu, rp__figures_of(cores, machine.cores, "core"));
}

static void look_at_instructions(doctor *d)
{
    static const struct {
        const char *name;
        uint32_t feature;
    } sets[] = {{"avx2", RP_CPU_AVX2}, {"avx512", RP_CPU_AVX512}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const char *lacks = rp__cpu_lacks(sets[i].feature);
        if (lacks)
            put(d, sets[i].name, ABSENT, "absent: the CPU has no %s", lacks);
        else if (rp__cpu_features() & sets[i].feature)
            put(d, sets[i].name, FINE, "in use");
        else
            put(d, sets[i].name, ABSENT, "not in use: RIPOSTE_SIMD hides it");
    }
}

/* Bytes of a line of /proc/meminfo, "MemTotal:  24640000 kB"; 0: the system does not say. */
static uint64_t read_memory(const char *name)
{
    char line[128];
    uint64_t kib = 0;
    size_t n = strlen(name);
    FILE *in = fopen("/proc/meminfo", "re");
    while (in && kib == 0 && fgets(line, sizeof line, in))
        if (strncmp(line, name, n) == 0 && line[n] == ':')
            kib = strtoull(line + n + 1, NULL, 10);
    if (in)
        fclose(in);
    return kib << 10;
}

static void look_at_memory(doctor *d)
{
    char all[RP_FIGURE_BYTES], available[RP_FIGURE_BYTES];
    uint64_t total = read_memory("MemTotal");
    if (total == 0)
        put(d, "memory", ABSENT, "unknown: the system does not say");
    else
        put(d, "memory", FINE, "%s, of which %s are available", rp__figures_size(all, total),
            rp__figures_size(available, read_memory("MemAvailable")));
}

static void look_at_disk(doctor *d)
{
    struct statvfs disk;
    char all[RP_FIGURE_BYTES], available[RP_FIGURE_BYTES];
    if (statvfs(".", &disk) != 0)
        put(d, "disk", ABSENT, "unknown: the system does not say");
    else
        put(d, "disk", FINE, "%s, of which %s are free, where the current folder is",
            rp__figures_size(all, (uint64_t)disk.f_blocks * disk.f_frsize),
            rp__figures_size(available, (uint64_t)disk.f_bavail * disk.f_frsize));
}

static void look_at_gpus(doctor *d)
{
    rp_gpu info;
    rp_error why = {.text = ""};
    rp_status status = RP_OK;
    char name[16], memory[RP_FIGURE_BYTES];
    for (size_t i = 0; (status = rp_gpu_get(d->args->gpu, i, &info, &why)) == RP_OK; i++) {
        snprintf(name, sizeof name, "gpu %zu", i);
        put(d, name, FINE, "%s, %s, %u multiprocessors", info.name,
            rp__figures_size(memory, info.memory), info.multiprocessors);
    }
    if (status != RP_NOT_FOUND)
        put(d, "gpu", ABSENT, "none: %s", why.text);
}

/* A file that was asked for by name is wrong where it cannot be used. */
static void look_at_costs(doctor *d)
{
    rp_costs costs;
    rp_error why = {.text = ""};
    char cores[RP_FIGURE_BYTES];
    const char *path = d->args->costs ? d->args->costs : getenv("RIPOSTE_COSTS");
    if (!path || !*path) {
        put(d, "costs", ABSENT, "built-in rules; riposte calibrate DIR -o FILE fits others");
        return;
    }
    rp_status status = rp_costs_read(path, d->args->gpu, &costs, &why);
    if (status == RP_OK) {
        put(d, "costs", FINE, "%s: %u rules for %s, %s, %s%s%s, codec %s", path, costs.rules,
            costs.cpu, rp__figures_of(cores, costs.cores, "core"), costs.instructions,
            costs.card[0] ? ", " : ", no card", costs.card, costs.codec);
        return;
    }
    const bool is_wrong = d->args->costs || status == RP_IO;
    put(d, "costs", is_wrong ? WRONG : ABSENT, "built-in rules: %s", why.text);
    if (is_wrong && d->status == RP_OK) {
        *d->err = why;
        d->status = status;
    }
}

/* Whether an option of riposte serve can come from a variable. */
static bool is_setting(const char *variable)
{
    char own[64];
    for (const rp__option_group *g = rp__cmd_serve_verb.groups; g->rows; g++)
        for (const rp__option *row = g->rows; row->name; row++) {
            rp__settings_variable(row->name, own, sizeof own);
            if (strcmp(own, variable) == 0)
                return true;
        }
    return false;
}

/* Variables of riposte serve, whose values are settings; and those that look like ours, and that nothing reads: a slip,
 * perhaps. */
static size_t show_other_variables(doctor *d)
{
    size_t n = 0;
    for (char **at = environ; *at; at++) {
        char name[64];
        const size_t bytes = strcspn(*at, "=");
        if (strncmp(*at, "RIPOSTE_", 8) != 0 || bytes >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)bytes, *at);
        if (rp__environment_find(name))
            continue;
        n++;
        if (!is_setting(name))
            put(d, name, ABSENT, "unknown: nothing reads this variable");
        else if (!d->args->settings)
            put(d, name, FINE, "a setting of riposte serve; --settings shows them");
    }
    return n;
}

static void look_at_environment(doctor *d)
{
    const rp__environment_row *row;
    size_t n = 0;
    for (size_t i = 0; (row = rp__environment_at(i)); i++) {
        rp_error why = {.text = ""};
        const char *value = rp__environment_value(row);
        rp_status status = rp__environment_check(row, &why);
        if (!value)
            continue;
        n++;
        if (status == RP_OK)
            put(d, row->name, FINE, "%s", row->is_secret ? "set, and not shown" : value);
        else
            put(d, row->name, WRONG, "%s: unknown; it can be %s", value, row->values);
        if (status != RP_OK && d->status == RP_OK) {
            *d->err = why;
            d->status = status;
        }
    }
    n += show_other_variables(d);
    if (n == 0)
        put(d, "environment", FINE, "no variable that riposte heeds is set");
}

static void show_settings(doctor *d, const rp__settings *settings)
{
    char where[64];
    const char *value;
    for (const rp__option_group *g = rp__cmd_serve_verb.groups; g->rows; g++)
        for (const rp__option *row = g->rows; g->rows != rp__options_common && row->name; row++) {
            if (strcmp(row->name, "config") == 0)
                continue;
            const char *source = rp__options_source(row, settings, &value, where, sizeof where);
            if (source)
                put(d, row->name, FINE, "%s (%s)", value, source);
            else
                put(d, row->name, ABSENT, "not set");
        }
}

/* What riposte serve would take without options, as it would read it. */
static void look_at_settings(doctor *d)
{
    char serve[] = "serve", dir[] = "DIR", option[] = "--config", variable[64];
    const char *path = d->args->config ? d->args->config
                                       : rp__settings_variable("config", variable, sizeof variable);
    char *argv[] = {serve, dir, option, (char *)(uintptr_t)path, NULL};
    rp__console console = *d->console;
    rp_error why = {.text = ""};
    rp__call call = {.verb = &rp__cmd_serve_verb,
                     .args = rp__alloc_zero(1, rp__cmd_serve_verb.args_bytes)};
    if (!d->args->settings || !call.args) {
        rp__free(call.args);
        return;
    }
    rp_status status = rp__options_parse(call.verb, path ? 4 : 2, argv, &call, &console, &why);
    if (status == RP_OK)
        show_settings(d, &call.settings);
    else
        put(d, "settings", WRONG, "%s", why.text);
    if (status != RP_OK && d->status == RP_OK) {
        *d->err = why;
        d->status = status;
    }
    rp__settings_free(&call.settings);
    rp__free(call.args);
}

/* In the order in which they are shown. */
static void (*const rows[])(doctor *d) = {
    look_at_version, look_at_libraries, look_at_cpu,   look_at_instructions, look_at_memory,
    look_at_disk,    look_at_gpus,      look_at_costs, look_at_environment,  look_at_settings,
};

/* ---- 2. The table, and the object ------------------------------------------------------------ */

static void show_rows(doctor *d)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        rows[i](d);
}

static void write_gpus(rp__json_writer *w, const char *gpu)
{
    rp_gpu info;
    rp_error why = {.text = ""};
    rp_status status = RP_OK;
    rp__json_writer_begin(w, "gpus", '[');
    for (size_t i = 0; (status = rp_gpu_get(gpu, i, &info, &why)) == RP_OK; i++) {
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "name", info.name);
        rp__json_writer_uint(w, "memory", info.memory);
        rp__json_writer_uint(w, "multiprocessors", info.multiprocessors);
        rp__json_writer_bool(w, "is_emulated", info.is_emulated);
        rp__json_writer_text(w, "driver", info.driver[0] ? info.driver : NULL);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
    if (status != RP_NOT_FOUND)
        rp__json_writer_text(w, "no_gpu", why.text);
}

/* Beside the rows, what programs compute with, in types of their own. */
static void write_values(doctor *d)
{
    rp__bench_machine machine;
    rp__bench_machine_get(&machine);
    rp__json_writer_text(&d->w, "version", rp_version());
    rp__json_writer_uint(&d->w, "cores", machine.cores);
    rp__json_writer_text(&d->w, "instructions", machine.instructions);
    write_gpus(&d->w, d->args->gpu);
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    doctor d = {.console = console, .args = call->args, .err = err, .status = RP_OK};
    if (d.args->config && !d.args->settings)
        return rp__error_set(err, RP_USAGE, "doctor: --config is for --settings; give both");
    if (!console->wants_json) {
        show_rows(&d);
        rp__console_flush(console);
        return d.status;
    }
    rp__buf out;
    rp__buf_init(&out);
    rp__json_writer_init(&d.w, &out);
    rp__json_writer_begin(&d.w, NULL, '{');
    rp__json_writer_text(&d.w, "schema", "riposte.doctor/1");
    write_values(&d);
    rp__json_writer_begin(&d.w, "rows", '[');
    show_rows(&d);
    rp__json_writer_end(&d.w, ']');
    rp__json_writer_end(&d.w, '}');
    rp_error unwritten = {.text = ""};
    rp_status status = rp__console_reply(console, &out, &unwritten);
    if (status != RP_OK)
        *err = unwritten;
    rp__buf_free(&out);
    return status == RP_OK ? d.status : status;
}

const rp__verb rp__cmd_doctor_verb = {
    .name = "doctor",
    .summary = "say what this machine has for searching, and what it lacks",
    .details = "Versions, instruction sets, memory, disk, GPUs, cost rules and environment "
               "variables; for each thing that is missing, why. Exit code 0 whatever there is, but "
               "2 where an environment variable has a value that riposte does not know, and 5 "
               "where the file of --costs is damaged or of another machine. Takes at most 32 MiB "
               "of memory.",
    .examples = "riposte doctor\nriposte doctor --gpu emulated --json\n",
    .groups = groups,
    .args_bytes = sizeof(doctor_args),
    .checks_environment = true,
    .run = run,
};
