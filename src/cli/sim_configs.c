/* sim_configs.c: finds and reads configurations. The bundled ones are data files. */
#include "cli/sim_configs.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/bundled.h"

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
        return rp__error_set(err, RP_IO, "%s: cannot open the configuration", path);
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
    for (const char *p = assignments + strspn(assignments, blanks); *p; p += strspn(p, blanks)) {
        char one[128];
        const size_t n = strcspn(p, blanks);
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        rp_status status = rp__sim_config_set(config, one, err);
        if (status != RP_OK)
            return status;
        p += n;
    }
    return RP_OK;
}

/* ---- For people ------------------------------------------------------------------------------ */

/* The first line, which is a comment. */
static rp_status print_name(const char *name, rp_error *err)
{
    char path[PATH_BYTES];
    rp__buf bytes;
    rp_status status = open_named(name, path, &bytes, err);
    if (status == RP_OK) {
        const char *text = (const char *)bytes.at;
        const char *end = bytes.n ? memchr(text, '\n', bytes.n) : NULL;
        size_t n = end ? (size_t)(end - text) : 0;
        size_t skip = n > 2 && text[0] == '#' ? 2 : 0;
        printf("%-9s %.*s\n", name, (int)(n - skip), text + skip);
    }
    rp__buf_free(&bytes);
    return status;
}

static void print_key(const rp__sim_key *key)
{
    if (key->choices[0])
        printf("  %-15s %s (%s)\n", key->name, key->text, key->choices);
    else
        printf("  %-15s %s (%u to %u; %u)\n", key->name, key->text, key->min, key->max,
               key->fallback);
}

rp_status rp__sim_configs_print(rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && rp__sim_configs_name(i); i++)
        status = print_name(rp__sim_configs_name(i), err);
    if (status != RP_OK)
        return status;
    printf("\nkeys, with their range and default\n");
    const rp__sim_key *key;
    for (size_t i = 0; (key = rp__sim_config_key(i)); i++)
        print_key(key);
    printf("  %-15s %s\n", "standard", "memory=dram: the memory (ddr4-2400, hbm2, ...)");
    printf("  %-15s %s\n", "controller", "memory=dram: its controller (frfcfs, compat, r21)");
    return RP_OK;
}
