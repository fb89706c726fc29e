/* sim_configs.c: finds and reads configurations. The bundled ones are data files. */
#include "cli/sim_configs.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/bundled.h"
#include "lab/bench.h"

enum { PATH_BYTES = RP_BUNDLED_BYTES, FILE_BYTES = 1 << 20 };

static const char *const names[] = {"ddr4", "hbm",  "hbm2-pc", "hbm3",    "ddr5",
                                    "scm",  "core", "ideal",   "extended"};

const char *rp__sim_configs_name(size_t i)
{
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static bool is_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static rp_status find_bundled(const char *name, char out[PATH_BYTES], rp_error *err)
{
    char file[64];
    snprintf(file, sizeof file, "configs/%s.ini", name);
    return rp__bundled_find(file, file, out, err);
}

static rp_status read_text(const char *path, rp__buf *out, rp_error *err)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return rp__error_set(err, RP_IO,
                             "%s: cannot open the configuration; riposte sim --list-configs has "
                             "those that are bundled",
                             path);
    char chunk[4096];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0 && out->n < FILE_BYTES)
        rp__buf_put(out, chunk, n);
    const bool is_bad = ferror(file) != 0;
    fclose(file);
    if (out->failed)
        return rp__error_no_memory(err);
    return is_bad || out->n >= FILE_BYTES
               ? rp__error_set(err, RP_IO, "%s: cannot read the configuration", path)
               : RP_OK;
}

/* The bytes of a configuration. */
static rp_status open_named(const char *name, char path[PATH_BYTES], rp__buf *out, rp_error *err)
{
    snprintf(path, PATH_BYTES, "%s", name);
    rp_status status = is_name(name) ? find_bundled(name, path, err) : RP_OK;
    rp__buf_init(out);
    return status == RP_OK ? read_text(path, out, err) : status;
}

rp_status rp__sim_configs_load(const char *name, rp__sim_config *config, rp_error *err)
{
    char path[PATH_BYTES];
    rp__buf bytes;
    rp_error why;
    rp__sim_config_init(config);
    rp_status status = open_named(name, path, &bytes, err);
    if (status == RP_OK) {
        status = rp__sim_config_parse(config, (const char *)bytes.at, bytes.n, &why);
        if (status != RP_OK)
            rp__error_set(err, status, "%s: %s", path, why.text);
    }
    rp__buf_free(&bytes);
    return status;
}

rp_status rp__sim_configs_set(const char *assignments, rp__sim_config *config, rp_error *err)
{
    static const char blanks[] = ", \t";
    uint64_t seen = 0;
    for (const char *p = assignments + strspn(assignments, blanks); *p; p += strspn(p, blanks)) {
        char one[128];
        const size_t n = strcspn(p, blanks);
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        rp_status status = rp__sim_config_set(config, one, &seen, err);
        if (status != RP_OK)
            return status;
        p += n;
    }
    return RP_OK;
}

/* ---- The list -------------------------------------------------------------------------------- */

/* The first line of the file, which is a comment; appended with a NUL. */
static rp_status put_summary(const char *name, rp__buf *out, rp_error *err)
{
    char path[PATH_BYTES];
    rp__buf bytes;
    rp_status status = open_named(name, path, &bytes, err);
    if (status == RP_OK) {
        const char *text = (const char *)bytes.at;
        const char *end = bytes.n ? memchr(text, '\n', bytes.n) : NULL;
        const size_t n = end ? (size_t)(end - text) : 0;
        const size_t skip = n > 2 && text[0] == '#' ? 2 : 0;
        rp__buf_put(out, text + skip, n - skip);
        rp__buf_put_byte(out, 0);
    }
    rp__buf_free(&bytes);
    return status == RP_OK && out->failed ? rp__error_no_memory(err) : status;
}

/* "none" for a number that no one can set: a key that is off, or as the memory standard has it. */
static void put_default(const rp__sim_key *key, char *out, size_t cap)
{
    size_t n;
    const char *choice = rp__sim_config_choice(key, key->fallback, &n);
    if (key->choices[0])
        snprintf(out, cap, "%.*s", (int)n, choice);
    else if (key->fallback < key->min)
        snprintf(out, cap, "none");
    else
        snprintf(out, cap, "%u", key->fallback);
}

static void print_key(const rp__sim_key *key)
{
    char initial[32];
    put_default(key, initial, sizeof initial);
    if (key->choices[0])
        printf("  %-15s %s (%s; %s)\n", key->name, key->text, key->choices, initial);
    else
        printf("  %-15s %s (%u to %u; %s)\n", key->name, key->text, key->min, key->max, initial);
}

/* The two keys that name something else. */
typedef struct named_key {
    const char *name, *text, *initial;
    const char *(*choice)(size_t i);
} named_key;

static const named_key named_keys[] = {
    {"standard", "memory=dram: the memory", "ddr4-2400", rp__bench_dram_standard},
    {"controller", "memory=dram: its controller", "frfcfs", rp__bench_dram_controller},
};

static void print_named_key(const named_key *key)
{
    printf("  %-15s %s (", key->name, key->text);
    for (size_t i = 0; key->choice(i); i++)
        printf("%s%s", i ? "|" : "", key->choice(i));
    printf("; %s)\n", key->initial);
}

static void print_list(const rp__buf *summaries)
{
    const char *text = (const char *)summaries->at;
    for (size_t i = 0; rp__sim_configs_name(i); i++, text += strlen(text) + 1)
        printf("%-9s %s\n", rp__sim_configs_name(i), text);
    printf("\nkeys, with their range and default\n");
    const rp__sim_key *key;
    for (size_t i = 0; (key = rp__sim_config_key(i)); i++)
        print_key(key);
    for (size_t i = 0; i < sizeof named_keys / sizeof *named_keys; i++)
        print_named_key(&named_keys[i]);
}

static void begin_key(rp__json_writer *w, const char *name, const char *text, const char *initial)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "name", name);
    rp__json_writer_text(w, "text", text);
    rp__json_writer_text(w, "default", initial);
}

static void write_key(rp__json_writer *w, const rp__sim_key *key)
{
    char initial[32];
    put_default(key, initial, sizeof initial);
    begin_key(w, key->name, key->text, initial);
    if (key->choices[0]) {
        rp__json_writer_begin(w, "choices", '[');
        for (uint32_t i = key->min; i <= key->max; i++) {
            size_t n;
            const char *choice = rp__sim_config_choice(key, i, &n);
            rp__json_writer_string(w, NULL, choice, n);
        }
        rp__json_writer_end(w, ']');
    } else {
        rp__json_writer_uint(w, "min", key->min);
        rp__json_writer_uint(w, "max", key->max);
    }
    rp__json_writer_end(w, '}');
}

static void write_named_key(rp__json_writer *w, const named_key *key)
{
    begin_key(w, key->name, key->text, key->initial);
    rp__json_writer_begin(w, "choices", '[');
    for (size_t i = 0; key->choice(i); i++)
        rp__json_writer_text(w, NULL, key->choice(i));
    rp__json_writer_end(w, ']');
    rp__json_writer_end(w, '}');
}

static rp_status reply_list(rp__console *console, const rp__buf *summaries, rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.sim.configs/1");
    rp__json_writer_begin(&w, "configs", '[');
    const char *text = (const char *)summaries->at;
    for (size_t i = 0; rp__sim_configs_name(i); i++, text += strlen(text) + 1) {
        rp__json_writer_begin(&w, NULL, '{');
        rp__json_writer_text(&w, "name", rp__sim_configs_name(i));
        rp__json_writer_text(&w, "text", text);
        rp__json_writer_end(&w, '}');
    }
    rp__json_writer_end(&w, ']');
    rp__json_writer_begin(&w, "keys", '[');
    const rp__sim_key *key;
    for (size_t i = 0; (key = rp__sim_config_key(i)); i++)
        write_key(&w, key);
    for (size_t i = 0; i < sizeof named_keys / sizeof *named_keys; i++)
        write_named_key(&w, &named_keys[i]);
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

rp_status rp__sim_configs_print(rp__console *console, rp_error *err)
{
    rp__buf summaries;
    rp_status status = RP_OK;
    rp__buf_init(&summaries);
    for (size_t i = 0; status == RP_OK && rp__sim_configs_name(i); i++)
        status = put_summary(rp__sim_configs_name(i), &summaries, err);
    if (status == RP_OK && console->wants_json)
        status = reply_list(console, &summaries, err);
    else if (status == RP_OK)
        print_list(&summaries);
    rp__buf_free(&summaries);
    return status;
}
