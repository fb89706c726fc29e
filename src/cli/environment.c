/* environment.c: the table of environment variables, and the check of their values. */
#include "cli/environment.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool is_level(const char *value)
{
    return strcmp(value, "scalar") == 0 || strcmp(value, "avx2") == 0 ||
           strcmp(value, "avx512") == 0;
}

/* "emulated" or numbers, parted by commas. Whether there are such cards is for the library to say. */
static bool is_gpu_list(const char *value)
{
    static const char emulated[] = "emulated";
    for (;;) {
        size_t n = strcspn(value, ",");
        bool is_emulated = n == sizeof emulated - 1 && memcmp(value, emulated, n) == 0;
        if (n == 0 || (!is_emulated && strspn(value, "0123456789") != n))
            return false;
        if (value[n] == 0)
            return true;
        value += n + 1;
    }
}

static const rp__environment_row rows[] = {
    {"NO_COLOR", "set and not empty: no colours on a terminal", NULL, NULL, false},
    {"RIPOSTE_COSTS", "the file of cost rules to use without --costs, by riposte calibrate", NULL,
     NULL, false},
    {"RIPOSTE_GPU", "the GPU to use without --gpu: emulated, or cards by number, as 0,1",
     is_gpu_list, "emulated, or numbers as 0,1", false},
    {"RIPOSTE_LIBRARY", "the library that riposte.py loads", NULL, NULL, false},
    {"RIPOSTE_SIMD", "scalar, avx2 or avx512: the widest instructions to use", is_level,
     "scalar, avx2 or avx512", false},
    {.name = "RIPOSTE_TOKEN",
     .help = "the token that riposte serve asks for without --token-file",
     .is_secret = true},
    {"TMPDIR", "where demo works if the current folder takes no files", NULL, NULL, false},
};

const rp__environment_row *rp__environment_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const rp__environment_row *rp__environment_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

const char *rp__environment_value(const rp__environment_row *row)
{
    const char *value = getenv(row->name);
    return value && *value ? value : NULL;
}

rp_status rp__environment_check(const rp__environment_row *row, rp_error *err)
{
    const char *value = rp__environment_value(row);
    if (!value || !row->is_known || row->is_known(value))
        return RP_OK;
    return rp__error_set(err, RP_USAGE, "the environment has %s=%.64s; it can be %s", row->name,
                         value, row->values);
}

rp_status rp__environment_check_all(rp_error *err)
{
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < sizeof rows / sizeof *rows; i++)
        status = rp__environment_check(&rows[i], err);
    return status;
}
